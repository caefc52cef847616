/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Self-tests in the language: bt_test_suite calls a function without arguments, whose
 * bt_assert calls state conditions; bt_test_same compares two filters or functions.
 *
 * All assertions of a suite are evaluated, even after a false assertion. A suite fails by
 * a false assertion, by a run-time error, by `accept` or `reject` (later assertions were
 * not evaluated), or if the function returns FALSE.
 *
 * Each suite has its own route, which begins without attributes. Functions may set
 * attributes of the route and read them. bt_route replaces the route by a route for
 * another prefix and source, without attributes; bt_accepts runs a whole filter on the
 * route and keeps the changes. An error in that filter fails the suite. In the thread of
 * main; nothing outlives the call. */
#include "nest/daemon/selftest.h"

#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "filter/run/code.h"
#include "filter/run/eval.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/iface/iface.h"

#define SUITE_CHUNK 4096

/* A suite under way. owner, lives: the call of selftest_run_suite. */
struct suite {
	const struct config *conf;
	struct strbuf details; /* lines for below the suite's */
	unsigned assertions, wrong;
	/* the route */
	struct arena arena;
	struct route_source src;
	struct route_view view;
	struct attr_edit edit;
	/* bt_accepts */
	const struct filter_env *env;
	const struct iface_source *ifaces;
	struct filter_thread *thread;
	bool in_filter;
	uint64_t now_ns; /* time for filters: each failure is reported */
};

PRINTF_LIKE(4, 5)
static void
selftest_detail(struct suite *s, const char *file, uint32_t line, const char *fmt, ...)
{
	va_list ap;

	strbuf_adds(&s->details, "        ");
	if (file)
		strbuf_addf(&s->details, "%s:%u: ", file, line);
	va_start(ap, fmt);
	strbuf_vaddf(&s->details, fmt, ap);
	va_end(ap);
	strbuf_addc(&s->details, '\n');
}

static void
selftest_on_assert(void *ctx, bool ok, const char *file, uint32_t line, const char *text)
{
	struct suite *s = ctx;

	s->assertions++;
	if (ok)
		return;
	s->wrong++;
	selftest_detail(s, file, line, "bt_assert(%s)", text);
}

/* Output of a suite helps to find a failure, so it is always shown. */
static void
selftest_on_log(void *ctx, const char *line)
{
	selftest_detail(ctx, NULL, 0, "%s", line);
}

/* A filter run by bt_accepts had an error. */
static void
selftest_on_error(void *ctx, const char *line)
{
	struct suite *s = ctx;

	s->wrong++;
	selftest_detail(s, NULL, 0, "%s", line);
}

static uint64_t
selftest_on_now(void *ctx)
{
	struct suite *s = ctx;

	s->now_ns += 1000000000000;
	return s->now_ns;
}

static void
selftest_on_route(
    void *ctx, const struct prefix *net, const char *proto, struct ip_addr from)
{
	static struct wire_set wire = { .origin = ORIGIN_INCOMPLETE };
	static const struct attr_set base = { .wire = &wire,
		.local = { 100, UINT32_MAX, DEST_UNICAST, RTS_BGP, 0 } };
	struct suite *s = ctx;

	s->src = (struct route_source){
		.proto = proto ? arena_strdup(&s->arena, proto) : "test",
		.from = from,
		.is_bgp = true,
	};
	s->view = (struct route_view){ .net = *net, .src = &s->src, .set = &base };
	attr_edit_init(&s->edit, &s->arena, &base);
}

static int
selftest_on_accepts(void *ctx, const char *filter)
{
	struct suite *s = ctx;
	const struct sym *y = sym_find(s->conf->symbols, filter);
	enum filter_verdict v;
	uint32_t reads;

	if (!y || y->class != SYM_FILTER || s->in_filter)
		return -1;
	s->in_filter = true;
	v = filter_run(y->filter, s->thread, s->env, &s->view, &s->edit, &reads);
	s->in_filter = false;
	return v == FILTER_ACCEPT;
}

static void
selftest_judge_end(struct suite *s, const struct filter_test *t)
{
	switch (t->end) {
	case FILTER_END_ACCEPT:
	case FILTER_END_REJECT:
		selftest_detail(s, t->file, t->line, "ended by %s",
		    t->end == FILTER_END_ACCEPT ? "accept" : "reject");
		break;
	case FILTER_END_ERROR:
		selftest_detail(s, t->file, t->line, "%s", t->error);
		break;
	default:
		if (t->value.type != T_BOOL || t->value.i)
			return;
		selftest_detail(s, t->file, t->line, "the function returns FALSE");
	}
	s->wrong++;
}

static void
selftest_call(struct suite *s, const struct conf_test *t, struct filter_thread *ft)
{
	static const struct filter_test_env test = { selftest_on_assert,
		selftest_on_route, selftest_on_accepts };
	const struct filter_env env = { .log = selftest_on_log,
		.error = selftest_on_error,
		.ctx = s,
		.now_ns = selftest_on_now,
		.test = &test };
	const struct prefix net = prefix_make(ip4(0), 0, FAM_IP4);
	struct filter_test end;

	arena_init(&s->arena, MEM_OTHER, SUITE_CHUNK);
	s->env = &env;
	s->thread = filter_thread_new(s->ifaces);
	selftest_on_route(s, &net, NULL, IP_NONE);
	filter_test_run(t->func, ft, &env, &s->view, &s->edit, &end);
	selftest_judge_end(s, &end);
	filter_thread_free(s->thread);
	arena_fini(&s->arena);
}

static void
selftest_run_suite(struct suite *s, const struct conf_test *t, struct filter_thread *ft,
    struct strbuf *out, struct selftest_result *res)
{
	strbuf_init(&s->details);
	if (t->func->arg_cnt) {
		selftest_detail(s, t->pos.file, t->pos.line, "'%s' takes arguments",
		    t->func->code.name);
		s->wrong++;
	} else {
		selftest_call(s, t, ft);
	}
	strbuf_addf(out, "%s  %s (%u assertion%s)\n", s->wrong ? "FAILED" : "passed",
	    t->name, s->assertions, plural(s->assertions, "", "s"));
	strbuf_add(out, s->details.s, s->details.len);
	strbuf_fini(&s->details);
	res->assertions += s->assertions;
	res->failed += s->wrong > 0;
}

static void
selftest_run_same(
    const struct conf_test *t, struct strbuf *out, struct selftest_result *res)
{
	bool same = t->func ? ffunc_same(t->func, t->func_b)
			    : filter_same(t->filter, t->filter_b);
	const char *a = t->func ? t->func->code.name : filter_name(t->filter);
	const char *b = t->func ? t->func_b->code.name : filter_name(t->filter_b);
	bool ok = same == t->same;

	strbuf_addf(out, "%s  %s and %s %s\n", ok ? "passed" : "FAILED", a, b,
	    t->same ? "are equal" : "differ");
	if (!ok)
		strbuf_addf(out, "        %s:%u: both %s\n", t->pos.file, t->pos.line,
		    same ? "are equal" : "differ");
	res->failed += !ok;
}

/* selftest_reads_ifaces - may any of the filters and functions look at the machine's
 * interfaces? */
static bool
selftest_reads_ifaces(const struct config *c)
{
	const struct sym *s;

	for (s = c->symbols->first; s; s = s->defined)
		if ((s->class == SYM_FILTER &&
			(filter_may_read(s->filter) & FILTER_READ_IFACES)) ||
		    (s->class == SYM_FUNCTION &&
			(s->func->code.reads & FILTER_READ_IFACES)))
			return true;
	return false;
}

void
selftest_run(const struct config *c, struct strbuf *out, struct selftest_result *result)
{
	struct iface_source ifaces = { .ops = NULL };
	struct filter_thread *ft = filter_thread_new(&ifaces);
	unsigned i;

	if (selftest_reads_ifaces(c))
		iface_source_read(&ifaces);
	*result = (struct selftest_result){ .suites = c->test.cnt };
	for (i = 0; i < c->test.cnt; i++) {
		const struct conf_test *t = &c->test.at[i];

		if (t->name)
			selftest_run_suite(
			    &(struct suite){ .conf = c, .ifaces = &ifaces }, t, ft, out,
			    result);
		else
			selftest_run_same(t, out, result);
	}
	if (c->test.cnt)
		strbuf_addf(out, "%u suite%s: %u passed, %u failed; %u assertion%s\n",
		    result->suites, plural(result->suites, "", "s"),
		    result->suites - result->failed, result->failed, result->assertions,
		    plural(result->assertions, "", "s"));
	else
		strbuf_addf(out, "%s: no test suites\n", c->path);
	filter_thread_free(ft);
	iface_source_fini(&ifaces);
}
