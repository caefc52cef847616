/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol instances: their beginning, commands, published status. Loop: the control
 * worker makes the instance and posts commands; the instance's worker runs the
 * commands. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"

#include <bsd/string.h>

struct proto *
proto_make(const struct proto_class *cls, struct tern *t, const struct conf_proto *cf)
{
	struct proto *p = mem_aligned(MEM_PROTO, CACHE_LINE, cls->size);

	memset(p, 0, cls->size);
	p->cls = cls;
	p->tern = t;
	if (cls->make)
		cls->make(p, cf);
	return p;
}

void
proto_drop(TAKE struct proto *p)
{
	if (p->cls->free)
		p->cls->free(p);
	mem_free(MEM_PROTO, p);
}

void
proto_init(struct proto *p, const struct proto_class *cls, struct tern *t,
    TAKE struct config_ref *conf, const struct conf_proto *cf)
{
	struct proto_status *st = mem_zalloc(MEM_PROTO, sizeof(*st));

	p->cls = cls;
	p->tern = t;
	p->name = mem_strdup(MEM_PROTO, cf->name);
	p->life.stays_down = t->dry_run && cls->outward;
	p->conf = conf;
	p->cf = cf;
	p->life.disabled = cf->disabled;
	store_relaxed32(&p->debug, cf->debug);
	store_relaxed32(&p->mrtdump, cf->mrtdump);
	store_release_ptr(&p->conf_pub, (void *)(uintptr_t)cf); /* pairs: PCONF */
	list_init(&p->link);
	p->changes = proto_changes_new(p);
	st->state = PS_DOWN;
	st->since_ns = clock_now_ns();
	st->disabled = cf->disabled;
	st->by_limit = st->disabled && p->limited.disabled;
	store_release_ptr(&p->status, st); /* pairs: PSTATUS */
}

/* ---- commands ---- */

/* proto_bump_handled - for proto_caught_up. */
static void
proto_bump_handled(struct proto *p)
{
	if (!((const struct proto_status *)load_relaxed_ptr(&p->status))->disabled)
		p->limited.disabled = false;
	store_release32(&p->cmd.handled, /* pairs: PHANDLED */
	    load_relaxed32(&p->cmd.handled) + 1);
}

/* proto_note_reload - for the list of changes: routes of an up session pass the policy
 * again. */
static void
proto_note_reload(const struct proto *p, const struct proto_cmd *cmd)
{
	unsigned what = 0;

	switch (cmd->kind) {
	case PROTO_RELOAD_IN:
		what = CHANGE_IMPORT;
		break;
	case PROTO_RELOAD_OUT:
		what = CHANGE_EXPORT;
		break;
	case PROTO_RELOAD:
		what = CHANGE_IMPORT | CHANGE_EXPORT;
		break;
	case PROTO_RECONF:
		if (!cmd->soft && cmd->change & CONF_CH_IMPORT)
			what |= CHANGE_IMPORT | CHANGE_CONFIGURE;
		if (!cmd->soft && cmd->change & CONF_CH_EXPORT)
			what |= CHANGE_EXPORT | CHANGE_CONFIGURE;
		break;
	default:
		break;
	}
	if (!what || proto_status_get(p)->state != PS_UP)
		return;
	if (cmd->pick)
		what |= CHANGE_PARTIAL;
	if (cmd->reason == PR_CMD_REFRESH)
		what |= CHANGE_REFRESH;
	proto_changes_reload(p->changes, what);
}

static void
instance_proto_carry_out(TAKE struct proto_cmd *cmd)
{
	struct proto *p = cmd->proto;

	if (cmd->ack) {
		/* first: the receiver of the answer may send the next command, which
		 * reads it */
		proto_bump_handled(p);
		proto_acknowledge(p, cmd->ack);
	} else {
		if (!p->end.stopped && !cmd->order)
			proto_note_reload(p, cmd);
		if (!p->end.stopped && cmd->pick) {
			proto_part(p, cmd);
		} else if (!p->end.stopped && cmd->order) {
			proto_orders_carry_out(p, cmd);
		} else if (!p->end.stopped) {
			p->life.restarts |= cmd->kind == PROTO_RESTART;
			p->cls->command(p, cmd);
		}
		proto_bump_handled(p);
	}
	if (cmd->conf)
		config_ref_put(cmd->conf);
	if (os_fd_is_open(cmd->fd))
		p->cls->member.refuse_guest(cmd->fd, p->tern);
	overrides_unref(cmd->overrides);
	net_pick_unref(cmd->pick);
	mem_free(MEM_PROTO, cmd->message);
	mem_free(MEM_PROTO, cmd);
}

/* proto_handle_cmd - commands wait until all channels are attached: an up channel reads
 * the journal, whose writer must know the channel's cursor. */
static void
proto_handle_cmd(struct worker *w, TAKE struct msg *m)
{
	struct proto_cmd *cmd = container_of(m, struct proto_cmd, msg);
	struct proto *p = cmd->proto;

	(void)w;
	if (!p->attach.attaching && !p->cmd.waiting) {
		instance_proto_carry_out(cmd);
		return;
	}
	if (!p->cmd.waiting)
		p->cmd.waiting_end = &p->cmd.waiting;
	*p->cmd.waiting_end = cmd;
	p->cmd.waiting_end = &cmd->next;
}

void
proto_carry_out(struct proto *p)
{
	struct proto_cmd *cmd;

	while (!p->attach.attaching && (cmd = p->cmd.waiting)) {
		p->cmd.waiting = cmd->next;
		instance_proto_carry_out(cmd);
	}
}

static struct proto_cmd *
proto_cmd_new(struct proto *p)
{
	struct proto_cmd *cmd = mem_zalloc(MEM_PROTO, sizeof(*cmd));

	cmd->msg.handle = proto_handle_cmd;
	cmd->proto = p;
	cmd->fd = OS_FD_NONE;
	return cmd;
}

static void
instance_proto_post(struct proto *p, TAKE struct proto_cmd *cmd)
{
	p->cmd.posted++;
	worker_post(&p->worker, &cmd->msg);
}

void
proto_post(struct proto *p, enum proto_cmd_kind kind, enum proto_reason reason,
    const char *message)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	if (p->life.stays_down && (kind == PROTO_START || kind == PROTO_RESTART))
		kind = PROTO_STOP;
	cmd->kind = kind;
	cmd->reason = reason;
	cmd->message = message ? mem_strdup(MEM_PROTO, message) : NULL;
	instance_proto_post(p, cmd);
}

void
proto_post_order(struct proto *p, enum proto_order order)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->order = order;
	instance_proto_post(p, cmd);
}

void
proto_post_overrides(struct proto *p, TAKE struct overrides *s)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->order = ORDER_OVERRIDES;
	cmd->overrides = s;
	instance_proto_post(p, cmd);
}

void
proto_post_part(struct proto *p, enum proto_cmd_kind kind, struct net_pick *pick)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->kind = kind;
	cmd->pick = net_pick_ref(pick);
	instance_proto_post(p, cmd);
}

void
proto_post_end(struct proto *p, enum proto_reason reason, TAKE struct config_ref *conf)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->kind = PROTO_DELETE;
	cmd->reason = reason;
	cmd->conf = conf;
	instance_proto_post(p, cmd);
}

void
proto_post_conf(struct proto *p, uint32_t change, bool soft, bool hold,
    TAKE struct config_ref *conf, const struct conf_proto *cf)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->kind = PROTO_RECONF;
	cmd->change = change;
	cmd->soft = soft;
	cmd->hold = hold;
	cmd->conf = conf;
	cmd->cf = cf;
	instance_proto_post(p, cmd);
}

void
proto_post_guest(struct proto *p, TAKE struct os_fd fd, struct ip_addr local)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->kind = PROTO_GUEST;
	cmd->fd = fd;
	cmd->local = local;
	instance_proto_post(p, cmd);
}

void
proto_ask(struct proto *p, TAKE struct proto_ack *a)
{
	struct proto_cmd *cmd = proto_cmd_new(p);

	cmd->ack = a;
	instance_proto_post(p, cmd);
}

static void
proto_free_status(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct proto_status, rcu));
}

void
proto_publish(struct proto *p, enum proto_state state, bool disabled, const char *info,
    const char *message)
{
	struct proto_status *old = load_relaxed_ptr(&p->status);
	struct proto_status *st = mem_zalloc(MEM_PROTO, sizeof(*st));
	bool turns = (state == PS_UP) != (old->state == PS_UP);

	st->state = state;
	st->since_ns = state == old->state && !p->life.restarts ? old->since_ns
								: clock_now_ns();
	p->life.restarts = false;
	st->disabled = disabled;
	st->by_limit = disabled && p->limited.disabled;
	st->cant_reload = p->refuses.reload;
	st->cant_refresh = p->refuses.refresh;
	strlcpy(st->info, info ? info : "", sizeof(st->info));
	strlcpy(st->message, message ? message : "", sizeof(st->message));
	store_release_ptr(&p->status, st); /* pairs: PSTATUS */
	if (turns)
		proto_post_state(p, old->since_ns);
	rcu_free_later(&old->rcu, proto_free_status);
}

static void
proto_gone_later(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_PROTO, m);
	worker_stop(w);
}

void
proto_gone(struct proto *p)
{
	/* A separate message, after all commands under way; the control worker sends none
	 * after PROTO_DELETE. */
	struct msg *m = mem_zalloc(MEM_PROTO, sizeof(*m));

	p->end.stopped = true;
	proto_settled(p);
	store_release32(&p->end.published, 1); /* pairs: PENDED */
	m->handle = proto_gone_later;
	worker_post(&p->worker, m);
}
