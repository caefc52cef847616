/* SPDX-License-Identifier: GPL-3.0-or-later */
/* liburcu's calls (flavour qsbr) for the threads of a run.
 *
 * A grace period ends when each registered thread was quiescent, offline or gone since
 * the callback was posted. The callbacks run in a thread of their own. The only orders
 * are those that a grace period gives: a callback follows the posting and each earlier
 * section of a reader; a section that begins during a period sees the writes before the
 * posts of the period. */
#include "test/sim/subturns/model.h"
#include "test/sim/subturns/subturns.h"

#include <string.h>
#include <urcu-qsbr.h>

#define POSTS_MAX 256

struct reader {
	bool is, online;
	uint32_t quiescent_cnt;
};

struct post {
	struct rcu_head *head;
	void (*fn)(struct rcu_head *head);
};

static struct reader reader[SUB_THREADS];
static struct post post[POSTS_MAX];
static unsigned post_cnt, run_cnt, period_end;
static uint32_t since[SUB_THREADS]; /* quiescent_cnt when the period began */
static bool runs;
static struct sub_clock posted, began, quiescent;

void
sub_rcu_reset(void)
{
	memset(reader, 0, sizeof(reader));
	post_cnt = run_cnt = 0;
	runs = false;
	memset(&posted, 0, sizeof(posted));
	memset(&began, 0, sizeof(began));
	memset(&quiescent, 0, sizeof(quiescent));
}

static struct reader *
rcu_mine(void)
{
	return &reader[sub_self()];
}

/* rcu_section_over - the sections of the caller so far precede the callbacks. */
static void
rcu_section_over(void)
{
	model_settle();
	model_release((unsigned)sub_self(), &quiescent);
}

static bool
rcu_is_over(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < SUB_THREADS; i++)
		if (reader[i].is && reader[i].online &&
		    reader[i].quiescent_cnt == since[i])
			return false;
	return true;
}

static bool
rcu_has_posts(void *arg)
{
	(void)arg;
	return run_cnt < post_cnt;
}

static void
rcu_callbacks(void *arg)
{
	(void)arg;
	for (;;) {
		sub_wait(rcu_has_posts, NULL);
		period_end = post_cnt;
		began = posted;
		for (unsigned i = 0; i < SUB_THREADS; i++)
			since[i] = reader[i].quiescent_cnt;
		sub_wait(rcu_is_over, NULL);
		model_acquire((unsigned)sub_self(), &began);
		model_acquire((unsigned)sub_self(), &quiescent);
		while (run_cnt < period_end) {
			const struct post *p = &post[run_cnt++];

			sub_note("a grace period has ended");
			p->fn(p->head);
		}
	}
}

void
__wrap_urcu_qsbr_register_thread(void)
{
	model_settle();
	*rcu_mine() = (struct reader){ .is = true, .online = true };
	model_acquire((unsigned)sub_self(), &began);
}

void
__wrap_urcu_qsbr_unregister_thread(void)
{
	rcu_section_over();
	rcu_mine()->is = false;
}

void
__wrap_urcu_qsbr_quiescent_state(void)
{
	rcu_section_over();
	rcu_mine()->quiescent_cnt++;
	model_acquire((unsigned)sub_self(), &began);
}

void
__wrap_urcu_qsbr_thread_offline(void)
{
	rcu_section_over();
	rcu_mine()->online = false;
}

void
__wrap_urcu_qsbr_thread_online(void)
{
	model_settle();
	rcu_mine()->online = true;
	rcu_mine()->quiescent_cnt++;
	model_acquire((unsigned)sub_self(), &began);
}

int
__wrap_urcu_qsbr_read_ongoing(void)
{
	return sub_self() >= 0 && rcu_mine()->is && rcu_mine()->online;
}

void
__wrap_urcu_qsbr_call_rcu(struct rcu_head *head, void (*fn)(struct rcu_head *head))
{
	model_settle();
	if (post_cnt == POSTS_MAX)
		sub_fail("more than %d callbacks", POSTS_MAX);
	model_release((unsigned)sub_self(), &posted);
	post[post_cnt++] = (struct post){ head, fn };
	if (!runs) {
		runs = true;
		sub_thread_waits(sub_thread_new("rcu", rcu_callbacks, NULL));
	}
}
