/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tests of the program ternfib share this header: images of routes, and runs of the
 * program within the test, with their output. */
#ifndef TERN_TEST_LIB_TERNFIB_RUN_H
#define TERN_TEST_LIB_TERNFIB_RUN_H

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

static char dir[] = "/tmp/test_ternfib.XXXXXX";
static char path4[64], path6[64], in_path[64], out_path[64];
static char text[65536];
/* what the program has as standard input and output; NULL: the input of the test, text */
static const char *in_other, *out_other;

static inline void
ternfib_run_set(struct fib *f, const char *prefix, const char *hop, uint32_t as)
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

static inline void
ternfib_run_publish(struct fib *f, const char *path)
{
	struct fib_file file = { .path = path, .mode = 0600 };

	assert_int_equal(fib_open(f, &file, 1), 0);
	assert_int_equal(fib_publish(f, 1), 0);
	fib_free(f);
}

static inline void
ternfib_run_small(const char *path)
{
	struct fib_options o = { .family = FAM_IP4, .fields = 15, .table = "small" };
	struct fib *f = fib_new(&o);

	ternfib_run_set(f, "10.0.0.0/8", "192.0.2.1", 65001);
	ternfib_run_publish(f, path);
}

static inline int
ternfib_run_setup(void **state)
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
	ternfib_run_set(f, "10.0.0.0/8", "192.0.2.1", 65001);
	ternfib_run_set(f, "10.1.2.0/24", "192.0.2.2", 65002);
	ternfib_run_set(f, "10.1.2.128/25", NULL, 0);
	ternfib_run_publish(f, path4);
	o.family = FAM_IP6;
	f = fib_new(&o);
	ternfib_run_set(f, "2001:db8::/32", "fe80::1", 65003);
	ternfib_run_set(f, "2001:db8:0:1::/64", "2001:db8::2", 65004);
	ternfib_run_publish(f, path6);
	return 0;
}

static inline int
ternfib_run_teardown(void **state)
{
	(void)state;
	unlink(path4);
	unlink(path6);
	unlink(in_path);
	unlink(out_path);
	return rmdir(dir);
}

/* ternfib_run_program - the program with the arguments in @line, @input on standard
 * input; the output is in text. Returns: the exit status. */
static inline int
ternfib_run_program(const char *line, const void *input, size_t len, size_t *got)
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

static inline int
ternfib_run_cmd(const char *options, const char *command, const char *path,
    const char *arg, const char *input)
{
	char line[256];

	snprintf(line, sizeof(line), "ternfib %s %s %s %s", options, command, path, arg);
	return ternfib_run_program(line, input, strlen(input), NULL);
}

#endif
