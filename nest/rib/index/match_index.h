/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches over an IP table (`longest match index yes`): a reader of
 * the table that keeps a map of those of its nets that have a best route (lib/net/lpm.h).
 *
 * It is what the table was a moment ago. So there are two questions: table_match asks it
 * while it has read all that is published, and the table itself else, and answers as it
 * does without one; match_index_find is for who looks up much and may get what was true
 * up to a lag before.
 *
 * G1  What is found is a net that contains the address. While the caller is under RCU the
 *     net's id is no other's: the table gives none again before the index has passed its
 *     withdrawal, and a grace period later.
 * G2  Readers never wait, for the index, the table, or each other. */
#ifndef TERN_NEST_MATCH_INDEX_H
#define TERN_NEST_MATCH_INDEX_H

#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct match_index;
struct net;
struct table;
struct tern;

/* match_index_new - of @t, an IP table; its worker is launched, and is called @name.
 * Control worker. */
OWNED struct match_index *match_index_new(
    struct tern *tern, struct table *t, const char *name);
/* match_index_delete - it ends when its reader has left the table. Control worker. */
void match_index_delete(TAKE struct match_index *x);

/* ---- any thread under RCU ---- */

/* match_index_find - the longest match for @a among nets that have a best route, as it
 * was at most a lag ago; it has one now, too. NULL: none. A table without an index is
 * asked itself. */
const struct net *match_index_find(const struct table *t, struct ip_addr a);
/* match_index_answers - does the index of @t know the longest match for @p (of @t's
 * family), as all that is published has it? Then *@n is that, or NULL. */
bool match_index_answers(
    const struct table *t, const struct net **n, const struct prefix *p);

struct match_stats {
	uint64_t nets; /* in it */
	uint64_t behind; /* segments that are published and not in it */
	uint64_t open, octets; /* that are counted (mem_used), and those in memory */
};
/* match_index_stats - Returns: false: @t has none. */
bool match_index_stats(const struct table *t, struct match_stats *st);

#endif
