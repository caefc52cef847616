/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting to be told: asked once, told at once or for later, and nobody left to tell. */
#include "test/load/load_gate.c"
#include "test/lib/unit.h"

#include <fcntl.h>

/* stdin is a pipe, whose other end this is; stdout goes nowhere. */
static int
test_load_gate_begin(int saved[2])
{
	int fd[2], null = open("/dev/null", O_WRONLY);

	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	saved[0] = dup(0);
	saved[1] = dup(1);
	dup2(fd[0], 0);
	dup2(null, 1);
	close(fd[0]);
	close(null);
	return fd[1];
}

static void
test_load_gate_end(const int saved[2])
{
	fflush(stdout);
	dup2(saved[0], 0);
	dup2(saved[1], 1);
	close(saved[0]);
	close(saved[1]);
}

static void
test_gate(void **state)
{
	struct load_run r = { 0 };
	char line[64];
	int saved[2], to = test_load_gate_begin(saved), passed[6], fatal, err;
	bool late;

	(void)state;
	passed[0] = load_gate_pass(&r, "a"); /* nobody has said anything */
	passed[1] = r.gate.asked;
	err = write(to, "go", 2) != 2;
	passed[2] = load_gate_pass(&r, "a");
	err = err || write(to, " 0\n", 3) != 3;
	passed[3] = load_gate_pass(&r, "a");
	snprintf(line, sizeof(line), "go %.6f\n", real_s() + 0.05);
	err = err || write(to, line, strlen(line)) < 0;
	passed[4] = load_gate_pass(&r, "b");
	passed[5] = load_gate_wait(&r, "b") == 0;
	late = real_s() + 1e-3 >= strtod(line + 3, NULL);
	fatal = r.fatal;
	close(to);
	load_gate_pass(&r, "c");
	test_load_gate_end(saved);
	assert_false(err);
	assert_false(passed[0]);
	assert_true(passed[1]);
	assert_false(passed[2]);
	assert_true(passed[3]);
	assert_false(passed[4]);
	assert_true(passed[5]);
	assert_true(late);
	assert_false(fatal);
	assert_true(r.fatal);
}

static void
test_time(void **state)
{
	uint64_t now = load_now();

	(void)state;
	assert_true(load_gate_time(now) - real_s() < 0.1);
	assert_true(real_s() - load_gate_time(now - NS_S) > 0.9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
