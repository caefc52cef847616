/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roa_check: validation of a route's origin (RFC 6811) by the VRPs of a table;
 * aspa_check: validation of the path by the attested providers of ASes; origin_check:
 * validation of a route's origin by a set of prefixes with origins, a constant.
 *
 * The thread of the run reads the table's map under RCU without waiting. Such a run has
 * FILTER_READ_TABLE, so no cache keeps the result; the index notifies a channel that
 * depends on the result of each change of the table (nest/channel/channel_rpki.c). */
#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "filter/rpki.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "filter/run/know.h"
#include "filter/run/net.h"
#include "filter/set/origin_set.h"
#include "filter/set/set.h"
#include "filter/value/irr.h"
#include "filter/value/type.h"
#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/mt/atomic.h"
#include "lib/net/aspa.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"

static bool
builtin_rpki_check(
    struct frun *r, struct fvalue *v, const struct prefix *net, uint32_t asn)
{
	const struct roa_map *m;

	if (!v[0].table->is_roa) /* the configuration's warning names the call */
		return vm_fail(r, "roa_check() wants a table of type roa4 or roa6");
	m = load_acquire_ptr(&v[0].table->map); /* pairs: FTABLE */
	r->reads |= FILTER_READ_TABLE;
	vm_charge_lookups(r, 8); /* of prefixes of several lengths */
	fvalue_set_u32(&v[0], T_ENUM_ROA, m ? roa_map_check(m, net, asn) : ROA_UNKNOWN);
	return true;
}

/* roa_check(table): the route at hand, by the last AS of its path. */
static bool
bi_roa_check_route(struct frun *r, struct fvalue *v)
{
	struct attr_item it;

	if (!r->view)
		return vm_fail(r, "the expression runs without a route");
	if (!attr_edit_get(r->edit, ATTR_AS_PATH, &it))
		return vm_fail(r, "roa_check() of a route without bgp_path");
	r->reads |= FILTER_READ_NET;
	return builtin_rpki_check(r, v, &r->view->net, route_path_last(r));
}

/* roa_check(table, prefix, asn) */
static bool
bi_roa_check(struct frun *r, struct fvalue *v)
{
	struct prefix net;

	if (fvalue_is_net(&v[1]))
		return vm_fail(r, "roa_check() wants an IPv4 or IPv6 prefix");
	net = fvalue_to_prefix(&v[1]);
	return builtin_rpki_check(r, v, &net, v[2].i);
}

/* builtin_rpki_check_path - of the octets @p. A set has no order in which ASes could
 * have passed the route on: INVALID, as the draft has it. Members of a confederation
 * aren't seen outside of it and attest nothing: they are left out. */
static enum aspa_state
builtin_rpki_check_path(
    const struct aspa_map *m, const uint8_t *p, uint32_t len, bool upstream)
{
	const uint8_t *end = p + len;
	struct aspa_walk w;

	if (as_path_has_set(p, len))
		return ASPA_INVALID;
	aspa_walk_init(&w, m);
	for (; p < end; p += 2 + 4 * p[1])
		for (unsigned i = 0; p[0] == AS_SEQUENCE && i < p[1]; i++)
			aspa_walk_as(&w, get_be32(p + 2 + 4 * i));
	return aspa_walk_state(&w, upstream);
}

static bool
builtin_rpki_aspa(
    struct frun *r, struct fvalue *v, const uint8_t *p, uint32_t len, bool upstream)
{
	const struct aspa_map *m;

	if (!v[0].table->is_aspa) /* the configuration's warning names the call */
		return vm_fail(r, "aspa_check() wants a table of type aspa");
	m = load_acquire_ptr(&v[0].table->map); /* pairs: FTABLE */
	r->reads |= FILTER_READ_TABLE;
	vm_charge_lookups(r, len / 2); /* of each AS, twice at most */
	fvalue_set_u32(&v[0], T_ENUM_ASPA, builtin_rpki_check_path(m, p, len, upstream));
	return true;
}

static bool
rpki_aspa_route(struct frun *r, struct fvalue *v, bool upstream)
{
	const uint8_t *p;
	uint32_t len;

	if (!r->view)
		return vm_fail(r, "the expression runs without a route");
	route_path(r, &p, &len);
	return builtin_rpki_aspa(r, v, p, len, upstream);
}

/* aspa_check_upstream(table): the path at hand, come from a customer, a peer or a
 * client. */
static bool
bi_aspa_upstream(struct frun *r, struct fvalue *v)
{
	return rpki_aspa_route(r, v, true);
}

/* aspa_check_downstream(table): come from a provider. */
static bool
bi_aspa_downstream(struct frun *r, struct fvalue *v)
{
	return rpki_aspa_route(r, v, false);
}

/* aspa_check(table, path, is_upstream) */
static bool
bi_aspa_check(struct frun *r, struct fvalue *v)
{
	return builtin_rpki_aspa(r, v, v[1].octets, v[1].len, v[2].i);
}

static bool
builtin_rpki_origin(
    struct frun *r, struct fvalue *v, const struct prefix *net, uint32_t asn)
{
	enum irr_state state = IRR_PREFIX;

	if (v[0].type == T_SET_ORIGIN) /* not an empty set */
		state = origin_set_check(v[0].set->origins, net, asn);
	vm_charge_lookups(r, 8); /* of prefixes of several lengths */
	fvalue_set_u32(&v[0], T_ENUM_IRR, state);
	return true;
}

/* origin_check(set): the route at hand, by the last AS of its path. */
static bool
bi_origin_check_route(struct frun *r, struct fvalue *v)
{
	struct attr_item it;

	if (!r->view)
		return vm_fail(r, "the expression runs without a route");
	if (!attr_edit_get(r->edit, ATTR_AS_PATH, &it))
		return vm_fail(r, "origin_check() of a route without bgp_path");
	r->reads |= FILTER_READ_NET;
	return builtin_rpki_origin(r, v, &r->view->net, route_path_last(r));
}

/* origin_check(set, prefix, asn) */
static bool
bi_origin_check(struct frun *r, struct fvalue *v)
{
	struct prefix net;

	if (fvalue_is_net(&v[1]))
		return vm_fail(r, "origin_check() wants an IPv4 or IPv6 prefix");
	net = fvalue_to_prefix(&v[1]);
	return builtin_rpki_origin(r, v, &net, v[2].i);
}

const struct builtin builtin_rpki[] = {
	{ "roa_check", BI_FUNC | BI_TABLE | BI_NET, 1, { T_TABLE }, T_ENUM_ROA,
	    bi_roa_check_route },
	{ "roa_check", BI_FUNC | BI_TABLE, 3, { T_TABLE, T_PREFIX, T_INT }, T_ENUM_ROA,
	    bi_roa_check },
	{ "origin_check", BI_FUNC | BI_NET, 1, { T_SET_ORIGIN }, T_ENUM_IRR,
	    bi_origin_check_route },
	{ "origin_check", BI_FUNC, 3, { T_SET_ORIGIN, T_PREFIX, T_INT }, T_ENUM_IRR,
	    bi_origin_check },
	{ "aspa_check_upstream", BI_FUNC | BI_TABLE | BI_PATH, 1, { T_TABLE },
	    T_ENUM_ASPA, bi_aspa_upstream },
	{ "aspa_check_downstream", BI_FUNC | BI_TABLE | BI_PATH, 1, { T_TABLE },
	    T_ENUM_ASPA, bi_aspa_downstream },
	{ "aspa_check", BI_FUNC | BI_TABLE, 3, { T_TABLE, T_PATH, T_BOOL }, T_ENUM_ASPA,
	    bi_aspa_check },
	{ .name = NULL },
};
