/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a path of a net isn't the best one. For operators: any thread under RCU, at the
 * cost of a walk over the net's paths. */
#ifndef TERN_NEST_PATH_WHY_H
#define TERN_NEST_PATH_WHY_H

#include "nest/rib/source.h"

struct net;
struct path;
struct table;

enum path_fate {
	PATH_GOES, /* its source has gone, or it waits for its first decision */
	PATH_REFUSED, /* by the import filter */
	PATH_IS_BEST,
	PATH_LOST,
};

/* path_why - what became of @p, one of @n's. *@at: of PATH_LOST: the step at which the
 * best one was preferred. That is of this moment: another best may follow. */
enum path_fate path_why(
    struct lost_at *at, const struct table *t, const struct net *n, const struct path *p);

#endif
