/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Socket options by Linux's names, and conversion of addresses to and from the kernel's
 * form. Any thread that owns the socket. */
#include "sysdep/sock/sock_opt.h"
#include "lib/crypto/veil.h"
#include "lib/net/ip.h"
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not in every libc's headers; the numbers are Linux's. */
#ifndef IP_MINTTL
#define IP_MINTTL 21
#endif
#ifndef IPV6_MINHOPCOUNT
#define IPV6_MINHOPCOUNT 73
#endif
#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78
#endif

/* An IPv4 or IPv6 header, a header of extensions, and a TCP header. */
#define SYN_MAX 512

static int
sock_opt_set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno : 0;
}

/* opt_set_ip - set the option of the socket's family. */
static int
opt_set_ip(int fd, int family, int option4, int option6, int value)
{
	if (family == AF_INET)
		return sock_opt_set_int(fd, IPPROTO_IP, option4, value);
	return sock_opt_set_int(fd, IPPROTO_IPV6, option6, value);
}

socklen_t
sock_from_end(struct sockaddr_storage *out, const struct sock_end *e)
{
	memset(out, 0, sizeof(*out));
	if (ip_is_v4(e->addr)) {
		struct sockaddr_in *in = (struct sockaddr_in *)out;

		in->sin_family = AF_INET;
		in->sin_port = htons(e->port);
		in->sin_addr.s_addr = htonl(ip_to_v4(e->addr));
		return sizeof(*in);
	} else {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(e->port);
		in6->sin6_scope_id = e->ifindex;
		ip_put16(in6->sin6_addr.s6_addr, e->addr);
		return sizeof(*in6);
	}
}

struct sock_end
sock_to_end(const struct sockaddr_storage *sa)
{
	struct sock_end e = { 0 };

	if (sa->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)sa;

		e.addr = ip4(ntohl(in->sin_addr.s_addr));
		e.port = ntohs(in->sin_port);
	} else if (sa->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;

		e.addr = ip_get16(in6->sin6_addr.s6_addr);
		e.port = ntohs(in6->sin6_port);
		e.ifindex = in6->sin6_scope_id;
	}
	return e;
}

int
sock_family(const struct sock_end *e)
{
	return ip_is_v4(e->addr) ? AF_INET : AF_INET6;
}

struct sock_end
sock_local_end(struct os_fd fd)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);

	if (getsockname(fd.os_nr, (struct sockaddr *)&sa, &len))
		sa.ss_family = AF_UNSPEC;
	return sock_to_end(&sa);
}

struct sock_end
sock_remote_end(struct os_fd fd)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);

	if (getpeername(fd.os_nr, (struct sockaddr *)&sa, &len))
		sa.ss_family = AF_UNSPEC;
	return sock_to_end(&sa);
}

bool
sock_has_ended(struct os_fd fd, int wait_ms)
{
	struct pollfd p = { .fd = fd.os_nr, .events = POLLRDHUP };

	return poll(&p, 1, wait_ms) > 0;
}

uint64_t
sock_mark(struct os_fd fd)
{
	struct stat st;

	return !fstat(fd.os_nr, &st) && S_ISSOCK(st.st_mode) ? st.st_ino : 0;
}

int
sock_tcp_new(int family, const struct sock_conf *c)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (family == AF_INET6)
		rc = sock_opt_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
	if (!rc)
		rc = sock_apply(os_fd_of(fd), family, c);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

int
sock_apply(struct os_fd fd, int family, const struct sock_conf *c)
{
	/* BGP hands over whole messages; waiting for more only costs time. */
	int rc = sock_opt_set_int(fd.os_nr, IPPROTO_TCP, TCP_NODELAY, 1);

	if (!rc && c->ttl)
		rc = opt_set_ip(fd.os_nr, family, IP_TTL, IPV6_UNICAST_HOPS, c->ttl);
	if (!rc && c->min_ttl)
		rc = opt_set_ip(
		    fd.os_nr, family, IP_MINTTL, IPV6_MINHOPCOUNT, c->min_ttl);
	if (!rc && c->dscp_ecn)
		rc = opt_set_ip(fd.os_nr, family, IP_TOS, IPV6_TCLASS, c->dscp_ecn);
	if (!rc && c->free_bind)
		rc = opt_set_ip(fd.os_nr, family, IP_FREEBIND, IPV6_FREEBIND, 1);
	if (!rc && c->no_buffer_bulk)
		rc = sock_opt_set_int(
		    fd.os_nr, IPPROTO_TCP, TCP_NOTSENT_LOWAT, SOCK_NOTSENT_LOWAT);
	if (!rc && c->save_syn)
		rc = sock_opt_set_int(fd.os_nr, IPPROTO_TCP, TCP_SAVE_SYN, 1);
	if (!rc && c->device &&
	    setsockopt(fd.os_nr, SOL_SOCKET, SO_BINDTODEVICE, c->device,
		(socklen_t)strlen(c->device) + 1))
		rc = -errno;
	/* A wish: values above 6 need CAP_NET_ADMIN. After TOS, because TOS sets the
	 * priority too. */
	if (c->priority)
		(void)sock_opt_set_int(fd.os_nr, SOL_SOCKET, SO_PRIORITY, c->priority);
	return rc;
}

uint8_t
sock_syn_ttl(struct os_fd fd)
{
	uint8_t syn[SYN_MAX];
	socklen_t len = sizeof(syn);

	if (getsockopt(fd.os_nr, IPPROTO_TCP, TCP_SAVED_SYN, syn, &len) || len < 20)
		return 0;
	return syn[0] >> 4 == 4 ? syn[8] : syn[7]; /* RFC 791, 3.1; RFC 8200, 3 */
}

void
sock_keep_alive(struct os_fd fd, unsigned idle_s, unsigned every_s, unsigned cnt)
{
	(void)sock_opt_set_int(fd.os_nr, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (idle_s)
		(void)sock_opt_set_int(fd.os_nr, IPPROTO_TCP, TCP_KEEPIDLE, (int)idle_s);
	if (every_s)
		(void)sock_opt_set_int(
		    fd.os_nr, IPPROTO_TCP, TCP_KEEPINTVL, (int)every_s);
	if (cnt)
		(void)sock_opt_set_int(fd.os_nr, IPPROTO_TCP, TCP_KEEPCNT, (int)cnt);
}

int
sock_md5_set(int fd, const struct prefix *peer, uint32_t ifindex, const char *key)
{
	struct sock_end e = { .addr = peer->addr };
	struct tcp_md5sig sig = { 0 };
	struct sockaddr_storage sa;
	char secret[VEIL_MAX + 1];
	bool whole = peer->len == (peer->fam == FAM_IP4 ? 32 : 128);
	int rc;

	sock_from_end(&sa, &e);
	memcpy(&sig.tcpm_addr, &sa, sizeof(sa));
	if (key) {
		sig.tcpm_keylen = (uint16_t)unveil_text(secret, key);
		memcpy(sig.tcpm_key, secret, sig.tcpm_keylen);
		explicit_bzero(secret, sizeof(secret));
	}
	if (!whole) {
		sig.tcpm_flags |= TCP_MD5SIG_FLAG_PREFIX;
		sig.tcpm_prefixlen = peer->len;
	}
	if (ifindex) {
		sig.tcpm_flags |= TCP_MD5SIG_FLAG_IFINDEX;
		sig.tcpm_ifindex = (int)ifindex;
	}
	/* The older option is known to all kernels; it has no flags. */
	rc = setsockopt(fd, IPPROTO_TCP, sig.tcpm_flags ? TCP_MD5SIG_EXT : TCP_MD5SIG,
		 &sig, sizeof(sig))
		 ? -errno
		 : 0;
	explicit_bzero(&sig, sizeof(sig));
	return rc;
}
