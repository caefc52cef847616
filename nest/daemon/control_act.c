/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands about instances: enable, disable, restart, reload, debug.
 *
 * I1  A restarting instance is a target of every command, although the instance accepts
 *     no command: the statement is kept for its successor (struct instance) and applied
 *     when the successor is launched.
 *
 * Loop: the control worker's. Tested by test/net/test_day.py and
 * test/net/test_hold.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/list.h"
#include "lib/base/scan.h"
#include "lib/base/spell.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/control.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

static bool
control_act_matches(const struct control_req *r, const char *name)
{
	return !strcmp(r->pattern, "all") || scan_glob(r->pattern, name);
}

/* control_act_keep_message - @in restarts, or is disabled: keep the statement for the
 * next instance. */
static void
control_act_keep_message(const struct control_req *r, struct instance *in)
{
	mem_free(MEM_CONFIG, in->message);
	in->message = r->kind == CTL_DISABLE && r->message
			  ? mem_strdup(MEM_CONFIG, r->message)
			  : NULL;
}

/* act_hold_one - keep @in disabled under every configuration, until enabled by an
 * operator. */
static void
act_hold_one(const struct control_req *r, struct instance *in)
{
	bool enable = r->kind == CTL_ENABLE, news = enable == in->down;

	if (enable)
		in->held = 0;
	else if (r->hold && !in->held)
		in->held = (uint32_t)(clock_real_ns(clock_now_ns()) / NS_PER_S);
	in->limited = in->limited && !enable;
	if (in->p)
		store_relaxed32(&in->p->orders.held, in->held);
	if (enable || (in->held && (news || r->message)) || (news && in->deleting))
		control_act_keep_message(r, in);
}

static void
act_switch_one(struct control *c, struct control_req *r, struct instance *in)
{
	bool enable = r->kind == CTL_ENABLE;

	if (enable && in->down)
		drain_enabled(c, in);
	act_hold_one(r, in);
	if (enable != in->down) {
		control_answer(r, enable ? CLI_WAS_ENABLED : CLI_WAS_DISABLED,
		    "%s: already %s", in->name, enable ? "enabled" : "disabled");
		return;
	}
	in->down = !enable;
	log_msg(
	    LOG_C_INFO, "%s protocol %s", enable ? "Enabling" : "Disabling", in->name);
	if (!in->deleting)
		proto_post(
		    in->p, enable ? PROTO_START : PROTO_STOP, PR_CMD_DISABLE, r->message);
	if (!enable)
		drain_closed(c, in);
	control_answer(r, enable ? CLI_ENABLED : CLI_DISABLED, "%s: %s", in->name,
	    enable ? "enabled" : "disabled");
}

/* act_set_channel_debug - the successor of a restarting instance uses the configured
 * mask. Returns: false: no such channel. */
static bool
act_set_channel_debug(const struct control_req *r, struct instance *in)
{
	struct channel *ch;

	if (in->deleting)
		return true;
	ch = load_acquire_ptr(&in->p->channels); /* pairs: PCHAN */
	while (ch && strcmp(channel_name(ch), r->channel) != 0)
		ch = channel_next(ch);
	if (ch)
		channel_debug(ch, r->debug);
	return ch != NULL;
}

static void
act_no_channel(struct control_req *r, const struct instance *in)
{
	struct spell sp;

	spell_init(&sp, r->channel);
	for (struct channel *ch = load_acquire_ptr(&in->p->channels);
	     ch; /* pairs: PCHAN */
	     ch = channel_next(ch))
		spell_add(&sp, channel_name(ch));
	if (sp.best)
		control_answer(r, CLI_BAD_COMMAND,
		    "no channel '%s.%s'; did you mean '%s.%s'?", in->name, r->channel,
		    in->name, sp.best);
	else
		control_answer(
		    r, CLI_BAD_COMMAND, "no channel '%s.%s'", in->name, r->channel);
}

/* act_warn_traces - an operator who requests traces expects them in the log. */
static void
act_warn_traces(struct control_req *r)
{
	if (r->kind == CTL_DEBUG && r->debug && !r->answer.cnt && !log_takes(LOG_C_TRACE))
		control_answer(r, CLI_READING,
		    "No log takes traces: add the class trace to a log of the "
		    "configuration, or say echo { trace }");
}

static void
act_set_debug(struct control_req *r, struct instance *in)
{
	bool mrt = r->kind == CTL_MRTDUMP;

	if (r->channel) {
		if (!act_set_channel_debug(r, in))
			act_no_channel(r, in);
	} else if (in->deleting) {
		*(mrt ? &in->mrtdump : &in->debug) = (struct debug_mask){ true,
			r->debug };
	} else {
		store_relaxed32(mrt ? &in->p->mrtdump : &in->p->debug, r->debug);
	}
}

/* act_can_part - true: the instance can bring chosen nets again. */
static bool
act_can_part(const struct proto *p)
{
	struct channel *ch;

	if (p->cls->part)
		return true;
	ch = load_acquire_ptr(&p->channels); /* pairs: PCHAN */
	while (ch && channel_keeps(ch))
		ch = channel_next(ch);
	return !ch;
}

static uint64_t
act_stale_cnt(const struct proto *p)
{
	uint64_t cnt = 0;

	for (struct channel *ch = load_acquire_ptr(&p->channels); ch; /* pairs: PCHAN */
	     ch = channel_next(ch))
		cnt += counter64_get(&channel_stats_get(ch)->in.stale);
	return cnt;
}

/* act_stale_names - names of the channels with stale routes that keep routes before
 * policy (@kept), or that do not. */
static void
act_stale_names(struct strbuf *b, const struct proto *p, bool kept)
{
	for (struct channel *ch = load_acquire_ptr(&p->channels); ch; /* pairs: PCHAN */
	     ch = channel_next(ch))
		if (counter64_get(&channel_stats_get(ch)->in.stale) &&
		    channel_keeps(ch) == kept)
			strbuf_addf(b, "%s%s", b->len ? ", " : "", channel_name(ch));
}

/* act_reload_stale - the peer of @in is away: kept stale routes pass the import filter
 * again; further stale routes cannot be sent again. Returns: true: kept stale routes
 * exist. */
static bool
act_reload_stale(struct control_req *r, struct instance *in)
{
	struct strbuf kept, lost;
	bool any;

	strbuf_init(&kept);
	strbuf_init(&lost);
	act_stale_names(&kept, in->p, true);
	act_stale_names(&lost, in->p, false);
	any = kept.len && !r->refresh && !(r->pick && lost.len);
	if (r->refresh)
		control_answer(r, CLI_NO_RELOAD,
		    "%s: reload failed: the neighbor is away and can't send its routes "
		    "again",
		    in->name);
	else if (lost.len)
		control_answer(r, any ? CLI_RELOADING : CLI_NO_RELOAD,
		    "%s: %s: the neighbor is away, and stale routes of %s aren't kept "
		    "before policy",
		    in->name, any ? "reloading in part" : "reload failed", lost.s);
	else
		control_answer(r, CLI_RELOADING, "%s: reloading stale routes", in->name);
	strbuf_fini(&kept);
	strbuf_fini(&lost);
	return any;
}

/* act_reload_one - an instance that is down has no routes, or stale routes. */
static void
act_reload_one(struct control_req *r, struct instance *in)
{
	static const enum proto_cmd_kind kind[] = {
		[CTL_RELOAD] = PROTO_RELOAD,
		[CTL_RELOAD_IN] = PROTO_RELOAD_IN,
		[CTL_RELOAD_OUT] = PROTO_RELOAD_OUT,
	};
	const struct proto_status *st;
	bool stale;

	if (in->deleting) { /* the restart brings all routes again */
		control_answer(r, CLI_RELOADING, "%s: reloading", in->name);
		return;
	}
	st = proto_caught_up(in->p) ? proto_status_get(in->p) : NULL;
	stale = st && st->state != PS_UP && r->kind != CTL_RELOAD_OUT &&
		act_stale_cnt(in->p);
	if (st && st->state != PS_UP && !in->p->cls->keeps_routes && !stale) {
		control_answer(r, CLI_WAS_DISABLED, "%s: is not UP", in->name);
		return;
	}
	if (stale && !act_reload_stale(r, in))
		return;
	if (st && !stale && r->kind != CTL_RELOAD_OUT &&
	    (r->pick         ? !act_can_part(in->p)
		: r->refresh ? st->cant_refresh
			     : st->cant_reload)) {
		control_answer(r, CLI_NO_RELOAD, "%s: reload failed", in->name);
		return;
	}
	log_msg(LOG_C_INFO, "Reloading protocol %s", in->name);
	if (r->pick)
		proto_post_part(in->p, kind[r->kind], r->pick);
	else
		proto_post(
		    in->p, kind[r->kind], r->refresh ? PR_CMD_REFRESH : PR_NONE, NULL);
	if (!stale)
		control_answer(r, CLI_RELOADING, "%s: reloading", in->name);
}

/* act_flush_stale - a restarting instance has no stale routes. */
static void
act_flush_stale(struct control_req *r, struct instance *in)
{
	uint64_t cnt = in->deleting ? 0 : act_stale_cnt(in->p);

	if (!cnt) {
		control_answer(r, CLI_NOTHING_TO_DO, "%s: no stale routes", in->name);
		return;
	}
	log_msg(LOG_C_INFO, "Flushing stale routes of protocol %s", in->name);
	proto_post(in->p, PROTO_FLUSH_STALE, PR_NONE, NULL);
	control_answer(r, CLI_FLUSHED, "%s: %llu stale routes flushed", in->name,
	    (unsigned long long)cnt);
}

static void
act_on(struct control *c, struct control_req *r, struct instance *in)
{
	/* A limit or an error may have disabled the instance. */
	if (!in->deleting && proto_caught_up(in->p) && proto_status_get(in->p)->disabled)
		in->down = true;
	if (r->kind == CTL_DEBUG || r->kind == CTL_MRTDUMP) {
		act_set_debug(r, in);
	} else if (r->kind == CTL_FLUSH_STALE) {
		act_flush_stale(r, in);
	} else if (r->kind == CTL_DRAIN) {
		drain_begin(c, r, in);
	} else if (r->kind == CTL_UNDRAIN) {
		drain_end(c, r, in);
	} else if (r->kind == CTL_RELEASE) {
		quarantine_release(c, r, in);
	} else if (r->kind == CTL_ENABLE || r->kind == CTL_DISABLE) {
		act_switch_one(c, r, in);
	} else if (in->down) {
		control_answer(r, CLI_WAS_DISABLED, "%s: already disabled", in->name);
	} else if (r->kind == CTL_RESTART) {
		log_msg(LOG_C_INFO, "Restarting protocol %s", in->name);
		if (!in->deleting) /* else already restarting */
			proto_post(in->p, PROTO_RESTART, PR_CMD_RESTART, r->message);
		control_answer(r, CLI_RESTARTED, "%s: restarted", in->name);
	} else {
		act_reload_one(r, in);
	}
}

void
control_act(struct control *c, TAKE struct control_req *r)
{
	struct list *n;
	bool any = false, waits = r->kind != CTL_DEBUG && r->kind != CTL_MRTDUMP;

	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		/* A restarting instance exists; an ending instance does not. */
		if (!control_act_matches(r, in->name) ||
		    (!config_find_proto(c->conf->conf, in->name) &&
			(!instance_listed(c, in) || in->leaves)))
			continue;
		if ((r->refresh || r->kind == CTL_FLUSH_STALE || r->kind == CTL_DRAIN ||
			r->kind == CTL_UNDRAIN || r->kind == CTL_RELEASE) &&
		    in->cf->kind != PROTO_BGP)
			continue;
		any = true;
		act_on(c, r, in);
		control_state_note(c, in);
		if (waits)
			control_wait_for(c, r, in);
	}
	control_state_save(c, r);
	if (any && (r->kind == CTL_RELOAD || r->kind == CTL_RELOAD_IN ||
		       r->kind == CTL_RELOAD_OUT))
		control_event_reload(c, r);
	if (any && waits)
		return;
	if (any)
		act_warn_traces(r);
	if (any &&
	    (!r->answer.cnt || r->answer.line[r->answer.cnt - 1].code == CLI_READING))
		control_answer(r, CLI_DONE, "%s", "");
	else if (!any)
		control_answer(r, CLI_NO_PROTO, "No protocols match");
	control_answered(r);
}

void
control_down(struct control *c, TAKE struct control_req *r)
{
	char *message = r->message;

	r->message = NULL;
	control_answer(r, CLI_SHUTDOWN, "Shutdown requested");
	control_answered(r);
	control_shut_down(c, message);
	mem_free(MEM_OTHER, message);
}
