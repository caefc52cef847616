/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets that come: whose they are, and whether they are to be believed (RFC 5880,
 * 6.8.6, 6.7; RFC 5881, 3 and 5).
 *
 * I1  What isn't good changes nothing but counters and a log line a minute of its kind.
 * I2  A packet with a discriminator of ours must also come from that session's neighbour,
 *     over its interface: guessing isn't enough.
 * I3  A packet came when the kernel says, but not before all that had come by then was
 *     read: so the calendar clock, which the kernel's stamps are of, may be set.
 *
 * Loop: the instance's. */
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_place.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/clock.h"
#include "sysdep/sock_udp.h"

#define BATCHES     16 /* of one socket, before others have their turn */
#define BATCHES_ALL 256 /* likewise, when all is to be read */

/* what a socket is about */
struct door {
	struct bfd_proto *b;
	bool multihop;
};

/* find - the session of @p, which has come as @d. */
static struct bfd_session *
find(const struct door *o, const struct bfd_packet *p, const struct sock_dgram *d)
{
	struct bfd_place place = { .peer = d->from.addr,
		.local = d->to,
		.ifindex = o->multihop ? 0 : d->ifindex,
		.multihop = o->multihop };
	struct bfd_session *s;

	if (!p->yours)
		return bfd_find_place(o->b, &place);
	s = bfd_find(o->b, p->yours);
	if (!s || s->place.multihop != o->multihop || s->place.ifindex != place.ifindex ||
	    !ip_equal(s->place.peer, d->from.addr)) /* I2 */
		return NULL;
	return s;
}

/* seq_good - 6.7.3, 6.7.4. */
static bool
seq_good(const struct bfd_session *s, const struct bfd_packet *p)
{
	uint32_t ahead = p->seq - s->rx_seq;

	if (p->auth_type == BFD_AUTH_SIMPLE || !s->rx_seq_known)
		return true;
	return ahead <= 3u * p->mult &&
	       ahead >= (bfd_auth_is_meticulous(p->auth_type) ? 1u : 0u);
}

/* believed - Returns: NULL, or what is wrong. */
static const char *
believed(struct bfd_session *s, const struct bfd_packet *p, const uint8_t *octets)
{
	const struct bfd_opt_key *k;

	if (p->auth_type != s->opts.auth)
		return p->auth_type ? "another authentication" : "no authentication";
	if (!s->opts.auth)
		return NULL;
	k = bfd_opts_key_by_id(
	    &s->opts, p->key_id, clock_real_ns(bfd_now(s->b)) / NS_PER_S);
	if (!k)
		return "unknown password id";
	if (!bfd_auth_good(p, octets, &k->key))
		return "wrong password";
	if (!seq_good(s, p))
		return "old sequence number";
	s->rx_seq = p->seq;
	s->rx_seq_known = true;
	return NULL;
}

static void
take(const struct door *o, const struct sock_dgram *d, uint64_t at_ns)
{
	enum bfd_fault f;
	struct bfd_session *s;
	struct bfd_packet p;
	char from[IP_STR_MAX];
	const char *bad;

	ip_str(from, d->from.addr);
	if (!o->multihop && d->ttl != 255) {
		bfd_odd(o->b, BFD_ODD_TTL, "Packet from %s with TTL %u, not 255", from,
		    d->ttl);
		return;
	}
	f = bfd_decode(d->octet, min_u64(d->len, SOCK_UDP_LEN), &p);
	if (f != BFD_FAULT_NONE) {
		bfd_odd(o->b, BFD_ODD_FAULT, "Bad packet from %s: %s", from,
		    bfd_fault_text(f));
		return;
	}
	s = find(o, &p, d);
	if (!s) {
		bfd_odd(o->b, BFD_ODD_STRANGER, "Packet from %s is of no session", from);
		return;
	}
	bad = believed(s, &p, d->octet);
	if (bad) {
		bfd_odd(o->b, BFD_ODD_AUTH, "Packet from %s is refused: %s", from, bad);
		return;
	}
	bfd_session_packet(s, &p, at_ns);
}

/* drain - up to @max batches. *@seen_ns: I3. */
static void
drain(const struct door *o, int fd, uint64_t *seen_ns, unsigned max)
{
	uint8_t room[SOCK_UDP_BATCH][SOCK_UDP_LEN];
	struct sock_dgram d[SOCK_UDP_BATCH];

	for (unsigned k = 0; k < max; k++) {
		uint64_t now = clock_now_ns();
		unsigned cnt = sock_udp_recv(fd, d, room);

		for (unsigned i = 0; i < cnt; i++) {
			uint64_t age = min_u64(d[i].age_ns, now - *seen_ns);

			take(o, &d[i], now - age);
		}
		if (cnt < SOCK_UDP_BATCH) {
			*seen_ns = now;
			return;
		}
	}
}

static void
drain_port(struct bfd_port *p, unsigned max)
{
	struct door o = { p->b, p->multihop };

	if (p->in.fd >= 0)
		drain(&o, p->in.fd, &p->seen_ns, max);
}

static void
drain_sock(struct bfd_sock *k, unsigned max)
{
	struct door o = { k->b, k->multihop };

	if (k->in.fd >= 0)
		drain(&o, k->in.fd, &k->in_seen_ns, max);
}

void
bfd_port_ready(struct watch *w, uint32_t events)
{
	struct bfd_port *p = container_of(w, struct bfd_port, in);

	(void)events;
	drain_port(p, BATCHES);
	bfd_out_flush(p->b);
}

void
bfd_sock_ready(struct watch *w, uint32_t events)
{
	struct bfd_sock *k = container_of(w, struct bfd_sock, in);

	(void)events;
	drain_sock(k, BATCHES);
	bfd_out_flush(k->b);
}

void
bfd_rx_all(struct bfd_proto *b)
{
	struct list *n;

	for (unsigned i = 0; i < BFD_PORTS; i++)
		drain_port(&b->port[i], BATCHES_ALL);
	list_for_each (n, &b->socks)
		drain_sock(container_of(n, struct bfd_sock, link), BATCHES_ALL);
}
