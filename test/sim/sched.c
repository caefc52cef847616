/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks, virtual time, choice.
 *
 * I1  One task runs at a time. Only sim_wait, sim_step and sim_exit switch tasks.
 * I2  The array of tasks has the order of their creation. The choice among runnable tasks
 *     is an index into the array, so no address decides.
 * I3  A waiting task becomes runnable at the time when the scheduler first saw the task's
 *     condition hold, plus a drawn delay. The task tests the condition again when the
 *     task runs. A condition that depends on time begins to hold at a moment
 *     (sim_moment). Between moments no condition is tested as time passes.
 * I4  Each switch copies the thread-local variables of the program: a task sees its own.
 *
 * The whole state hangs off a single pointer, because the end of a daemon's life restores
 * all static data (life.c). */
#include "test/sim/sim.h"
#include "test/sim/sim_priv.h"

#include <bsd/string.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_LEN (2048 * 1024)
#else
#define STACK_LEN (512 * 1024)
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif
/* swapcontext makes two system calls for a mask of signals that nobody changes. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                   \
    (!defined(__USE_FORTIFY_LEVEL) || __USE_FORTIFY_LEVEL == 0)
#include <setjmp.h>
#define JUMPS 1
#else
#define JUMPS 0
#endif

/* A place in the program that a switch leaves and comes back to. */
struct place {
	ucontext_t at;
#if JUMPS
	jmp_buf jump;
	bool left; /* the jump leads back; else the task has not begun */
#endif
};

#define TLS_MAX 1024
/* The latest wake-up. Three BFD packets, each 100 ms after another, stay in time. */
#define LATE_NS (40 * SIM_MS)

void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
int __real_munmap(void *at, size_t len);

/* The first fields fill one cache line: each choice of a task reads them of all tasks. */
struct sim_task {
	bool (*ready)(void *);
	void *ready_arg;
	uint64_t until_ns; /* of a wait */
	uint64_t from_ns; /* runnable from then on; SIM_NEVER: not seen ready */
	unsigned daemon, reader;
	bool done, fresh;
	struct place at;
	uint32_t nr;
	uint32_t sleeps; /* waits that blocked */
	char name[24];
	void *(*fn)(void *);
	void *arg;
	char *stack;
	int saved_errno;
	unsigned char tls[TLS_MAX];
#if defined(__SANITIZE_ADDRESS__)
	void *fake;
#endif
#if defined(__SANITIZE_THREAD__)
	void *fiber;
#endif
};

struct sched {
	uint64_t rng, now_ns, seed;
	bool ended;
	bool frozen[SIM_DAEMON_MAX];
	struct sim_task **task, *self;
	unsigned task_cnt, task_cap;
	uint32_t nr; /* of the newest task */
	struct place main;
#if defined(__SANITIZE_ADDRESS__)
	const void *main_stack;
	size_t main_stack_len;
	void *main_fake;
#endif
#if defined(__SANITIZE_THREAD__)
	void *main_fiber;
#endif
	unsigned char *tls;
	size_t tls_len;
	uint64_t *moment; /* a heap, smallest first */
	size_t moment_cnt, moment_cap;
};

struct sim_state *sim;

static struct sched *
sched_of(void)
{
	return sim->sched;
}

/* ---- choice and time ---- */

uint64_t
sim_random(uint64_t below)
{
	struct sched *s = sched_of();
	uint64_t z = s->rng += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return z % below;
}

uint64_t
sim_now(void)
{
	return sched_of()->now_ns;
}

uint64_t
sim_tick(void)
{
	struct sched *s = sched_of();

	/* A turn is cut short now and then: its clock leaps. */
	s->now_ns += sim_random(64) ? sim_random(3 * SIM_US) : sim_random(2 * SIM_MS);
	return s->now_ns;
}

void
sim_moment(uint64_t at_ns)
{
	struct sched *s = sched_of();
	size_t i = s->moment_cnt++;

	if (s->moment_cnt > s->moment_cap) {
		s->moment_cap = s->moment_cap ? 2 * s->moment_cap : 64;
		s->moment = reallocarray(s->moment, s->moment_cap, sizeof(*s->moment));
	}
	for (; i && s->moment[(i - 1) / 2] > at_ns; i = (i - 1) / 2)
		s->moment[i] = s->moment[(i - 1) / 2];
	s->moment[i] = at_ns;
}

static void
moment_pop(struct sched *s)
{
	uint64_t last = s->moment[--s->moment_cnt];
	size_t i = 0, c;

	while ((c = 2 * i + 1) < s->moment_cnt) {
		c += c + 1 < s->moment_cnt && s->moment[c + 1] < s->moment[c];
		if (s->moment[c] >= last)
			break;
		s->moment[i] = s->moment[c];
		i = c;
	}
	s->moment[i] = last;
}

uint64_t
sim_seed(void)
{
	return sched_of()->seed;
}

/* ---- thread-local variables (I4) ---- */

static int
find_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct sched *s = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_TLS)
			continue;
		s->tls_len = p->p_memsz;
#if defined(__x86_64__)
		s->tls = (unsigned char *)__builtin_thread_pointer() -
			 (p->p_memsz + p->p_align - 1) / p->p_align * p->p_align;
#else
		s->tls = (unsigned char *)__builtin_thread_pointer() +
			 (16 + p->p_align - 1) / p->p_align * p->p_align;
#endif
	}
	return 1; /* the program is the first */
}

/* ---- switching ---- */

static void
place_change(struct place *from, struct place *to)
{
#if JUMPS
	from->left = true;
	if (_setjmp(from->jump))
		return;
	if (to->left)
		_longjmp(to->jump, 1);
	setcontext(&to->at);
#else
	swapcontext(&from->at, &to->at);
#endif
}

static void
switch_in(struct sched *s, struct sim_task *t)
{
	s->self = t;
	if (t->daemon)
		sim_life_enter(t->daemon);
	memcpy(s->tls, t->tls, s->tls_len);
	errno = t->saved_errno;
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(&s->main_fake, t->stack, STACK_LEN);
#endif
#if defined(__SANITIZE_THREAD__)
	s->main_fiber = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(t->fiber, 0);
#endif
	place_change(&s->main, &t->at);
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(s->main_fake, NULL, NULL);
#endif
	t->saved_errno = errno;
	memcpy(t->tls, s->tls, s->tls_len);
	s->self = NULL;
}

static void
switch_out(struct sched *s, struct sim_task *t)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(
	    t->done ? NULL : &t->fake, s->main_stack, s->main_stack_len);
#endif
#if defined(__SANITIZE_THREAD__)
	__tsan_switch_to_fiber(s->main_fiber, 0);
#endif
	place_change(&t->at, &s->main);
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(t->fake, &s->main_stack, &s->main_stack_len);
#endif
}

static void
task_begin(void)
{
	struct sched *s = sched_of();
	struct sim_task *t = s->self;

#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(NULL, &s->main_stack, &s->main_stack_len);
#endif
	t->fn(t->arg);
	sim_exit();
}

void
sim_exit(void)
{
	struct sched *s = sched_of();

	if (s->self->daemon)
		sim_rcu_drop(s->self);
	sim_event("ends");
	s->self->done = true;
	switch_out(s, s->self);
	abort(); /* a task that is done never runs */
}

struct sim_task *
sim_task_new(const char *name, unsigned daemon, void *(*fn)(void *), void *arg)
{
	struct sched *s = sched_of();
	size_t len = (sizeof(struct sim_task) + 63) / 64 * 64;
	struct sim_task *t = memset(aligned_alloc(64, len), 0, len);

	t->nr = ++s->nr;
	t->daemon = daemon;
	t->fn = fn;
	t->arg = arg;
	t->stack = __real_mmap(NULL, STACK_LEN, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->stack == MAP_FAILED)
		sim_fail("no memory for a task");
	strlcpy(t->name, name, sizeof(t->name));
	t->from_ns = s->now_ns + sim_random(200 * SIM_US);
	t->fresh = true;
#if defined(__SANITIZE_THREAD__)
	t->fiber = __tsan_create_fiber(0);
#endif
	getcontext(&t->at.at);
	t->at.at.uc_stack.ss_sp = t->stack;
	t->at.at.uc_stack.ss_size = STACK_LEN;
	t->at.at.uc_link = NULL;
	makecontext(&t->at.at, task_begin, 0);
	if (s->task_cnt == s->task_cap) {
		s->task_cap = s->task_cap ? 2 * s->task_cap : 64;
		s->task = reallocarray(s->task, s->task_cap, sizeof(struct sim_task *));
	}
	s->task[s->task_cnt++] = t;
	sim_event("makes %s", name);
	return t;
}

struct sim_task *
sim_self(void)
{
	return sched_of()->self;
}

uint32_t
sim_task_nr(const struct sim_task *t)
{
	return t->nr;
}

struct sim_task *
sim_task_find(uint32_t nr)
{
	const struct sched *s = sched_of();

	for (unsigned i = 0; i < s->task_cnt; i++)
		if (s->task[i]->nr == nr)
			return s->task[i];
	return NULL;
}

bool
sim_task_done(const struct sim_task *t)
{
	return t->done;
}

void
sim_task_name(struct sim_task *t, const char *name)
{
	strlcpy(t->name, name, sizeof(t->name));
}

const char *
sim_task_name_of(const struct sim_task *t)
{
	return t->name;
}

unsigned *
sim_task_reader(struct sim_task *t)
{
	return &t->reader;
}

unsigned
sim_task_daemon(const struct sim_task *t)
{
	return t->daemon;
}

void
sim_task_stack(const struct sim_task *t, void **at, size_t *len)
{
	*at = t->stack;
	*len = STACK_LEN;
}

const struct sim_task *
sim_task_next(unsigned daemon, unsigned *at)
{
	const struct sched *s = sched_of();

	while (*at < s->task_cnt) {
		const struct sim_task *t = s->task[(*at)++];

		if (t->daemon == daemon && !t->done)
			return t;
	}
	return NULL;
}

uint32_t
sim_task_sleeps(const struct sim_task *t)
{
	return t->sleeps;
}

void
sim_kill_daemon(unsigned daemon)
{
	const struct sched *s = sched_of();

	for (unsigned i = 0; i < s->task_cnt; i++)
		if (s->task[i]->daemon == daemon)
			s->task[i]->done = true;
	sim_rcu_drop_daemon(daemon);
	sim->reap = true;
}

void
sim_freeze_daemon(unsigned daemon, bool frozen)
{
	sched_of()->frozen[daemon] = frozen;
}

/* ---- waiting ---- */

bool
sim_wait(bool (*ready)(void *arg), void *arg, uint64_t until_ns)
{
	struct sched *s = sched_of();
	struct sim_task *t = s->self;

	for (bool blocked = false;; blocked = true) {
		if (ready && ready(arg))
			return true;
		if (s->now_ns >= until_ns)
			return false;
		t->sleeps += !blocked;
		t->ready = ready;
		t->ready_arg = arg;
		t->until_ns = until_ns;
		t->from_ns = SIM_NEVER;
		switch_out(s, t);
	}
}

void
sim_sleep(uint64_t until_ns)
{
	sim_wait(NULL, NULL, until_ns);
}

void
sim_cut(unsigned one_of, uint64_t late_ns)
{
	struct sched *s = sched_of();
	struct sim_task *t = s->self;

	if (!t || sim->alone || sim_random(one_of))
		return;
	t->fresh = true;
	t->from_ns = s->now_ns + sim_random(late_ns);
	switch_out(s, t);
}

void
sim_end(void)
{
	sched_of()->ended = true;
}

bool
sim_has_ended(void)
{
	return sched_of()->ended;
}

/* draw_delay_ns - of a wake-up. Most wake-ups are quick, some are late by milliseconds,
 * and a few are as late as on a machine whose processors are busy. */
static uint64_t
draw_delay_ns(void)
{
	if (sim_random(32))
		return sim_random(60 * SIM_US);
	return sim_random(sim_random(16) ? 4 * SIM_MS : LATE_NS);
}

/* wake_ns - from when on can @t run (I3)? SIM_NEVER: unknown. @same: no condition has
 * changed since the last call. */
static uint64_t
wake_ns(struct sched *s, struct sim_task *t, bool same)
{
	uint64_t at;

	if (t->done || s->frozen[t->daemon])
		return SIM_NEVER;
	if (t->fresh || t->from_ns != SIM_NEVER)
		return t->from_ns;
	if (!same && t->ready && t->ready(t->ready_arg)) {
		t->from_ns = s->now_ns + draw_delay_ns();
		return t->from_ns;
	}
	at = t->until_ns;
	if (at <= s->now_ns)
		t->from_ns = at;
	return at;
}

/* pick - the next task to run; NULL: none can ever run. Moves time. */
static struct sim_task *
sched_pick(struct sched *s)
{
	bool same = false;

	for (;;) {
		uint64_t first_ns = SIM_NEVER, cnt = 0, at;
		struct sim_task *chosen = NULL;

		sim->pump();
		for (unsigned i = 0; i < s->task_cnt; i++) {
			struct sim_task *t = s->task[i];

			at = wake_ns(s, t, same);
			if (at < first_ns)
				first_ns = at;
			/* Each runnable task is the chosen one with the same chance. */
			if (at <= s->now_ns && !sim_random(++cnt))
				chosen = t;
		}
		if (chosen)
			return chosen;
		while (s->moment_cnt && s->moment[0] <= s->now_ns)
			moment_pop(s);
		if (s->moment_cnt && s->moment[0] < first_ns)
			first_ns = s->moment[0];
		if (first_ns == SIM_NEVER)
			return NULL;
		s->now_ns = first_ns;
		same = !s->moment_cnt || s->moment[0] > first_ns;
	}
}

/* drop_done - free the tasks that have ended. */
static void
drop_done(struct sched *s)
{
	unsigned left = 0;

	for (unsigned i = 0; i < s->task_cnt; i++) {
		struct sim_task *t = s->task[i];

		if (!t->done) {
			s->task[left++] = t;
			continue;
		}
		__real_munmap(t->stack, STACK_LEN);
#if defined(__SANITIZE_THREAD__)
		__tsan_destroy_fiber(t->fiber);
#endif
		free(t);
	}
	s->task_cnt = left;
}

void
sim_run(void)
{
	struct sched *s = sched_of();

	while (!s->ended) {
		struct sim_task *t = sched_pick(s);

		if (!t)
			return;
		t->fresh = false;
		switch_in(s, t);
		if (t->done || sim->reap) {
			sim->reap = false;
			drop_done(s);
		}
	}
}

void
sim_init(uint64_t seed)
{
	struct sched *s = calloc(1, sizeof(*s));

	sim = calloc(1, sizeof(*sim));
	sim->sched = s;
	s->rng = seed * 0x2545f4914f6cdd1dull + 1;
	s->seed = seed;
	s->now_ns = 1000 * SIM_S;
	dl_iterate_phdr(find_tls, s);
	if (s->tls_len > TLS_MAX)
		sim_fail("%zu octets of thread-local variables, more than TLS_MAX",
		    s->tls_len);
}
