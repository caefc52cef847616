/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tern's own metrics. The values are members of the daemon's JSON (doc/json.md). Threads
 * of one name count as one thread: a series of a metric must be unique. Loop: the only
 * thread of ternhttp.
 *
 * Tested by test/net/test_http_metrics.py. */
#include "client/http/metrics/metrics_priv.h"

#include "client/http/job/ask.h"
#include "client/http/job/job.h"
#include "client/http/job/request.h"
#include "lib/json/jview.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 20000

#define METRIC_ROW(name, group, sparse, text, suffix, type, help)                        \
	{ COLLECT_##group, sparse, text, suffix, type, help },
static const struct {
	enum collect group;
	bool sparse;
	const char *name, *suffix, *type, *help;
} tern_metric_row[METRIC_CNT] = { TERN_METRICS(METRIC_ROW) };

/* The kinds of problems of `show health`. */
static const char *const tern_metric_kinds[] = { "limit", "disabled_by_limit", "trouble",
	"behind", "rpki_old", "rpki_away", "rpki_waits", "configure", "log", "hold",
	"drain", "quarantine", "override", "lan", "limit_loop", "state", "program",
	"other" };
enum { METRIC_KINDS = sizeof(tern_metric_kinds) / sizeof(tern_metric_kinds[0]) };

void
tern_metric_init(struct tern_metrics *w)
{
	strbuf_init(&w->labels);
	for (int i = 0; i < METRIC_CNT; i++)
		strbuf_init(&w->text[i]);
}

void
tern_metric_fini(struct tern_metrics *w)
{
	strbuf_fini(&w->labels);
	for (int i = 0; i < METRIC_CNT; i++)
		strbuf_fini(&w->text[i]);
	mem_free(MEM_OTHER, w->thread);
	mem_free(MEM_OTHER, w->problems);
}

/* tern_metric_begin - begin a series of the metric @which: name, `{`, daemon. */
static struct strbuf *
tern_metric_begin(struct tern_metrics *w, struct job *j, enum tern_metric which)
{
	struct strbuf *o = &w->text[which];

	w->any = true;
	strbuf_adds(o, tern_metric_row[which].name);
	strbuf_adds(o, tern_metric_row[which].suffix);
	strbuf_addc(o, '{');
	if (w->daemons)
		label_text(o, "daemon", j->web->server[j->now->server].name);
	return o;
}

/* tern_metric_left_out - is the number @v 0, and the metric sparse? */
static bool
tern_metric_left_out(enum tern_metric which, struct jview v)
{
	size_t i = 0;

	if (!tern_metric_row[which].sparse)
		return false;
	if (!v.p || *v.p < '0' || *v.p > '9')
		return !jview_true(v);
	while (i < v.len && (v.p[i] == '0' || v.p[i] == '.'))
		i++;
	return i == v.len;
}

/* tern_metric_number - end a series with the number @v; with 0 if @v is no number. */
static void
tern_metric_number(struct strbuf *o, struct jview v)
{
	strbuf_adds(o, "} ");
	if (v.p && *v.p >= '0' && *v.p <= '9')
		strbuf_add(o, v.p, v.len);
	else
		strbuf_addc(o, jview_true(v) ? '1' : '0');
	strbuf_addc(o, '\n');
}

/* tern_metric_one - a series with one label, or none (@label NULL), and the number @v. */
static void
tern_metric_one(struct tern_metrics *w, struct job *j, enum tern_metric which,
    const char *label, struct jview name, struct jview v)
{
	struct strbuf *o = tern_metric_begin(w, j, which);

	if (label)
		label_add(o, label, name);
	tern_metric_number(o, v);
}

static void
tern_metric_status(struct tern_metrics *w, struct job *j, struct jview v)
{
	struct strbuf *o = tern_metric_begin(w, j, METRIC_INFO);

	label_add(o, "version", jview_get(v, "version"));
	label_add(o, "hostname", jview_get(v, "hostname"));
	strbuf_adds(o, "} 1\n");
	tern_metric_one(w, j, METRIC_REPLACED, NULL, v, jview_get(v, "program_replaced"));
	o = tern_metric_begin(w, j, METRIC_CONFIGURE);
	strbuf_addf(o, "} %d\n", jview_get(v, "configure_failed_unix_s").p != NULL);
}

static void
tern_metric_table(struct tern_metrics *w, struct job *j, struct jview v)
{
	static const struct {
		enum tern_metric which;
		const char *key;
	} values[] = { { METRIC_NETWORKS, "networks" }, { METRIC_ROUTES, "routes" },
		{ METRIC_CHANGES, "changes" }, { METRIC_JOURNAL, "journal_octets" },
		{ METRIC_CUT_OFF, "readers_cut_off" }, { METRIC_TABLE_CPU, "cpu_s" } };
	struct jview name = jview_get(v, "name");

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (jview_get(v, values[i].key).p)
			tern_metric_one(w, j, values[i].which, "table", name,
			    jview_get(v, values[i].key));
}

static void
tern_metric_thread_line(struct tern_metrics *w, struct jview v)
{
	struct tern_metric_thread *t;

	if (w->thread_cnt == THREADS_MAX)
		return;
	w->thread = vec_room(
	    MEM_OTHER, w->thread, &w->thread_cap, w->thread_cnt + 1, sizeof(*w->thread));
	t = &w->thread[w->thread_cnt];
	if (!jview_copy(t->name, sizeof(t->name), jview_get(v, "name")))
		return;
	t->cpu_s = jview_seconds(jview_get(v, "cpu_s"));
	t->lag_s = jview_seconds(jview_get(v, "lag_s"));
	t->longest_s = jview_seconds(jview_get(v, "longest_round_s"));
	w->thread_cnt++;
}

static int
tern_metric_thread_order(const void *a, const void *b)
{
	return strcmp(((const struct tern_metric_thread *)a)->name,
	    ((const struct tern_metric_thread *)b)->name);
}

static void
tern_metric_thread_value(struct tern_metrics *w, struct job *j, enum tern_metric which,
    const char *name, double v)
{
	struct strbuf *o;

	if (tern_metric_row[which].sparse && v < 0.0005)
		return;
	o = tern_metric_begin(w, j, which);
	label_cstr(o, "thread", name);
	strbuf_addf(o, "} %.3f\n", v);
}

/* tern_metric_threads - the series of the daemon's threads. */
static void
tern_metric_threads(struct tern_metrics *w, struct job *j)
{
	struct tern_metric_thread *t = w->thread;
	unsigned cnt = w->thread_cnt;

	if (cnt)
		qsort(t, cnt, sizeof(*t), tern_metric_thread_order);
	for (unsigned i = 0; i < cnt;) {
		struct tern_metric_thread sum = t[i];

		while (++i < cnt && !strcmp(t[i].name, sum.name)) {
			sum.cpu_s += t[i].cpu_s;
			if (t[i].lag_s > sum.lag_s)
				sum.lag_s = t[i].lag_s;
			if (t[i].longest_s > sum.longest_s)
				sum.longest_s = t[i].longest_s;
		}
		tern_metric_thread_value(w, j, METRIC_CPU, sum.name, sum.cpu_s);
		tern_metric_thread_value(w, j, METRIC_LAG, sum.name, sum.lag_s);
		tern_metric_thread_value(w, j, METRIC_LONGEST, sum.name, sum.longest_s);
	}
	w->thread_cnt = 0;
}

/* tern_metric_health - a line of `show health`. */
static void
tern_metric_health(struct tern_metrics *w, struct job *j, struct jview v)
{
	static const char *const lines[] = { "dropped_lines", "lost_lines",
		"lost_audit_lines" };
	struct jview type = jview_get(v, "type");
	int i = 0;

	if (!w->problems)
		w->problems = mem_zalloc(MEM_OTHER, METRIC_KINDS * sizeof(*w->problems));
	if (jview_is(type, "problem")) {
		while (i < METRIC_KINDS - 1 &&
		       !jview_is(jview_get(v, "kind"), tern_metric_kinds[i]))
			i++;
		w->problems[i]++;
	} else if (jview_is(type, "sessions")) {
		tern_metric_one(w, j, METRIC_WANTED, NULL, v, jview_get(v, "wanted"));
		tern_metric_one(w, j, METRIC_UP, NULL, v, jview_get(v, "up"));
		tern_metric_one(
		    w, j, METRIC_STALE, NULL, v, jview_get(v, "stale_routes"));
	} else if (jview_is(type, "log")) {
		for (i = 0; i < 3; i++) {
			struct strbuf *o = tern_metric_begin(w, j, METRIC_LOG);

			label_text(o, "fate", lines[i]);
			tern_metric_number(o, jview_get(v, lines[i]));
		}
	}
}

void
tern_metric_line(struct tern_metrics *w, struct job *j, struct jview v)
{
	struct jview type = jview_get(v, "type");

	if (j->now->ask == ASK_HEALTH)
		tern_metric_health(w, j, v);
	else if (jview_is(type, "status"))
		tern_metric_status(w, j, v);
	else if (jview_is(type, "table"))
		tern_metric_table(w, j, v);
	else if (jview_is(type, "thread"))
		tern_metric_thread_line(w, v);
	else if (jview_is(type, "memory"))
		tern_metric_one(w, j, METRIC_MEMORY, "kind", jview_get(v, "name"),
		    jview_get(v, "effective_octets"));
}

void
tern_metric_step(struct tern_metrics *w, struct job *j)
{
	if (j->now->ask == ASK_THREADS)
		tern_metric_threads(w, j);
	if (j->now->ask != ASK_HEALTH || !w->problems)
		return;
	for (int i = 0; i < METRIC_KINDS; i++) {
		struct strbuf *o = tern_metric_begin(w, j, METRIC_PROBLEMS);

		label_text(o, "kind", tern_metric_kinds[i]);
		strbuf_addf(o, "} %u\n", w->problems[i]);
	}
	mem_free(MEM_OTHER, w->problems);
	w->problems = NULL;
}

/* tern_metric_with - a series with the labels w->labels, the label @more with the value
 * @name (NULL: none), and the number @v; no series if the request does not want the group
 * of the metric, or if the metric is sparse and the number is 0. */
static void
tern_metric_with(struct tern_metrics *w, struct job *j, enum tern_metric which,
    const char *more, struct jview name, struct jview v)
{
	struct strbuf *o;

	if (!request_collects(&j->req, tern_metric_row[which].group) ||
	    tern_metric_left_out(which, v))
		return;
	o = tern_metric_begin(w, j, which);
	if (w->daemons)
		strbuf_addc(o, ',');
	strbuf_add(o, w->labels.s, w->labels.len);
	if (more)
		label_add(o, more, name);
	tern_metric_number(o, v);
}

void
tern_metric_protocol(struct tern_metrics *w, struct job *j, const struct jview *v)
{
	struct jview age = jview_get(v[METRIC_PROTOCOL_RPKI], "updated_age_s");
	struct jview downs = jview_get(v[METRIC_PROTOCOL_BGP], "down_count");

	if (age.p)
		tern_metric_one(w, j, METRIC_AGE, "name", v[METRIC_PROTOCOL_NAME], age);
	if (downs.p)
		tern_metric_one(
		    w, j, METRIC_LOSSES, "name", v[METRIC_PROTOCOL_NAME], downs);
}

static void
tern_metric_limits(struct tern_metrics *w, struct job *j, struct jview limits)
{
	struct jview at = limits, key, item;

	while (jview_next(&at, &key, &item)) {
		tern_metric_with(
		    w, j, METRIC_LIMIT, "limit", key, jview_get(item, "max"));
		tern_metric_with(
		    w, j, METRIC_LIMIT_HIT, "limit", key, jview_get(item, "hit"));
	}
}

/* tern_metric_each - a series with the label @label for each member of @object. */
static void
tern_metric_each(struct tern_metrics *w, struct job *j, enum tern_metric which,
    const char *label, struct jview object)
{
	struct jview at = object, key, item;

	while (jview_next(&at, &key, &item))
		tern_metric_with(w, j, which, label, key, item);
}

void
tern_metric_channel(
    struct tern_metrics *w, struct job *j, const struct jview *v, const struct jview *c)
{
	static const char *const keys[] = { "dirty_networks", "behind_s", "decisions",
		"messages_sent" };
	static const enum tern_metric metrics[] = { METRIC_DIRTY, METRIC_BEHIND,
		METRIC_DECISIONS, METRIC_SENT };
	enum { SENDING = sizeof(keys) / sizeof(keys[0]) };
	struct jview none = { NULL, 0 }, sending[SENDING];

	strbuf_reset(&w->labels);
	label_add(&w->labels, "name", v[METRIC_PROTOCOL_NAME]);
	label_add(&w->labels, "channel", c[METRIC_CHANNEL_NAME]);
	tern_metric_each(w, j, METRIC_REFUSED, "reason", c[METRIC_CHANNEL_REASONS]);
	tern_metric_limits(w, j, c[METRIC_CHANNEL_LIMITS]);
	tern_metric_each(w, j, METRIC_STEPS, "direction", c[METRIC_CHANNEL_STEPS]);
	if (c[METRIC_CHANNEL_QUEUED].p)
		tern_metric_with(
		    w, j, METRIC_QUEUED, NULL, none, c[METRIC_CHANNEL_QUEUED]);
	jview_pick(sending, c[METRIC_CHANNEL_SENDING], keys, SENDING);
	for (int i = 0; i < SENDING; i++)
		if (sending[i].p)
			tern_metric_with(w, j, metrics[i], NULL, none, sending[i]);
}

void
tern_metric_write(const struct tern_metrics *w, struct strbuf *o, const struct request *r)
{
	for (int i = 0; i < METRIC_CNT && w->any; i++) {
		const char *suffix = r->openmetrics ? "" : tern_metric_row[i].suffix;

		if (!request_collects(r, tern_metric_row[i].group))
			continue;
		strbuf_addf(o, "# HELP %s%s %s\n# TYPE %s%s %s\n%s",
		    tern_metric_row[i].name, suffix, tern_metric_row[i].help,
		    tern_metric_row[i].name, suffix, tern_metric_row[i].type,
		    w->text[i].len ? w->text[i].s : "");
	}
}
