/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbered peers of a dump. Number 0 stands for all sources other than BGP peers.
 * Loop: the dump's. */
#ifndef TERN_NEST_MRT_MRT_PEERS_H
#define TERN_NEST_MRT_MRT_PEERS_H

#include "lib/attr/route.h"
#include "lib/base/htab.h"
#include "lib/mem/arena.h"
#include "lib/wire/mrt.h"

struct table;
struct tern;

/* Owner: the dump that embeds the struct. Freed by: mrt_peers_fini. */
struct mrt_peers {
	struct mrt_peer *peer; /* MEM_OTHER */
	uint32_t cnt, cap;
	/* private */
	struct htab by_facts;
	struct arena arena;
	uint32_t pos; /* mrt_peers_take: next net */
	bool of_base; /* mrt_peers_take: pos is a position in the base */
};

/* mrt_peers_init - add all BGP sessions that are up or were up; with @up those that are
 * up. Under RCU. */
void mrt_peers_init(struct mrt_peers *ps, const struct tern *t, bool up);
/* mrt_peers_take - add the peers of routes in @t and @base (NULL: none) that came by
 * pipes, files or BMP. Works until @until_ns. Under RCU. Returns: true: complete; false:
 * call again. */
bool mrt_peers_take(struct mrt_peers *ps, const struct table *t, const struct table *base,
    uint64_t until_ns);
void mrt_peers_fini(struct mrt_peers *ps);
/* mrt_peers_find - Returns: number of the peer; -ENOENT: the session came up later. */
MUST_CHECK int mrt_peers_find(const struct mrt_peers *ps, const struct route_source *src);

#endif
