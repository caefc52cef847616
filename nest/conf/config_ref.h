/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counted configuration: config_ref_put frees the configuration after every worker has
 * left. Loop: any thread; the configuration is freed in the thread of RCU callbacks. */
#ifndef TERN_NEST_CONF_CONFIG_REF_H
#define TERN_NEST_CONF_CONFIG_REF_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/conf/config.h"

/* Owner: all holders of a reference. Freed by: the last config_ref_put, a grace period
 * later. */
struct config_ref {
	struct rcu_node rcu;
	struct counter32 refs;
	struct config *conf;
	/* For a part made at run time: its memory, and a reference on the surrounding
	 * configuration (NULL: the creator keeps the configuration alive). Such a
	 * config_ref does not own conf. */
	void *part; /* MEM_CONFIG; NULL: a whole configuration */
	struct config_ref *base;
};

OWNED struct config_ref *config_ref_new(TAKE struct config *c);
/* config_ref_part - make a reference for the part @part, which points into @base (may be
 * NULL); @base gets a reference. */
OWNED struct config_ref *config_ref_part(struct config_ref *base, TAKE void *part);
static inline struct config_ref *
config_ref_get(struct config_ref *r)
{
	counter32_add(&r->refs, 1);
	return r;
}
/* config_ref_live - take a reference on a config_ref found under RCU; false: the last
 * reference has gone. */
static inline bool
config_ref_live(struct config_ref *r)
{
	return counter32_add_unless_zero(&r->refs, 1);
}
void config_ref_put(TAKE struct config_ref *r);

#endif
