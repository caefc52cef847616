/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysdep/loop: the real rounds of a loop whose worker may be lent. A publisher posts
 * messages, publishes segments and lends; a helper lends as readers of a journal do; a
 * poster posts, wakes and lends.
 *
 * P1  One thread at a time runs the worker.
 * P2  In a lease no segment overtakes a message that the publisher posted before the
 *     segment.
 * P3  Each segment has its content.
 * P4  When nobody has work, each segment and each message is handled, each timer has
 *     fired and each octet of a watched descriptor is read. Otherwise no thread can
 *     run, and the run fails. */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"
#include "test/sim/subturns/subturns.h"
#include <sys/socket.h>
#include <unistd.h>

#define SEGMENTS 5 /* at most */
#define POSTS    3 /* of the poster, at most */
#define MSGS     (SEGMENTS + POSTS + 1)

struct note {
	struct msg m;
	unsigned nr; /* 0: of the poster; MSGS: stop; else of the publisher */
};

struct segment {
	uint64_t number;
	unsigned posted; /* messages of the publisher before the segment */
};

/* What the worker owns. */
struct member {
	struct worker worker;
	struct tail_watch tail;
	struct timer timer;
	struct watch watch;
	uint64_t pos; /* next segment */
	unsigned from_publisher; /* messages handled */
	bool busy; /* P1 */
	bool sets_timer, sets_interest; /* in the next turn with a segment */
};

/* What sub_wait reads; threads add by sub_count. */
static struct {
	uint64_t read, handled, fired, octets;
	uint64_t read_due, handled_due, fired_due, octets_due;
	uint64_t ends; /* threads that have no more to do */
} sum;

static struct member member;
static struct loop *owner;
static struct pub64 tail;
static struct tail_news news, other_news;
/* Tails of nobody: with them the loop relies on the publisher's tail_news_notify. */
static struct pub64 others[TAIL_POLL_MAX];
static struct tail_watch other_watch[TAIL_POLL_MAX];
static bool has_others;
static struct segment segment[SEGMENTS];
static struct note note[MSGS];
static unsigned segments, posts;
static bool posts_first[SEGMENTS]; /* a message precedes the segment */
static int pair[2];

static void
lease_enters(struct member *m)
{
	if (m->busy)
		sub_fail("two threads run the worker");
	m->busy = true;
}

static void
lease_leaves(struct member *m)
{
	m->busy = false;
}

static void
lease_handles(struct worker *w, struct msg *msg)
{
	struct member *m = container_of(w, struct member, worker);
	const struct note *n = container_of(msg, struct note, m);

	lease_enters(m);
	if (n->nr == MSGS)
		worker_stop(w);
	else if (n->nr) {
		if (n->nr != ++m->from_publisher)
			sub_fail("message %u comes in place of message %u", n->nr,
			    m->from_publisher);
	}
	sub_count(&sum.handled, 1);
	lease_leaves(m);
}

static void
lease_fires(struct timer *t)
{
	struct member *m = container_of(t, struct member, timer);

	lease_enters(m);
	sub_count(&sum.fired, 1);
	lease_leaves(m);
}

static void
lease_gets_octets(struct watch *wa, uint32_t events)
{
	struct member *m = container_of(wa, struct member, watch);
	char octet[4];
	ssize_t cnt;

	(void)events;
	lease_enters(m);
	cnt = read(wa->fd.os_nr, octet, sizeof(octet));
	if (cnt > 0)
		sub_count(&sum.octets, (uint64_t)cnt);
	lease_leaves(m);
}

/* lease_turn - read what is published, as stream readers do. */
static void
lease_turn(struct member *m)
{
	lease_enters(m);
	while (m->pos != load_acquire64(&tail)) { /* pairs: LEASETAIL */
		const struct segment *s = &segment[m->pos];

		if (worker_lease_ends(&m->worker))
			break;
		if (s->number != m->pos + 1)
			sub_fail("segment %llu is without its content",
			    (unsigned long long)m->pos);
		if (worker_is_lent(&m->worker) && s->posted > m->from_publisher)
			sub_fail("segment %llu overtakes a message",
			    (unsigned long long)m->pos);
		m->pos++;
		sub_count(&sum.read, 1);
		if (m->sets_timer && !timer_active(&m->timer)) {
			m->sets_timer = false;
			timer_set(&m->timer, loop_now_ns(&m->worker) + 100000);
		}
		if (m->sets_interest) {
			m->sets_interest = false;
			watch_set(&m->watch, WATCH_READ);
		}
	}
	tail_watch_seen(&m->tail, m->pos);
	lease_leaves(m);
}

static void
lease_runs(struct worker *w)
{
	lease_turn(container_of(w, struct member, worker));
}

static bool
lease_is_lent(struct worker *w)
{
	lease_turn(container_of(w, struct member, worker));
	return false;
}

static void
lease_starts(struct worker *w)
{
	struct member *m = container_of(w, struct member, worker);

	lease_enters(m);
	timer_init(&m->timer, w, lease_fires);
	watch_add(&m->watch, w, (struct os_fd){ .os_nr = pair[0] }, 0, lease_gets_octets);
	for (unsigned i = 0; has_others && i < TAIL_POLL_MAX; i++)
		tail_watch_add(&other_watch[i], w, &others[i], &other_news);
	tail_watch_add(&m->tail, w, &tail, &news);
	tail_watch_seen(&m->tail, m->pos);
	lease_leaves(m);
}

static const struct worker_ops ops = {
	.start = lease_starts, .run = lease_runs, .lent = lease_is_lent
};

/* ---- threads ---- */

static void
lease_owner(void *arg)
{
	struct epoll_event event[LOOP_EVENT_CNT];
	uint64_t end_ns = loop_begin(owner, event);

	(void)arg;
	do
		end_ns = loop_round(owner, end_ns);
	while (owner->worker_cnt || !load_relaxed32(&owner->quit));
	loop_end(owner);
	rcu_leave();
}

/* lease_lender_begin - the caller is the thread of a loop of its own, which may lend. */
static struct loop *
lease_lender_begin(void)
{
	struct loop *l = loop_new(true);

	rcu_join();
	loop_enter(l);
	l->self = pthread_self();
	return l;
}

static void
lease_lender_end(struct loop *l)
{
	loop_enter(NULL);
	rcu_leave();
	loop_free(l);
	sub_count(&sum.ends, 1);
}

static void
lease_publisher(void *arg)
{
	struct loop *l = lease_lender_begin();
	unsigned posted = 0;

	(void)arg;
	for (unsigned i = 0; i < segments; i++) {
		if (posts_first[i]) {
			note[posted].nr = posted + 1;
			note[posted].m.handle = lease_handles;
			worker_post(&member.worker, &note[posted++].m);
		}
		segment[i].number = i + 1;
		segment[i].posted = posted;
		store_release64(&tail, i + 1); /* pairs: LEASETAIL */
		tail_news_notify(&news);
		fence_seq_cst();
		worker_wake_sleeper(&member.worker);
		l->lend.cnt = 0;
		rcu_quiesce();
	}
	lease_lender_end(l);
}

/* lease_lends - as a reader does that continues a round of waking. */
static void
lease_lends(struct loop *l, uint64_t cnt)
{
	for (; cnt; cnt--) {
		fence_seq_cst();
		worker_wake_sleeper(&member.worker);
		l->lend.cnt = 0;
		rcu_quiesce();
	}
}

static void
lease_helper(void *arg)
{
	struct loop *l = lease_lender_begin();

	(void)arg;
	lease_lends(l, sub_random(9));
	lease_lender_end(l);
}

static void
lease_poster(void *arg)
{
	struct loop *l = lease_lender_begin();
	const char octet = 0;

	(void)arg;
	for (unsigned i = 0; i < posts; i++) {
		struct note *n = &note[SEGMENTS + i];

		n->nr = 0;
		n->m.handle = lease_handles;
		worker_post(&member.worker, &n->m);
		if (!sub_random(3))
			worker_wake(&member.worker);
		lease_lends(l, sub_random(2));
		rcu_quiesce();
	}
	lease_lends(l, sub_random(9));
	if (sum.octets_due && write(pair[1], &octet, 1) != 1)
		sub_fail("no octet is written");
	lease_lender_end(l);
}

/* ---- the run ---- */

static bool
lease_is_quiet(void *arg)
{
	(void)arg;
	return sum.ends == 3 && sum.read == sum.read_due &&
	       sum.handled == sum.handled_due && sum.fired == sum.fired_due &&
	       sum.octets == sum.octets_due;
}

static void
lease_prepare(void)
{
	memset(&member, 0, sizeof(member));
	memset(&sum, 0, sizeof(sum));
	memset(&news, 0, sizeof(news));
	memset(&other_news, 0, sizeof(other_news));
	memset(other_watch, 0, sizeof(other_watch));
	has_others = !sub_random(3);
	memset(segment, 0, sizeof(segment));
	store_relaxed64(&tail, 0);
	segments = 1 + (unsigned)sub_random(SEGMENTS);
	posts = (unsigned)sub_random(POSTS + 1);
	sum.read_due = segments;
	sum.handled_due = posts;
	for (unsigned i = 0; i < segments; i++) {
		posts_first[i] = !sub_random(3);
		sum.handled_due += posts_first[i];
	}
	member.sets_timer = !sub_random(3);
	member.sets_interest = !sub_random(3);
	sum.fired_due = member.sets_timer;
	sum.octets_due = member.sets_interest;
}

/* lease_place - as worker_start does. */
static void
lease_place(void)
{
	struct worker *w = &member.worker;

	w->ops = &ops;
	list_init(&w->watches);
	list_init(&w->tails);
	list_init(&w->timers);
	list_init(&w->link);
	list_init(&w->turn);
	w->loop = w->at = owner;
	owner->mode.dedicated = true;
	store_relaxed32(&w->queued, 1);
	stack_push(&owner->queue, &w->queue_node);
}

static void
lease_play(void)
{
	struct note *stop = &note[MSGS - 1];
	unsigned thread;

	lease_prepare();
	rcu_join();
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	owner = loop_new(true);
	lease_place();
	thread = sub_thread_new("owner", lease_owner, NULL);
	sub_thread_new("publisher", lease_publisher, NULL);
	sub_thread_new("helper", lease_helper, NULL);
	sub_thread_new("poster", lease_poster, NULL);
	rcu_sleep();
	sub_wait(lease_is_quiet, NULL);
	rcu_wake();
	store_relaxed32(&owner->quit, 1);
	stop->nr = MSGS;
	stop->m.handle = lease_handles;
	worker_post(&member.worker, &stop->m);
	rcu_sleep();
	sub_thread_join(thread);
	rcu_wake();
	tail_news_fini(&news);
	tail_news_fini(&other_news);
	loop_free(owner);
	rcu_leave();
}

static void
lease_judge(void)
{
	if (sub_heap_left())
		sub_fail("%u blocks are never freed", sub_heap_left());
}

extern const struct sub_program prog_lease;
const struct sub_program prog_lease = { "lease",
	"sysdep/loop: a loop that is lent, a publisher, a helper, a poster", lease_play,
	lease_judge };
