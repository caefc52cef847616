/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A played session for prop_spine: what leaves its channel is decoded into what the peer holds. Its nets are a small domain, by
 * index. NETS is defined by who includes it. */
#ifndef TERN_TEST_LIB_SPINE_PEER_H
#define TERN_TEST_LIB_SPINE_PEER_H

#include "nest/channel/channel_priv.h"
#include "test/lib/take_update.h"

struct peer {
	struct proto p; /* first */
	struct channel *ch;
	uint32_t as;
	bool up, blocked;
	size_t drops; /* octets that it takes though it is blocked */
	uint64_t
	    held[NETS]; /* MED + 1 and source AS of what the peer holds; 0: nothing */
	uint64_t
	    told[NETS]; /* what it announces: MED + 1; 0: nothing. The model's side */
	uint32_t eor_cnt, spurious;
	struct counter32 ops; /* commands that it has handled */
	struct bgp_params params;
};

static inline struct prefix
net_of(uint32_t i)
{
	return prefix_make(ip4(0x0b000000u + (i << 10)), 22 + i % 3, FAM_IP4);
}

static inline uint32_t
index_of(const struct prefix *p)
{
	return (ip_to_v4(p->addr) - 0x0b000000u) >> 10;
}

/* ---- what comes back ---- */

static inline void
take_net(void *arg, const struct prefix *p, const struct wire_set *w)
{
	struct peer *pe = arg;

	pe->held[index_of(p)] = w ? (uint64_t)(wire_med(w) + 1) << 32 | w->path_first : 0;
}

static inline struct peer *
peer_of(struct channel *ch)
{
	return (struct peer *)channel_proto(ch);
}

static inline size_t
tx_room(struct channel *ch)
{
	return peer_of(ch)->blocked ? peer_of(ch)->drops : 4000;
}

static inline void
tx_put(struct channel *ch, const struct msg_piece *m)
{
	struct peer *pe = peer_of(ch);

	pe->drops -= pe->drops < m->len ? pe->drops : m->len;
	take_updates(&pe->params, m->data, m->len, take_net, pe);
}

static inline void
tx_flush(struct channel *ch)
{
	(void)ch;
}

static inline void
import_ready(struct channel *ch)
{
	(void)ch;
}

static inline void
feed_done(struct channel *ch)
{
	peer_of(ch)->eor_cnt++;
}

static inline void
limit(struct channel *ch, enum limit_action a, const char *what, uint32_t max)
{
	(void)ch, (void)a, (void)what, (void)max;
	abort();
}

static inline bool
refresh(struct channel *ch)
{
	(void)ch;
	return true;
}

static inline void
slow(struct channel *ch)
{
	(void)ch;
	abort();
}

static inline void
detached(struct channel *ch)
{
	proto_gone(channel_proto(ch));
}

static const struct channel_ops ops = {
	.tx_room = tx_room,
	.tx_put = tx_put,
	.tx_flush = tx_flush,
	.import_ready = import_ready,
	.feed_done = feed_done,
	.limit = limit,
	.refresh = refresh,
	.slow = slow,
	.detached = detached,
};

#endif
