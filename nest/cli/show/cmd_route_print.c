/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as text. Tools parse these lines; blanks and order are those of bird2 (seen on
 * its control socket).
 *
 * In the session's loop, under RCU. */
#include "nest/cli/show/cmd_route.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_print.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_iface.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/rpki/aspa_set.h"
#include "sysdep/clock.h"
#include "sysdep/iface.h"

#include <stdio.h>

#define METRIC_TEXT 24

static const char *
dest_name(uint8_t dest)
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
source_name(uint8_t rts)
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
own_ip(const struct attr_set *set, uint16_t id, struct ip_addr *out)
{
	struct custom_item it;

	if (!set->local.custom_words || !custom_find(set, id, &it) ||
	    it.len != sizeof(*out))
		return false;
	memcpy(out, it.val, sizeof(*out));
	return true;
}

static bool
own_u32(const struct attr_set *set, uint16_t id, uint32_t *out)
{
	struct custom_item it;

	if (!set->local.custom_words || !custom_find(set, id, &it) ||
	    it.len != sizeof(*out))
		return false;
	memcpy(out, it.val, sizeof(*out));
	return true;
}

/* next_hop - what a route leads to of which nobody has said where it leads: the global
 * address, or the link-local one if that is all there is. */
static struct ip_addr
next_hop(const struct attr_set *set)
{
	struct attr_item it;

	if (set->local.dest != DEST_UNICAST)
		return IP_NONE;
	if (ip_is_none(wire_next_hop(set->wire)) &&
	    wire_find(set->wire, ATTR_NEXT_HOP, &it) && it.len >= 32)
		return ip_get16(it.val + 16);
	return wire_next_hop(set->wire);
}

/* " [AS64500i]"; nothing for routes that no peer sent. */
static void
put_origin(char *to, size_t len, const struct attr_set *set)
{
	static const char letter[] = "ie?";
	const struct wire_set *w = set->wire;
	char c = letter[w->origin < 2 ? w->origin : 2];

	if (set->local.rts != RTS_BGP)
		*to = 0;
	else if (wire_path_last(w))
		snprintf(to, len, " [AS%u%c]", wire_path_last(w), c);
	else
		snprintf(to, len, " [%c]", c);
}

struct line_arg {
	struct cli_session *s;
};

static void
put_attr_line(void *arg, const char *line)
{
	cli_put_line(((struct line_arg *)arg)->s, CLI_ATTRIBUTE, line);
}

/* print_providers - of a route in a table of type aspa. */
static void
print_providers(struct cli_session *s, const struct attr_set *set)
{
	const uint32_t *provider;
	uint32_t cnt = aspa_get_providers(set, &provider);
	struct strbuf b;

	if (!cnt)
		return;
	strbuf_init(&b);
	strbuf_adds(&b, "\taspa_providers: ");
	aspa_print_providers(&b, provider, cnt);
	if (b.len > 500) {
		strbuf_truncate(&b, 497);
		strbuf_adds(&b, "...");
	}
	cli_put_line(s, CLI_ATTRIBUTE, b.s);
	strbuf_fini(&b);
}

static void
print_custom(struct cli_session *s, const struct attr_set *set)
{
	const struct config *c = s->conf->conf;
	struct custom_item it;
	struct strbuf b;
	uint32_t pos = 0;

	print_providers(s, set);
	strbuf_init(&b);
	while (custom_next(&it, set, &pos)) {
		struct fvalue v;

		if (!it.id || it.id > c->custom_cnt ||
		    !fvalue_from_octets(&v, (enum ftype)it.type, it.val, it.len))
			continue;
		strbuf_reset(&b);
		strbuf_addf(&b, "\t%s: ", c->custom[it.id - 1].name);
		fvalue_show(&b, &v);
		if (b.len > 500) {
			strbuf_truncate(&b, 497);
			strbuf_adds(&b, "...");
		}
		cli_put_line(s, CLI_ATTRIBUTE, b.s);
	}
	strbuf_fini(&b);
}

/* What filters have written of the language's own attributes. */
static void
print_own(struct cli_session *s, const struct attr_set *set)
{
	static const struct {
		uint16_t id;
		const char *name;
	} own[] = { { CUSTOM_LOCAL_METRIC, "local_metric" },
		{ CUSTOM_MPLS_LABEL, "mpls_label" },
		{ CUSTOM_MPLS_POLICY, "mpls_policy" },
		{ CUSTOM_MPLS_CLASS, "mpls_class" } };
	static const char *const policy[] = { "none", "static", "prefix", "aggregate",
		"vrf" };
	uint32_t v;

	for (unsigned i = 0; i < ARRAY_LEN(own); i++) {
		if (!own_u32(set, own[i].id, &v))
			continue;
		if (own[i].id == CUSTOM_MPLS_POLICY && v < ARRAY_LEN(policy))
			cli_say(s, CLI_ATTRIBUTE, "\t%s: %s", own[i].name, policy[v]);
		else
			cli_say(s, CLI_ATTRIBUTE, "\t%s: %u", own[i].name, v);
	}
}

/* print_attrs - what `all` adds. */
static void
print_attrs(struct cli_session *s, const struct attr_set *set)
{
	static const char *const scopes[] = { "host", "link", "site", "org", "univ",
		"undef" };
	struct line_arg a = { s };
	uint32_t scope = 4;

	(void)own_u32(set, CUSTOM_SCOPE, &scope);
	cli_say(s, CLI_ROUTE_TYPE, "\tType: %s %s", source_name(set->local.rts),
	    scopes[scope < ARRAY_LEN(scopes) ? scope : 4]);
	/* 0 is what every neighbour on the link has */
	if (set->local.igp_metric && set->local.igp_metric != UINT32_MAX)
		cli_say(s, CLI_ATTRIBUTE, "\tigp_metric: %u", set->local.igp_metric);
	print_own(s, set);
	attr_print_wire(set->wire, put_attr_line, &a);
	print_custom(s, set);
}

/* metric_text - "/120" behind the preference: what AIGP comes to with the way to the next
 * hop, or else that way alone; "" where there is nothing to tell. */
static const char *
metric_text(char to[METRIC_TEXT], const struct attr_set *set)
{
	uint64_t metric = set->local.igp_metric;

	if (aigp_of(set->wire, &metric))
		metric = aigp_total(set, metric);
	else if (!metric || metric == UINT32_MAX)
		return "";
	snprintf(to, METRIC_TEXT, "/%llu", (unsigned long long)metric);
	return to;
}

/* print_hop - "\tvia 192.0.2.1 on eth0 mpls 100 onlink weight 5", "\tdev eth0". @on: the
 * interface, or NULL. @several: it isn't the only one, and with a gateway its weight is
 * told. */
static void
print_hop(struct cli_session *s, const struct attr_set *set, const struct hop *h,
    const char *on, bool several)
{
	uint32_t label, onlink = h->onlink;
	char ip[IP_STR_MAX], way[48] = "";
	size_t n = 0;

	on = on ? on : "?";
	if (own_u32(set, CUSTOM_GW_MPLS, &label) && label != 3)
		n = (size_t)snprintf(way, sizeof(way), " mpls %u", label);
	(void)own_u32(set, CUSTOM_ONLINK, &onlink);
	if (onlink)
		n += (size_t)snprintf(way + n, sizeof(way) - n, " onlink");
	if (several && !ip_is_none(h->gw))
		snprintf(way + n, sizeof(way) - n, " weight %u", h->weight);
	if (ip_is_none(h->gw))
		cli_say(s, CLI_ROUTE, "\tdev %s%s", on, way);
	else
		cli_say(s, CLI_ROUTE, "\tvia %s on %s%s", ip_str(ip, h->gw), on, way);
}

/* print_way - where packets go. */
static void
print_way(struct cli_session *s, const struct route_job *j, const struct attr_set *set,
    const struct route_source *src)
{
	const struct iface_list *l = iface_list_get(j->ifaces);
	struct hop h, next;
	bool several = hop_of(set, 1, &next);

	for (unsigned i = 0; hop_of(set, i, &h); i++)
		print_hop(s, set, &h,
		    h.ifindex ? h.ifname : iface_of(l, h.gw, src->link_if), several);
	if (hop_of(set, 0, &h) || ip_is_none(next_hop(set)))
		return;
	h = hop_make(next_hop(set), 0, NULL);
	print_hop(s, set, &h, iface_of(l, h.gw, src->link_if), false);
}

/* Routes that came together have one time; making its text costs as much as all the rest
 * of the line. */
static const char *
time_text(struct cli_session *s, struct route_job *j, uint64_t mono_ns)
{
	if (mono_ns != j->time_ns || !mono_ns) {
		clock_print(j->time_text, sizeof(j->time_text),
		    cli_time(s, &s->conf->conf->time_route), mono_ns);
		j->time_ns = mono_ns;
	}
	return j->time_text;
}

void
route_print(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *r)
{
	const struct path *p = r->path;
	const struct attr_set *set = r->set;
	const struct route_source *src = path_facts(sc->table, p);
	struct hop h;
	char net[NLRI_STR_MAX] = "", from[IP_STR_MAX + 8] = "", origin[32],
	     ip[IP_STR_MAX], metric[METRIC_TEXT];
	struct nlri k = net_nlri(sc->table, r->net);
	/* what the RPKI says leads nowhere */
	const char *dest = nlri_is_ip(j->kind) ? dest_name(set->local.dest) : "";
	struct ip_addr sender, gw = hop_of(set, 0, &h) ? h.gw : next_hop(set);

	if (!src)
		return;
	sender = src->from;
	(void)own_ip(set, CUSTOM_FROM, &sender);
	if (r->named)
		nlri_str(net, j->kind, k.word, k.head);
	if (!ip_is_none(sender) && !ip_equal(sender, gw))
		snprintf(from, sizeof(from), " from %s", ip_str(ip, sender));
	put_origin(origin, sizeof(origin), set);
	cli_say(s, CLI_ROUTE, "%-20s %s [%s %s%s]%s (%u%s%s)%s", net, dest, src->proto,
	    time_text(s, j, path_time_ns(sc->table, p)), from, r->best ? " *" : "",
	    set->local.preference, set->wire->has & WIRE_HAS_LLGR_STALE ? "s" : "",
	    metric_text(metric, set), origin);
	print_way(s, j, set, src);
	if (j->q.all)
		print_attrs(s, set);
}

void
route_print_sum(struct cli_session *s, const struct route_sum *m, const char *table)
{
	cli_say(s, CLI_ROUTE, "%llu of %llu routes for %llu networks in table %s",
	    (unsigned long long)m->shown, (unsigned long long)m->routes,
	    (unsigned long long)m->nets, table);
}
