/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MRT protocol: dumps of tables, one after the other, made by separate workers
 * (nest/mrt/mrt_dump.h); or a file whose routes the instance announces (mrt_load.h); in
 * the second case the instance has channels.
 *
 * I1  At most one dump runs. A period that ends during a dump skips its dump, and logs
 *     the skip.
 * I2  `show protocols` shows the failure of the last dump, and the reason, until a dump
 *     succeeds.
 * I3  An instance that is deleted or disabled ends its dump, and is gone after the answer
 *     of the dump's worker.
 *
 * Loop: the instance's. Tested by test/net/test_mrt_dump.py and
 * test/net/test_mrt_load.py. */
#include "proto/mrt/mrt.h"
#include "proto/mrt/mrt_load.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/import/many_peers.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/mrt/mrt_dump.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <errno.h>
#include <stdio.h>

struct mrt_proto {
	struct proto p; /* first */
	struct timer period;
	uint32_t period_s; /* the period of the running timer */
	struct mrt_ask *ask; /* request of the running dump; NULL: none */
	bool leaving; /* the instance ends when no dump runs */
	bool loads; /* constant: */
	struct mrt_load load;
};

static struct mrt_proto *
mrt_of(struct proto *p)
{
	return container_of(p, struct mrt_proto, p);
}

static const struct mrt_conf *
mrt_conf_of(const struct mrt_proto *m)
{
	return m->p.cf->opt;
}

/* mrt_say_last - what came of the last dump, for `show protocols`. */
static void
mrt_say_last(struct mrt_proto *m, const struct mrt_ask *a)
{
	char info[sizeof(a->error) + 32] = "";

	if (a->err == -ECANCELED || !proto_life_is_up(&m->p))
		return;
	if (a->err)
		snprintf(info, sizeof(info), "Dump failed: %s", a->error);
	proto_publish(&m->p, PS_UP, false, info, NULL);
}

static void
mrt_done(struct worker *w, TAKE struct msg *msg)
{
	struct mrt_proto *m = mrt_of(container_of(w, struct proto, worker));
	struct mrt_ask *a = container_of(msg, struct mrt_ask, msg);

	m->ask = NULL;
	if (!a->err && load_relaxed32(&m->p.debug) & DEBUG_EVENTS)
		proto_log(&m->p, LOG_C_TRACE,
		    "Dumped %u tables: %llu routes of %llu nets, %llu octets, %.3f s",
		    a->tables_done, (unsigned long long)a->routes,
		    (unsigned long long)a->nets, (unsigned long long)a->octets,
		    (double)a->took_ns / (double)NS_PER_S);
	mrt_say_last(m, a);
	mrt_ask_free(a);
	if (m->leaving)
		proto_detach(&m->p);
}

static void
mrt_proto_dump(struct mrt_proto *m)
{
	const struct mrt_conf *cf = mrt_conf_of(m);
	uint32_t id = m->p.cf->router_id;
	struct mrt_ask *a = mrt_ask_new();

	a->who = mem_strdup(MEM_OTHER, m->p.name);
	a->tables = mem_strdup(MEM_OTHER, cf->tables);
	a->filename = mem_strdup(MEM_OTHER, cf->filename);
	a->filter = cf->filter;
	a->conf = config_ref_get(m->p.conf);
	a->router_id = id ? id : load_relaxed32(&m->p.tern->router_id);
	a->add_path = cf->add_path;
	a->asker = &m->p.worker;
	a->done = mrt_done;
	m->ask = a;
	mrt_dump_start(m->p.tern, a);
}

static void
mrt_arm(struct mrt_proto *m)
{
	m->period_s = mrt_conf_of(m)->period_s;
	timer_set(&m->period, loop_now_ns(&m->p.worker) + m->period_s * NS_PER_S);
}

static void
mrt_period_fires(struct timer *t)
{
	struct mrt_proto *m = container_of(t, struct mrt_proto, period);

	if (m->ask) /* I1 */
		proto_log(&m->p, LOG_C_WARN,
		    "No dump now, because the previous dump has not ended");
	else
		mrt_proto_dump(m);
	mrt_arm(m);
}

static void
mrt_quit_dump(struct mrt_proto *m)
{
	timer_cancel(&m->period);
	if (m->ask)
		store_relaxed32(&m->ask->stop, 1);
}

/* ---- life ---- */

static void
mrt_up(struct proto *p)
{
	struct mrt_proto *m = mrt_of(p);

	if (m->loads)
		mrt_load_begin(&m->load, mrt_conf_of(m)->load);
	else
		mrt_arm(m);
}

static bool
mrt_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct mrt_proto *m = mrt_of(p);

	(void)cmd;
	if (m->loads)
		mrt_load_end(&m->load);
	else
		mrt_quit_dump(m);
	return true;
}

static void
mrt_publish(struct proto *p)
{
	if (!proto_life_is_up(p))
		proto_publish(p, PS_DOWN, p->life.disabled, "", p->life.message);
	else if (!mrt_of(p)->loads) /* a load publishes its progress itself */
		proto_publish(p, PS_UP, false, "", NULL);
}

static void
mrt_load_again(struct mrt_proto *m)
{
	mrt_load_end(&m->load);
	mrt_load_begin(&m->load, mrt_conf_of(m)->load);
}

static void
mrt_reload(struct proto *p, bool in, bool out)
{
	struct mrt_proto *m = mrt_of(p);

	(void)out;
	if (m->loads && in && !many_peers_reload(&m->load.to))
		mrt_load_again(m);
}

static void
mrt_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct mrt_proto *m = mrt_of(p);
	bool ok = proto_life_adopt(p, cmd);

	if (!proto_life_is_up(p))
		return;
	if (m->loads && !ok)
		mrt_load_again(m);
	else if (!m->loads && mrt_conf_of(m)->period_s != m->period_s)
		mrt_arm(m);
}

static void
mrt_leave(struct proto *p)
{
	mrt_of(p)->leaving = true;
	if (!mrt_of(p)->ask)
		proto_detach(p);
}

static bool
mrt_run(struct proto *p)
{
	return mrt_of(p)->loads && mrt_load_run(&mrt_of(p)->load);
}

static void
mrt_start(struct proto *p)
{
	timer_init(&mrt_of(p)->period, &p->worker, mrt_period_fires);
	mrt_load_start(&mrt_of(p)->load);
}

static void
mrt_make(struct proto *p, const struct conf_proto *cf)
{
	struct mrt_proto *m = mrt_of(p);

	m->loads = ((const struct mrt_conf *)cf->opt)->load != NULL;
	mrt_load_make(&m->load, &m->p, cf);
}

static void
mrt_free(struct proto *p)
{
	mrt_load_free(&mrt_of(p)->load);
}

const struct proto_class mrt_proto_class = {
	.conf = &mrt_conf_class,
	.outward = true,
	.size = sizeof(struct mrt_proto),
	.make = mrt_make,
	.start = mrt_start,
	.run = mrt_run,
	.command = proto_life_command,
	.life = { .up = mrt_up,
	    .down = mrt_down,
	    .publish = mrt_publish,
	    .reload = mrt_reload,
	    .reconf = mrt_reconf,
	    .leave = mrt_leave },
	.free = mrt_free,
};
