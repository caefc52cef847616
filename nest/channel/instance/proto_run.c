/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker of an instance. Tested by test/unit/test_proto.c.
 *
 * End of an instance: PROTO_DELETE -> the class goes down, detaches the channels, calls
 * proto_gone -> worker_stop -> a grace period -> gone(): no thread holds a pointer found
 * in a cursor list -> the control worker removes the instance from the view -> a grace
 * period -> proto_free: no thread holds a pointer found in a view -> cls->free.
 *
 * Loop: the instance's; proto_launch and proto_unlisted in the control worker. */
#include "nest/channel/instance/proto_run.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

static struct proto *
proto_of_worker(struct worker *w)
{
	return container_of(w, struct proto, worker);
}

static void
proto_run_start(struct worker *w)
{
	struct proto *p = proto_of_worker(w);
	struct channel *ch = load_relaxed_ptr(&p->channels);

	p->first = ch;
	/* Only after the worker can be woken: other readers of the table wake it at
	 * once. */
	for (; ch; ch = channel_next(ch))
		channel_attach(ch);
	proto_changes_resume(p->changes);
	if (p->cls->start)
		p->cls->start(p);
}

/* run_look_at_ifaces - call cls->ifaces if the list of interfaces changed since the last
 * look. */
static void
run_look_at_ifaces(struct proto *p)
{
	uint32_t nr = load_acquire32(&p->tern->ifaces.nr); /* pairs: IFACENR */

	if (likely(nr == p->seen.ifaces))
		return;
	p->seen.ifaces = nr;
	if (p->cls->ifaces && !p->end.stopped)
		p->cls->ifaces(p);
}

/* run_look_at_monitors - call cls->monitors if the list of monitors changed. */
static void
run_look_at_monitors(struct proto *p)
{
	uint32_t nr = load_acquire32(&p->tern->monitors.nr); /* pairs: MONNR */

	if (likely(nr == p->seen.monitors))
		return;
	p->seen.monitors = nr;
	if (p->cls->monitors && !p->end.stopped)
		p->cls->monitors(p);
}

/* run_look_at_bfd - call cls->bfd if the list of BFD instances changed. */
static void
run_look_at_bfd(struct proto *p)
{
	uint32_t nr = load_acquire32(&p->tern->bfd.nr); /* pairs: BFDNR */

	if (likely(nr == p->seen.bfd))
		return;
	p->seen.bfd = nr;
	if (p->cls->bfd && !p->end.stopped)
		p->cls->bfd(p);
}

/* run_leave_if_detached - the last channel of an instance that ends is detached. */
static void
run_leave_if_detached(struct proto *p)
{
	if (!p->attach.leaves || p->attach.detaching)
		return;
	p->attach.leaves = false;
	if (p->cls->detached)
		p->cls->detached(p);
	else
		proto_gone(p);
}

/* proto_run_after - the next channel in turn. */
static struct channel *
proto_run_after(const struct proto *p, const struct channel *ch)
{
	struct channel *next = channel_next(ch);

	return next ? next : load_relaxed_ptr(&p->channels);
}

/* proto_run_round - a round. The channels of a session share its socket: a channel with
 * much to send often leaves no room. So the first channel that found room is served last
 * in the next round. (A blind rotation is not enough: if each round with room is followed
 * by a round without room, one channel would always get the room.) */
static void
proto_run_round(struct worker *w)
{
	struct proto *p = proto_of_worker(w);
	struct channel *ch = p->first, *end = ch, *served = NULL, *next;
	bool more = false;

	if (unlikely(p->cmd.waiting))
		proto_carry_out(p);
	run_leave_if_detached(p);
	run_look_at_ifaces(p);
	run_look_at_monitors(p);
	run_look_at_bfd(p);
	if (p->cls->run && !p->end.stopped)
		more = p->cls->run(p);
	for (; ch && !p->end.stopped; ch = next == end ? NULL : next) {
		next = proto_run_after(p, ch);
		channel_step(ch);
		if (next != ch && !served && channel_has_room(ch))
			served = ch;
		more |= channel_export_run(ch);
		channel_listen(ch);
		channel_work_put(ch);
	}
	if (served)
		p->first = proto_run_after(p, served);
	if (unlikely(p->cmd.acks))
		proto_settled(p);
	if (more && !p->end.stopped)
		worker_again(w);
}

/* proto_run_lent - a round in a lease: send published changes. */
static bool
proto_run_lent(struct worker *w)
{
	const struct proto *p = proto_of_worker(w);
	struct channel *ch = load_relaxed_ptr(&p->channels);
	/* work for the worker's own thread */
	bool left = p->cmd.acks || p->cls->run;

	for (; ch; ch = channel_next(ch)) {
		left |= channel_lent(ch);
		channel_listen(ch);
		channel_work_put(ch);
	}
	return left;
}

static void
proto_run_gone(struct worker *w)
{
	struct proto *p = proto_of_worker(w);

	tern_proto_gone(p->tern, p);
}

static void
proto_free(struct rcu_node *n)
{
	struct proto *p = proto_of_worker(container_of(n, struct worker, defer));
	struct tern *t = p->tern;
	char *name = (char *)(uintptr_t)p->name;

	mem_free(MEM_PROTO, load_relaxed_ptr(&p->status));
	mem_free(MEM_PROTO, p->life.message);
	mem_free(MEM_PROTO, load_relaxed_ptr(&p->orders.drain));
	overrides_unref(p->orders.overrides);
	config_ref_put(p->conf);
	if (!p->end.changes_moved)
		proto_changes_free(p->changes);
	p->changes = NULL;
	proto_drop(p);
	mem_free(MEM_PROTO, name);
	tern_worker_gone(t);
}

void
proto_unlisted(TAKE struct proto *p)
{
	/* the worker no longer uses the node */
	rcu_free_later(&p->worker.defer, proto_free);
}

/* ---- the end of an instance ---- */

void
proto_detach(struct proto *p)
{
	struct channel *first = load_relaxed_ptr(&p->channels), *ch;

	for (ch = first; ch; ch = channel_next(ch))
		p->attach.detaching++;
	for (ch = first; ch; ch = channel_next(ch))
		channel_detach(ch);
	p->attach.leaves = true;
	run_leave_if_detached(p);
}

/* ---- the worker ---- */

static const struct worker_ops proto_ops = {
	.start = proto_run_start,
	.run = proto_run_round,
	.lent = proto_run_lent,
	.gone = proto_run_gone,
};

void
proto_launch(struct proto *p, enum worker_class c)
{
	tern_worker_start(p->tern);
	worker_start(&p->worker, &proto_ops, c, p->name);
}

void
proto_adopt_conf(struct proto *p, struct proto_cmd *cmd)
{
	struct config_ref *old = p->conf;
	struct channel *ch = load_relaxed_ptr(&p->channels);

	p->conf = cmd->conf;
	p->cf = cmd->cf;
	cmd->conf = NULL;
	store_release_ptr(&p->conf_pub, (void *)(uintptr_t)p->cf); /* pairs: PCONF */
	for (; ch; ch = channel_next(ch)) {
		const struct conf_channel *cf = conf_channel_like(
		    p->cf, channel_conf(ch));

		if (cf)
			channel_adopt(ch, cf);
	}
	config_ref_put(old);
}
