/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a table: ids and their reuse, the hash while it grows and shrinks, longest
 * match against a naive search. The table has no worker here. */
#include "nest/rib/table/table_net.c"
#include "nest/rib/ids.h"
#include "test/lib/net_rig.h"
#include "test/lib/seed.h"
#include "test/lib/table_find.h"

static struct table *t;
static struct path *some_path;

static void
test_table_net_make(enum nlri_kind kind)
{
	t = net_rig_table(kind);
	some_path = slab_get(&t->paths.slab[0]);
}

static struct prefix
test_table_net_net4(uint32_t i)
{
	return prefix_make(ip4(i << 12), 20 + i % 13, FAM_IP4);
}

static struct net *
test_table_net_get(const struct prefix *p, uint32_t *id)
{
	struct net *n = rig_net_get(t, p, id);

	assert_non_null(n);
	near_store_release(&n->paths, some_path);
	near_store_release(&n->best, some_path);
	return n;
}

static void
kill_net(uint32_t id)
{
	struct net *n = table_net_ptr(t, id);

	near_store_release(&n->paths, NULL);
	near_store_release(&n->best, NULL);
	table_net_unhash(t, id);
	table_id_free(t, id);
}

static void
test_find(void **state)
{
	uint32_t id;

	(void)state;
	test_table_net_make(NLRI_IP4);
	for (uint32_t i = 0; i < 20000; i++) {
		struct prefix p = test_table_net_net4(i), back;

		back = net_prefix(t, test_table_net_get(&p, &id));
		assert_int_equal(id, i); /* in runs: neighbours have neighbouring ids */
		assert_true(prefix_equal(&p, &back));
	}
	for (uint32_t i = 0; i < 20000; i++) {
		struct prefix p = test_table_net_net4(i);
		struct net *n = rig_net_find(t, &p, &id);

		assert_ptr_equal(n, table_net_ptr(t, i));
		assert_ptr_equal(rig_find(t, &p), n);
		p.len--;
		p = prefix_make(p.addr, p.len, FAM_IP4);
		if (rig_net_find(t, &p, &id)) /* another one of ours */
			assert_int_equal(table_net_ptr(t, id)->head, p.len);
	}
	assert_int_equal(table_id_limit(t), 20000);
	net_rig_table_drop(t);
}

static void
test_ip6(void **state)
{
	uint32_t id;

	(void)state;
	test_table_net_make(NLRI_IP6);
	for (uint32_t i = 0; i < 3000; i++) {
		struct prefix p = prefix_make(
		    (struct ip_addr){
			.hi = 0x20010db800000000ull | i, .lo = (uint64_t)i << 40 },
		    64 + i % 65, FAM_IP6);
		struct prefix back = net_prefix(t, test_table_net_get(&p, &id));

		assert_true(prefix_equal(&p, &back));
		assert_ptr_equal(rig_net_find(t, &p, &id), table_net_ptr(t, i));
	}
	net_rig_table_drop(t);
}

/* What left the hash isn't found, its id is given again, and places of removed ones don't
 * pile up. */
static void
test_reuse(void **state)
{
	uint32_t id, slots = 0;

	(void)state;
	test_table_net_make(NLRI_IP4);
	for (uint32_t i = 0; i < 4000; i++) {
		struct prefix p = test_table_net_net4(i);

		test_table_net_get(&p, &id);
	}
	for (uint32_t round = 0; round < 50; round++) {
		for (uint32_t i = 1000; i < 2000; i++) {
			struct prefix p = test_table_net_net4(100000 * round + i);

			assert_non_null(rig_net_find(t, &p, &id));
			kill_net(id);
			assert_null(rig_net_find(t, &p, &id));
		}
		for (uint32_t i = 1000; i < 2000; i++) {
			struct prefix p = test_table_net_net4(100000 * (round + 1) + i);

			test_table_net_get(&p, &id);
		}
	}
	assert_true(table_id_limit(t) <= 4000 * 5 / 4); /* new ones while few are free */
	for (unsigned i = 0; i < NET_PARTS; i++) {
		struct hash_arr *a = load_relaxed_ptr(&t->hash.part[i].arr);

		slots += a->mask + 1;
	}
	assert_true(slots <= 4000 * 8);
	net_rig_table_drop(t);
}

/* Random nets come and go; the naive table is a list. */
static void
test_match(void **state)
{
	struct seed s = { 4711 };
	struct prefix live[300];
	unsigned cnt = 0;
	uint32_t id;

	(void)state;
	test_table_net_make(NLRI_IP4);
	for (unsigned i = 0; i < 20000; i++) {
		struct prefix p = prefix_make(ip4((uint32_t)seed_u64(&s) & 0xff00ff00),
		    seed_below(&s, 33), FAM_IP4);
		struct ip_addr a = ip4((uint32_t)seed_u64(&s) & 0xff00ff00);
		const struct net *n = table_match(t, a);
		int best = -1;

		for (unsigned k = 0; k < cnt; k++)
			if (ip_equal(prefix_make(a, live[k].len, FAM_IP4).addr,
				live[k].addr) &&
			    live[k].len > best)
				best = live[k].len;
		assert_int_equal(n ? n->head : -1, best);
		if (cnt < 300 && !rig_find(t, &p)) {
			test_table_net_get(&p, &id);
			live[cnt++] = p;
		}
		if (cnt && seed_chance(&s, 2)) {
			unsigned k = seed_below(&s, cnt);

			assert_non_null(rig_net_find(t, &live[k], &id));
			kill_net(id);
			live[k] = live[--cnt];
		}
	}
	net_rig_table_drop(t);
}

/* A net without a best route is passed over by the match, one without paths by
 * everything. */
static void
test_match_empty(void **state)
{
	struct prefix p8 = prefix_make(ip4(0x0a000000), 8, FAM_IP4),
		      p16 = prefix_make(ip4(0x0a010000), 16, FAM_IP4);
	uint32_t id8, id16;
	struct net *n8, *n16;

	(void)state;
	test_table_net_make(NLRI_IP4);
	n8 = test_table_net_get(&p8, &id8);
	n16 = test_table_net_get(&p16, &id16);
	assert_ptr_equal(table_match(t, ip4(0x0a010203)), n16);
	assert_ptr_equal(table_match_prefix(t, &p16), n16);
	near_store_release(&n16->best, NULL);
	assert_ptr_equal(table_match(t, ip4(0x0a010203)), n8);
	assert_ptr_equal(rig_find(t, &p16), n16);
	near_store_release(&n16->paths, NULL);
	assert_null(rig_find(t, &p16));
	assert_null(table_net_at(t, id16));
	assert_null(table_match(t, ip4(0x0b000000)));
	assert_null(table_match(t, (struct ip_addr){ .hi = 1ull << 61 }));
	net_rig_table_drop(t);
}

static uint32_t
test_table_net_slots(void)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < NET_PARTS; i++)
		sum += ((struct hash_arr *)load_relaxed_ptr(&t->hash.part[i].arr))->mask +
		       1;
	return sum;
}

/* What both streams of a table have reserved isn't in memory yet. */
static void
test_untouched(void **state)
{
	uint64_t table, journal;

	(void)state;
	test_table_net_make(NLRI_IP4);
	table_all(t, NULL);
	table = table_untouched(t, &journal);
	assert_in_range(mem_used(MEM_TABLE) - table, 1, VMEM_STEP / 4);
	assert_in_range(mem_used(MEM_JOURNAL) - journal, 0, VMEM_STEP / 4);
	table_all_free(t);
	net_rig_table_drop(t);
}

/* When many nets have gone, the hash is small again and the pages of their chunks are
 * with the system; the ids serve anew. */
static void
test_shrink(void **state)
{
	enum { NETS = 8 * CHUNK_NETS };
	uint64_t before, full, journal;
	struct prefix p;
	uint32_t id;

	(void)state;
	test_table_net_make(NLRI_IP4);
	before = table_untouched(t, &journal);
	for (uint32_t i = 0; i < NETS; i++) {
		p = prefix_make(ip4(i << 8), 24, FAM_IP4);
		test_table_net_get(&p, &id);
	}
	assert_true(test_table_net_slots() > NETS);
	full = table_untouched(t, &journal);
	for (uint32_t i = 0; i < NETS; i++)
		kill_net(i);
	assert_true(test_table_net_slots() <= NET_PARTS << (HASH_START_ORDER + 1));
	if (before > 0) /* under a sanitizer memory isn't malloc's */
		assert_true(table_untouched(t, &journal) > full + NETS / 2 * t->net.size);
	for (uint32_t i = 0; i < NETS; i++) {
		p = prefix_make(ip4(i << 8 | 0x80000000), 24, FAM_IP4);
		test_table_net_get(&p, &id);
		assert_true(id < NETS * 5 / 4);
		assert_true(rig_net_find(t, &p, &id));
	}
	net_rig_table_drop(t);
}

static int
test_table_net_join(void **state)
{
	(void)state;
	rcu_join();
	return 0;
}

static int
test_table_net_leave(void **state)
{
	(void)state;
	rcu_leave();
	return 0;
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(fn, test_table_net_join, test_table_net_leave)

static const struct CMUnitTest tests[] = {
	TEST(test_find),
	TEST(test_ip6),
	TEST(test_reuse),
	TEST(test_untouched),
	TEST(test_shrink),
	TEST(test_match),
	TEST(test_match_empty),
};

UNIT_MAIN(tests)
