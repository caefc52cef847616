/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program ternfib: kinds of next hops, images that cannot be used, wrong options,
 * flows of IPv6, an image whose name gets an image of the other address family. */
#include "test/lib/ternfib_run.h"
#include "lib/fib/fib_format.h"
#include "test/lib/wait.h"
#include <signal.h>
#include <sys/stat.h>

/* Kinds of next hops, an image without further fields, and an image without prefixes. */
static void
test_ternfib_kinds(void **state)
{
	struct fib_options o = { .family = FAM_IP4, .table = "bare" };
	struct fib_entry e = { .hop_kind = FIB_HOP_LINK, .ifindex = 7 };
	struct fib *f = fib_new(&o);
	struct prefix p;
	char path[80];
	uint64_t value;

	(void)state;
	snprintf(path, sizeof(path), "%s/k.fib", dir);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(prefix_parse(&p, i ? "10.2.0.0/16" : "10.1.0.0/16"), 0);
		e.hop_kind = i ? FIB_HOP_REJECT : FIB_HOP_LINK;
		assert_int_equal(fib_value_get(f, &e, &value), 0);
		fib_set(f, &p, value);
		fib_value_drop(f, value);
	}
	ternfib_run_publish(f, path);
	assert_int_equal(ternfib_run_cmd("", "lookup", path, "10.1.0.1 10.2.0.1", ""), 0);
	assert_string_equal(text, "10.1.0.1 via interface 7\n10.2.0.1 via unreachable\n");
	assert_int_equal(
	    ternfib_run_cmd("-c 1,2", "annotate", path, "", "10.1.0.1,10.2.0.1\n"), 0);
	assert_string_equal(text, "10.1.0.1,10.2.0.1,0,0,,\n");
	assert_int_equal(ternfib_run_cmd("", "stat", path, "", ""), 0);
	assert_non_null(strstr(text, "table: bare\nfamily: ipv4\nfields: next hop\n"));
	unlink(path);
	o.family = FAM_IP6;
	o.fields = 15;
	ternfib_run_publish(fib_new(&o), path);
	assert_int_equal(ternfib_run_cmd("", "stat", path, "", ""), 0);
	assert_non_null(
	    strstr(text, "family: ipv6\n"
			 "fields: next hop, origin as, peer as, communities, rpki\n"));
	assert_non_null(strstr(text, "prefixes: 0\n"));
	assert_non_null(strstr(text, " 0.00 per prefix\n"));
	assert_int_equal(ternfib_run_cmd("", "walk", path, "", ""), 0);
	assert_string_equal(text, "");
	unlink(path);
}

/* An image that is no image, has another version, or whose first publication is not
 * complete: each command says why, and ends with 1. */
static void
test_ternfib_unusable(void **state)
{
	static const char *const command[] = { "lookup", "stat", "verify", "walk",
		"watch", "bench", "annotate" };
	const off_t generation = (off_t)offsetof(struct fib_header, live.generation);
	const off_t version = (off_t)offsetof(struct fib_fixed, version);
	char path[80], want[200];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/u.fib", dir);
	for (unsigned i = 0; i < ARRAY_LEN(command); i++) {
		assert_int_equal(ternfib_run_cmd("", command[i], path, "", ""), 1);
		snprintf(
		    want, sizeof(want), "ternfib: %s: No such file or directory\n", path);
		assert_string_equal(text, want);
	}
	ternfib_run_small(path);
	assert_int_equal(ternfib_run_cmd("", "verify", path, "", ""), 0);
	/* one slot names another chunk */
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	for (off_t at = FIB_HEADER_SIZE;; at += 8) {
		uint64_t slot;

		assert_int_equal(pread(fd, &slot, 8, at), 8);
		if (!slot)
			continue;
		slot ^= (uint64_t)1 << 60;
		assert_int_equal(pwrite(fd, &slot, 8, at), 8);
		break;
	}
	assert_int_equal(ternfib_run_cmd("", "verify", path, "", ""), 1);
	snprintf(want, sizeof(want), "%s: damaged: ", path);
	assert_memory_equal(text, want, strlen(want));
	assert_int_equal(pwrite(fd, "\1", 1, version), 1);
	assert_int_equal(ternfib_run_cmd("", "stat", path, "", ""), 1);
	assert_non_null(strstr(text, "a table image of another version"));
	assert_int_equal(pwrite(fd, "\2", 1, version), 1);
	assert_int_equal(pwrite(fd, &(uint64_t){ 0 }, 8, generation), 8);
	assert_int_equal(ternfib_run_cmd("", "stat", path, "", ""), 1);
	assert_non_null(strstr(text, "the first publication is not complete"));
	close(fd);
	unlink(path);
}

/* Options that make no sense end the program with 2 and the usage. */
static void
test_ternfib_options(void **state)
{
	static const char *const wrong[] = { "-t x", "-t 1,2", "-s -", "-c 1,2,3",
		"-r 0,0,0", "-r 16;0,4" };
	char want[64];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_int_equal(ternfib_run_cmd(wrong[i], "annotate", path4, "", ""), 2);
		snprintf(want, sizeof(want), "ternfib: %s: the option takes ", wrong[i]);
		assert_memory_equal(text, want, strlen(want));
	}
	assert_int_equal(ternfib_run_cmd("--help", "", "", "", ""), 0);
	assert_non_null(
	    strstr(text, "  bench IMAGE                lookups per second\n"));
	assert_int_equal(ternfib_run_cmd("-r 8,0,5", "annotate", path4, "", ""), 2);
	assert_string_equal(text, "ternfib: an address lies outside the record\n");
	assert_int_equal(ternfib_run_cmd("-r 40,0,25", "annotate", path6, "", ""), 2);
	assert_int_equal(ternfib_run_cmd("-r 40,25,0", "annotate", path6, "", ""), 2);
}

/* A word of the command line that has no effect is a fault: the first line of the output
 * names the word. */
static void
test_ternfib_words(void **state)
{
	static const char *const wrong[][2] = { { "", "a command is missing" },
		{ "-p", "a command is missing" }, { "frob 4", "frob: no such command" },
		{ "stat", "stat: an image is missing" },
		{ "lookup", "lookup: an image is missing" },
		{ "-p stat 4", "stat: the option -p has no effect" },
		{ "-p -s 1 watch 4", "watch: the option -p has no effect" },
		{ "-c 1,2 verify 4", "verify: the option -c has no effect" },
		{ "-t 2 walk 4", "walk: the option -t has no effect" },
		{ "-s 1 lookup 4", "lookup: the option -s has no effect" },
		{ "-r 16,0,4 bench 4", "bench: the option -r has no effect" },
		{ "-s 1 annotate 4", "annotate: the option -s has no effect" },
		{ "-c 1,2 -r 16,0,4 annotate 4",
		    "annotate: -c and -r exclude each other" },
		{ "stat 4 5", "stat: '5' after the image has no effect" },
		{ "verify 4 5", "verify: '5' after the image has no effect" },
		{ "watch 4 5", "watch: '5' after the image has no effect" },
		{ "walk 4 5", "walk: '5' after the image has no effect" },
		{ "bench 4 5", "bench: '5' after the image has no effect" },
		{ "annotate 4 5", "annotate: '5' after the image has no effect" } };
	char line[64], want[80];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		snprintf(line, sizeof(line), "ternfib %s", wrong[i][0]);
		assert_int_equal(ternfib_run_program(line, "", 0, NULL), 2);
		snprintf(want, sizeof(want), "ternfib: %s\nUsage: ", wrong[i][1]);
		assert_memory_equal(text, want, strlen(want));
	}
	assert_int_equal(ternfib_run_cmd("-p -p", "lookup", path4, "10.0.0.1", ""), 0);
	assert_int_equal(ternfib_run_cmd("-h", "", "", "", ""), 0);
	out_other = "/dev/full";
	assert_int_equal(ternfib_run_cmd("--version", "", "", "", ""), 1);
	out_other = NULL;
	clearerr(stdout);
}

/* IPv6: records, and lines with an address that is too long, of IPv4, or no address. */
static void
test_ternfib_annotate6(void **state)
{
	static const char lines[] =
	    "2001:db8::1,10.0.0.1\n2001:db8::1,nothing\n"
	    "2001:0db8:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000,2001:db8:0:1::\n"
	    "10.0.0.1,::ffff:10.0.0.1\n2001:db8:1::1,2001:db9::1\n";
	uint8_t record[34];
	char line[160];
	uint32_t as[2];
	size_t got;

	(void)state;
	assert_int_equal(ternfib_run_cmd("-c 1,2", "annotate", path6, "", lines), 1);
	assert_string_equal(text,
	    "2001:db8::1,10.0.0.1,65003,0,fe80::1,\n"
	    "2001:db8::1,nothing,65003,0,fe80::1,\n"
	    "2001:0db8:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000,2001:db8:0:1::,"
	    "0,65004,,2001:db8::2\n"
	    "10.0.0.1,::ffff:10.0.0.1,0,0,,\n"
	    "2001:db8:1::1,2001:db9::1,65003,0,fe80::1,\n"
	    "ternfib: standard input: line 1 and 3 other lines lack an IPv6 address in "
	    "column 1 or 2\n");
	for (unsigned i = 0; i < sizeof(record); i++)
		record[i] = (uint8_t)i;
	memcpy(record + 2, (uint8_t[16]){ 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1 }, 16);
	memcpy(record + 18, (uint8_t[16]){ 0x20, 0x01, 0x0d, 0xb9 }, 16);
	snprintf(line, sizeof(line), "ternfib -r 34,2,18 annotate %s", path6);
	assert_int_equal(ternfib_run_program(line, record, sizeof(record), &got), 0);
	assert_int_equal(got, 34 + 8 + 32);
	assert_memory_equal(text, record, 34);
	memcpy(as, text + 34, 8);
	assert_int_equal(as[0], 65004);
	assert_int_equal(as[1], 0);
	assert_memory_equal(
	    text + 42, ((uint8_t[16]){ 0x20, 1, 0x0d, 0xb8, [15] = 2 }), 16);
	assert_memory_equal(text + 58, ((uint8_t[16]){ 0 }), 16);
}

/* Gives annotate a record after each answer. While annotate runs the image goes, and an
 * image of IPv6 takes its name. */
struct test_feeder {
	char path[80], fifo[80];
	const void *record;
	size_t len;
	unsigned records;
	bool done;
	pthread_t thread;
};

static bool
test_ternfib_is_done(const struct test_feeder *f)
{
	return __atomic_load_n(&f->done, __ATOMIC_ACQUIRE);
}

static bool
test_ternfib_says_now(const char *what)
{
	static char said[1 << 20];
	FILE *from = fopen(out_path, "r");
	size_t n = fread(said, 1, sizeof(said) - 1, from);

	fclose(from);
	return memmem(said, n, what, strlen(what));
}

/* test_ternfib_feed_one - give a record, and wait until the output has grown. */
static void
test_ternfib_feed_one(struct test_feeder *f, int fd, off_t *size)
{
	struct wait w = { 0 };
	struct stat st = { 0 };

	if (write(fd, f->record, f->len) != (ssize_t)f->len)
		return;
	f->records++;
	while (!test_ternfib_is_done(f) && (stat(out_path, &st) || st.st_size <= *size))
		lib_wait_turn(&w, "the answer to a record");
	*size = st.st_size;
}

static void *
test_ternfib_feed(void *arg)
{
	struct fib_options o = { .family = FAM_IP6, .fields = 15, .table = "other" };
	struct test_feeder *f = arg;
	int fd = open(f->fifo, O_WRONLY);
	off_t size = 0;

	test_ternfib_feed_one(f, fd, &size);
	unlink(f->path);
	while (!test_ternfib_is_done(f) &&
	       !test_ternfib_says_now("the former image stays in use"))
		test_ternfib_feed_one(f, fd, &size);
	ternfib_run_publish(fib_new(&o), f->path);
	while (!test_ternfib_is_done(f) && !test_ternfib_says_now("other address family"))
		test_ternfib_feed_one(f, fd, &size);
	close(fd);
	return NULL;
}

static void
test_ternfib_other_family(void **state)
{
	static const char *const options[] = { "-c 1,2", "-r 8,0,4" };
	static const char *const record[] = { "10.0.0.1,10.0.0.2\n",
		"\012\0\0\1\012\0\0\2" };

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < 2; i++) {
		struct test_feeder f = { .record = record[i], .len = i ? 8 : 18 };
		char line[160], want[160];

		snprintf(f.path, sizeof(f.path), "%s/f.fib", dir);
		snprintf(f.fifo, sizeof(f.fifo), "%s/fifo", dir);
		ternfib_run_small(f.path);
		assert_int_equal(mkfifo(f.fifo, 0600), 0);
		unlink(out_path);
		assert_int_equal(
		    pthread_create(&f.thread, NULL, test_ternfib_feed, &f), 0);
		in_other = f.fifo;
		snprintf(
		    line, sizeof(line), "ternfib %s annotate %s", options[i], f.path);
		assert_int_equal(ternfib_run_program(line, "", 0, NULL), 1);
		__atomic_store_n(&f.done, true, __ATOMIC_RELEASE);
		pthread_join(f.thread, NULL);
		in_other = NULL;
		snprintf(want, sizeof(want),
		    "ternfib: %s: %s %u: the new image has the other address family\n",
		    f.path, i ? "record" : "line", f.records);
		assert_true(test_ternfib_says_now("the former image stays in use"));
		assert_true(test_ternfib_says_now(want));
		assert_true(f.records >= 3);
		unlink(f.path);
		unlink(f.fifo);
	}
}

/* The keys of bench: uniform keys of IPv6 are global addresses; each announced key has a
 * route; single lookups and bulks find equal answers. */
static void
test_ternfib_bench(void **state)
{
	static uint8_t octet[KEYS][16];
	static uint32_t number[KEYS];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fib_keys k = { .octet = octet, .number = number };
		struct fib_cmd c = { .path = i ? path6 : path4, .threads = 1 };
		struct fib_bench single = { .c = &c, .keys = &k },
				 bulk = { .c = &c, .keys = &k, .mode = 1 };
		struct ternfib *t = fib_cmd_open(&c);

		assert_non_null(t);
		k.bits = ternfib_bits(t);
		fib_bench_uniform(&k);
		for (uint32_t j = 0; i && j < KEYS; j++)
			assert_int_equal(octet[j][0] & 0xe0, 0x20);
		k.cnt = 0;
		assert_int_equal(ternfib_walk(t, fib_bench_range, &k), 0);
		assert_in_range(k.cnt, 2, KEYS);
		for (uint32_t j = 0; j < k.cnt; j++)
			assert_true(
			    i ? ternfib_find6(t, octet[j]) : ternfib_find4(t, number[j]));
		for (uint32_t j = k.cnt; j < 4 * BULK; j++)
			fib_bench_key(&k, j, octet[j % k.cnt]);
		assert_int_equal(fib_bench_part(t, &single, 0, 4 * BULK),
		    fib_bench_part(t, &bulk, 0, 4 * BULK));
		ternfib_close(t);
	}
}

/* Each key of bench lies in its range, also if an octet of the first address exceeds the
 * same octet of the last address. */
static void
test_ternfib_bench_ranges(void **state)
{
	static const char *const range[][2] = { { "2001:db8:10::", "2001:db9:f::1" },
		{ "2001:db8::", "2001:db8::" },
		{ "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
		{ "0:0:0:1::", "0:0:0:1:ffff:ffff:ffff:ffff" }, { "::1", "0:0:0:1::" },
		{ "10.0.1.0", "10.1.0.255" }, { "192.0.2.255", "192.0.3.0" } };
	static uint8_t octet[KEYS][16];
	static uint32_t number[KEYS];
	struct fib_keys k = { .octet = octet, .number = number };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(range); i++) {
		struct ternfib_range r = { 0 };
		struct ip_addr first, last, a;
		unsigned ends[2] = { 0, 0 };

		assert_int_equal(ip_parse(&first, range[i][0]), 0);
		assert_int_equal(ip_parse(&last, range[i][1]), 0);
		ip_put16(r.first, first);
		ip_put16(r.last, last);
		for (k.seen = 0; k.seen < 1000;) {
			assert_int_equal(fib_bench_range(&k, &r), 0);
			a = ip_get16(octet[k.seen - 1]);
			assert_true(ip_cmp(first, a) <= 0 && ip_cmp(a, last) <= 0);
			ends[0] += ip_cmp(a, first) == 0;
			ends[1] += ip_cmp(a, last) == 0;
		}
		/* a range of two addresses has both */
		if (i == ARRAY_LEN(range) - 1)
			assert_true(ends[0] > 400 && ends[1] > 400);
	}
}

/* A thread of bench that has no image ends the measurement: no row has a rate that some
 * threads lack. */
static void
test_ternfib_bench_lost(void **state)
{
	static uint8_t octet[PARTS * BULK][16];
	static uint32_t number[PARTS * BULK];
	struct fib_keys k = { octet, number, PARTS * BULK, 0, 0, 32 };
	struct fib_cmd c = { .path = "/nonexistent/t.fib", .threads = 2 };
	int saved[2] = { dup(1), dup(2) }, fd = open("/dev/null", O_WRONLY);
	bool ok;

	(void)state;
	fflush(stdout);
	dup2(fd, 1);
	dup2(fd, 2);
	ok = fib_bench_row(&c, &k, "lost");
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], i + 1);
		close(saved[i]);
	}
	close(fd);
	assert_false(ok);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ternfib_kinds),
		cmocka_unit_test(test_ternfib_unusable),
		cmocka_unit_test(test_ternfib_options),
		cmocka_unit_test(test_ternfib_words),
		cmocka_unit_test(test_ternfib_annotate6),
		cmocka_unit_test(test_ternfib_other_family),
		cmocka_unit_test(test_ternfib_bench),
		cmocka_unit_test(test_ternfib_bench_ranges),
		cmocka_unit_test(test_ternfib_bench_lost),
	};

	return cmocka_run_group_tests(tests, ternfib_run_setup, ternfib_run_teardown);
}
