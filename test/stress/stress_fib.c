/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers in other processes, while the writer of a table image publishes, is killed by
 * SIGKILL, stopped and continued, and started again.
 *
 * Each /24 prefix is always announced. The next hop of its route names the prefix
 * (address) and the publication that set the route (ifindex). Some /26 prefixes come and
 * go. A reader checks for each answer: the next hop names the prefix, or the /26 prefix
 * within; the publication is not newer than the generation after the lookup; for each
 * prefix the publications never go back, also across writers. A second writer is refused
 * as long as a writer lives. At the end the image is sound.
 *
 * A second test has a writer that changes 10,000 prefixes a second, as a busy table does:
 * 500 changes for each publication, 20 publications a second. One reader is stopped and
 * continued later, another is killed, and the writer goes on. At most one lookup of a
 * million is repeated.
 *
 * With TERN_SOAK: 800 writers instead of 8, and a minute of changes instead of a second.
 */
#include "lib/fib/fib_build.h"
#include "lib/fib/ternfib.h"
#include "lib/mem/mem.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIXES 2000u
#define READERS  2u
#define BULK     32u
#define PACE_US  50000u /* between two publications of the second test */

/* What all processes share: read and written by plain atomics of the compiler. Owner: the
 * parent. Freed by: the end of the test. */
struct shared {
	volatile uint32_t stop;
	/* by reader; the last reader of the second test is killed */
	volatile uint64_t lookups[READERS + 1], repeated[READERS + 1], stale[READERS + 1];
};

static char path[64];

static uint32_t
stress_fib_addr(uint32_t i)
{
	return 0x0a000000 + (i % 40 << 16) + (i / 40 << 8);
}

/* ---- the writer ---- */

static void
stress_fib_put(struct fib *f, uint32_t i, bool inner, uint32_t version)
{
	struct prefix p = prefix_make(
	    ip4(stress_fib_addr(i) + (inner ? 64 : 0)), inner ? 26 : 24, FAM_IP4);
	struct fib_entry e = { .hop_kind = FIB_HOP_IP,
		.next_hop = ip4(i << 1 | inner),
		.ifindex = version,
		.origin_as = i + 1 };
	uint64_t value;

	if (fib_value_get(f, &e, &value))
		_exit(3);
	fib_set(f, &p, value);
	fib_value_drop(f, value);
}

static void
stress_fib_drop(struct fib *f, uint32_t i)
{
	struct prefix p = prefix_make(ip4(stress_fib_addr(i) + 64), 26, FAM_IP4);

	fib_unset(f, &p);
}

/* stress_fib_write - publish until a signal ends the process. */
static void
stress_fib_write(uint64_t seed, uint32_t pace)
{
	struct fib_options o = {
		.family = FAM_IP4, .fields = FIB_WITH_ORIGIN, .table = "stress"
	};
	struct fib_file file = { .path = path, .mode = 0600 };
	struct seed s = { seed };
	struct fib *f = fib_new(&o);
	struct fib_stat st;
	int status;

	status = fib_open(f, &file, 1);
	if (status) {
		fprintf(stderr, "fib_open: %s\n", strerror(-status));
		_exit(4);
	}
	for (;;) {
		uint32_t cnt = pace ? pace : 1 + seed_below(&s, 200), version;

		fib_stat(f, &st);
		version = (uint32_t)st.generation + 1;
		if (!st.prefix_cnt)
			for (uint32_t i = 0; i < PREFIXES; i++)
				stress_fib_put(f, i, false, version);
		while (cnt--) {
			uint32_t i = seed_below(&s, PREFIXES);

			if (seed_chance(&s, 3))
				stress_fib_drop(f, i);
			else
				stress_fib_put(f, i, seed_chance(&s, 3), version);
		}
		if (!pace && seed_chance(&s, 200))
			fib_rebuild(f);
		if (fib_publish(f, 1))
			_exit(5);
		if (pace)
			wait_pause(PACE_US);
	}
}

/* ---- readers ---- */

/* stress_fib_check - the answer for an address in prefix @i. Returns: false: the answer
 * is wrong. *@stale: the index has another meaning by now. */
static bool
stress_fib_check(struct ternfib *t, uint64_t answer, uint32_t i, bool inner,
    uint32_t last[2], bool *stale)
{
	struct ternfib_hop hop;
	uint32_t asn, name;
	int err = ternfib_hop(t, answer, &hop);
	int err2 = ternfib_origin(t, answer, &asn);

	*stale = err == -ESTALE || err2 == -ESTALE;
	if (*stale)
		return true;
	if (err || err2)
		return false;
	name = get_be32(hop.addr + 12);
	if (name != i << 1 && !(inner && name == (i << 1 | 1)))
		return false;
	if (asn != i + 1 || hop.ifindex > ternfib_generation(t) + 1)
		return false;
	if (hop.ifindex < last[name & 1])
		return false;
	last[name & 1] = hop.ifindex;
	return true;
}

static void
stress_fib_read(struct shared *sh, unsigned me)
{
	struct seed s = { me + 1 };
	uint32_t(*last)[2] = mem_zalloc(MEM_OTHER, PREFIXES * sizeof(*last));
	struct ternfib *t = NULL;
	struct ternfib_stat st;

	while (!sh->stop && ternfib_open(&t, path))
		sched_yield();
	while (!sh->stop) {
		uint32_t key[BULK], which[BULK];
		uint64_t answer[BULK];

		ternfib_poll(t);
		for (uint32_t i = 0; i < BULK; i++) {
			which[i] = seed_below(&s, PREFIXES);
			key[i] = stress_fib_addr(which[i]) + seed_below(&s, 256);
		}
		if (seed_chance(&s, 2))
			ternfib_bulk4(t, answer, key, BULK);
		else
			for (uint32_t i = 0; i < BULK; i++)
				answer[i] = 0;
		for (uint32_t i = 0; i < BULK; i++) {
			bool stale = false, inner = (key[i] & 0xc0) == 0x40;

			if (!answer[i])
				answer[i] = ternfib_find4(t, key[i]);
			if (!stress_fib_check(
				t, answer[i], which[i], inner, last[which[i]], &stale))
				_exit(6);
			sh->stale[me] += stale;
		}
		sh->lookups[me] += BULK;
		ternfib_stat(t, &st);
		sh->repeated[me] = st.repeated;
	}
	ternfib_close(t);
	_exit(0);
}

/* ---- the parent ---- */

static pid_t
stress_fib_fork(uint64_t seed, uint32_t pace, struct shared *sh, unsigned reader)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if the test fails */
	if (!pid && sh)
		stress_fib_read(sh, reader);
	if (!pid)
		stress_fib_write(seed, pace);
	return pid;
}

/* stress_fib_follow - wait for some publications of the writer that lives. */
static void
stress_fib_follow(struct ternfib **t, uint32_t cnt, uint64_t than)
{
	while (!*t && ternfib_open(t, path))
		sched_yield();
	while (ternfib_poll(*t) < 0 || ternfib_generation(*t) < than + cnt)
		ternfib_wait(*t, ternfib_generation(*t), 1000);
}

/* stress_fib_ends - reader @i ends, and has seen nothing wrong. */
static void
stress_fib_ends(struct shared *sh, pid_t pid, unsigned i)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fprintf(stderr, "reader %u: %llu lookups, %llu repeated, %llu stale\n", i,
	    (unsigned long long)sh->lookups[i], (unsigned long long)sh->repeated[i],
	    (unsigned long long)sh->stale[i]);
}

static void
stress_fib_second(void)
{
	struct fib_options o = { .family = FAM_IP4, .table = "second" };
	struct fib_file file = { .path = path, .mode = 0600 };
	struct fib *f = fib_new(&o);

	assert_int_equal(fib_open(f, &file, 1), -EBUSY);
	fib_free(f);
}

static void
stress_fib_writers(void **state)
{
	struct seed s = seed_start("stress_fib");
	struct shared *sh = mmap(
	    NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t rounds = seed_rounds(8);
	pid_t reader[READERS], writer;
	struct ternfib *t = NULL;
	const char *why = "";
	uint64_t than = 0, lookups = 0;
	int status;

	(void)state;
	assert_true(sh != MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/stress_fib.%d", getpid());
	for (unsigned i = 0; i < READERS; i++)
		reader[i] = stress_fib_fork(0, 0, sh, i);
	for (uint32_t r = 0; r < rounds; r++) {
		writer = stress_fib_fork(seed_u64(&s), 0, NULL, 0);
		stress_fib_follow(&t, 1 + seed_below(&s, 50), than);
		if (seed_chance(&s, 2)) {
			assert_int_equal(kill(writer, SIGSTOP), 0);
			stress_fib_second();
			than = ternfib_generation(t);
			assert_int_equal(kill(writer, SIGCONT), 0);
			stress_fib_follow(&t, 1 + seed_below(&s, 3), than);
		}
		for (unsigned n = seed_below(&s, 20); n; n--)
			sched_yield();
		assert_int_equal(kill(writer, SIGKILL), 0);
		assert_int_equal(waitpid(writer, &status, 0), writer);
		assert_true(WIFSIGNALED(status));
		ternfib_poll(t);
		than = ternfib_generation(t);
		status = ternfib_verify(t, &why);
		if (status)
			fprintf(stderr, "%s\n", why);
		assert_int_equal(status, 0);
	}
	sh->stop = 1;
	for (unsigned i = 0; i < READERS; i++) {
		stress_fib_ends(sh, reader[i], i);
		lookups += sh->lookups[i];
	}
	assert_true(lookups > 0);
	ternfib_close(t);
	unlink(path);
	strcat(path, ".new");
	unlink(path);
	munmap(sh, sizeof(*sh));
}

static void
stress_fib_paced(void **state)
{
	struct shared *sh = mmap(
	    NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct seed s = seed_start("stress_fib");
	uint32_t turns = seed_whole(20, 1200);
	pid_t reader[READERS], writer, dies;
	struct ternfib *t = NULL;
	struct ternfib_stat st;
	const char *why = "";
	int status;

	(void)state;
	assert_true(sh != MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/stress_fib.%d", getpid());
	writer = stress_fib_fork(seed_u64(&s), 500, NULL, 0);
	stress_fib_follow(&t, 1, 0);
	for (unsigned i = 0; i < READERS; i++)
		reader[i] = stress_fib_fork(0, 0, sh, i);
	dies = stress_fib_fork(0, 0, sh, READERS);
	for (struct wait w = { 0 }; !sh->lookups[1] || !sh->lookups[READERS];)
		lib_wait_turn(&w, "lookups of all readers");
	assert_int_equal(kill(reader[1], SIGSTOP), 0);
	assert_int_equal(kill(dies, SIGKILL), 0);
	assert_int_equal(waitpid(dies, &status, 0), dies);
	ternfib_stat(t, &st);
	stress_fib_follow(&t, turns, st.generation);
	assert_int_equal(kill(reader[1], SIGCONT), 0);
	stress_fib_follow(&t, 3, ternfib_generation(t));
	sh->stop = 1;
	for (unsigned i = 0; i < READERS; i++)
		stress_fib_ends(sh, reader[i], i);
	/* a bulk of 64 that the scheduler or the stop interrupted is repeated, too */
	assert_true(sh->repeated[0] <= 2 * 64 + sh->lookups[0] / 1000000);
	assert_true(sh->repeated[1] <= 3 * 64 + sh->lookups[1] / 1000000);
	assert_int_equal(kill(writer, SIGKILL), 0);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(ternfib_verify(t, &why), 0);
	/* the writer kept nothing for the readers: all holes are in use again */
	ternfib_stat(t, &st);
	assert_true(st.idle_octets * 2 < st.image_octets);
	ternfib_close(t);
	unlink(path);
	strcat(path, ".new");
	unlink(path);
	munmap(sh, sizeof(*sh));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stress_fib_writers),
		cmocka_unit_test(stress_fib_paced) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
