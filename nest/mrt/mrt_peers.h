/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The peers of a dump, by number. Number 0 stands for whatever isn't a BGP peer. */
#ifndef TERN_NEST_MRT_PEERS_H
#define TERN_NEST_MRT_PEERS_H

#include "lib/attr/route.h"
#include "lib/base/htab.h"
#include "lib/mem/arena.h"
#include "lib/wire/mrt.h"

struct table;
struct tern;

/* owner: the dump. */
struct mrt_peers {
	struct mrt_peer *peer; /* MEM_OTHER */
	uint32_t cnt, cap;
	/* private */
	struct htab by_facts;
	struct arena arena;
	uint32_t pos; /* of mrt_peers_take: next net */
	bool of_base; /* of base */
};

/* mrt_peers_init - all BGP sessions that are up or were. Under RCU. */
void mrt_peers_init(struct mrt_peers *ps, const struct tern *t);
/* mrt_peers_take - also those whose routes are in @t, or @base (NULL: none), by way of
 * others: pipes, files, BMP; a part, until @until_ns. Under RCU. Returns: that was all of
 * them. */
bool mrt_peers_take(struct mrt_peers *ps, const struct table *t, const struct table *base,
    uint64_t until_ns);
void mrt_peers_fini(struct mrt_peers *ps);
/* mrt_peers_find - Returns: its number; -ENOENT: a session that came up since. */
MUST_CHECK int mrt_peers_find(const struct mrt_peers *ps, const struct route_source *src);

#endif
