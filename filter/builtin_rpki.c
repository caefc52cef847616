/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roa_check: the validity of a route's origin (RFC 6811) by the VRPs of a table.
 *
 * The table's map is read under RCU in the thread that runs the filter; nobody waits. What
 * a run reads there is FILTER_READ_TABLE: its result isn't remembered, and whoever needs it
 * to stay true is told when the table changes (nest/channel_rpki.c). */
#include "filter/builtin.h"
#include "filter/code.h"
#include "filter/rpki.h"

static bool
check(struct frun *r, struct fvalue *v, const struct prefix *net, uint32_t asn)
{
	const struct roa_map *m = load_acquire_ptr(&v[0].table->map); /* pairs: FTABLE */

	r->reads |= FILTER_READ_TABLE;
	v[0] = fvalue_u32(T_ENUM_ROA, m ? roa_map_check(m, net, asn) : ROA_UNKNOWN);
	return true;
}

/* roa_check(table): the route at hand, by the last AS of its path. */
static bool
bi_roa_check_route(struct frun *r, struct fvalue *v)
{
	struct attr_item it;

	if (!r->view)
		return vm_fail(r, "there is no route here");
	if (!attr_edit_get(r->edit, ATTR_AS_PATH, &it))
		return vm_fail(r, "roa_check() of a route without bgp_path");
	r->reads |= FILTER_READ_NET;
	return check(r, v, &r->view->net, route_path_last(r));
}

/* roa_check(table, prefix, asn) */
static bool
bi_roa_check(struct frun *r, struct fvalue *v)
{
	struct prefix net = fvalue_to_prefix(&v[1]);

	return check(r, v, &net, v[2].i);
}

const struct builtin builtin_rpki[] = {
	{ "roa_check", BI_FUNC | BI_TABLE | BI_NET, 1, { T_TABLE }, T_ENUM_ROA,
	    bi_roa_check_route },
	{ "roa_check", BI_FUNC | BI_TABLE, 3, { T_TABLE, T_PREFIX, T_INT }, T_ENUM_ROA,
	    bi_roa_check },
	{ .name = NULL },
};

uint32_t
filter_uses(const struct filter *f, const struct filter_use **out)
{
	*out = f->code.use;
	return f->code.use_cnt;
}
