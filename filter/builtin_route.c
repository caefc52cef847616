/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of the route at hand: reading and writing them.
 *
 * What stands unchanged in the interned set is read from its packed fields; what the
 * UPDATE's decoder or this run has changed is read from the edit. Lists and paths that
 * are absent read as empty ones, other absent attributes as undefined. */
#include "filter/builtin.h"
#include "filter/custom.h"
#include "lib/attr/as_path.h"
#include "lib/attr/community.h"

/* ---- octets of path attributes ---- */

static bool
octets(const struct frun *r, uint8_t code, struct attr_item *it)
{
	return attr_edit_get(r->edit, code, it);
}

/* Was @code set or unset since the base? */
static bool
is_changed(const struct frun *r, uint8_t code)
{
	const struct attr_edit *e = r->edit;
	uint32_t i;

	for (i = 0; i < e->cnt; i++)
		if (e->change[i].id == code && !e->change[i].custom)
			return true;
	return false;
}

void
route_path(const struct frun *r, const uint8_t **p, uint32_t *len)
{
	struct attr_item it;

	*p = (const uint8_t *)"";
	*len = 0;
	if (octets(r, ATTR_AS_PATH, &it)) {
		*p = it.val;
		*len = it.len;
	}
}

void
route_comm(const struct frun *r, unsigned kind, const uint8_t **p, uint32_t *len)
{
	static const uint8_t code[] = { [COMM_STD] = ATTR_COMMUNITY,
		[COMM_EXT] = ATTR_EXT_COMMUNITY,
		[COMM_LARGE] = ATTR_LARGE_COMMUNITY };
	struct attr_item it;

	*p = (const uint8_t *)"";
	*len = 0;
	if (octets(r, code[kind], &it)) {
		*p = it.val;
		*len = it.len;
	}
}

uint32_t
route_path_len(const struct frun *r)
{
	const uint8_t *p;
	uint32_t len;

	if (!is_changed(r, ATTR_AS_PATH))
		return r->edit->base->wire->path_len;
	route_path(r, &p, &len);
	return as_path_len(p, len);
}

uint32_t
route_path_first(const struct frun *r)
{
	const uint8_t *p;
	uint32_t len;

	route_path(r, &p, &len);
	return as_path_first(p, len);
}

uint32_t
route_path_last(const struct frun *r)
{
	const uint8_t *p;
	uint32_t len;

	if (!is_changed(r, ATTR_AS_PATH))
		return r->edit->base->wire->path_last;
	route_path(r, &p, &len);
	return as_path_last(p, len);
}

/* ---- reading ---- */

static bool
get_net(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_prefix(&r->view->net);
	return true;
}

static bool
get_proto(struct frun *r, const struct route_attr *a, struct fvalue *out)
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

static bool
get_from(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_ip(r->view->src ? r->view->src->from : IP_NONE);
	return true;
}

static bool
get_source(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_u32(T_ENUM_RTS, r->edit->local.rts);
	return true;
}

static bool
get_dest(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_u32(T_ENUM_RTD, r->edit->local.dest);
	return true;
}

static bool
get_preference(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_u32(T_INT, r->edit->local.preference);
	return true;
}

static bool
get_igp_metric(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	if (r->edit->local.igp_metric != UINT32_MAX)
		*out = fvalue_u32(T_INT, r->edit->local.igp_metric);
	return true;
}

/* Of next hops there is one, and no interface is kept with it. */
static bool
get_ifname(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)r;
	(void)a;
	*out = (struct fvalue){ .type = T_STRING, .str = "" };
	return true;
}

static bool
get_zero(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)r;
	*out = fvalue_u32(a->type, 0);
	return true;
}

static bool
get_weight(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)r;
	*out = fvalue_u32(a->type, 1);
	return true;
}

static bool
get_scope(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)r;
	*out = fvalue_u32(a->type, 4); /* SCOPE_UNIVERSE */
	return true;
}

static bool
get_list(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	*out = fvalue_empty(a->type);
	if (octets(r, a->code, &it)) {
		out->octets = it.val;
		out->len = it.len;
		out->absent = false;
	}
	return true;
}

static bool
get_u32(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (octets(r, a->code, &it) && it.len >= 4)
		*out = fvalue_u32(a->type, get_be32(it.val));
	return true;
}

static bool
get_u8(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (octets(r, a->code, &it) && it.len >= 1)
		*out = fvalue_u32(a->type, it.val[0]);
	return true;
}

static bool
get_next_hop(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (!octets(r, a->code, &it))
		return true;
	if (it.len == 4)
		*out = fvalue_ip(ip4(get_be32(it.val)));
	else if (it.len >= 16)
		*out = fvalue_ip(ip_get16(it.val));
	return true;
}

/* Where packets go: nowhere, to the BGP next hop, or to the gateway of a static route. */
static bool
get_gw(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	static const struct route_attr next_hop = { .code = ATTR_NEXT_HOP };
	struct custom_item gw;

	(void)a;
	*out = fvalue_ip(IP_NONE);
	if (r->edit->local.dest != DEST_UNICAST)
		return true;
	if (r->edit->local.rts == RTS_BGP)
		return get_next_hop(r, &next_hop, out);
	if (attr_edit_get_custom(r->edit, CUSTOM_GATEWAY, &gw) &&
	    gw.len == sizeof(out->ip))
		memcpy(&out->ip, gw.val, sizeof(out->ip));
	return true;
}

static bool
get_bytes(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct attr_item it;

	if (octets(r, a->code, &it))
		*out = (struct fvalue){
			.type = T_BYTES, .len = it.len, .octets = it.val
		};
	return true;
}

/* ---- writing ---- */

static bool
wrote(struct frun *r, int err)
{
	return err ? vm_fail(r, "too many or too long attributes") : true;
}

static bool
set_octets(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	return wrote(
	    r, attr_edit_set(r->edit, a->code, attr_flags(a->code), v->octets, v->len));
}

/* An empty list is no attribute. */
static bool
set_list(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	if (!v->len)
		return wrote(r, attr_edit_unset(r->edit, a->code));
	return set_octets(r, a, v);
}

static bool
set_u32(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	return wrote(r, attr_edit_set_u32(r->edit, a->code, v->i));
}

static bool
set_origin(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	uint8_t o = (uint8_t)v->i;

	return wrote(r, attr_edit_set(r->edit, a->code, attr_flags(a->code), &o, 1));
}

static bool
set_next_hop(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	uint8_t buf[16];
	uint32_t len = 16;

	if (ip_is_v4(v->ip)) {
		put_be32(buf, ip_to_v4(v->ip));
		len = 4;
	} else {
		ip_put16(buf, v->ip);
	}
	return wrote(r, attr_edit_set(r->edit, a->code, attr_flags(a->code), buf, len));
}

static bool
set_preference(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	(void)a;
	r->edit->local.preference = v->i;
	return true;
}

static bool
set_igp_metric(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	(void)a;
	r->edit->local.igp_metric = v->i;
	return true;
}

static bool
set_dest(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	(void)a;
	r->edit->local.dest = (uint8_t)v->i;
	return true;
}

static const struct route_attr attrs[] = {
	{ "net", T_PREFIX, 0, true, false, FILTER_READ_NET, get_net, NULL },
	{ "proto", T_STRING, 0, true, false, FILTER_READ_SOURCE, get_proto, NULL },
	{ "from", T_IP, 0, true, false, FILTER_READ_SOURCE, get_from, NULL },
	{ "source", T_ENUM_RTS, 0, true, false, 0, get_source, NULL },
	{ "dest", T_ENUM_RTD, 0, false, false, 0, get_dest, set_dest },
	{ "preference", T_INT, 0, false, false, 0, get_preference, set_preference },
	{ "igp_metric", T_INT, 0, false, false, 0, get_igp_metric, set_igp_metric },
	{ "bgp_origin", T_ENUM_ORIGIN, ATTR_ORIGIN, false, false, 0, get_u8, set_origin },
	{ "bgp_path", T_PATH, ATTR_AS_PATH, false, false, 0, get_list, set_octets },
	{ "bgp_next_hop", T_IP, ATTR_NEXT_HOP, false, false, 0, get_next_hop,
	    set_next_hop },
	{ "bgp_med", T_INT, ATTR_MED, false, false, 0, get_u32, set_u32 },
	{ "bgp_local_pref", T_INT, ATTR_LOCAL_PREF, false, false, 0, get_u32, set_u32 },
	{ "bgp_atomic_aggr", T_BYTES, ATTR_ATOMIC_AGGR, false, false, 0, get_bytes,
	    set_octets },
	{ "bgp_aggregator", T_BYTES, ATTR_AGGREGATOR, false, false, 0, get_bytes,
	    set_octets },
	{ "bgp_community", T_CLIST, ATTR_COMMUNITY, false, false, 0, get_list, set_list },
	{ "bgp_originator_id", T_QUAD, ATTR_ORIGINATOR_ID, false, false, 0, get_u32,
	    set_u32 },
	{ "bgp_cluster_list", T_CLIST, ATTR_CLUSTER_LIST, false, false, 0, get_list,
	    set_list },
	{ "bgp_ext_community", T_ECLIST, ATTR_EXT_COMMUNITY, false, false, 0, get_list,
	    set_list },
	{ "bgp_large_community", T_LCLIST, ATTR_LARGE_COMMUNITY, false, false, 0,
	    get_list, set_list },
	{ "bgp_otc", T_INT, ATTR_OTC, false, false, 0, get_u32, set_u32 },
	{ "bgp_aigp", T_BYTES, ATTR_AIGP, false, true, 0, get_bytes, set_octets },
	{ "bgp_pmsi_tunnel", T_BYTES, 22, false, true, 0, get_bytes, set_octets },
	{ "gw", T_IP, 0, true, false, 0, get_gw, NULL },
	{ "ifname", T_STRING, 0, true, false, 0, get_ifname, NULL },
	{ "ifindex", T_INT, 0, true, false, 0, get_zero, NULL },
	{ "weight", T_INT, 0, true, false, 0, get_weight, NULL },
	{ "onlink", T_BOOL, 0, true, false, 0, get_zero, NULL },
	{ "local_metric", T_INT, 0, false, true, 0, NULL, NULL },
	{ "gw_mpls", T_INT, 0, false, true, 0, NULL, NULL },
	{ "mpls_label", T_INT, 0, false, true, 0, NULL, NULL },
	{ "mpls_policy", T_INT, 0, false, true, 0, NULL, NULL },
	{ "mpls_class", T_INT, 0, false, true, 0, NULL, NULL },
	{ "scope", T_ENUM_SCOPE, 0, true, false, 0, get_scope, NULL },
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

const struct route_attr *
route_attr_get(uint32_t index)
{
	return &attrs[index];
}

uint32_t
route_attr_cnt(void)
{
	return ARRAY_LEN(attrs);
}

bool
route_attr_unset(struct frun *r, const struct route_attr *a)
{
	if (!a->code)
		return vm_fail(r, "this attribute can't be unset");
	return wrote(r, attr_edit_unset(r->edit, a->code));
}

/* ---- custom attributes ---- */

bool
route_custom_get(struct frun *r, uint32_t id, enum ftype t, struct fvalue *out)
{
	struct custom_item it;
	struct attr_item wire;

	if (id & ROUTE_WIRE) {
		if (octets(r, (uint8_t)id, &wire))
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
		return wrote(r, attr_edit_set(r->edit, (uint8_t)id,
				    ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE, p, len));
	return wrote(r, attr_edit_set_custom(r->edit, (uint16_t)id, v->type, p, len));
}

bool
route_custom_unset(struct frun *r, uint32_t id)
{
	if (id & ROUTE_WIRE)
		return wrote(r, attr_edit_unset(r->edit, (uint8_t)id));
	return wrote(r, attr_edit_unset_custom(r->edit, (uint16_t)id));
}
