/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A played session for prop_spine: what leaves its channel is decoded into what the peer
 * holds. Its nets are a small domain, by index. NETS is defined by who includes it. */
#ifndef TERN_TEST_LIB_SPINE_PEER_H
#define TERN_TEST_LIB_SPINE_PEER_H

#include "nest/channel/channel_priv.h"
#include "nest/rib/table_priv.h"
#include "proto/bgp/out/bgp_sink.h"
#include "test/lib/take_update.h"

struct peer {
	struct proto p; /* first */
	struct channel *ch;
	struct bgp_sink sink;
	uint32_t as;
	bool up, blocked;
	size_t drops; /* octets that it takes though it is blocked */
	/* MED + 1 and source AS of what the peer holds; 0: nothing */
	uint64_t held[NETS];
	/* what it announces: MED + 1; 0: nothing. The model's side */
	uint64_t told[NETS];
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
peer_of(struct bgp_sink *k)
{
	return container_of(k, struct peer, sink);
}

static inline size_t
tx_room(struct bgp_sink *k)
{
	return peer_of(k)->blocked ? peer_of(k)->drops : 4000;
}

static inline void
tx_put(struct bgp_sink *k, const struct msg_piece *m)
{
	struct peer *pe = peer_of(k);

	pe->drops -= pe->drops < m->len ? pe->drops : m->len;
	take_updates(&pe->params, m->data, m->len, take_net, pe);
}

static inline void
tx_flush(struct bgp_sink *k)
{
	(void)k;
}

static inline void
import_ready(struct channel *ch)
{
	(void)ch;
}

static inline void
feed_done(struct bgp_sink *k)
{
	peer_of(k)->eor_cnt++;
}

static const struct bgp_out out = {
	.room = tx_room,
	.put = tx_put,
	.flush = tx_flush,
	.end_of_rib = feed_done,
};

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
	.import_ready = import_ready,
	.limit = limit,
	.refresh = refresh,
	.slow = slow,
	.detached = detached,
};

#endif
