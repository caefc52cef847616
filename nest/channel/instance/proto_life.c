/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of an instance, and the reload of its channels. Loop: the instance's. */
#include "nest/channel/instance/proto_life.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/table.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

#define LIFE_CHANNELS 8 /* of one instance */

void
proto_life_publish(struct proto *p)
{
	if (p->cls->life.publish)
		p->cls->life.publish(p);
	else
		proto_publish(p, proto_life_is_up(p) ? PS_UP : PS_DOWN, p->life.disabled,
		    "", p->life.message);
}

/* life_set_message - @text: copied; NULL: no text. */
static void
life_set_message(struct proto *p, const char *text)
{
	char *old = p->life.message;

	p->life.message = text ? mem_strdup(MEM_PROTO, text) : NULL;
	mem_free(MEM_PROTO, old);
}

static void
life_start(struct proto *p)
{
	p->life.state = LIFE_UP;
	p->life.disabled = false;
	life_set_message(p, NULL);
	p->cls->life.up(p);
	proto_life_publish(p);
}

/* life_go_on - the instance is down: the next state. */
static void
life_go_on(struct proto *p)
{
	p->life.state = LIFE_DOWN;
	proto_life_publish(p);
	if (p->life.next == LIFE_AGAIN)
		life_start(p);
	else if (p->life.next == LIFE_ENDS && p->cls->life.leave)
		p->cls->life.leave(p);
	else if (p->life.next == LIFE_ENDS)
		proto_detach(p);
	proto_settled(p);
}

/* life_close - go down, and then to @next. @text: for `Message:`; may be NULL. @cmd: the
 * command; NULL: none. */
static void
life_close(
    struct proto *p, enum life_next next, const char *text, const struct proto_cmd *cmd)
{
	bool closing = p->life.state == LIFE_CLOSING;

	if (closing && p->life.next == LIFE_ENDS) /* I3 */
		return;
	p->life.next = next;
	if (next != LIFE_ENDS) {
		p->life.disabled = next == LIFE_STAYS;
		life_set_message(p, text);
	}
	if (closing)
		return;
	if (p->life.state == LIFE_UP) {
		p->life.state = LIFE_CLOSING;
		if (!p->cls->life.down(p, cmd))
			return;
	}
	life_go_on(p);
}

void
proto_life_closed(struct proto *p)
{
	ASSERT(p->life.state == LIFE_CLOSING);
	life_go_on(p);
}

void
proto_life_restart(struct proto *p)
{
	life_close(p, LIFE_AGAIN, NULL, NULL);
}

void
proto_life_disable(struct proto *p)
{
	if (p->life.state != LIFE_UP)
		return;
	p->life.state = LIFE_DOWN;
	p->life.next = LIFE_STAYS;
	p->life.disabled = true;
}

/* ---- channels ---- */

void
proto_life_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	struct proto *p = channel_proto(ch);

	(void)k;
	(void)max;
	if ((a != LIMIT_RESTART && a != LIMIT_DISABLE) || p->life.state == LIFE_DOWN)
		return;
	p->limited.disabled = true;
	life_close(p, LIFE_STAYS, "Route limit exceeded", NULL);
}

void
proto_life_slow(struct channel *ch)
{
	struct proto *p = channel_proto(ch);

	if (p->life.state != LIFE_UP)
		return;
	proto_log(p, LOG_C_WARN, "Restarting: the protocol reads table %s too slowly",
	    table_name(channel_table(ch)));
	proto_life_restart(p);
}

bool
proto_life_adopt(struct proto *p, struct proto_cmd *cmd)
{
	struct channel *first = load_relaxed_ptr(&p->channels), *ch;
	uint32_t change[LIFE_CHANNELS], left;
	unsigned i = 0;
	bool ok = true;

	for (ch = first; ch; ch = channel_next(ch)) {
		ASSERT(i < LIFE_CHANNELS); /* a channel for each kind of table at most */
		change[i++] = channel_change(ch, cmd);
	}
	proto_adopt_conf(p, cmd);
	for (ch = first, i = 0; ch; ch = channel_next(ch), i++) {
		left = ch->ops->remakes ? change[i] & CONF_CH_IMPORT : 0;
		ok &= channel_reconf(ch, change[i] & ~left, cmd->soft);
		if (left && !cmd->soft && channel_is_up(ch))
			ch->ops->refresh(ch);
	}
	return ok;
}

/* life_reload - a class without `reload`. */
static void
life_reload(struct proto *p, bool in, bool out)
{
	struct channel *ch = load_relaxed_ptr(&p->channels);

	for (; ch; ch = channel_next(ch)) {
		if (in && ch->ops->remakes)
			ch->ops->refresh(ch);
		else if (in)
			channel_reload_in(ch);
		if (!out || !ch->sink)
			continue;
		channel_refresh_out(ch);
		worker_again(&p->worker);
	}
}

/* ---- commands ---- */

static void
life_command_reload(struct proto *p, bool in, bool out)
{
	if (!proto_life_is_up(p))
		return;
	if (p->cls->life.reload)
		p->cls->life.reload(p, in, out);
	else
		life_reload(p, in, out);
}

/* life_command_start - proto_life.h: the rows START and RECONF. */
static void
life_command_start(struct proto *p)
{
	if (p->life.state == LIFE_DOWN) {
		life_start(p);
	} else if (p->life.state == LIFE_CLOSING && p->life.next == LIFE_STAYS) {
		p->life.next = LIFE_AGAIN;
		p->life.disabled = false;
	}
}

static void
life_command_reconf(struct proto *p, struct proto_cmd *cmd)
{
	if (p->cls->life.reconf)
		p->cls->life.reconf(p, cmd);
	else
		proto_life_adopt(p, cmd);
	if (proto_revives(p, cmd))
		life_command_start(p);
}

void
proto_life_command(struct proto *p, struct proto_cmd *cmd)
{
	if (!proto_life_ends(p) && p->cls->life.own && p->cls->life.own(p, cmd))
		return;
	switch (cmd->kind) {
	case PROTO_START:
		life_command_start(p);
		break;
	case PROTO_STOP:
		life_close(p, LIFE_STAYS, cmd->message, cmd);
		break;
	case PROTO_RESTART:
		life_close(p, LIFE_AGAIN, NULL, cmd);
		break;
	case PROTO_RELOAD_IN:
	case PROTO_RELOAD_OUT:
	case PROTO_RELOAD:
		life_command_reload(
		    p, cmd->kind != PROTO_RELOAD_OUT, cmd->kind != PROTO_RELOAD_IN);
		break;
	case PROTO_RECONF:
		life_command_reconf(p, cmd);
		break;
	case PROTO_DELETE:
		life_close(p, LIFE_ENDS, NULL, cmd);
		break;
	case PROTO_FLUSH_STALE:
	case PROTO_GUEST:
		break;
	}
}
