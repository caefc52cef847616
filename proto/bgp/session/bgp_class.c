/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP as a protocol class: the commands of the control worker to an instance, and the
 * instance's end.
 *
 * Deleting: refuse the peer (session_stop, bgp_listen_leave) -> channels detached, the
 * listener has answered, last words are sent -> session_finish_if_free -> proto_gone ->
 * a grace period -> class_free.
 *
 * Loops: class_make runs in the control worker, class_free in liburcu's thread, the
 * other functions in the instance's worker. Tested by test/unit/test_bgp_session.c. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/channel_hops.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/source.h"
#include "proto/bgp/bgp.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_decide.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/session_class.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/session/bgp_restart.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_ao.h"
#include <bsd/string.h>
#include <stdio.h>

static struct bgp_session *
bgp_class_session_of(struct proto *p)
{
	return container_of(p, struct bgp_session, p);
}

/* class_resolve_hops - look up the next hops of @ch. */
static void
class_resolve_hops(
    const struct bgp_session *s, struct channel *ch, const struct conf_channel *c)
{
	struct table *igp[FAM_CNT] = { NULL };

	for (int f = 0; f < FAM_CNT; f++) {
		const struct conf_table *t = bgp_conf_igp(c, f);

		if (t)
			igp[f] = tern_table_of(s->p.tern, t->name);
	}
	channel_hops_new(ch, igp);
}

static void
bgp_class_igp_changed(struct worker *w)
{
	struct bgp_session *s = container_of(w, struct bgp_session, p.worker);

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f] && channel_hops_any(s->chan[f]))
			channel_hops_changed(s->chan[f]);
}

static void
bgp_class_igp_gone(struct worker *w)
{
	struct bgp_session *s = container_of(w, struct bgp_session, p.worker);

	s->admin.attached--;
	session_soon(s);
}

/* class_watch_igp - of channels whose next hops are looked up. */
static void
class_watch_igp(struct bgp_session *s)
{
	static const struct igp_watch_ops ops = { .changed = bgp_class_igp_changed,
		.gone = bgp_class_igp_gone };

	for (unsigned i = 0; i < FAM_CNT * FAM_CNT; i++) {
		struct channel *ch = s->chan[i / FAM_CNT];
		enum family f = i % FAM_CNT;
		struct table *igp = ch ? channel_hops_table(ch, f) : NULL;
		struct igp_watch **x = &s->igp[i / FAM_CNT][f];

		if (!igp)
			continue;
		*x = igp_watch_new(s->p.tern, igp, &s->p.worker, &ops);
		channel_hops_watch(ch, f, *x);
		s->admin.attached++;
	}
}

static void
class_unwatch_igp(struct bgp_session *s, unsigned chan)
{
	for (int f = 0; f < FAM_CNT; f++) {
		if (!s->igp[chan][f])
			continue;
		channel_hops_watch(s->chan[chan], f, NULL);
		igp_watch_delete(s->igp[chan][f]);
	}
}

/* class_make_channels - the last one first: each new channel goes to the head of
 * p->channels.
 */
static void
class_make_channels(struct bgp_session *s, const struct conf_proto *cf)
{
	for (int f = FAM_CNT - 1; f >= 0; f--)
		for (const struct conf_channel *c = cf->chan; c; c = c->next) {
			if (c->is_rpki || c->family != f || s->chan[f])
				continue;
			bgp_sink_init(&s->sink[f], &bgp_session_out,
			    bgp_channel_conf_of(c)->add_paths & BGP_ADDPATH_TX);
			if (mon_keeps_out(c))
				bgp_sink_keep_table(&s->sink[f], s->p.tern);
			s->chan[f] = channel_new(
			    &s->p, c, &bgp_channel_ops, &s->sink[f].sink);
			if (bgp_conf_looks_up(c))
				class_resolve_hops(s, s->chan[f], c);
			channel_keep_pre(s->chan[f], mon_keeps_pre(c));
			channel_count_filtered(
			    s->chan[f], bgp_channel_conf_of(c)->import_table);
			if (bgp_channel_conf_of(c)->secondary)
				channel_secondary(s->chan[f]);
			s->admin.attached++;
			if (c->monitored.offer)
				bgp_offer_new(s, (unsigned)f,
				    bgp_channel_conf_of(c)->add_paths & BGP_ADDPATH_TX);
		}
}

static void
class_make(struct proto *p, const struct conf_proto *cf)
{
	struct bgp_session *s = bgp_class_session_of(p);

	s->p.cf = cf;
	/* by now: `configure` may ask the session for an export table */
	(void)class_registry_announces(p->tern->session_classes, p->tern->store);
	s->enlisted.listener = bgp_listener_get(p->tern);
	s->enlisted.order = bgp_listener_order(s->enlisted.listener);
	class_make_channels(s, cf);
	recover_join(s, cf);
}

static void
class_start(struct proto *p)
{
	struct bgp_session *s = bgp_class_session_of(p);

	session_init(s);
	class_watch_igp(s);
	neigh_look(s);
	session_publish(s);
}

static void
class_ifaces(struct proto *p)
{
	neigh_look(bgp_class_session_of(p));
	session_bfd(bgp_class_session_of(p));
}

static void
class_bfd(struct proto *p)
{
	session_bfd_look(bgp_class_session_of(p));
}

static void
class_monitors(struct proto *p)
{
	struct bgp_session *s = bgp_class_session_of(p);

	if (s->est)
		mon_look(s->est, false);
}

/* class_cease_of - RFC 4486, 4. */
static unsigned
class_cease_of(enum proto_reason r)
{
	switch (r) {
	case PR_CMD_RESTART:
		return BGP_EC_ADMIN_RESET;
	case PR_CONF_CHANGE:
		return BGP_EC_CONFIG_CHANGE;
	case PR_CONF_REMOVED:
		return BGP_EC_DECONFIGURED;
	case PR_LIMIT_RESTART:
	case PR_LIMIT_DISABLE:
		return BGP_EC_PREFIX_LIMIT;
	case PR_SLOW:
		return BGP_EC_RESOURCES;
	default:
		return BGP_EC_ADMIN_SHUTDOWN;
	}
}

static void
class_set_message(struct bgp_session *s, const char *text)
{
	strlcpy(s->last.message, text ? text : "", sizeof(s->last.message));
}

static bool
class_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct bgp_session *s = bgp_class_session_of(p);

	class_set_message(s, cmd->message); /* before bgp_downs_add records the message */
	session_stop(s, class_cease_of(cmd->reason), cmd->message);
	if (!proto_life_wanted(p)) {
		recover_end(s);
		bgp_listen_leave(s);
	}
	return true;
}

static void
class_up(struct proto *p)
{
	struct bgp_session *s = bgp_class_session_of(p);

	class_set_message(s, NULL);
	session_note(s, BGP_ERR_NONE, ""); /* why it was down is of no concern any more */
	session_start(s);
}

/* bgp_class_reload - @ask: `reload bgp`. */
static void
bgp_class_reload(struct bgp_session *s, bool in, bool out, bool ask)
{
	for (unsigned f = 0; f < FAM_CNT; f++) {
		struct channel *ch = s->chan[f];

		if (ch && in && !ask && channel_is_away(ch) && channel_keeps(ch))
			channel_reload_in(ch);
		if (!ch || !channel_is_up(ch))
			continue;
		if (in && !(ask ? channel_refresh_in(ch) : channel_reload_in(ch)))
			proto_log(&s->p, LOG_C_WARN,
			    "Can't reload %s: the peer has no route refresh%s",
			    channel_name(ch),
			    ask ? "" : " and routes before policy aren't kept");
		if (out)
			channel_refresh_out(ch);
	}
}

/* bgp_class_reconf - what needs a restart doesn't come here: the instance is deleted and
 * made anew then. */
static void
bgp_class_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct bgp_session *s = bgp_class_session_of(p);
	struct sock_ao old = session_conf(s)->auth.ao;
	uint32_t change[FAM_CNT];
	bool again = false, agreed;

	for (unsigned f = 0; f < FAM_CNT; f++)
		change[f] = s->chan[f] ? channel_change(s->chan[f], cmd) : 0;
	proto_adopt_conf(&s->p, cmd);
	keys_changed(s, &old);
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f]) {
			bgp_chan_class(s, (enum family)f);
			if (!channel_reconf(s->chan[f], change[f], cmd->soft))
				again = true;
			mon_reconf(s, f);
		}
	agreed = conn_retime(&s->conn[BGP_OUT]) && conn_retime(&s->conn[BGP_IN]);
	if (!agreed || (again && s->est)) {
		proto_log(&s->p, LOG_C_INFO, "Restarting: %s",
		    agreed ? "the import filter changed and the peer has no route refresh"
			   : "the timers changed");
		session_stop(s, BGP_EC_CONFIG_CHANGE, NULL);
		session_start(s);
	}
	if (!s->p.cf->disabled && s->p.cf->revive_after_limit)
		s->settle
		    .stop_disable = false; /* of a limit that is still to be acted on */
	neigh_look(s); /* `check link` */
	unsent_look(s);
	session_publish(s);
	session_bfd(s);
}

static void
class_leave(struct proto *p)
{
	struct bgp_session *s = bgp_class_session_of(p);

	restart_end(s);
	recover_end(s);
	bgp_listen_leave(s);
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f]) {
			class_unwatch_igp(s, f);
			channel_detach(s->chan[f]);
		}
	session_publish(s);
	session_soon(s);
}

static void
class_publish(struct proto *p)
{
	session_publish(bgp_class_session_of(p));
	session_bfd(bgp_class_session_of(p));
}

static bool
class_own(struct proto *p, struct proto_cmd *cmd)
{
	struct bgp_session *s = bgp_class_session_of(p);

	switch (cmd->kind) {
	case PROTO_STOP:
		if (cmd->reason != PR_CMD_GRACEFUL)
			return false;
		recover_leave(s);
		break;
	case PROTO_RELOAD_IN:
	case PROTO_RELOAD_OUT:
	case PROTO_RELOAD:
		bgp_class_reload(s, cmd->kind != PROTO_RELOAD_OUT,
		    cmd->kind != PROTO_RELOAD_IN, cmd->reason == PR_CMD_REFRESH);
		break;
	case PROTO_FLUSH_STALE:
		restart_end(s);
		refreshes_flush(s);
		break;
	case PROTO_GUEST:
		session_accept(s, cmd->fd, cmd->local);
		cmd->fd = OS_FD_NONE;
		break;
	default:
		return false;
	}
	session_bfd(s);
	return true;
}

static void
class_free(struct proto *p)
{
	struct bgp_session *s = bgp_class_session_of(p);

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f]) {
			channel_free(s->chan[f]);
			bgp_sink_fini(&s->sink[f]);
			bgp_offer_free(s, f);
		}
	bgp_snap_free(s);
	bgp_downs_free(s);
	mem_free(MEM_PROTO, s->mon.last);
}

const struct proto_class bgp_proto_class = {
	.conf = &bgp_conf_class,
	.size = sizeof(struct bgp_session),
	.make = class_make,
	.start = class_start,
	.command = proto_life_command,
	.life = { .up = class_up,
	    .down = class_down,
	    .publish = class_publish,
	    .own = class_own,
	    .reconf = bgp_class_reconf,
	    .leave = class_leave },
	.free = class_free,
	.plan.concerned = neigh_concerned,
	.ifaces = class_ifaces,
	.monitors = class_monitors,
	.bfd = class_bfd,
	.plan.ends = bgp_ends,
	.plan.later = bgp_later,
	.plan.forgets = bgp_forgets,
	.health.trouble = bgp_trouble,
	.member.idle = bgp_idle,
	.member.describe = bgp_member,
	.member.losses = bgp_losses,
	.member.refuse_guest = bgp_listen_refuse,
	.show.all = bgp_reply,
	.show.channel = bgp_reply_channel,
	.order = { .kind = PATH_KIND_BGP,
	    .rank = bgp_decide_cmp,
	    .tied = bgp_decide_tied,
	    .select = bgp_decide_select,
	    .med = bgp_decide_med,
	    .lowest = bgp_decide_lowest,
	    .merges = bgp_decide_merges,
	    .lost = bgp_decide_lost },
};
