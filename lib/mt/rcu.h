/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The liburcu calls (flavour qsbr) that tern uses, with annotations for TSan.
 *
 * G1  An object that a thread found through a published pointer since the thread's last
 *     quiescent state stays valid.
 * G2  A thread that sleeps is offline (a loop goes offline before the poll); otherwise no
 *     grace period would end.
 * G3  rcu_free_later runs its callback after every registered thread was quiescent or
 *     offline. The callback runs in liburcu's thread, which owns no object: a callback
 *     only frees memory or posts a message.
 * G4  A section is the time between two quiescent states of a thread. Debug builds number
 *     the sections. A struct rcu_loan names the section in which a pointer was borrowed,
 *     so that the user of the pointer can assert that the section still lasts.
 * Progress: readers wait-free; rcu_free_later lock-free; rcu_drain blocks.
 *
 * No other header includes liburcu, and only this header reaches the thread that runs
 * callbacks. */
#ifndef TERN_LIB_MT_RCU_H
#define TERN_LIB_MT_RCU_H

#include "lib/base/check.h"
#include <urcu-qsbr.h>

/* Owner: the object that embeds the node and is freed later. Life: embedded. */
struct rcu_node {
	struct rcu_head head;
	void (*fn)(struct rcu_node *n);
};

/* Stands beside borrowed pointers. Owner: the struct with the pointers. Life:
 * embedded. */
struct rcu_loan {
	uint64_t section; /* 0, but in debug builds */
};

#ifdef TERN_DEBUG
extern _Thread_local uint64_t rcu_section; /* of this thread. private */
#define RCU_SECTION rcu_section
#else
#define RCU_SECTION UINT64_C(0)
#endif

/* rcu_is_online - would a grace period wait for the calling thread? */
bool rcu_is_online(void);

/* rcu_borrow - a loan for the pointers that this thread finds from now on. The thread is
 * online. */
static inline struct rcu_loan
rcu_borrow(void)
{
	DCHECK(rcu_is_online());
	return (struct rcu_loan){ RCU_SECTION };
}

/* rcu_is_lent - true while the pointers of @l are valid. For DCHECK; other builds always
 * return true. */
static inline bool
rcu_is_lent(const struct rcu_loan *l)
{
	return l->section == RCU_SECTION;
}

/* rcu_join, rcu_leave - once at the start and the end of each thread that reads. */
void rcu_join(void);
void rcu_leave(void);
/* rcu_quiesce - the thread holds no borrowed pointer. */
void rcu_quiesce(void);
/* rcu_sleep - rcu_quiesce, and grace periods do not wait for the thread until
 * rcu_wake. */
void rcu_sleep(void);
void rcu_wake(void);

/* rcu_free_later - call @fn(@n) after a grace period. Callers post once per batch, not
 * once per object. */
void rcu_free_later(struct rcu_node *n, void (*fn)(struct rcu_node *n));
/* rcu_drain - wait until all callbacks posted before have run (at exit). Blocks. */
void rcu_drain(void);

#endif
