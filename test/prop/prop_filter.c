/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random well-typed expressions: what the language gives, folded while parsing and run as
 * code, against values that are computed here while the expression is made up. */
#include "test/lib/filter_run.h"
#include "nest/conf/conf_load.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define VARS 4

/* An expression in the making: its text with constants, the same with variables, and its
 * value. */
struct expr {
	struct strbuf text, vars;
	uint32_t value;
	bool error; /* it divides by zero */
};

struct gen {
	struct seed s;
	uint32_t var[VARS]; /* values of a, b, c, d */
};

static void
expr_init(struct expr *e)
{
	strbuf_init(&e->text);
	strbuf_init(&e->vars);
	e->value = 0;
	e->error = false;
}

static void
expr_fini(struct expr *e)
{
	strbuf_fini(&e->text);
	strbuf_fini(&e->vars);
}

static void
prop_filter_both(struct expr *e, const char *s)
{
	strbuf_adds(&e->text, s);
	strbuf_adds(&e->vars, s);
}

static void
prop_filter_join(
    struct expr *e, const struct expr *x, const char *op, const struct expr *y)
{
	prop_filter_both(e, "(");
	strbuf_adds(&e->text, x->text.s);
	strbuf_adds(&e->vars, x->vars.s);
	prop_filter_both(e, op);
	strbuf_adds(&e->text, y->text.s);
	strbuf_adds(&e->vars, y->vars.s);
	prop_filter_both(e, ")");
}

static void make_int(struct gen *g, struct expr *e, unsigned depth);
static void make_bool(struct gen *g, struct expr *e, unsigned depth);

static void
make_leaf(struct gen *g, struct expr *e)
{
	uint32_t i = seed_below(&g->s, VARS);

	if (seed_chance(&g->s, 2)) {
		e->value = seed_chance(&g->s, 3) ? (uint32_t)seed_u64(&g->s)
						 : seed_below(&g->s, 5);
		strbuf_addf(&e->text, "%u", e->value);
		strbuf_addf(&e->vars, "0x%x", e->value);
	} else {
		e->value = g->var[i];
		strbuf_addf(&e->text, "%u", e->value);
		strbuf_addc(&e->vars, (char)('a' + i));
	}
}

static void
make_arith(struct gen *g, struct expr *e, unsigned depth)
{
	static const char *const ops[] = { " + ", " - ", " * ", " / ", " & ", " | " };
	unsigned op = seed_below(&g->s, ARRAY_LEN(ops));
	struct expr x, y;

	expr_init(&x);
	expr_init(&y);
	make_int(g, &x, depth - 1);
	make_int(g, &y, depth - 1);
	prop_filter_join(e, &x, ops[op], &y);
	e->error = x.error || y.error || (op == 3 && !y.value);
	switch (op) {
	case 0:
		e->value = x.value + y.value;
		break;
	case 1:
		e->value = x.value - y.value;
		break;
	case 2:
		e->value = x.value * y.value;
		break;
	case 3:
		e->value = y.value ? x.value / y.value : 0;
		break;
	case 4:
		e->value = x.value & y.value;
		break;
	default:
		e->value = x.value | y.value;
	}
	expr_fini(&x);
	expr_fini(&y);
}

/* An expression that isn't always evaluated may divide by zero, so only sound ones are
 * used there. */
static void
make_sound(struct gen *g, struct expr *e, unsigned depth, bool is_bool)
{
	do {
		strbuf_reset(&e->text);
		strbuf_reset(&e->vars);
		e->error = false;
		if (is_bool)
			make_bool(g, e, depth);
		else
			make_int(g, e, depth);
	} while (e->error);
}

static void
make_int(struct gen *g, struct expr *e, unsigned depth)
{
	if (!depth || seed_chance(&g->s, 4))
		make_leaf(g, e);
	else
		make_arith(g, e, depth);
}

static void
make_compare(struct gen *g, struct expr *e, unsigned depth)
{
	static const char *const ops[] = { " = ", " != ", " < ", " <= ", " > ", " >= " };
	unsigned op = seed_below(&g->s, ARRAY_LEN(ops));
	struct expr x, y;

	expr_init(&x);
	expr_init(&y);
	make_int(g, &x, depth - 1);
	make_int(g, &y, depth - 1);
	prop_filter_join(e, &x, ops[op], &y);
	e->error = x.error || y.error;
	e->value = op == 0   ? x.value == y.value
		   : op == 1 ? x.value != y.value
		   : op == 2 ? x.value < y.value
		   : op == 3 ? x.value <= y.value
		   : op == 4 ? x.value > y.value
			     : x.value >= y.value;
	expr_fini(&x);
	expr_fini(&y);
}

/* x ~ [ ... ] */
static void
make_member(struct gen *g, struct expr *e, unsigned depth)
{
	unsigned cnt = 1 + seed_below(&g->s, 30), i;
	struct expr x;

	expr_init(&x);
	make_int(g, &x, depth - 1);
	prop_filter_both(e, "(");
	strbuf_adds(&e->text, x.text.s);
	strbuf_adds(&e->vars, x.vars.s);
	prop_filter_both(e, " ~ [");
	for (i = 0; i < cnt; i++) {
		uint32_t lo = seed_chance(&g->s, 3) ? x.value - seed_below(&g->s, 3)
						    : (uint32_t)seed_u64(&g->s);
		uint32_t hi = lo + seed_below(&g->s, 3);
		char buf[64];

		if (hi < lo)
			hi = lo;
		snprintf(buf, sizeof(buf), "%s%u..%u", i ? ", " : "", lo, hi);
		prop_filter_both(e, buf);
		e->value |= x.value >= lo && x.value <= hi;
	}
	prop_filter_both(e, "])");
	e->error = x.error;
	expr_fini(&x);
}

static void
make_logic(struct gen *g, struct expr *e, unsigned depth)
{
	unsigned cnt = 2 + seed_below(&g->s, 3), i;
	struct expr x;

	prop_filter_both(e, "(");
	for (i = 0; i < cnt; i++) { /* one level of precedence, from the left */
		bool and = seed_chance(&g->s, 2);

		expr_init(&x);
		make_sound(g, &x, depth - 1, true);
		if (i)
			prop_filter_both(e, and? " && " : " || ");
		strbuf_adds(&e->text, x.text.s);
		strbuf_adds(&e->vars, x.vars.s);
		e->value = !i ? x.value : and? e->value && x.value : e->value || x.value;
		expr_fini(&x);
	}
	prop_filter_both(e, ")");
}

static void
make_bool(struct gen *g, struct expr *e, unsigned depth)
{
	struct expr x;

	e->value = 0;
	if (!depth) {
		e->value = seed_below(&g->s, 2);
		prop_filter_both(e, e->value ? "true" : "false");
		return;
	}
	switch (seed_below(&g->s, 4)) {
	case 0:
		make_logic(g, e, depth);
		break;
	case 1:
		make_member(g, e, depth);
		break;
	case 2:
		expr_init(&x);
		make_bool(g, &x, depth - 1);
		prop_filter_both(e, "!(");
		strbuf_adds(&e->text, x.text.s);
		strbuf_adds(&e->vars, x.vars.s);
		prop_filter_both(e, ")");
		e->value = !x.value;
		e->error = x.error;
		expr_fini(&x);
		break;
	default:
		make_compare(g, e, depth);
	}
}

/* What the language makes of @text; "error" for an error, whenever it is found. */
static void
prop_filter_evaluate(struct filter_rig *r, const char *text, struct strbuf *out)
{
	struct cli_expr *x;
	size_t used;

	strbuf_reset(out);
	x = cli_expr_parse(r->cfg, CLI_EXPR_EVAL, text, &used, out);
	if (!x || cli_expr_eval(x, r->thread, NULL, out)) {
		strbuf_reset(out);
		strbuf_adds(out, "error");
	} else {
		assert_int_equal(used, strlen(text));
	}
	cli_expr_free(x);
}

static void
prop_filter_one_round(struct gen *g, struct filter_rig *r)
{
	bool is_bool = seed_chance(&g->s, 2);
	struct strbuf want, got, conf;
	struct expr e;
	unsigned i;

	expr_init(&e);
	strbuf_init(&want);
	strbuf_init(&got);
	strbuf_init(&conf);
	for (i = 0; i < VARS; i++)
		g->var[i] = seed_chance(&g->s, 2) ? (uint32_t)seed_u64(&g->s)
						  : seed_below(&g->s, 4);
	if (is_bool)
		make_bool(g, &e, 4);
	else
		make_int(g, &e, 5);
	if (e.error)
		strbuf_adds(&want, "error");
	else if (is_bool)
		strbuf_adds(&want, e.value ? "TRUE" : "FALSE");
	else
		strbuf_addf(&want, "%u", e.value);
	prop_filter_evaluate(r, e.text.s, &got);
	assert_string_equal(got.s, want.s);
	/* the same as code: nothing can be folded */
	strbuf_addf(
	    &conf, "function f(int a; int b; int c; int d) { return %s; }", e.vars.s);
	if (filter_rig_config(r, conf.s)) {
		strbuf_reset(&conf);
		strbuf_addf(&conf, "f(%u, %u, %u, %u)", g->var[0], g->var[1], g->var[2],
		    g->var[3]);
		prop_filter_evaluate(r, conf.s, &got);
		assert_string_equal(got.s, want.s);
	} else { /* an error that is there whatever the variables are */
		assert_true(e.error);
		assert_true(filter_rig_config(r, ""));
	}
	expr_fini(&e);
	strbuf_fini(&want);
	strbuf_fini(&got);
	strbuf_fini(&conf);
}

static void
test_expressions(void **state)
{
	struct gen g = { .s = seed_start("prop_filter") };
	struct filter_rig r;
	uint32_t i;

	(void)state;
	filter_rig_init(&r);
	r.quiet = true;
	assert_true(filter_rig_config(&r, ""));
	for (i = 0; i < seed_rounds(2000); i++)
		prop_filter_one_round(&g, &r);
	filter_rig_fini(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_expressions),
};

UNIT_MAIN(tests)
