/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of ASPAs: what several sources attest of a customer, withdrawals, and which
 * nets are told after a change. */
#include "nest/rib/index/aspa_set.c"
#include "lib/net/aspa.h"
#include "test/lib/roa_rig.h"

static struct conf_table cf = { .ft = { .is_aspa = true },
	.name = "at",
	.kind = TABLE_ASPA,
	.settle_min_ns = NS_PER_MS,
	.settle_max_ns = 10 * NS_PER_MS };

/* attest - @a and @b (not 0) as providers of @customer; @preference 0: withdraw. */
static void
test_aspa_index_attest(
    unsigned k, uint32_t customer, uint32_t a, uint32_t b, uint32_t preference)
{
	uint32_t provider[] = { a, b };
	struct attr_store *st = rig.tern.store;
	struct attr_set *set = NULL;
	struct attr_edit e;
	struct arena arena;

	arena_init(&arena, MEM_OTHER, 512);
	attr_edit_init(&e, &arena, attr_store_empty(st));
	e.local.preference = preference;
	assert_int_equal(aspa_set_providers(&e, provider, b ? 2 : 1), 0);
	if (preference)
		set = attr_store_edit(st, &e);
	arena_fini(&arena);
	roa_rig_change(k, (struct vrp){ .asn = customer }, set);
}

/* attested - "1 2"; "-": nothing is known. */
static void
test_aspa_index_attested(uint32_t customer, const char *want)
{
	const struct aspa *a = aspa_map_get(rpki_index_aspa(t), customer);
	struct strbuf b;

	strbuf_init(&b);
	if (a)
		aspa_print_providers(&b, a->provider, a->cnt);
	else
		strbuf_adds(&b, "-");
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_union(void **state)
{
	(void)state;
	roa_rig_start(&cf);
	assert_null(rpki_index_map(t));
	test_aspa_index_attest(0, 7, 3, 1, 200);
	test_aspa_index_attested(7, "1 3");
	test_aspa_index_attest(1, 7, 2, 3, 300);
	test_aspa_index_attested(7, "1 2 3");
	test_aspa_index_attest(0, 7, 5, 0, 200); /* of one that isn't the best */
	test_aspa_index_attested(7, "2 3 5");
	test_aspa_index_attest(0, 7, 3, 1, 200);
	test_aspa_index_attest(1, 7, 4, 0, 300); /* in its place */
	test_aspa_index_attested(7, "1 3 4");
	test_aspa_index_attest(0, 7, 0, 0, 200); /* "nobody" adds nothing to somebody */
	test_aspa_index_attested(7, "0 4");
	test_aspa_index_attest(1, 7, 0, 0, 0);
	test_aspa_index_attested(7, "transit");
	test_aspa_index_attest(0, 4200000000u, 1, 0, 200);
	assert_int_equal(rpki_index_cnt(t), 2);
	test_aspa_index_attested(4200000000u, "1");
	test_aspa_index_attest(0, 7, 0, 0, 0);
	test_aspa_index_attest(0, 7, 0, 0, 0); /* isn't there */
	test_aspa_index_attested(7, "-");
	test_aspa_index_attest(0, 4200000000u, 0, 0, 0);
	assert_int_equal(rpki_index_cnt(t), 0);
	roa_rig_finish();
}

/* told - how many nets the reader is told of, and the first of them; the one who asks
 * about other prefixes is told of each round. */
static void
test_aspa_index_told(uint32_t cnt, uint32_t first)
{
	assert_int_equal(next_cnt(1), UINT32_MAX);
	if (!cnt)
		return;
	assert_int_equal(next_cnt(0), cnt);
	assert_int_equal(roa_rig_first(0), first);
}

static void
test_hits(void **state)
{
	(void)state;
	roa_rig_start(&cf);
	spine_rig_up(2);
	spine_rig_up(3);
	rig_announce(2, 0, 10, 65001, 1);
	rig_announce(2, 10, 5, 65002, 1);
	rig_announce(3, 12, 8, 65003, 1); /* 12 to 14 have two paths */
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_watch(1, WATCH_KEEPS, 2, true);
	roa_rig_watch(2, WATCH_KEEPS, 2, false);
	roa_rig_watch(3, WATCH_KEEPS, 3, false);
	test_aspa_index_attest(0, 65001, 1, 0, 200);
	test_aspa_index_told(10, 0);
	test_aspa_index_attest(0, 65002, 1, 0, 200);
	test_aspa_index_told(5, 10);
	test_aspa_index_attest(0, 65003, 1, 0, 200);
	test_aspa_index_told(8, 12);
	test_aspa_index_attest(
	    1, 65003, 1, 0, 100); /* the same from another source: nothing differs */
	test_aspa_index_attest(0, 64999, 1, 0, 200); /* in no path */
	test_aspa_index_told(0, 0);
	test_aspa_index_attest(0, 65003, 0, 0, 0); /* the other is still there */
	test_aspa_index_attest(0, 64999, 0, 0, 0);
	test_aspa_index_told(0, 0);
	test_aspa_index_attest(1, 65003, 0, 0, 0);
	test_aspa_index_told(8, 12);
	for (unsigned k = 0; k < 4; k++)
		roa_rig_unwatch(k);
	assert_int_equal(watcher[0].told, 4);
	assert_int_equal(watcher[2].told, 2); /* not of 12 to 14 for the other's path */
	assert_int_equal(watcher[2].got[0].cnt, 10);
	assert_int_equal(watcher[2].got[1].cnt, 5);
	assert_int_equal(watcher[3].told, 2);
	assert_int_equal(watcher[3].got[0].cnt, 8);
	assert_int_equal(watcher[3].got[1].cnt, 8);
	test_aspa_index_attest(0, 65001, 0, 0, 0);
	test_aspa_index_attest(0, 65002, 0, 0, 0);
	roa_rig_finish();
}

static struct attr_set *
test_aspa_index_many_set(void)
{
	return attr_set_ref(attr_store_empty(rig.tern.store), 1);
}

static struct vrp
test_aspa_index_many_vrp(uint32_t i)
{
	return (struct vrp){ .asn = 1 + i };
}

/* More changes than are noted one by one; and routes that name no provider. */
static void
test_many(void **state)
{
	(void)state;
	roa_rig_start(&cf);
	roa_rig_slow(&cf);
	spine_rig_up(2);
	rig_announce(2, 0, 10, 65001, 1);
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_many(20000, test_aspa_index_many_set, test_aspa_index_many_vrp);
	assert_int_equal(rpki_index_cnt(t), 20000);
	rpki_index_times(t, &cf);
	test_aspa_index_attest(0, 30000, 1, 0, 200);
	assert_int_equal(next_cnt(0), UINT32_MAX);
	test_aspa_index_attested(20000, "transit");
	roa_rig_unwatch(0);
	test_aspa_index_attest(0, 30000, 0, 0, 0);
	roa_rig_many(20000, NULL, test_aspa_index_many_vrp);
	roa_rig_finish();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(test_union),
		RIG_TEST(test_hits),
		RIG_TEST(test_many),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
