/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deferred freeing, on top of liburcu's qsbr flavour.
 *
 * This file adds only the annotations for TSan. Debian builds liburcu without
 * instrumentation, so TSan does not see the order "reader was quiescent, then the
 * callback ran". Every reader therefore releases one word before the reader goes
 * quiescent (lib/mt/rcu.h), and each callback first acquires the word. The poster
 * releases the word too, because the callback reads the poster's writes. A callback
 * releases the word at its end, for the thread that waits in rcu_drain.
 *
 * Which calls may run at the same time: all calls, from any thread. */
#include "lib/mt/rcu.h"

#include "lib/mt/atomic.h" /* TERN_TSAN */
#include <pthread.h>
#include <semaphore.h>

#ifdef TERN_TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
static char rcu_tsan_word; /* the address that both sides name */
#define RCU_TSAN_RELEASE() __tsan_release(&rcu_tsan_word)
#define RCU_TSAN_ACQUIRE() __tsan_acquire(&rcu_tsan_word)
#else
#define RCU_TSAN_RELEASE() ((void)0)
#define RCU_TSAN_ACQUIRE() ((void)0)
#endif

/* On the stack of the one who waits in rcu_drain. */
struct drain {
	struct rcu_node node;
	sem_t done;
};

#ifdef TERN_DEBUG
/* style: a section belongs to the thread and to no object of the thread's loop */
_Thread_local uint64_t rcu_section;
#endif

/* rcu_section_ends - invalidate the thread's borrowed pointers. */
static void
rcu_section_ends(void)
{
#ifdef TERN_DEBUG
	rcu_section++;
#endif
}

bool
rcu_is_online(void)
{
	return urcu_qsbr_read_ongoing();
}

void
rcu_join(void)
{
	urcu_qsbr_register_thread();
#ifdef TERN_DEBUG
	/* numbers of two threads differ */
	rcu_section = ((uint64_t)(uintptr_t)&rcu_section << 24) + 1;
#endif
}

void
rcu_leave(void)
{
	RCU_TSAN_RELEASE();
	rcu_section_ends();
	urcu_qsbr_unregister_thread();
}

void
rcu_quiesce(void)
{
	RCU_TSAN_RELEASE();
	rcu_section_ends();
	urcu_qsbr_quiescent_state();
}

void
rcu_sleep(void)
{
	RCU_TSAN_RELEASE();
	rcu_section_ends();
	urcu_qsbr_thread_offline();
}

void
rcu_wake(void)
{
	urcu_qsbr_thread_online();
}

/* Runs in liburcu's thread. */
static void
rcu_run_callback(struct rcu_head *head)
{
	struct rcu_node *n = container_of(head, struct rcu_node, head);
	/* style: liburcu's thread inherits the name of the thread that created liburcu's
	 * thread */
	static _Thread_local bool named;

	if (!named)
		pthread_setname_np(pthread_self(), "rcu");
	named = true;
	RCU_TSAN_ACQUIRE();
	n->fn(n);
	RCU_TSAN_RELEASE();
}

static void
rcu_drain_done(struct rcu_node *n)
{
	RCU_TSAN_RELEASE();
	sem_post(&container_of(n, struct drain, node)->done);
}

void
rcu_free_later(struct rcu_node *n, void (*fn)(struct rcu_node *n))
{
	n->fn = fn;
	RCU_TSAN_RELEASE();
	urcu_qsbr_call_rcu(&n->head, rcu_run_callback);
}

/* Like liburcu's barrier, without TSan's reports about the barrier's allocations. One
 * thread runs all callbacks in posting order, so a last callback runs after all
 * others. */
void
rcu_drain(void)
{
	bool online = rcu_is_online();
	struct drain d;

	sem_init(&d.done, 0, 0);
	rcu_free_later(&d.node, rcu_drain_done);
	if (online)
		rcu_sleep();
	while (sem_wait(&d.done))
		;
	if (online)
		rcu_wake();
	RCU_TSAN_ACQUIRE();
	sem_destroy(&d.done);
}
