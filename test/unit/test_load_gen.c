/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up exchanges: as many nets, routes and sets as asked for, and the same for the
 * same seed. */
#include "test/load/load_setup.h"
#include "test/load/load_conf.h"
#include "test/load/load_gen.h"
#include "test/load/load_opt.h"
#include "lib/base/hash.h"
#include "test/lib/unit.h"

static void
test_load_gen_make(struct load_run *r, struct load_opt *o, int argc, const char **argv)
{
	assert_int_equal(load_opt_parse(o, argc, (char **)argv), 0);
	memset(r, 0, sizeof(*r));
	r->opt = o;
	assert_int_equal(load_setup(r, NULL), 0);
}

#define MAKE(r, o, ...)                                                                  \
	test_load_gen_make(r, o,                                                         \
	    (int)ARRAY_LEN(((const char *[]){ "ternload", __VA_ARGS__ })),               \
	    (const char *[]){ "ternload", __VA_ARGS__ })

static uint64_t
test_load_gen_digest(const struct load_run *r)
{
	uint64_t h = 0;
	uint32_t i;

	for (i = 0; i < r->nets.cnt; i++)
		h = hash_bytes(h, &r->nets.net[i], offsetof(struct load_net, next));
	for (i = 0; i < r->model.route_cnt; i++)
		h = hash_u64(h, r->sets.set[r->model.route[i].set].hash);
	return h;
}

static void
test_seed(void **state)
{
	struct load_run r;
	struct load_opt o;
	uint64_t first;

	(void)state;
	MAKE(&r, &o, "--clients", "20", "--nets", "2000", "--family", "both");
	first = test_load_gen_digest(&r);
	assert_int_equal(r.nets.cnt, 2000);
	assert_int_equal(r.board.complete_cnt, 0);
	load_setup_fini(&r);
	MAKE(&r, &o, "--clients=20", "--nets=2000", "--family=both");
	assert_true(test_load_gen_digest(&r) == first);
	load_setup_fini(&r);
	MAKE(&r, &o, "--clients", "20", "--nets", "2000", "--family", "both", "--seed",
	    "2");
	assert_true(test_load_gen_digest(&r) != first);
	load_setup_fini(&r);
}

static void
test_shape(void **state)
{
	struct load_run r;
	struct load_opt o;
	uint32_t i, sets = 0, last = 0;

	(void)state;
	MAKE(&r, &o, "--clients", "50", "--nets", "10000", "--ratio", "2.4", "--share",
	    "4");
	assert_in_range(r.model.route_cnt, 23500, 24500);
	for (i = 0; i < r.client[7].route_cnt; i++) {
		sets += r.model.route[r.client[7].route[i]].set != last;
		last = r.model.route[r.client[7].route[i]].set;
	}
	assert_in_range(r.client[7].route_cnt / sets, 3, 5);
	load_setup_fini(&r);
	MAKE(&r, &o, "--clients", "10", "--nets", "1000", "--ratio", "1",
	    "--sets-per-client", "1");
	assert_int_equal(r.model.route_cnt, 1000);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(r.model.route[i].client, i / 100);
		assert_int_equal(r.model.route[i].set, r.model.route[i / 100 * 100].set);
	}
	/* Everyone but the announcer must hold each net. */
	assert_int_equal(load_board_wrong(&r.board), 9000);
	load_setup_fini(&r);
}

static void
test_clients(void **state)
{
	struct load_run r;
	struct load_opt o;

	(void)state;
	MAKE(&r, &o, "--clients", "300", "--nets", "10", "--as2", "2");
	assert_true(ip_equal(r.facts[299].addr, ip4(0x7f000101 + 299)));
	assert_int_equal(r.facts[0].as, 20000);
	assert_false(r.client[0].as4_own);
	assert_int_equal(r.facts[2].as, 100002);
	assert_true(r.client[2].as4_own);
	load_setup_fini(&r);
}

/* A member with a full table is away at first; of most nets, others' too, it has a
 * route. */
static void
test_full(void **state)
{
	struct load_run r;
	struct load_opt o;
	uint32_t n, q, both = 0, others = 0;
	bool first, other;

	(void)state;
	MAKE(&r, &o, "--clients", "8", "--nets", "1000", "--full", "5000");
	assert_int_equal(r.client[0].route_cnt, 5000);
	assert_true(r.client[0].away && !r.facts[0].up && r.away_cnt == 1);
	for (n = 0; n < r.nets.cnt; n++) {
		first = other = false;
		for (q = r.model.head[n]; q != LOAD_NONE; q = r.model.route[q].next) {
			first = first || r.model.route[q].client == 0;
			other = other || r.model.route[q].client != 0;
		}
		both += first && other;
		others += other;
	}
	assert_int_equal(others, 1000);
	assert_in_range(both, 900, 999);
	assert_int_equal(r.board.complete_cnt, 0);
	load_setup_fini(&r);
}

/* count_sorts - sets that ask for each sort of ask: not to, to, prepend. Returns: how
 * many sets there are. */
static uint32_t
count_sorts(struct load_run *r, uint32_t sorts[3])
{
	uint32_t i, ask, cnt = r->sets.cnt; /* judging makes more */

	for (i = 1; i < cnt; i++) {
		const struct load_control *l = load_set_judge(&r->sets, i)->control;

		if (!l)
			continue;
		ask = l[0].client == LOAD_CONTROL_NOBODY ? ASK_TO : l[0].ask;
		sorts[ask > ASK_TO ? 2 : ask]++;
	}
	return cnt;
}

/* Control communities are of all three sorts, or of two, and never without
 * --own-filter. */
static void
test_control(void **state)
{
	struct load_run r;
	struct load_opt o;
	uint32_t i, sorts[3] = { 0 }, two[3] = { 0 }, cnt;

	(void)state;
	MAKE(&r, &o, "--clients", "20", "--nets", "5000", "--own-filter");
	cnt = count_sorts(&r, sorts);
	for (i = 0; i < 3; i++)
		assert_in_range(sorts[i], cnt / 100, cnt / 10);
	load_setup_fini(&r);
	MAKE(
	    &r, &o, "--clients", "20", "--nets", "5000", "--own-filter", "--no-prepends");
	cnt = count_sorts(&r, two);
	for (i = 0; i < 2; i++)
		assert_in_range(two[i], cnt / 100, cnt / 10);
	assert_int_equal(two[2], 0);
	load_setup_fini(&r);
	MAKE(&r, &o, "--clients", "20", "--nets", "5000");
	for (i = 1; i < r.sets.cnt; i++)
		assert_null(load_set_judge(&r.sets, i)->control);
	load_setup_fini(&r);
}

static void
test_lists(void **state)
{
	struct load_run r;
	struct load_opt o;
	char buf[PREFIX_STR_MAX];
	uint32_t at, cnt, c;

	(void)state;
	MAKE(&r, &o, "--clients", "3", "--nets", "100", "--lists", "--unlisted", "10",
	    "--conf", "bird2");
	for (c = 0; c < 2; c++) {
		at = cnt = 0;
		while (load_conf_next(&r, c, FAM_IP4, &at, buf))
			cnt++;
		assert_int_equal(cnt, r.client[c].route_cnt - (c ? 0 : 10));
		assert_false(load_conf_next(&r, c, FAM_IP4, &at, buf));
	}
	load_setup_fini(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_seed),
	cmocka_unit_test(test_shape),
	cmocka_unit_test(test_clients),
	cmocka_unit_test(test_full),
	cmocka_unit_test(test_control),
	cmocka_unit_test(test_lists),
};

UNIT_MAIN(tests)
