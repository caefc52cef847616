/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams: the octets of TCP connections, UNIX sockets and socket pairs.
 *
 * I1  A socket owns what was sent to the socket and is not read yet (chunks). A chunk
 *     is readable from its arrival on; arrivals of one socket are in order.
 * I2  The octets under way and unread never exceed the window of the receiver.
 * I3  Octets to or from an address that is cut arrive when the cut ends. Nobody is
 *     told.
 * I4  A segment whose TTL is below the receiver's minimum (IP_MINTTL) at its arrival
 *     never arrives. Later segments wait for the segment. */
#include "test/sim/link.h"
#include "test/sim/script.h"
#include "test/sim/sim_disk.h"
#include "test/sim/sim_sock.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_net *
sock_net(void)
{
	struct sim_net *n = sim_root(&sim->net, sizeof(*n));

	if (!n->port)
		n->port = 40000;
	return n;
}

/* ---- addresses ---- */

void
sock_address_text(char out[64], const struct sockaddr_storage *sa)
{
	const struct sockaddr_in *in = (const void *)sa;
	const struct sockaddr_in6 *in6 = (const void *)sa;

	out[0] = 0;
	if (sa->ss_family == AF_INET)
		inet_ntop(AF_INET, &in->sin_addr, out, 64);
	else if (sa->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &in6->sin6_addr, out, 64);
	if (sa->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	    in6->sin6_scope_id)
		snprintf(out + strlen(out), 64 - strlen(out), "%%%u", in6->sin6_scope_id);
}

void
sock_set_scope(struct sockaddr_storage *sa, int index)
{
	struct sockaddr_in6 *in6 = (void *)sa;

	if (sa->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
		in6->sin6_scope_id = (uint32_t)index;
}

struct sockaddr_storage
sock_arrival(const struct sockaddr_storage *sa, int *index)
{
	struct sockaddr_storage out = *sa;
	char text[64];

	sock_address_text(text, sa);
	*index = 0;
	if (!strchr(text, '%'))
		return out;
	*index = link_arrival(text, atoi(strchr(text, '%') + 1));
	sock_set_scope(&out, *index);
	return out;
}

uint16_t
sock_port(const struct sockaddr_storage *sa)
{
	return ntohs(sa->ss_family == AF_INET6
			 ? ((const struct sockaddr_in6 *)sa)->sin6_port
			 : ((const struct sockaddr_in *)sa)->sin_port);
}

void
sock_set_port(struct sockaddr_storage *sa, uint16_t port)
{
	if (sa->ss_family == AF_INET6)
		((struct sockaddr_in6 *)sa)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)sa)->sin_port = htons(port);
}

bool
sock_is_any(const char *address)
{
	return !*address || !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
}

/* cut_name - @address as sockets write the address: fe80::1%2 for fe80::1%eth0. */
static void
cut_name(char out[64], const char *address)
{
	const char *zone = strchr(address, '%');
	const struct link *link = zone ? link_find(0, zone + 1) : NULL;

	strlcpy(out, address, 64);
	if (link)
		snprintf(strchr(out, '%'), 16, "%%%d", link->index);
}

void
sim_net_cut(const char *text, bool cut)
{
	struct sim_net *n = sock_net();
	char address[64];

	cut_name(address, text);
	if (cut != sim_net_is_cut(text))
		script_step("%s %s", cut ? "cut" : "mend", text);
	sim_event("cable of %s %s", address, cut ? "cut" : "mended");
	for (unsigned i = 0; i < n->cut_cnt; i++)
		if (!strcmp(n->cut[i], address)) {
			memcpy(n->cut[i], n->cut[--n->cut_cnt], 64);
			break;
		}
	if (cut && n->cut_cnt < CUT_MAX)
		strlcpy(n->cut[n->cut_cnt++], address, 64);
	sim_all_files_changed();
	sim_moment(sim_now() + 1);
}

bool
sim_net_is_cut(const char *text)
{
	const struct sim_net *n = sock_net();
	char address[64];

	if (!n->cut_cnt)
		return false;
	cut_name(address, text);
	for (unsigned i = 0; i < n->cut_cnt; i++)
		if (!strcmp(address, n->cut[i]))
			return true;
	return false;
}

bool
sock_is_cut(const struct sock *s)
{
	return s->family != AF_UNIX && sock_net()->cut_cnt &&
	       (sim_net_is_cut(s->local_text) || sim_net_is_cut(s->remote_text));
}

/* ---- sockets ---- */

bool
sock_drops(const struct sock *s)
{
	return s->family != AF_UNIX && s->peer && s->peer->ttl < s->min_ttl;
}

void
sock_set_min_ttl(struct sock *s, int min_ttl)
{
	s->min_ttl = min_ttl;
	if (!sock_drops(s))
		return;
	for (struct chunk *c = s->first; c; c = c->next)
		if (c->at_ns > sim_now())
			c->at_ns = s->last_ns = SIM_NEVER;
	if (s->fin_ns > sim_now())
		s->fin_ns = SIM_NEVER;
	if (s->reset_ns > sim_now())
		s->reset_ns = SIM_NEVER;
	sim_file_changed(&s->f);
}

struct sock *
sock_new(int family)
{
	struct sock *s = calloc(1, sizeof(*s));

	s->f.ops = &sock_file_ops;
	s->family = family;
	s->last = &s->first;
	s->fin_ns = s->reset_ns = SIM_NEVER;
	s->window = family == AF_UNIX ? WINDOW_UNIX : WINDOW_TCP;
	s->ttl = 64;
	s->next = sock_net()->first;
	sock_net()->first = s;
	return s;
}

static void
sock_free(struct sock *s)
{
	struct sock **at = &sock_net()->first;
	struct chunk *c, *next;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	for (c = s->first; c; c = next) {
		next = c->next;
		free(c);
	}
	free(s->key);
	free(s);
}

struct sock *
sock_get(int fd)
{
	struct sim_file *f = sim_fd_get(fd);

	if (f && f->ops == &sock_file_ops)
		return (struct sock *)f;
	errno = f ? ENOTSOCK : EBADF;
	return NULL;
}

/* delay_ns - of one message. */
uint64_t
sock_delay_ns(const struct sock *s)
{
	if (s->family == AF_UNIX)
		return 0;
	return sim_random(16) ? 50 * SIM_US + sim_random(500 * SIM_US)
			      : sim_random(50 * SIM_MS);
}

size_t
sock_readable_len(const struct sock *s)
{
	size_t len = 0;

	if (sock_is_cut(s))
		return 0;
	for (const struct chunk *c = s->first; c && c->at_ns <= sim_now(); c = c->next)
		len += c->len - c->off;
	return len;
}

static bool
sim_sock_has_ended(const struct sock *s)
{
	return !s->first && s->fin_ns <= sim_now() && !sock_is_cut(s);
}

bool
sock_was_reset(const struct sock *s)
{
	return s->reset_ns <= sim_now() && !sock_is_cut(s);
}

static short
sock_events(struct sim_file *f)
{
	struct sock *s = (struct sock *)f;
	short e = 0;

	switch (s->state) {
	case LISTENING:
		return s->is_shut ? POLLIN | POLLHUP : s->backlog_cnt ? POLLIN : 0;
	case CONNECTING:
		return 0;
	case OPEN:
		break;
	case ENDED:
		return POLLOUT | POLLIN | POLLERR | POLLHUP;
	default:
		return POLLOUT | POLLHUP;
	}
	if (sock_was_reset(s))
		return POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP;
	if (s->first && s->first->at_ns <= sim_now() && !sock_is_cut(s))
		e |= POLLIN;
	if (sim_sock_has_ended(s))
		e |= POLLIN | POLLRDHUP;
	/* the kernel tells of the end before the last octets are read */
	if (s->family == AF_UNIX && s->fin_ns <= sim_now())
		e |= POLLIN | POLLRDHUP | (!s->peer || s->peer->orphan ? POLLHUP : 0);
	if (!s->peer || s->peer->window > s->peer->queued + s->peer->window / 3)
		e |= POLLOUT;
	return e;
}

/* later_ns - @at_ns if to come; SIM_NEVER: the moment is over. */
static uint64_t
later_ns(uint64_t at_ns)
{
	return at_ns > sim_now() ? at_ns : SIM_NEVER;
}

static uint64_t
sock_quiet_ns(struct sim_file *f)
{
	const struct sock *s = (struct sock *)f;
	uint64_t fin_ns = later_ns(s->fin_ns), reset_ns = later_ns(s->reset_ns),
		 octets_ns = s->first ? later_ns(s->first->at_ns) : SIM_NEVER,
		 first_ns = fin_ns < reset_ns ? fin_ns : reset_ns;

	return octets_ns < first_ns ? octets_ns : first_ns;
}

/* both_changed - the events of @s and of the peer. */
static void
both_changed(struct sock *s)
{
	sim_file_changed(&s->f);
	if (s->peer)
		sim_file_changed(&s->peer->f);
}

static ssize_t
sock_read(struct sim_file *f, void *buf, size_t len, int flags)
{
	struct sock *s = (struct sock *)f;
	size_t n = sock_readable_len(s), done = 0;

	/* What arrived before a reset can be read. */
	if (s->state == ENDED || (sock_was_reset(s) && !n)) {
		errno = s->error ? s->error : ECONNRESET;
		return -1;
	}
	if (!n && sim_sock_has_ended(s))
		return 0;
	if (!n || s->state != OPEN) {
		errno = s->state == OPEN ? EAGAIN : ENOTCONN;
		return -1;
	}
	if (n > len)
		n = len;
	if (n > 1 && s->family != AF_UNIX && !sim_random(8) && !(flags & MSG_PEEK))
		n = 1 + (size_t)sim_random(n < 40 ? n : 40);
	for (struct chunk *c = s->first; done < n; c = s->first) {
		size_t part = c->len - c->off < n - done ? c->len - c->off : n - done;

		memcpy((char *)buf + done, c->data + c->off, part);
		done += part;
		if (flags & MSG_PEEK)
			return (ssize_t)done;
		c->off += part;
		s->queued -= part;
		if (c->off < c->len)
			break;
		s->first = c->next;
		if (!s->first)
			s->last = &s->first;
		free(c);
	}
	both_changed(s);
	sim_event("fd %d reads %zu", f->nr, done);
	return (ssize_t)done;
}

static void
sock_deliver(struct sock *to, const void *buf, size_t len)
{
	struct chunk *c = malloc(sizeof(*c) + len);
	uint64_t at_ns = sim_now() + sock_delay_ns(to);

	if (sock_drops(to))
		at_ns = SIM_NEVER; /* I4 */
	if (at_ns < to->last_ns)
		at_ns = to->last_ns;
	to->last_ns = at_ns;
	*c = (struct chunk){ .at_ns = at_ns, .len = len };
	memcpy(c->data, buf, len);
	*to->last = c;
	to->last = &c->next;
	to->queued += len;
	both_changed(to);
	if (at_ns != SIM_NEVER)
		sim_moment(at_ns);
}

/* checksum - of the octets, for the trace; without the drawn part of the name of a
 * folder of a session test, which is another in each run (test/net/harness.py). */
static uint32_t
sock_checksum(const unsigned char *p, size_t len)
{
	static const char folder[] = "/tern-net.";
	size_t known = sizeof(folder) - 1;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++) {
		h = (h ^ p[i]) * 16777619u;
		if (p[i] == '.' && i + 1 >= known &&
		    !memcmp(p + i + 1 - known, folder, known))
			i += 8;
	}
	return h;
}

static ssize_t
sock_write(struct sim_file *f, const void *buf, size_t len, int flags)
{
	struct sock *s = (struct sock *)f;
	size_t room;

	(void)flags;
	if (s->state != OPEN || sock_was_reset(s) || !s->peer) {
		errno = s->state == OPEN || s->state == ENDED
			    ? (sock_was_reset(s) ? ECONNRESET : EPIPE)
			    : ENOTCONN;
		return -1;
	}
	if (s->peer->orphan) { /* the peer closed: a reset comes back */
		if (s->reset_ns == SIM_NEVER) {
			s->reset_ns = sim_now() + sock_delay_ns(s);
			both_changed(s);
			sim_moment(s->reset_ns);
		}
		return (ssize_t)len;
	}
	room = s->peer->window > s->peer->queued ? s->peer->window - s->peer->queued : 0;
	if (!room) {
		errno = EAGAIN;
		return -1;
	}
	if (len > room)
		len = room;
	/* The kernel takes a small message whole if there is room. */
	if (len > 512 && s->family != AF_UNIX && !sim_random(16))
		len = 1 + (size_t)sim_random(len);
	sock_deliver(s->peer, buf, len);
	if (sim_traces())
		sim_event("fd %d writes %zu %08x", f->nr, len, sock_checksum(buf, len));
	return (ssize_t)len;
}

/* sock_part - take the two ends of a connection apart. */
static void
sock_part(struct sock *s)
{
	struct sock *p = s->peer;

	both_changed(s);
	s->peer = NULL;
	if (!p)
		return;
	p->peer = NULL;
	if (p->orphan)
		sock_free(p);
}

static void
sock_close(struct sim_file *f)
{
	struct sock *s = (struct sock *)f, *p = s->peer;

	if (s->state == LISTENING) {
		sim_disk_listener_gone(s);
		for (unsigned i = 0; i < s->backlog_cnt; i++)
			sock_close(&s->backlog[i]->f);
	}
	if (!p || s->state != OPEN) {
		sock_part(s);
		sock_free(s);
		return;
	}
	both_changed(s);
	if (sock_drops(p)) {
		/* The peer hears nothing. */
	} else if ((s->queued || s->aborts) &&
		   p->reset_ns == SIM_NEVER) { /* unread octets, SO_LINGER */
		p->reset_ns = sim_now() + sock_delay_ns(p);
		if (p->reset_ns < p->last_ns)
			p->reset_ns = p->last_ns;
		sim_moment(p->reset_ns);
	} else if (p->fin_ns == SIM_NEVER) {
		p->fin_ns = sim_now() + sock_delay_ns(p);
		if (p->fin_ns < p->last_ns)
			p->fin_ns = p->last_ns;
		sim_moment(p->fin_ns);
	}
	if (p->orphan) {
		sock_part(s);
		sock_free(s);
	} else {
		s->orphan = true;
	}
}

const struct sim_file_ops sock_file_ops = { .name = "socket",
	.events = sock_events,
	.quiet_ns = sock_quiet_ns,
	.read = sock_read,
	.write = sock_write,
	.close = sock_close };

void
sim_net_reset_daemon(unsigned daemon)
{
	for (struct sock *s = sock_net()->first; s; s = s->next)
		if (s->f.daemon == daemon && s->state == OPEN && s->peer && !s->orphan) {
			s->peer->reset_ns = sim_now() + sock_delay_ns(s->peer);
			sim_file_changed(&s->peer->f);
			sim_moment(s->peer->reset_ns);
		}
}
