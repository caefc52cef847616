/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two waits for the data of a ROA or ASPA table.
 *
 *      cache   `rpki wait`: until a cache has completed its data and the index has the
 *              data, or until the configured time since the table was made is over
 *      fill    a commit brings routes of static protocols and pipes to the table: until
 *              the index has these routes. The control worker ends each fill, and limits
 *              its time (nest/daemon/commit/fill.c)
 *
 * I1  A cache's table that is ready stays ready, whatever happens to the data: a session
 *     that comes up later does not wait.
 * I2  `ready`, most_ns and `filled` are stored before a subscriber is notified. So a
 *     subscriber that saw a wait, and subscribes or has subscribed, is notified
 *     afterwards.
 * I3  A fill begins before an instance gets the configuration that needs the fill.
 *
 * Loop: the index's, but for marked functions. Tests: test_rpki_wait.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/base/wrap.h"
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

/* rpki_wait_for_cache - true: the table has `rpki wait`, and no data yet. Any thread. */
static bool
rpki_wait_for_cache(const struct rpki_index *x)
{
	return load_acquire64(&x->wait.most_ns) &&
	       !load_acquire32(&x->wait.ready); /* pairs: RWAIT */
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
	if (!rpki_wait_for_cache(x))
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
	uint32_t nr = (uint32_t)wrap_start(0, 32);

	timer_init(&x->wait.timer, &x->f.worker, wait_too_long);
	store_relaxed32(&x->wait.fill, nr);
	store_relaxed32(&x->wait.filled, nr);
	x->wait.in_table = nr;
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
	if (rpki_wait_for_cache(x))
		log_msg(LOG_C_INFO,
		    "Table %s: a cache has sent End of Data; routes no longer wait",
		    table_name(x->f.table));
	wait_get_ready(x);
}

bool
rpki_index_waits(const struct rpki_index *x)
{
	return rpki_wait_for_cache(x) || rpki_index_fills(x);
}

uint64_t
rpki_index_waits_ns(const struct rpki_index *x)
{
	uint64_t end = load_relaxed64(&x->wait.end_ns), now = clock_now_ns();

	if (!rpki_wait_for_cache(x))
		return 0;
	return !end ? load_relaxed64(&x->wait.most_ns) : end > now ? end - now : 1;
}

/* ---- fills ---- */

/* A fill under way. Owner: the control worker, then the index, which frees it. */
struct rpki_fill {
	struct msg msg;
	struct rpki_index *x; /* counted in its users */
	uint32_t nr;
	bool whole, late;
};

/* wait_get_filled - I2 */
static void
wait_get_filled(struct rpki_index *x)
{
	if (load_relaxed32(&x->wait.filled) == x->wait.in_table)
		return;
	store_release32(&x->wait.filled, x->wait.in_table); /* pairs: RFILL */
	roa_subs_each(x, rpki_wait_notify);
}

static void
wait_take_fill(struct worker *w, TAKE struct msg *m)
{
	struct rpki_fill *fl = container_of(m, struct rpki_fill, msg);
	struct rpki_index *x = fl->x;

	if (serial_after(fl->nr, x->wait.in_table))
		x->wait.in_table = fl->nr;
	x->wait.whole |= fl->whole && !fl->late;
	if (fl->late) {
		log_msg(LOG_C_WARN,
		    "Table %s: static protocols and pipes have not brought all routes in "
		    "time; sessions no longer wait",
		    table_name(x->f.table));
		wait_get_filled(x);
	}
	mem_free(MEM_TABLE, fl);
	counter32_sub_acq_rel(&x->users, 1);
	worker_again(w);
	rpki_index_try_stop(x);
}

void
rpki_wait_caught_up(struct rpki_index *x)
{
	if (!x->f.attached) /* the reader has read nothing yet */
		return;
	wait_get_filled(x);
	if (x->wait.whole)
		wait_get_ready(x);
	x->wait.whole = false;
}

struct rpki_fill *
rpki_fill_begin(struct rpki_index *x)
{
	struct rpki_fill *fl;

	if (!counter32_add_unless_zero(&x->users, 1))
		return NULL;
	fl = mem_zalloc(MEM_TABLE, sizeof(*fl));
	fl->msg.handle = wait_take_fill;
	fl->x = x;
	fl->nr = serial_next(load_relaxed32(&x->wait.fill));
	store_release32(&x->wait.fill, fl->nr); /* pairs: RFILL */
	return fl;
}

void
rpki_fill_end(TAKE struct rpki_fill *fl, bool whole, bool late)
{
	fl->whole = whole;
	fl->late = late;
	worker_post(&fl->x->f.worker, &fl->msg);
}

bool
rpki_index_fills(const struct rpki_index *x)
{
	return load_acquire32(&x->wait.fill) !=
	       load_acquire32(&x->wait.filled); /* pairs: RFILL */
}
