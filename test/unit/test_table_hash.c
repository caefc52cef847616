/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash of nets while it grows with and without reading the nets, is full of removed
 * ones, shrinks, and when ids become too large for its windows. Everything that is in
 * must be found, nothing else, and entries say the truth about their nets. The table has
 * no worker here. */
#include "nest/rib/table/table_hash.c"

#include "lib/mem/vmem.h"
#include "nest/rib/ids.h"
#include "test/lib/net_rig.h"
#include "test/lib/seed.h"

static struct table *t;

static struct prefix
test_table_hash_net4(uint32_t i)
{
	return prefix_make(ip4((i * 0x9e3779b1u & 0xffffff) << 8), 24, FAM_IP4);
}

/* arr_ok - I2, and each entry can be reached from its home. Returns: how many there
 * are. */
static uint32_t
arr_ok(const struct hash_arr *a)
{
	uint32_t cnt = 0;

	assert_true(a->known >= NEAR + MORE_MIN && a->known <= 32 - a->id_bits);
	for (uint32_t i = 0; i <= a->mask; i++) {
		uint32_t e = load_relaxed32(&a->slot[i]);
		uint64_t hash;

		if (!e || e == SLOT_GONE)
			continue;
		hash = hash_of_id(t, (e & hash_id_mask(a)) - 1);
		assert_true(table_hash_fits(a, e, hash_window_of(a, hash)));
		for (uint32_t k = hash_home_of(a, hash); (k & a->mask) != i; k++)
			assert_true(load_relaxed32(&a->slot[k & a->mask]) != 0);
		cnt++;
	}
	return cnt;
}

static uint32_t
hash_ok(void)
{
	uint32_t cnt = 0;

	for (unsigned i = 0; i < NET_PARTS; i++) {
		const struct hash_part *hp = &t->hash.part[i];
		uint32_t live = arr_ok(load_relaxed_ptr(&hp->arr));

		assert_int_equal(live, hp->live);
		cnt += live;
	}
	return cnt;
}

/* put - and what look-ups say before and after, alone and by a key. */
static uint32_t
test_table_hash_put(const struct prefix *p)
{
	uint32_t id, again;
	struct net *n;

	assert_null(rig_net_find(t, p, &id));
	n = rig_net_get(t, p, &id);
	assert_non_null(n);
	assert_ptr_equal(rig_net_get(t, p, &again), n);
	assert_int_equal(id, again);
	return id;
}

static void
test_grow(void **state)
{
	enum { NETS = 200000 };
	uint32_t id, check = 64;

	(void)state;
	t = net_rig_table(NLRI_IP4);
	for (uint32_t i = 0; i < NETS; i++) {
		struct prefix p = test_table_hash_net4(i);

		assert_int_equal(test_table_hash_put(&p), i);
		if (i == check) {
			assert_int_equal(hash_ok(), i + 1);
			check *= 2;
		}
	}
	for (uint32_t i = 0; i < NETS; i++) {
		struct prefix p = test_table_hash_net4(i);

		assert_ptr_equal(rig_net_find(t, &p, &id), table_net_ptr(t, i));
		assert_int_equal(id, i);
		p = test_table_hash_net4(NETS + i);
		assert_null(rig_net_find(t, &p, &id));
	}
	net_rig_table_drop(t);
}

static uint32_t
test_table_hash_keys(struct net_key key[7], const uint8_t **pos, const uint8_t *end)
{
	uint32_t cnt = table_keys_read(t, false, key, 7, pos, end);

	table_keys_ahead(t, key, cnt);
	return cnt;
}

/* Many at a time, twice the same in a row among them. */
static void
test_keys(void **state)
{
	uint8_t nlri[4 * 32 + 16] = { 0 }, *to = nlri;
	const uint8_t *pos = nlri;
	struct net_key key[7];
	uint32_t id, cnt, seen = 0;

	(void)state;
	t = net_rig_table(NLRI_IP4);
	for (uint32_t i = 0; i < 32; i++) {
		struct prefix p = test_table_hash_net4(i / 2);

		to += prefix_put(to, &p);
	}
	while ((cnt = test_table_hash_keys(key, &pos, to))) {
		for (uint32_t i = 0; i < cnt; i++, seen++) {
			assert_non_null(table_net_get_key(t, &key[i], &id));
			assert_int_equal(id, seen / 2);
		}
	}
	pos = nlri;
	for (seen = 0; (cnt = test_table_hash_keys(key, &pos, to));)
		for (uint32_t i = 0; i < cnt; i++, seen++) {
			assert_int_equal(key[i].likely, seen / 2);
			assert_non_null(table_net_find_key(t, &key[i], &id));
			assert_int_equal(id, seen / 2);
		}
	assert_int_equal(seen, 32);
	net_rig_table_drop(t);
}

/* Nets come and go in waves, so that arrays are renewed in the same size, larger,
 * smaller. */
static void
test_waves(void **state)
{
	enum { NETS = 30000 };
	struct seed s = seed_start("table hash");
	static uint32_t at[NETS]; /* id + 1; 0: it isn't there */
	uint32_t live = 0, id;

	(void)state;
	t = net_rig_table(NLRI_IP6);
	memset(at, 0, sizeof(at));
	for (uint32_t step = 0; step < 300000; step++) {
		uint32_t i = seed_below(&s, NETS);
		bool grow = step / 30000 % 3 != 2;
		struct prefix p = prefix_make(
		    (struct ip_addr){ .hi = (uint64_t)i << 32 }, 32 + i % 17, FAM_IP6);

		if (at[i] && seed_chance(&s, grow ? 3 : 1)) {
			assert_ptr_equal(
			    rig_net_find(t, &p, &id), table_net_ptr(t, at[i] - 1));
			table_net_unhash(t, id);
			table_id_free(t, id);
			assert_null(rig_net_find(t, &p, &id));
			at[i] = 0;
			live--;
		} else if (!at[i] && (grow || seed_chance(&s, 20))) {
			at[i] = test_table_hash_put(&p) + 1;
			live++;
		}
		if (step % 15000 == 0)
			assert_int_equal(hash_ok(), live);
	}
	assert_int_equal(hash_ok(), live);
	net_rig_table_drop(t);
}

/* nets_open - as if ids up to @first had been used; there is room for @cnt more. */
static void
nets_open(uint32_t first, uint32_t cnt)
{
	for (uint64_t open = 0; open < (uint64_t)(first + cnt) * t->net.size;
	     open += VMEM_STEP) {
		vmem_open(MEM_TABLE, t->net.at + open, false);
		store_relaxed64(&t->net_open, open + VMEM_STEP);
	}
	store_relaxed32(&t->best.ids.limit, first);
}

/* Ids that leave less of a slot to the window: arrays with small and with large ones side
 * by side. */
static void
test_large_ids(void **state)
{
	enum { NETS = 9000 };
	uint32_t id, first = (1u << SMALL_IDS) - NETS / 2, bits[2] = { 0 };

	(void)state;
	t = net_rig_table(NLRI_IP4);
	nets_open(first, NETS);
	for (uint32_t i = 0; i < NETS; i++) {
		struct prefix p = test_table_hash_net4(i);

		assert_int_equal(test_table_hash_put(&p), first + i);
	}
	assert_int_equal(hash_ok(), NETS);
	for (unsigned i = 0; i < NET_PARTS; i++)
		bits[((struct hash_arr *)load_relaxed_ptr(&t->hash.part[i].arr))
			 ->id_bits == NET_ID_BITS]++;
	assert_int_equal(bits[1], NET_PARTS);
	for (uint32_t i = 0; i < NETS; i++) {
		struct prefix p = test_table_hash_net4(i);

		assert_non_null(rig_net_find(t, &p, &id));
		assert_int_equal(id, first + i);
	}
	net_rig_table_drop(t);
}

/* Long before ids get large arrays are made for them, one at a time: when the first large
 * one comes, nothing is to be done. */
static void
test_widens(void **state)
{
	enum { SOME = 3000, NETS = SOME + (NET_PARTS << WIDE_ORDER) };
	uint32_t wide = 0, was = 0, most = 0;

	(void)state;
	t = net_rig_table(NLRI_IP4);
	nets_open(WIDE_FROM - SOME, NETS);
	for (uint32_t i = 0; i < NETS; i++) {
		struct prefix p = test_table_hash_net4(i);
		uint32_t id;

		assert_non_null(rig_net_get(t, &p, &id));
		assert_int_equal(id, WIDE_FROM - SOME + i);
		if (i % 64)
			continue;
		for (unsigned k = wide = 0; k < NET_PARTS; k++)
			wide += ((struct hash_arr *)load_relaxed_ptr(
				     &t->hash.part[k].arr))
				    ->id_bits == NET_ID_BITS;
		most = wide - was > most ? wide - was : most;
		was = wide;
	}
	assert_int_equal(wide, NET_PARTS);
	assert_int_equal(most, 1);
	assert_int_equal(hash_ok(), NETS);
	net_rig_table_drop(t);
}

static int
test_table_hash_join(void **state)
{
	(void)state;
	rcu_join();
	return 0;
}

static int
test_table_hash_leave(void **state)
{
	(void)state;
	rcu_leave();
	return 0;
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(fn, test_table_hash_join, test_table_hash_leave)

static const struct CMUnitTest tests[] = {
	TEST(test_grow),
	TEST(test_keys),
	TEST(test_waves),
	TEST(test_large_ids),
	TEST(test_widens),
};

UNIT_MAIN(tests)
