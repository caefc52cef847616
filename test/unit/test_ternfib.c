/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program ternfib: each command on small images, with its output. */
#define main ternfib_main
#include "client/fib/main.c"
#undef main
#include "client/fib/fib_annotate.c"
#include "client/fib/fib_bench.c"
#include "client/fib/fib_flow.c"
#include "client/fib/fib_look.c"
#include "lib/fib/fib_build.h"
#include "test/lib/unit.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static char dir[] = "/tmp/test_ternfib.XXXXXX";
static char path4[64], path6[64], in_path[64], out_path[64];
static char text[65536];
/* what the program has as standard input and output; NULL: the input of the test, text */
static const char *in_other, *out_other;

static void
test_ternfib_set(struct fib *f, const char *prefix, const char *hop, uint32_t as)
{
	static const uint32_t community[] = { 65000u << 16 | 7 };
	static const uint32_t large[] = { 65000, 1, 2 };
	struct fib_entry e = { .hop_kind = hop ? FIB_HOP_IP : FIB_HOP_DROP,
		.origin_as = as,
		.peer_as = 64500,
		.rpki = FIB_RPKI_VALID,
		.community_cnt = 1,
		.large_cnt = 1,
		.community = community,
		.large = large };
	struct prefix p;
	uint64_t value;

	assert_int_equal(prefix_parse(&p, prefix), 0);
	if (hop)
		assert_int_equal(ip_parse(&e.next_hop, hop), 0);
	assert_int_equal(fib_value_get(f, &e, &value), 0);
	fib_set(f, &p, value);
	fib_value_drop(f, value);
}

static void
test_ternfib_publish(struct fib *f, const char *path)
{
	struct fib_file file = { .path = path, .mode = 0600 };

	assert_int_equal(fib_open(f, &file, 1), 0);
	assert_int_equal(fib_publish(f, 1), 0);
	fib_free(f);
}

static void
test_ternfib_small(const char *path)
{
	struct fib_options o = { .family = FAM_IP4, .fields = 15, .table = "small" };
	struct fib *f = fib_new(&o);

	test_ternfib_set(f, "10.0.0.0/8", "192.0.2.1", 65001);
	test_ternfib_publish(f, path);
}

static int
test_ternfib_setup(void **state)
{
	struct fib_options o = { .fields = 15, .table = "master" };
	struct fib *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path4, sizeof(path4), "%s/4.fib", dir);
	snprintf(path6, sizeof(path6), "%s/6.fib", dir);
	snprintf(in_path, sizeof(in_path), "%s/in", dir);
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	o.family = FAM_IP4;
	f = fib_new(&o);
	test_ternfib_set(f, "10.0.0.0/8", "192.0.2.1", 65001);
	test_ternfib_set(f, "10.1.2.0/24", "192.0.2.2", 65002);
	test_ternfib_set(f, "10.1.2.128/25", NULL, 0);
	test_ternfib_publish(f, path4);
	o.family = FAM_IP6;
	f = fib_new(&o);
	test_ternfib_set(f, "2001:db8::/32", "fe80::1", 65003);
	test_ternfib_set(f, "2001:db8:0:1::/64", "2001:db8::2", 65004);
	test_ternfib_publish(f, path6);
	return 0;
}

static int
test_ternfib_teardown(void **state)
{
	(void)state;
	unlink(path4);
	unlink(path6);
	unlink(in_path);
	unlink(out_path);
	return rmdir(dir);
}

/* test_ternfib_run - the program with the arguments in @line, @input on standard input;
 * the output is in text. Returns: the exit status. */
static int
test_ternfib_run(const char *line, const void *input, size_t len, size_t *got)
{
	char words[256], *argv[16] = { NULL };
	int argc = 0, status, saved[3];
	int fd = open(in_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	assert_int_equal(write(fd, input, len), len);
	lseek(fd, 0, SEEK_SET);
	if (in_other) {
		close(fd);
		fd = open(in_other, O_RDONLY);
	}
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		saved[i] = dup(i);
	dup2(fd, 0);
	close(fd);
	fd = open(out_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	if (out_other) {
		int other = open(out_other, O_WRONLY);

		dup2(other, 1);
		close(other);
	}
	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	optind = 0;
	rewind(stdin);
	status = ternfib_main(argc, argv);
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	if (got)
		*got = (size_t)n;
	close(fd);
	return status;
}

static int
test_ternfib_cmd(const char *options, const char *command, const char *path,
    const char *arg, const char *input)
{
	char line[256];

	snprintf(line, sizeof(line), "ternfib %s %s %s %s", options, command, path, arg);
	return test_ternfib_run(line, input, strlen(input), NULL);
}

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
	test_ternfib_publish(f, path);
	assert_int_equal(test_ternfib_cmd("", "lookup", path, "10.0.0.1", ""), 0);
	assert_string_equal(text, "10.0.0.1 unicast as 65001\n");
	assert_int_equal(test_ternfib_cmd("", "walk", path, "", ""), 0);
	assert_string_equal(text, "10.0.0.0 - 10.0.255.255 unicast as 65001\n");
	assert_int_equal(
	    test_ternfib_cmd("-c 1,2", "annotate", path, "", "10.0.0.1,10.0.0.2\n"), 0);
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

		assert_int_equal(test_ternfib_cmd(bad[i], "watch", path4, "", ""), 2);
		snprintf(want, sizeof(want), "ternfib: %s: the option takes ", bad[i]);
		assert_int_equal(strncmp(text, want, strlen(want)), 0);
	}
}

static void
test_ternfib_lookup(void **state)
{
	(void)state;
	assert_int_equal(
	    test_ternfib_cmd("", "lookup", path4, "10.9.9.9 10.1.2.3", ""), 0);
	assert_string_equal(text,
	    "10.9.9.9 via 192.0.2.1 as 65001 peer as 64500 rpki valid (65000,7) "
	    "(65000,1,2)\n"
	    "10.1.2.3 via 192.0.2.2 as 65002 peer as 64500 rpki valid (65000,7) "
	    "(65000,1,2)\n");
	assert_int_equal(
	    test_ternfib_cmd("-p", "lookup", path4, "", "10.1.2.200\n11.0.0.1\n"), 0);
	assert_string_equal(text,
	    "10.1.2.200 via blackhole peer as 64500 rpki valid (65000,7) (65000,1,2)\n"
	    "11.0.0.1 no route\n");
	assert_int_equal(test_ternfib_cmd("", "lookup", path6, "2001:db8:0:1::5", ""), 0);
	assert_non_null(strstr(text, "via 2001:db8::2 as 65004"));
	assert_int_equal(test_ternfib_cmd("", "lookup", path6, "10.0.0.1", ""), 1);
	assert_non_null(strstr(text, "no address of this image"));
	assert_int_equal(test_ternfib_cmd("", "lookup", in_path, "10.0.0.1", "x"), 1);
	assert_non_null(strstr(text, "no table image, or a damaged table image"));
	test_ternfib_without_hops();
	assert_int_equal(test_ternfib_cmd("-x", "lookup", path4, "", ""), 2);
	assert_int_equal(test_ternfib_cmd("", "look", path4, "", ""), 2);
	assert_int_equal(test_ternfib_cmd("--version", "", "", "", ""), 0);
}

static void
test_ternfib_read(void **state)
{
	(void)state;
	assert_int_equal(test_ternfib_cmd("", "stat", path4, "", ""), 0);
	assert_non_null(strstr(text, "table: master\nfamily: ipv4\n"));
	assert_non_null(strstr(text, "prefixes: 3\n"));
	assert_int_equal(test_ternfib_cmd("", "verify", path6, "", ""), 0);
	assert_non_null(strstr(text, "sound, generation 1"));
	assert_int_equal(test_ternfib_cmd("-s 1", "watch", path4, "", ""), 0);
	assert_non_null(strstr(text, "generation 1, 3 prefixes, "));
	assert_int_equal(test_ternfib_cmd("", "walk", path6, "", ""), 0);
	assert_non_null(strstr(text, "2001:db8:0:1:: - 2001:db8:0:1:ffff:ffff:ffff:ffff "
				     "via 2001:db8::2 as 65004"));
	assert_int_equal(test_ternfib_cmd("-s 1", "bench", path4, "", ""), 0);
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
	test_ternfib_small(path);
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
	test_ternfib_small(path);
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
	    test_ternfib_cmd("-c 1,3 -t 2", "annotate", path4, "",
		"10.1.2.3,6,10.9.9.9,77\n1.2.3.4,6,5.6.7.8,1\n10.1.2.200,,10.1.2.1"),
	    0);
	assert_string_equal(text,
	    "10.1.2.3,6,10.9.9.9,77,65002,65001,192.0.2.2,192.0.2.1\n"
	    "1.2.3.4,6,5.6.7.8,1,0,0,,\n"
	    "10.1.2.200,,10.1.2.1,0,65002,,192.0.2.2\n");
	assert_int_equal(test_ternfib_cmd("-c 2,1", "annotate", path6, "",
			     "2001:db8::1,2001:db8:0:1::2\n"),
	    0);
	assert_string_equal(
	    text, "2001:db8::1,2001:db8:0:1::2,65004,65003,2001:db8::2,fe80::1\n");
	/* lines with CR LF, and a heading */
	assert_int_equal(test_ternfib_cmd("-c 1,2", "annotate", path4, "",
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
	test_ternfib_set(f, "0.0.0.0/0", "192.0.2.9", 65009);
	test_ternfib_publish(f, path);
	assert_int_equal(test_ternfib_cmd("-c 1,2", "annotate", path, "",
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
	assert_int_equal(test_ternfib_run(line, many, len, NULL), 1);
	assert_string_equal(text,
	    "ternfib: standard input: line 35000 and 0 other lines lack an IPv4 address "
	    "in column 1 or 2\n");
	/* a line longer than a block */
	memset(many + 320000, '7', 240000 + 40000);
	assert_int_equal(test_ternfib_run(line, many, 320000 + 280000, NULL), 1);
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
	assert_int_equal(test_ternfib_run(line, record, sizeof(record), &got), 1);
	assert_string_equal(text + 2 * 28,
	    "ternfib: standard input: record 3 is cut off: 5 of 12 octets\n");
	assert_memory_equal(text, record, 12);
	assert_int_equal(test_ternfib_run(line, record, 5, &got), 1);
	assert_string_equal(
	    text, "ternfib: standard input: record 1 is cut off: 5 of 12 octets\n");
	assert_int_equal(test_ternfib_run(line, record, 0, &got), 0);
	in_other = dir;
	assert_int_equal(test_ternfib_run(line, record, 24, &got), 1);
	assert_string_equal(text, "ternfib: standard input: record 1: Is a directory\n");
	in_other = NULL;
	out_other = "/dev/full";
	assert_int_equal(test_ternfib_run(line, record, 24, &got), 1);
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
		    test_ternfib_cmd("", command[i], path4, i ? "" : "10.1.2.3", ""), 1);
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
	assert_int_equal(test_ternfib_run(line, record, sizeof(record), &got), 0);
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
	assert_int_equal(test_ternfib_run(line, record, 24, &got), 2);
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

	return cmocka_run_group_tests(tests, test_ternfib_setup, test_ternfib_teardown);
}
