/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision process: one function for each rule, in two sequences (before and after
 * MED). The sequences are written out instead of tables of functions, so that the
 * compiler builds one function without calls: 9 ns a step against 33 (measured).
 *
 * I1  Each rule compares one key of either route: the rule is transitive, and so is the
 *     sequence of rules.
 * I2  MED removes a route only if another route of the same group (neighbour AS), tied in
 *     all rules before, has a lower MED. The set of removed routes does not depend on the
 *     order (RFC 4271, 9.1.2.2 c demands this), and the least MED of a group is never
 *     removed.
 *
 * Any loop: pure functions. */
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/route.h"
#include "lib/net/ip.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "proto/bgp/in/bgp_decide.h"

/* RFC 4271 leaves the value open; BIRD and others use 100 */
#define LOCAL_PREF_DEFAULT 100

/* bgp_decide_lower - the lower key is better. */
static int
bgp_decide_lower(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
decide_rule_reachable(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(a->set->local.dest == DEST_UNREACHABLE,
	    b->set->local.dest == DEST_UNREACHABLE);
}

/* decide_rule_stale - RFC 9494, 4.3: a route with the community LLGR_STALE is least
 * preferred, whichever router has added the community. */
static int
decide_rule_stale(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(a->set->wire->has & WIRE_HAS_LLGR_STALE,
	    b->set->wire->has & WIRE_HAS_LLGR_STALE);
}

static int
decide_rule_preference(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(b->set->local.preference, a->set->local.preference);
}

static int
decide_rule_other_protocol(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(a->src->is_bgp, b->src->is_bgp);
}

static uint32_t
decide_local_pref(const struct route_cand *c)
{
	const struct wire_set *w = c->set->wire;

	return w->has & WIRE_HAS_LOCAL_PREF ? wire_local_pref(w) : LOCAL_PREF_DEFAULT;
}

static int
decide_rule_local_pref(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(decide_local_pref(b), decide_local_pref(a));
}

/* decide_aigp_key - RFC 7311, 4: routes without AIGP come after routes with AIGP. */
static uint64_t
decide_aigp_key(const struct route_cand *c)
{
	uint64_t metric;

	return aigp_of(c->set->wire, &metric) ? aigp_total(c->set, metric) : UINT64_MAX;
}

static int
decide_rule_aigp(const struct route_cand *a, const struct route_cand *b)
{
	if (likely(!((a->set->wire->has | b->set->wire->has) & WIRE_HAS_AIGP)))
		return 0;
	return bgp_decide_lower(decide_aigp_key(a), decide_aigp_key(b));
}

/* decide_path_key - a source without path metric counts 0 rather than being left out of
 * the comparison: only so is the rule transitive when sources differ. */
static uint32_t
decide_path_key(const struct route_cand *c)
{
	return c->src->no_path_metric ? 0 : c->set->wire->path_len;
}

static int
decide_rule_path_len(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(decide_path_key(a), decide_path_key(b));
}

static int
decide_rule_origin(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(a->set->wire->origin, b->set->wire->origin);
}

/* decide_is_external - those of our confederation aren't (RFC 5065, 5.3). */
static bool
decide_is_external(const struct route_source *src)
{
	return src->is_ebgp && !src->in_confed;
}

static int
decide_rule_external(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(!decide_is_external(a->src), !decide_is_external(b->src));
}

/* decide_igp_key - 0 without igp metric, for the same reason as in decide_path_key. */
static uint32_t
decide_igp_key(const struct route_cand *c)
{
	return c->src->no_igp_metric ? 0 : c->set->local.igp_metric;
}

static int
decide_rule_igp_metric(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(decide_igp_key(a), decide_igp_key(b));
}

/* decide_age_key - RFC 5004: among external routes the older route stays. A route from a
 * source without this option counts as the youngest, so that the rule is transitive
 * among different sources. */
static uint64_t
decide_age_key(const struct route_cand *c)
{
	return c->src->prefer_older && decide_is_external(c->src) ? c->time_cs
								  : UINT64_MAX;
}

static int
decide_rule_older(const struct route_cand *a, const struct route_cand *b)
{
	if (likely(!a->src->prefer_older && !b->src->prefer_older))
		return 0;
	return bgp_decide_lower(decide_age_key(a), decide_age_key(b));
}

/* bgp_decide_has - the look at a slot spares most routes the call of wire_find. */
static bool
bgp_decide_has(const struct route_cand *c, enum attr_slot slot)
{
	return unlikely(c->set->wire->off[slot]);
}

static uint32_t
bgp_decide_router_id(const struct route_cand *c)
{
	struct attr_item it;

	if (bgp_decide_has(c, SLOT_ORIGINATOR_ID) &&
	    wire_find(c->set->wire, ATTR_ORIGINATOR_ID, &it) && it.len == 4)
		return get_be32(it.val);
	return c->src->peer_router_id;
}

static int
decide_rule_router_id(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(bgp_decide_router_id(a), bgp_decide_router_id(b));
}

static uint32_t
decide_cluster_len(const struct route_cand *c)
{
	struct attr_item it;

	return bgp_decide_has(c, SLOT_CLUSTER_LIST) &&
		       wire_find(c->set->wire, ATTR_CLUSTER_LIST, &it)
		   ? it.len / 4
		   : 0;
}

static int
decide_rule_cluster_list(const struct route_cand *a, const struct route_cand *b)
{
	return bgp_decide_lower(decide_cluster_len(a), decide_cluster_len(b));
}

static int
decide_rule_peer_address(const struct route_cand *a, const struct route_cand *b)
{
	return ip_cmp(a->src->from, b->src->from);
}

static int
decide_cmp_before(const struct route_cand *a, const struct route_cand *b)
{
	int c;

	if ((c = decide_rule_reachable(a, b)) || (c = decide_rule_stale(a, b)) ||
	    (c = decide_rule_preference(a, b)) ||
	    (c = decide_rule_other_protocol(a, b)) ||
	    (c = decide_rule_local_pref(a, b)) || (c = decide_rule_aigp(a, b)) ||
	    (c = decide_rule_path_len(a, b)))
		return c;
	return decide_rule_origin(a, b);
}

static int
decide_cmp_after(const struct route_cand *a, const struct route_cand *b)
{
	int c;

	if ((c = decide_rule_external(a, b)) || (c = decide_rule_igp_metric(a, b)) ||
	    (c = decide_rule_older(a, b)) || (c = decide_rule_router_id(a, b)) ||
	    (c = decide_rule_cluster_list(a, b)))
		return c;
	return decide_rule_peer_address(a, b);
}

/* decide_med_group - MEDs are compared among routes of one group: one neighbour AS, or
 * all sources with `med metric`. No AS has number 2^32. */
static uint64_t
decide_med_group(const struct route_cand *c)
{
	return c->src->med_metric ? 1ull << 32 : c->set->wire->path_first;
}

static uint32_t
decide_med_of(const struct route_cand *c)
{
	const struct wire_set *w = c->set->wire;

	return w->has & WIRE_HAS_MED ? wire_med(w) : c->src->default_med;
}

/* decide_med_least - the lowest MED of @group. */
static uint32_t
decide_med_least(const struct route_cand *c, unsigned cnt, uint64_t group)
{
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < cnt; i++)
		if (decide_med_group(&c[i]) == group && decide_med_of(&c[i]) < least)
			least = decide_med_of(&c[i]);
	return least;
}

int
bgp_decide_cmp(const struct route_cand *a, const struct route_cand *b)
{
	int c = decide_cmp_before(a, b);

	return c ? c : decide_cmp_after(a, b);
}

bool
bgp_decide_tied(const struct route_cand *a, const struct route_cand *b)
{
	return decide_cmp_before(a, b) == 0;
}

uint32_t
bgp_decide_med(const struct route_cand *c, uint64_t *group)
{
	*group = decide_med_group(c);
	return decide_med_of(c);
}

bool
bgp_decide_lowest(const struct route_cand *c)
{
	return decide_med_of(c) == 0;
}

bool
bgp_decide_merges(const struct route_cand *a, const struct route_cand *b)
{
	bool by_med = a->src->med_metric || b->src->med_metric ||
		      decide_med_group(a) == decide_med_group(b);

	return !decide_cmp_before(a, b) && b->set->local.dest != DEST_UNREACHABLE &&
	       (!by_med || decide_med_of(a) == decide_med_of(b)) &&
	       !decide_rule_external(a, b) && !decide_rule_igp_metric(a, b);
}

unsigned
bgp_decide_select(const struct route_cand *c, unsigned cnt)
{
	uint64_t group = UINT64_MAX; /* group whose least MED is known */
	uint32_t least = 0;

	ASSERT(cnt);
	/* The routes stand in the order of the rules after MED: the first route that MED
	 * does not remove is the best. */
	for (unsigned i = 0; i < cnt; i++) {
		if (decide_med_group(&c[i]) != group) {
			group = decide_med_group(&c[i]);
			least = decide_med_least(c, cnt, group);
		}
		if (decide_med_of(&c[i]) == least)
			return i;
	}
	ASSERT(!"the least of a group is never removed");
	return 0;
}

/* ---- why ---- */

/* A rule as reports to operators show the rule. Reports need no speed, so the rules are a
 * table; a property test compares the table with the sequences above. Constant. */
struct rule {
	enum reason step;
	int (*cmp)(const struct route_cand *a, const struct route_cand *b);
	uint64_t (*value)(const struct route_cand *c); /* NULL: it isn't a number */
};

static uint64_t
decide_local_pref_value(const struct route_cand *c)
{
	return decide_local_pref(c);
}

static uint64_t
decide_path_value(const struct route_cand *c)
{
	return decide_path_key(c);
}

static uint64_t
decide_origin_value(const struct route_cand *c)
{
	return c->set->wire->origin;
}

static uint64_t
decide_igp_value(const struct route_cand *c)
{
	return decide_igp_key(c);
}

static uint64_t
decide_cluster_value(const struct route_cand *c)
{
	return decide_cluster_len(c);
}

static const struct rule rules_before[] = {
	{ REASON_REACHABLE, decide_rule_reachable, NULL },
	{ REASON_LONG_LIVED_STALE, decide_rule_stale, NULL },
	{ REASON_PREFERENCE, decide_rule_preference,
	    NULL }, /* the table compares preferences */
	{ REASON_OTHER_PROTOCOL, decide_rule_other_protocol, NULL },
	{ REASON_LOCAL_PREF, decide_rule_local_pref, decide_local_pref_value },
	{ REASON_AIGP, decide_rule_aigp, decide_aigp_key },
	{ REASON_AS_PATH_LENGTH, decide_rule_path_len, decide_path_value },
	{ REASON_ORIGIN, decide_rule_origin, decide_origin_value },
};
static const struct rule rules_after[] = {
	{ REASON_EXTERNAL, decide_rule_external, NULL },
	{ REASON_IGP_METRIC, decide_rule_igp_metric, decide_igp_value },
	{ REASON_OLDER, decide_rule_older, NULL },
	{ REASON_ROUTER_ID, decide_rule_router_id, NULL },
	{ REASON_CLUSTER_LIST_LENGTH, decide_rule_cluster_list, decide_cluster_value },
	{ REASON_PEER_ADDRESS, decide_rule_peer_address, NULL },
};

static bool
decide_lost_by(struct lost_at *at, const struct rule *r, unsigned cnt,
    const struct route_cand *best, const struct route_cand *c)
{
	for (unsigned i = 0; i < cnt; i++) {
		if (!r[i].cmp(best, c))
			continue;
		*at = (struct lost_at){ .step = r[i].step, .has_values = r[i].value };
		if (r[i].value) {
			at->value = r[i].value(c);
			at->best = r[i].value(best);
		}
		return true;
	}
	return false;
}

bool
bgp_decide_lost(struct lost_at *at, const struct route_cand *best,
    const struct route_cand *c, const struct route_cand *tied, unsigned cnt)
{
	uint32_t least;

	if (decide_lost_by(at, rules_before, ARRAY_LEN(rules_before), best, c))
		return true;
	least = decide_med_least(tied, cnt, decide_med_group(c));
	if (decide_med_of(c) > least) {
		*at = (struct lost_at){ REASON_MED, true, decide_med_of(c), least };
		return true;
	}
	return decide_lost_by(at, rules_after, ARRAY_LEN(rules_after), best, c);
}
