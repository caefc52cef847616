/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many workers that post, wake, set timers, watch descriptors, stop and are replaced,
 * with a thread each and on shared threads. Made to run under TSan: what it looks for are
 * lost wake-ups (the test then hangs and is killed by its alarm), messages out of order,
 * callbacks after the stop, and anything freed too early.
 *
 * Prints one line; exit status 1 on a failure. Arguments: workers, messages each (both
 * optional). */
#include "lib/mem/mem.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "test/lib/wait.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SENDER_MAX 64
#define HOP_CNT    8

/* A ring of nodes: each sends numbered messages to the next ones, and wakes the one
 * after. */
struct node {
	struct worker worker;
	struct ring *ring;
	unsigned index;
	struct timer timer;
	struct watch watch;
	struct tail_watch tail; /* of ring->journal */
	/* What the node has published itself, and the next node's watch of it: on shared
	 * threads there are more of these tails than a loop reads in each round. */
	struct pub64 published;
	struct tail_news published_news;
	struct tail_watch published_watch; /* of the node before */
	uint64_t published_pos;
	int fd[2]; /* a pipe; `watch` watches the first end */
	unsigned sent, echoed;
	unsigned seen[SENDER_MAX]; /* next number expected from each sender */
	unsigned done_cnt; /* senders that are through */
	uint64_t read_pos; /* of ring->journal, when last looked at */
	uint32_t rand;
	unsigned inside; /* callbacks; no more than one at a time */
	bool stopped;
};

struct ring {
	struct node *node;
	unsigned cnt, msg_cnt;
	struct pub64 journal; /* a tail without records that all nodes watch */
	struct tail_news news;
	struct counter32 stop_cnt, gone_cnt, reader_end_cnt, bad_cnt;
	struct counter64 got_cnt, tmp_cnt, lent_cnt;
};

struct note {
	struct msg msg;
	unsigned sender, number;
};

/* A worker that lives shortly. */
struct brief {
	struct worker worker;
	struct ring *ring;
	struct timer timer;
	bool stopped;
};

static void
stress_loop_bad(struct ring *r, const char *what)
{
	if (!counter32_add(&r->bad_cnt, 1))
		fprintf(stderr, "stress_loop: %s\n", what);
}

static uint32_t
next_rand(struct node *n)
{
	n->rand = n->rand * 1664525u + 1013904223u;
	return n->rand >> 8;
}

static void
brief_fire(struct timer *t)
{
	struct brief *b = container_of(t, struct brief, timer);

	if (b->stopped)
		stress_loop_bad(b->ring, "timer after the stop");
	worker_stop(&b->worker);
	worker_stop(&b->worker);
}

static void
brief_start(struct worker *w)
{
	struct brief *b = container_of(w, struct brief, worker);

	timer_init(&b->timer, w, brief_fire);
	timer_set(&b->timer, loop_now_ns(w) + 20000);
	worker_again(w);
}

static void
brief_stop(struct worker *w)
{
	container_of(w, struct brief, worker)->stopped = true;
}

static void
brief_gone(struct worker *w)
{
	struct brief *b = container_of(w, struct brief, worker);

	counter64_add(&b->ring->tmp_cnt, (uint64_t)-1);
	mem_free(MEM_OTHER, b);
}

static const struct worker_ops brief_ops = {
	.start = brief_start, .stop = brief_stop, .gone = brief_gone
};

static void
make_brief(struct ring *r, unsigned i)
{
	struct brief *b = mem_zalloc(MEM_OTHER, sizeof(*b));

	b->ring = r;
	counter64_add(&r->tmp_cnt, 1);
	worker_start(&b->worker, &brief_ops, (enum worker_class)(i % 3), "brief");
}

/* All is sent, received and read: this node may end. */
static void
stress_loop_check_end(struct node *n)
{
	struct ring *r = n->ring;

	if (n->sent == r->msg_cnt && n->done_cnt == HOP_CNT && !n->worker.stopping &&
	    n->read_pos == (uint64_t)r->cnt * r->msg_cnt &&
	    n->published_pos == r->msg_cnt) {
		counter32_add(&r->stop_cnt, 1);
		worker_stop(&n->worker);
	}
}

static void
note_handle(struct worker *w, struct msg *m)
{
	struct node *n = container_of(w, struct node, worker);
	struct note *note = container_of(m, struct note, msg);

	if (n->stopped)
		stress_loop_bad(n->ring, "message after the stop");
	if (note->number != n->seen[note->sender % SENDER_MAX]++)
		stress_loop_bad(n->ring, "order of messages");
	n->done_cnt += note->number + 1 == n->ring->msg_cnt;
	counter64_add(&n->ring->got_cnt, 1);
	mem_free(MEM_OTHER, note);
	stress_loop_check_end(n);
}

/* Publish one step of the journal and one of the node's own tail, and tell who sleeps. */
static void
stress_loop_publish(struct ring *r, struct node *n)
{
	uint64_t old = load_relaxed64(&r->journal);

	while (!cas_acq_rel64(&r->journal, &old, old + 1)) /* pairs: TESTJ */
		;
	tail_news_notify(&r->news);
	store_release64(&n->published, n->sent); /* pairs: TESTSAID */
	if (tail_news_notify(&n->published_news))
		tail_news_reap(&n->published_news);
	fence_seq_cst();
	for (unsigned i = 0; i < r->cnt; i++)
		worker_wake_sleeper(&r->node[i].worker);
}

/* hear_before - what the node before has published itself. Now and then the watch ends
 * and begins again. */
static void
hear_before(struct node *n)
{
	struct ring *r = n->ring;
	struct node *before = &r->node[(n->index + r->cnt - 1) % r->cnt];

	if (n->published_pos == r->msg_cnt) /* the node before may have ended */
		return;
	if (!worker_is_lent(&n->worker) && next_rand(n) % 8 == 0) {
		tail_watch_del(&n->published_watch);
		tail_watch_add(&n->published_watch, &n->worker, &before->published,
		    &before->published_news);
	}
	n->published_pos = load_acquire64(&before->published); /* pairs: TESTSAID */
	tail_watch_seen(&n->published_watch, n->published_pos);
}

/* One burst of messages; the rest comes by worker_again, by the timer or by the
 * descriptor. */
static void
node_run(struct worker *w)
{
	struct node *n = container_of(w, struct node, worker);
	struct ring *r = n->ring;
	bool sends = n->sent < r->msg_cnt;

	if (n->stopped || n->inside++)
		stress_loop_bad(r, "run after the stop, or in a lease");
	n->read_pos = load_acquire64(&r->journal); /* pairs: TESTJ */
	tail_watch_seen(&n->tail, n->read_pos);
	hear_before(n);
	for (unsigned burst = 1 + next_rand(n) % 4; burst && n->sent < r->msg_cnt;
	     burst--) {
		for (unsigned hop = 1; hop <= HOP_CNT; hop++) {
			struct note *note = mem_alloc(MEM_OTHER, sizeof(*note));

			note->msg.handle = note_handle;
			note->sender = n->index;
			note->number = n->sent;
			worker_post(
			    &r->node[(n->index + hop) % r->cnt].worker, &note->msg);
		}
		n->sent++;
		stress_loop_publish(r, n);
	}
	/* Nobody ends before all have sent all, so the next one is there or was when this
	 * run began. */
	if (sends)
		worker_wake(&r->node[(n->index + 1) % r->cnt].worker);
	if (n->sent < r->msg_cnt) {
		switch (next_rand(n) % 4) {
		case 0:
			worker_again(w);
			break;
		case 1:
			timer_set(&n->timer, loop_now_ns(w) + next_rand(n) % 200000);
			break;
		case 2:
			watch_set(&n->watch, WATCH_READ);
			if (write(n->fd[1], "x", 1) != 1)
				stress_loop_bad(r, "write");
			break;
		default:
			if (n->sent % 16 == 0)
				make_brief(r, n->sent / 16);
			worker_wake(w);
		}
	}
	n->inside--;
	stress_loop_check_end(n);
}

/* node_lent - in another node's thread. Now and then something is left to do. */
static bool
node_lent(struct worker *w)
{
	struct node *n = container_of(w, struct node, worker);
	struct ring *r = n->ring;
	uint64_t pos;

	if (n->stopped || n->inside++)
		stress_loop_bad(r, "a lease of who runs, or has stopped");
	if (!worker_is_lent(w))
		stress_loop_bad(r, "lent to itself");
	counter64_add(&r->lent_cnt, 1);
	pos = load_acquire64(&r->journal); /* pairs: TESTJ */
	if (!worker_lease_ends(w)) {
		n->read_pos = pos;
		tail_watch_seen(&n->tail, pos);
		hear_before(n);
	}
	if (next_rand(n) % 8 == 0)
		timer_set(&n->timer, loop_now_ns(w) + next_rand(n) % 200000);
	if (next_rand(n) % 8 == 0) {
		watch_set(&n->watch, WATCH_READ);
		if (write(n->fd[1], "x", 1) != 1)
			stress_loop_bad(r, "write");
	}
	n->inside--;
	/* All but the last to publish have more to come, so nobody waits for this one
	 * alone. */
	return next_rand(n) % 4 == 0 || n->read_pos == (uint64_t)r->cnt * r->msg_cnt ||
	       n->published_pos == r->msg_cnt;
}

static void
node_fire(struct timer *t)
{
	worker_again(t->worker);
}

static void
node_read(struct watch *wa, uint32_t events)
{
	struct node *n = container_of(wa, struct node, watch);
	char buf[8];

	if (!(events & WATCH_READ) || read(wa->fd.os_nr, buf, sizeof(buf)) <= 0)
		stress_loop_bad(n->ring, "descriptor without an octet");
	watch_set(wa, 0);
	worker_again(&n->worker);
}

static void
node_start(struct worker *w)
{
	struct node *n = container_of(w, struct node, worker);
	struct ring *r = n->ring;
	struct node *before = &r->node[(n->index + r->cnt - 1) % r->cnt];

	if (pipe(n->fd))
		abort();
	watch_add(&n->watch, w, os_fd_of(n->fd[0]), 0, node_read);
	tail_watch_add(
	    &n->published_watch, w, &before->published, &before->published_news);
	tail_watch_add(&n->tail, w, &n->ring->journal, &n->ring->news);
	timer_init(&n->timer, w, node_fire);
}

static void
node_stop(struct worker *w)
{
	struct node *n = container_of(w, struct node, worker);

	n->stopped = true;
	close(n->fd[0]);
	close(n->fd[1]);
	if (os_fd_is_open(n->watch.fd) || timer_active(&n->timer))
		stress_loop_bad(n->ring, "watch or timer left by worker_stop");
}

static void
node_gone(struct worker *w)
{
	counter32_add(&container_of(w, struct node, worker)->ring->gone_cnt, 1);
}

static const struct worker_ops node_ops = { .start = node_start,
	.run = node_run,
	.lent = node_lent,
	.stop = node_stop,
	.gone = node_gone };

static bool
run_ring(unsigned threads, unsigned cnt, unsigned msg_cnt)
{
	struct ring r = { .cnt = cnt, .msg_cnt = msg_cnt };
	uint64_t start_ns = clock_now_ns();
	bool ok;

	r.node = calloc(cnt, sizeof(*r.node));
	loop_pool_limit(threads);
	rcu_wake(); /* the first may have ended when the last is woken */
	for (unsigned i = 0; i < cnt; i++) {
		struct node *n = &r.node[i];

		n->ring = &r;
		n->index = i;
		n->rand = i * 7919 + 1;
		worker_start(
		    &n->worker, &node_ops, i % 5 ? WORKER_SESSION : WORKER_TABLE, "node");
	}
	for (unsigned i = 0; i < cnt; i++)
		worker_wake(&r.node[i].worker);
	rcu_sleep();
	while (counter32_get(&r.gone_cnt) < cnt || counter64_get(&r.tmp_cnt)) {
		struct loop_info info[8];

		loop_list(info, ARRAY_LEN(info));
		wait_pause(2000);
	}
	loop_pool_fini();
	rcu_drain(); /* a loop's stack of news goes with the loop */
	for (unsigned i = 0; i < cnt; i++)
		tail_news_fini(&r.node[i].published_news);
	tail_news_fini(&r.news);
	ok = !counter32_get(&r.bad_cnt) &&
	     counter64_get(&r.got_cnt) == (uint64_t)cnt * HOP_CNT * msg_cnt;
	free(r.node);
	/* On shared threads there are none. */
	if (!threads != (counter64_get(&r.lent_cnt) > 0))
		ok = false;
	printf("%s%u threads: %s, %u workers, %llu messages, %llu leases, %llu ms",
	    threads ? "; " : "", threads, ok ? "ok" : "FAILED", cnt,
	    (unsigned long long)counter64_get(&r.got_cnt),
	    (unsigned long long)counter64_get(&r.lent_cnt),
	    (unsigned long long)((clock_now_ns() - start_ns) / NS_PER_MS));
	return ok;
}

int
main(int argc, char **argv)
{
	unsigned cnt = argc > 1 ? (unsigned)atoi(argv[1]) : 24;
	unsigned msg_cnt = argc > 2 ? (unsigned)atoi(argv[2]) : 100;
	bool ok;

	alarm(120);
	rcu_join();
	rcu_sleep();
	/* A sender's number goes into an array of fixed size, and hops must not meet. */
	if (cnt <= HOP_CNT || cnt > SENDER_MAX)
		return 2;
	ok = run_ring(0, cnt, msg_cnt);
	ok = run_ring(2, cnt, msg_cnt) && ok;
	ok = run_ring(1, cnt, msg_cnt) && ok;
	rcu_leave();
	printf("\n");
	return ok ? 0 : 1;
}
