/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Received packets: the session of a packet, and the checks (RFC 5880, 6.8.6, 6.7; RFC
 * 5881, 3 and 5).
 *
 * I1  An invalid packet changes only counters, and causes one log line a minute of its
 *     kind.
 * I2  A packet with a local discriminator must also come from the session's neighbour,
 *     over the session's interface: a guessed discriminator does not suffice.
 * I3  The receive time of a packet is the kernel's time, but not earlier than the time up
 *     to which all packets were read. A step of the calendar clock, which the kernel's
 *     stamps use, is therefore harmless.
 * I4  A dense stream of packets does not wake the worker for each packet: the socket
 *     pauses for PAUSE_NS after each read, until no packet has arrived meanwhile. A
 *     thousand members send 11,000 packets a second.
 *
 * Loop: the instance's. Tested by test/net/test_bfd.py. */
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_place.h"
#include "nest/bfd/bfd_shown.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_udp.h"

#define PAUSE_NS    (NS_PER_MS / 2)
#define BATCHES     16 /* of one socket, before other sockets have a turn */
#define BATCHES_ALL 256 /* of one socket, when all packets are to be read */

/* bfd_rx_find - the session of @p, which has come as @d. */
static struct bfd_session *
bfd_rx_find(
    const struct bfd_in *in, const struct bfd_packet *p, const struct sock_dgram *d)
{
	struct bfd_place place = { .peer = d->from.addr,
		.local = d->to,
		.ifindex = in->multihop ? 0 : d->ifindex,
		.multihop = in->multihop };
	struct bfd_session *s;

	if (!p->yours)
		return bfd_find_place(in->b, &place);
	s = bfd_find(in->b, p->yours);
	if (!s || s->place.multihop != in->multihop ||
	    s->place.ifindex != place.ifindex ||
	    !ip_equal(s->place.peer, d->from.addr)) /* I2 */
		return NULL;
	return s;
}

/* rx_seq_good - 6.7.3, 6.7.4. */
static bool
rx_seq_good(const struct bfd_session *s, const struct bfd_packet *p)
{
	uint32_t ahead = p->seq - s->seq.rx;

	if (p->auth_type == BFD_AUTH_SIMPLE || !s->seq.rx_known)
		return true;
	return ahead <= 3u * p->mult &&
	       ahead >= (bfd_auth_is_meticulous(p->auth_type) ? 1u : 0u);
}

/* bfd_rx_believed - Returns: NULL, or the fault. */
static const char *
bfd_rx_believed(struct bfd_session *s, const struct bfd_packet *p, const uint8_t *octets)
{
	const struct bfd_opt_key *k;
	struct bfd_key key;
	bool good;

	if (p->auth_type != s->opts.auth)
		return p->auth_type ? "another authentication" : "no authentication";
	if (!s->opts.auth)
		return NULL;
	k = bfd_opts_key_by_id(
	    &s->opts, p->key_id, clock_real_ns(bfd_now(s->b)) / NS_PER_S);
	if (!k)
		return "unknown password id";
	bfd_opts_key_open(&key, k);
	good = bfd_auth_good(p, octets, &key);
	explicit_bzero(&key, sizeof(key));
	if (!good)
		return "wrong password";
	if (!rx_seq_good(s, p))
		return "old sequence number";
	s->seq.rx = p->seq;
	store_relaxed32(&s->shown->rx_seq, s->seq.rx);
	s->seq.rx_known = true;
	return NULL;
}

/* bfd_rx_odd - a packet that isn't taken. Floods come by here. @why: for some kinds. */
static void
bfd_rx_odd(const struct bfd_in *in, enum bfd_oddity k, const struct sock_dgram *d,
    const char *why)
{
	char from[IP_STR_MAX];

	if (bfd_odd_again(in->b, k))
		return;
	ip_str(from, d->from.addr);
	if (k == BFD_ODD_TTL)
		bfd_odd(in->b, k, "Packet from %s with TTL %u, not 255", from, d->ttl);
	else if (k == BFD_ODD_FAULT)
		bfd_odd(in->b, k, "Bad packet from %s: %s", from, why);
	else if (k == BFD_ODD_STRANGER)
		bfd_odd(in->b, k, "Packet from %s is of no session", from);
	else
		bfd_odd(in->b, k, "Packet from %s is refused: %s", from, why);
}

static void
bfd_rx_take(const struct bfd_in *in, const struct sock_dgram *d, uint64_t at_ns)
{
	enum bfd_fault f;
	struct bfd_session *s;
	struct bfd_packet p;
	const char *bad;

	if (!in->multihop && d->ttl != 255) {
		bfd_rx_odd(in, BFD_ODD_TTL, d, NULL);
		return;
	}
	f = bfd_decode(d->octet, min_u64(d->len, SOCK_UDP_LEN), &p);
	if (f != BFD_FAULT_NONE) {
		bfd_rx_odd(in, BFD_ODD_FAULT, d, bfd_fault_text(f));
		return;
	}
	s = bfd_rx_find(in, &p, d);
	if (!s) {
		bfd_rx_odd(in, BFD_ODD_STRANGER, d, NULL);
		return;
	}
	bad = bfd_rx_believed(s, &p, d->octet);
	if (bad) {
		bfd_rx_odd(in, BFD_ODD_AUTH, d, bad);
		return;
	}
	bfd_session_packet(s, &p, at_ns);
}

/* bfd_rx_drain - up to @max batches. Returns: how many were there. */
static unsigned
bfd_rx_drain(struct bfd_in *in, unsigned max)
{
	uint8_t room[SOCK_UDP_BATCH][SOCK_UDP_LEN];
	struct sock_dgram d[SOCK_UDP_BATCH];
	unsigned all = 0, cnt = SOCK_UDP_BATCH;

	for (unsigned k = 0; k < max && cnt == SOCK_UDP_BATCH; k++) {
		uint64_t before = clock_now_ns(), now;

		cnt = sock_udp_recv(in->watch.fd, d, room);
		now = clock_now_ns(); /* the ages refer to this moment */
		for (unsigned i = 0; i < cnt; i++)
			bfd_rx_take(
			    in, &d[i], now - min_u64(d[i].age_ns, now - in->seen_ns));
		if (cnt < SOCK_UDP_BATCH)
			in->seen_ns = before; /* I3 */
		all += cnt;
	}
	return all;
}

/* rx_read_some - and when to read again (I4). */
static void
rx_read_some(struct bfd_in *in, bool paused)
{
	unsigned cnt = bfd_rx_drain(in, BATCHES);
	uint64_t now = clock_now_ns();
	bool busy = paused ? cnt > 0 : now - in->read_ns < PAUSE_NS;

	bfd_out_flush(in->b);
	in->read_ns = now;
	watch_set(&in->watch, busy ? 0 : WATCH_READ);
	if (busy)
		timer_set(
		    &in->pause, cnt < BATCHES * SOCK_UDP_BATCH ? now + PAUSE_NS : now);
}

static void
bfd_rx_ready(struct watch *w, uint32_t events)
{
	(void)events;
	rx_read_some(container_of(w, struct bfd_in, watch), false);
}

static void
bfd_rx_paused(struct timer *t)
{
	rx_read_some(container_of(t, struct bfd_in, pause), true);
}

void
bfd_in_init(struct bfd_in *in, struct bfd_proto *b, bool multihop)
{
	*in = (struct bfd_in){ .b = b, .multihop = multihop, .watch.fd = OS_FD_NONE };
	timer_init(&in->pause, &b->p.worker, bfd_rx_paused);
}

void
bfd_in_open(struct bfd_in *in, TAKE struct os_fd fd)
{
	in->seen_ns = clock_now_ns();
	watch_add(&in->watch, &in->b->p.worker, fd, WATCH_READ, bfd_rx_ready);
}

void
bfd_in_close(struct bfd_in *in)
{
	struct os_fd fd = in->watch.fd;

	if (!os_fd_is_open(fd))
		return;
	timer_cancel(&in->pause);
	watch_del(&in->watch);
	fd_close(fd);
}

void
bfd_rx_all(struct bfd_proto *b)
{
	struct list *n;

	for (unsigned i = 0; i < BFD_PORTS; i++)
		if (os_fd_is_open(b->port[i].in.watch.fd))
			bfd_rx_drain(&b->port[i].in, BATCHES_ALL);
	list_for_each (n, &b->socks) {
		struct bfd_sock *k = container_of(n, struct bfd_sock, link);

		if (os_fd_is_open(k->in.watch.fd))
			bfd_rx_drain(&k->in, BATCHES_ALL);
	}
}
