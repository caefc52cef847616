/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best route of a network, by elimination: each rule of doc/reasons.md ("Selection")
 * leaves the routes with the best value. No rule depends on the order of the routes. */
#include "test/sim/oracle/oracle_model.h"

#include "lib/attr/as_path.h"

#include <stdlib.h>
#include <string.h>

#define LLGR_STALE 0xffff0006u
#define PREF_USUAL 100 /* of a route without LOCAL_PREF */

static uint64_t
select_preference(const struct oracle_route *r)
{
	return UINT32_MAX - r->set->local.preference;
}

static uint64_t
select_kind(const struct oracle_route *r)
{
	return r->source->kind;
}

static uint64_t
select_reachable(const struct oracle_route *r)
{
	return r->set->local.dest == DEST_UNREACHABLE;
}

static uint64_t
select_stale(const struct oracle_route *r)
{
	return oracle_has_community(r->set, LLGR_STALE);
}

static uint64_t
select_local_pref(const struct oracle_route *r)
{
	uint32_t v = PREF_USUAL;

	oracle_get_u32(r->set, ATTR_LOCAL_PREF, &v);
	return UINT32_MAX - v;
}

/* RFC 4271, 9.1.2.2 a: a set counts as one AS. RFC 5065, 5.3: confederation segments do
 * not count. */
static uint64_t
select_path(const struct oracle_route *r)
{
	struct attr_item it;
	uint64_t len = 0;

	if (r->source->facts.no_path_metric || !oracle_get(r->set, ATTR_AS_PATH, &it))
		return 0;
	for (uint32_t i = 0; i + 2 <= it.len; i += 2u + 4u * it.val[i + 1])
		len += it.val[i] == AS_SEQUENCE ? it.val[i + 1] : it.val[i] == AS_SET;
	return len;
}

static uint64_t
select_origin(const struct oracle_route *r)
{
	struct attr_item it;

	return oracle_get(r->set, ATTR_ORIGIN, &it) && it.len ? it.val[0]
							      : ORIGIN_INCOMPLETE;
}

static uint64_t
select_external(const struct oracle_route *r)
{
	return !r->source->facts.is_ebgp || r->source->facts.in_confed;
}

static uint64_t
select_igp(const struct oracle_route *r)
{
	return r->source->facts.no_igp_metric ? 0 : r->set->local.igp_metric;
}

static uint64_t
select_router_id(const struct oracle_route *r)
{
	uint32_t v = r->source->facts.peer_router_id;

	oracle_get_u32(r->set, ATTR_ORIGINATOR_ID, &v);
	return v;
}

static uint64_t
select_clusters(const struct oracle_route *r)
{
	struct attr_item it;

	return oracle_get(r->set, ATTR_CLUSTER_LIST, &it) ? it.len / 4 : 0;
}

static uint64_t
select_address_hi(const struct oracle_route *r)
{
	return r->source->facts.from.hi;
}

static uint64_t
select_address_lo(const struct oracle_route *r)
{
	return r->source->facts.from.lo;
}

static uint64_t
select_pipes(const struct oracle_route *r)
{
	return r->way_cnt;
}

static uint64_t
select_by(const struct oracle_route *r)
{
	return r->by->index;
}

static uint64_t
select_from(const struct oracle_route *r)
{
	return r->source->proto->index;
}

static uint64_t
select_id(const struct oracle_route *r)
{
	return r->id;
}

/* A rule: the lower value is better. */
struct select_rule {
	uint64_t (*value)(const struct oracle_route *r);
	bool is_bgp; /* among routes of BGP alone */
	enum reason reason;
};

static const struct select_rule before_med[] = { { select_preference, false,
						     REASON_PREFERENCE },
	{ select_kind, false, REASON_OTHER_PROTOCOL },
	{ select_reachable, true, REASON_REACHABLE },
	{ select_stale, true, REASON_LONG_LIVED_STALE },
	{ select_local_pref, true, REASON_LOCAL_PREF },
	{ select_path, true, REASON_AS_PATH_LENGTH },
	{ select_origin, true, REASON_ORIGIN } };
static const struct select_rule after_med[] = { { select_external, true,
						    REASON_EXTERNAL },
	{ select_igp, true, REASON_IGP_METRIC },
	{ select_router_id, true, REASON_ROUTER_ID },
	{ select_clusters, true, REASON_CLUSTER_LIST_LENGTH },
	{ select_address_hi, true, REASON_PEER_ADDRESS },
	{ select_address_lo, true, REASON_PEER_ADDRESS },
	{ select_pipes, false, REASON_PIPES },
	{ select_from, false, REASON_EARLIER_PROTOCOL } };

static unsigned
select_by_rule(
    const struct select_rule *rule, const struct oracle_route **left, unsigned cnt)
{
	uint64_t best = UINT64_MAX;
	unsigned kept = 0;

	/* All routes are of one kind behind the rule about kinds. */
	if (cnt < 2 || (rule->is_bgp && left[0]->source->kind != ORACLE_BGP))
		return cnt;
	for (unsigned i = 0; i < cnt; i++)
		if (rule->value(left[i]) < best)
			best = rule->value(left[i]);
	for (unsigned i = 0; i < cnt; i++)
		if (rule->value(left[i]) == best)
			left[kept++] = left[i];
	return kept;
}

static uint32_t
select_med(const struct oracle_route *r)
{
	uint32_t v = r->source->facts.default_med;

	oracle_get_u32(r->set, ATTR_MED, &v);
	return v;
}

/* select_med_group - the neighbour AS; 2^32 for all sources with `med metric`. */
static uint64_t
select_med_group(const struct oracle_route *r)
{
	struct attr_item it;

	if (r->source->facts.med_metric)
		return 1ull << 32;
	return oracle_get(r->set, ATTR_AS_PATH, &it) ? as_path_first(it.val, it.len) : 0;
}

/* select_by_med - RFC 4271, 9.1.2.2 c: a route goes if a route of the same neighbour AS
 * has a lower MED. */
static unsigned
select_by_med(const struct oracle_route **left, unsigned cnt)
{
	const struct oracle_route **all = left;
	unsigned kept = 0;
	bool *worse;

	if (cnt < 2 || left[0]->source->kind != ORACLE_BGP)
		return cnt;
	worse = calloc(cnt, sizeof(*worse));
	for (unsigned i = 0; i < cnt; i++)
		for (unsigned k = 0; k < cnt; k++)
			worse[i] |= select_med_group(all[k]) ==
					select_med_group(all[i]) &&
				    select_med(all[k]) < select_med(all[i]);
	for (unsigned i = 0; i < cnt; i++)
		if (!worse[i])
			left[kept++] = left[i];
	free(worse);
	return kept;
}

/* select_pipe_cnt - pipes on the way. A table that reads another table through its pipe
 * (conf_table_base) keeps the order of equal static routes: the last pipe does not
 * count. */
static unsigned
select_pipe_cnt(const struct oracle_route *r)
{
	const struct conf_table *last = r->way[r->way_cnt - 1]->conf;

	return r->way_cnt - 1 - (r->way_cnt > 1 && conf_table_base(last));
}

static int
select_octets(const void *a, uint32_t a_len, const void *b, uint32_t b_len)
{
	int c = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return c ? c : a_len < b_len ? -1 : a_len > b_len;
}

/* select_cmp_sets - < 0: the attributes @a precede the attributes @b. */
static int
select_cmp_sets(const struct attr_set *a, const struct attr_set *b)
{
	const uint64_t x[] = { a->local.igp_metric, a->local.dest, a->local.rts },
		       y[] = { b->local.igp_metric, b->local.dest, b->local.rts };
	int c = select_octets(a->wire->data, a->wire->len, b->wire->data, b->wire->len);

	for (unsigned i = 0; !c && i < 3; i++)
		c = x[i] < y[i] ? -1 : x[i] > y[i];
	return c ? c
		 : select_octets(attr_custom(a), attr_custom_len(a), attr_custom(b),
		       attr_custom_len(b));
}

/* select_has_octets - the octets of the attributes decide between equal routes. */
static bool
select_has_octets(const struct oracle_route *r)
{
	return r->source->kind == ORACLE_BGP || select_pipe_cnt(r);
}

/* select_by_octets - among routes of one source. */
static unsigned
select_by_octets(const struct oracle_route **left, unsigned cnt)
{
	const struct attr_set *best;
	unsigned kept = 0;

	if (cnt < 2 || !select_has_octets(left[0]))
		return cnt;
	best = left[0]->set;
	for (unsigned i = 1; i < cnt; i++)
		if (select_cmp_sets(left[i]->set, best) < 0)
			best = left[i]->set;
	for (unsigned i = 0; i < cnt; i++)
		if (!select_cmp_sets(left[i]->set, best))
			left[kept++] = left[i];
	return kept;
}

/* select_to_med - the routes of @r that are left behind the steps up to MED. @left: room
 * for @all. Returns: the number. */
static unsigned
select_to_med(
    const struct oracle_route *const *r, unsigned all, const struct oracle_route **left)
{
	unsigned cnt = 0;

	for (unsigned i = 0; i < all; i++)
		if (!r[i]->refused)
			left[cnt++] = r[i];
	for (unsigned i = 0; i < sizeof(before_med) / sizeof(before_med[0]); i++)
		cnt = select_by_rule(&before_med[i], left, cnt);
	return select_by_med(left, cnt);
}

const struct oracle_route *
oracle_select(const struct oracle_route *const *r, unsigned all)
{
	static const struct select_rule by_id = { select_id, false, REASON_PATH_ID };
	static const struct select_rule by_place = { select_by, false,
		REASON_EARLIER_PROTOCOL };
	const struct oracle_route **left = calloc(all + 1, sizeof(*left)), *best;
	unsigned cnt = select_to_med(r, all, left);

	for (unsigned i = 0; i < sizeof(after_med) / sizeof(after_med[0]); i++)
		cnt = select_by_rule(&after_med[i], left, cnt);
	cnt = select_by_octets(left, cnt);
	cnt = select_by_rule(&by_place, left, cnt);
	cnt = select_by_rule(&by_id, left, cnt);
	best = cnt ? left[0] : NULL;
	free(left);
	return best;
}

/* select_passes_med - @of: a route of @r that equals the best route in the steps before
 * MED. */
static bool
select_passes_med(
    const struct oracle_route *const *r, unsigned all, const struct oracle_route *of)
{
	const struct oracle_route **left = calloc(all + 1, sizeof(*left));
	unsigned cnt = select_to_med(r, all, left);
	bool passes = false;

	for (unsigned i = 0; i < cnt; i++)
		passes |= left[i] == of;
	free(left);
	return passes;
}

/* select_differs - the reason of the first rule in which the routes differ. */
static enum reason
select_differs(const struct select_rule *rule, unsigned cnt, const struct oracle_route *a,
    const struct oracle_route *b)
{
	bool is_bgp = a->source->kind == ORACLE_BGP && b->source->kind == ORACLE_BGP;

	for (unsigned i = 0; i < cnt; i++)
		if ((is_bgp || !rule[i].is_bgp) && rule[i].value(a) != rule[i].value(b))
			return rule[i].reason;
	return REASON_NONE;
}

enum reason
oracle_lost(const struct oracle_route *const *all, unsigned cnt,
    const struct oracle_route *best, const struct oracle_route *r)
{
	enum reason why = select_differs(
	    before_med, sizeof(before_med) / sizeof(before_med[0]), best, r);

	if (why)
		return why;
	if (!select_passes_med(all, cnt, r))
		return REASON_MED;
	why = select_differs(
	    after_med, sizeof(after_med) / sizeof(after_med[0]), best, r);
	if (why)
		return why;
	if (select_has_octets(r) && select_cmp_sets(best->set, r->set))
		return REASON_ATTRIBUTES;
	return best->by != r->by ? REASON_EARLIER_PROTOCOL : REASON_PATH_ID;
}
