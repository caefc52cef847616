/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib annotate in another process, while the writer of the image publishes without a
 * pause, while writer and annotate are stopped (SIGSTOP) and continued, and while the
 * writer is killed and replaced.
 *
 * Each /24 prefix is always announced. Origin AS and next hop of its route are the same
 * number: the prefix and the version of the route. Writers drop the former values, so
 * each index soon means another AS or next hop. For each record the test knows the
 * version that readers could see before the record was written to annotate, and the
 * newest version after the answer: the answer has a version between both.
 *
 * With TERN_SOAK: 2,000 turns instead of 20. */
#define main ternfib_main
#include "client/fib/main.c"
#undef main
#include "client/fib/fib_annotate.c"
#include "client/fib/fib_bench.c"
#include "client/fib/fib_flow.c"
#include "client/fib/fib_look.c"
#include "lib/fib/fib_build.h"
#include "lib/mt/mapped.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define PREFIXES 1000u
#define RECORDS  3000u /* of one round; a pipe holds so many */
#define VERSION  0xffffu /* bits of a version in the number of a route */

/* What writers and the parent share. Owner: the parent. Freed by: the end of the test. */
struct stress_annotate {
	uint32_t published;
	uint32_t begun[PREFIXES]; /* the version that a writer gave to the builder last */
	uint32_t
	    done[PREFIXES]; /* the version that each reader sees, or a newer version */
};

/* One round of records. Owner: the test. Life: static. */
static struct {
	uint8_t in[RECORDS][16];
	uint8_t out[RECORDS][32];
	uint32_t low[PREFIXES];
	uint32_t cnt;
} round_of;

static char path[64];
static int to = -1, from = -1; /* pipes to and from annotate */

static uint32_t
stress_annotate_addr(uint32_t i)
{
	return 0x0a000000 + (i % 40 << 16) + (i / 40 << 8);
}

/* ---- the writer ---- */

static void
stress_annotate_put(struct fib *f, struct stress_annotate *sh, uint32_t i)
{
	struct prefix p = prefix_make(ip4(stress_annotate_addr(i)), 24, FAM_IP4);
	uint32_t version = sh->begun[i] + 1, number = i << 16 | (version & VERSION);
	struct fib_entry e = {
		.hop_kind = FIB_HOP_IP, .next_hop = ip4(number), .origin_as = number
	};
	uint64_t value;

	mapped_store_release32(&sh->begun[i], version);
	if (fib_value_get(f, &e, &value))
		_exit(3);
	fib_set(f, &p, value);
	fib_value_drop(f, value);
}

/* stress_annotate_write - publish until a signal ends the process. */
static void
stress_annotate_write(uint64_t seed, struct stress_annotate *sh)
{
	struct fib_options o = {
		.family = FAM_IP4, .fields = FIB_WITH_ORIGIN, .table = "stress"
	};
	struct fib_file file = { .path = path, .mode = 0600 };
	struct seed s = { seed };
	struct fib *f = fib_new(&o);
	uint32_t changed[PREFIXES], cnt = PREFIXES;

	if (fib_open(f, &file, 1))
		_exit(4);
	for (uint32_t i = 0; i < PREFIXES; i++)
		changed[i] = i;
	for (;;) {
		for (uint32_t i = 0; i < cnt; i++)
			stress_annotate_put(f, sh, changed[i]);
		if (fib_publish(f, 1))
			_exit(5);
		for (uint32_t i = 0; i < cnt; i++)
			mapped_store_release32(
			    &sh->done[changed[i]], sh->begun[changed[i]]);
		mapped_store_release32(&sh->published, sh->published + 1);
		cnt = 1 + seed_below(&s, 100);
		for (uint32_t i = 0; i < cnt; i++)
			changed[i] = seed_below(&s, PREFIXES);
	}
}

static pid_t
stress_annotate_writer(uint64_t seed, struct stress_annotate *sh)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to); /* annotate ends when the parent closes the pipe */
		close(from);
		stress_annotate_write(seed, sh);
	}
	return pid;
}

/* stress_annotate_follow - wait for @cnt publications. */
static void
stress_annotate_follow(const struct stress_annotate *sh, uint32_t cnt)
{
	uint32_t was = mapped_load_acquire32(&sh->published);

	for (struct wait w = { 0 }; mapped_load_acquire32(&sh->published) - was < cnt;)
		lib_wait_turn(&w, "publications");
}

/* ---- annotate ---- */

/* stress_annotate_start - start annotate. Returns: its process. */
static pid_t
stress_annotate_start(void)
{
	char *argv[] = { (char[]){ "ternfib" }, (char[]){ "-t" }, (char[]){ "2" },
		(char[]){ "annotate" }, path, NULL };
	int in[2], out[2];
	pid_t pid;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		optind = 0;
		_exit(ternfib_main(5, argv));
	}
	close(in[0]);
	close(out[1]);
	to = in[1];
	from = out[0];
	return pid;
}

static void
stress_annotate_feed(struct seed *s, const struct stress_annotate *sh)
{
	round_of.cnt = 1 + seed_below(s, RECORDS);
	for (uint32_t i = 0; i < round_of.cnt; i++)
		for (uint32_t j = 0; j < 2; j++)
			put_be32(round_of.in[i] + 4 * j,
			    stress_annotate_addr(seed_below(s, PREFIXES)) +
				seed_below(s, 256));
	for (uint32_t i = 0; i < PREFIXES; i++)
		round_of.low[i] = mapped_load_acquire32(&sh->done[i]);
	assert_int_equal(
	    write(to, round_of.in, round_of.cnt * 16ul), round_of.cnt * 16ul);
}

static void
stress_annotate_collect(void)
{
	size_t len = 0, all = round_of.cnt * 32ul;

	while (len < all) {
		ssize_t n = read(from, (uint8_t *)round_of.out + len, all - len);

		assert_true(n > 0);
		len += (size_t)n;
	}
}

static void
stress_annotate_check(const struct stress_annotate *sh)
{
	for (uint32_t r = 0; r < round_of.cnt; r++) {
		const uint8_t *out = round_of.out[r];

		assert_memory_equal(out, round_of.in[r], 16);
		for (uint32_t j = 0; j < 2; j++) {
			uint32_t addr = get_be32(out + 4 * j) - 0x0a000000;
			uint32_t i = (addr >> 8 & 255) * 40 + (addr >> 16), asn;
			uint32_t high = mapped_load_acquire32(&sh->begun[i]);

			memcpy(&asn, out + 16 + 4 * j, 4);
			assert_int_equal(asn, get_be32(out + 24 + 4 * j));
			assert_int_equal(asn >> 16, i);
			assert_true(((asn - round_of.low[i]) & VERSION) <=
				    ((high - round_of.low[i]) & VERSION));
		}
	}
}

/* stress_annotate_disturb - stop annotate for some publications, again and again, until a
 * signal ends the process. */
static pid_t
stress_annotate_disturb(uint64_t seed, const struct stress_annotate *sh, pid_t flows)
{
	struct seed s = { seed };
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(to);
	close(from);
	for (;;) {
		if (kill(flows, SIGSTOP))
			_exit(6);
		stress_annotate_follow(sh, seed_below(&s, 5));
		if (kill(flows, SIGCONT))
			_exit(7);
		for (uint32_t n = seed_below(&s, 20); n; n--)
			sched_yield();
	}
}

static void
stress_annotate_round(struct seed *s, const struct stress_annotate *sh)
{
	stress_annotate_feed(s, sh);
	stress_annotate_collect();
	stress_annotate_check(sh);
}

static void
stress_annotate_kill(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void
stress_annotate_all(void **state)
{
	struct seed s = seed_start("stress_annotate");
	struct stress_annotate *sh = mmap(
	    NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t turns = seed_rounds(20);
	pid_t writer, flows, disturb;
	int status;

	(void)state;
	assert_true(sh != MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/stress_annotate.%d", getpid());
	writer = stress_annotate_writer(seed_u64(&s), sh);
	stress_annotate_follow(sh, 2);
	flows = stress_annotate_start();
	for (uint32_t i = 0; i < turns; i++) {
		disturb = stress_annotate_disturb(seed_u64(&s), sh, flows);
		for (uint32_t r = 0; r < 20; r++)
			stress_annotate_round(&s, sh);
		stress_annotate_kill(disturb);
		assert_int_equal(kill(flows, SIGCONT), 0);
		/* a writer that stands still, perhaps within a publication */
		assert_int_equal(kill(writer, SIGSTOP), 0);
		stress_annotate_round(&s, sh);
		if (seed_chance(&s, 2)) {
			stress_annotate_kill(writer);
			stress_annotate_round(&s, sh);
			writer = stress_annotate_writer(seed_u64(&s), sh);
		} else {
			assert_int_equal(kill(writer, SIGCONT), 0);
		}
	}
	close(to);
	assert_int_equal(waitpid(flows, &status, 0), flows);
	assert_int_equal(status, 0);
	stress_annotate_kill(writer);
	close(from);
	unlink(path);
	strcat(path, ".new");
	unlink(path);
	munmap(sh, sizeof(*sh));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stress_annotate_all) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
