/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers and the loops that run them.
 *
 * A worker is an event handler with an inbox: descriptors, timers, messages. A loop is a
 * thread that runs workers. By default every worker gets a loop of its own; after
 * loop_pool_limit(N) the workers share N loops. Code that keeps to the rules can't tell
 * the difference:
 *
 * I1  All callbacks of a worker run in its loop, one at a time. What they reach is theirs
 *     alone.
 * I2  Other threads may call only worker_post, worker_wake and what headers mark "any
 *     thread".
 * I3  No callback blocks or runs longer than about 1 ms; long work keeps a position,
 *     calls worker_again and returns.
 * I4  No borrowed RCU pointer survives the return of a callback: the loop goes quiescent
 *     after each round and offline before it polls.
 * I5  A loop is woken by one octet on its socketpair, and only when it sleeps: it writes
 *     that to its word, fences, looks at the queue of workers that were called and at the
 *     tails that they watch, then polls. Whoever calls a worker publishes, fences, then
 *     reads the word (doc/concurrency.md). */
#ifndef TERN_SYSDEP_LOOP_H
#define TERN_SYSDEP_LOOP_H

#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"

struct loop;
struct worker;
struct msg;

/* A message is a value: it owns what it points to, or points to shared immutables that it
 * holds a reference on. Embedded first in the sender's struct; its handler frees it. */
struct msg {
	struct stack_node node; /* private */
	void (*handle)(struct worker *w, TAKE struct msg *m);
};

struct timer {
	struct heap_node node; /* private */
	struct worker *worker; /* private */
	struct list link; /* of the worker's armed timers. private */
	void (*fire)(struct timer *t);
};

/* A descriptor that a worker watches. */
struct watch {
	int fd; /* -1: not registered */
	uint32_t events; /* WATCH_* now asked for. private */
	struct worker *worker; /* NULL: never registered. private */
	struct list link; /* of the worker's watches. private */
	void (*ready)(struct watch *w, uint32_t events);
};

/* Beside a tail: the loops that its publisher tells when the tail has moved, because they
 * watch too many tails to read each in each round. owner: who publishes, first of zeros;
 * loops that watch the tail enter themselves. */
struct tail_news {
	struct pubptr first; /* struct loop_tail *. private */
};

/* What others publish by moving a number on (a journal's tail), as a worker follows it:
 * `run` is called when the number isn't what the worker saw last. */
struct tail_watch {
	/* private */
	struct worker *worker; /* NULL: not registered */
	struct loop_tail *at; /* the loop's */
	struct list link; /* of the worker's */
	uint32_t slot; /* loop_tail.c */
};

/* tail_watch_seen's @pos for who can do nothing with what is published. */
#define TAIL_IGNORED UINT64_MAX

#define WATCH_READ  1u
#define WATCH_WRITE 2u
#define WATCH_ERROR 4u /* given, never asked for: error or hang-up */

struct worker_ops {
	/* start - first call in the worker's loop. May be NULL. */
	void (*start)(struct worker *w);
	/* run - called in each round in which the worker was woken (worker_wake) or asked
	 * for another turn (worker_again), after its messages. May be NULL. */
	void (*run)(struct worker *w);
	/* lent - as `run`, but short, and in the thread of somebody who has just
	 * published something, while the worker's own thread sleeps
	 * (worker_wake_sleeper). It may do what `run` does, but neither take out
	 * descriptors nor stop, and it ends when worker_lease_ends says so. Returns: true
	 * if something is left for the worker's own thread, which is woken and calls run.
	 * NULL: the worker is never lent. */
	bool (*lent)(struct worker *w);
	/* stop - worker_stop was called: the last call in the loop but for `gone`; no
	 * message, timer or descriptor of the worker is handled any more. May be NULL. */
	void (*stop)(struct worker *w);
	/* gone - no other thread can hold a wake-up for @w any more (a grace period has
	 * passed); it may be freed. Runs in liburcu's thread. May be NULL. */
	void (*gone)(struct worker *w);
	/* lost - @m was still in the inbox when the worker stopped: free it, do nothing
	 * else. In the loop, after `stop`. NULL: the worker's owner sees to it that none
	 * is left. */
	void (*lost)(struct worker *w, TAKE struct msg *m);
};

/* owner: its loop; embedded in its object; lives: until ops->gone. */
struct worker {
	const struct worker_ops *ops;
	struct loop *loop; /* constant after worker_start */
	struct loop *at; /* whose thread runs it now: its own, or a lender. private */
	char name[16]; /* of the thread */
	/* private; first what other threads write */
	struct stack inbox; /* struct msg */
	/* in the loop's queue of workers that were called */
	struct stack_node queue_node;
	struct pub32 woken; /* worker_wake: `run` is wanted */
	struct pub32 queued; /* it is in the loop's queue, or has stopped */
	struct stack_node *pending; /* taken out of the inbox, oldest first */
	bool again, stopping, stopped, started;
	bool first; /* of class WORKER_TABLE: its turns come before others' */
	struct list watches, tails, timers;
	struct list link; /* of the loop's workers */
	struct list turn; /* of those that get a turn in this round or the next */
	uint64_t run_cnt;
	struct rcu_node defer;
};

enum worker_class {
	WORKER_TABLE, /* table and control: normal priority */
	WORKER_CONTROL, /* loops of their own, also with a limit */
	WORKER_SESSION, /* a little nicer */
	/* a loop of its own, at real-time priority where the system allows that: for what
	 * is short, and late after milliseconds */
	WORKER_REAL_TIME,
};

/* worker_start - give @w a loop. @name: at most 15 characters are used. If no thread can
 * be had, it shares one and the log says so. Any thread; the first callback may run
 * before it returns. */
void worker_start(struct worker *w, const struct worker_ops *ops, enum worker_class c,
    const char *name);
/* worker_stop - no more callbacks but stop and gone. In the worker's loop, from a
 * callback. */
void worker_stop(struct worker *w);
/* worker_post - any thread. @m goes to the end of the worker's inbox; wakes it if it
 * sleeps. Messages of one sender arrive in order. The worker must not have stopped; the
 * caller is a loop (or in an RCU callback) or sees to it that @w outlives the call. */
void worker_post(struct worker *w, TAKE struct msg *m);
/* worker_wake - any thread: make `run` be called once more; wakes the loop if it sleeps.
 * @w must be alive or found under RCU. Returns: whether an octet was written. */
bool worker_wake(struct worker *w);
/* worker_wake_sleeper - as worker_wake, but nothing at all if the loop is awake: for
 * publishers whose readers watch what is published (tail_watch). Who was asleep runs,
 * whether it finds something or not; or, if the caller is a loop that still may, it has
 * run by the time that this returns: the caller has lent its thread (ops->lent). The
 * caller has fenced (seq_cst) after publishing.
 * Returns: whether @w's thread was woken. */
bool worker_wake_sleeper(struct worker *w);
/* worker_is_lent - does another thread run it for its own? In a callback.
 * worker_lease_ends - then: is it to end now? Before each segment, after the tail was
 * read. */
bool worker_is_lent(const struct worker *w);
bool worker_lease_ends(const struct worker *w);
/* worker_lends_nobody - in a callback: its thread has other work, and wakes others until
 * the next round. */
void worker_lends_nobody(struct worker *w);
/* worker_again - in a callback: call run in the next round, without sleeping. */
void worker_again(struct worker *w);
/* worker_nice - in a callback of a WORKER_CONTROL: its work is long and can wait (@nice),
 * or that is over. Meanwhile its thread weighs a thirtieth of a table's or session's; for
 * good where the system doesn't let it come back (os_allow_nice_back). */
void worker_nice(struct worker *w, bool nice);
/* worker_short_turns - in ops->start of a WORKER_CONTROL: its turns are short, and others
 * wait for each. It is let in soon when it wakes, where the system can (os_set_slice);
 * not while it is nice. */
void worker_short_turns(struct worker *w);
/* worker_is_real_time - has it got that priority? In a callback. */
bool worker_is_real_time(const struct worker *w);
/* worker_patient - in ops->start: its callbacks may take long, and nobody else waits for
 * them: no watchdog looks at its loop (sysdep/loop/loop_watch.h). */
void worker_patient(struct worker *w);
/* worker_give_way - in a callback: other threads that wait for a processor come before
 * the next round. */
void worker_give_way(struct worker *w);

void timer_init(struct timer *t, struct worker *w, void (*fire)(struct timer *t));
/* timer_set - fire once at monotonic @at_ns (in the past: next round); replaces an
 * earlier time. */
void timer_set(struct timer *t, uint64_t at_ns);
void timer_cancel(struct timer *t);
bool timer_active(const struct timer *t);
uint64_t timer_at_ns(const struct timer *t); /* only if active */

/* watch_add - @fd is non-blocking. @events: WATCH_*; may be 0. */
void watch_add(struct watch *wa, struct worker *w, int fd, uint32_t events,
    void (*ready)(struct watch *wa, uint32_t events));
void watch_set(struct watch *wa, uint32_t events);
/* watch_del - no more callbacks; the descriptor stays open. No effect if not registered.
 */
void watch_del(struct watch *wa);
/* watch_lost - the same for a registered one whose descriptor isn't ours any more:
 * something else has closed it. */
void watch_lost(struct watch *wa);

/* tail_watch_add - follow @tail, which is ignored at first. worker_stop ends it. @tn: the
 * tail's; both stay until the watch ends. */
void tail_watch_add(struct tail_watch *tw, struct worker *w, const struct pub64 *tail,
    struct tail_news *tn);
/* tail_watch_seen - what the worker knows of: @pos is the tail's value, or an older one
 * if there is more to do, or TAIL_IGNORED. By the end of a callback that has looked at
 * what is published. */
void tail_watch_seen(struct tail_watch *tw, uint64_t pos);
/* tail_watch_del - no effect if it isn't registered. */
void tail_watch_del(struct tail_watch *tw);

/* tail_news_tell - the tail has moved: after that, before sleepers are woken. Any thread
 * under RCU. Cost: one exchange for each loop that watches more than a few tails.
 * Returns: is tail_news_reap of use? */
bool tail_news_tell(struct tail_news *tn);
/* tail_news_reap - forget loops that don't watch the tail any more. One thread at a
 * time. */
void tail_news_reap(struct tail_news *tn);
/* tail_news_fini - no worker watches the tail. */
void tail_news_fini(struct tail_news *tn);

/* loop_now_ns - monotonic time of the present round; in a callback of @w only. */
uint64_t loop_now_ns(const struct worker *w);

/* One line of `show threads`. */
struct loop_info {
	char name[16];
	uint32_t worker_cnt;
	uint64_t cpu_ns, round_cnt, wakeup_cnt;
	uint64_t longest_ns; /* longest round */
	/* how long the present one takes already, which its workers wait for; 0: it
	 * sleeps */
	uint64_t round_ns;
	size_t stack_octets; /* of its stack, touched so far */
};

/* loop_list - @out has room for @max. Returns: how many loops there are. Any thread. */
unsigned loop_list(struct loop_info *out, unsigned max);

/* loop_pool_limit - at start, before any worker: share @threads loops between tables and
 * sessions; 0: a loop for each worker. */
void loop_pool_limit(unsigned threads);
/* loop_pool_fini - all workers have gone: end all loops. Blocks. */
void loop_pool_fini(void);

#endif
