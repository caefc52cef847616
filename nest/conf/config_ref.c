/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the references on a configuration, and frees the configuration a grace period
 * after the last reference. Loop: any thread; the configuration is freed in the thread of
 * RCU callbacks. Tested by test/unit/test_commit.c, test/unit/test_cli.c and
 * test/unit/test_conf_member.c. */
#include "nest/conf/config_ref.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config.h"

struct config_ref *
config_ref_new(TAKE struct config *c)
{
	struct config_ref *r = mem_zalloc(MEM_CONFIG, sizeof(*r));

	r->conf = c;
	counter32_add(&r->refs, 1);
	return r;
}

struct config_ref *
config_ref_part(struct config_ref *base, TAKE void *part)
{
	struct config_ref *r = config_ref_new(base ? base->conf : NULL);

	r->part = part;
	r->base = base ? config_ref_get(base) : NULL;
	return r;
}

static void
ref_free_conf(struct rcu_node *n)
{
	struct config_ref *r = container_of(n, struct config_ref, rcu);

	if (!r->part)
		config_free(r->conf);
	if (r->base)
		config_ref_put(r->base);
	mem_free(MEM_CONFIG, r->part);
	mem_free(MEM_CONFIG, r);
}

void
config_ref_put(TAKE struct config_ref *r)
{
	if (counter32_sub_acq_rel(&r->refs, 1) == 1)
		rcu_free_later(&r->rcu, ref_free_conf);
}
