/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The export table of one channel: what its peer was told of each id, as the numbers of
 * announcements. It goes with the bits of the Adj-RIB-Out, which changes both.
 *
 * I1  An announcement is counted once by a table that has it, and how many ids have it is
 *     counted in the table.
 *
 * Owner: the session, but for what is marked. */
#ifndef TERN_PROTO_BGP_EXPORT_TABLE_H
#define TERN_PROTO_BGP_EXPORT_TABLE_H

#include "lib/mt/id_map.h"
#include "lib/mt/rcu.h"
#include "proto/bgp/out/announce.h"

#define USES_BLOCK 256
#define USES_MANY  255

struct seg_run;

/* owner: the Adj-RIB-Out that has it, as long as that; freed by: export_table_free. */
struct export_table {
	struct announces *as;
	struct id_map told; /* by id: the announcement's number */
	uint32_t told_cnt; /* ids */
	/* by that number: how many ids have it. Mostly few: an octet each, in blocks;
	 * from USES_MANY on the rest is in `more` */
	uint8_t **uses;
	uint32_t uses_cnt; /* blocks that there is room for */
	struct id_map more;
	struct rcu_node rcu;
};

OWNED struct export_table *export_table_new(struct announces *as);
/* export_table_free - nobody finds it anew; those that have found it under RCU still read
 * it. NULL: nothing. */
void export_table_free(TAKE struct export_table *t);

/* export_table_told - these ids: what @key says (announce_get). @hint: a number that
 * others found for it, to be tried, or where to leave ours (pairs: ANHINT); NULL: nobody
 * else needs it. */
void export_table_told(struct export_table *t, const struct announce *key,
    struct pub32 *hint, const struct seg_run *run, uint32_t run_cnt);
/* export_table_news - the same if none of these ids was told that. Returns: whether it
 * is so. */
bool export_table_news(struct export_table *t, const struct announce *key,
    struct pub32 *hint, const struct seg_run *run, uint32_t run_cnt);
/* export_table_fetch - @id is about to be told something: ask for its line. */
static inline void
export_table_fetch(const struct export_table *t, uint32_t id)
{
	id_map_fetch(&t->told, id);
}
/* export_table_gone - @cnt ids from @id on, of which any may have been told. */
void export_table_gone(struct export_table *t, uint32_t id, uint32_t cnt);
void export_table_clear(struct export_table *t);
/* export_table_same - how many of these ids were told what @key says? */
uint32_t export_table_same(const struct export_table *t, const struct announce *key,
    const struct seg_run *run, uint32_t run_cnt);
/* export_table_find - what @id was told; NULL: nothing. Any thread, under RCU. */
const struct announce *export_table_find(const struct export_table *t, uint32_t id);

#endif
