/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watch that tells an instance of protocol static about changed next hops of
 * recursive routes.
 *
 * The watch exists as long as the instance has recursive routes. So the first and the
 * last recursive route do not affect the remaining routes. */
#ifndef TERN_PROTO_STATIC_IGP_H
#define TERN_PROTO_STATIC_IGP_H

#include <stdint.h>

struct igp_watch;
struct igp_watch_ops;
struct proto;
struct static_conf;
struct table;

/* Owner: the instance that embeds the struct. Life: the instance's; static_igp_end
 * deletes the watch. */
struct static_igp {
	/* the table that resolves recursive routes, with a use count until the instance
	 * is freed; NULL: routes of the instance cannot be recursive */
	struct table *table;
	struct igp_watch *watch; /* NULL: no recursive routes */
	uint32_t going; /* deleted watches whose `gone` was not called yet */
};

/* static_igp_set - watch the next hops of @sc instead of the previous next hops. @ops:
 * equal in all calls; `gone` decrements `going`. static_igp_end - watch nothing. In the
 * instance's worker. */
void static_igp_set(struct static_igp *g, struct proto *p, const struct static_conf *sc,
    const struct igp_watch_ops *ops);
void static_igp_end(struct static_igp *g);

#endif
