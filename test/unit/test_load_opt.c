/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of ternload: both spellings, defaults, and what is refused. */
#include "test/load/load_opt.c"
#include "test/lib/unit.h"
#include <bsd/string.h>
#include <fcntl.h>
#include <unistd.h>

static int
test_load_opt_parse(struct load_opt *o, const char *line)
{
	char copy[512], *argv[32] = { "ternload" }, *save, *word;
	int argc = 1, err, saved = dup(2), null = open("/dev/null", O_WRONLY);

	strlcpy(copy, line, sizeof(copy));
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	dup2(null, 2);
	err = load_opt_parse(o, argc, argv);
	dup2(saved, 2);
	close(saved);
	close(null);
	return err;
}

static void
test_good(void **state)
{
	struct load_opt o;

	(void)state;
	assert_int_equal(test_load_opt_parse(&o, ""), 0);
	assert_int_equal(o.clients, 10);
	assert_int_equal(o.port, 1790);
	assert_true(o.filter);
	assert_string_equal(o.steps, "announce,settle");
	assert_int_equal(
	    test_load_opt_parse(&o,
		"--clients 7 --port=179 --ratio 1.5 --no-filter --family both "
		"--pid 5 --pid 6 --flap 3 --churn=9 --shuffle 4 --rcvbuf 65536"),
	    0);
	assert_int_equal(o.clients, 7);
	assert_int_equal(o.port, 179);
	assert_true(o.ratio == 1.5);
	assert_false(o.filter);
	assert_int_equal(o.families, 3);
	assert_int_equal(o.pid_cnt, 2);
	assert_int_equal(o.pid[1], 6);
	assert_string_equal(o.extra_steps, ",flap=3,churn=9");
	assert_true(o.shuffle);
	assert_int_equal(o.rcvbuf, 65536);
	assert_int_equal(
	    test_load_opt_parse(&o, "--server 2001:db8::1 --first-address 2001:db8::100"),
	    0);
	assert_false(ip_is_v4(o.server));
	assert_int_equal(o.add_paths, 0);
	assert_int_equal(
	    test_load_opt_parse(&o, "--add-paths on --paths 16 --no-add-paths 10 "
				    "--allow-unknown"),
	    0);
	assert_int_equal(o.add_paths, ADD_PATH_RX | ADD_PATH_TX);
	assert_int_equal(test_load_opt_parse(&o, "--add-paths tx --mrt x"), 0);
	assert_int_equal(o.add_paths, ADD_PATH_TX);
}

static void
test_bad(void **state)
{
	static const char *const bad[] = { "--clients", "--clients x", "--clients 0",
		"--clients -1", "--port 70000", "--quiet=1", "--nothing", "clients",
		"-c 5", "--ratio 0.5", "--ratio 2x", "--family 5", "--server nowhere",
		"--server ::1", "--as2 11", "--hold-time 2", "--pid 0x", "--nets 0",
		"--full 10 --clients 1", "--full 10 --mrt x", "--mark 1 --own-filter",
		"--no-prepends", "--mark 65536", "--add-paths off", "--paths 2",
		"--add-paths tx --paths 2", "--add-paths rx --allow-unknown",
		"--add-paths rx --paths 17", "--add-paths rx --paths 0",
		"--no-add-paths 1", "--add-paths tx --no-add-paths 11",
		"--secondary --mrt x", "--secondary --lenient", "--multi --secondary",
		"--multi --add-paths rx", "--play 3", "--play 3:3", "--play 5:11",
		"--play x:3", "--silent 10", "--play 0:5 --full 10", "--silent 1 --pair",
		"--routes --add-paths tx", "--add-paths rx --paths 2 --full 10" };
	struct load_opt o;
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(test_load_opt_parse(&o, bad[i]), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_good),
	cmocka_unit_test(test_bad),
};

UNIT_MAIN(tests)
