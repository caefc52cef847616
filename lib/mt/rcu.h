/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few liburcu calls (flavour qsbr) that tern uses, with what TSan must know.
 *
 * G1  What a thread found through a published pointer since its last quiescent state
 *     stays.
 * G2  A thread that sleeps is offline (loops do that before they poll), else no grace
 *     period ends.
 * G3  rcu_free_later runs its callback after every registered thread was quiescent or
 *     offline; it runs in liburcu's own thread, which owns nothing: callbacks only free,
 *     or post a message.
 * G4  A section is the time between two quiescent states of a thread. Debug builds number
 *     the sections. A struct rcu_loan names the section in which a pointer was borrowed,
 *     so that the user of the pointer can assert that the section still lasts.
 * Progress: readers wait-free; rcu_free_later lock-free; rcu_drain
 * blocks.
 *
 * Debian's liburcu isn't instrumented, so TSan is told of the ordering here. */
#ifndef TERN_LIB_MT_RCU_H
#define TERN_LIB_MT_RCU_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"
#include <urcu-qsbr.h>

#ifdef TERN_TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
extern char rcu_tsan_word; /* the address that both sides name */
#define RCU_TSAN_RELEASE() __tsan_release(&rcu_tsan_word)
#define RCU_TSAN_ACQUIRE() __tsan_acquire(&rcu_tsan_word)
#else
#define RCU_TSAN_RELEASE() ((void)0)
#define RCU_TSAN_ACQUIRE() ((void)0)
#endif

/* Embedded in what is freed later. */
struct rcu_node {
	struct rcu_head head;
	void (*fn)(struct rcu_node *n);
};

/* Stands beside borrowed pointers. */
struct rcu_loan {
	uint64_t section; /* 0, but in debug builds */
};

#ifdef TERN_DEBUG
extern _Thread_local uint64_t rcu_section; /* of this thread. private */
#define RCU_SECTION rcu_section
#else
#define RCU_SECTION UINT64_C(0)
#endif

/* rcu_section_ends - what the thread has borrowed so far is invalid. private */
static inline void
rcu_section_ends(void)
{
#ifdef TERN_DEBUG
	rcu_section++;
#endif
}

/* rcu_borrow - pointers that this thread finds from now on. The thread is online. */
static inline struct rcu_loan
rcu_borrow(void)
{
	DCHECK(urcu_qsbr_read_ongoing());
	return (struct rcu_loan){ RCU_SECTION };
}

/* rcu_is_lent - may the pointers of @l still be used? For DCHECK: other builds do not
 * know. */
static inline bool
rcu_is_lent(const struct rcu_loan *l)
{
	return l->section == RCU_SECTION;
}

/* rcu_join, rcu_leave - once at the start and the end of each thread that reads. */
static inline void
rcu_join(void)
{
	urcu_qsbr_register_thread();
#ifdef TERN_DEBUG
	/* numbers of two threads differ */
	rcu_section = ((uint64_t)(uintptr_t)&rcu_section << 24) + 1;
#endif
}

static inline void
rcu_leave(void)
{
	RCU_TSAN_RELEASE();
	rcu_section_ends();
	urcu_qsbr_unregister_thread();
}

/* rcu_quiesce - nothing found before is held any more. */
static inline void
rcu_quiesce(void)
{
	RCU_TSAN_RELEASE();
	rcu_section_ends();
	urcu_qsbr_quiescent_state();
}

static inline void
rcu_sleep(void)
{
	RCU_TSAN_RELEASE();
	rcu_section_ends();
	urcu_qsbr_thread_offline();
}

static inline void
rcu_wake(void)
{
	urcu_qsbr_thread_online();
}

/* rcu_free_later - call @fn(@n) after a grace period. One call a batch, not one an
 * object. */
void rcu_free_later(struct rcu_node *n, void (*fn)(struct rcu_node *n));
/* rcu_drain - until all callbacks posted before have run (at exit). Blocks. */
void rcu_drain(void);

#endif
