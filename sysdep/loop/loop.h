/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers and the loops that run workers.
 *
 * A worker is an event handler with an inbox: descriptors, timers, messages. A loop is a
 * thread that runs workers. By default every worker gets a separate loop; after
 * loop_pool_limit(N) the workers share N loops. Code that follows the rules below runs in
 * both cases:
 *
 * I1  All callbacks of a worker run in its loop, one at a time. The callbacks own the
 *     objects that they reach.
 * I2  Other threads may call only worker_post, worker_wake and the functions that headers
 *     mark "any thread".
 * I3  No callback blocks or runs longer than about 1 ms; long work keeps a position,
 *     calls worker_again and returns.
 * I4  No borrowed RCU pointer survives the return of a callback: the loop goes quiescent
 *     after each round and offline before it polls.
 * I5  One octet on the loop's socketpair wakes the loop, and only a sleeping loop is
 *     woken. The loop sets its word, fences, looks at the queue of called workers and at
 *     the watched tails, then polls. A caller of a worker publishes, fences, then reads
 *     the word (doc/concurrency.md). */
#ifndef TERN_SYSDEP_LOOP_LOOP_H
#define TERN_SYSDEP_LOOP_LOOP_H

#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "sysdep/os/os_fd.h"

struct loop;
struct worker;
struct msg;

/* A message is a value: the message owns the objects behind its pointers, or holds
 * references on shared immutable objects. Embedded first in the sender's struct. Owner:
 * the sender, after worker_post the worker. Freed by: the handler. */
struct msg {
	struct stack_node node; /* private */
	void (*handle)(struct worker *w, TAKE struct msg *m);
};

/* Owner: the worker. Life: embedded in the worker's object, until ops->gone. */
struct timer {
	struct heap_node node; /* private */
	struct worker *worker; /* private */
	struct list link; /* of the worker's armed timers. private */
	void (*fire)(struct timer *t);
};

/* A descriptor that a worker watches. Owner: the worker. Life: embedded in the worker's
 * object, until ops->gone. */
struct watch {
	struct os_fd fd; /* OS_FD_NONE: not registered */
	uint32_t events; /* WATCH_* now asked for. private */
	bool told; /* an error was reported while `events` was 0. private */
	struct worker *worker; /* NULL: never registered. private */
	struct list link; /* of the worker's watches. private */
	void (*ready)(struct watch *w, uint32_t events);
};

/* Beside a tail: the loops that the publisher informs after it moved the tail, because
 * these loops watch too many tails to read each tail in each round. Owner: the publisher;
 * loops that watch the tail enter themselves. Life: until tail_news_fini. All zeros:
 * empty. */
struct tail_news {
	struct pubptr first; /* struct loop_tail *. private */
};

/* A worker's watch on a number that another thread advances (a journal's tail): `run` is
 * called while the number differs from the number that the worker last saw. Owner: the
 * worker. Life: until tail_watch_del or worker_stop. */
struct tail_watch {
	/* private */
	struct worker *worker; /* NULL: not registered */
	struct loop_tail *at; /* the loop's */
	struct list link; /* of the worker's */
	uint32_t slot; /* loop_tail.c */
};

/* @pos of tail_watch_seen for a worker that cannot use what is published. */
#define TAIL_IGNORED UINT64_MAX

#define WATCH_READ  1u
#define WATCH_WRITE 2u
#define WATCH_ERROR 4u /* given, never asked for: error or hang-up */

/* Callbacks of a worker. Owner: the module of the worker, as a constant. Life: static,
 * never freed. */
struct worker_ops {
	/* start - first call in the worker's loop. May be NULL. */
	void (*start)(struct worker *w);
	/* run - called in each round in which the worker was woken (worker_wake) or asked
	 * for another turn (worker_again), after its messages. May be NULL. */
	void (*run)(struct worker *w);
	/* lent - a short `run` in the thread of a publisher, while the worker's thread
	 * sleeps (worker_wake_sleeper). The callback may do the work of `run`, but must
	 * neither remove descriptors nor stop, and returns when worker_lease_ends is
	 * true. Returns: true: work is left for the worker's thread, which is woken and
	 * calls run. NULL: the worker is never lent. */
	bool (*lent)(struct worker *w);
	/* stop - worker_stop was called: the last call in the loop but for `gone`; no
	 * message, timer or descriptor of the worker is handled any more. May be NULL. */
	void (*stop)(struct worker *w);
	/* gone - no other thread can hold a wake-up for @w any more (a grace period has
	 * passed); it may be freed. Runs in liburcu's thread. May be NULL. */
	void (*gone)(struct worker *w);
	/* lost - @m was in the inbox when the worker stopped: free @m and do nothing
	 * else. In the loop, after `stop`. NULL: the worker's owner ensures that no
	 * message is left. */
	void (*lost)(struct worker *w, TAKE struct msg *m);
};

/* Owner: its loop. Life: embedded in the worker's object, until ops->gone. */
struct worker {
	const struct worker_ops *ops;
	struct loop *loop; /* constant after worker_start */
	/* the loop whose thread runs the worker now: the worker's loop, or a lender.
	 * private */
	struct loop *at;
	char name[16]; /* of the thread */
	/* private; first the fields that other threads write */
	struct stack inbox; /* struct msg */
	/* in the loop's queue of workers that were called */
	struct stack_node queue_node;
	struct pub32 woken; /* worker_wake: `run` is wanted */
	struct pub32 queued; /* the worker is in the loop's queue, or has stopped */
	struct stack_node *pending; /* taken out of the inbox, oldest first */
	bool again, stopping, stopped, started;
	bool first; /* of class WORKER_TABLE: turns before all other workers */
	struct list watches, tails, timers;
	struct list link; /* of the loop's workers */
	struct list turn; /* among the workers with a turn in this round or the next */
	uint64_t run_cnt;
	struct rcu_node defer;
};

enum worker_class {
	WORKER_TABLE, /* table and control: normal priority */
	WORKER_CONTROL, /* loops of their own, also with a limit */
	WORKER_SESSION, /* a little nicer */
	/* a separate loop at real-time priority if the system allows it: for short work
	 * with a deadline of milliseconds */
	WORKER_REAL_TIME,
};

/* worker_start - give @w a loop. @name: at most 15 characters are used. If no thread can
 * be created, @w shares a loop, and the log has a message. Any thread; the first callback
 * may run before the return. */
void worker_start(struct worker *w, const struct worker_ops *ops, enum worker_class c,
    const char *name);
/* worker_stop - no more callbacks but stop and gone. In the worker's loop, from a
 * callback. */
void worker_stop(struct worker *w);
/* worker_post - append @m to the worker's inbox, and wake the worker's loop if it sleeps.
 * Any thread. Messages of one sender arrive in order. The worker must not have stopped;
 * the caller is a loop (or an RCU callback) or ensures that @w outlives the call. */
void worker_post(struct worker *w, TAKE struct msg *m);
/* worker_wake - make the worker's loop call `run` once more; wake the loop if it sleeps.
 * Any thread. @w must be alive or found under RCU. Returns: true: an octet was
 * written. */
bool worker_wake(struct worker *w);
/* worker_wake_sleeper - like worker_wake, but without effect if the loop is awake: for
 * publishers whose readers watch the publication (tail_watch). A sleeping worker runs,
 * even if it finds no work. If the caller is a loop that may lend, the worker has run
 * before the return, in the caller's thread (ops->lent). The caller has fenced (seq_cst)
 * after publishing.
 * Returns: true: @w's thread was woken. */
bool worker_wake_sleeper(struct worker *w);
/* worker_is_lent - in a callback: true if another thread runs the worker.
 * worker_lease_ends - in a lent callback: true if the lease must end now. Called before
 * each segment, after the tail was read. */
bool worker_is_lent(const struct worker *w);
bool worker_lease_ends(const struct worker *w);
/* worker_lends_nobody - in a callback: the thread has other work, so until the next round
 * sleeping workers are woken instead of lent. */
void worker_lends_nobody(struct worker *w);
/* worker_again - in a callback: call run in the next round, without sleeping. */
void worker_again(struct worker *w);
/* worker_nice - in a callback of a WORKER_CONTROL. @nice: the following work is long and
 * can wait; the thread gets a thirtieth of the weight of a table or session. @nice false:
 * the long work is over. If the system refuses the way back (os_allow_nice_back), the
 * thread stays nice. */
void worker_nice(struct worker *w, bool nice);
/* worker_short_turns - in ops->start of a WORKER_CONTROL with short turns that clients
 * wait for. A waking thread gets the processor early if the system supports slices
 * (os_set_slice), but not while the worker is nice. */
void worker_short_turns(struct worker *w);
/* worker_is_real_time - in a callback: true if the thread has real-time priority. */
bool worker_is_real_time(const struct worker *w);
/* worker_patient - in ops->start: the callbacks may take long, and no other worker waits
 * for the loop, so the watchdog ignores the loop (sysdep/loop/loop_watch.h). */
void worker_patient(struct worker *w);
/* worker_give_way - in a callback: let other threads that wait for a processor run before
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
void watch_add(struct watch *wa, struct worker *w, struct os_fd fd, uint32_t events,
    void (*ready)(struct watch *wa, uint32_t events));
void watch_set(struct watch *wa, uint32_t events);
/* watch_del - no more callbacks; the descriptor stays open. No effect if not registered.
 */
void watch_del(struct watch *wa);
/* watch_lost - watch_del for a registered descriptor that other code has closed; the
 * number may belong to another file. */
void watch_lost(struct watch *wa);

/* tail_watch_add - follow @tail, which is ignored at first. @tn: the news of the tail;
 * @tail and @tn stay valid until tail_watch_del or worker_stop. */
void tail_watch_add(struct tail_watch *tw, struct worker *w, const struct pub64 *tail,
    struct tail_news *tn);
/* tail_watch_seen - record the position that the worker has seen: the tail's value, a
 * smaller value if work is left, or TAIL_IGNORED. Called before the end of a callback
 * that has looked at the publication. */
void tail_watch_seen(struct tail_watch *tw, uint64_t pos);
/* tail_watch_del - end the watch; no effect if @tw is not registered. */
void tail_watch_del(struct tail_watch *tw);

/* tail_news_notify - inform the loops after the tail was moved and before sleepers are
 * woken. Any thread under RCU. Cost: one exchange for each loop that watches more than a
 * few tails.
 * Returns: true: tail_news_reap would remove a loop. */
bool tail_news_notify(struct tail_news *tn);
/* tail_news_reap - remove loops that no longer watch the tail. One thread at a time. */
void tail_news_reap(struct tail_news *tn);
/* tail_news_fini - no worker watches the tail. */
void tail_news_fini(struct tail_news *tn);

/* loop_now_ns - monotonic time of the present round; in a callback of @w only. */
uint64_t loop_now_ns(const struct worker *w);

/* One line of `show threads`. Owner: the caller. Life: by value. */
struct loop_info {
	char name[16];
	uint32_t worker_cnt;
	uint64_t cpu_ns, round_cnt, wakeup_cnt;
	uint64_t longest_ns; /* longest round */
	/* duration of the present round so far, which delays the loop's workers; 0: the
	 * loop sleeps */
	uint64_t round_ns;
};

/* loop_list - describe the loops in @out, which has room for @max. Returns: number of
 * loops. Any thread. */
unsigned loop_list(struct loop_info *out, unsigned max);
/* loop_stacks - octets of the stacks of all loops that were touched. Any thread. Cost: a
 * few system calls for each loop. */
size_t loop_stacks(void);

/* loop_pool_limit - at start, before any worker: share @threads loops between tables and
 * sessions; 0: a loop for each worker. */
void loop_pool_limit(unsigned threads);
/* loop_pool_fini - all workers have gone: end all loops. Blocks. */
void loop_pool_fini(void);

#endif
