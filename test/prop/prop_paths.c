/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of up to 700 paths against a naive model: the order of the list, the best route,
 * the index by rank and by name, what a feeder has, after each change. They are of 700
 * feeders, or of fewer that have several by their received identifiers.
 *
 * The model sorts all routes anew and applies the rules to them. Routes are of few kinds,
 * so that many are equal but for MED, and MED takes out what stands first, more than
 * once. They come best first, worst first and in no order; feeders come back with other
 * facts; some are of another kind of source. */
#include "nest/core/tern.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table/path_index.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/table/path_tie.h"
#include "nest/rib/table/path_why.h"
#include "proto/bgp/in/bgp_decide.h"
#include "proto/bgp/out/msg_cache.h"
#include "test/lib/net_rig.h"
#include "test/lib/seed.h"

#define FEEDERS 700
#define PATHS   FEEDERS
#define TIED    256 /* so many take part in the comparison of MED */

/* What a feeder has announced by one identifier, by the model. */
struct announced {
	bool has, filtered, fresh;
	struct attr_set *set, *pre;
	uint32_t feeder, rid;
};

/* The better kind lies behind the worse one, which has no rank of its own. */
static struct path_order order[2] = { { .kind = PATH_KIND_KERNEL },
	{ .kind = PATH_KIND_BGP,
	    .rank = bgp_decide_cmp,
	    .tied = bgp_decide_tied,
	    .select = bgp_decide_select,
	    .lowest = bgp_decide_lowest,
	    .lost = bgp_decide_lost } };

static struct table *t;
static struct feeder feeder[FEEDERS];
static struct feeder_stats stats[FEEDERS];
static struct origin facts[FEEDERS];
static struct announced announced[PATHS];
static struct net *net;
static uint32_t net_at;
static struct seed dice = { 1 };
static uint32_t most; /* paths seen in the index */

/* ---- the model ---- */

static struct route_cand
prop_paths_cand(const struct announced *s)
{
	return (struct route_cand){ s->set, &facts[s->feeder].src, 0 };
}

static int
prop_paths_cmp_announced(const struct announced *a, const struct announced *b)
{
	const struct path_order *oa = feeder[a->feeder].order,
				*ob = feeder[b->feeder].order;
	struct route_cand ca = prop_paths_cand(a), cb = prop_paths_cand(b);
	int c;

	if (a->filtered != b->filtered)
		return a->filtered - b->filtered;
	if (a->set->local.preference != b->set->local.preference)
		return a->set->local.preference > b->set->local.preference ? -1 : 1;
	if (oa != ob)
		return oa->kind < ob->kind ? -1 : 1;
	c = oa->rank ? oa->rank(&ca, &cb) : 0;
	if (!c)
		c = (feeder[a->feeder].place > feeder[b->feeder].place) -
		    (feeder[a->feeder].place < feeder[b->feeder].place);
	if (!c && oa->rank)
		c = path_tie_set(a->set, b->set);
	if (!c)
		c = (a->rid > b->rid) - (a->rid < b->rid);
	return c ? c : (a->feeder > b->feeder) - (a->feeder < b->feeder);
}

static int
cmp_ptr(const void *a, const void *b)
{
	return prop_paths_cmp_announced(
	    *(struct announced *const *)a, *(struct announced *const *)b);
}

/* sorted - all routes in the order of rank. Returns: how many. */
static uint32_t
prop_paths_sorted(const struct announced **v)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < PATHS; i++)
		if (announced[i].has)
			v[cnt++] = &announced[i];
	qsort(v, cnt, sizeof(v[0]), cmp_ptr);
	return cnt;
}

/* index_best_of - NULL: none. */
static const struct announced *
prop_paths_best_of(const struct announced *const *v, uint32_t cnt)
{
	const struct path_order *o;
	struct route_cand c[TIED];
	unsigned n = 0;

	if (!cnt || v[0]->filtered)
		return NULL;
	o = feeder[v[0]->feeder].order;
	if (!o->tied)
		return v[0];
	for (uint32_t i = 0; i < cnt && n < TIED; i++) {
		if (v[i]->filtered || feeder[v[i]->feeder].order != o ||
		    v[i]->set->local.preference != v[0]->set->local.preference)
			break;
		c[n] = prop_paths_cand(v[i]);
		if (n && !o->tied(&c[0], &c[n]))
			break;
		n++;
	}
	return v[o->select(c, n)];
}

/* ---- the table ---- */

static int
prop_paths_set_up(void **state)
{
	/* the sets of overdue paths are BGP's */
	static struct tern tern = { .seg_class = &bgp_seg_class };
	struct prefix p = prefix_make(ip4(0x0a000000), 8, FAM_IP4);

	(void)state;
	t = net_rig_new();
	t->tern = &tern;
	for (uint32_t i = 0; i < FEEDERS; i++) {
		net_rig_feeder(
		    t, i, &feeder[i], &stats[i], &facts[i], &order[i % 9 != 0]);
		/* not in the order of numbers */
		feeder[i].place = FEEDERS - i / 2;
	}
	net = rig_net_get(t, &p, &net_at);
	return 0;
}

static int
prop_paths_tear_down(void **state)
{
	(void)state;
	net_rig_free(t, feeder, FEEDERS);
	return 0;
}

/* ---- what is compared ---- */

static void
check_index(uint32_t cnt)
{
	const struct path_index *ix;
	const struct path *p = net_first(net);

	if (!(net->flags & NET_MANY)) {
		assert_true(cnt <= PATHS_MANY);
		return;
	}
	ix = path_index_get(t, net_at);
	assert_true(cnt >= PATHS_FEW);
	assert_int_equal(ix->cnt, cnt);
	assert_int_equal(ix->name_cnt, cnt);
	for (uint32_t i = 0; i < cnt; i++, p = path_next(p)) {
		assert_ptr_equal(path_index_at(t, ix, i), p);
		assert_ptr_equal(path_index_find(t, ix, path_feeder(p), path_rid(p)), p);
	}
	most = cnt > most ? cnt : most;
}

static const struct path *
path_at(const struct announced *s)
{
	const struct path *p = net_first(net);

	while (p && (path_feeder(p) != s->feeder || path_rid(p) != s->rid))
		p = path_next(p);
	return p;
}

/* check_why - what operators are told of @p agrees with what became of it. */
static void
check_why(const struct path *p)
{
	const struct path *best = net_best(net);
	enum path_fate want = path_filtered(p) ? PATH_REFUSED
			      : p == best      ? PATH_IS_BEST
					       : PATH_LOST;
	struct lost_at at = { .step = REASON_NONE };

	assert_int_equal(path_why(&at, t, net, p), want);
	if (want != PATH_LOST)
		return;
	assert_int_equal(reason_stage(at.step), REASON_AT_SELECTION);
	if (path_set(p)->local.preference != path_set(best)->local.preference)
		assert_int_equal(at.step, REASON_PREFERENCE);
	else if (feeder[path_src(p)].order != feeder[path_src(best)].order)
		assert_int_equal(at.step, REASON_OTHER_PROTOCOL);
	else
		assert_int_not_equal(at.step, REASON_OTHER_PROTOCOL);
}

static void
prop_paths_check(void)
{
	const struct announced *v[PATHS], *b;
	uint32_t cnt = prop_paths_sorted(v), i = 0, some = seed_below(&dice, 16);

	for (const struct path *p = net_first(net); p; p = path_next(p), i++) {
		assert_true(i < cnt);
		assert_int_equal(path_src(p), v[i]->feeder);
		assert_int_equal(path_rid(p), v[i]->rid);
		assert_ptr_equal(path_set(p), v[i]->set);
		assert_int_equal(path_filtered(p), v[i]->filtered);
		if (i % 16 == some) /* it walks all paths itself */
			check_why(p);
	}
	assert_int_equal(i, cnt);
	b = prop_paths_best_of(v, cnt);
	if (b)
		assert_ptr_equal(net_best(net), path_at(b));
	else
		assert_null(net_best(net));
	check_index(cnt);
	net_rig_end_batch(t);
}

/* check_one - what is known of one of them. */
static void
prop_paths_check_one(const struct announced *s)
{
	const struct feeder *f = &feeder[s->feeder];
	const struct path *p = table_feeder_path(t, f, net, s->rid);

	assert_int_equal(p != NULL, s->has);
	if (p)
		assert_int_equal(path_filtered(p), s->filtered);
	if (p && s->pre)
		assert_ptr_equal(path_pre(p), s->pre);
}

/* ---- what happens ---- */

/* How much of the rules before MED tells routes apart, and how many neighbours and MEDs
 * there are. */
struct taste {
	uint32_t differs, groups, meds;
};

static struct attr_set *
prop_paths_random_set(struct seed *s, const struct taste *ta)
{
	struct rig_attrs a = { .pref = seed_chance(s, ta->differs) ? 120 : 100 };

	a.as_cnt = seed_chance(s, ta->differs) ? 2 : 1;
	a.origin = seed_chance(s, ta->differs);
	a.first_as = 1 + seed_below(s, ta->groups);
	a.med = seed_below(s, ta->meds);
	return rig_set(t->store, &a);
}

static void
prop_paths_forget(struct announced *s)
{
	if (s->set)
		attr_set_unref(t->store, s->set, 1);
	if (s->pre)
		attr_set_unref(t->store, s->pre, 1);
	s->set = s->pre = NULL;
	s->has = s->filtered = false;
}

/* think_of - another route for @s, which the table doesn't know yet. */
static void
think_of(struct announced *s, struct seed *seed, const struct taste *ta)
{
	prop_paths_forget(s);
	s->has = true;
	s->filtered = seed_chance(seed, 20);
	s->set = prop_paths_random_set(seed, ta);
	if (seed_chance(seed, 4))
		s->pre = prop_paths_random_set(seed, ta);
}

static void
prop_paths_announce(const struct announced *s)
{
	struct route_in r = { .set = s->set,
		.pre = s->pre,
		.rid = s->rid,
		.flags = (uint8_t)((s->filtered ? PATH_FILTERED : 0) |
				   (s->pre ? PATH_PRE : 0) | (s->rid ? PATH_EXT : 0)) };

	assert_true(table_announce(t, &feeder[s->feeder], net, net_at, &r));
}

static void
prop_paths_withdraw(struct announced *s)
{
	prop_paths_forget(s);
	table_withdraw(t, &feeder[s->feeder], net, net_at, s->rid);
}

static void
new_facts(uint32_t i, struct seed *s)
{
	facts[i].src = (struct route_source){ .place = feeder[i].place,
		.from = ip4(seed_below(s, 50)),
		.peer_router_id = seed_below(s, 100),
		.is_bgp = true,
		.is_ebgp = !seed_chance(s, 4) };
}

/* come_back - the session of feeder @i ends, and another one begins. */
static void
prop_paths_come_back(uint32_t i, struct seed *s)
{
	for (uint32_t k = 0; k < PATHS; k++)
		if (announced[k].feeder == i)
			prop_paths_forget(&announced[k]);
	feeder_new_epoch(t, &feeder[i]);
	new_facts(i, s);
	feeder[i].up = true;
	for (uint32_t k = 0; k < PATHS; k++)
		if (announced[k].feeder == i)
			prop_paths_check_one(&announced[k]);
}

/* stay_long - the session of feeder @i breaks, and its routes are long-lived stale; some
 * are announced again, as they were or otherwise, and the rest goes. */
static void
stay_long(uint32_t i, struct seed *s, const struct taste *ta)
{
	struct attr_set *set;

	feeder_stale(t, &feeder[i], true);
	prop_paths_check();
	feeder_overdue(t, &feeder[i]);
	table_prune(t, net, net_at);
	table_overdue(t, net, net_at);
	for (uint32_t k = 0; k < PATHS; k++) {
		if (announced[k].feeder != i || !announced[k].has ||
		    announced[k].filtered)
			continue;
		set = overdue_set(t, announced[k].set);
		attr_set_unref(t->store, announced[k].set, 1);
		announced[k].set = set;
	}
	prop_paths_check();
	feeder[i].up = true;
	for (uint32_t k = 0; k < PATHS; k++) {
		if (announced[k].feeder != i || !announced[k].has || seed_chance(s, 2))
			continue;
		if (seed_chance(s, 2))
			think_of(&announced[k], s, ta);
		prop_paths_announce(&announced[k]);
		announced[k].fresh = true;
	}
	prop_paths_check();
	feeder_sweep(t, &feeder[i]);
	table_prune(t, net, net_at);
	for (uint32_t k = 0; k < PATHS; k++)
		if (announced[k].feeder == i && !announced[k].fresh)
			prop_paths_forget(&announced[k]);
		else
			announced[k].fresh = false;
}

enum coming { BEST_FIRST, WORST_FIRST, MIXED, COMINGS };

/* fill - the first @cnt announce. */
static void
prop_paths_fill(struct seed *s, const struct taste *ta, uint32_t cnt, enum coming way)
{
	const struct announced *v[PATHS];

	for (uint32_t i = 0; i < cnt; i++)
		think_of(&announced[i], s, ta);
	assert_int_equal(prop_paths_sorted(v), cnt);
	for (uint32_t i = 0; i < cnt; i++) { /* what isn't in the table yet is hidden */
		uint32_t k = i + seed_below(s, cnt - i);
		const struct announced *tmp = v[i];

		if (way == MIXED)
			v[i] = v[k], v[k] = tmp;
		announced[v[i] - announced].has = false;
	}
	for (uint32_t i = 0; i < cnt; i++) {
		struct announced *one =
		    &announced[v[way == WORST_FIRST ? cnt - 1 - i : i] - announced];

		one->has = true;
		prop_paths_announce(one);
		if (cnt < 100 || seed_chance(s, 8) || i + 1 == cnt)
			prop_paths_check();
	}
}

/* waits - is a change behind the best told later? */
static bool
prop_paths_waits(void)
{
	return (net->flags & NET_MANY) && !list_empty(&path_index_get(t, net_at)->waits);
}

/* change_one - another route, or none. Where all paths count the batch has the net, but
 * for changes among those that can't be the best; one of many may wait. */
static void
prop_paths_change_one(struct announced *one, struct seed *s, const struct taste *ta)
{
	const struct path *was = path_at(one), *best = net_best(net);
	bool same, waited;

	t->time.now_ns += seed_below(s, 3) * NS_PER_MS;
	waited = prop_paths_waits();
	if (seed_chance(s, 4)) {
		prop_paths_withdraw(one);
	} else {
		think_of(one, s, ta);
		prop_paths_announce(one);
	}
	same = path_at(one) == was || (!best && !net_best(net));
	if (!t->behind.readers || same) /* that of a net that waited, when it has few */
		assert_in_range(t->best.change_cnt, 0, best != net_best(net) || waited);
	else if (best != net_best(net) || !prop_paths_waits())
		assert_int_equal(t->best.change_cnt, 1);
	else
		assert_int_equal(t->best.change_cnt, 0);
	if (prop_paths_waits() && seed_chance(s, 20)) {
		net_rig_end_batch(t);
		assert_int_equal(table_behind_step(t, t->time.now_ns + NS_PER_S), 0);
		assert_int_equal(t->best.change_cnt, net_best(net) != NULL);
	}
}

static struct announced *
prop_paths_announced_of(const struct path *p)
{
	struct announced *s = announced;

	while (s->feeder != path_src(p) || s->rid != path_rid(p))
		s++;
	return s;
}

static void
prop_paths_change(struct seed *s, const struct taste *ta, uint32_t cnt)
{
	struct announced *one = &announced[seed_below(s, cnt)];

	switch (seed_below(s, 40)) {
	case 0: { /* many at a time, and the walk comes by */
		uint32_t gone = seed_below(s, 4) ? 1 : seed_below(s, cnt);

		for (uint32_t i = 0; i < gone; i++)
			prop_paths_come_back(announced[seed_below(s, cnt)].feeder, s);
		table_prune(t, net, net_at);
		break;
	}
	case 1: /* one comes back and announces before the walk */
		prop_paths_come_back(one->feeder, s);
		think_of(one, s, ta);
		prop_paths_announce(one);
		break;
	case 2: /* the best one changes */
		if (net_best(net))
			one = prop_paths_announced_of(net_best(net));
		think_of(one, s, ta);
		prop_paths_announce(one);
		break;
	case 4:
		stay_long(one->feeder, s, ta);
		break;
	case 3:
		if (one->has)
			prop_paths_announce(one); /* the same again */
		break;
	default:
		prop_paths_change_one(one, s, ta);
	}
	prop_paths_check_one(&announced[seed_below(s, cnt)]);
	prop_paths_check();
}

/* name_all - they are of @feeders feeders; identifiers are 0 and others without order. */
static void
name_all(uint32_t feeders)
{
	for (uint32_t i = 0; i < PATHS; i++)
		announced[i] = (struct announced){ .feeder = i % feeders,
			.rid = i / feeders * 0x9e3779b1 };
}

static void
test_paths(void **state)
{
	static const uint32_t size[] = { 20, 40, 150, PATHS, PATHS, PATHS },
			      feeders[] = { FEEDERS, 1, 3, 50 };
	struct seed s = seed_start("prop_paths");
	uint32_t rounds = seed_rounds(36);

	(void)state;
	for (uint32_t i = 0; i < FEEDERS; i++)
		new_facts(i, &s);
	for (uint32_t r = 0; r < rounds; r++) {
		uint32_t cnt = size[r % ARRAY_LEN(size)];
		struct taste ta = { 2u << seed_below(&s, 14), 1 + seed_below(&s, 1000),
			1 + seed_below(&s, 4) };

		t->behind.readers = seed_chance(&s, 3);
		name_all(feeders[seed_below(&s, ARRAY_LEN(feeders))]);
		prop_paths_fill(
		    &s, &ta, cnt, (enum coming)(r / ARRAY_LEN(size) % COMINGS));
		for (uint32_t i = 0; i < 1000; i++)
			prop_paths_change(&s, &ta, cnt);
		for (uint32_t i = 0; i < cnt; i++) {
			prop_paths_withdraw(&announced[(i * 7919 + r) % cnt]);
			if (i % 8 == 0 || i + 1 == cnt)
				prop_paths_check();
		}
		assert_null(net_first(net));
	}
	t->behind.readers = 0;
	assert_true(most > TIED);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_paths, prop_paths_set_up, prop_paths_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
