/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program ternfib: each command on small images, with its output. */
#include "test/lib/ternfib_run.h"
#include <signal.h>
#include <sys/wait.h>

/* test_ternfib_without_hops - a route whose next hop is not in the image. */
static void
test_ternfib_without_hops(void)
{
	char path[80];
	struct fib_options o = { .family = FAM_IP4, .fields = 1, .table = "kinds" };
	struct fib *f = fib_new(&o);
	struct prefix p;
	struct fib_entry e = { .hop_kind = FIB_HOP_IP, .origin_as = 65001 };
	uint64_t value;

	snprintf(path, sizeof(path), "%s/k.fib", dir);
	assert_int_equal(prefix_parse(&p, "10.0.0.0/16"), 0);
	assert_int_equal(fib_value_get(f, &e, &value), 0);
	fib_set(f, &p, value);
	ternfib_run_publish(f, path);
	assert_int_equal(ternfib_run_cmd("", "lookup", path, "10.0.0.1", ""), 0);
	assert_string_equal(text, "10.0.0.1 unicast as 65001\n");
	assert_int_equal(ternfib_run_cmd("", "walk", path, "", ""), 0);
	assert_string_equal(text, "10.0.0.0 - 10.0.255.255 unicast as 65001\n");
	assert_int_equal(
	    ternfib_run_cmd("-c 1,2", "annotate", path, "", "10.0.0.1,10.0.0.2\n"), 0);
	assert_string_equal(text, "10.0.0.1,10.0.0.2,65001,65001,,\n");
	unlink(path);
}

/* Options with numbers that the commands cannot use. */
static void
test_ternfib_options(void **state)
{
	static const char *const bad[] = { "-s 0", "-s -1", "-s 1000001", "-s x",
		"-s 4294967297", "-s 1,2", "-t 0", "-t 257", "-c 0,1", "-c 1,0", "-c 1",
		"-c -1,2", "-r 0,0,4", "-r 65537,0,4", "-r 16,0", "-r 16,-4,4" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
		char want[64];

		assert_int_equal(ternfib_run_cmd(bad[i], "watch", path4, "", ""), 2);
		snprintf(want, sizeof(want), "ternfib: %s: the option takes ", bad[i]);
		assert_int_equal(strncmp(text, want, strlen(want)), 0);
	}
}

static void
test_ternfib_lookup(void **state)
{
	(void)state;
	assert_int_equal(
	    ternfib_run_cmd("", "lookup", path4, "10.9.9.9 10.1.2.3", ""), 0);
	assert_string_equal(text,
	    "10.9.9.9 via 192.0.2.1 as 65001 peer as 64500 rpki valid (65000,7) "
	    "(65000,1,2)\n"
	    "10.1.2.3 via 192.0.2.2 as 65002 peer as 64500 rpki valid (65000,7) "
	    "(65000,1,2)\n");
	assert_int_equal(
	    ternfib_run_cmd("-p", "lookup", path4, "", "10.1.2.200\n11.0.0.1\n"), 0);
	assert_string_equal(text,
	    "10.1.2.200 via blackhole peer as 64500 rpki valid (65000,7) (65000,1,2)\n"
	    "11.0.0.1 no route\n");
	assert_int_equal(ternfib_run_cmd("", "lookup", path6, "2001:db8:0:1::5", ""), 0);
	assert_non_null(strstr(text, "via 2001:db8::2 as 65004"));
	assert_int_equal(ternfib_run_cmd("", "lookup", path6, "10.0.0.1", ""), 1);
	assert_non_null(strstr(text, "no address of this image"));
	assert_int_equal(ternfib_run_cmd("", "lookup", in_path, "10.0.0.1", "x"), 1);
	assert_non_null(strstr(text, "no table image, or a damaged table image"));
	test_ternfib_without_hops();
	assert_int_equal(ternfib_run_cmd("-x", "lookup", path4, "", ""), 2);
	assert_int_equal(ternfib_run_cmd("", "look", path4, "", ""), 2);
	assert_int_equal(ternfib_run_cmd("--version", "", "", "", ""), 0);
}

static void
test_ternfib_read(void **state)
{
	(void)state;
	assert_int_equal(ternfib_run_cmd("", "stat", path4, "", ""), 0);
	assert_non_null(strstr(text, "table: master\nfamily: ipv4\n"));
	assert_non_null(strstr(text, "prefixes: 3\n"));
	assert_int_equal(ternfib_run_cmd("", "verify", path6, "", ""), 0);
	assert_non_null(strstr(text, "sound, generation 1"));
	assert_int_equal(ternfib_run_cmd("-s 1", "watch", path4, "", ""), 0);
	assert_non_null(strstr(text, "generation 1, 3 prefixes, "));
	assert_int_equal(ternfib_run_cmd("", "walk", path6, "", ""), 0);
	assert_non_null(strstr(text, "2001:db8:0:1:: - 2001:db8:0:1:ffff:ffff:ffff:ffff "
				     "via 2001:db8::2 as 65004"));
	assert_int_equal(ternfib_run_cmd("-s 1", "bench", path4, "", ""), 0);
	assert_non_null(strstr(text, "uniform, single: "));
}

/* test_ternfib_says - the next line of @from has @want. */
static void
test_ternfib_says(FILE *from, const char *want)
{
	char line[512];

	assert_non_null(fgets(line, sizeof(line), from));
	if (!strstr(line, want))
		fail_msg("%s is not in: %s", want, line);
}

/* The file goes while no writer runs, and another file comes. */
static void
test_ternfib_watch(void **state)
{
	char path[80],
	    *argv[] = { (char[]){ "ternfib" }, (char[]){ "watch" }, path, NULL };
	int to[2], status;
	FILE *from;
	pid_t pid;

	(void)state;
	snprintf(path, sizeof(path), "%s/w.fib", dir);
	ternfib_run_small(path);
	assert_int_equal(pipe(to), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(to[1], 1);
		dup2(to[1], 2);
		close(to[0]);
		close(to[1]);
		optind = 0;
		_exit(ternfib_main(3, argv));
	}
	close(to[1]);
	from = fdopen(to[0], "r");
	test_ternfib_says(from, "generation 1, 1 prefixes");
	unlink(path);
	test_ternfib_says(from, "the image was removed");
	ternfib_run_small(path);
	test_ternfib_says(from, "generation 1, 1 prefixes");
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	fclose(from);
	unlink(path);
}

static void
test_ternfib_annotate_lines(void **state)
{
	(void)state;
	assert_int_equal(
	    ternfib_run_cmd("-c 1,3 -t 2", "annotate", path4, "",
		"10.1.2.3,6,10.9.9.9,77\n1.2.3.4,6,5.6.7.8,1\n10.1.2.200,,10.1.2.1"),
	    0);
	assert_string_equal(text,
	    "10.1.2.3,6,10.9.9.9,77,65002,65001,192.0.2.2,192.0.2.1\n"
	    "1.2.3.4,6,5.6.7.8,1,0,0,,\n"
	    "10.1.2.200,,10.1.2.1,0,65002,,192.0.2.2\n");
	assert_int_equal(ternfib_run_cmd("-c 2,1", "annotate", path6, "",
			     "2001:db8::1,2001:db8:0:1::2\n"),
	    0);
	assert_string_equal(
	    text, "2001:db8::1,2001:db8:0:1::2,65004,65003,2001:db8::2,fe80::1\n");
	/* lines with CR LF, and a heading */
	assert_int_equal(ternfib_run_cmd("-c 1,2", "annotate", path4, "",
			     "from,to\r\n10.1.2.3,10.9.9.9\r\n10.1.2.3,10.9.9.9"),
	    0);
	assert_string_equal(text,
	    "from,to,source_as,destination_as,source_next_hop,destination_next_hop\r\n"
	    "10.1.2.3,10.9.9.9,65002,65001,192.0.2.2,192.0.2.1\r\n"
	    "10.1.2.3,10.9.9.9,65002,65001,192.0.2.2,192.0.2.1\n");
}

/* Lines without addresses have no route, also if a route covers address 0. */
static void
test_ternfib_annotate_bad(void **state)
{
	static char many[600000];
	char path[80], line[160];
	struct fib_options o = { .family = FAM_IP4, .fields = 1, .table = "default" };
	struct fib *f = fib_new(&o);
	size_t len = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/d.fib", dir);
	ternfib_run_set(f, "0.0.0.0/0", "192.0.2.9", 65009);
	ternfib_run_publish(f, path);
	assert_int_equal(ternfib_run_cmd("-c 1,2", "annotate", path, "",
			     "1.1.1.1,bad\n\n2001:db8::1,1.1.1.1\n1.1.1.1,2.2.2.2\n"),
	    1);
	assert_string_equal(text,
	    "1.1.1.1,bad,65009,0,192.0.2.9,\n,0,0,,\n"
	    "2001:db8::1,1.1.1.1,0,65009,,192.0.2.9\n"
	    "1.1.1.1,2.2.2.2,65009,65009,192.0.2.9,192.0.2.9\n"
	    "ternfib: standard input: line 1 and 2 other lines lack an IPv4 address in "
	    "column 1 or 2\n");
	/* the number counts the lines of all blocks */
	while (len < 560000)
		len += (size_t)sprintf(many + len, "1.1.1.1,2.2.2.2\n");
	memcpy(many + len - 16, "x", 1);
	snprintf(line, sizeof(line), "ternfib -t 2 -c 1,2 annotate %s", path);
	out_other = "/dev/null";
	assert_int_equal(ternfib_run_program(line, many, len, NULL), 1);
	assert_string_equal(text,
	    "ternfib: standard input: line 35000 and 0 other lines lack an IPv4 address "
	    "in column 1 or 2\n");
	/* a line longer than a block */
	memset(many + 320000, '7', 240000 + 40000);
	assert_int_equal(ternfib_run_program(line, many, 320000 + 280000, NULL), 1);
	assert_string_equal(
	    text, "ternfib: standard input: line 20001 is longer than 262144 octets\n");
	out_other = NULL;
	unlink(path);
}

/* Faults of standard input and output. */
static void
test_ternfib_annotate_faults(void **state)
{
	uint8_t record[29] = { 10, 1, 2, 3, 10, 9, 9, 9 };
	char line[160];
	size_t got;

	(void)state;
	snprintf(line, sizeof(line), "ternfib -r 12,0,4 annotate %s", path4);
	assert_int_equal(ternfib_run_program(line, record, sizeof(record), &got), 1);
	assert_string_equal(text + 2 * 28,
	    "ternfib: standard input: record 3 is cut off: 5 of 12 octets\n");
	assert_memory_equal(text, record, 12);
	assert_int_equal(ternfib_run_program(line, record, 5, &got), 1);
	assert_string_equal(
	    text, "ternfib: standard input: record 1 is cut off: 5 of 12 octets\n");
	assert_int_equal(ternfib_run_program(line, record, 0, &got), 0);
	in_other = dir;
	assert_int_equal(ternfib_run_program(line, record, 24, &got), 1);
	assert_string_equal(text, "ternfib: standard input: record 1: Is a directory\n");
	in_other = NULL;
	out_other = "/dev/full";
	assert_int_equal(ternfib_run_program(line, record, 24, &got), 1);
	assert_string_equal(text, "ternfib: standard output: No space left on device\n");
	out_other = NULL;
}

/* Output that is lost is a fault of each command. */
static void
test_ternfib_full(void **state)
{
	static const char *const command[] = { "lookup", "stat", "walk", "verify" };

	(void)state;
	out_other = "/dev/full";
	for (unsigned i = 0; i < ARRAY_LEN(command); i++) {
		assert_int_equal(
		    ternfib_run_cmd("", command[i], path4, i ? "" : "10.1.2.3", ""), 1);
		clearerr(stdout);
		assert_string_equal(
		    text, "ternfib: standard output: No space left on device\n");
	}
	out_other = NULL;
}

static void
test_ternfib_annotate_binary(void **state)
{
	char line[160];
	uint8_t record[2000][12];
	size_t got;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		put_be32(record[i], i % 2 ? 0x0a010203 : 0x0a090909);
		put_be32(record[i] + 8, 0x0a010201);
		put_be32(record[i] + 4, i);
	}
	snprintf(line, sizeof(line), "ternfib -t 2 -r 12,0,8 annotate %s", path4);
	assert_int_equal(ternfib_run_program(line, record, sizeof(record), &got), 0);
	assert_int_equal(got, 2000 * 28);
	for (unsigned i = 0; i < 2000; i++) {
		const uint8_t *r = (const uint8_t *)text + 28 * (size_t)i;
		uint32_t as[2];

		assert_memory_equal(r, record[i], 12);
		memcpy(as, r + 12, 8);
		assert_int_equal(as[0], i % 2 ? 65002 : 65001);
		assert_int_equal(as[1], 65002);
		assert_int_equal(get_be32(r + 20), i % 2 ? 0xc0000202 : 0xc0000201);
		assert_int_equal(get_be32(r + 24), 0xc0000202);
	}
	snprintf(line, sizeof(line), "ternfib -r 12,0,9 annotate %s", path4);
	assert_int_equal(ternfib_run_program(line, record, 24, &got), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ternfib_lookup),
		cmocka_unit_test(test_ternfib_options),
		cmocka_unit_test(test_ternfib_read),
		cmocka_unit_test(test_ternfib_watch),
		cmocka_unit_test(test_ternfib_annotate_lines),
		cmocka_unit_test(test_ternfib_annotate_bad),
		cmocka_unit_test(test_ternfib_annotate_faults),
		cmocka_unit_test(test_ternfib_full),
		cmocka_unit_test(test_ternfib_annotate_binary),
	};

	return cmocka_run_group_tests(tests, ternfib_run_setup, ternfib_run_teardown);
}
