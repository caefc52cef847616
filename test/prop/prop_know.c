/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prop_know checks the known facts of filters: random filters run on random routes, of
 * which something is changed that the filter is said not to read. Verdict, what is
 * printed, and whatever is written must stay the same; what isn't written must stay as it
 * was. The same is asked of what a single run says that it read. And filters that are
 * called the same must answer the same. What is said of routes without communities
 * (filter_bare) must hold for all of them. */
#include "filter/run/know.h"
#include "test/lib/filter_gen.h"
#include "filter/run/builtin/builtin.h"
#include "lib/attr/community.h"
#include "test/lib/unit.h"

/* What came of a run. */
struct answer {
	enum filter_verdict verdict;
	struct strbuf log;
	uint32_t reads;
};

/* ---- what is shown ---- */

static void
prop_know_run(
    struct answer *a, struct world *w, struct filter_rig *r, const struct filter *f)
{
	strbuf_reset(&r->log);
	r->now_ns += 1000000000000u; /* each failure is told */
	a->verdict = filter_run(f, r->thread, &r->env, &w->view, &w->edit, &a->reads);
	strbuf_init(&a->log);
	strbuf_adds(&a->log, r->log.s);
}

/* Error messages name the route: that is no fact that the filter reads. */
static void
cut_route(struct strbuf *b)
{
	char *p = strstr(b->s, ", route ");

	if (p)
		strbuf_truncate(b, (size_t)(p - b->s));
}

/* The octets of @in as they are after the run. */
static void
prop_know_value_of(struct strbuf *out, const struct world *w, const struct filter_gen *g,
    enum gen_input in)
{
	static const uint8_t code[IN_CNT] = { [IN_ORIGIN] = ATTR_ORIGIN,
		[IN_PATH] = ATTR_AS_PATH,
		[IN_NEXT_HOP] = ATTR_NEXT_HOP,
		[IN_MED] = ATTR_MED,
		[IN_LOCAL_PREF] = ATTR_LOCAL_PREF,
		[IN_COMMUNITY] = ATTR_COMMUNITY,
		[IN_ORIGINATOR] = ATTR_ORIGINATOR_ID,
		[IN_EXT] = ATTR_EXT_COMMUNITY,
		[IN_LARGE] = ATTR_LARGE_COMMUNITY,
		[IN_OTC] = ATTR_OTC,
		[IN_WIRE] = GEN_WIRE_CODE };
	struct custom_item c;
	struct attr_item it;

	strbuf_reset(out);
	if (code[in] && attr_edit_get(&w->edit, code[in], &it)) {
		strbuf_addc(out, '=');
		strbuf_add(out, (const char *)it.val, it.len);
	} else if ((in == IN_OWN_INT || in == IN_OWN_LIST) &&
		   attr_edit_get_custom(
		       &w->edit, in == IN_OWN_INT ? g->own_i : g->own_l, &c)) {
		strbuf_addc(out, '=');
		strbuf_add(out, c.val, c.len);
	} else if (in == IN_DEST) {
		strbuf_addf(out, "%u", w->edit.local.dest);
	} else if (in == IN_PREFERENCE) {
		strbuf_addf(out, "%u", w->edit.local.preference);
	} else if (in == IN_IGP) {
		strbuf_addf(out, "%u", w->edit.local.igp_metric);
	} else if (in == IN_SOURCE) {
		strbuf_addf(out, "%u", w->edit.local.rts);
	}
}

static bool
same_value(const struct world *a, const struct world *b, const struct filter_gen *g,
    enum gen_input in)
{
	struct strbuf x, y;
	bool same;

	strbuf_init(&x);
	strbuf_init(&y);
	prop_know_value_of(&x, a, g, in);
	prop_know_value_of(&y, b, g, in);
	same = x.len == y.len && !memcmp(x.s, y.s, x.len);
	strbuf_fini(&x);
	strbuf_fini(&y);
	return same;
}

static uint32_t
custom_id(const struct filter_gen *g, enum gen_input in)
{
	return in == IN_OWN_INT    ? g->own_i
	       : in == IN_OWN_LIST ? g->own_l
				   : 0x10000u | GEN_WIRE_CODE;
}

static bool
prop_know_bit(const uint64_t *w, uint32_t i)
{
	return w[i / 64] >> (i % 64) & 1;
}

static bool
prop_know_reads(const struct fknow *k, const struct filter_gen *g, enum gen_input in)
{
	const struct fknow_attrs *a = &k->read;
	uint32_t id;

	if (in < IN_OWN_INT)
		return prop_know_bit(a->named, (uint32_t)route_attr_find(gen_names[in]));
	id = custom_id(g, in);
	return id & ROUTE_WIRE ? prop_know_bit(a->wire, id & 0xff)
			       : prop_know_bit(a->custom, id);
}

static bool
prop_know_writes(const struct fknow *k, const struct filter_gen *g, enum gen_input in)
{
	return in >= IN_OWN_INT ? fknow_writes_custom(k, custom_id(g, in))
				: fknow_writes_attr(k, gen_names[in]);
}

/* Both runs must come to the same. @but: the input in which the routes differ; what
 * wasn't written there differs still. */
static void
check_same(const struct answer *x, const struct answer *y, const struct world *a,
    const struct world *b, const struct filter_gen *g, enum gen_input but,
    const char *text)
{
	unsigned i;

	if (x->verdict != y->verdict || strcmp(x->log.s, y->log.s))
		fail_msg("%s\ndiffers by %s: %d %s, %d %s", text,
		    but < IN_CNT ? gen_names[but] : "nothing", x->verdict, x->log.s,
		    y->verdict, y->log.s);
	for (i = 0; i < IN_CNT && x->verdict == FILTER_ACCEPT; i++)
		if (i != but && !same_value(a, b, g, (enum gen_input)i))
			fail_msg("%s\nwrites another %s if %s differs", text,
			    gen_names[i], but < IN_CNT ? gen_names[but] : "nothing");
}

/* One input that isn't read (by knowledge, or by what the run says) is changed. */
static void
prop_know_change_one(struct filter_gen *g, struct filter_rig *r, const struct filter *f,
    const struct fknow *k, const struct world *from, enum gen_input in)
{
	static const uint32_t fact[IN_CNT] = { [IN_NET] = FILTER_READ_NET,
		[IN_PROTO] = FILTER_READ_SOURCE,
		[IN_FROM] = FILTER_READ_SOURCE };
	struct world a = { 0 }, b = { 0 };
	struct answer x, y;

	memcpy(a.variant, from->variant, sizeof(a.variant));
	memcpy(b.variant, from->variant, sizeof(b.variant));
	b.variant[in] = (uint8_t)((b.variant[in] + 1 + gen_below(g, GEN_VARIANTS - 1)) %
				  GEN_VARIANTS);
	world_make(&a, g);
	world_make(&b, g);
	prop_know_run(&x, &a, r, f);
	prop_know_run(&y, &b, r, f);
	cut_route(&x.log);
	cut_route(&y.log);
	if (!prop_know_reads(k, g, in) ||
	    (fact[in] && !(x.reads & (fact[in] | FILTER_READ_VOLATILE)))) {
		check_same(&x, &y, &a, &b, g, in, g->b.s);
		/* always written means equal now; never written means what it was */
		if (!prop_know_writes(k, g, in) && in > IN_FROM &&
		    x.verdict == FILTER_ACCEPT) {
			struct world fresh = { 0 };

			memcpy(fresh.variant, b.variant, sizeof(b.variant));
			world_make(&fresh, g);
			assert_true(same_value(&b, &fresh, g, in));
			world_free(&fresh);
		}
	}
	assert_int_equal(x.reads & ~filter_may_read(f) & ~FILTER_READ_VOLATILE, 0);
	strbuf_fini(&x.log);
	strbuf_fini(&y.log);
	world_free(&a);
	world_free(&b);
}

static const struct filter *
prop_know_filter_of(const struct filter_rig *r, const char *name)
{
	return sym_find(r->cfg->symbols, name)->filter;
}

/* Returns: false if it is refused, which must be for a constant that divides by zero
 * unless @changed: a number was changed by chance. */
static bool
prop_know_parse(
    struct filter_gen *g, struct filter_rig *r, const char *text, bool changed)
{
	r->quiet = true;
	if (!filter_rig_config(r, text)) {
		if (!changed && !strstr(r->d.errors.s, "division by zero"))
			fail_msg("%s\n%s", text, r->d.errors.s);
		return false;
	}
	g->own_i = sym_find(r->cfg->symbols, "own_i")->slot;
	g->own_l = sym_find(r->cfg->symbols, "own_l")->slot;
	return true;
}

static unsigned long bare;

/* bare_one - @from without the lists that @f asks for. */
static void
bare_one(struct filter_gen *g, struct filter_rig *r, const struct filter *f,
    const struct world *from)
{
	static const uint8_t input[] = {
		[COMM_STD] = IN_COMMUNITY, [COMM_EXT] = IN_EXT, [COMM_LARGE] = IN_LARGE
	};
	struct world w = { 0 };
	enum filter_verdict v;
	struct answer a;
	uint8_t lists;

	if (!filter_bare(f, &v, &lists))
		return;
	bare += lists != 0;
	memcpy(w.variant, from->variant, sizeof(w.variant));
	for (unsigned i = 0; i < ARRAY_LEN(input); i++)
		if (lists >> i & 1)
			w.variant[input[i]] = 0;
	world_make(&w, g);
	prop_know_run(&a, &w, r, f);
	if (a.verdict != v || a.log.len ||
	    (v == FILTER_ACCEPT && attr_edit_changed(&w.edit)))
		fail_msg("%s\nsays %d %s, not %d", g->b.s, a.verdict, a.log.s, v);
	assert_false(a.reads);
	strbuf_fini(&a.log);
	world_free(&w);
}

/* How often inputs weren't read: a generator whose filters read everything would show
 * nothing. */
static unsigned long unread, looked;

static void
know_round(struct filter_gen *g, struct filter_rig *r)
{
	struct world from = { 0 };
	const struct filter *f;
	struct fknow k;
	unsigned i;

	strbuf_reset(&g->b);
	gen_text_add(g, gen_header);
	gen_filter(g, "f");
	if (!prop_know_parse(g, r, g->b.s, false))
		return;
	f = prop_know_filter_of(r, "f");
	fcode_know(&k, &f->code);
	assert_false(k.unknown);
	assert_int_equal(k.reads, filter_may_read(f));
	world_random(&from, g);
	for (i = 0; i < IN_CNT; i++) {
		unread += !prop_know_reads(&k, g, (enum gen_input)i);
		looked++;
		assert_true(
		    !prop_know_writes(&k, g, (enum gen_input)i) || filter_may_write(f));
		prop_know_change_one(g, r, f, &k, &from, (enum gen_input)i);
	}
	bare_one(g, r, f, &from);
}

static void
test_know(void **state)
{
	struct filter_gen g = { .below = gen_from_seed, .s = seed_start("prop_know") };
	struct filter_rig r;
	uint32_t i;

	(void)state;
	filter_rig_init(&r);
	strbuf_init(&g.b);
	for (i = 0; i < seed_rounds(1500); i++)
		know_round(&g, &r);
	assert_true(unread * 4 > looked && unread * 10 < looked * 9);
	assert_true(bare > 5);
	strbuf_fini(&g.b);
	filter_rig_fini(&r);
}

/* ---- sameness ---- */

/* The text of the filter with other names, other places, and other ways to say the
 * same. */
static void
prop_know_disguise(struct filter_gen *g, struct strbuf *out, const char *text)
{
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\n' && gen_chance(g, 2))
			strbuf_adds(out, " # other\n\n");
		else if (*p == 'v' && p[1] >= '0' && p[1] <= '9' && strchr(" (", p[-1]))
			strbuf_adds(out, "var_");
		else if (*p == '(' && gen_chance(g, 8))
			strbuf_adds(out, "( ");
		else
			strbuf_addc(out, *p);
	}
}

/* One digit of the text becomes another. */
static void
prop_know_mutate(struct filter_gen *g, struct strbuf *out, const char *text)
{
	size_t len = strlen(text), at = gen_below(g, (uint32_t)len), i, base = out->len;

	for (i = 0; i < len; i++, at = (at + 1) % len)
		if (at && text[at] >= '1' && text[at] <= '3' &&
		    strchr("0123456789 (", text[at - 1]))
			break;
	strbuf_adds(out, text);
	if (i < len)
		out->s[base + at] = (char)(text[at] + 1);
}

static void
same_round(struct filter_gen *g, struct filter_rig *r, unsigned long *differ)
{
	struct strbuf all, other;
	struct world from = { 0 };
	const char *body, *const kind[] = { "g", "h" };
	unsigned i, j;

	strbuf_reset(&g->b);
	gen_filter(g, "f");
	body = strchr(g->b.s, '{');
	strbuf_init(&all);
	strbuf_init(&other);
	strbuf_adds(&all, gen_header);
	strbuf_adds(&all, g->b.s);
	strbuf_adds(&all, "\nfilter g ");
	prop_know_disguise(g, &all, body);
	strbuf_adds(&all, "\nfilter h ");
	prop_know_mutate(g, &all, body);
	if (!prop_know_parse(g, r, all.s, true))
		goto out;
	assert_true(
	    filter_same(prop_know_filter_of(r, "f"), prop_know_filter_of(r, "g")));
	*differ += !filter_same(prop_know_filter_of(r, "f"), prop_know_filter_of(r, "h"));
	for (i = 0; i < 2; i++) {
		const struct filter *f = prop_know_filter_of(r, "f"),
				    *h = prop_know_filter_of(r, kind[i]);

		if (!filter_same(f, h))
			continue;
		for (j = 0; j < 4; j++) {
			struct world a = { 0 }, b = { 0 };
			struct answer x, y;

			world_random(&from, g);
			memcpy(a.variant, from.variant, sizeof(a.variant));
			memcpy(b.variant, from.variant, sizeof(b.variant));
			world_make(&a, g);
			world_make(&b, g);
			prop_know_run(&x, &a, r, f);
			prop_know_run(&y, &b, r, h);
			strbuf_truncate(&x.log, 0);
			strbuf_truncate(&y.log, 0);
			check_same(&x, &y, &a, &b, g, IN_CNT, all.s);
			strbuf_fini(&x.log);
			strbuf_fini(&y.log);
			world_free(&a);
			world_free(&b);
		}
	}
out:
	strbuf_fini(&all);
	strbuf_fini(&other);
}

static void
test_same(void **state)
{
	struct filter_gen g = { .below = gen_from_seed, .s = seed_start("prop_know") };
	unsigned long differ = 0;
	struct filter_rig r;
	uint32_t i, rounds = seed_rounds(1000);

	(void)state;
	filter_rig_init(&r);
	strbuf_init(&g.b);
	for (i = 0; i < rounds; i++)
		same_round(&g, &r, &differ);
	assert_true(differ * 4 > rounds);
	strbuf_fini(&g.b);
	filter_rig_fini(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_know),
	cmocka_unit_test(test_same),
};

UNIT_MAIN(tests)
