/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of a net with many paths, by rank and by name. Only files of nest/rib include
 * the header.
 *
 * The list of paths is enough for readers and for nets with few paths. Where members
 * announce equal nets, walking the list for each change costs quadratic time; so a net
 * with more than PATHS_MANY paths has an index, and the flag NET_MANY. Both arrays are
 * searched by halves; a change moves 4 and 12 octets a path.
 *
 * I1  rank has the paths of the net's list in the order of the list; name has each path
 *     once, by feeder number and received identifier. Between a put and the following
 *     removal, rank has the new and the old path of a name, and name has the new path.
 * I2  No path is dead while clean equals the number of the table's walk.
 *
 * The table's loop. Owner: the table. Life: while the net has many paths. */
#ifndef TERN_NEST_RIB_TABLE_PATH_INDEX_H
#define TERN_NEST_RIB_TABLE_PATH_INDEX_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "nest/rib/table_priv.h"

#define PATHS_MANY 32 /* more have an index */
#define PATHS_FEW  16 /* with fewer paths the index is freed */
/* Most paths of a net: an insertion moves the paths behind it. */
#define PATHS_MOST 65536

/* Paths are named by their distance from the table's nets, in units of struct near. Freed
 * with struct path_index. */
struct path_name {
	uint32_t feeder, rid; /* the path's name */
	uint32_t path;
};

/* The index of one net. Owner: the table. Freed by: path_index_free. */
struct path_index {
	struct htab_node node; /* of table.many */
	uint32_t net; /* net id */
	uint32_t cnt, name_cnt; /* of rank, of name */
	uint32_t rank_cap, name_cap;
	uint64_t clean; /* table.walk.nr at the last look without dead paths */
	/* publication of changes behind the best path (table_behind.c): last time, and
	 * next time if waiting */
	uint64_t notified_ns, due_ns;
	struct list waits; /* in table.behind.waits; or by itself */
	uint32_t *rank; /* paths, best first */
	struct path_name *name; /* ascending */
};

/* path_index_new - index all paths of @n. path_index_free - free the index of @n. */
struct path_index *path_index_new(struct table *t, struct net *n, uint32_t id);
void path_index_free(struct table *t, struct net *n, TAKE struct path_index *ix);
/* path_index_get - the index of net @id. The net has an index. */
struct path_index *path_index_get(const struct table *t, uint32_t id);
/* path_index_fill - anew from the list of @n. */
void path_index_fill(struct table *t, struct path_index *ix, const struct net *n);

/* path_index_at - the path at @pos; @pos is below cnt. */
static inline struct path *
path_index_at(const struct table *t, const struct path_index *ix, uint32_t pos)
{
	return table_path_at(t, ix->rank[pos]);
}

/* path_index_find - the path @rid of a feeder; NULL: none. Cost: O(log cnt). */
struct path *path_index_find(
    const struct table *t, const struct path_index *ix, uint32_t feeder, uint32_t rid);
/* path_index_of - number of paths of a feeder, with dead paths. Cost: O(log cnt). */
uint32_t path_index_of(const struct path_index *ix, uint32_t feeder);
/* path_index_put - insert @p at @pos. path_index_remove - remove the path at @pos. */
void path_index_put(
    const struct table *t, struct path_index *ix, uint32_t pos, const struct path *p);
void path_index_remove(const struct table *t, struct path_index *ix, uint32_t pos);

#endif
