/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides in which of four ways a route is filtered, and which tables are members'
 * tables.
 *
 * This thread runs the present policy of the pipe.
 *
 * In the session's loop, under RCU. Tested by test/net/test_filtered.py. */
#include "nest/cli/show/route/cmd_filtered.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/attr/route.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/override.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"

#include <string.h>

/* ---- tables of members ---- */

static void
filtered_index_channel(
    struct filtered_index *x, const struct conf_proto *p, const struct conf_channel *ch)
{
	struct filtered_table *t = &x->table[ch->table->index];
	struct conf_members range;

	if (p->kind == PROTO_PIPE) {
		t->pipe = t->pipes++ ? NULL : p;
	} else if (p->class->remote_as) {
		uint32_t as = p->class->remote_as(p);

		t->as = !t->peers++ || t->as == as ? as : 0;
		t->peers += conf_member_range(p, &range);
	}
}

void
filtered_index_init(struct filtered_index *x, const struct config *conf)
{
	*x = (struct filtered_index){ .conf = conf };
	x->table = mem_zalloc(MEM_OTHER, (conf->table_cnt + 1) * sizeof(*x->table));
	for (unsigned i = 0; i < conf->proto_cnt; i++)
		for (const struct conf_channel *ch = conf->proto[i]->chan; ch;
		     ch = ch->next)
			filtered_index_channel(x, conf->proto[i], ch);
}

void
filtered_index_fini(struct filtered_index *x)
{
	mem_free(MEM_OTHER, x->table);
}

const struct filtered_table *
filtered_table_of(const struct filtered_index *x, const struct table *t)
{
	const struct conf_table *ct = config_find_table(x->conf, table_name(t));

	return ct ? &x->table[ct->index] : NULL;
}

/* cmd_filtered_proto_of - the instance of @cf, mostly at the position of @cf. */
static const struct proto *
cmd_filtered_proto_of(const struct tern_view *v, const struct conf_proto *cf)
{
	if (cf->index < v->proto_cnt && !strcmp(v->proto[cf->index]->name, cf->name))
		return v->proto[cf->index];
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, cf->name))
			return v->proto[i];
	return NULL;
}

const struct channel *
filtered_pipe(const struct filtered_index *x, const struct tern_view *v,
    const struct table *t, bool *adopted)
{
	const struct filtered_table *ft = filtered_table_of(x, t);
	const struct proto *p;

	*adopted = true;
	if (!ft || !ft->pipe || !ft->as)
		return NULL;
	p = cmd_filtered_proto_of(v, ft->pipe);
	*adopted = p && proto_conf_get(p) == ft->pipe;
	for (struct channel *ch = p ? proto_first_channel(p) : NULL; ch;
	     ch = channel_after(p, ch))
		if (channel_table(ch) == t)
			return ch;
	return NULL;
}

/* ---- a route ---- */

static void
cmd_filtered_view_of(const struct filtered_look *l, const struct net *n,
    const struct path *p, struct route_view *r, struct fnet *what)
{
	net_view(l->table, n, r, what);
	r->src = path_facts(l->table, p);
	r->set = path_set(p);
	r->feeder = path_src(p);
}

/* filtered_is_refused - does the pipe refuse @p? */
static bool
filtered_is_refused(const struct filtered_look *l, const struct net *n,
    const struct path *p, struct filtered *out)
{
	struct route_view r;
	struct fnet what;

	cmd_filtered_view_of(l, n, p, &r, &what);
	if (!r.src)
		return false;
	arena_reset(l->arena);
	channel_why(l->pipe, l->ft, l->arena, &r, &out->why);
	return out->why.reason == REASON_EXPORT_FILTER ||
	       out->why.reason == REASON_ELSEWHERE;
}

enum filtered_way
filtered_get(const struct filtered_look *l, const struct net *n, const struct path *p,
    struct filtered *out)
{
	const struct attr_set *set = path_set(p);

	*out = (struct filtered){ .way = FILTERED_NOT };
	if (!path_live(l->table, p) || path_piped(p) || set->local.rts != RTS_BGP)
		return FILTERED_NOT;
	if (path_filtered(p)) {
		if (path_shown_filtered(l->table, p))
			out->way = FILTERED_IMPORT;
	} else if (comm_sets_has(&l->conf->comm.filtered, set->wire, &out->comm)) {
		out->way = FILTERED_TAGGED;
	} else if (l->pipe && filtered_is_refused(l, n, p, out)) {
		out->way = FILTERED_PIPE;
		out->pipe = l->pipe;
	}
	return out->way;
}

/* ---- refused routes ---- */

static const struct channel *
filtered_channel_of_source(const struct filtered_look *l, uint32_t src)
{
	const struct tern_view *v = l->view;

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		for (struct channel *ch = proto_first_channel(v->proto[i]); ch;
		     ch = channel_after(v->proto[i], ch))
			if (channel_table(ch) == l->table && channel_source_id(ch) == src)
				return ch;
	return NULL;
}

static void
filtered_unheard(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

/* filtered_find_limit - has a limit refused @p from @ch? */
static bool
filtered_find_limit(const struct channel *ch, const struct nlri *k, const struct path *p,
    struct reject_at *at)
{
	const struct reject_memory *m = channel_rejects(ch, true);
	const struct reject *r = NULL;

	while (m && (r = reject_next(m, k, r)))
		if (reject_rid(r) == path_rid(p)) {
			*at = reject_where(r);
			return true;
		}
	return false;
}

/* filtered_import_accepts - the verdict of the import filter of @ch about @p, as received
 * if the channel keeps routes before policy. @e: the edit of the filter. */
static bool
filtered_import_accepts(const struct filtered_look *l, const struct channel *ch,
    const struct net *n, const struct path *p, struct attr_edit *e)
{
	static const struct filter_env env = { .log = filtered_unheard };
	struct attr_set *pre = path_pre(p);
	struct route_view r;
	struct fnet what;
	uint32_t reads;

	cmd_filtered_view_of(l, n, p, &r, &what);
	if (pre)
		r.set = pre;
	arena_reset(l->arena);
	attr_edit_init(e, l->arena, r.set);
	return !r.src || filter_run(channel_conf(ch)->import, l->ft, &env, &r, e,
			     &reads) == FILTER_ACCEPT;
}

void
filtered_refused(const struct filtered_look *l, const struct net *n, const struct path *p,
    struct filtered *out, struct strbuf *comms)
{
	const struct channel *ch = filtered_channel_of_source(l, path_src(p));
	struct prefix net = net_prefix(l->table, n);
	struct nlri k = net_nlri(l->table, n);
	struct reject_at *at = &out->at;
	const struct override *o;
	const struct filter *f;
	struct attr_edit e;

	*at = (struct reject_at){ .reason = REASON_IMPORT_FILTER,
		.filter = "of a protocol that has gone" };
	if (!ch)
		return;
	f = channel_conf(ch)->import;
	at->filter = filter_name(f);
	strbuf_reset(comms);
	o = channel_override_at(ch, &net, false);
	if (o)
		*at = (struct reject_at){ .reason = REASON_OVERRIDE, .said = o->text };
	else if (filtered_import_accepts(l, ch, n, p, &e) ||
		 (channel_in_quarantine(ch) && channel_override_accepting(ch, &net))) {
		if (!filtered_find_limit(ch, &k, p, at) && channel_in_quarantine(ch))
			*at = (struct reject_at){ .reason = REASON_QUARANTINE };
	} else if (filter_where(l->ft, f, &at->file, &at->line)) {
		at->by = filter_decided_by(l->ft, f);
		at->said = filter_said(l->ft);
		at->failed = filter_failed(l->ft);
		channel_added_comms(comms, &e);
		at->comms = comms->len ? comms->s : NULL;
	}
}

const struct override *
filtered_accepted_by(
    const struct filtered_look *l, const struct net *n, const struct path *p, bool *after)
{
	const struct channel *ch = filtered_channel_of_source(l, path_src(p));
	struct prefix net = net_prefix(l->table, n);
	const struct override *o = ch ? channel_override_accepting(ch, &net) : NULL;
	struct attr_edit e;

	if (!o || path_filtered(p) || filtered_import_accepts(l, ch, n, p, &e))
		return NULL;
	/* without a set before policy, a channel that keeps routes has changed nothing */
	*after = !path_pre(p) && !channel_conf(ch)->keep_filtered;
	return o;
}

enum filtered_way
filtered_way_of(enum reason r)
{
	return reason_stage(r) == REASON_AT_IMPORT_CHECK    ? FILTERED_CHECK
	       : reason_stage(r) == REASON_AT_IMPORT_FILTER ? FILTERED_IMPORT
							    : FILTERED_NOT;
}

enum filtered_way
filtered_unkept(const struct channel *ch, const struct reject *r)
{
	enum filtered_way way = filtered_way_of(reject_where(r).reason);
	const struct table *t = channel_table(ch);
	uint32_t src = channel_source_id(ch);
	const struct net *n;

	if (!way)
		return way;
	n = table_find_nlri(t, reject_net(r));
	for (const struct path *p = n ? net_first(n) : NULL; p; p = path_next(p))
		if (path_src(p) == src && path_rid(p) == reject_rid(r) && path_live(t, p))
			return FILTERED_NOT;
	return way;
}

/* ---- words ---- */

const char *
filtered_key(enum filtered_way w)
{
	static const char *const key[] = { NULL, "import", "tagged", "pipe", "check" };

	return key[w];
}

/* filtered_reply_by - the return that led to a refusal. */
static void
filtered_reply_by(struct reply *r, const struct filter_decided *by)
{
	if (!by->function)
		return;
	reply_open(r, "decided_by");
	reply_str(r, "function", ", as %s returned ", by->function);
	reply_bool(r, "returned", NULL, by->returned);
	reply_text(r, by->returned ? "true" : "false");
	reply_str(r, "file", " at %s", by->file);
	reply_u64(r, "line", ":%s", by->line);
	reply_close(r);
}

/* filtered_reply_place - what follows the name of the filter. */
static void
filtered_reply_place(struct reply *r, const struct config *c, const struct reject_at *at)
{
	struct strbuf b;

	if (at->file) {
		reply_str(r, "file", " at %s", at->file);
		reply_u64(r, "line", ":%s", at->line);
	}
	filtered_reply_by(r, &at->by);
	if (at->failed)
		reply_bool(r, "run_time_error", ", run-time error", true);
	reply_fill(r, "said", ": %s", at->said);
	reply_fill(r, "added_communities", "; adds %s", at->comms);
	strbuf_init(&b);
	comm_words_added(c->comm.words, at->comms, &b);
	reply_fill(r, "added_communities_text", " (%s)", b.s);
	strbuf_fini(&b);
}

void
filtered_reply_at(struct reply *r, const struct config *c, const struct reject_at *at)
{
	if (at->filter)
		reply_str(r, "filter", " by filter %s", at->filter);
	else
		reply_text(r, ", %s", reason_text(at->reason));
	filtered_reply_place(r, c, at);
}

/* filtered_reply_comm - the community, as routes show the community, and its text. */
static void
filtered_reply_comm(struct reply *r, const struct config *c, const struct comm_of *comm)
{
	struct strbuf b;

	strbuf_init(&b);
	comm_print_one(&b, comm->kind, comm->comm);
	reply_str(r, "community", "filtered, tagged %s", b.s);
	strbuf_reset(&b);
	if (comm_words_find(c->comm.words, *comm, &b))
		reply_str(r, "community_text", ": %s", b.s);
	strbuf_fini(&b);
}

static void
filtered_reply_pipe(struct reply *r, const struct config *c, const struct filtered *f)
{
	struct reject_at at = { .file = f->why.file,
		.line = f->why.line,
		.by = f->why.by,
		.said = f->why.said,
		.failed = f->why.failed };

	reply_str(
	    r, "pipe", "filtered, refused by pipe %s", channel_proto(f->pipe)->name);
	if (f->why.filter)
		reply_str(r, "pipe_filter", ", filter %s", filter_name(f->why.filter));
	else
		reply_text(r, ", filter export in");
	filtered_reply_place(r, c, &at);
}

void
filtered_reply_way(struct reply *r, const struct config *c, const struct filtered *f)
{
	reply_str(r, "filtered_by", NULL, filtered_key(f->way));
	if (f->way == FILTERED_TAGGED)
		filtered_reply_comm(r, c, &f->comm);
	else if (f->way == FILTERED_PIPE)
		filtered_reply_pipe(r, c, f);
}

void
filtered_reply(struct reply *r, const struct config *c, const struct filtered *f)
{
	filtered_reply_way(r, c, f);
	if (f->way != FILTERED_IMPORT && f->way != FILTERED_CHECK)
		return;
	reply_str(r, "reason", NULL, reason_key(f->at.reason));
	reply_text(r, f->at.filter ? "filtered, refused" : "filtered");
	filtered_reply_at(r, c, &f->at);
}
