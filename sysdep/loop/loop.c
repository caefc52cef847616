/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop: rounds, and the start and end of workers. All functions run in the
 * loop's thread.
 *
 * A round handles due timers, then descriptors, then gives a turn to each worker that was
 * called, that asked for a turn or that has entries to read (tail_watch). A turn is a
 * bounded number of messages and one `run`, so workers that share a loop get equal
 * chances. Descriptors and turns that a round does not reach within ROUND_NS come first
 * in the next round. Tables have their turns before all other workers, so the tables of a
 * loop do not wait for a thousand sessions.
 *
 * I1  Callbacks run in rounds, and after each round the thread is quiescent (RCU): a
 *     pointer found in one round is not used in the next.
 * I2  The loop sleeps only after it has set its word, fenced, and found neither a called
 *     worker nor a reader with work. loop_inbox.c has the other side.
 * I3  A stopped worker is released when no thread can push the worker to the queue any
 *     more: `queued` is 1 for ever. If `queued` was 1 already, a thread has pushed the
 *     worker or is about to, and the release waits until the worker comes out of the
 *     queue. After the release a grace period passes before `gone`, because other threads
 *     may hold the worker under RCU. */
#include "sysdep/loop/loop_priv.h"
#include "sysdep/loop/loop_watch.h"
#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "sysdep/os/clock.h"
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUND_NS (500 * NS_PER_US)
#define REST_NS  NS_PER_S /* of sleep, before the thread returns unused stack */

static bool
loop_has_turns(const struct loop *l)
{
	return !list_empty(&l->first) || !list_empty(&l->turns);
}

/* loop_is_late - true if the part of the round that began at @start_ns has used its
 * time. */
static bool
loop_is_late(uint64_t start_ns)
{
	return clock_now_ns() - start_ns > ROUND_NS;
}

static void
loop_worker_gone(struct rcu_node *n)
{
	struct worker *w = container_of(n, struct worker, defer);

	if (w->ops->gone)
		w->ops->gone(w);
}

static void
loop_release_worker(struct loop *l, struct worker *w)
{
	l->worker_cnt--;
	l->released_cnt++;
	rcu_free_later(&w->defer, loop_worker_gone);
}

/* The last callbacks in the loop. */
static void
loop_finish_worker(struct loop *l, struct worker *w)
{
	if (w->ops->stop)
		w->ops->stop(w);
	loop_drop_inbox(w);
	list_del(&w->turn);
	list_del(&w->link);
	w->stopped = true;
	if (!xchg_acq_rel32(&w->queued, 1)) /* I3 */
		loop_release_worker(l, w);
}

static void
loop_adopt_worker(struct loop *l, struct worker *w)
{
	w->started = true;
	l->worker_cnt++;
	list_add_tail(&l->workers, &w->link);
	if (w->ops->start)
		w->ops->start(w);
}

/* Give a turn to each worker in the queue of called workers. */
static void
loop_take_called(struct loop *l)
{
	struct stack_node *n, *next;

	for (n = stack_take(&l->queue); n; n = next) {
		struct worker *w = container_of(n, struct worker, queue_node);

		next = stack_next(n);
		if (w->stopped) {
			loop_release_worker(l, w);
			continue;
		}
		xchg_acq_rel32(&w->queued, 0);
		if (!w->started)
			loop_adopt_worker(l, w);
		loop_add_turn(l, w);
	}
}

static void
loop_take_turn(struct loop *l, struct worker *w)
{
	list_del(&w->turn);
	loop_handle_inbox(l, w);
	if (load_relaxed32(&w->woken) && xchg_acq_rel32(&w->woken, 0))
		w->again = true;
	if (w->again && !w->stopping) {
		w->again = false;
		w->run_cnt++;
		if (w->ops->run)
			w->ops->run(w);
	}
	if (w->stopping)
		loop_finish_worker(l, w);
}

/* loop_run_list - give turns to the workers in @turns, until time is up if @bounded. A
 * worker that asks meanwhile gets a turn in the next round, after the workers that are
 * left. */
static void
loop_run_list(struct loop *l, struct list *turns, bool bounded)
{
	uint64_t start_ns;
	struct list now;

	if (list_empty(turns))
		return;
	start_ns = clock_now_ns();
	list_insert_after(turns, &now);
	list_del(turns);
	do
		loop_take_turn(l, container_of(now.next, struct worker, turn));
	while (!list_empty(&now) && !(bounded && loop_is_late(start_ns)));
	list_move_head(turns, &now);
}

static void
loop_handle_events(struct loop *l)
{
	uint64_t start_ns = clock_now_ns();

	while (l->events.pos < l->events.cnt) {
		struct epoll_event *e = &l->events.at[l->events.pos++];
		struct watch *wa = e->data.ptr;
		uint32_t events = 0;

		if (!wa) /* loop_poll.c, I1 */
			continue;
		if (e->data.ptr == l) {
			loop_drain_octets(l);
			continue;
		}
		if (e->events & EPOLLIN)
			events |= WATCH_READ;
		if (e->events & EPOLLOUT)
			events |= WATCH_WRITE;
		events &= wa->events;
		if (e->events & (EPOLLERR | EPOLLHUP))
			events |= WATCH_ERROR;
		if (!events)
			continue;
		wa->ready(wa, events);
		if (loop_is_late(start_ns))
			return;
	}
}

/* loop_may_sleep - announce the sleep, then look a last time (I2). @until_ns: when it
 * ends. */
static bool
loop_may_sleep(struct loop *l, uint64_t until_ns)
{
	loop_falls_asleep(l);
	if (stack_empty(&l->queue) && (l->worker_cnt || !load_relaxed32(&l->quit))) {
		loop_look_at_tails(l);
		if (!loop_has_turns(l)) {
			loop_park(l, until_ns);
			return true;
		}
	}
	loop_awakes(l);
	return false;
}

/* The time of the next timer; UINT64_MAX: none. */
static uint64_t
loop_first_timer(const struct loop *l)
{
	const struct heap_node *n = heap_min(&l->timers);

	return n ? n->key : UINT64_MAX;
}

/* Nanoseconds until the next timer; 0: it is due; UINT64_MAX: none. */
static uint64_t
loop_time_to_timer(const struct loop *l, uint64_t now_ns)
{
	uint64_t at = loop_first_timer(l);

	if (at == UINT64_MAX)
		return UINT64_MAX;
	return at > now_ns ? at - now_ns : 0;
}

static void
loop_wait_for_work(struct loop *l, uint64_t now_ns)
{
	bool rest = l->events.pos < l->events.cnt;
	uint64_t wait_ns = loop_has_turns(l) || rest ? 0 : loop_time_to_timer(l, now_ns);

	if (!rest)
		loop_poll_prepare(l);
	if (wait_ns && loop_may_sleep(l, loop_first_timer(l))) {
		int cnt;

		rcu_sleep();
		cnt = loop_rest(l, REST_NS, wait_ns);
		loop_awakes(l);
		l->events.cnt = loop_poll_collect(l, cnt);
		rcu_wake();
		counter64_bump(&l->stats.wakeup_cnt, 1);
	} else {
		rcu_quiesce();
		if (l->give_way)
			sched_yield();
		if (!rest)
			l->events.cnt = loop_poll_collect(l, loop_poll_wait(l, 0));
	}
	l->give_way = false;
	if (!rest)
		l->events.pos = 0; /* before timers fire, which may remove descriptors */
	l->now_ns = clock_now_ns();
}

struct loop *
loop_new(bool few)
{
	struct loop *l;
	int fd[2];

	l = mem_aligned(MEM_LOOP, CACHE_LINE, sizeof(*l));
	memset(l, 0, sizeof(*l));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd))
		goto err_pair;
	l->wake_rd = fd[0];
	l->wake_wr = fd[1];
	if (!loop_poll_init(l, few))
		goto err_poll;
	list_init(&l->workers);
	list_init(&l->first);
	list_init(&l->turns);
	list_init(&l->pool.link);
	heap_init(&l->timers, MEM_LOOP);
	l->now_ns = clock_now_ns();
	return l;

err_poll:
	close(fd[0]);
	close(fd[1]);
err_pair:
	mem_free(MEM_LOOP, l);
	return NULL;
}

void
loop_free(struct loop *l)
{
	loop_poll_fini(l);
	close(l->wake_rd);
	close(l->wake_wr);
	heap_fini(&l->timers);
	loop_fini_tails(l);
	mem_free(MEM_LOOP, l);
}

static void
loop_take_turns(struct loop *l)
{
	loop_take_called(l);
	loop_look_at_tails(l);
	loop_run_list(l, &l->first, false);
	loop_run_list(l, &l->turns, true);
}

/* loop_watched_round - a round with measurement of each part (sysdep/loop/loop_watch.h).
 */
static void
loop_watched_round(struct loop *l)
{
	uint64_t due_ns = loop_first_timer(l), at_ns = l->now_ns;

	if (due_ns < at_ns)
		loop_watch_part(l, LATENCY_WAKEUP, due_ns);
	loop_fire_timers(l);
	at_ns = loop_watch_part(l, LATENCY_TIMERS, at_ns);
	loop_handle_events(l);
	at_ns = loop_watch_part(l, LATENCY_SOCKETS, at_ns);
	loop_take_turns(l);
	loop_watch_part(l, LATENCY_EVENTS, at_ns);
}

uint64_t
loop_begin(struct loop *l, struct epoll_event *event)
{
	rcu_join();
	loop_enter(l);
	l->self = pthread_self();
	l->events.at = event;
	return l->now_ns;
}

uint64_t
loop_round(struct loop *l, uint64_t end_ns)
{
	l->lend.cnt = 0;
	store_relaxed64(&l->stats.round_ns, 0);
	loop_wait_for_work(l, end_ns);
	store_relaxed64(&l->stats.round_ns, l->now_ns);
	if (unlikely(loop_watch_parts())) {
		loop_watched_round(l);
	} else {
		loop_fire_timers(l);
		loop_handle_events(l);
		loop_take_turns(l);
	}
	end_ns = clock_now_ns();
	counter64_bump(&l->stats.round_cnt, 1);
	loop_watch_round(l, end_ns - l->now_ns);
	if (end_ns - l->now_ns > load_relaxed64(&l->stats.longest_ns))
		store_relaxed64(&l->stats.longest_ns, end_ns - l->now_ns);
	return end_ns;
}

void
loop_end(struct loop *l)
{
	l->events.at = NULL;
	loop_enter(NULL);
}

void
worker_stop(struct worker *w)
{
	DCHECK(loop_is_mine(w->loop));
	if (w->stopping)
		return;
	w->stopping = true;
	while (!list_empty(&w->watches))
		watch_del(container_of(w->watches.next, struct watch, link));
	loop_drop_tails(w);
	loop_drop_timers(w);
	loop_add_turn(w->loop, w);
}

void
worker_give_way(struct worker *w)
{
	DCHECK(loop_is_mine(w->loop));
	w->loop->give_way = true;
}

uint64_t
loop_now_ns(const struct worker *w)
{
	return w->at->now_ns;
}
