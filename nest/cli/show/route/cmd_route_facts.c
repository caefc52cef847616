/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about a route, collected once.
 *
 * In the session's loop, under RCU. Tested by test/net/test_birdc.py and
 * test/net/test_json.py. */
#include "nest/cli/show/route/cmd_route_facts.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/route.h"
#include "nest/cli/show/cmd_iface.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"

static const char *
facts_dest_name(uint8_t dest)
{
	switch (dest) {
	case DEST_UNICAST:
		return "unicast";
	case DEST_BLACKHOLE:
		return "blackhole";
	case DEST_PROHIBIT:
		return "prohibited";
	default:
		return "unreachable";
	}
}

static const char *
facts_source_name(uint8_t rts)
{
	switch (rts) {
	case RTS_STATIC:
		return "static";
	case RTS_INHERIT:
		return "inherit";
	case RTS_DEVICE:
		return "device";
	case RTS_BGP:
		return "BGP";
	case RTS_PIPE:
		return "pipe";
	case RTS_RPKI:
		return "RPKI";
	default:
		return "?";
	}
}

static bool
facts_reserved_ip(const struct attr_set *set, uint16_t id, struct ip_addr *out)
{
	struct custom_item it;

	if (!set->local.custom_words || !custom_find(set, id, &it) ||
	    it.len != sizeof(*out))
		return false;
	memcpy(out, it.val, sizeof(*out));
	return true;
}

static bool
facts_reserved_u32(const struct attr_set *set, uint16_t id, uint32_t *out)
{
	struct custom_item it;

	if (!set->local.custom_words || !custom_find(set, id, &it) ||
	    it.len != sizeof(*out))
		return false;
	memcpy(out, it.val, sizeof(*out));
	return true;
}

/* cmd_route_facts_next_hop - next hop of an unresolved route: the global address, or the
 * link-local address if it is the only address. */
static struct ip_addr
cmd_route_facts_next_hop(const struct attr_set *set)
{
	struct attr_item it;

	if (set->local.dest != DEST_UNICAST)
		return IP_NONE;
	if (ip_is_none(wire_next_hop(set->wire)) &&
	    wire_find(set->wire, ATTR_NEXT_HOP, &it) && it.len >= 32)
		return ip_get16(it.val + 16);
	return wire_next_hop(set->wire);
}

static const char *
facts_scope_name(const struct attr_set *set)
{
	static const char *const scopes[] = { "host", "link", "site", "org", "univ",
		"undef" };
	uint32_t scope = 4;

	(void)facts_reserved_u32(set, CUSTOM_SCOPE, &scope);
	return scopes[scope < ARRAY_LEN(scopes) ? scope : 4];
}

/* facts_take_metric - metric 0 is trivial: a neighbour on the link. */
static void
facts_take_metric(struct route_facts *f)
{
	uint64_t metric = f->set->local.igp_metric;

	f->has_metric = metric && metric != UINT32_MAX &&
			f->set->local.dest != DEST_UNREACHABLE;
	if (aigp_of(f->set->wire, &metric)) {
		f->has_metric = true;
		metric = aigp_total(f->set, metric);
	}
	f->metric = metric;
}

bool
route_facts(
    struct route_facts *f, const struct route_scene *sc, const struct route_shown *r)
{
	const struct attr_set *set = r->set;
	struct hop h;

	*f = (struct route_facts){ .set = set, .src = path_facts(sc->table, r->path) };
	if (!f->src)
		return false;
	f->from = f->src->from;
	(void)facts_reserved_ip(set, CUSTOM_FROM, &f->from);
	f->gw = hop_of(set, 0, &h) ? h.gw : cmd_route_facts_next_hop(set);
	f->dest = nlri_is_ip(table_kind(sc->table)) ? facts_dest_name(set->local.dest)
						    : "";
	f->source = facts_source_name(set->local.rts);
	f->scope = facts_scope_name(set);
	facts_take_metric(f);
	f->stale = set->wire->has & WIRE_HAS_LLGR_STALE;
	f->origin_as = set->local.rts == RTS_BGP ? wire_path_last(set->wire) : 0;
	return true;
}

static void
facts_take_hop(struct route_way *w, const struct attr_set *set, const struct hop *h)
{
	uint32_t onlink = h->onlink;

	w->gw = h->gw;
	w->weight = h->weight;
	w->has_label = facts_reserved_u32(set, CUSTOM_GW_MPLS, &w->label) &&
		       w->label != 3;
	(void)facts_reserved_u32(set, CUSTOM_ONLINK, &onlink);
	w->onlink = onlink;
	memcpy(w->ifname, h->ifname, sizeof(w->ifname));
}

bool
route_way(struct route_way *w, const struct route_facts *f, const struct iface_list *l,
    unsigned i)
{
	struct hop h, second;
	bool found = hop_of(f->set, i, &h);

	*w = (struct route_way){ .gw = IP_NONE };
	if (!found &&
	    (i || hop_of(f->set, 0, &h) || ip_is_none(cmd_route_facts_next_hop(f->set))))
		return false;
	if (!found)
		h = hop_make(cmd_route_facts_next_hop(f->set), 0, NULL);
	facts_take_hop(w, f->set, &h);
	w->several = hop_of(f->set, 1, &second);
	w->on = h.ifindex ? w->ifname : iface_of(l, h.gw, f->src->link_if);
	return true;
}

bool
route_reserved(const struct attr_set *set, unsigned *pos, const char **name,
    uint32_t *value, const char **word)
{
	static const struct {
		uint16_t id;
		const char *name;
	} reserved[] = { { CUSTOM_LOCAL_METRIC, "local_metric" },
		{ CUSTOM_MPLS_LABEL, "mpls_label" },
		{ CUSTOM_MPLS_POLICY, "mpls_policy" },
		{ CUSTOM_MPLS_CLASS, "mpls_class" } };
	static const char *const policy[] = { "none", "static", "prefix", "aggregate",
		"vrf" };

	while (*pos < ARRAY_LEN(reserved)) {
		unsigned i = (*pos)++;

		if (!facts_reserved_u32(set, reserved[i].id, value))
			continue;
		*name = reserved[i].name;
		*word = reserved[i].id == CUSTOM_MPLS_POLICY && *value < ARRAY_LEN(policy)
			    ? policy[*value]
			    : NULL;
		return true;
	}
	return false;
}

bool
route_custom(const struct attr_set *set, const struct config *c, uint32_t *pos,
    const char **name, struct fvalue *v)
{
	struct custom_item it;

	while (custom_next(&it, set, pos)) {
		if (!it.id || it.id > c->custom.cnt ||
		    !fvalue_from_octets(v, (enum ftype)it.type, it.val, it.len))
			continue;
		*name = c->custom.at[it.id - 1].name;
		return true;
	}
	return false;
}
