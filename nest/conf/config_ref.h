/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counted configuration: the old one goes when every worker has said that it left it.
 */
#ifndef TERN_NEST_CONFIG_REF_H
#define TERN_NEST_CONFIG_REF_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/conf/config.h"

/* owner: nobody; freed by: the last unref, a grace period later. */
struct config_ref {
	struct rcu_node rcu;
	struct counter32 refs;
	struct config *conf;
	/* of a part that was made at run time: what it is made of, and a reference on
	 * where that lies (NULL: the maker sees to it); conf isn't its own then */
	void *own; /* MEM_CONFIG; NULL: it is a whole configuration */
	struct config_ref *base;
};

OWNED struct config_ref *config_ref_new(TAKE struct config *c);
/* config_ref_own - of @own, which points into @base (may be NULL); that gets a
 * reference. */
OWNED struct config_ref *config_ref_own(struct config_ref *base, TAKE void *own);
static inline struct config_ref *
config_ref_get(struct config_ref *r)
{
	counter32_add(&r->refs, 1);
	return r;
}
/* config_ref_live - a reference on one found under RCU; false: it is going. */
static inline bool
config_ref_live(struct config_ref *r)
{
	return counter32_add_unless_zero(&r->refs, 1);
}
void config_ref_put(TAKE struct config_ref *r);

#endif
