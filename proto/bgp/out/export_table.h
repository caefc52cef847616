/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The export table of one channel: the announcement to the peer for each id, as a number.
 * The Adj-RIB-Out changes its bits and the table together.
 *
 * I1  A table counts an announcement once, and counts the ids of the announcement in the
 *     table.
 *
 * Owner: the session, except functions marked "any thread". */
#ifndef TERN_PROTO_BGP_OUT_EXPORT_TABLE_H
#define TERN_PROTO_BGP_OUT_EXPORT_TABLE_H

#include "lib/mt/id_map.h"
#include "lib/mt/rcu.h"
#include "proto/bgp/out/announce.h"

#define USES_BLOCK 256
#define USES_MANY  255

struct seg_run;

/* Owner: the Adj-RIB-Out. Life: as long as the Adj-RIB-Out. Freed by:
 * export_table_free. */
struct export_table {
	struct announces *as;
	struct id_map sent; /* by id: the announcement's number */
	uint32_t sent_cnt; /* ids */
	/* by number: number of ids with the announcement. Mostly few: an octet each, in
	 * blocks; the rest above USES_MANY is in `more` */
	uint8_t **uses;
	uint32_t uses_cnt; /* capacity in blocks */
	struct id_map more;
	struct rcu_node rcu;
};

OWNED struct export_table *export_table_new(struct announces *as);
/* export_table_free - free the table after a grace period; readers under RCU still use
 * the table. NULL: no effect. */
void export_table_free(TAKE struct export_table *t);

/* export_table_sent - record the announcement @key (announce_get) for the ids. @hint: a
 * number that another session found for @key, or the place for the found number (pairs:
 * ANHINT); NULL: not shared. */
void export_table_sent(struct export_table *t, const struct announce *key,
    struct pub32 *hint, const struct seg_run *run, uint32_t run_cnt);
/* export_table_news - export_table_sent if none of the ids has the announcement @key.
 * Returns: true: recorded. */
bool export_table_news(struct export_table *t, const struct announce *key,
    struct pub32 *hint, const struct seg_run *run, uint32_t run_cnt);
/* export_table_fetch - prefetch the line of @id, which is about to be recorded. */
static inline void
export_table_fetch(const struct export_table *t, uint32_t id)
{
	id_map_fetch(&t->sent, id);
}
/* export_table_gone - remove the announcements of @cnt ids from @id on, if any. */
void export_table_gone(struct export_table *t, uint32_t id, uint32_t cnt);
void export_table_clear(struct export_table *t);
/* export_table_same - number of the ids with an announcement equal to @key. */
uint32_t export_table_same(const struct export_table *t, const struct announce *key,
    const struct seg_run *run, uint32_t run_cnt);
/* export_table_find - the announcement of @id; NULL: none. Any thread, under RCU. */
const struct announce *export_table_find(const struct export_table *t, uint32_t id);

#endif
