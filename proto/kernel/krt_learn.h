/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of others in the kernel, as routes of ours. */
#ifndef TERN_PROTO_KERNEL_LEARN_H
#define TERN_PROTO_KERNEL_LEARN_H

#include "lib/mem/arena.h"
#include "lib/wire/rtnl_route.h"
#include "nest/rib/source.h"

struct channel;

/* krt_learns - is @got one that an instance with these options takes? Pure. */
bool krt_learns(const struct rtnl_route *got, uint8_t learn);
/* krt_learn - such a route is there. krt_learn_seen - the same, a scan has found it: what
 * no scan finds goes by itself. krt_learn_gone - it went. @ch has room. */
void krt_learn(struct channel *ch, struct arena *a, const struct rtnl_route *got);
void krt_learn_seen(struct channel *ch, struct arena *a, const struct rtnl_route *got);
void krt_learn_gone(struct channel *ch, const struct rtnl_route *got);
/* krt_rank - struct path_order: the lowest metric of the kernel first. */
int krt_rank(const struct route_cand *a, const struct route_cand *b);

#endif
