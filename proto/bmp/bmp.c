/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol bmp: commands of the control worker, the monitored sessions,
 * start and end of the instance.
 *
 * Loop: the instance's. Tested by test/net/test_bmp.py. */
#include "proto/bmp/bmp.h"

#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/monitor/monitor.h"
#include "proto/bmp/bmp_in_priv.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/names.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

static struct bmp_proto *
bmp_of(struct proto *p)
{
	return container_of(p, struct bmp_proto, p);
}

/* ---- up and down ---- */

static void
bmp_up(struct proto *p)
{
	struct bmp_proto *b = bmp_of(p);
	const struct bmp_conf *cf = bmp_conf_of(b);

	if (b->in) {
		bmp_in_up(b->in);
		return;
	}
	b->mon = monitor_new(&b->p, cf->peers);
	b->mon->updates = cf->in_pre;
	b->mon->mirror = cf->mirror;
	b->mon->ends = cf->in_post;
	b->mon->outs = cf->out_post;
	b->mon->offers = cf->out_pre;
	b->mon->room = (uint64_t)cf->buffer_mb << 20;
	names_host(b->hostname, sizeof(b->hostname));
	if (b->p.cf->hostname)
		strlcpy(b->hostname, b->p.cf->hostname, sizeof(b->hostname));
	b->st_cnt = cf->station_cnt;
	for (unsigned i = 0; i < b->st_cnt; i++)
		bmp_station_start(&b->st[i], b, i);
	if (monitor_add(b->p.tern, b->mon))
		proto_log(
		    &b->p, LOG_C_ERR, "Too many monitors: sessions aren't monitored");
	timer_set(&b->tick, loop_now_ns(&b->p.worker) + NS_PER_S);
}

static bool
bmp_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct bmp_proto *b = bmp_of(p);
	struct list *n, *tmp;

	(void)cmd;
	if (b->in) {
		bmp_in_down(b->in);
		return true;
	}
	timer_cancel(&b->tick);
	timer_cancel(&b->soon);
	monitor_remove(b->p.tern, b->mon);
	b->mon = NULL;
	for (unsigned i = 0; i < b->st_cnt; i++)
		bmp_station_stop(&b->st[i], true);
	b->st_cnt = 0;
	list_for_each_safe (n, tmp, &b->all)
		bmp_who_free(b, container_of(n, struct bmp_who, link));
	return true;
}

static void
bmp_publish(struct proto *p)
{
	struct bmp_proto *b = bmp_of(p);

	if (!proto_life_is_up(p))
		proto_publish(p, PS_DOWN, p->life.disabled, "", p->life.message);
	else if (b->in)
		bmp_in_note(b->in);
	else
		bmp_note(b);
}

/* bmp_ask_out - ask sessions for Adj-RIB-Out routes if a station needs them, and publish
 * the number of queued octets. */
static void
bmp_ask_out(struct bmp_proto *b)
{
	uint64_t kept = 0, now = loop_now_ns(&b->p.worker);
	bool wanted = false;

	for (unsigned i = 0; i < b->st_cnt; i++) {
		kept = max_u64(kept, bmp_station_kept(&b->st[i], now));
		wanted |= b->st[i].wanted.out;
		b->st[i].wanted.out = false;
	}
	if (!b->mon)
		return;
	store_relaxed64(&b->mon->kept, kept);
	if (wanted)
		monitor_ask_out(b->p.tern, b->mon);
}

/* bmp_is_idle - true: the session is down, and no station and no queue refers to @w. */
static bool
bmp_is_idle(const struct bmp_proto *b, const struct bmp_who *w)
{
	bool reported = false;

	for (unsigned i = 0; i < b->st_cnt; i++)
		reported |= w->at[i].reported != NULL;
	return !w->life && !w->items && !reported;
}

/* bmp_whos_sweep - free sessions whose instance is gone (a dynamic neighbor) after all
 * stations were sent Peer Down. A session whose instance exists stays: the session may
 * come up again before its routes leave the table (bmp_reported_who.before). */
static void
bmp_whos_sweep(struct bmp_proto *b)
{
	const struct tern_view *v = tern_view_get(b->p.tern);
	struct list *n, *tmp;

	if (!b->mon || (v->nr == b->view_nr && !b->sweeps))
		return;
	b->view_nr = v->nr;
	b->sweeps = false;
	list_for_each (n, &b->all)
		container_of(n, struct bmp_who, link)->is_there = false;
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		struct bmp_who *w = bmp_find(b, v->proto[i]->name);

		if (w)
			w->is_there = true;
	}
	list_for_each_safe (n, tmp, &b->all) {
		struct bmp_who *w = container_of(n, struct bmp_who, link);

		if (!w->is_there && bmp_is_idle(b, w))
			bmp_who_free(b, w);
		else
			b->sweeps |= !w->is_there;
	}
}

static void
bmp_tick(struct timer *t)
{
	struct bmp_proto *b = container_of(t, struct bmp_proto, tick);

	timer_set(t, loop_now_ns(&b->p.worker) + NS_PER_S);
	for (unsigned i = 0; i < b->st_cnt; i++)
		bmp_station_tick(&b->st[i]);
	bmp_ask_out(b);
	bmp_whos_sweep(b);
}

static void
bmp_soon(struct timer *t)
{
	worker_again(&container_of(t, struct bmp_proto, soon)->p.worker);
}

static bool
bmp_run(struct proto *p)
{
	struct bmp_proto *b = bmp_of(p);
	bool more = false;

	if (b->in)
		return bmp_in_run(b->in);
	bmp_drain(b);
	for (unsigned i = 0; i < b->st_cnt; i++) {
		more |= bmp_station_run(&b->st[i]);
		bmp_ribs_listen(&b->st[i]);
	}
	bmp_ask_out(b);
	return more;
}

/* ---- commands ---- */

static void
bmp_reload(struct proto *p, bool in, bool out)
{
	(void)out;
	if (bmp_of(p)->in && in)
		bmp_in_reload(bmp_of(p)->in);
}

static void
bmp_reconf(struct proto *p, struct proto_cmd *cmd)
{
	bool ok = proto_life_adopt(p, cmd);

	if (!ok && proto_life_is_up(p)) /* a station, which has channels */
		bmp_in_all_anew(bmp_of(p)->in);
}

static void
bmp_leave(struct proto *p)
{
	bmp_of(p)->deleting = true;
	bmp_try_gone(bmp_of(p));
}

static void
bmp_start(struct proto *p)
{
	timer_init(&bmp_of(p)->tick, &p->worker, bmp_tick);
	timer_init(&bmp_of(p)->soon, &p->worker, bmp_soon);
	if (bmp_of(p)->in)
		bmp_in_start(bmp_of(p)->in);
}

static void
bmp_make(struct proto *p, const struct conf_proto *cf)
{
	struct bmp_proto *b = bmp_of(p);

	if (((const struct bmp_conf *)cf->opt)->is_station)
		b->in = bmp_in_make(&b->p, cf);
	htab_init(&b->whos, MEM_PROTO);
	list_init(&b->all);
}

static void
bmp_free(struct proto *p)
{
	if (bmp_of(p)->in)
		bmp_in_free(bmp_of(p)->in);
	htab_fini(&bmp_of(p)->whos);
}

const struct proto_class bmp_proto_class = {
	.conf = &bmp_conf_class,
	.outward = true,
	.size = sizeof(struct bmp_proto),
	.make = bmp_make,
	.start = bmp_start,
	.run = bmp_run,
	.command = proto_life_command,
	.life = { .up = bmp_up,
	    .down = bmp_down,
	    .publish = bmp_publish,
	    .reload = bmp_reload,
	    .reconf = bmp_reconf,
	    .leave = bmp_leave },
	.free = bmp_free,
	.show.all = bmp_reply,
};
