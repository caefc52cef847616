/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells an instance of protocol static that its recursive routes may lead elsewhere.
 *
 * The watch is there as long as there are recursive routes, so the other routes don't
 * notice when the first recursive route comes, or the last one goes. */
#ifndef TERN_PROTO_STATIC_IGP_H
#define TERN_PROTO_STATIC_IGP_H

#include <stdint.h>

struct igp_watch;
struct igp_watch_ops;
struct proto;
struct static_conf;
struct table;

/* owner: its instance, in which it is embedded. */
struct static_igp {
	/* by which recursive routes are resolved; used until the instance is freed; NULL:
	 * its routes can't be recursive */
	struct table *table;
	struct igp_watch *watch; /* NULL: there are no recursive routes */
	uint32_t going; /* watches that were deleted and whose `gone` is to come */
};

/* static_igp_set - watch the next hops of @sc, in place of those before. @ops: the same
 * in each call; `gone` takes one off `going`. static_igp_end - watch nothing. In the
 * instance's worker. */
void static_igp_set(struct static_igp *g, struct proto *p, const struct static_conf *sc,
    const struct igp_watch_ops *ops);
void static_igp_end(struct static_igp *g);

#endif
