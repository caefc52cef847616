/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builtins of self-tests: making the route of a suite, and asking whole filters about
 * it. Whoever runs the suite does the work (struct filter_test_env); in a live daemon
 * they are errors of the run. Loop: the thread of the run. Tested by
 * test/unit/test_selftest.c. */
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/filter.h"
#include "filter/run/frun.h"
#include "filter/run/net.h"
#include "filter/value/type.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

static bool
test_only(struct frun *r)
{
	if (r->env && r->env->test)
		return true;
	return vm_fail(r, "the function works in self-tests only");
}

static bool
bi_route(struct frun *r, struct fvalue *v)
{
	struct prefix net = fvalue_place(&v[0]);

	if (!test_only(r))
		return false;
	if (fvalue_is_net(&v[0]))
		return vm_fail(r, "bt_route() wants an IPv4 or IPv6 prefix");
	r->env->test->route(r->env->ctx, &net, NULL, IP_NONE);
	fvalue_set_u32(&v[0], T_BOOL, true);
	return true;
}

static bool
bi_route_from(struct frun *r, struct fvalue *v)
{
	struct prefix net = fvalue_place(&v[0]);

	if (!test_only(r))
		return false;
	if (fvalue_is_net(&v[0]))
		return vm_fail(r, "bt_route() wants an IPv4 or IPv6 prefix");
	r->env->test->route(r->env->ctx, &net, v[1].str, v[2].ip);
	fvalue_set_u32(&v[0], T_BOOL, true);
	return true;
}

static bool
bi_accepts(struct frun *r, struct fvalue *v)
{
	int accepts;

	if (!test_only(r))
		return false;
	accepts = r->env->test->accepts(r->env->ctx, v[0].str);
	if (accepts < 0)
		return vm_fail(
		    r, "no such filter, or the filter calls bt_accepts() itself");
	fvalue_set_u32(&v[0], T_BOOL, (uint32_t)accepts);
	return true;
}

const struct builtin builtin_tests[] = {
	{ "bt_route", BI_FUNC | BI_TEST, 1, { T_PREFIX }, T_BOOL, bi_route },
	{ "bt_route", BI_FUNC | BI_TEST, 3, { T_PREFIX, T_STRING, T_IP }, T_BOOL,
	    bi_route_from },
	{ "bt_accepts", BI_FUNC | BI_TEST, 1, { T_STRING }, T_BOOL, bi_accepts },
	{ .name = NULL },
};
