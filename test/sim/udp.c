/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UDP of the simulated network.
 *
 * I1  A datagram goes to the socket with its port and address; a socket at any address
 *     of the daemon gets what no socket at that very address takes.
 * I2  A datagram is lost if its cable is cut, its link has no carrier or the queue of the
 *     receiver is full. The seed loses one datagram of 1,024, too. A late datagram may
 *     arrive before an early datagram.
 * I3  The kernel's stamp is the calendar time of the arrival, also if the calendar clock
 *     is set before the datagram is read.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/link.h"
#include "test/sim/sim_sock.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UDP_QUEUE_MAX (256 * 1024)
#define UDP_LEN_MAX   1500

struct dgram {
	struct dgram *next;
	uint64_t at_ns, real_ns; /* the same by both clocks */
	struct sockaddr_storage from, to;
	int ifindex, ttl;
	size_t len;
	char data[];
};

/* owner: its descriptor. */
struct udp {
	struct sim_file f;
	struct udp *next;
	int family;
	struct sockaddr_storage local, remote;
	char local_text[64];
	int ttl;
	int device; /* index of the one interface (SO_BINDTODEVICE); 0: all */
	bool stamps, info, hops; /* what recvmmsg tells of a datagram */
	struct dgram *first; /* by arrival */
	size_t queued;
};

static struct udp **
udp_all(void)
{
	return (struct udp **)&sim->udp;
}

static struct udp *udp_get(int fd);

/* ---- delivery ---- */

/* udp_target - I1. */
static struct udp *
udp_target(const struct udp *s, const struct sockaddr_storage *to, const char *from,
    const char *want)
{
	const struct link *link;
	struct udp *any = NULL;

	for (struct udp *u = *udp_all(); u; u = u->next) {
		if (u == s || u->family != s->family ||
		    sock_port(&u->local) != sock_port(to))
			continue;
		link = u->device ? link_toward(u->f.host, from) : NULL;
		if (u->device && link && link->index != u->device)
			continue;
		if (!strcmp(u->local_text, want))
			return u;
		if (sock_is_any(u->local_text) && link_has(u->f.host, want))
			any = u;
	}
	return any;
}

/* udp_is_lost - I2. @u: the receiver. */
static bool
udp_is_lost(const struct udp *u, const char *from, const char *to)
{
	const struct link *link = link_toward(u->f.host, from);

	return sim_net_is_cut(from) || sim_net_is_cut(to) || (link && !link_runs(link)) ||
	       link_path_is_down(from, to) || !sim_random(1024);
}

static void
udp_queue(struct udp *u, struct dgram *d)
{
	struct dgram **at = &u->first;

	while (*at && (*at)->at_ns <= d->at_ns)
		at = &(*at)->next;
	d->next = *at;
	*at = d;
	u->queued += d->len;
	sim_moment(d->at_ns);
}

static ssize_t
udp_deliver(struct udp *s, const struct sockaddr_storage *to, const void *buf, size_t len)
{
	int index;
	struct sockaddr_storage from = s->local, at = sock_arrival(to, &index);
	char from_text[64], to_text[64];
	const struct link *link;
	struct dgram *d;
	struct udp *u;

	sock_address_text(to_text, to);
	if (sock_is_any(s->local_text)) {
		from.ss_family = (sa_family_t)s->family;
		if (!strncmp(to_text, "127.", 4) || !strcmp(to_text, "::1"))
			from = *to;
		else
			link_source(s->f.host, s->family, to_text, &from);
		if (!sock_port(&s->local))
			sock_set_port(&s->local, sock_net()->port++);
		sock_set_port(&from, sock_port(&s->local));
	}
	sock_set_scope(&from, index);
	sock_address_text(from_text, &from);
	sock_address_text(to_text, &at);
	u = udp_target(s, &at, from_text, to_text);
	sim_event("datagram of %zu from %s to %s", len, from_text, to_text);
	if (len > UDP_LEN_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	if (!u || u->queued + len > UDP_QUEUE_MAX || udp_is_lost(u, from_text, to_text))
		return (ssize_t)len;
	d = calloc(1, sizeof(*d) + len);
	d->at_ns = sim_now() + (sim_random(16) ? 50 * SIM_US + sim_random(500 * SIM_US)
					       : sim_random(20 * SIM_MS));
	d->real_ns = sim_real_ns(d->at_ns);
	d->from = from;
	d->to = at;
	link = link_toward(u->f.host, from_text);
	d->ifindex = link ? link->index : 0;
	d->ttl = s->ttl;
	d->len = len;
	memcpy(d->data, buf, len);
	udp_queue(u, d);
	return (ssize_t)len;
}

/* udp_take - the first datagram that has arrived, or NULL with EAGAIN. */
static struct dgram *
udp_take(struct udp *u)
{
	struct dgram *d = u->first;

	if (!d || d->at_ns > sim_now()) {
		errno = EAGAIN;
		return NULL;
	}
	u->first = d->next;
	u->queued -= d->len;
	return d;
}

/* ---- the file ---- */

static short
udp_events(struct sim_file *f)
{
	const struct udp *u = (const struct udp *)f;

	return POLLOUT | (u->first && u->first->at_ns <= sim_now() ? POLLIN : 0);
}

static ssize_t
udp_read(struct sim_file *f, void *buf, size_t len, int flags)
{
	struct dgram *d = udp_take((struct udp *)f);

	(void)flags;
	if (!d)
		return -1;
	if (d->len < len)
		len = d->len;
	memcpy(buf, d->data, len);
	free(d);
	return (ssize_t)len;
}

static ssize_t
udp_write(struct sim_file *f, const void *buf, size_t len, int flags)
{
	struct udp *u = (struct udp *)f;

	(void)flags;
	if (!u->remote.ss_family) {
		errno = EDESTADDRREQ;
		return -1;
	}
	return udp_deliver(u, &u->remote, buf, len);
}

static void
udp_close(struct sim_file *f)
{
	struct udp **at = udp_all(), *u = (struct udp *)f;
	struct dgram *d;

	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	while ((d = u->first)) {
		u->first = d->next;
		free(d);
	}
	free(u);
}

static int
udp_bind(struct sim_file *f, const struct sockaddr *sa, socklen_t len)
{
	struct udp *u = (struct udp *)f;
	struct sockaddr_storage want = { 0 };
	char text[64];

	memcpy(&want, sa, len < sizeof(want) ? len : sizeof(want));
	sock_address_text(text, &want);
	if (f->daemon && !sock_is_any(text) && !link_has(f->host, text)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	for (const struct udp *o = *udp_all(); o; o = o->next)
		if (o != u && o->family == u->family && o->f.host == f->host &&
		    sock_port(&want) && sock_port(&o->local) == sock_port(&want) &&
		    !strcmp(o->local_text, text)) {
			errno = EADDRINUSE;
			return -1;
		}
	u->local = want;
	if (!sock_port(&want))
		sock_set_port(&u->local, sock_net()->port++);
	memcpy(u->local_text, text, sizeof(text));
	return 0;
}

static int
udp_connect(struct sim_file *f, const struct sockaddr *sa, socklen_t len)
{
	struct udp *u = (struct udp *)f;

	memset(&u->remote, 0, sizeof(u->remote));
	memcpy(&u->remote, sa, len < sizeof(u->remote) ? len : sizeof(u->remote));
	return 0;
}

static int
udp_option(struct sim_file *f, int level, int option, const void *value, socklen_t len)
{
	struct udp *u = (struct udp *)f;
	int v = len >= sizeof(v) ? *(const int *)value : 0;
	const struct link *link;

	if (level == SOL_SOCKET && option == SO_BINDTODEVICE) {
		link = link_find(f->host, value);
		u->device = link ? link->index : 0;
		return link ? 0 : -1;
	}

	if ((level == IPPROTO_IP && option == IP_TTL) ||
	    (level == IPPROTO_IPV6 && option == IPV6_UNICAST_HOPS))
		u->ttl = v;
	if (level == SOL_SOCKET && option == SO_TIMESTAMPNS)
		u->stamps = v;
	if ((level == IPPROTO_IP && option == IP_PKTINFO) ||
	    (level == IPPROTO_IPV6 && option == IPV6_RECVPKTINFO))
		u->info = v;
	if ((level == IPPROTO_IP && option == IP_RECVTTL) ||
	    (level == IPPROTO_IPV6 && option == IPV6_RECVHOPLIMIT))
		u->hops = v;
	return 0;
}

static const struct sockaddr_storage *
udp_local(struct sim_file *f)
{
	return &((const struct udp *)f)->local;
}

static const struct sim_file_ops udp_ops = { .name = "udp",
	.events = udp_events,
	.read = udp_read,
	.write = udp_write,
	.close = udp_close,
	.bind = udp_bind,
	.connect = udp_connect,
	.option = udp_option,
	.local = udp_local };

static struct udp *
udp_get(int fd)
{
	struct sim_file *f = sim_fd_get(fd);

	if (f && f->ops == &udp_ops)
		return (struct udp *)f;
	errno = f ? ENOTSOCK : EBADF;
	return NULL;
}

int
sim_udp_new(int family, int type)
{
	struct udp *u = calloc(1, sizeof(*u));

	u->f.ops = &udp_ops;
	u->family = family;
	u->ttl = 64;
	u->next = *udp_all();
	*udp_all() = u;
	return sim_fd_new(&u->f, type & SOCK_NONBLOCK);
}

/* ---- several datagrams a call ---- */

static struct cmsghdr *
put_cmsg(struct msghdr *m, struct cmsghdr *c, int level, int type, const void *data,
    size_t len)
{
	size_t used = (size_t)((char *)c - (char *)m->msg_control);

	if (used + CMSG_SPACE(len) > m->msg_controllen)
		return c; /* the kernel would set MSG_CTRUNC */
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), data, len);
	return (struct cmsghdr *)((char *)c + CMSG_SPACE(len));
}

/* put_facts - what the socket's options ask of a datagram (I3). */
static void
put_facts(const struct udp *u, const struct dgram *d, struct msghdr *m)
{
	struct cmsghdr *c = m->msg_control;
	struct timespec ts = { (time_t)(d->real_ns / SIM_S), (long)(d->real_ns % SIM_S) };
	const struct sockaddr_in *to4 = (const void *)&d->to;
	const struct sockaddr_in6 *to6 = (const void *)&d->to;
	struct in_pktinfo i4 = { .ipi_ifindex = d->ifindex, .ipi_addr = to4->sin_addr };
	struct in6_pktinfo i6 = { .ipi6_ifindex = (unsigned)d->ifindex };
	bool v4 = u->family == AF_INET;

	memset(m->msg_control, 0, m->msg_controllen);
	if (u->stamps)
		c = put_cmsg(m, c, SOL_SOCKET, SO_TIMESTAMPNS, &ts, sizeof(ts));
	if (u->info && v4)
		c = put_cmsg(m, c, IPPROTO_IP, IP_PKTINFO, &i4, sizeof(i4));
	if (u->info && !v4) {
		i6.ipi6_addr = to6->sin6_addr;
		c = put_cmsg(m, c, IPPROTO_IPV6, IPV6_PKTINFO, &i6, sizeof(i6));
	}
	if (u->hops)
		c = put_cmsg(m, c, v4 ? IPPROTO_IP : IPPROTO_IPV6,
		    v4 ? IP_TTL : IPV6_HOPLIMIT, &d->ttl, sizeof(d->ttl));
	m->msg_controllen = (size_t)((char *)c - (char *)m->msg_control);
}

int
__wrap_recvmmsg(
    int fd, struct mmsghdr *m, unsigned cnt, int flags, struct timespec *timeout)
{
	struct udp *u = udp_get(fd);
	struct dgram *d;
	unsigned n = 0;

	(void)flags;
	(void)timeout;
	sim_step();
	if (!u)
		return -1;
	for (; n < cnt && (d = udp_take(u)); n++) {
		struct msghdr *h = &m[n].msg_hdr;
		size_t len = d->len < h->msg_iov->iov_len ? d->len : h->msg_iov->iov_len;

		memcpy(h->msg_iov->iov_base, d->data, len);
		m[n].msg_len = (unsigned)len;
		if (h->msg_name)
			memcpy(h->msg_name, &d->from,
			    h->msg_namelen < sizeof(d->from) ? h->msg_namelen
							     : sizeof(d->from));
		if (h->msg_control)
			put_facts(u, d, h);
		free(d);
	}
	if (n)
		sim_event("fd %d takes %u datagrams", u->f.nr, n);
	return n ? (int)n : -1;
}

int
__wrap_sendmmsg(int fd, struct mmsghdr *m, unsigned cnt, int flags)
{
	struct udp *u = udp_get(fd);
	unsigned n = 0;

	(void)flags;
	sim_step();
	if (!u)
		return -1;
	for (; n < cnt; n++) {
		const struct msghdr *h = &m[n].msg_hdr;
		struct sockaddr_storage to = { 0 };

		memcpy(&to, h->msg_name,
		    h->msg_namelen < sizeof(to) ? h->msg_namelen : sizeof(to));
		if (udp_deliver(u, &to, h->msg_iov->iov_base, h->msg_iov->iov_len) < 0)
			break;
		m[n].msg_len = (unsigned)h->msg_iov->iov_len;
	}
	return n ? (int)n : -1;
}
