/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `neighbor range`: the rules for an instance of several peers, and the options of the
 * instance that is created for each peer.
 *
 * No state; any thread. Tested by test/unit/test_conf_member.c. */
#include "lib/base/scan.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "sysdep/iface/iface_pattern.h"

bool
bgp_conf_check_range(
    struct conf_ctx *c, const struct conf_proto *p, const struct bgp_conf *b)
{
	const char *text = NULL;

	if (b->dynamic.iface_range && !b->dynamic.has_range)
		text = "interface range is for neighbor range";
	else if (b->dynamic.iface_range && b->id.iface)
		text = "interface range doesn't go with a single interface";
	else if (b->dynamic.has_range && b->tcp.onlink)
		text = "onlink doesn't go with neighbor range";
	else if (b->dynamic.iface_range && b->id.vrf)
		text = "interface range doesn't go with vrf";
	if (text)
		conf_error(c, p->pos, "%s", text);
	else if ((b->dynamic.name || b->dynamic.digits) && !b->dynamic.has_range)
		conf_warning(c, p->pos,
		    "dynamic name%s has no effect without neighbor range",
		    b->dynamic.name ? "" : " digits");
	return !text;
}

static bool
bgp_conf_range_members(const struct conf_proto *p, struct conf_members *out)
{
	const struct bgp_conf *b = bgp_conf_of(p);

	if (!b->dynamic.has_range)
		return false;
	out->name = b->dynamic.name ? b->dynamic.name : "dynbgp";
	out->digits = b->dynamic.digits;
	out->max = b->dynamic.max;
	out->age_s = b->dynamic.age_s;
	return true;
}

/* range_on_iface - may a member be on the interface @name (NULL: not known)? */
static bool
range_on_iface(const struct bgp_conf *b, const char *name)
{
	if (b->id.iface)
		return name && !strcmp(b->id.iface, name);
	for (const struct iface_pattern *p = b->dynamic.iface_range; p; p = p->next)
		if (name && scan_glob(p->mask, name))
			return !p->negative;
	return !b->dynamic.iface_range;
}

static bool
bgp_conf_range_one(void *opt, const struct conf_member *m)
{
	struct bgp_conf *b = opt;

	if (!prefix_has_ip(&b->dynamic.range, m->addr) || !range_on_iface(b, m->iface) ||
	    (ip_is_link_local(m->addr) && !m->iface))
		return false;
	b->id.remote_ip = m->addr;
	b->id.iface = m->iface;
	b->dynamic.has_range = false;
	b->dynamic.range = (struct prefix){ 0 };
	b->dynamic.iface_range = NULL;
	b->dynamic.iface_range_text = NULL;
	b->dynamic.name = NULL;
	b->dynamic.digits = b->dynamic.max = b->dynamic.age_s = 0;
	return true;
}

static bool
bgp_conf_range_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool
bgp_conf_listens(
    const struct bgp_conf *b, const char *vrf, uint16_t port, struct ip_addr local)
{
	return bgp_conf_range_same_text(b->id.vrf, vrf) && b->id.local_port == port &&
	       (ip_is_none(b->id.local_ip) || ip_is_none(local) ||
		   ip_equal(b->id.local_ip, local));
}

/* range_precedes - is the range @b longer than the range @h, and does @b have @addr? */
static bool
range_precedes(const struct bgp_conf *b, const struct bgp_conf *h, struct ip_addr addr)
{
	return h && h->dynamic.has_range && b->dynamic.range.len > h->dynamic.range.len &&
	       prefix_has_ip(&b->dynamic.range, addr);
}

static bool
bgp_conf_range_wants(const struct conf_proto *p, const struct conf_proto *host,
    const struct conf_member *m)
{
	const struct bgp_conf *b = bgp_conf_of(p), *h = host ? bgp_conf_of(host) : NULL;
	bool takes = b->dynamic.has_range ? range_precedes(b, h, m->addr)
					  : ip_equal(b->id.remote_ip, m->addr);

	return takes && (!b->id.iface || !m->iface || !strcmp(b->id.iface, m->iface)) &&
	       (!h || bgp_conf_listens(b, h->id.vrf, h->id.local_port,
			  ip_is_none(h->id.local_ip) ? m->local : h->id.local_ip));
}

const struct conf_member_ops bgp_conf_members = {
	.range = bgp_conf_range_members,
	.one = bgp_conf_range_one,
	.wants = bgp_conf_range_wants,
};
