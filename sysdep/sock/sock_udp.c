/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Receives and sends batches of UDP packets by recvmmsg and sendmmsg. Any thread that
 * owns the socket. Tested by test/net/test_bfd.py. */
#include "sysdep/sock/sock_udp.h"

#include "lib/net/ip.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Not in every libc's headers; the number is Linux's. */
#ifndef UDP_NO_CHECK6_RX
#define UDP_NO_CHECK6_RX 102
#endif

#define CONTROL_LEN 128

static int
sock_udp_set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno : 0;
}

static int
udp_set_info(int fd, bool v4)
{
	int rc = sock_udp_set_int(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);

	if (!rc && v4)
		rc = sock_udp_set_int(fd, IPPROTO_IP, IP_PKTINFO, 1);
	if (!rc && v4)
		rc = sock_udp_set_int(fd, IPPROTO_IP, IP_RECVTTL, 1);
	if (!rc && !v4)
		rc = sock_udp_set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	if (!rc && !v4)
		rc = sock_udp_set_int(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
	return rc;
}

static int
sock_udp_set_all(int fd, const struct sock_udp_conf *c, bool v4)
{
	int rc = v4 ? 0 : sock_udp_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);

	if (!rc && c->ttl)
		rc = v4 ? sock_udp_set_int(fd, IPPROTO_IP, IP_TTL, c->ttl)
			: sock_udp_set_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, c->ttl);
	if (!rc && c->dscp_ecn)
		rc = v4 ? sock_udp_set_int(fd, IPPROTO_IP, IP_TOS, c->dscp_ecn)
			: sock_udp_set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, c->dscp_ecn);
	if (!rc && c->reuse)
		rc = sock_udp_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (!rc && c->info)
		rc = udp_set_info(fd, v4);
	if (!rc && c->zero_checksum && !v4)
		rc = sock_udp_set_int(fd, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
	if (!rc && c->device &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, c->device,
		(socklen_t)strlen(c->device) + 1))
		rc = -errno;
	/* Wishes. */
	if (c->priority)
		(void)sock_udp_set_int(fd, SOL_SOCKET, SO_PRIORITY, c->priority);
	if (c->buffer && sock_udp_set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, c->buffer))
		(void)sock_udp_set_int(fd, SOL_SOCKET, SO_RCVBUF, c->buffer);
	return rc;
}

struct os_fd
sock_udp_new(const struct sock_udp_conf *c)
{
	struct sockaddr_storage sa;
	socklen_t len = sock_from_end(&sa, &c->local);
	int fd = socket(
	    sa.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
	int rc;

	if (fd < 0)
		return os_fd_of(-errno);
	rc = sock_udp_set_all(fd, c, sa.ss_family == AF_INET);
	if (!rc && bind(fd, (struct sockaddr *)&sa, len))
		rc = -errno;
	if (rc) {
		close(fd);
		return os_fd_of(rc);
	}
	return os_fd_of(fd);
}

static uint64_t
udp_to_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000ull + (uint64_t)t->tv_nsec;
}

/* sock_udp_take - read one ancillary message of the kernel. */
static void
sock_udp_take(struct sock_dgram *d, const struct cmsghdr *c, uint64_t now_ns)
{
	const void *data = CMSG_DATA(c);
	struct timespec ts;
	struct in_pktinfo i4;
	struct in6_pktinfo i6;
	int ttl;

	if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
		memcpy(&ts, data, sizeof(ts));
		d->age_ns = now_ns > udp_to_ns(&ts) ? now_ns - udp_to_ns(&ts) : 0;
	} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
		memcpy(&i4, data, sizeof(i4));
		d->to = ip4(ntohl(i4.ipi_addr.s_addr));
		d->ifindex = (uint32_t)i4.ipi_ifindex;
	} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
		memcpy(&i6, data, sizeof(i6));
		d->to = ip_get16(i6.ipi6_addr.s6_addr);
		d->ifindex = i6.ipi6_ifindex;
	} else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) ||
		   (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)) {
		memcpy(&ttl, data, sizeof(ttl));
		d->ttl = (uint8_t)ttl;
	}
}

unsigned
sock_udp_recv(struct os_fd fd, struct sock_dgram out[SOCK_UDP_BATCH],
    uint8_t room[SOCK_UDP_BATCH][SOCK_UDP_LEN])
{
	_Alignas(struct cmsghdr) uint8_t control[SOCK_UDP_BATCH][CONTROL_LEN];
	struct sockaddr_storage from[SOCK_UDP_BATCH];
	struct mmsghdr m[SOCK_UDP_BATCH];
	struct iovec io[SOCK_UDP_BATCH];
	struct timespec now = { 0 };
	int cnt;

	for (unsigned i = 0; i < SOCK_UDP_BATCH; i++) {
		io[i] = (struct iovec){ room[i], SOCK_UDP_LEN };
		m[i] = (struct mmsghdr){ .msg_hdr = { .msg_name = &from[i],
					     .msg_namelen = sizeof(from[i]),
					     .msg_iov = &io[i],
					     .msg_iovlen = 1,
					     .msg_control = control[i],
					     .msg_controllen = CONTROL_LEN } };
	}
	cnt = recvmmsg(fd.os_nr, m, SOCK_UDP_BATCH, MSG_DONTWAIT, NULL);
	if (cnt > 0) /* the clock of the kernel's stamps */
		clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < cnt; i++) {
		struct sock_dgram *d = &out[i];

		*d = (struct sock_dgram){ .from = sock_to_end(&from[i]),
			.to = IP_NONE,
			.len = m[i].msg_len,
			.octet = room[i] };
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m[i].msg_hdr); c;
		     c = CMSG_NXTHDR(&m[i].msg_hdr, c))
			sock_udp_take(d, c, udp_to_ns(&now));
	}
	return cnt > 0 ? (unsigned)cnt : 0;
}

unsigned
sock_udp_send(struct os_fd fd, const struct sock_dgram *d, unsigned cnt, int *err)
{
	struct sockaddr_storage to[SOCK_UDP_BATCH];
	struct mmsghdr m[SOCK_UDP_BATCH];
	struct iovec io[SOCK_UDP_BATCH];
	unsigned sent = 0, at = 0;

	*err = 0;
	for (unsigned i = 0; i < cnt; i++) {
		io[i] = (struct iovec){ (void *)(uintptr_t)d[i].octet, d[i].len };
		m[i] = (struct mmsghdr){ .msg_hdr = { .msg_name = &to[i],
					     .msg_namelen = sock_from_end(
						 &to[i], &d[i].from),
					     .msg_iov = &io[i],
					     .msg_iovlen = 1 } };
	}
	while (at < cnt) {
		int rc = sendmmsg(fd.os_nr, m + at, cnt - at, MSG_DONTWAIT);

		if (rc > 0) {
			sent += (unsigned)rc;
			at += (unsigned)rc;
		} else {
			*err = -errno;
			at++;
		}
	}
	return sent;
}
