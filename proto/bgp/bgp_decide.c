/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision process: one rule a function, in two tables (before and after MED).
 *
 * I1  Each rule compares one key of either route: it is transitive, and so is their
 * sequence. I2  MED removes a route only if another of the same group (neighbour AS) that
 * is tied with it in all rules before has a lower one. Which are removed doesn't depend
 * on the order (RFC 4271, 9.1.2.2 c asks for just that), and the least of a group is
 * never removed.
 *
 * Any loop: pure functions. */
#include "proto/bgp/bgp_decide.h"

#define LOCAL_PREF_DEFAULT 100 /* RFC 4271 leaves it open; what BIRD and others take */

typedef int decide_rule(const struct bgp_cand *a, const struct bgp_cand *b);

/* lower - the lower key is better. */
static int
lower(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
rule_reachable(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(a->set->local.dest == DEST_UNREACHABLE,
	    b->set->local.dest == DEST_UNREACHABLE);
}

static int
rule_preference(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(b->set->local.preference, a->set->local.preference);
}

static int
rule_other_protocol(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(a->src->is_bgp, b->src->is_bgp);
}

static uint32_t
local_pref(const struct bgp_cand *c)
{
	const struct wire_set *w = c->set->wire;

	return w->has & WIRE_HAS_LOCAL_PREF ? w->local_pref : LOCAL_PREF_DEFAULT;
}

static int
rule_local_pref(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(local_pref(b), local_pref(a));
}

/* path_key - a source without path metric counts 0 rather than being left out of the
 * comparison: only so is the rule transitive when sources differ. */
static uint32_t
path_key(const struct bgp_cand *c)
{
	return c->src->no_path_metric ? 0 : c->set->wire->path_len;
}

static int
rule_path_len(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(path_key(a), path_key(b));
}

static int
rule_origin(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(a->set->wire->origin, b->set->wire->origin);
}

static int
rule_external(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(!a->src->is_ebgp, !b->src->is_ebgp);
}

static int
rule_igp_metric(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(a->set->local.igp_metric, b->set->local.igp_metric);
}

static uint32_t
router_id(const struct bgp_cand *c)
{
	struct attr_item it;

	if (wire_find(c->set->wire, ATTR_ORIGINATOR_ID, &it) && it.len == 4)
		return get_be32(it.val);
	return c->src->peer_router_id;
}

static int
rule_router_id(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(router_id(a), router_id(b));
}

static uint32_t
cluster_len(const struct bgp_cand *c)
{
	struct attr_item it;

	return wire_find(c->set->wire, ATTR_CLUSTER_LIST, &it) ? it.len / 4 : 0;
}

static int
rule_cluster_list(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(cluster_len(a), cluster_len(b));
}

static int
rule_peer_address(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return ip_cmp(a->src->from, b->src->from);
}

static int
rule_source(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return lower(a->src->id, b->src->id);
}

static decide_rule *const before_med[] = { rule_reachable, rule_preference,
	rule_other_protocol, rule_local_pref, rule_path_len, rule_origin };
static decide_rule *const after_med[] = { rule_external, rule_igp_metric, rule_router_id,
	rule_cluster_list, rule_peer_address, rule_source };

static int
cmp_by(decide_rule *const *rule, unsigned cnt, const struct bgp_cand *a,
    const struct bgp_cand *b)
{
	int c = 0;

	for (unsigned i = 0; i < cnt && !c; i++)
		c = rule[i](a, b);
	return c;
}

static int
cmp_before(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return cmp_by(before_med, ARRAY_LEN(before_med), a, b);
}

static int
cmp_after(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return cmp_by(after_med, ARRAY_LEN(after_med), a, b);
}

/* med_group - MEDs are compared among routes of one group: those of one neighbour AS, or
 * all whose sources have `med metric`. No AS has number 2^32. */
static uint64_t
med_group(const struct bgp_cand *c)
{
	return c->src->med_metric ? 1ull << 32 : c->set->wire->path_first;
}

/* med_prune - mark those of @c's group that lose by MED to another member. Returns: is @c
 * one? */
static bool
med_prune(struct bgp_cand *cand, unsigned cnt, const struct bgp_cand *c)
{
	uint64_t group = med_group(c);
	uint32_t least = c->set->wire->med;

	for (unsigned i = 0; i < cnt; i++)
		if (!cand[i].out && med_group(&cand[i]) == group &&
		    cand[i].set->wire->med < least)
			least = cand[i].set->wire->med;
	if (least == c->set->wire->med)
		return false;
	for (unsigned i = 0; i < cnt; i++)
		if (med_group(&cand[i]) == group && cand[i].set->wire->med > least)
			cand[i].out = true;
	return true;
}

int
bgp_decide_cmp(const struct bgp_cand *a, const struct bgp_cand *b)
{
	int c = cmp_before(a, b);

	return c ? c : cmp_after(a, b);
}

bool
bgp_decide_tied(const struct bgp_cand *a, const struct bgp_cand *b)
{
	return cmp_before(a, b) == 0;
}

unsigned
bgp_decide_best(struct bgp_cand *cand, unsigned cnt)
{
	unsigned top = 0, best;

	ASSERT(cnt);
	for (unsigned i = 1; i < cnt; i++)
		if (cmp_before(&cand[i], &cand[top]) < 0)
			top = i;
	for (unsigned i = 0; i < cnt; i++)
		cand[i].out = !bgp_decide_tied(&cand[i], &cand[top]);
	/* The best of those left either stands, or its group is thinned out and another
	 * is tried: at most once for each neighbour AS. */
	do {
		best = cnt;
		for (unsigned i = 0; i < cnt; i++)
			if (!cand[i].out &&
			    (best == cnt || cmp_after(&cand[i], &cand[best]) < 0))
				best = i;
		ASSERT(best < cnt);
	} while (med_prune(cand, cnt, &cand[best]));
	return best;
}
