/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reason that a path of a net is not the best path. For operators: any thread under
 * RCU; cost: a walk over the paths of the net. */
#ifndef TERN_NEST_RIB_TABLE_PATH_WHY_H
#define TERN_NEST_RIB_TABLE_PATH_WHY_H

#include "nest/rib/source.h"

struct net;
struct overlay_cand;
struct path;
struct table;

enum path_fate {
	PATH_GOES, /* the source is gone, or its first decision is pending */
	PATH_REFUSED, /* by the import filter */
	PATH_IS_BEST,
	PATH_LOST,
};

/* path_why - the state of @p, a path of @n. *@at: for PATH_LOST, the step at which the
 * best path won. The answer holds for the moment: the best path may change. */
enum path_fate path_why(
    struct lost_at *at, const struct table *t, const struct net *n, const struct path *p);
/* overlay_why - the state of route @i of @cnt routes of an overlay in the order of
 * overlay_sort. */
enum path_fate overlay_why(
    struct lost_at *at, const struct overlay_cand *c, unsigned cnt, unsigned i);

#endif
