/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sub-turns: small programs of the product's lock-free code, whose threads switch between
 * any two accesses to memory and read what the C11 memory model allows them to read.
 *
 * The compiler instruments the code under test (-fsanitize=thread). The calls __tsan_* of
 * the instrumentation belong to this folder (tsan.c), not to libtsan.
 *
 * Thread    A coroutine (engine.c). A thread may switch at each atomic operation and at
 *           each plain access.
 * Memory    Each store takes effect in memory at once, and the older values of the place
 *           stay in a history (model.c). A load may return an older value, as long as no
 *           order that the code names forbids the value.
 * Choice    The seed chooses the next thread and the value of each load.
 *
 * Equal seeds give equal traces. doc/testing.md describes the use. */
#ifndef TERN_TEST_SIM_SUBTURNS_H
#define TERN_TEST_SIM_SUBTURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUB_THREADS 8

/* A clock has a number for each thread: the last operation of the thread that
 * precedes. */
struct sub_clock {
	uint32_t at[SUB_THREADS];
};

/* A program. Owner: its file, as a constant. Life: static, never freed. */
struct sub_program {
	const char *name;
	const char *what; /* one line */
	/* the first thread, which starts the other threads. A run ends when all threads
	 * have ended. */
	void (*play)(void);
	void (*judge)(void); /* after the end of all threads, in no thread; may be NULL */
};

/* sub_programs - ends with NULL. main.c */
extern const struct sub_program *const sub_programs[];

/* ---- for programs ---- */

/* sub_random - a number below @below (1 or more), drawn from the seed. */
uint64_t sub_random(uint64_t below);
/* sub_fail - a violation: the run ends. */
void sub_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* sub_note - a line of the trace. */
void sub_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* sub_thread_new - start a thread, which sees what the caller has written. Returns: its
 * number. */
unsigned sub_thread_new(const char *name, void (*fn)(void *arg), void *arg);
/* sub_thread_waits - the run ends without the end of the thread @nr, when the thread
 * waits. */
void sub_thread_waits(unsigned nr);
/* sub_thread_join - wait for the end of the thread @nr, and see its writes. */
void sub_thread_join(unsigned nr);
/* sub_self - the number of the calling thread; -1: no thread runs. */
int sub_self(void);
/* sub_wait - block until @ready(@arg). @ready reads memory as it is, has no effect and
 * orders nothing. The run fails when no thread can run. */
void sub_wait(bool (*ready)(void *arg), void *arg);
/* sub_wait_until - the same, until that time at the latest. */
void sub_wait_until(bool (*ready)(void *arg), void *arg, uint64_t until_ns);
/* sub_now - virtual time in ns. Time passes a little with each call, and to the end of
 * the first wait when no thread can run. */
uint64_t sub_now(void);
/* sub_count - add to a number that a condition of sub_wait reads. The model knows
 * nothing of the call. */
void sub_count(uint64_t *n, uint64_t add);
/* sub_yield - let another thread run. */
void sub_yield(void);

/* A count of permits, as a semaphore, a pipe or the kernel: sub_permit_take waits for a
 * permit and sees the writes of the givers. All zeros: no permit. Owner: the program. */
struct sub_permit {
	unsigned cnt;
	struct sub_clock clock;
};
void sub_permit_give(struct sub_permit *p);
void sub_permit_take(struct sub_permit *p);

/* ---- engine.c, for tsan.c, model.c and main.c ---- */

/* sub_point - another thread may run now. @often: at an atomic operation. */
void sub_point(bool often);
/* sub_is_private - is @at on the stack of the caller, or thread-local? */
bool sub_is_private(uintptr_t at);
/* sub_draws_old - shall a load return an older value? */
bool sub_draws_old(void);
/* sub_traces - are there lines of a trace to print? */
bool sub_traces(void);
/* sub_run - one run of @p. Returns: NULL, or a description of the violation, valid until
 * the next run. */
const char *sub_run(const struct sub_program *p, uint64_t seed, bool trace);
/* sub_run_hash - a number of the last run: of all operations and values. */
uint64_t sub_run_hash(void);
void sub_hash_add(uint64_t v);

/* ---- heap.c ---- */

void sub_heap_reset(void);
/* sub_heap_check - fail when the octets at @at belong to a freed block. */
void sub_heap_check(uintptr_t at, size_t len);
/* sub_heap_left - blocks that are not free. */
unsigned sub_heap_left(void);

/* ---- rcu.c, kernel.c ---- */

void sub_rcu_reset(void);
void sub_kernel_reset(void);

#endif
