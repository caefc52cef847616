/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches over an IP table (`longest match index yes`): a reader of
 * the table that keeps a map of the nets with a best route (lib/net/lpm.h).
 *
 * The map lags behind the table: table_match uses the index only while the index has read
 * all published segments. Otherwise table_match searches the table. So the result is
 * exact.
 *
 * G1  A found net contains the address. While the caller is under RCU, the net's id is
 *     not reused: the table reuses an id only a grace period after the index passed the
 *     withdrawal.
 * G2  Look-ups never wait, neither for the index nor for the table.
 *
 * Owner: the index's worker. Life: from match_index_new until its reader has left the
 * table after match_index_delete. */
#ifndef TERN_NEST_RIB_INDEX_MATCH_INDEX_H
#define TERN_NEST_RIB_INDEX_MATCH_INDEX_H

#include "lib/base/check.h"
#include "lib/net/prefix.h"

struct match_index;
struct net;
struct table;
struct tern;

/* match_index_new - make an index of @t, an IP table, and launch its worker with name
 * @name. Control worker. */
OWNED struct match_index *match_index_new(
    struct tern *tern, struct table *t, const char *name);
/* match_index_delete - the index ends when its reader has left the table. Control
 * worker. */
void match_index_delete(TAKE struct match_index *x);

/* ---- any thread under RCU ---- */

/* match_index_answers - true: the index of @t has all published segments; then *@n is the
 * longest match for @p (of @t's family), or NULL. */
bool match_index_answers(
    const struct table *t, const struct net **n, const struct prefix *p);

/* Counts of an index. Owner: the caller; by value: nothing to free. */
struct match_stats {
	uint64_t nets; /* nets in the map */
	uint64_t behind; /* published segments that the map lacks */
	uint64_t open, octets; /* counted octets (mem_used), octets in memory */
};
/* match_index_stats - Returns: false: @t has no index. */
bool match_index_stats(const struct table *t, struct match_stats *st);

#endif
