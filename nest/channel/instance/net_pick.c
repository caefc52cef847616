/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a net belongs to the nets that a command (`reload ... partial`) names.
 * The last reference frees the set and drops the reference to the configuration, in any
 * thread. Tests: test/net/test_day.py. */
#include "nest/channel/instance/net_pick.h"

#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"

struct net_pick {
	struct counter32 refs;
	struct cli_expr *expr;
	struct config_ref *conf;
	const struct fset *set;
};

struct net_pick *
net_pick_new(
    TAKE struct cli_expr *x, TAKE struct config_ref *conf, const struct fset *set)
{
	struct net_pick *np = mem_zalloc(MEM_OTHER, sizeof(*np));

	np->expr = x;
	np->conf = conf;
	np->set = set;
	counter32_add(&np->refs, 1);
	return np;
}

struct net_pick *
net_pick_ref(struct net_pick *np)
{
	counter32_add(&np->refs, 1);
	return np;
}

void
net_pick_unref(TAKE struct net_pick *np)
{
	if (!np || counter32_sub_acq_rel(&np->refs, 1) != 1)
		return;
	cli_expr_free(np->expr);
	config_ref_put(np->conf);
	mem_free(MEM_OTHER, np);
}

bool
net_pick_has(const struct net_pick *np, const struct prefix *p)
{
	struct fvalue v = fvalue_prefix(p);

	return fset_has(np->set, &v);
}

bool
net_pick_matches(const struct net_pick *np, const struct table *t, const struct net *n)
{
	struct prefix p = net_prefix(t, n);

	return table_kind(t) != NLRI_ASPA && net_pick_has(np, &p);
}
