/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counted configurations. Covered by test_commit, test_cli. */
#include "nest/conf/config_ref.h"

#include "lib/base/mem.h"
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

static void
free_conf(struct rcu_node *n)
{
	struct config_ref *r = container_of(n, struct config_ref, rcu);

	config_free(r->conf);
	mem_free(MEM_CONFIG, r);
}

void
config_ref_put(TAKE struct config_ref *r)
{
	if (counter32_sub_acq_rel(&r->refs, 1) == 1)
		rcu_free_later(&r->rcu, free_conf);
}
