/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watch that notifies an instance of protocol static of changed next hops of
 * recursive routes.
 *
 * The watch exists as long as the instance has recursive routes. So the first and the
 * last recursive route do not affect the remaining routes.
 *
 * Loop: the instance's. */
#ifndef TERN_PROTO_STATIC_STATIC_IGP_H
#define TERN_PROTO_STATIC_STATIC_IGP_H

#include "lib/net/prefix.h"

struct conf_proto;
struct igp_watch;
struct igp_watch_ops;
struct proto;
struct static_conf;
struct table;
struct tern;

/* Owner: the instance that embeds the struct. Life: the instance's; static_igp_end
 * deletes the watch. */
struct static_igp {
	/* the tables that resolve recursive routes, by the family of the next hop, with a
	 * use count until the instance is freed; NULL: routes of the instance cannot be
	 * recursive */
	struct table *table[FAM_CNT];
	struct igp_watch *watch[FAM_CNT]; /* NULL: no recursive routes of the family */
	uint32_t going; /* deleted watches whose `gone` was not called yet */
};

/* static_igp_init - take the tables of @cf. static_igp_free - give the tables back. In
 * the control worker; no watch exists. */
void static_igp_init(struct static_igp *g, struct tern *t, const struct conf_proto *cf);
void static_igp_free(struct static_igp *g);
/* static_igp_busy - true: `gone` of a watch is to come. */
bool static_igp_busy(const struct static_igp *g);
/* static_igp_set - watch the next hops of @sc instead of the previous next hops. @ops:
 * equal in all calls; `gone` decrements `going`. static_igp_end - watch nothing. In the
 * instance's worker. */
void static_igp_set(struct static_igp *g, struct proto *p, const struct static_conf *sc,
    const struct igp_watch_ops *ops);
void static_igp_end(struct static_igp *g);

#endif
