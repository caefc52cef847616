/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait for the first data of a ROA or ASPA table (`rpki wait`). Routes judged by the
 * table wait until a cache has completed its data and the index has the data, or until
 * the configured time since the table was made is over.
 *
 * I1  A table that is ready stays ready, whatever happens to the data: a session that
 *     comes up later does not wait.
 * I2  `ready` and wait_ns are stored before a subscriber is notified. So a subscriber
 *     that saw a wait, and subscribes or has subscribed, is notified afterwards.
 *
 * Loop: the index's, but for marked functions. Tests: test_rpki_wait.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config.h"
#include "nest/rib/index/follower.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

struct ready_msg {
	struct msg msg;
	struct roa_sub *sub;
};

static void
wait_give_ready(struct worker *w, TAKE struct msg *m)
{
	struct ready_msg *rm = container_of(m, struct ready_msg, msg);

	(void)w;
	rm->sub->ready(rm->sub);
	mem_free(MEM_TABLE, rm);
}

void
rpki_wait_notify(struct roa_sub *s)
{
	struct ready_msg *rm = mem_zalloc(MEM_TABLE, sizeof(*rm));

	rm->msg.handle = wait_give_ready;
	rm->sub = s;
	worker_post(s->worker, &rm->msg);
}

/* wait_get_ready - I2 */
static void
wait_get_ready(struct rpki_index *x)
{
	timer_cancel(&x->wait.timer);
	if (load_relaxed32(&x->wait.ready))
		return;
	store_release32(&x->wait.ready, 1); /* pairs: RWAIT */
	roa_subs_each(x, rpki_wait_notify);
}

static void
wait_too_long(struct timer *t)
{
	struct rpki_index *x = container_of(t, struct rpki_index, wait.timer);

	log_msg(LOG_C_WARN,
	    "Table %s: no cache has sent End of Data for %u s; routes no longer wait",
	    table_name(x->f.table),
	    (unsigned)(load_relaxed64(&x->wait.most_ns) / NS_PER_S));
	wait_get_ready(x);
}

static void
rpki_wait_arm(struct rpki_index *x)
{
	uint64_t wait = load_relaxed64(&x->wait.most_ns);

	if (!x->wait.begun_ns || x->f.leaving || load_relaxed32(&x->wait.ready))
		return;
	store_relaxed64(&x->wait.end_ns, x->wait.begun_ns + wait);
	if (wait)
		timer_set(&x->wait.timer, x->wait.begun_ns + wait);
	else
		timer_cancel(&x->wait.timer);
}

static void
wait_take_set(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);

	follower_msg_free(m);
	rpki_wait_arm(x);
	if (!rpki_index_waits(x))
		roa_subs_each(x, rpki_wait_notify);
}

void
rpki_wait_set(struct rpki_index *x, const struct conf_table *cf)
{
	uint64_t wait = cf->rpki_wait_s * NS_PER_S;

	if (load_relaxed64(&x->wait.most_ns) == wait)
		return;
	store_release64(&x->wait.most_ns, wait); /* pairs: RWAIT */
	worker_post(&x->f.worker, follower_msg(wait_take_set));
}

void
rpki_wait_init(struct rpki_index *x, const struct conf_table *cf)
{
	timer_init(&x->wait.timer, &x->f.worker, wait_too_long);
	store_release64(&x->wait.most_ns, cf->rpki_wait_s * NS_PER_S); /* pairs: RWAIT */
}

void
rpki_wait_begin(struct rpki_index *x)
{
	x->wait.begun_ns = loop_now_ns(&x->f.worker);
	rpki_wait_arm(x);
}

void
rpki_wait_over(struct rpki_index *x)
{
	if (rpki_index_waits(x))
		log_msg(LOG_C_INFO,
		    "Table %s: a cache has sent End of Data; routes no longer wait",
		    table_name(x->f.table));
	wait_get_ready(x);
}

bool
rpki_index_waits(const struct rpki_index *x)
{
	return load_acquire64(&x->wait.most_ns) &&
	       !load_acquire32(&x->wait.ready); /* pairs: RWAIT */
}

uint64_t
rpki_index_waits_ns(const struct rpki_index *x)
{
	uint64_t end = load_relaxed64(&x->wait.end_ns), now = clock_now_ns();

	if (!rpki_index_waits(x))
		return 0;
	return !end ? load_relaxed64(&x->wait.most_ns) : end > now ? end - now : 1;
}
