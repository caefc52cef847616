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
 * Progress: readers wait-free; rcu_free_later lock-free; rcu_drain
 * blocks.
 *
 * Debian's liburcu isn't instrumented, so TSan is told of the ordering here. */
#ifndef TERN_LIB_MT_RCU_H
#define TERN_LIB_MT_RCU_H

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

/* rcu_join, rcu_leave - once at the start and the end of each thread that reads. */
static inline void
rcu_join(void)
{
	urcu_qsbr_register_thread();
}

static inline void
rcu_leave(void)
{
	RCU_TSAN_RELEASE();
	urcu_qsbr_unregister_thread();
}

/* rcu_quiesce - nothing found before is held any more. */
static inline void
rcu_quiesce(void)
{
	RCU_TSAN_RELEASE();
	urcu_qsbr_quiescent_state();
}

static inline void
rcu_sleep(void)
{
	RCU_TSAN_RELEASE();
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
