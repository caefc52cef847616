/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol instances: their worker, commands, published status.
 *
 * End of an instance: PROTO_DELETE -> the class brings everything down, detaches the
 * channels, calls proto_gone -> worker_stop -> a grace period -> gone(): nobody can hold
 * a pointer that was found in a cursor list any more -> the control worker takes it out of
 * the view -> a grace period -> proto_free: nobody can hold one from there -> cls->free. */
#include "nest/channel/proto.h"

#include "nest/channel/channel.h"
#include "nest/rib/table.h"
#include "nest/tern.h"
#include "sysdep/clock.h"

#include <stdio.h>

/* ---- the worker ---- */

static struct proto *
proto_of(struct worker *w)
{
	return container_of(w, struct proto, worker);
}

static void
start(struct worker *w)
{
	struct proto *p = proto_of(w);
	struct channel *ch = load_relaxed_ptr(&p->channels);

	p->first = ch;
	/* Not before this worker can be woken: a table's other readers do that as soon as they find it. */
	for (; ch; ch = channel_next(ch))
		channel_attach(ch);
	if (p->cls->start)
		p->cls->start(p);
}

/* after - the next channel in turn. */
static struct channel *
after(const struct proto *p, const struct channel *ch)
{
	struct channel *next = channel_next(ch);

	return next ? next : load_relaxed_ptr(&p->channels);
}

/* run - the channels of a session share its socket: while one has much to send, what it leaves to the others is often
 * nothing. So who came first though there was room comes last the next time. (Taking turns blindly isn't
 * enough: where each run with room is followed by one without, the same would always have it.) */
static void
run(struct worker *w)
{
	struct proto *p = proto_of(w);
	struct channel *ch = p->first, *end = ch, *served = NULL, *next;
	bool more = false;

	for (; ch && !p->stopped; ch = next == end ? NULL : next) {
		next = after(p, ch);
		channel_wake(ch);
		if (next != ch && !served && channel_has_room(ch))
			served = ch;
		more |= channel_export_run(ch);
		channel_listen(ch);
		channel_rest(ch);
	}
	if (served)
		p->first = after(p, served);
	if (more && !p->stopped)
		worker_again(w);
}

/* lent - the same for what has been published, in another thread. */
static bool
lent(struct worker *w)
{
	struct channel *ch = load_relaxed_ptr(&proto_of(w)->channels);
	bool left = false;

	for (; ch; ch = channel_next(ch)) {
		left |= channel_lent(ch);
		channel_listen(ch);
		channel_rest(ch);
	}
	return left;
}

static void
gone(struct worker *w)
{
	struct proto *p = proto_of(w);

	tern_proto_gone(p->tern, p);
}

static void
proto_free(struct rcu_node *n)
{
	struct proto *p = proto_of(container_of(n, struct worker, defer));
	struct tern *t = p->tern;
	char *name = (char *)(uintptr_t)p->name;

	mem_free(MEM_PROTO, load_relaxed_ptr(&p->status));
	config_ref_put(p->conf);
	p->cls->free(p);
	mem_free(MEM_PROTO, name);
	tern_worker_gone(t);
}

void
proto_unlisted(TAKE struct proto *p)
{
	rcu_free_later(&p->worker.defer, proto_free); /* its worker is done with it */
}

static const struct worker_ops proto_ops = {
	.start = start,
	.run = run,
	.lent = lent,
	.gone = gone,
};

void
proto_init(struct proto *p, const struct proto_class *cls, struct tern *t,
    TAKE struct config_ref *conf, const struct conf_proto *cf)
{
	struct proto_status *st = mem_zalloc(MEM_PROTO, sizeof(*st));

	p->cls = cls;
	p->tern = t;
	p->name = mem_strdup(MEM_PROTO, cf->name);
	p->conf = conf;
	p->cf = cf;
	store_relaxed32(&p->debug, cf->debug);
	store_release_ptr(&p->conf_pub, (void *)(uintptr_t)cf); /* pairs: PCONF */
	list_init(&p->link);
	st->state = PS_DOWN;
	st->since_ns = clock_now_ns();
	st->disabled = cf->disabled;
	store_release_ptr(&p->status, st); /* pairs: PSTATUS */
}

void
proto_launch(struct proto *p, enum worker_class c)
{
	tern_worker_start(p->tern);
	worker_start(&p->worker, &proto_ops, c, p->name);
}

/* ---- commands ---- */

static void
carry_out(TAKE struct proto_cmd *cmd)
{
	if (!cmd->proto->stopped)
		cmd->proto->cls->command(cmd->proto, cmd);
	store_release32(&cmd->proto->handled, /* pairs: PHANDLED */
	    load_relaxed32(&cmd->proto->handled) + 1);
	if (cmd->conf)
		config_ref_put(cmd->conf);
	mem_free(MEM_PROTO, cmd->message);
	mem_free(MEM_PROTO, cmd);
}

/* handle_cmd - not before all channels are attached: one that is up reads the journal, whose writer must know of its
 * cursor. */
static void
handle_cmd(struct worker *w, TAKE struct msg *m)
{
	struct proto_cmd *cmd = container_of(m, struct proto_cmd, msg);
	struct proto *p = cmd->proto;

	(void)w;
	if (!p->attaching && !p->waiting) {
		carry_out(cmd);
		return;
	}
	if (!p->waiting)
		p->waiting_end = &p->waiting;
	*p->waiting_end = cmd;
	p->waiting_end = &cmd->next;
}

void
proto_attached(struct proto *p)
{
	struct proto_cmd *cmd;

	p->attaching--;
	while (!p->attaching && (cmd = p->waiting)) {
		p->waiting = cmd->next;
		carry_out(cmd);
	}
}

static struct proto_cmd *
cmd_new(struct proto *p, enum proto_cmd_kind kind)
{
	struct proto_cmd *cmd = mem_zalloc(MEM_PROTO, sizeof(*cmd));

	cmd->msg.handle = handle_cmd;
	cmd->proto = p;
	cmd->kind = kind;
	return cmd;
}

void
proto_post(struct proto *p, enum proto_cmd_kind kind, enum proto_reason reason,
    const char *message)
{
	struct proto_cmd *cmd = cmd_new(p, kind);

	cmd->reason = reason;
	cmd->message = message ? mem_strdup(MEM_PROTO, message) : NULL;
	p->posted++;
	worker_post(&p->worker, &cmd->msg);
}

void
proto_post_conf(struct proto *p, uint32_t change, bool soft, TAKE struct config_ref *conf,
    const struct conf_proto *cf)
{
	struct proto_cmd *cmd = cmd_new(p, PROTO_RECONF);

	cmd->change = change;
	cmd->soft = soft;
	cmd->conf = conf;
	cmd->cf = cf;
	p->posted++;
	worker_post(&p->worker, &cmd->msg);
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
	for (; ch; ch = channel_next(ch))
		for (const struct conf_channel *cf = p->cf->chan; cf; cf = cf->next)
			if (cf->kind == (unsigned)table_kind(channel_table(ch)))
				channel_adopt(ch, cf);
	config_ref_put(old);
}

static void
free_status(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct proto_status, rcu));
}

void
proto_publish(struct proto *p, enum proto_state state, bool disabled, const char *info,
    const char *message)
{
	struct proto_status *old = load_relaxed_ptr(&p->status);
	struct proto_status *st = mem_zalloc(MEM_PROTO, sizeof(*st));

	st->state = state;
	st->since_ns = state == old->state ? old->since_ns : clock_now_ns();
	st->disabled = disabled;
	snprintf(st->info, sizeof(st->info), "%s", info ? info : "");
	snprintf(st->message, sizeof(st->message), "%s", message ? message : "");
	store_release_ptr(&p->status, st); /* pairs: PSTATUS */
	rcu_free_later(&old->rcu, free_status);
}

static void
gone_later(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_PROTO, m);
	worker_stop(w);
}

void
proto_gone(struct proto *p)
{
	/* By a message of its own, behind all commands that are on their way already; the
	 * control worker sends none after PROTO_DELETE. */
	struct msg *m = mem_zalloc(MEM_PROTO, sizeof(*m));

	p->stopped = true;
	m->handle = gone_later;
	worker_post(&p->worker, m);
}

void
proto_log(const struct proto *p, enum log_class c, const char *fmt, ...)
{
	char text[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_msg(c, "%s: %s", p->name, text);
}
