/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of the loop: loop.c (rounds), loop_poll.c
 * (descriptors), loop_timer.c (turns, too), loop_tail.c, loop_inbox.c and loop_lease.c
 * (calls of other threads), loop_stack.c (long sleeps), loop_watch.c, pool.c (threads)
 * and watchdog.c. No other file includes this header. */
#ifndef TERN_SYSDEP_LOOP_LOOP_PRIV_H
#define TERN_SYSDEP_LOOP_LOOP_PRIV_H

#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "sysdep/loop/loop.h"
#include <pthread.h>
#include <sys/epoll.h>

/* Stacks grow by this factor for the frames of sanitizers. */
#if defined(__SANITIZE_ADDRESS__)
#define STACK_FACTOR 16
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STACK_FACTOR 16
#endif
#endif
#if !defined(STACK_FACTOR) && defined(TERN_TSAN)
#define STACK_FACTOR 8
#endif
#ifndef STACK_FACTOR
#define STACK_FACTOR 1
#endif

#define LOOP_EVENT_CNT 64 /* descriptors handled in a round */
#define LOOP_MSG_CNT   256 /* messages of one worker handled in a round */
#define TAIL_POLL_MAX  8 /* tails that a loop reads itself (loop_tail.c) */

/* loop_lease.c. */
enum loop_word {
	LOOP_AWAKE,
	LOOP_ASLEEP,
	LOOP_PARKED,
	LOOP_LEASED,
	LOOP_MORE,
	LOOP_WANTED
};

/* The way a loop runs; pool.c sets the fields before the thread starts, `patient` at any
 * time. Owner: the thread of the loop. Life: as the loop. Part of struct loop, freed with
 * the loop. */
struct loop_mode {
	bool dedicated; /* made for one worker: the loop ends without a worker */
	bool nice; /* worker_nice */
	bool short_turns; /* worker_short_turns */
	bool real_time; /* the thread has real-time priority */
	struct pub32 patient; /* worker_patient */
};

/* The events of the present round. loop.c. Owner: the thread of the loop. Life: as the
 * loop. Part of struct loop, freed with the loop. */
struct loop_events {
	struct epoll_event *at; /* on the thread's stack */
	int pos, cnt;
};

/* The descriptors that the loop watches. loop_poll.c. Owner: the thread of the loop.
 * Life: as the loop. Part of struct loop, freed with the loop. */
struct loop_fds {
	int epoll_fd; /* -1: the loop calls ppoll */
	uint32_t watch_cnt;
	/* for ppoll: the set of loop_poll_prepare, and the watch of each place; NULL:
	 * the loop's socketpair */
	struct pollfd *ask;
	struct watch **asked;
	uint32_t ask_cnt, cap; /* cap: of both arrays */
};

/* The tails that the loop reads in each round. loop_tail.c. Owner: the thread of the
 * loop. Life: as the loop. Part of struct loop, freed with the loop. */
struct loop_polls {
	struct loop_tail *at[TAIL_POLL_MAX];
	uint32_t cnt;
};

/* Turns that the loop runs for sleeping loops. loop_lease.c. Owner: the thread of the
 * loop. Life: as the loop. Part of struct loop, freed with the loop. */
struct loop_lending {
	uint64_t until_ns; /* during sleep: the time of the loop's first timer */
	struct worker *worker; /* the worker whose turn the loop runs as a lender */
	uint32_t cnt; /* leases taken in this round */
	uint64_t end_ns; /* time after which no further lease starts */
};

/* Counters, which any thread reads, and the watch over long rounds. loop_watch.c. Owner:
 * the thread of the loop. Life: as the loop. Part of struct loop, freed with the loop. */
struct loop_stats {
	struct counter64 round_cnt, wakeup_cnt;
	struct pub64 longest_ns;
	/* start of the round, 0 during sleep; time of the last complaint */
	struct pub64 round_ns;
	uint64_t latency_said_ns, warned_ns;
};

/* Fields under the lock of the pool. pool.c. Owner: the pool. Life: as the loop. Part of
 * struct loop, freed with the loop. */
struct loop_pooled {
	struct list link;
	enum worker_class class;
	uint32_t placed_cnt; /* workers placed on the loop and not yet released */
	pthread_t thread;
	/* where the thread's stack lies, which the thread reads without the lock; NULL:
	 * not known, or the thread does not run yet */
	void *stack;
	size_t stack_len;
	char name[16];
	struct rcu_node defer;
};

/* owner: its thread; lives: until a grace period after its end, since a wake-up may be
 * under way; freed by: loop_gone. */
struct loop {
	/* Written by other threads, apart from what the loop works on. */
	struct stack queue; /* workers that were called */
	struct stack news; /* struct loop_tail: tails that have moved (loop_tail.c) */
	struct pub32 word; /* enum loop_word: who runs it */
	struct pub32 quit; /* loop_pool_fini */

	_Alignas(CACHE_LINE) uint64_t now_ns; /* start of the round */
	int wake_rd, wake_wr;
	struct loop_fds fds;
	uint32_t worker_cnt; /* started and not yet released */
	uint32_t released_cnt; /* released workers, still counted in placed_cnt */
	struct loop_mode mode;
	bool give_way; /* before the next round */
	bool no_pwait2; /* the kernel has no epoll_pwait2 */
	struct list workers;
	struct list first, turns; /* workers with a turn: tables, others */
	struct loop_polls polls;
	struct heap timers;
	pthread_t self; /* the thread that may touch the loop: for loop_is_mine */
	struct loop_events events;
	struct loop_lending lend;
	struct loop_stats stats;
	struct loop_pooled pool;
};

/* loop_is_mine - I1 of loop.h: for DCHECK at the entry of what only the loop may call. */
static inline bool
loop_is_mine(const struct loop *l)
{
	return pthread_equal(l->self, pthread_self());
}

/* loop.c */
/* loop_new - @few: the loop will watch few descriptors. Returns: NULL: no descriptors
 * left. */
OWNED struct loop *loop_new(bool few);
void loop_free(TAKE struct loop *l); /* nobody can reach it */
/* loop_begin - the thread is @l's from now on. @event: LOOP_EVENT_CNT of them, until
 * loop_end. Returns: @end_ns of the first round. loop_round - a round; the thread calls
 * until no worker is left. @end_ns: end of the last round. Returns: the end of this
 * round. */
uint64_t loop_begin(struct loop *l, struct epoll_event *event);
uint64_t loop_round(struct loop *l, uint64_t end_ns);
void loop_end(struct loop *l);

/* loop_poll.c */
/* loop_poll_init - Returns: false: no descriptor left. */
bool loop_poll_init(struct loop *l, bool few);
void loop_poll_fini(struct loop *l);
/* loop_poll_prepare - before the loop parks: note the watches for loop_poll_wait.
 * loop_poll_wait - wait @wait_ns (UINT64_MAX: without limit) for a descriptor. Blocks.
 * Returns: number of ready descriptors. loop_poll_collect - after the loop is awake: put
 * the @cnt ready descriptors into events.at. Returns: number of events there. */
void loop_poll_prepare(struct loop *l);
int loop_poll_wait(struct loop *l, uint64_t wait_ns);
int loop_poll_collect(struct loop *l, int cnt);

/* loop_inbox.c */
void loop_handle_inbox(struct loop *l, struct worker *w);
void loop_drop_inbox(struct worker *w);

/* loop_lease.c */
bool loop_kick(struct loop *l); /* any thread; the caller has fenced */
void loop_enter(struct loop *l); /* this thread is @l's */
/* loop_falls_asleep precedes the last look at pending work; then loop_park: until
 * loop_awakes returns, the thread touches neither the loop nor its worker. @until_ns: the
 * time of the loop's first timer. */
void loop_falls_asleep(struct loop *l);
void loop_park(struct loop *l, uint64_t until_ns);
void loop_awakes(struct loop *l); /* waits for the end of a lease */
void loop_drain_octets(struct loop *l);

/* loop_stack.c */
/* loop_rest - wait as loop_poll_wait does. After @rest_ns without a ready descriptor the
 * thread returns the unused pages of its stack to the system. Blocks. */
int loop_rest(struct loop *l, uint64_t rest_ns, uint64_t wait_ns);

/* loop_timer.c */
void loop_fire_timers(struct loop *l);
void loop_drop_timers(struct worker *w);

/* loop_tail.c */
void loop_look_at_tails(struct loop *l);
void loop_drop_tails(struct worker *w);
void loop_fini_tails(struct loop *l);

/* loop_timer.c: give @w a turn in this round, or in the next round if the turns have
 * begun. */
void loop_add_turn(struct loop *l, struct worker *w);

/* pool.c */
/* pool_longest_round - duration and loop name of the longest running round, without
 * patient loops; 0: every loop sleeps. Any thread. */
uint64_t pool_longest_round(char name[16]);

#endif
