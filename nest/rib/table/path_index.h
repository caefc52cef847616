/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a net that has many, by rank and by name: for the files of nest/rib
 * only.
 *
 * Paths are a list, which is all that readers and nets of a few paths need. Where members
 * announce the same nets, to walk it for each change is quadratic; so beyond PATHS_MANY
 * paths the table keeps this beside it, and the net says so by NET_MANY. Both halves are
 * arrays that are searched by halves; what moves in them is 4 and 12 octets a path.
 *
 * I1  rank has the paths of the net's list in its order, name each once by its feeder's
 *     number and its received identifier. Between a put and the cut that follows, the
 *     new path and the old one of a name are both in rank, and name has the new one.
 * I2  None of them is dead as long as clean is the number of the table's walk.
 *
 * The table's loop. */
#ifndef TERN_NEST_PATH_INDEX_H
#define TERN_NEST_PATH_INDEX_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "nest/rib/table_priv.h"

#define PATHS_MANY 32 /* more have an index */
#define PATHS_FEW  16 /* fewer have none any more */
/* A net has no more: to put one in moves what stands behind it. */
#define PATHS_MOST 65536

/* Paths are named by their distance from the table's nets, in units of struct near. */
struct path_name {
	uint32_t feeder, rid; /* the path's name */
	uint32_t path;
};

/* owner: the table; lives: while its net has many paths. */
struct path_index {
	struct htab_node node; /* of table.many */
	uint32_t net; /* its id */
	uint32_t cnt, name_cnt; /* of rank, of name */
	uint32_t rank_cap, name_cap;
	uint64_t clean; /* table.walk.nr when none was dead */
	/* of changes behind the best (table_behind.c): when one was told last, when the
	 * next one is, if it waits */
	uint64_t told_ns, due_ns;
	struct list waits; /* in table.behind.waits; or by itself */
	uint32_t *rank; /* paths, best first */
	struct path_name *name; /* ascending */
};

/* path_index_new - of all paths of @n. path_index_free - @n has none any more. */
struct path_index *path_index_new(struct table *t, struct net *n, uint32_t id);
void path_index_free(struct table *t, struct net *n, TAKE struct path_index *ix);
/* path_index_get - of net @id, which has one. */
struct path_index *path_index_get(const struct table *t, uint32_t id);
/* path_index_fill - anew from the list of @n. */
void path_index_fill(struct table *t, struct path_index *ix, const struct net *n);

/* path_index_at - the path at @pos, which is below cnt. */
static inline struct path *
path_index_at(const struct table *t, const struct path_index *ix, uint32_t pos)
{
	return table_path_at(t, ix->rank[pos]);
}

/* path_index_find - the path @rid of a feeder; NULL: it has none. Cost: O(log cnt). */
struct path *path_index_find(
    const struct table *t, const struct path_index *ix, uint32_t feeder, uint32_t rid);
/* path_index_of - how many paths of a feeder there are, dead ones too. Likewise. */
uint32_t path_index_of(const struct path_index *ix, uint32_t feeder);
/* path_index_put - @p comes to stand at @pos. path_index_cut - what stands there goes. */
void path_index_put(
    const struct table *t, struct path_index *ix, uint32_t pos, const struct path *p);
void path_index_cut(const struct table *t, struct path_index *ix, uint32_t pos);

#endif
