/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of the route at hand: reading and writing. The thread of the run calls.
 *
 * Unchanged attributes are read from the packed fields of the interned set; attributes
 * that the UPDATE's decoder or this run has changed are read from the edit. Absent lists
 * and paths read as empty, other absent attributes as undefined. Tested by
 * test/unit/test_know.c and test/unit/test_vm.c. */
#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/custom.h"
#include "filter/run/frun.h"
#include "filter/run/hop.h"
#include "filter/run/net.h"
#include "filter/run/value.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/base/spell.h"
#include "lib/mem/arena.h"
#include "lib/attr/attr_edit.h"
#include "lib/net/ip.h"

/* ---- reading ---- */

static bool
route_get_net(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	if (unlikely(r->view->what))
		*out = fvalue_of_net(r->view->what);
	else
		fvalue_set_prefix(out, &r->view->net);
	return true;
}

static bool
route_get_proto(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	const char *name = r->view->src ? r->view->src->proto : NULL;

	(void)a;
	if (!name)
		return true;
	*out = (struct fvalue){
		.type = T_STRING, .len = (uint32_t)strlen(name), .str = name
	};
	return true;
}

/* route_written_value - the value that this filter or an earlier filter has written. */
static bool
route_written_value(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct custom_item it;

	return attr_edit_get_custom(r->edit, a->reserved, &it) && it.type == a->type &&
	       fvalue_from_octets(out, (enum ftype)a->type, it.val, it.len);
}

/* Of a route in a table of type aspa: a list of AS numbers, as BIRD has it. */
static bool
route_get_providers(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct custom_item it;
	uint32_t provider;
	uint8_t *list;

	if (!attr_edit_get_custom(r->edit, a->reserved, &it))
		return true;
	vm_charge(r, it.len);
	list = arena_alloc(&r->t->arena, it.len + 1);
	for (uint32_t i = 0; i < it.len; i += 4) {
		memcpy(&provider, (const uint8_t *)it.val + i, 4);
		put_be32(list + i, provider);
	}
	*out = (struct fvalue){ .type = T_CLIST, .len = it.len, .octets = list };
	return true;
}

/* Undefined unless written. */
static bool
route_get_reserved(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)route_written_value(r, a, out);
	return true;
}

/* What stands where nobody has written: as for a route that BGP has brought. */
static bool
route_get_reserved_default(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	static const uint32_t value[] = {
		[CUSTOM_WEIGHT - CUSTOM_FROM] = 1,
		[CUSTOM_ONLINK - CUSTOM_FROM] = false,
		[CUSTOM_GW_MPLS - CUSTOM_FROM] = 3, /* RFC 3032: implicit null */
		[CUSTOM_SCOPE - CUSTOM_FROM] = 4, /* SCOPE_UNIVERSE */
	};

	uint32_t v = value[a->reserved - CUSTOM_FROM];
	struct hop h;

	if (route_written_value(r, a, out))
		return true;
	if (hop_in(r->edit, 0, &h) && a->reserved == CUSTOM_WEIGHT)
		v = h.weight;
	else if (hop_in(r->edit, 0, &h) && a->reserved == CUSTOM_ONLINK)
		v = h.onlink;
	fvalue_set_u32(out, (enum ftype)a->type, v);
	return true;
}

static bool
route_get_from(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	if (route_written_value(r, a, out))
		return true;
	*out = fvalue_ip(r->view->src ? r->view->src->from : IP_NONE);
	return true;
}

static bool
route_get_source(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	fvalue_set_u32(out, T_ENUM_RTS, r->edit->local.rts);
	return true;
}

static bool
route_get_preference(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	if (!r->pref_unset)
		fvalue_set_u32(out, T_INT, r->edit->local.preference);
	return true;
}

static bool
route_get_igp_metric(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	if (r->edit->local.igp_metric != UINT32_MAX)
		fvalue_set_u32(out, T_INT, r->edit->local.igp_metric);
	return true;
}

void
route_no_list(const struct route_attr *a, struct fvalue *out)
{
	fvalue_set_head(out, a->type, 0, 0, true, 0);
	out->octets = (const uint8_t *)"";
}

static bool
route_get_list(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (attr_edit_get(r->edit, a->code, &it)) {
		fvalue_set_head(out, a->type, 0, 0, false, it.len);
		out->octets = it.val;
	} else {
		route_no_list(a, out);
	}
	return true;
}

static bool
route_get_u32(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (attr_edit_get(r->edit, a->code, &it) && it.len >= 4)
		fvalue_set_u32(out, a->type, get_be32(it.val));
	return true;
}

static bool
route_get_u8(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (attr_edit_get(r->edit, a->code, &it) && it.len >= 1)
		fvalue_set_u32(out, a->type, it.val[0]);
	return true;
}

/* route_get_next_hop - the global next hop. A link-local next hop alone, in 16 octets or
 * behind ::, reads as ::, as in bird2. */
static bool
route_get_next_hop(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;
	struct ip_addr hop;

	if (!attr_edit_get(r->edit, a->code, &it))
		return true;
	hop = route_next_hop(r);
	*out = fvalue_ip(it.len == 16 && ip_is_link_local(hop) ? IP_NONE : hop);
	return true;
}

static bool
route_get_bytes(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (attr_edit_get(r->edit, a->code, &it))
		*out = (struct fvalue){
			.type = T_BYTES, .len = it.len, .octets = it.val
		};
	return true;
}

/* ---- writing ---- */

static bool
route_set_octets(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	return route_wrote(
	    r, attr_edit_set(r->edit, a->code, attr_flags(a->code), v->octets, v->len));
}

/* An empty list is no attribute. */
static bool
route_set_list(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	if (!v->len)
		return route_wrote(r, attr_edit_unset(r->edit, a->code));
	return route_set_octets(r, a, v);
}

static bool
route_set_u32(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	return route_wrote(r, attr_edit_set_u32(r->edit, a->code, v->i));
}

static bool
route_set_origin(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	uint8_t o = (uint8_t)v->i;

	return route_wrote(
	    r, attr_edit_set(r->edit, a->code, attr_flags(a->code), &o, 1));
}

static bool
route_set_next_hop(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	uint8_t buf[32] = { 0 };
	uint32_t len = 16;

	if (!route_keep_gw(r))
		return false;
	if (ip_is_v4(v->ip)) {
		put_be32(buf, ip_to_v4(v->ip));
		len = 4;
	} else {
		ip_put16(buf, v->ip);
		/* unlike a received next hop (route_get_next_hop) */
		if (ip_is_link_local(v->ip))
			len = 32;
	}
	return route_wrote(
	    r, attr_edit_set(r->edit, a->code, attr_flags(a->code), buf, len));
}

static bool
route_set_preference(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	(void)a;
	r->edit->local.preference = v->i;
	r->pref_unset = false;
	return true;
}

static bool
route_set_igp_metric(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	(void)a;
	r->edit->local.igp_metric = v->i;
	return true;
}

/* Attributes of kernel routes that are bits of one word: locks of metrics, features. */

static uint32_t
builtin_route_bits(const struct frun *r, const struct route_attr *a)
{
	struct custom_item it;
	uint32_t v = 0;

	if (attr_edit_get_custom(r->edit, a->reserved, &it) && it.len == sizeof(v))
		memcpy(&v, it.val, sizeof(v));
	return v;
}

static bool
route_get_bit(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	fvalue_set_u32(out, T_BOOL, builtin_route_bits(r, a) >> a->bit & 1);
	return true;
}

static bool
route_set_bit(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	uint32_t was = builtin_route_bits(r, a), bit = 1u << a->bit,
		 now = v->i ? was | bit : was & ~bit;

	if (!now)
		return route_wrote(r, attr_edit_unset_custom(r->edit, a->reserved));
	return route_wrote(
	    r, attr_edit_set_custom(r->edit, a->reserved, T_INT, &now, sizeof(now)));
}

#define READ_IFACES (FILTER_READ_IFACES | FILTER_READ_VOLATILE)

static const struct route_attr attrs[] = {
	{ "net", T_PREFIX, route_get_net, NULL, .reads = FILTER_READ_NET },
	{ "proto", T_STRING, route_get_proto, NULL, .reads = FILTER_READ_SOURCE },
	{ "from", T_IP, route_get_from, route_set_reserved, .reads = FILTER_READ_SOURCE,
	    .reserved = CUSTOM_FROM },
	{ "source", T_ENUM_RTS, route_get_source, NULL, .code = 0 },
	{ "dest", T_ENUM_RTD, route_get_dest, route_set_dest, .code = 0 },
	{ "preference", T_INT, route_get_preference, route_set_preference,
	    .can_unset = true },
	{ "igp_metric", T_INT, route_get_igp_metric, route_set_igp_metric,
	    .can_unset = true },
	{ "bgp_origin", T_ENUM_ORIGIN, route_get_u8, route_set_origin,
	    .code = ATTR_ORIGIN },
	{ "bgp_path", T_PATH, route_get_list, route_set_octets, .code = ATTR_AS_PATH },
	{ "bgp_next_hop", T_IP, route_get_next_hop, route_set_next_hop,
	    .code = ATTR_NEXT_HOP },
	{ "bgp_med", T_INT, route_get_u32, route_set_u32, .code = ATTR_MED },
	{ "bgp_local_pref", T_INT, route_get_u32, route_set_u32,
	    .code = ATTR_LOCAL_PREF },
	{ "bgp_atomic_aggr", T_BYTES, route_get_bytes, route_set_octets,
	    .code = ATTR_ATOMIC_AGGR },
	{ "bgp_aggregator", T_BYTES, route_get_bytes, route_set_octets,
	    .code = ATTR_AGGREGATOR },
	{ "bgp_community", T_CLIST, route_get_list, route_set_list,
	    .code = ATTR_COMMUNITY },
	{ "bgp_originator_id", T_QUAD, route_get_u32, route_set_u32,
	    .code = ATTR_ORIGINATOR_ID },
	{ "bgp_cluster_list", T_CLIST, route_get_list, route_set_list,
	    .code = ATTR_CLUSTER_LIST },
	{ "bgp_ext_community", T_ECLIST, route_get_list, route_set_list,
	    .code = ATTR_EXT_COMMUNITY },
	{ "bgp_large_community", T_LCLIST, route_get_list, route_set_list,
	    .code = ATTR_LARGE_COMMUNITY },
	{ "bgp_otc", T_INT, route_get_u32, route_set_u32, .code = ATTR_OTC },
	{ "bgp_aigp", T_BYTES, route_get_bytes, NULL, .code = ATTR_AIGP },
	{ "bgp_pmsi_tunnel", T_BYTES, route_get_bytes, NULL, .code = 22 }, /* RFC 6514 */
	{ "gw", T_IP, route_get_gw, route_set_gw, .set_reads = READ_IFACES },
	{ "ifname", T_STRING, route_get_ifname, route_set_ifname, .reads = READ_IFACES,
	    .set_reads = READ_IFACES },
	{ "ifindex", T_INT, route_get_ifindex, NULL, .reads = READ_IFACES },
	{ "weight", T_INT, route_get_reserved_default, route_set_weight,
	    .reserved = CUSTOM_WEIGHT },
	{ "onlink", T_BOOL, route_get_reserved_default, route_set_onlink,
	    .reserved = CUSTOM_ONLINK },
	{ "gw_mpls", T_INT, route_get_reserved_default, route_set_gw_mpls,
	    .reserved = CUSTOM_GW_MPLS },
	{ "scope", T_ENUM_SCOPE, route_get_reserved_default, route_set_reserved,
	    .reserved = CUSTOM_SCOPE },
	{ "local_metric", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_LOCAL_METRIC, .can_unset = true },
	{ "mpls_label", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_MPLS_LABEL, .can_unset = true },
	{ "mpls_policy", T_ENUM_MPLS_POLICY, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_MPLS_POLICY, .can_unset = true },
	{ "mpls_class", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_MPLS_CLASS, .can_unset = true },
	{ "aspa_providers", T_CLIST, route_get_providers, NULL,
	    .reserved = CUSTOM_PROVIDERS },
	{ "krt_source", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_KRT_SOURCE, .can_unset = true },
	{ "krt_metric", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_KRT_METRIC, .can_unset = true },
	{ "krt_prefsrc", T_IP, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_KRT_PREFSRC, .can_unset = true },
	{ "krt_realm", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_KRT_REALM, .can_unset = true },
	{ "krt_scope", T_INT, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_KRT_SCOPE, .can_unset = true },
#define X(name, number)                                                                  \
	{ "krt_" #name, T_INT, route_get_reserved, route_set_reserved,                   \
		.reserved = CUSTOM_KRT_METRICS + (number), .can_unset = true },          \
	    { "krt_lock_" #name, T_BOOL, route_get_bit, route_set_bit,                   \
		    .reserved = CUSTOM_KRT_METRICS + KRT_LOCK, .bit = (number) },
	KRT_METRICS(X)
#undef X
	    { "krt_feature_ecn", T_BOOL, route_get_bit, route_set_bit,
		.reserved = CUSTOM_KRT_METRICS + KRT_FEATURES, .bit = 0 },
	{ "krt_congctl", T_STRING, route_get_reserved, route_set_reserved,
	    .reserved = CUSTOM_KRT_METRICS + KRT_CONGCTL, .can_unset = true },
	{ "krt_lock_congctl", T_BOOL, route_get_bit, route_set_bit,
	    .reserved = CUSTOM_KRT_METRICS + KRT_LOCK, .bit = KRT_CONGCTL },
	{ "krt_feature_allfrag", T_BOOL, route_get_bit, route_set_bit,
	    .reserved = CUSTOM_KRT_METRICS + KRT_FEATURES, .bit = 3 },
};

int
route_attr_find(const char *name)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(attrs); i++)
		if (!strcmp(attrs[i].name, name))
			return (int)i;
	return -1;
}

void
route_attr_spell(struct spell *sp)
{
	for (unsigned i = 0; i < ARRAY_LEN(attrs); i++)
		spell_add(sp, attrs[i].name);
}

const struct route_attr *
route_attr_get(uint32_t index)
{
	return &attrs[index];
}

bool
route_attr_unset(struct frun *r, const struct route_attr *a)
{
	if (a->reserved)
		return route_wrote(r, attr_edit_unset_custom(r->edit, a->reserved));
	if (!a->code && a->get == route_get_preference) {
		r->edit->local.preference = 0;
		r->pref_unset = true;
		return true;
	}
	if (!a->code) { /* no other attribute can be unset */
		r->edit->local.igp_metric = UINT32_MAX;
		return true;
	}
	if (a->code == ATTR_NEXT_HOP && !route_keep_gw(r))
		return false;
	return route_wrote(r, attr_edit_unset(r->edit, a->code));
}

/* ---- custom attributes ---- */

bool
route_custom_get(struct frun *r, uint32_t id, enum ftype t, struct fvalue *out)
{
	struct custom_item it;
	struct attr_item wire;

	if (id & ROUTE_WIRE) {
		if (attr_edit_get(r->edit, (uint8_t)id, &wire))
			*out = (struct fvalue){
				.type = T_BYTES, .len = wire.len, .octets = wire.val
			};
		return true;
	}
	if (!attr_edit_get_custom(r->edit, (uint16_t)id, &it)) {
		/* absent lists and paths read as empty */
		if (t == T_PATH || t == T_CLIST || t == T_ECLIST || t == T_LCLIST)
			*out = fvalue_empty(t);
		return true;
	}
	if (it.type != t || !fvalue_from_octets(out, t, it.val, it.len))
		return vm_fail(r, "a custom attribute has another type than declared");
	return true;
}

bool
route_custom_set(struct frun *r, uint32_t id, const struct fvalue *v)
{
	uint32_t len;
	const void *p = fvalue_octets(v, &len);

	if (id & ROUTE_WIRE)
		return route_wrote(r, attr_edit_set(r->edit, (uint8_t)id,
					  ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE, p, len));
	return route_wrote(
	    r, attr_edit_set_custom(r->edit, (uint16_t)id, v->type, p, len));
}

bool
route_custom_unset(struct frun *r, uint32_t id)
{
	if (id & ROUTE_WIRE)
		return route_wrote(r, attr_edit_unset(r->edit, (uint8_t)id));
	return route_wrote(r, attr_edit_unset_custom(r->edit, (uint16_t)id));
}
