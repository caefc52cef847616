/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections and options of the simulated network's sockets.
 *
 * sim_net_pump makes the connections; the scheduler calls the function before each
 * choice. A connection needs a listener with the address and port, the same MD5 key on
 * both sides, and enough hops (IP_MINTTL). Else nothing happens until the time is out.
 * An accepted socket has the TTLs of its listener.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/link.h"
#include "test/sim/sim_disk.h"
#include "test/sim/sim_sock.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/un.h>

#define CONNECT_NS (130 * SIM_S)

static void
make_open(struct sock *a, struct sock *b)
{
	a->peer = b;
	b->peer = a;
	a->state = b->state = OPEN;
	sim_file_changed(&a->f);
	sim_file_changed(&b->f);
}

int
__wrap_socketpair(int family, int type, int protocol, int out[2])
{
	struct sock *a = sock_new(AF_UNIX), *b = sock_new(AF_UNIX);

	(void)family;
	(void)protocol;
	make_open(a, b);
	out[0] = sim_fd_new(&a->f, type & SOCK_NONBLOCK);
	out[1] = sim_fd_new(&b->f, type & SOCK_NONBLOCK);
	return 0;
}

int
__wrap_socket(int family, int type, int protocol)
{
	struct sock *s;

	if (family == AF_NETLINK)
		return sim_netlink_new(type, protocol);
	if ((type & 15) == SOCK_DGRAM && (family == AF_INET || family == AF_INET6))
		return sim_udp_new(family, type);
	if ((type & 15) != SOCK_STREAM ||
	    (family != AF_INET && family != AF_INET6 && family != AF_UNIX)) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	s = sock_new(family);
	return sim_fd_new(&s->f, type & SOCK_NONBLOCK);
}

/* port_taken - another socket listens there; SO_REUSEADDR is taken as set. */
static bool
port_taken(const struct sock *s)
{
	uint16_t port = sock_port(&s->local);

	for (const struct sock *l = sock_net()->first; l && port && s->family != AF_UNIX;
	     l = l->next)
		if (l != s && l->state == LISTENING && l->family == s->family &&
		    !l->is_shut && l->f.host == s->f.host &&
		    sock_port(&l->local) == port &&
		    (sock_is_any(l->local_text) || sock_is_any(s->local_text) ||
			!strcmp(l->local_text, s->local_text)))
			return true;
	return false;
}

/* has_address - may a socket of @f be bound to the address? Members may use any. Returns:
 * false with errno. */
static bool
connect_has_address(
    const struct sim_file *f, const struct sockaddr_storage *sa, bool freely)
{
	char text[64];
	const char *zone;

	sock_address_text(text, sa);
	zone = strchr(text, '%');
	if (zone && !link_by_index(atoi(zone + 1))) {
		errno = ENODEV;
		return false;
	}
	if (!f->daemon || freely || sock_is_any(text) || link_has(f->host, text))
		return true;
	errno = EADDRNOTAVAIL;
	return false;
}

int
__wrap_bind(int fd, const struct sockaddr *sa, socklen_t len)
{
	struct sim_file *f = sim_fd_get(fd);
	struct sock *s;

	if (f && f->ops->bind)
		return f->ops->bind(f, sa, len);
	s = sock_get(fd);
	if (!s)
		return -1;
	memcpy(&s->local, sa, len < sizeof(s->local) ? len : sizeof(s->local));
	sock_address_text(s->local_text, &s->local);
	if (s->family == AF_UNIX) {
		snprintf(s->path, sizeof(s->path), "%s",
		    ((const struct sockaddr_un *)(const void *)sa)->sun_path);
		if (sim_disk_bind(s->path, s))
			return -1;
	}
	if (s->family != AF_UNIX && !connect_has_address(f, &s->local, s->binds_freely))
		return -1;
	if (s->family != AF_UNIX && !sock_port(&s->local))
		sock_set_port(&s->local, sock_net()->port++);
	if (port_taken(s)) {
		errno = EADDRINUSE;
		return -1;
	}
	s->state = BOUND;
	sim_file_changed(&s->f);
	return 0;
}

int
__wrap_listen(int fd, int backlog)
{
	struct sock *s = sock_get(fd);
	const char *path;
	char a[64];

	(void)backlog;
	if (!s)
		return -1;
	s->state = LISTENING;
	sim_file_changed(&s->f);
	sock_address_text(a, &s->local);
	/* A real folder has another name in each run of a session test. */
	path = strncmp(s->path, "/sim/", 5) && strrchr(s->path, '/')
		   ? strrchr(s->path, '/') + 1
		   : s->path;
	sim_event("fd %d listens at %s port %u", s->f.nr, s->family == AF_UNIX ? path : a,
	    sock_port(&s->local));
	return 0;
}

/* choose_source - the address and port of a client that has not chosen them. */
static void
choose_source(struct sock *s)
{
	uint16_t port = sock_port(&s->local);

	if (sock_is_any(s->local_text)) {
		if (!strncmp(s->remote_text, "127.", 4) || !strcmp(s->remote_text, "::1"))
			s->local = s->remote;
		else if (!link_source(s->f.host, s->family, s->remote_text, &s->local))
			s->local.ss_family = (sa_family_t)s->family;
		if (strchr(s->remote_text, '%'))
			sock_set_scope(&s->local, atoi(strchr(s->remote_text, '%') + 1));
		sock_address_text(s->local_text, &s->local);
	}
	sock_set_port(&s->local, port ? port : sock_net()->port++);
}

static void
decide_at(const struct sock *s)
{
	if (s->decide_ns < sock_net()->decide_ns)
		sock_net()->decide_ns = s->decide_ns;
	sim_moment(s->decide_ns);
}

int
__wrap_connect(int fd, const struct sockaddr *sa, socklen_t len)
{
	struct sim_file *f = sim_fd_get(fd);
	struct sock *s, *l, *b;

	if (f && f->ops->connect)
		return f->ops->connect(f, sa, len);
	s = sock_get(fd);
	if (!s)
		return -1;
	memcpy(&s->remote, sa, len < sizeof(s->remote) ? len : sizeof(s->remote));
	sock_address_text(s->remote_text, &s->remote);
	if (s->family != AF_UNIX) {
		choose_source(s);
		s->state = CONNECTING;
		sim_file_changed(&s->f);
		s->decide_ns = sim_now() + sock_delay_ns(s) + sock_delay_ns(s);
		s->give_up_ns = sim_now() + CONNECT_NS;
		decide_at(s);
		errno = EINPROGRESS;
		return -1;
	}
	l = sim_disk_listener(((const struct sockaddr_un *)(const void *)sa)->sun_path);
	if (!l || l == (void *)&sim->disk) {
		errno = l ? ECONNREFUSED : ENOENT;
		return -1;
	}
	if (l->backlog_cnt == BACKLOG_MAX) {
		errno = EAGAIN;
		return -1;
	}
	b = sock_new(AF_UNIX);
	make_open(s, b);
	l->backlog[l->backlog_cnt++] = b;
	sim_file_changed(&l->f);
	return 0;
}

/* octets_of - of an address as text, without its scope. Returns: how many. */
static int
connect_octets_of(const char *with_scope, unsigned char out[16])
{
	char address[64];

	strlcpy(address, with_scope, sizeof(address));
	address[strcspn(address, "%")] = 0;
	if (inet_pton(AF_INET, address, out) == 1)
		return 4;
	return inet_pton(AF_INET6, address, out) == 1 ? 16 : 0;
}

static bool
key_covers(const struct md5_key *k, const char *address)
{
	unsigned char octet[16], own[16];
	int cnt = connect_octets_of(address, octet);

	if (connect_octets_of(k->address, own) != cnt)
		return false;
	if (k->prefix_len < 0)
		return !memcmp(own, octet, (size_t)cnt);
	for (int bit = 0; bit < k->prefix_len && bit < 8 * cnt; bit++)
		if ((k->octet[bit / 8] ^ octet[bit / 8]) & 0x80 >> bit % 8)
			return false;
	return true;
}

/* key_for - of several the one with the longest prefix. */
static const struct md5_key *
key_for(const struct sock *s, const char *address)
{
	const struct md5_key *best = NULL;

	for (unsigned i = 0; i < s->key_cnt; i++) {
		const struct md5_key *k = &s->key[i];

		if (!key_covers(k, address))
			continue;
		if (k->prefix_len < 0)
			return k;
		if (!best || k->prefix_len > best->prefix_len)
			best = k;
	}
	return best;
}

static bool
connect_same_key(const struct md5_key *a, const struct md5_key *b)
{
	if (!a || !b)
		return a == b;
	return a->len == b->len && !memcmp(a->key, b->key, a->len);
}

/* find_listener - at the address @want, of a host that has the address. */
static struct sock *
find_listener(const struct sock *s, const char *want)
{
	bool is_loopback = !strncmp(want, "127.", 4) || !strcmp(want, "::1");
	char have[64];

	for (struct sock *l = sock_net()->first; l; l = l->next) {
		if (l->state != LISTENING || l->is_shut || l->family != s->family ||
		    sock_port(&l->local) != sock_port(&s->remote) ||
		    (is_loopback && l->f.host != s->f.host))
			continue;
		sock_address_text(have, &l->local);
		if (!strcmp(have, want) ||
		    (sock_is_any(have) && link_has(l->f.host, want)))
			return l;
	}
	return NULL;
}

/* decide - of a connection whose first message has arrived. */
static void
connect_decide(struct sock *s)
{
	int index;
	struct sockaddr_storage to = sock_arrival(&s->remote, &index);
	struct sock *l, *b;
	char client[64], server[64];

	sim_file_changed(&s->f);
	sock_address_text(client, &s->local);
	sock_address_text(server, &to);
	l = find_listener(s, server);
	if (sim_now() >= s->give_up_ns) {
		s->error = ETIMEDOUT;
		s->state = ENDED;
	} else if (sock_is_cut(s) || link_path_is_down(client, server) ||
		   (l &&
		       (l->backlog_cnt == BACKLOG_MAX || s->ttl < l->min_ttl ||
			   l->ttl < s->min_ttl ||
			   !connect_same_key(key_for(s, server), key_for(l, client))))) {
		s->decide_ns = sim_now() + SIM_S;
		decide_at(s);
	} else if (!l) {
		s->error = ECONNREFUSED;
		s->state = ENDED;
	} else {
		b = sock_new(s->family);
		b->local = to;
		b->remote = s->local;
		sock_set_scope(&b->remote, index);
		memcpy(b->local_text, server, sizeof(b->local_text));
		sock_address_text(b->remote_text, &b->remote);
		b->ttl = l->ttl;
		b->min_ttl = l->min_ttl;
		b->syn_ttl = l->saves_syn ? s->ttl : 0;
		make_open(s, b);
		l->backlog[l->backlog_cnt++] = b;
		sim_file_changed(&l->f);
		sim_event("fd %d: %s is connected with %s", s->f.nr, client, server);
	}
}

void
sim_net_pump(void)
{
	struct sim_net *n = sock_net();

	if (n->decide_ns > sim_now())
		return;
	n->decide_ns = SIM_NEVER;
	for (struct sock *s = n->first; s; s = s->next) {
		if (s->state == CONNECTING && s->decide_ns <= sim_now())
			connect_decide(s);
		else if (s->state == CONNECTING && s->decide_ns < n->decide_ns)
			n->decide_ns = s->decide_ns;
	}
}

int
__wrap_accept4(int fd, struct sockaddr *sa, socklen_t *len, int flags)
{
	struct sock *l, *b;

	sim_step();
	l = sock_get(fd);
	if (!l)
		return -1;
	if (l->state != LISTENING || l->is_shut) {
		errno = EINVAL;
		return -1;
	}
	if (!l->backlog_cnt) {
		errno = EAGAIN;
		return -1;
	}
	b = l->backlog[0];
	memmove(l->backlog, l->backlog + 1, --l->backlog_cnt * sizeof(l->backlog[0]));
	if (sa && len) {
		memcpy(
		    sa, &b->remote, *len < sizeof(b->remote) ? *len : sizeof(b->remote));
		*len = b->family == AF_INET6 ? sizeof(struct sockaddr_in6)
					     : sizeof(struct sockaddr_in);
	}
	return sim_fd_new(&b->f, flags & SOCK_NONBLOCK);
}

int
__wrap_getsockname(int fd, struct sockaddr *sa, socklen_t *len)
{
	struct sim_file *f = sim_fd_get(fd);
	const struct sockaddr_storage *own = f && f->ops->local ? f->ops->local(f) : NULL;
	struct sock *s = own ? NULL : sock_get(fd);

	if (!own && !s)
		return -1;
	memcpy(
	    sa, own ? own : &s->local, *len < sizeof(s->local) ? *len : sizeof(s->local));
	return 0;
}

int
__wrap_getpeername(int fd, struct sockaddr *sa, socklen_t *len)
{
	struct sock *s = sock_get(fd);

	if (!s)
		return -1;
	memcpy(sa, &s->remote, *len < sizeof(s->remote) ? *len : sizeof(s->remote));
	return 0;
}

/* ---- options ---- */

static int
set_key(struct sock *s, const struct tcp_md5sig *sig, bool has_prefix)
{
	struct md5_key k = { .len = sig->tcpm_keylen };
	unsigned i = 0;

	sock_address_text(
	    k.address, (const struct sockaddr_storage *)(const void *)&sig->tcpm_addr);
	memcpy(k.key, sig->tcpm_key, k.len);
	connect_octets_of(k.address, k.octet);
	k.prefix_len = has_prefix && sig->tcpm_flags & TCP_MD5SIG_FLAG_PREFIX
			   ? sig->tcpm_prefixlen
			   : -1;
	while (i < s->key_cnt && (strcmp(s->key[i].address, k.address) ||
				     s->key[i].prefix_len != k.prefix_len))
		i++;
	if (!k.len) {
		if (i == s->key_cnt) {
			errno = ENOENT;
			return -1;
		}
		s->key[i] = s->key[--s->key_cnt];
		return 0;
	}
	if (i == s->key_cnt) {
		s->key = reallocarray(s->key, i + 1, sizeof(*s->key));
		s->key_cnt++;
	}
	s->key[i] = k;
	return 0;
}

int
__wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	struct sim_file *f = sim_fd_get(fd);
	struct sock *s;

	if (f && level == SOL_SOCKET && option == SO_RCVTIMEO &&
	    len >= sizeof(struct timeval)) {
		const struct timeval *tv = value;

		f->read_limit_ns = (uint64_t)tv->tv_sec * SIM_S +
				   (uint64_t)tv->tv_usec * SIM_US;
	}
	if (f && f->ops->option)
		return f->ops->option(f, level, option, value, len);
	if (f && f->ops != &sock_file_ops)
		return 0;
	s = sock_get(fd);
	if (!s)
		return -1;
	if (level == IPPROTO_TCP && (option == TCP_MD5SIG || option == TCP_MD5SIG_EXT))
		return set_key(s, value, option == TCP_MD5SIG_EXT);
	if (level == IPPROTO_TCP && option >= 38) { /* TCP_AO_* */
		errno = ENOPROTOOPT;
		return -1;
	}
	if (level == SOL_SOCKET && option == SO_LINGER && len >= sizeof(struct linger)) {
		const struct linger *l = value;

		s->aborts = l->l_onoff && !l->l_linger;
	}
	if (level == IPPROTO_TCP && option == TCP_SAVE_SYN)
		s->saves_syn = *(const int *)value;
	if ((level == IPPROTO_IP && option == 21 /* IP_MINTTL */) ||
	    (level == IPPROTO_IPV6 && option == 73 /* IPV6_MINHOPCOUNT */))
		sock_set_min_ttl(s, *(const int *)value);
	if ((level == IPPROTO_IP && option == IP_TTL) ||
	    (level == IPPROTO_IPV6 && option == IPV6_UNICAST_HOPS))
		s->ttl = *(const int *)value;
	if ((level == IPPROTO_IP && option == 15 /* IP_FREEBIND */) ||
	    (level == IPPROTO_IPV6 && option == 78 /* IPV6_FREEBIND */))
		s->binds_freely = *(const int *)value;
	return 0;
}

/* saved_syn - the headers of the SYN with the TTL alone; the kernel forgets the SYN. */
static int
connect_saved_syn(struct sock *s, uint8_t *out, socklen_t *len)
{
	socklen_t need = s->family == AF_INET6 ? 60 : 40;

	if (!s->syn_ttl)
		need = 0;
	if (*len < need) {
		errno = EINVAL;
		return -1;
	}
	memset(out, 0, need);
	if (need == 60) {
		out[0] = 0x60;
		out[7] = (uint8_t)s->syn_ttl;
	} else if (need) {
		out[0] = 0x45;
		out[8] = (uint8_t)s->syn_ttl;
	}
	*len = need;
	s->syn_ttl = 0;
	return 0;
}

int
__wrap_getsockopt(int fd, int level, int option, void *value, socklen_t *len)
{
	struct sock *s = sock_get(fd);

	if (!s)
		return -1;
	if (level == SOL_SOCKET && option == SO_ERROR && *len >= sizeof(int)) {
		*(int *)value = sock_was_reset(s) && !s->error ? ECONNRESET : s->error;
		*len = sizeof(int);
		return 0;
	}
	if (level == SOL_SOCKET && *len >= sizeof(int) &&
	    (option == SO_TYPE || option == SO_ACCEPTCONN || option == SO_DOMAIN)) {
		*(int *)value = option == SO_TYPE         ? SOCK_STREAM
				: option == SO_ACCEPTCONN ? s->state == LISTENING
							  : s->family;
		*len = sizeof(int);
		return 0;
	}
	if (level == IPPROTO_TCP && option == TCP_SAVED_SYN)
		return connect_saved_syn(s, value, len);
	errno = ENOPROTOOPT;
	return -1;
}

int
__wrap_ioctl(int fd, unsigned long request, ...)
{
	struct sock *s = sock_get(fd);
	va_list ap;
	int *out;

	va_start(ap, request);
	out = va_arg(ap, int *);
	va_end(ap);
	if (!s)
		return -1;
	if (request == SIOCINQ) {
		*out = (int)sock_readable_len(s);
	} else if (request == SIOCOUTQ) {
		*out = s->peer ? (int)(s->peer->queued - sock_readable_len(s->peer)) : 0;
	} else {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

int
__wrap_shutdown(int fd, int how)
{
	struct sock *s = sock_get(fd);

	if (!s)
		return -1;
	if (s->state == LISTENING && how != SHUT_WR)
		s->is_shut = true;
	sim_file_changed(&s->f);
	if (how != SHUT_RD && s->peer && s->peer->fin_ns == SIM_NEVER &&
	    !sock_drops(s->peer)) {
		s->peer->fin_ns = sim_now() + sock_delay_ns(s->peer);
		if (s->peer->fin_ns < s->peer->last_ns)
			s->peer->fin_ns = s->peer->last_ns;
		sim_file_changed(&s->peer->f);
		sim_moment(s->peer->fin_ns);
	}
	return 0;
}
