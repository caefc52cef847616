/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads: placement of new workers, the list of loops, and the end of loops. Any
 * thread calls; a loop ends in its own thread.
 *
 * I1  The lock protects the list of loops and the number of workers placed on each loop.
 *     A loop in the list has a running thread.
 * I2  A loop ends when it has no worker and no worker is on the way (placed_cnt), and
 *     when it was made for one worker or the daemon ends. The loop leaves the list in the
 *     same step.
 * I3  A loop's memory and descriptors outlive its thread by a grace period: another
 *     thread may be about to write the octet that wakes the loop.
 * I4  At most one ended thread waits to be joined: each ending thread joins the thread
 *     that ended before. */
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os.h"
#include "sysdep/os/sandbox.h"
#include <bsd/string.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE         (128 * 1024 * STACK_FACTOR)
#define STACK_SIZE_CONTROL (1024 * 1024 * STACK_FACTOR) /* it parses configurations */

/* Added to the nice value that the daemon was started with. */
#define NICE_SESSION 1
#define NICE_LONG    15

#define SHORT_TURN_NS 200000

/* style: the one pool of the process. worker_start has no handle to find it by, as malloc
 * has none, and a second pool would be of no use. The lock is a leaf and held for the
 * making of a thread at most; it isn't taken on the way of a route. */
static struct pool {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct list loops; /* empty until `ready` */
	bool ready, short_said;
	unsigned limit; /* loops to share; 0: each worker gets a separate loop */
	unsigned share_cnt; /* shared loops created so far */
	unsigned live_cnt; /* threads that have not come to their end */
	bool dead_valid;
	pthread_t dead; /* I4 */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

static struct loop *
loop_of(struct list *n)
{
	return container_of(n, struct loop, pool.link);
}

static void
loop_gone(struct rcu_node *n)
{
	loop_free(container_of(n, struct loop, pool.defer));
}

static void
pool_note_stack(struct loop *l)
{
	pthread_attr_t attr;
	void *at = NULL;
	size_t len = 0;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	pthread_attr_getstack(&attr, &at, &len);
	pthread_attr_destroy(&attr);
	pthread_mutex_lock(&pool.lock);
	l->pool.stack = at;
	l->pool.stack_len = len;
	pthread_mutex_unlock(&pool.lock);
}

/* pool_set_nice - of the calling thread alone. No harm if it is refused. */
static void
pool_set_nice(int add)
{
	/* Linux: the process id names the main thread, whose value never changes. */
	setpriority(PRIO_PROCESS, (id_t)gettid(),
	    getpriority(PRIO_PROCESS, (id_t)getpid()) + add);
}

void
worker_nice(struct worker *w, bool nice)
{
	struct loop *l = w->loop;

	if (!l->mode.dedicated || l->mode.nice == nice)
		return;
	l->mode.nice = nice;
	pool_set_nice(nice ? NICE_LONG : 0);
	if (l->mode.short_turns)
		os_set_slice(nice ? 0 : SHORT_TURN_NS);
}

void
worker_short_turns(struct worker *w)
{
	if (!w->loop->mode.dedicated)
		return;
	w->loop->mode.short_turns = true;
	os_set_slice(SHORT_TURN_NS);
}

/* pool_set_real_time - give the calling thread the lowest real-time priority, so that
 * threads of the system itself need not wait. Returns: true: the system allows the
 * priority. */
static bool
pool_set_real_time(void)
{
	struct sched_param p = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	return !pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
}

bool
worker_is_real_time(const struct worker *w)
{
	return w->loop->mode.real_time;
}

void
worker_patient(struct worker *w)
{
	if (w->loop->mode.dedicated)
		store_relaxed32(&w->loop->mode.patient, 1);
}

/* pool_released - count the workers that @l has released. */
static void
pool_released(struct loop *l)
{
	if (!l->released_cnt)
		return;
	pthread_mutex_lock(&pool.lock);
	l->pool.placed_cnt -= l->released_cnt;
	pthread_mutex_unlock(&pool.lock);
	l->released_cnt = 0;
}

/* pool_loop_ends - true if @l may end; then no worker is placed on @l any more (I2). */
static bool
pool_loop_ends(struct loop *l)
{
	bool ends;

	pthread_mutex_lock(&pool.lock);
	ends = !l->pool.placed_cnt && (l->mode.dedicated || load_relaxed32(&l->quit));
	if (ends)
		list_del(&l->pool.link);
	pthread_mutex_unlock(&pool.lock);
	return ends;
}

/* pool_run - the rounds of @l. */
static void
pool_run(struct loop *l)
{
	struct epoll_event event[LOOP_EVENT_CNT];
	uint64_t end_ns = loop_begin(l, event);

	do {
		end_ns = loop_round(l, end_ns);
		pool_released(l);
	} while (l->worker_cnt || !pool_loop_ends(l));
	loop_end(l);
}

static void *
loop_thread(void *arg)
{
	struct loop *l = arg;
	bool join;
	pthread_t before;

	pthread_setname_np(pthread_self(), l->pool.name);
	pool_note_stack(l);
	if (l->mode.dedicated && l->pool.class == WORKER_SESSION)
		pool_set_nice(NICE_SESSION);
	if (l->pool.class == WORKER_REAL_TIME)
		l->mode.real_time = pool_set_real_time();
	pool_run(l);
	rcu_free_later(&l->pool.defer, loop_gone);
	rcu_leave();

	pthread_mutex_lock(&pool.lock);
	join = pool.dead_valid;
	before = pool.dead;
	pool.dead = pthread_self();
	pool.dead_valid = true;
	pool.live_cnt--;
	pthread_cond_broadcast(&pool.ended);
	pthread_mutex_unlock(&pool.lock);
	if (join)
		pthread_join(before, NULL);
	return NULL;
}

/* Make @l's thread, with all signals blocked. Returns: errno. */
static int
pool_start_thread(struct loop *l)
{
	sigset_t old;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(
	    &attr, l->pool.class == WORKER_CONTROL ? STACK_SIZE_CONTROL : STACK_SIZE);
	sandbox_block_signals(&old);
	rc = pthread_create(&l->pool.thread, &attr, loop_thread, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

/* A new loop with its thread, in the list. Under the lock. Returns: NULL if it can't be
 * had. */
static struct loop *
pool_make_loop(enum worker_class class, bool dedicated, const char *name)
{
	struct loop *l = loop_new(dedicated);

	if (!l)
		return NULL;
	l->mode.dedicated = dedicated;
	l->pool.class = class;
	strlcpy(l->pool.name, name, sizeof(l->pool.name));
	/* The thread finds 0 workers when it starts; it can't end before the lock is
	 * free. */
	if (pool_start_thread(l)) {
		loop_free(l);
		return NULL;
	}
	list_add_tail(&pool.loops, &l->pool.link);
	pool.live_cnt++;
	return l;
}

/* pool_class_apart - has each of the class a loop of its own, whatever the limit? */
static bool pool_class_apart(enum worker_class class)
{
	return class == WORKER_CONTROL || class == WORKER_REAL_TIME;
}

/* The loop with the fewest workers; of those of @class or, with @any, of all. Under the
 * lock. */
static struct loop *
pool_find_loop(enum worker_class class, bool any)
{
	struct loop *best = NULL;
	struct list *n;

	list_for_each (n, &pool.loops) {
		struct loop *l = loop_of(n);

		if (!any && pool_class_apart(l->pool.class) != pool_class_apart(class))
			continue;
		if (!best || l->pool.placed_cnt < best->pool.placed_cnt)
			best = l;
	}
	return best;
}

/* A loop for one more worker; counted as placed there. Under the lock. */
static struct loop *
pool_place_worker(enum worker_class class, const char *name, bool *is_short)
{
	bool share = pool.limit && !pool_class_apart(class);
	struct loop *l = NULL;
	char text[16];

	if (share && pool.share_cnt >= pool.limit) {
		l = pool_find_loop(class, false);
	} else if (share) {
		snprintf(text, sizeof(text), "loop %u", pool.share_cnt + 1);
		l = pool_make_loop(WORKER_TABLE, false, text);
		pool.share_cnt += l != NULL;
	} else {
		l = pool_make_loop(class, true, name);
	}
	if (!l) {
		*is_short = !pool.short_said;
		pool.short_said = true;
		l = pool_find_loop(class, false);
	}
	if (!l)
		l = pool_find_loop(class, true);
	ASSERT(l); /* not one thread: the system is unusable */
	l->pool.placed_cnt++;
	return l;
}

void
worker_start(
    struct worker *w, const struct worker_ops *ops, enum worker_class c, const char *name)
{
	bool is_short = false;

	memset(w, 0, sizeof(*w));
	w->ops = ops;
	w->first = c == WORKER_TABLE;
	strlcpy(w->name, name, sizeof(w->name));
	list_init(&w->watches);
	list_init(&w->tails);
	list_init(&w->timers);
	list_init(&w->link);
	list_init(&w->turn);
	store_relaxed32(&w->queued, 1);

	pthread_mutex_lock(&pool.lock);
	if (!pool.ready)
		list_init(&pool.loops);
	pool.ready = true;
	w->loop = w->at = pool_place_worker(c, w->name, &is_short);
	/* Pushed under the lock: from now on it may run, stop and be freed. */
	stack_push(&w->loop->queue, &w->queue_node);
	fence_seq_cst(); /* loop_inbox.c, I3 */
	loop_kick(w->loop);
	pthread_mutex_unlock(&pool.lock);

	if (is_short)
		log_msg(
		    LOG_C_WARN, "No more threads can be made, %s shares a thread", name);
}

uint64_t
pool_longest_round(char name[16])
{
	uint64_t now_ns = clock_now_ns(), longest_ns = 0;
	struct list *n;

	pthread_mutex_lock(&pool.lock);
	for (n = pool.ready ? pool.loops.next : &pool.loops; n != &pool.loops;
	     n = n->next) {
		const struct loop *l = loop_of(n);
		uint64_t began_ns = load_relaxed64(&l->stats.round_ns);

		if (!began_ns || load_relaxed32(&l->mode.patient) ||
		    began_ns + longest_ns >= now_ns)
			continue;
		longest_ns = now_ns - began_ns;
		memcpy(name, l->pool.name, sizeof(l->pool.name));
	}
	pthread_mutex_unlock(&pool.lock);
	return longest_ns;
}

unsigned
loop_list(struct loop_info *out, unsigned max)
{
	unsigned cnt = 0;
	struct list *n;

	pthread_mutex_lock(&pool.lock);
	for (n = pool.ready ? pool.loops.next : &pool.loops; n != &pool.loops;
	     n = n->next) {
		struct loop *l = loop_of(n);
		struct loop_info *i = &out[cnt];
		struct timespec ts = { 0, 0 };
		clockid_t id;

		if (cnt++ >= max)
			continue;
		memcpy(i->name, l->pool.name, sizeof(i->name));
		if (!pthread_getcpuclockid(l->pool.thread, &id))
			clock_gettime(id, &ts);
		i->cpu_ns = (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
		i->worker_cnt = l->pool.placed_cnt;
		i->round_cnt = counter64_get(&l->stats.round_cnt);
		i->wakeup_cnt = counter64_get(&l->stats.wakeup_cnt);
		i->longest_ns = load_relaxed64(&l->stats.longest_ns);
		i->round_ns = load_relaxed64(&l->stats.round_ns);
		if (i->round_ns)
			i->round_ns = max_u64(clock_now_ns(), i->round_ns) - i->round_ns;
	}
	pthread_mutex_unlock(&pool.lock);
	return cnt;
}

size_t
loop_stacks(void)
{
	size_t sum = 0;
	struct list *n;

	pthread_mutex_lock(&pool.lock);
	for (n = pool.ready ? pool.loops.next : &pool.loops; n != &pool.loops;
	     n = n->next) {
		const struct loop *l = loop_of(n);

		if (l->pool.stack)
			sum += os_resident(l->pool.stack, l->pool.stack_len);
	}
	pthread_mutex_unlock(&pool.lock);
	return sum;
}

void
loop_pool_limit(unsigned threads)
{
	pthread_mutex_lock(&pool.lock);
	pool.limit = threads;
	pthread_mutex_unlock(&pool.lock);
}

void
loop_pool_fini(void)
{
	struct list *n;

	pthread_mutex_lock(&pool.lock);
	for (n = pool.ready ? pool.loops.next : &pool.loops; n != &pool.loops;
	     n = n->next) {
		store_relaxed32(&loop_of(n)->quit, 1);
		fence_seq_cst(); /* loop_inbox.c, I3 */
		loop_kick(loop_of(n));
	}
	while (pool.live_cnt)
		pthread_cond_wait(&pool.ended, &pool.lock);
	if (pool.dead_valid)
		pthread_join(pool.dead, NULL);
	pool.dead_valid = false;
	pool.share_cnt = 0;
	pthread_mutex_unlock(&pool.lock);
	rcu_drain();
}
