/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learn foreign routes of the kernel as routes of a channel. Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_KRT_LEARN_H
#define TERN_PROTO_KERNEL_KRT_LEARN_H

#include "lib/mem/arena.h"
#include "lib/wire/rtnl_route.h"
#include "nest/rib/source.h"

struct channel;

/* krt_learns - true: an instance with option @learn imports the kernel route @got.
 * Pure. */
bool krt_learns(const struct rtnl_route *got, uint8_t learn);
/* krt_learn - import the route @got. krt_learn_seen - import a route found by a scan;
 * routes that the scan does not find are removed at its end. krt_learn_gone - withdraw a
 * removed route. @ch has room. */
void krt_learn(struct channel *ch, struct arena *a, const struct rtnl_route *got);
void krt_learn_seen(struct channel *ch, struct arena *a, const struct rtnl_route *got);
void krt_learn_gone(struct channel *ch, const struct rtnl_route *got);
/* krt_rank - struct path_order: a lower metric of the kernel is better. */
int krt_rank(const struct route_cand *a, const struct route_cand *b);

#endif
