/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of a run as coroutines, and what the seed chooses.
 *
 * I1  One thread runs at a time. Only sub_point, sub_yield, sub_wait and the end of a
 *     thread switch.
 * I2  Each run draws how often threads switch and how often loads return older values. A
 *     fault that needs long turns and a fault that needs short turns both occur.
 * I3  Each switch copies the thread-local variables of the program: a thread sees its
 *     own.
 * I4  A violation leaves the run by a jump. The stacks of all threads are used anew by
 *     the next run. */
#include "test/sim/subturns/model.h"
#include "test/sim/subturns/subturns.h"

#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK_LEN (256 * 1024)
#define POINT_MAX 400000 /* of a run */
#define TLS_MAX   1024

struct sub_thread {
	const char *name;
	void (*fn)(void *arg);
	void *arg;
	bool done, left; /* left: the jump leads back; else the thread has not begun */
	bool waits; /* sub_thread_waits */
	bool (*ready)(void *arg); /* NULL: the thread can run */
	void *ready_arg;
	uint64_t until_ns; /* of a wait */
	struct sub_clock end;
	jmp_buf jump;
	ucontext_t begin;
	unsigned char tls[TLS_MAX];
};

static struct sub_thread thread[SUB_THREADS];
static unsigned thread_cnt;
static int self = -1;
static char stack[SUB_THREADS][STACK_LEN] __attribute__((aligned(64)));
static jmp_buf scheduler, outside;
static uint64_t rng, hash, now_ns;
static unsigned switch_one_of, plain_one_of, old_one_of, point_cnt;
static bool trace;
static char violation[400];
static unsigned char *tls;
static size_t tls_len;
static char signal_stack[32768];

/* ---- choice ---- */

uint64_t
sub_random(uint64_t below)
{
	uint64_t z = rng += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return z % below;
}

bool
sub_draws_old(void)
{
	return old_one_of && !sub_random(old_one_of);
}

void
sub_hash_add(uint64_t v)
{
	hash = (hash ^ v) * 0x100000001b3ull;
	hash ^= hash >> 29;
}

uint64_t
sub_run_hash(void)
{
	return hash;
}

/* ---- trace and violations ---- */

bool
sub_traces(void)
{
	return trace;
}

void
sub_note(const char *fmt, ...)
{
	va_list ap;

	if (!trace)
		return;
	printf("%-10s ", self >= 0 ? thread[self].name : "-");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void
sub_fail(const char *fmt, ...)
{
	size_t len = 0;
	va_list ap;

	if (self >= 0)
		len = (size_t)snprintf(
		    violation, sizeof(violation), "%s: ", thread[self].name);
	va_start(ap, fmt);
	vsnprintf(violation + len, sizeof(violation) - len, fmt, ap);
	va_end(ap);
	if (trace)
		printf("VIOLATION  %s\n", violation);
	siglongjmp(outside, 1); /* I4 */
}

static void
engine_caught(int signo)
{
	sub_fail(
	    "%s", signo == SIGABRT ? "an assertion failed" : "a wild pointer was used");
}

static void
engine_catch_signals(void)
{
	static const int signos[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	stack_t s = { .ss_sp = signal_stack, .ss_size = sizeof(signal_stack) };
	struct sigaction sa = { .sa_handler = engine_caught,
		.sa_flags = SA_ONSTACK | SA_NODEFER };

	sigaltstack(&s, NULL);
	for (unsigned i = 0; i < sizeof(signos) / sizeof(signos[0]); i++)
		sigaction(signos[i], &sa, NULL);
}

/* ---- thread-local variables (I3) ---- */

static int
engine_find_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = (uintptr_t)__builtin_thread_pointer();

		if (p->p_type != PT_TLS || p->p_memsz > TLS_MAX)
			continue;
		tls_len = p->p_memsz;
#if defined(__x86_64__)
		tls = (unsigned char *)(at - (p->p_memsz + p->p_align - 1) / p->p_align *
						 p->p_align);
#else
		tls = (unsigned char *)(at +
					(16 + p->p_align - 1) / p->p_align * p->p_align);
#endif
	}
	return 1; /* the program is the first */
}

/* ---- switching ---- */

static void
engine_leave(void)
{
	struct sub_thread *t = &thread[self];

	model_settle();
	t->left = true;
	if (_setjmp(t->jump))
		return;
	_longjmp(scheduler, 1);
}

static void
engine_begin(void)
{
	struct sub_thread *t = &thread[self];

	t->fn(t->arg);
	model_settle();
	model_release((unsigned)self, &t->end);
	t->done = true;
	if (trace)
		sub_note("ends");
	_longjmp(scheduler, 1);
}

/* engine_pick - the next thread; -1: none can run. */
static int
engine_pick(void)
{
	int chosen = -1;
	unsigned cnt = 0;

	for (unsigned i = 0; i < thread_cnt; i++) {
		const struct sub_thread *t = &thread[i];

		if (!t->done &&
		    (!t->ready || t->ready(t->ready_arg) || t->until_ns <= now_ns) &&
		    !sub_random(++cnt))
			chosen = (int)i;
	}
	return chosen;
}

/* engine_pass_time - to the end of the first wait. Returns: false: no wait ends. */
static bool
engine_pass_time(void)
{
	uint64_t first_ns = UINT64_MAX;

	for (unsigned i = 0; i < thread_cnt; i++)
		if (!thread[i].done && thread[i].ready && thread[i].until_ns < first_ns)
			first_ns = thread[i].until_ns;
	if (first_ns == UINT64_MAX)
		return false;
	now_ns = first_ns;
	return true;
}

/* engine_enter - run the thread @nr until the thread leaves. */
static void
engine_enter(int nr)
{
	struct sub_thread *t = &thread[nr];

	if (_setjmp(scheduler)) {
		if (tls_len)
			memcpy(thread[self].tls, tls, tls_len);
		self = -1;
		return;
	}
	self = nr;
	t->ready = NULL;
	if (tls_len)
		memcpy(tls, t->tls, tls_len);
	if (t->left)
		_longjmp(t->jump, 1);
	setcontext(&t->begin);
}

int
sub_self(void)
{
	return self;
}

void
sub_count(uint64_t *n, uint64_t add)
{
	model_settle();
	*n += add;
}

void
sub_yield(void)
{
	engine_leave();
}

void
sub_point(bool often)
{
	if (++point_cnt > POINT_MAX)
		sub_fail("the run does not end");
	if (!sub_random(often ? switch_one_of : plain_one_of))
		engine_leave();
}

void
sub_wait_until(bool (*ready)(void *arg), void *arg, uint64_t until_ns)
{
	model_settle();
	thread[self].ready = ready;
	thread[self].ready_arg = arg;
	thread[self].until_ns = until_ns;
	engine_leave();
}

void
sub_wait(bool (*ready)(void *arg), void *arg)
{
	sub_wait_until(ready, arg, UINT64_MAX);
}

uint64_t
sub_now(void)
{
	now_ns += sub_random(2000);
	return now_ns;
}

bool
sub_is_private(uintptr_t at)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return at - (here - 4096) < 64 * 1024 || at - (uintptr_t)tls < tls_len;
}

unsigned
sub_thread_new(const char *name, void (*fn)(void *arg), void *arg)
{
	unsigned nr = thread_cnt++;
	struct sub_thread *t = &thread[nr];
	struct sub_clock c = { { 0 } };

	if (nr >= SUB_THREADS)
		sub_fail("more than %d threads", SUB_THREADS);
	memset(t, 0, offsetof(struct sub_thread, jump));
	memset(t->tls, 0, sizeof(t->tls));
	t->name = name;
	t->fn = fn;
	t->arg = arg;
	getcontext(&t->begin);
	t->begin.uc_stack.ss_sp = stack[nr];
	t->begin.uc_stack.ss_size = STACK_LEN;
	t->begin.uc_link = NULL;
	makecontext(&t->begin, engine_begin, 0);
	if (self >= 0) {
		model_settle();
		model_release((unsigned)self, &c);
		model_acquire(nr, &c);
	}
	return nr;
}

void
sub_thread_waits(unsigned nr)
{
	thread[nr].waits = true;
}

static bool
engine_is_done(void *arg)
{
	return ((struct sub_thread *)arg)->done;
}

void
sub_thread_join(unsigned nr)
{
	sub_wait(engine_is_done, &thread[nr]);
	model_acquire((unsigned)self, &thread[nr].end);
}

static bool
permit_there(void *arg)
{
	return ((struct sub_permit *)arg)->cnt > 0;
}

void
sub_permit_give(struct sub_permit *p)
{
	sub_point(true);
	model_settle();
	model_release((unsigned)self, &p->clock);
	p->cnt++;
	sub_note("gives a permit");
}

void
sub_permit_take(struct sub_permit *p)
{
	sub_wait(permit_there, p);
	p->cnt--;
	model_acquire((unsigned)self, &p->clock);
	sub_note("takes a permit");
}

/* ---- runs ---- */

/* engine_draw - I2. */
static void
engine_draw(void)
{
	static const unsigned switches[] = { 2, 3, 4, 6, 10, 20, 50 };
	static const unsigned olds[] = { 0, 1, 2, 3, 5, 10, 40 };

	switch_one_of = switches[sub_random(sizeof(switches) / sizeof(switches[0]))];
	plain_one_of = switch_one_of * (4 + (unsigned)sub_random(40));
	old_one_of = olds[sub_random(sizeof(olds) / sizeof(olds[0]))];
}

static void
engine_first(void *arg)
{
	((const struct sub_program *)arg)->play();
}

static void
engine_run_threads(void)
{
	for (;;) {
		bool done = true;
		int nr = engine_pick();

		for (unsigned i = 0; i < thread_cnt; i++)
			done = done && (thread[i].done || thread[i].waits);
		if (done && nr < 0)
			return;
		if (nr < 0 && engine_pass_time())
			continue;
		if (nr < 0)
			sub_fail("no thread can run: a wake-up is missing");
		engine_enter(nr);
	}
}

const char *
sub_run(const struct sub_program *p, uint64_t seed, bool traces)
{
	static bool caught;

	if (!caught) {
		engine_catch_signals();
		dl_iterate_phdr(engine_find_tls, NULL);
		caught = true;
	}
	trace = traces;
	rng = seed * 0x2545f4914f6cdd1dull + 1;
	hash = 0xcbf29ce484222325ull;
	point_cnt = thread_cnt = 0;
	now_ns = 1000000000;
	self = -1;
	engine_draw();
	model_reset();
	sub_heap_reset();
	sub_rcu_reset();
	sub_kernel_reset();
	if (sigsetjmp(outside, 0)) {
		self = -1;
		return violation;
	}
	sub_thread_new("first", engine_first, (void *)(uintptr_t)p);
	engine_run_threads();
	if (p->judge)
		p->judge();
	return NULL;
}
