/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands `drain` and `undrain` (RFC 8326): routes of and to the session get
 * GRACEFUL_SHUTDOWN, the control worker watches the tables, and then closes the
 * session.
 *
 *      state of a drain   leaves the state
 *      draining           no network is left for DRAIN_SETTLE_NS, or the time is over:
 *                         drained. `disable`: drained. `undrain`: none
 *      drained            the instance is held. `undrain`, `enable`: none
 *
 * I1  A network is left if its best route in a table is of a draining session, and a
 *     session that does not drain has a path of the network in the same table.
 * I2  A look visits all tables in steps; no step is longer than DRAIN_STEP nets. Tables
 *     that come or go during a look make this look inexact; the next look corrects the
 *     numbers, and a session closes only after several looks.
 * I3  The state file has each drain; a drain belongs to the name, not to the instance.
 *
 * Loop: the control worker's. Tested by test/net/test_drain.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/json/json.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/core/control.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define DRAIN_LOOK_NS   NS_PER_S
#define DRAIN_SETTLE_NS (10 * NS_PER_S)
#define DRAIN_STEP      2048u
#define DRAIN_DEFAULT_S 300

static uint32_t
drain_now_s(void)
{
	return (uint32_t)(clock_real_ns(clock_now_ns()) / NS_PER_S);
}

/* drain_post_event - the drain of @in is in the state @phase. */
static void
drain_post_event(const struct control *c, const struct instance *in, const char *phase)
{
	struct event *e = event_new(c->tern, EVENT_DRAIN);

	if (!e)
		return;
	json_str(&e->open.json, "protocol", in->name);
	json_str(&e->open.json, "phase", phase);
	json_u64(&e->open.json, "until_unix_s", in->drain.until_s);
	json_u64(&e->open.json, "networks_left", in->drain.left);
	json_str(&e->open.json, "message", drain_text(in));
	event_text(e, "drain of %s: %s", in->name, phase);
	event_post(e);
}

/* ---- beginning and end ---- */

/* drain_set - the text @to (MEM_CONFIG) becomes a copy of @text. */
static void
drain_set(char **to, const char *text)
{
	mem_free(MEM_CONFIG, *to);
	*to = text ? mem_strdup(MEM_CONFIG, text) : NULL;
}

/* drain_order - note the words of the command @r. */
static void
drain_order(struct instance *in, const struct control_req *r)
{
	char by[128];

	in->drain.until_s = drain_now_s() +
			    (r->timeout_s ? r->timeout_s : DRAIN_DEFAULT_S);
	if (r->message)
		drain_set(&in->drain.message, r->message);
	drain_set(&in->drain.by, control_req_user(by, sizeof(by), r));
}

void
drain_begin(struct control *c, struct control_req *r, struct instance *in)
{
	bool again = in->drain.since_s;
	struct conf_members all;

	if (conf_member_range(in->cf, &all)) {
		control_answer(r, CLI_NOTHING_TO_DO,
		    "%s: has no session: drain the protocols of its neighbors", in->name);
		return;
	}
	if (in->drain.done || in->down) {
		control_answer(r, CLI_WAS_DISABLED, "%s: already %s", in->name,
		    in->drain.done ? "drained" : "disabled");
		return;
	}
	drain_order(in, r);
	if (!again) {
		in->drain.since_s = drain_now_s();
		drain_watch(c);
		if (!in->deleting)
			proto_post_order(in->p, ORDER_DRAIN);
	}
	drain_publish(in);
	log_msg(LOG_C_INFO, "Draining protocol %s", in->name);
	control_answer(r, CLI_DRAINING, "%s: draining, at most %u s", in->name,
	    in->drain.until_s - drain_now_s());
	drain_post_event(c, in, "draining");
}

void
drain_end(struct control *c, struct control_req *r, struct instance *in)
{
	bool done = in->drain.done;

	if (!in->drain.since_s) {
		control_answer(r, CLI_NOTHING_TO_DO, "%s: not drained", in->name);
		return;
	}
	drain_post_event(c, in, "ended");
	drain_forget(c, in);
	log_msg(LOG_C_INFO, "Ending the drain of protocol %s", in->name);
	if (!in->deleting)
		proto_post_order(in->p, ORDER_UNDRAIN);
	if (done) {
		in->held = 0;
		in->down = in->cf->disabled;
		drain_set(&in->message, NULL);
		if (in->p)
			store_relaxed32(&in->p->orders.held, 0);
		if (!in->down && !in->deleting)
			proto_post(in->p, PROTO_START, PR_NONE, NULL);
	}
	control_answer(r, CLI_UNDRAINED, "%s: the drain has ended", in->name);
}

void
drain_enabled(struct control *c, struct instance *in)
{
	if (!in->drain.done)
		return;
	drain_post_event(c, in, "ended");
	drain_forget(c, in);
	if (!in->deleting)
		proto_post_order(in->p, ORDER_UNDRAIN);
}

void
drain_closed(struct control *c, struct instance *in)
{
	if (!drain_runs(in))
		return;
	c->drains.cnt--;
	in->drain.done = true;
	in->drain.left = 0;
	if (!in->held)
		in->held = drain_now_s();
	if (in->p)
		store_relaxed32(&in->p->orders.held, in->held);
	if (!in->message)
		drain_set(&in->message, drain_text(in));
	drain_publish(in);
	log_msg(LOG_C_INFO, "Protocol %s is drained", in->name);
	drain_post_event(c, in, "drained");
}

/* drain_finish - close the session of @in. */
static void
drain_finish(struct control *c, struct instance *in)
{
	bool was_down = in->down;

	in->down = true;
	drain_set(&in->message, drain_text(in));
	drain_closed(c, in);
	if (!was_down && !in->deleting)
		proto_post(in->p, PROTO_STOP, PR_CMD_DISABLE, in->message);
	control_state_note(c, in);
}

/* ---- looks at the tables ---- */

/* drain_of - the draining instance that the path @p of @t is of; NULL: none. @memo: the
 * last origin and its instance. */
static struct instance *
drain_of(struct control *c, const struct table *t, const struct path *p,
    struct drain_memo *memo)
{
	const struct origin *o = path_origin_of(t, p);
	struct instance *in;

	if (o && o->root)
		o = o->root;
	if (!o || o == memo->origin)
		return o ? memo->in : NULL;
	in = instance_find(c, o->name);
	memo->origin = o;
	memo->in = in && drain_runs(in) ? in : NULL;
	return memo->in;
}

/* drain_count_net - count @n if the net is left (I1). */
static void
drain_count_net(struct control *c, const struct table *t, const struct net *n,
    struct drain_memo *memo)
{
	const struct path *best = net_best(n), *p;
	struct instance *in = best ? drain_of(c, t, best, memo) : NULL;

	if (!in)
		return;
	for (p = net_first(n); p; p = path_next(p))
		if (!path_filtered(p) && path_live(t, p) && !drain_of(c, t, p, memo)) {
			in->drain.counted++;
			return;
		}
}

/* drain_table - the table that the look visits; NULL: the look has visited all. */
static const struct table_slot *
drain_table(const struct control *c)
{
	uint32_t nr = 0;
	struct list *n;

	list_for_each (n, &c->tables)
		if (nr++ == c->drains.table_nr)
			return container_of(n, struct table_slot, link);
	return NULL;
}

/* drain_looked - a look has ended: the numbers of @in. */
static void
drain_looked(struct control *c, struct instance *in)
{
	uint64_t now_ns = loop_now_ns(&c->worker);
	const struct proto_status *st = in->p ? proto_status_get(in->p) : NULL;
	bool news = in->drain.left != in->drain.counted;

	in->drain.left = in->drain.counted;
	if (news)
		drain_publish(in);
	if (in->drain.left)
		in->drain.clean_ns = 0;
	else if (!in->drain.clean_ns)
		in->drain.clean_ns = now_ns;
	if (!in->deleting && st && proto_caught_up(in->p) && st->disabled)
		in->down = true; /* a limit or an error has disabled the instance */
	if (in->down || drain_now_s() >= in->drain.until_s ||
	    (in->drain.clean_ns && now_ns - in->drain.clean_ns >= DRAIN_SETTLE_NS))
		drain_finish(c, in);
}

static void
drain_look_end(struct control *c)
{
	struct list *n;

	c->drains.looks = false;
	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (drain_runs(in))
			drain_looked(c, in);
	}
	control_state_save(c, NULL);
	if (c->drains.cnt)
		timer_set(&c->drains.timer, loop_now_ns(&c->worker) + DRAIN_LOOK_NS);
}

void
drain_run(struct control *c)
{
	const struct table_slot *ts;
	struct drain_memo memo = { NULL, NULL };
	uint32_t end;

	if (!c->drains.looks || c->end.shut)
		return;
	ts = drain_table(c);
	if (!ts) {
		drain_look_end(c);
		return;
	}
	end = ts->rpki ? 0 : table_id_limit(ts->t);
	end = (uint32_t)min_u64(end, (uint64_t)c->drains.pos + DRAIN_STEP);
	for (; c->drains.pos < end; c->drains.pos++) {
		const struct net *n = table_net_at(ts->t, c->drains.pos);

		if (n)
			drain_count_net(c, ts->t, n, &memo);
	}
	if (ts->rpki || c->drains.pos >= table_id_limit(ts->t)) {
		c->drains.table_nr++;
		c->drains.pos = 0;
	}
	worker_again(&c->worker);
}

static void
drain_look(struct timer *tm)
{
	struct control *c = container_of(tm, struct control, drains.timer);
	struct list *n;

	list_for_each (n, &c->instances)
		container_of(n, struct instance, link)->drain.counted = 0;
	c->drains.looks = true;
	c->drains.table_nr = c->drains.pos = 0;
	worker_again(&c->worker);
}

void
drain_init(struct control *c)
{
	timer_init(&c->drains.timer, &c->worker, drain_look);
}

void
drain_plan(const struct control *c, const struct config *conf, struct control_req *r)
{
	char until[DRAIN_TIME_MAX];
	struct list *n;

	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, struct instance, link);

		if (!in->drain.since_s ||
		    (!config_find_proto(conf, in->name) &&
			(!in->host || !config_find_proto(conf, in->host->name))))
			continue;
		drain_time_text(until, in->drain.until_s);
		if (in->drain.done)
			control_answer(r, CLI_READING,
			    "protocol %s: drained, stays down until `undrain %s`",
			    in->name, in->name);
		else
			control_answer(r, CLI_READING,
			    "protocol %s: goes on draining, at most until %s", in->name,
			    until);
	}
}
