/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a commit, reported before the commit: `configure check` ends after the
 * plan, `configure` continues.
 *
 * I1  The commit uses the differences found by the plan (struct instance: change), so
 *     plan and commit agree, and large filters are compared once.
 * I2  Changes that an instance makes by itself, because of an agreement with its peer,
 *     are predicted by its class (ends), by the rules of the instance.
 *
 * Loop: the control worker's. */
#include "lib/base/plural.h"
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_overlay.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/control.h"
#include "nest/preview/preview.h"
#include "nest/rib/source.h"

/* Names of changed options, by effect. */
struct plan_words {
	struct strbuf restart, filter, other;
};

struct plan {
	struct control_req *r;
	bool soft;
	uint32_t closing; /* number of sessions that will end */
	uint32_t line; /* where their number goes */
	struct plan_words words;
};

struct plan_switch
plan_switch(const struct instance *in, const struct conf_proto *cf)
{
	struct plan_switch sw = { .was = in->down, .limited = in->limited };

	if (!in->deleting && proto_caught_up(in->p)) {
		const struct proto_status *st = proto_status_get(in->p);

		sw.was |= st->disabled;
		sw.limited = st->by_limit;
	}
	sw.limited = sw.limited && !cf->revive_after_limit;
	sw.down = cf->disabled || in->held || sw.limited;
	return sw;
}

static void
plan_say(struct plan *pl, const char *what, const char *name, const char *fate)
{
	control_answer(pl->r, CLI_READING, "%s %s: %s", what, name, fate);
}

/* ---- instances ---- */

static bool
plan_has_word(const struct strbuf *b, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = b->s, *end; *p; p = *end ? end + 2 : end) {
		end = strchrnul(p, ',');
		if ((size_t)(end - p) == len && !memcmp(p, word, len))
			return true;
	}
	return false;
}

/* plan_put_word - once: an option may have several fields. */
static void
plan_put_word(struct strbuf *b, const struct conf_channel *ch, const char *what)
{
	struct strbuf w;

	strbuf_init(&w);
	strbuf_addf(&w, "%s%s%s", ch ? ch->name : "", ch ? " " : "", what);
	if (!plan_has_word(b, w.s))
		strbuf_addf(b, "%s%s", b->len ? ", " : "", w.s);
	strbuf_fini(&w);
}

static void
plan_differs(void *arg, const struct conf_channel *ch, const char *what, uint32_t change)
{
	struct plan *pl = arg;

	/* reported by plan_switch */
	if (!ch && !strcmp(what, "disabled"))
		return;
	if (change & CONF_CH_RESTART)
		plan_put_word(&pl->words.restart, ch, what);
	else if (change & (CONF_CH_IMPORT | CONF_CH_EXPORT))
		plan_put_word(&pl->words.filter, ch, what);
	else
		plan_put_word(&pl->words.other, ch, what);
}

static void
plan_put_part(struct strbuf *b, const char *what, const struct strbuf *words)
{
	strbuf_addf(b, "%s%s%s%s", b->len ? "; " : "", what,
	    words && words->len ? ": " : "", words && words->len ? words->s : "");
}

/* plan_is_session - true: a peer notices the end of @in. */
static bool
plan_is_session(const struct instance *in)
{
	enum proto_kind k = (enum proto_kind)in->cf->class->kind;

	return in->p && !in->deleting && (k == PROTO_BGP || k == PROTO_RPKI) &&
	       proto_status_get(in->p)->state == PS_UP;
}

/* plan_compare - find the changes of @in's configuration, with option names. */
static void
plan_compare(struct plan *pl, struct instance *in, const struct conf_proto *cf)
{
	const struct conf_changes to = { .fn = plan_differs, .arg = pl };
	struct plan_words *w = &pl->words;

	strbuf_reset(&w->restart);
	strbuf_reset(&w->filter);
	strbuf_reset(&w->other);
	in->change = conf_proto_changes(in->cf, cf, &to);
}

/* plan_crosses - true: @now stale routes cross the changed limit @l (before: @old). */
static bool
plan_crosses(const struct conf_limit *old, const struct conf_limit *l, uint64_t now)
{
	return l->action > LIMIT_WARN && now > l->max &&
	       (l->max != old->max || l->action != old->action);
}

/* plan_loses_stale - would the change from @old to @cf withdraw the stale routes of @ch,
 * whose peer is away? Returns: the reason; NULL: no. */
static const char *
plan_loses_stale(const struct plan *pl, const struct conf_proto *cf,
    const struct conf_proto *old, const struct channel *ch)
{
	const struct conf_channel *was = channel_conf(ch),
				  *next = conf_channel_like(cf, was);
	const struct feeder_stats *st = &channel_stats_get(ch)->in;
	uint64_t stale = counter64_get(&st->stale),
		 filtered = counter64_get(&st->stale_filtered);
	bool import, receive;

	if (!stale || !next)
		return NULL;
	import = plan_crosses(&was->limit.import, &next->limit.import, stale - filtered);
	receive = plan_crosses(&was->limit.receive, &next->limit.receive, stale);
	if ((import && next->limit.import.action > LIMIT_BLOCK) ||
	    (receive && next->limit.receive.action > LIMIT_BLOCK))
		return "the routes cross a limit";
	if (channel_keeps(ch))
		return NULL;
	return import || receive ||
		       (!pl->soft &&
			   (conf_channel_diff(old, was, cf, next) & CONF_CH_IMPORT))
		   ? "routes before policy aren't kept"
		   : NULL;
}

/* plan_put_stale - append the effect on stale routes of @in. */
static void
plan_put_stale(const struct plan *pl, const struct instance *in,
    const struct conf_proto *cf, struct strbuf *b)
{
	struct channel *ch = NULL;

	if (in->p && !in->deleting && proto_status_get(in->p)->state != PS_UP)
		ch = load_acquire_ptr(&in->p->channels); /* pairs: PCHAN */
	for (; ch; ch = channel_next(ch)) {
		const char *why = plan_loses_stale(pl, cf, proto_conf_get(in->p), ch);

		if (why)
			strbuf_addf(b, "%sstale routes of %s withdrawn: %s",
			    b->len ? "; " : "", channel_name(ch), why);
	}
}

/* plan_put_later - append what the up session of @in keeps until its end, and what to
 * do. */
static void
plan_put_later(const struct instance *in, const struct conf_proto *cf, struct strbuf *b)
{
	const char *what = NULL;

	if (in->p && !in->deleting && in->change && in->p->cls->plan.later)
		what = in->p->cls->plan.later(in->p, cf);
	if (what)
		strbuf_addf(b, "%s%s takes effect in the next session: `restart %s`",
		    b->len ? "; " : "", what, in->name);
}

/* plan_show - let the preview, if any, know the fate of @in; @conf: owner of @cf; NULL:
 * the configuration of the preview. */
static void
plan_show(struct plan *pl, const struct instance *in, enum preview_fate fate,
    const struct conf_proto *cf, struct config_ref *conf)
{
	struct preview *pv = pl->r->preview;

	if (pv)
		preview_add(pv, in->name, fate, cf, conf ? conf : preview_next(pv));
}

/* plan_report - report the changes of @in found by plan_compare. @conf: owner of @cf;
 * NULL: the planned configuration. */
static void
plan_report(struct plan *pl, struct instance *in, const struct conf_proto *cf,
    struct config_ref *conf)
{
	struct plan_switch sw = plan_switch(in, cf);
	struct plan_words *w = &pl->words;
	const char *ends = NULL;
	struct strbuf b;

	strbuf_init(&b);
	if (sw.was != sw.down)
		plan_put_part(&b,
		    sw.down            ? "disabled"
		    : in->cf->disabled ? "enabled"
				       : "revived",
		    NULL);
	if (in->change & CONF_CH_RESTART) {
		if (w->restart.len || !b.len)
			plan_put_part(&b, "restarts", &w->restart);
	} else {
		if (in->p && !in->deleting && in->change && in->p->cls->plan.ends)
			ends = in->p->cls->plan.ends(in->p, cf, pl->soft);
		if (ends)
			strbuf_addf(
			    &b, "%sits session ends: %s", b.len ? "; " : "", ends);
		if (w->filter.len)
			plan_put_part(&b, pl->soft ? "filters from now on" : "refiltered",
			    &w->filter);
		if (w->other.len)
			plan_put_part(&b, "changed", &w->other);
		plan_put_stale(pl, in, cf, &b);
		if (!ends && !sw.down)
			plan_put_later(in, cf, &b);
	}
	if (b.len)
		plan_say(pl, "protocol", in->name, b.s);
	plan_show(pl, in,
	    sw.down                                  ? PREVIEW_DISABLED
	    : ends || (in->change & CONF_CH_RESTART) ? PREVIEW_CLOSES
						     : PREVIEW_STAYS,
	    cf, conf);
	pl->closing += plan_is_session(in) &&
		       (ends || (sw.down && !sw.was) || (in->change & CONF_CH_RESTART));
	strbuf_fini(&b);
}

/* plan_trouble - report a present fault of a kept instance. */
static void
plan_trouble(struct plan *pl, const struct instance *in)
{
	struct strbuf b;

	if (!in->p || !in->p->cls->health.trouble)
		return;
	strbuf_init(&b);
	in->p->cls->health.trouble(in->p, &b);
	if (b.len)
		control_answer(
		    pl->r, CLI_READING, "Warning: protocol %s: %s", in->name, b.s);
	strbuf_fini(&b);
}

/* plan_lacks - report what a new instance will lack. */
static void
plan_lacks(struct plan *pl, const struct conf_proto *cf)
{
	struct strbuf b;

	if (!cf->class->lacks || cf->disabled)
		return;
	strbuf_init(&b);
	cf->class->lacks(cf, &b);
	if (b.len)
		control_answer(
		    pl->r, CLI_READING, "Warning: protocol %s: %s", cf->name, b.s);
	strbuf_fini(&b);
}

/* plan_members - plan the members of @host. All members share the old and the new
 * configuration, so the differences are found once. */
static void
plan_members(struct plan *pl, const struct config *conf, struct instance *host)
{
	struct instance *like = NULL;
	struct list *n;

	list_for_each (n, &host->members.list) {
		struct instance *in = container_of(n, struct instance, member.of_host);
		const struct conf_proto *cf;
		struct config_ref *ref;

		if (config_find_proto(conf, in->name))
			continue;
		ref = members_conf(
		    &cf, in, conf, pl->r->preview ? preview_next(pl->r->preview) : NULL);
		if (in->deleting) {
			if (ref && !in->leaves)
				plan_say(pl, "protocol", in->name, "restarts already");
		} else if (!ref) {
			plan_say(pl, "protocol", in->name, "removed");
			plan_show(pl, in, PREVIEW_REMOVED, NULL, NULL);
			pl->closing += plan_is_session(in);
		} else {
			if (like)
				in->change = like->change;
			else
				plan_compare(pl, in, cf);
			like = in;
			plan_report(pl, in, cf, ref);
		}
		if (ref)
			config_ref_put(ref);
	}
}

static void
plan_instances(struct plan *pl, struct control *c, const struct config *conf)
{
	struct list *n;

	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (config_find_proto(conf, in->name) || in->deleting || in->host)
			continue;
		plan_say(pl, "protocol", in->name, "removed");
		plan_show(pl, in, PREVIEW_REMOVED, NULL, NULL);
		pl->closing += plan_is_session(in);
	}
	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		struct instance *in = instance_find(c, conf->proto[i]->name);

		if (!in) {
			plan_say(pl, "protocol", conf->proto[i]->name, "added");
		} else if (in->deleting) {
			plan_say(pl, "protocol", in->name, "restarts already");
		} else {
			plan_compare(pl, in, conf->proto[i]);
			plan_report(pl, in, conf->proto[i], NULL);
		}
	}
	list_for_each (n, &c->instances)
		plan_members(pl, conf, container_of(n, struct instance, link));
}

/* ---- the rest ---- */

/* plan_table - plan a kept table. */
static void
plan_table(struct plan *pl, struct control *c, const struct conf_table *ct)
{
	const struct conf_changes to = { .fn = plan_differs, .arg = pl };
	const struct conf_table *was = config_find_table(c->conf->conf, ct->name);
	struct strbuf *words = &pl->words.other, b;

	strbuf_reset(words);
	if (was)
		conf_table_changes(was, ct, &to);
	strbuf_init(&b);
	plan_put_part(&b, "changed", words);
	if (words->len)
		plan_say(pl, "table", ct->name, b.s);
	strbuf_fini(&b);
}

static void
plan_tables(struct plan *pl, struct control *c, const struct config *conf)
{
	struct list *n;

	list_for_each (n, &c->tables) {
		struct table_slot *ts = container_of(n, struct table_slot, link);

		if (!config_find_table(conf, ts->name))
			plan_say(pl, "table", ts->name, "removed");
	}
	for (unsigned i = 0; i < conf->table_cnt; i++) {
		struct table_slot *ts = table_find_slot(c, conf->table[i]->name);

		if (!ts)
			plan_say(pl, "table", conf->table[i]->name, "added");
		else if (ts->kind != conf->table[i]->kind)
			plan_say(pl, "table", conf->table[i]->name,
			    "made anew, of another type");
		else
			plan_table(pl, c, conf->table[i]);
	}
}

static void
plan_text(void *arg, const char *what, const char *name, const char *fate)
{
	plan_say(arg, what, name, fate); /* of a function or filter */
}

static void
plan_socket(void *arg, const char *path, const char *what)
{
	plan_say(arg, "control socket", path, what);
}

/* plan_put_closing - insert the number of ending sessions before the lines of instances.
 */
static void
plan_put_closing(struct plan *pl)
{
	struct control_req *r = pl->r;
	struct control_line last;

	control_answer(r, CLI_READING, "%u session%s will close", pl->closing,
	    plural(pl->closing, "", "s"));
	last = r->answer.line[r->answer.cnt - 1];
	memmove(&r->answer.line[pl->line + 1], &r->answer.line[pl->line],
	    (r->answer.cnt - 1 - pl->line) * sizeof(last));
	r->answer.line[pl->line] = last;
}

void
control_plan(
    struct control *c, const struct config *conf, bool soft, struct control_req *r)
{
	struct plan pl = { .r = r, .soft = soft, .line = r->answer.cnt };

	conf_overlays_keep(c->conf->conf, conf);
	strbuf_init(&pl.words.restart);
	strbuf_init(&pl.words.filter);
	strbuf_init(&pl.words.other);
	plan_texts(c->conf->conf, conf, plan_text, &pl);
	plan_tables(&pl, c, conf);
	plan_instances(&pl, c, conf);
	control_sockets_plan(c, conf, plan_socket, &pl);
	if (r->answer.cnt > pl.line)
		plan_put_closing(&pl);
	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		struct instance *in = instance_find(c, conf->proto[i]->name);

		if (in && !in->deleting && !(in->change & CONF_CH_RESTART))
			plan_trouble(&pl, in);
		else
			plan_lacks(&pl, conf->proto[i]);
	}
	strbuf_fini(&pl.words.restart);
	strbuf_fini(&pl.words.filter);
	strbuf_fini(&pl.words.other);
	drain_plan(c, conf, r);
	quarantine_plan(c, conf, r);
	control_overrides_plan(c, conf, r);
	c->planned = conf;
}

void
plan_revived(struct control *c, struct control_req *r)
{
	struct list *n;

	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (!in->revived)
			continue;
		in->revived = false;
		control_answer(r, CLI_ENABLED, "%s: enabled", in->name);
		control_wait_for(c, r, in);
	}
}
