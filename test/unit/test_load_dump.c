/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashes of what clients hold: of the same for all who hold the same, of something else
 * when a single route or its attributes differ. */
#include "test/load/load_dump.c"
#include "test/lib/load_rig.h"

static const char *const argv[] = { "ternload", "--clients", "4", "--silent", "2",
	"--nets", "50", "--ratio", "1", "--quiet" };

static uint32_t net_crc[64], set_crc[4096];

static uint64_t
test_load_dump_hash_of(const struct load_run *r, uint32_t client, uint64_t *cnt)
{
	assert_true(r->nets.cnt < ARRAY_LEN(net_crc) && r->sets.cnt < ARRAY_LEN(set_crc));
	load_dump_crcs(r, net_crc, set_crc);
	return load_dump_hash(r, client, net_crc, set_crc, cnt);
}

static void
test_crc(void **state)
{
	(void)state;
	assert_int_equal(load_dump_crc("123456789", 9), 0xcbf43926);
	assert_int_equal(load_dump_crc("", 0), 0);
}

static void
test_hash(void **state)
{
	struct load_rig f;
	uint64_t cnt, all, other;
	uint32_t net;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	assert_int_equal(test_load_dump_hash_of(&f.run, 3, &cnt), 0);
	assert_int_equal(cnt, 0);
	rig_serve_all(&f);
	all = test_load_dump_hash_of(&f.run, 2, &cnt);
	assert_int_equal(cnt, 50);
	assert_true(
	    test_load_dump_hash_of(&f.run, 3, &cnt) == all); /* both announce nothing */
	assert_true(test_load_dump_hash_of(&f.run, 0, &cnt) != all);
	assert_true(cnt < 50);
	for (net = 0; f.run.nets.net[net].want == f.run.nets.net[0].want; net++)
		;
	load_board_receive(&f.run.board, 3, 0, f.run.nets.net[net].want, f.run.now);
	other = test_load_dump_hash_of(&f.run, 3, &cnt);
	assert_int_equal(cnt, 50);
	assert_true(other != all);
	load_board_receive(&f.run.board, 3, 0, 0, f.run.now);
	assert_true(test_load_dump_hash_of(&f.run, 3, &cnt) != all);
	assert_int_equal(cnt, 49);
	load_rig_down(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
