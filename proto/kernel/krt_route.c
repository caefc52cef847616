/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convert routes as bird2 does.
 *
 * - Exported routes have the instance's metric and protocol RTPROT_BIRD (12), the number
 *   by which people and programs recognise routes of BIRD.
 * - IPv4 routes to an interface without a gateway have scope link, all remaining routes
 *   have scope universe, unless krt_scope gives a scope.
 * - A route without a usable next hop (nest/rib/index/route_hops.h) is unreachable.
 *
 * No state; any thread. Tested by test/unit/test_krt_route.c, test/net/test_kernel.py. */
#include "proto/kernel/krt_route.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/route_hops.h"
#include "proto/kernel/kernel_conf.h"

#include <linux/rtnetlink.h>

#define MTU_MAX      65520 /* the kernel reduces larger values to this MTU */
#define ADVMSS_MAX   65495
#define HOPLIMIT_ALL 255

/* ---- attributes ---- */

/* krt_route_custom - read the number of the custom attribute @id of @set. Returns: false:
 * @set has no such number. */
static bool
krt_route_custom(const struct attr_set *set, uint16_t id, uint32_t *out)
{
	struct custom_item it;

	if (!set->local.custom_words || !custom_find(set, id, &it) ||
	    it.len != sizeof(*out))
		return false;
	memcpy(out, it.val, sizeof(*out));
	return true;
}

uint32_t
krt_metric_of(const struct attr_set *set)
{
	uint32_t v = 0;

	(void)krt_route_custom(set, CUSTOM_KRT_METRIC, &v);
	return v;
}

static struct ip_addr
route_prefsrc_of(const struct attr_set *set)
{
	struct custom_item it;
	struct ip_addr a;

	if (!custom_find(set, CUSTOM_KRT_PREFSRC, &it) || it.len != sizeof(a))
		return IP_NONE;
	memcpy(&a, it.val, sizeof(a));
	return a;
}

static void
krt_route_clamp(struct rtnl_route *r, unsigned metric, uint32_t max)
{
	if (r->metric[metric] > max)
		r->metric[metric] = max;
}

/* route_put_congctl - a longer name than the kernel's longest is left out. */
static void
route_put_congctl(struct rtnl_route *out, const struct attr_set *set)
{
	struct custom_item it;

	if (custom_find(set, CUSTOM_KRT_METRICS + KRT_CONGCTL, &it) &&
	    it.len <= sizeof(out->congctl))
		memcpy(out->congctl, it.val, it.len);
}

/* krt_route_put_attrs - apply the krt_ attributes that a filter set. */
static void
krt_route_put_attrs(struct rtnl_route *out, const struct attr_set *set)
{
	uint32_t v;

	if (!set->local.custom_words)
		return;
	out->prefsrc = route_prefsrc_of(set);
	if (out->dst.fam == FAM_IP4) /* the kernel keeps no realms of IPv6 routes */
		(void)krt_route_custom(set, CUSTOM_KRT_REALM, &out->realm);
	if (krt_route_custom(set, CUSTOM_KRT_SCOPE, &v) && out->dst.fam == FAM_IP4)
		out->scope = (uint8_t)v;
	for (uint16_t i = 1; i < RTNL_METRICS; i++)
		if (i != KRT_CONGCTL &&
		    krt_route_custom(set, (uint16_t)(CUSTOM_KRT_METRICS + i), &v) && v) {
			out->metrics |= 1u << i;
			out->metric[i] = v;
		}
	route_put_congctl(out, set);
	krt_route_clamp(out, RTAX_MTU, MTU_MAX);
	krt_route_clamp(out, RTAX_ADVMSS, ADVMSS_MAX);
	krt_route_clamp(out, RTAX_HOPLIMIT, HOPLIMIT_ALL);
}

/* ---- next hops ---- */

static void
krt_route_put_hops(struct rtnl_route *out, const struct hop *h, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		out->hop[i] = (struct rtnl_hop){ .gw = h[i].gw,
			.ifindex = h[i].ifindex,
			.weight = h[i].weight,
			.onlink = h[i].onlink };
	out->hop_cnt = (uint16_t)cnt;
}

static uint8_t
route_type_of(uint8_t dest)
{
	return dest == DEST_BLACKHOLE  ? RTN_BLACKHOLE
	       : dest == DEST_PROHIBIT ? RTN_PROHIBIT
	       : dest == DEST_UNICAST  ? RTN_UNICAST
				       : RTN_UNREACHABLE;
}

void
krt_route_key(
    struct rtnl_route *out, const struct krt_where *w, const struct attr_set *set)
{
	out->table = w->cf->table;
	out->protocol = RTPROT_BIRD;
	out->priority = w->cf->metric ? w->cf->metric : krt_metric_of(set);
	/* the kernel replaces priority 0 of IPv6 */
	if (!out->priority && w->fam == FAM_IP6)
		out->priority = 1024;
}

void
krt_route_of(struct rtnl_route *out, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src)
{
	const struct hops_place at = { w->ifaces, w->table };
	struct hop hop[HOPS_MAX];

	*out = (struct rtnl_route){ .dst.fam = (uint8_t)w->fam,
		.type = route_type_of(set->local.dest),
		.hop = out->hop };
	krt_route_key(out, w, set);
	if (out->type == RTN_UNICAST) {
		krt_route_put_hops(out, hop, route_hops_find(hop, &at, set, src, NULL));
		if (!out->hop_cnt)
			out->type = RTN_UNREACHABLE;
		else if (w->fam == FAM_IP4 && ip_is_none(out->hop->gw))
			out->scope = RT_SCOPE_LINK;
	}
	krt_route_put_attrs(out, set);
}

/* ---- comparing ---- */

static bool
route_hop_same(const struct rtnl_hop *a, const struct rtnl_hop *b, bool several)
{
	return ip_equal(a->gw, b->gw) && a->ifindex == b->ifindex &&
	       a->onlink == b->onlink && (!several || a->weight == b->weight);
}

/* route_hops_same - compare hops in any order: the kernel reorders hops of IPv6. */
static bool
route_hops_same(const struct rtnl_route *want, const struct rtnl_route *got)
{
	if (want->hop_cnt != got->hop_cnt)
		return false;
	for (unsigned i = 0; i < want->hop_cnt; i++) {
		unsigned k = 0;

		if (route_hop_same(&want->hop[i], &got->hop[i], want->hop_cnt > 1))
			continue;
		while (k < got->hop_cnt &&
		       !route_hop_same(&want->hop[i], &got->hop[k], want->hop_cnt > 1))
			k++;
		if (k == got->hop_cnt)
			return false;
	}
	return true;
}

bool
krt_route_same(const struct rtnl_route *want, const struct rtnl_route *got)
{
	if (want->type != got->type || want->realm != got->realm ||
	    !ip_equal(want->prefsrc, got->prefsrc) ||
	    (want->dst.fam == FAM_IP4 && want->scope != got->scope))
		return false;
	if (memcmp(want->metric, got->metric, sizeof(want->metric)) ||
	    strcmp(want->congctl, got->congctl))
		return false;
	return want->type != RTN_UNICAST || route_hops_same(want, got);
}

/* ---- foreign routes ---- */

static uint8_t
route_dest_of(uint8_t type)
{
	return type == RTN_UNICAST       ? DEST_UNICAST
	       : type == RTN_BLACKHOLE   ? DEST_BLACKHOLE
	       : type == RTN_UNREACHABLE ? DEST_UNREACHABLE
	       : type == RTN_PROHIBIT    ? DEST_PROHIBIT
					 : 0;
}

/* route_set_hops - set the hops of @got. Returns: false: no hop is on a known interface.
 */
static bool
route_set_hops(
    struct attr_edit *e, const struct rtnl_route *got, const struct iface_list *l)
{
	struct hop *h = arena_alloc(e->arena, (got->hop_cnt + 1) * sizeof(*h));
	unsigned cnt = 0;

	for (unsigned i = 0; i < got->hop_cnt; i++) {
		const struct iface *on = iface_by_index(l, got->hop[i].ifindex);

		if (!on)
			continue;
		h[cnt] = hop_make(got->hop[i].gw, on->index, on->name);
		h[cnt].weight = got->hop[i].weight;
		h[cnt++].onlink = got->hop[i].onlink;
	}
	return cnt && !hops_set(e, h, hops_sort(h, cnt));
}

static bool
krt_route_set_custom(struct attr_edit *e, uint16_t id, uint32_t v, bool always)
{
	return (!v && !always) || !attr_edit_set_custom(e, id, T_INT, &v, sizeof(v));
}

static bool
route_set_attrs(struct attr_edit *e, const struct rtnl_route *got)
{
	bool ok = krt_route_set_custom(e, CUSTOM_KRT_SOURCE, got->protocol, true) &&
		  krt_route_set_custom(e, CUSTOM_KRT_METRIC, got->priority, true) &&
		  krt_route_set_custom(e, CUSTOM_KRT_REALM, got->realm, false) &&
		  krt_route_set_custom(e, CUSTOM_KRT_SCOPE, got->scope, false);

	if (ok && !ip_is_none(got->prefsrc))
		ok = !attr_edit_set_custom(
		    e, CUSTOM_KRT_PREFSRC, T_IP, &got->prefsrc, sizeof(got->prefsrc));
	if (ok && got->congctl[0])
		ok = !attr_edit_set_custom(e, CUSTOM_KRT_METRICS + KRT_CONGCTL, T_STRING,
		    got->congctl, (uint32_t)strlen(got->congctl) + 1);
	for (uint16_t i = 1; ok && i < RTNL_METRICS; i++)
		ok = krt_route_set_custom(
		    e, (uint16_t)(CUSTOM_KRT_METRICS + i), got->metric[i], false);
	return ok;
}

OWNED struct attr_set *
krt_set_of(struct attr_store *store, struct arena *a, const struct rtnl_route *got,
    const struct iface_list *ifaces, uint32_t preference)
{
	struct attr_edit e;

	attr_edit_init(&e, a, attr_store_empty(store));
	e.local = (struct attr_local){ .preference = preference,
		.igp_metric = UINT32_MAX,
		.dest = route_dest_of(got->type),
		.rts = RTS_INHERIT };
	if (!e.local.dest)
		return NULL;
	if (e.local.dest == DEST_UNICAST && !route_set_hops(&e, got, ifaces))
		return NULL;
	return route_set_attrs(&e, got) ? attr_store_edit(store, &e) : NULL;
}
