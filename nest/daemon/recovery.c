/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graceful restart of the daemon, in the control worker: the sessions that recovery waits
 * for after `-R` (nest/core/recovery.h), and a shutdown after which peers keep the
 * daemon's routes.
 *
 * I1  The daemon holds a family from before the first instance until recovery waits for
 *     no session in the family, or the time is over. A channel that learns of the end
 *     late looks again when the channel comes up.
 * I2  When the last session is through, its table has its routes. Pipes may have to bring
 *     the routes to further tables: before the family ends, the control worker asks the
 *     pipes as many times as a route may pass pipes (proto_ask: a pipe has read
 *     everything).
 * I3  A shutdown closes every session silently before the first route goes, so no peer
 *     gets a withdrawal. Then an ordinary shutdown follows.
 *
 * Loop: the control worker's. Tests: test/net/test_own_restart. */
#include "lib/base/list.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/daemon/control_priv.h"
#include "nest/daemon/recovery.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define ALL_FAMILIES ((1u << FAM_CNT) - 1)
#define BIT(f)       (1u << (f))
#define PIPES_MAX    4 /* pipes in a row */

static struct control *
recovery_control_of(struct tern *t)
{
	return container_of(t->control.worker, struct control, worker);
}

/* ---- asking many instances ---- */

struct question {
	struct proto_ack ack; /* first */
	struct control *c;
	uint32_t *out; /* counter of the round's questions under way */
	void (*all_back)(struct control *c);
};

static void
recovery_taken(TAKE struct proto_ack *a)
{
	struct question *q = container_of(a, struct question, ack);
	struct question done = *q;

	mem_free(MEM_CONFIG, q);
	if (!--*done.out)
		done.all_back(done.c);
}

/* recovery_ask - ask all instances of @kind to report when their commands are carried
 * out. @out: counts the questions. @all_back may be called at once. */
static void
recovery_ask(
    struct control *c, unsigned kind, uint32_t *out, void (*all_back)(struct control *c))
{
	struct list *n;

	*out = 1;
	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);
		struct question *q;

		if (!in->p || in->deleting || in->cf->kind != kind)
			continue;
		q = mem_zalloc(MEM_CONFIG, sizeof(*q));
		q->ack = (struct proto_ack){ .to = &c->worker, .taken = recovery_taken };
		q->c = c;
		q->out = out;
		q->all_back = all_back;
		++*out;
		proto_ask(in->p, &q->ack);
	}
	if (!--*out)
		all_back(c);
}

/* ---- coming back ---- */

static void
recovery_wake_all(struct control *c)
{
	struct list *n;

	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (in->p)
			proto_wake(in->p);
	}
}

/* recovery_end_families - peers of @fam have all routes. */
static void
recovery_end_families(struct control *c, uint32_t fam)
{
	struct recovery *r = &c->tern->recovery;
	uint32_t held = load_relaxed32(&r->held);

	if (!(held & fam))
		return;
	store_release32(&r->held, held & ~fam); /* pairs: RECOVERY */
	recovery_wake_all(c);
	if (held & ~fam)
		return;
	timer_cancel(&c->recovery.wait);
	counter64_set(&r->until_ns, 0);
	store_relaxed32(&r->left, 0);
	log_msg(LOG_C_INFO, "Graceful restart done");
}

static void recovery_settle(struct control *c);

/* recovery_settled - the pipes have passed on all routes. */
static void
recovery_settled(struct control *c)
{
	struct recovery_wait *rw = &c->recovery;

	if (c->end.stopping)
		return;
	if (++rw->round < rw->rounds) {
		recovery_ask(c, PROTO_PIPE, &rw->pipes_out, recovery_settled);
		return;
	}
	recovery_end_families(c, rw->settling);
	rw->settling = 0;
	recovery_settle(c);
}

static uint32_t
recovery_pipe_cnt(const struct control *c)
{
	const struct config *conf = c->conf->conf;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < conf->proto_cnt; i++)
		cnt += conf->proto[i]->kind == PROTO_PIPE;
	return cnt;
}

/* recovery_settle - handle the families without awaited sessions (I2). */
static void
recovery_settle(struct control *c)
{
	struct recovery_wait *rw = &c->recovery;
	uint32_t held = load_relaxed32(&c->tern->recovery.held);
	uint32_t pipes = recovery_pipe_cnt(c);

	if (rw->settling || rw->joining)
		return;
	for (unsigned f = 0; f < FAM_CNT; f++)
		if ((held & BIT(f)) && (!rw->waits[f] || !(rw->keeps & BIT(f))))
			rw->settling |= (uint8_t)BIT(f);
	if (!rw->settling)
		return;
	rw->round = 0;
	rw->rounds = pipes < PIPES_MAX ? pipes : PIPES_MAX;
	if (pipes) {
		recovery_ask(c, PROTO_PIPE, &rw->pipes_out, recovery_settled);
		return;
	}
	recovery_end_families(c, rw->settling);
	rw->settling = 0;
}

static void
recovery_count_left(struct control *c)
{
	uint32_t left = 0;

	for (unsigned f = 0; f < FAM_CNT; f++)
		left += c->recovery.waits[f];
	store_relaxed32(&c->tern->recovery.left, left);
}

uint8_t
recovery_join(struct tern *t, uint8_t waits, uint8_t keeps)
{
	struct control *c = recovery_control_of(t);

	waits &= (uint8_t)recovery_held(&t->recovery);
	for (unsigned f = 0; f < FAM_CNT; f++)
		c->recovery.waits[f] += (waits & BIT(f)) != 0;
	c->recovery.keeps |= keeps;
	recovery_count_left(c);
	return waits;
}

struct through_msg {
	struct msg msg;
	enum family f;
};

static void
daemon_recovery_through(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, worker);
	struct through_msg *th = container_of(m, struct through_msg, msg);

	c->recovery.waits[th->f]--;
	mem_free(MEM_PROTO, th);
	if (c->end.stopping)
		return;
	recovery_count_left(c);
	recovery_settle(c);
}

void
recovery_through(struct tern *t, enum family f)
{
	struct through_msg *th = mem_zalloc(MEM_PROTO, sizeof(*th));

	th->msg.handle = daemon_recovery_through;
	th->f = f;
	worker_post(t->control.worker, &th->msg);
}

static void
recovery_time_over(struct timer *tm)
{
	struct control *c = container_of(tm, struct control, recovery.wait);
	uint32_t left = load_relaxed32(&c->tern->recovery.left);

	log_msg(LOG_C_WARN,
	    "Graceful restart: the wait is over, but %u channel%s not recovered", left,
	    plural(left, " has", "s have"));
	recovery_end_families(c, ALL_FAMILIES);
}

void
recovery_begin(struct control *c)
{
	struct recovery *r = &c->tern->recovery;

	store_relaxed32(&r->restarted, 1);
	store_release32(&r->held, ALL_FAMILIES); /* pairs: RECOVERY */
	c->recovery.joining = true;
	log_msg(LOG_C_INFO, "Graceful restart started");
}

void
recovery_joined(struct control *c)
{
	struct recovery *r = &c->tern->recovery;
	uint32_t wait_s = c->conf->conf->gr_wait_s;
	uint64_t until = loop_now_ns(&c->worker) + wait_s * NS_PER_S;

	c->recovery.joining = false;
	store_relaxed32(&r->wait_s, wait_s);
	counter64_set(&r->until_ns, until);
	timer_set(&c->recovery.wait, until);
	recovery_settle(c);
}

/* ---- going ---- */

static void
recovery_all_closed(struct control *c)
{
	control_shut_down(c, NULL);
}

uint32_t
recovery_report(struct control *c, struct control_req *r)
{
	uint32_t cnt = 0;
	struct list *n;

	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);
		const char *why = NULL;

		if (in->p && !in->deleting && in->p->cls->plan.forgets)
			why = in->p->cls->plan.forgets(in->p);
		if (!why)
			continue;
		control_answer(r, CLI_READING, "%s keeps no routes: %s", in->name, why);
		cnt++;
	}
	return cnt;
}

void
recovery_leave(struct control *c)
{
	struct list *n;

	c->end.stopping = true;
	store_relaxed32(&c->tern->recovery.leaves, 1);
	log_msg(LOG_C_INFO, "Shutting down for graceful restart");
	timer_cancel(&c->recovery.wait);
	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (in->p && !in->deleting && in->cf->kind == PROTO_BGP)
			proto_post(in->p, PROTO_STOP, PR_CMD_GRACEFUL, NULL);
	}
	recovery_ask(c, PROTO_BGP, &c->recovery.sessions_out, recovery_all_closed);
}

void
recovery_init(struct control *c)
{
	timer_init(&c->recovery.wait, &c->worker, recovery_time_over);
}
