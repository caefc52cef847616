/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol pipe: two channels, a channel for each table; each channel
 * feeds its exported routes to the opposite channel's table (pipe_sink.h).
 *
 * The instance is up as soon as the configuration allows, and both channels are up or
 * down together.
 *
 * Loop: the instance's. */
#include "proto/pipe/pipe.h"

#include "filter/filter.h"
#include "lib/attr/route.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reply.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "proto/pipe/pipe_sink.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

struct pipe_proto {
	struct proto p; /* first */
	struct channel *ch[PIPE_SIDES];
	struct pipe_sink sink[PIPE_SIDES]; /* for the channel of equal number */
	/* the side whose table was an overlay at the pipe's start
	 * (nest/rib/table/overlay.h); PIPE_SIDES: no side. Constant */
	enum pipe_side over_side;
	/* over_side, as long as the table is an overlay; other threads read */
	struct pub32 over;
	/* the overlay becomes an ordinary table and gets its routes */
	bool pours;
	uint32_t pour_nr; /* number of the last start or end of the transfer */
	uint64_t policy_ns; /* time since which the present policy applies ... */
	uint64_t soft_ns; /* ... except for policy changed softly at this time */
};

static struct pipe_proto *
pipe_of(const struct proto *p)
{
	return (struct pipe_proto *)(uintptr_t)p;
}

static void
pipe_publish(struct proto *p)
{
	const struct pipe_proto *s = pipe_of(p);
	char info[128];

	snprintf(info, sizeof(info), "%s <=> %s",
	    table_name(channel_table(s->ch[PIPE_MAIN])),
	    table_name(channel_table(s->ch[PIPE_PEER])));
	proto_publish(p, proto_life_is_up(p) ? PS_UP : PS_DOWN, p->life.disabled, info,
	    p->life.message);
}

static enum pipe_side
pipe_over_of(const struct pipe_proto *s)
{
	return (enum pipe_side)load_relaxed32(&s->over);
}

enum notice { NOTICE_DOWN, NOTICE_UP, NOTICE_POURED };

/* pipe_notify_overlay - publish, at the upper table, the overlay: the table below, the
 * pipe and the policy. NOTICE_DOWN: no overlay. */
static void
pipe_notify_overlay(struct pipe_proto *s, enum notice what)
{
	struct overlay *o = NULL;
	struct channel *ch;

	if (s->over_side == PIPE_SIDES ||
	    (what == NOTICE_UP && pipe_over_of(s) == PIPE_SIDES))
		return;
	ch = s->ch[!s->over_side];
	if (what != NOTICE_DOWN) {
		o = overlay_new();
		o->base = channel_table(ch);
		table_use(o->base);
		o->over = channel_table(s->ch[s->over_side]);
		o->pipe = channel_source_id(s->ch[s->over_side]);
		o->poured = what == NOTICE_POURED;
		o->policy = channel_conf(ch)->export;
		o->conf = config_ref_get(s->p.conf);
		o->back = channel_source_id(ch);
		o->max_generation = s->sink[!s->over_side].max_generation;
		o->nr = s->policy_ns;
		o->soft_nr = s->soft_ns;
	}
	overlay_set(channel_table(s->ch[s->over_side]), o, channel_source_id(ch));
}

/* ---- an overlay becomes an ordinary table ---- */

struct pour_mark {
	struct table_mark mark;
	struct pipe_proto *s;
	uint32_t nr;
};

/* pipe_pour_there - the table has all routes of the transfer. */
static void
pipe_pour_there(struct worker *w, TAKE struct msg *m)
{
	struct pour_mark *pm = container_of(m, struct pour_mark, mark.msg);
	struct pipe_proto *s = pm->s;

	(void)w;
	if (s->pours && s->pour_nr == pm->nr) {
		s->pours = false;
		pipe_notify_overlay(s, NOTICE_POURED);
		store_relaxed32(&s->over, PIPE_SIDES);
	}
	mem_free(MEM_PROTO, pm);
}

static void
pipe_pour_mark(struct pipe_sink *k)
{
	struct pour_mark *pm = mem_zalloc(MEM_PROTO, sizeof(*pm));

	pm->s = pipe_of(channel_proto(k->to));
	pm->nr = pm->s->pour_nr;
	pm->mark.msg.handle = pipe_pour_there;
	pm->mark.to = &pm->s->p.worker;
	channel_mark(k->to, &pm->mark);
}

/* pipe_pour - feed the overlay's routes, to make the overlay an ordinary table. The table
 * stays an overlay until the table has all routes. */
static void
pipe_pour(struct pipe_proto *s)
{
	bool up = channel_is_up(s->ch[PIPE_MAIN]);

	s->pours = up;
	s->pour_nr++;
	pipe_sink_pour(&s->sink[!s->over_side], up ? pipe_pour_mark : NULL);
	if (!up)
		store_relaxed32(&s->over, PIPE_SIDES);
}

/* pipe_pour_stop - the pipe goes down. */
static void
pipe_pour_stop(struct pipe_proto *s)
{
	if (s->pours)
		store_relaxed32(&s->over, PIPE_SIDES);
	s->pours = false;
	s->pour_nr++;
}

/* ---- up and down ---- */

static void
pipe_up(struct proto *p)
{
	struct pipe_proto *s = pipe_of(p);
	struct route_source src = { .proto = p->name };

	for (unsigned i = 0; i < PIPE_SIDES; i++)
		channel_up(s->ch[i], &src);
	for (unsigned i = 0; i < PIPE_SIDES; i++) /* channel_up made rings */
		pipe_sink_used(&s->sink[i]);
	s->policy_ns = clock_now_ns();
	pipe_notify_overlay(s, NOTICE_UP);
}

static bool
pipe_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct pipe_proto *s = pipe_of(p);

	(void)cmd;
	pipe_notify_overlay(s, NOTICE_DOWN);
	pipe_pour_stop(s);
	for (unsigned i = 0; i < PIPE_SIDES; i++)
		channel_down(s->ch[i]);
	return true;
}

/* ---- channels ---- */

static enum pipe_side
pipe_side_of(const struct channel *ch)
{
	return ch == pipe_of(channel_proto(ch))->ch[PIPE_PEER] ? PIPE_PEER : PIPE_MAIN;
}

/* pipe_import_ready - let the channel that feeds @ch continue. */
static void
pipe_import_ready(struct channel *ch)
{
	worker_again(&channel_proto(ch)->worker);
}

/* pipe_refresh - feed all routes to the table of @ch once more. */
static bool
pipe_refresh(struct channel *ch)
{
	channel_refresh_out(pipe_of(channel_proto(ch))->ch[!pipe_side_of(ch)]);
	worker_again(&channel_proto(ch)->worker);
	return true;
}

static const struct channel_ops channel_ops = {
	.import_ready = pipe_import_ready,
	.limit = proto_life_limit,
	.refresh = pipe_refresh,
	.slow = proto_life_slow,
};

/* ---- commands ---- */

/* pipe_reconf - changed tables, or a changed bound of generations, need a new
 * instance. */
static void
pipe_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct pipe_proto *s = pipe_of(p);
	enum pipe_side over = pipe_over_of(s);
	bool policy = over != PIPE_SIDES &&
		      (channel_change(s->ch[!over], cmd) & CONF_CH_EXPORT);

	proto_life_adopt(p, cmd);
	if (policy)
		*(cmd->soft ? &s->soft_ns : &s->policy_ns) = clock_now_ns();
	if (over == PIPE_SIDES)
		return;
	pipe_notify_overlay(s, proto_life_is_up(p) ? NOTICE_UP : NOTICE_DOWN);
	if (!s->pours && !conf_table_base(channel_conf(s->ch[over])->table))
		pipe_pour(s);
}

/* pipe_pass_again - feed all routes that @from reads once more. */
static void
pipe_pass_again(struct pipe_proto *s, enum pipe_side from)
{
	channel_refresh_out(s->ch[from]);
	if (pipe_over_of(s) == !from && channel_is_up(s->ch[from])) {
		s->policy_ns = clock_now_ns();
		pipe_notify_overlay(s, NOTICE_UP);
	}
}

/* pipe_part - refresh a part of the nets. With an overlay, the policy concerns all
 * routes. */
static void
pipe_part(struct proto *p, struct net_pick *pick, bool in, bool out)
{
	struct pipe_proto *s = pipe_of(p);

	if (in && pipe_over_of(s) == PIPE_MAIN)
		pipe_pass_again(s, PIPE_PEER);
	else if (in)
		channel_refresh_part(s->ch[PIPE_PEER], pick);
	if (out && pipe_over_of(s) == PIPE_PEER)
		pipe_pass_again(s, PIPE_MAIN);
	else if (out)
		channel_refresh_part(s->ch[PIPE_MAIN], pick);
}

static void
pipe_reload(struct proto *p, bool in, bool out)
{
	struct pipe_proto *s = pipe_of(p);

	if (in)
		pipe_pass_again(s, PIPE_PEER);
	if (out)
		pipe_pass_again(s, PIPE_MAIN);
}

/* pipe_busy - true while routes are on the way between the tables. */
static bool
pipe_busy(const struct proto *p)
{
	const struct pipe_proto *s = (const struct pipe_proto *)p;
	bool caught_up = true;

	for (unsigned i = 0; i < PIPE_SIDES; i++)
		caught_up &= s->sink[i].counts ||
			     (channel_caught_up(s->ch[i]) && channel_has_read(s->ch[i]));
	return !caught_up;
}

/* ---- show ---- */

static unsigned long long
pipe_get(const struct counter64 *c)
{
	return counter64_get(c);
}

/* What the table of @to has of the routes that channel @from reads. */
struct passes {
	unsigned long long routes, upd_ignored, upd_accepted, wd_ignored, wd_accepted;
};

static struct passes
pipe_passes(const struct pipe_proto *s, enum pipe_side to)
{
	const struct channel_stats *st = channel_stats_get(s->ch[to]);

	if (pipe_over_of(s) == to) { /* no route goes to an overlay */
		st = channel_stats_get(s->ch[!to]);
		return (struct passes){ .routes = pipe_get(&st->exported),
			.upd_accepted = pipe_get(&st->exp_upd_accepted),
			.wd_accepted = pipe_get(&st->exp_wd_accepted) };
	}
	return (struct passes){ .routes = pipe_get(&st->in.imported),
		.upd_ignored = pipe_get(&st->in.imp_upd_ignored),
		.upd_accepted = pipe_get(&st->in.imp_upd_accepted),
		.wd_ignored = pipe_get(&st->in.imp_wd_ignored),
		.wd_accepted = pipe_get(&st->in.imp_wd_accepted) };
}

/* pipe_reply_way - the changes of the direction @way into a table, which has them as @p
 * says. @from: the reading channel. */
static void
pipe_reply_way(struct reply *r, unsigned way, const struct channel_stats *from,
    const struct passes *p)
{
	static const struct {
		const char *upd_key, *upd, *wd_key, *wd;
	} name[] = { { "import_updates", "    Import updates:    ", "import_withdraws",
			 "    Import withdraws:  " },
		{ "export_updates", "    Export updates:    ", "export_withdraws",
		    "    Export withdraws:  " } };
	const uint64_t upd[] = { pipe_get(&from->exp_upd_received),
		pipe_get(&from->exp_upd_rejected), pipe_get(&from->exp_upd_filtered),
		p->upd_ignored, p->upd_accepted };
	const uint64_t wd[] = { pipe_get(&from->exp_wd_received), CHANGE_NEVER,
		CHANGE_NONE, p->wd_ignored, p->wd_accepted };

	channel_reply_changes(r, name[way].upd_key, name[way].upd, upd);
	channel_reply_changes(r, name[way].wd_key, name[way].wd, wd);
}

/* pipe_reply_stats - an export from the first table is an import of the second table, and
 * back. */
static void
pipe_reply_stats(const struct pipe_proto *s, struct reply *r)
{
	const struct channel_stats *in = channel_stats_get(s->ch[PIPE_MAIN]);
	const struct channel_stats *out = channel_stats_get(s->ch[PIPE_PEER]);
	struct passes imported = pipe_passes(s, PIPE_MAIN),
		      exported = pipe_passes(s, PIPE_PEER);

	reply_open(r, "routes");
	reply_u64(r, "imported", "  Routes:         %s imported, ", imported.routes);
	reply_u64(r, "exported", "%s exported\n", exported.routes);
	reply_close(r);
	reply_text(r, "  Route change stats:     received   rejected   filtered    "
		      "ignored   accepted\n");
	reply_open(r, "changes");
	pipe_reply_way(r, 0, out, &imported);
	pipe_reply_way(r, 1, in, &exported);
	reply_close(r);
	reply_u64(r, "dirty_networks", "    Dirty networks: %s\n",
	    pipe_get(&in->dirty) + pipe_get(&out->dirty));
}

static void
pipe_reply(const struct proto *p, struct reply *r)
{
	const struct pipe_proto *s = pipe_of(p);
	const struct pipe_conf *pc = proto_conf_get(p)->opt;
	const struct channel *main = s->ch[PIPE_MAIN], *peer = s->ch[PIPE_PEER];
	const char *state = channel_seems_up(main) ? "up" : "down";

	reply_open(r, "pipe");
	reply_text(r, "  Channel main\n");
	reply_str(
	    r, "table", "    Table:          %s\n", table_name(channel_table(main)));
	reply_str(
	    r, "peer_table", "    Peer table:     %s\n", table_name(channel_table(peer)));
	reply_str(r, "state", "    Import state:   %s\n", state);
	reply_text(r, "    Export state:   %s\n", state);
	reply_str(r, "import_filter", "    Import filter:  %s\n",
	    filter_name(channel_conf(peer)->export));
	reply_str(r, "export_filter", "    Export filter:  %s\n",
	    filter_name(channel_conf(main)->export));
	reply_open(r, "limits");
	channel_reply_limit(r, "import", "Import limit:", &pc->import_limit,
	    pipe_passes(s, PIPE_MAIN).routes);
	channel_reply_limit(r, "export", "Export limit:", &pc->export_limit,
	    pipe_passes(s, PIPE_PEER).routes);
	reply_close(r);
	if (r->json || channel_seems_up(main))
		pipe_reply_stats(s, r);
	reply_close(r);
}

/* ---- life ---- */

static void
pipe_make(struct proto *p, const struct conf_proto *cf)
{
	struct pipe_proto *s = pipe_of(p);
	const struct conf_channel *cc = cf->chan;
	const struct pipe_conf *pc = cf->opt;

	for (unsigned i = 0; i < PIPE_SIDES; i++, cc = cc->next) {
		pipe_sink_init(&s->sink[i], &s->p.worker);
		s->sink[i].max_generation = pc->max_generation;
		s->ch[i] = channel_new(&s->p, cc, &channel_ops, &s->sink[i].sink);
		channel_set_ids(s->ch[i], NLRI_ID_LEN);
	}
	s->over_side = PIPE_SIDES;
	for (unsigned i = 0; i < PIPE_SIDES; i++) {
		s->sink[i].to = s->ch[!i];
		if (!conf_table_base(channel_conf(s->ch[i])->table))
			continue;
		s->over_side = (enum pipe_side)i;
		s->sink[!i].counts = true;
		channel_lazy(s->ch[!i]);
	}
	store_relaxed32(&s->over, s->over_side);
}

static void
pipe_free(struct proto *p)
{
	struct pipe_proto *s = pipe_of(p);

	for (unsigned i = 0; i < PIPE_SIDES; i++) {
		channel_free(s->ch[i]);
		pipe_sink_fini(&s->sink[i]);
	}
}

const struct proto_class pipe_proto_class = {
	.conf = &pipe_conf_class,
	.size = sizeof(struct pipe_proto),
	.make = pipe_make,
	.start = pipe_publish,
	.command = proto_life_command,
	.life = { .up = pipe_up,
	    .down = pipe_down,
	    .publish = pipe_publish,
	    .reload = pipe_reload,
	    .reconf = pipe_reconf },
	.part = pipe_part,
	.busy = pipe_busy,
	.free = pipe_free,
	.show.all = pipe_reply,
	.show.shows_channels = true,
};
