/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items of sets read by conf_run.c against the lexer and the grammar: what they make of
 * the same text, errors and their positions included. A comment in front of an item keeps
 * conf_run.c away from it; blanks of the same length don't. */
#include "nest/conf/conf_parse.h"
#include "filter/run/value.h"
#include "test/lib/filter_run.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

static const char *const prefix_items[] = { "10.0.0.0/8", "10.1.0.0/16+", "10.2.0.0/16-",
	"192.168.1.0/24{24,32}", "1.2.3.4/32", "0.0.0.0/0{25,32}",
	"203.0.113.0/24 {24, 25}", "198.51.100.0/24{25,\t26}", "2001:db8::/32",
	"2001:DB8:1::/48{48,64}", "::/0{49,128}", "::1/128", "2a00::/12-",
	"1:2:3:4:5:6:7:8/128", "1:2:3:4:5:6:7::/112+", "::2/127", "2000::/3{16 , 48}",
	"fe80:0:0:0:1:0:0:0/80", "::ffff:0:0/96", "P8", "P8+",
	"100.64.0.0/10 # blank, comment\n" };

static const char *const number_items[] = { "0", "1", "64512..65534", "4294967295", "007",
	"23456", "100..100", "3 .. 5", "0x10", "7..0x9", "12\n", "N", "(3+4)" };

static const char *const bad_items[] = { "10.0.0.1/8", "10.0.0.0/33", "10.0.256.0/24",
	"10.0.0.0/8{9,8}", "10.0.0.0/24{24,33}", "1.2.3/24", "2001:db8::1/32",
	"1::2::/64", "1:2:3:4:5:6:7:8:9/64", "1:2:3/48", "12345::/16", "2001:db8::/129",
	"5..4", "4294967296", "99999999999999999999", "unknown", "10.0.0.0", "::1", "1 2",
	"10.0.0.0/8 10.0.0.0/8", "1...2", "1.", "", "1:", "(1,2)", "10.0.0.0/8++",
	"[ 1 ]", "1..", "::ffff:1.2.3.0/120" };

/* One literal of @cnt items, with @sign in front of each. */
static void
test_conf_run_literal(
    struct strbuf *b, const char *const *item, uint32_t cnt, const char *sign)
{
	uint32_t i;

	strbuf_adds(b, "define P8 = 11.0.0.0/8; define N = 77;\ndefine S = [");
	for (i = 0; i < cnt; i++)
		strbuf_addf(
		    b, "%s%s%s%s", i ? "," : "", i % 3 ? "" : "\n\t", sign, item[i]);
	strbuf_adds(b, "];\n");
}

static void
test_conf_run_read_both(struct filter_rig *fast, struct filter_rig *slow,
    const char *const *item, uint32_t cnt)
{
	struct strbuf x, y;

	strbuf_init(&x);
	strbuf_init(&y);
	test_conf_run_literal(&x, item, cnt, "    ");
	test_conf_run_literal(&y, item, cnt, "/**/");
	if (filter_rig_config(fast, x.s) != filter_rig_config(slow, y.s) ||
	    strcmp(fast->d.errors.s, slow->d.errors.s))
		fail_msg("%s\nat once: %s\none by one: %s", x.s, fast->d.errors.s,
		    slow->d.errors.s);
	if (fast->cfg) {
		struct fvalue a = sym_find(fast->cfg->symbols, "S")->value;
		struct fvalue b = sym_find(slow->cfg->symbols, "S")->value;

		if (!fvalue_same(&a, &b))
			fail_msg("%s", x.s);
	}
	strbuf_fini(&x);
	strbuf_fini(&y);
}

static void
test_against_grammar(void **state)
{
	struct seed s = seed_start("conf_run");
	struct filter_rig fast, slow;
	const char *item[40];
	uint32_t round, i, cnt, accepted = 0, refused = 0;

	(void)state;
	filter_rig_init(&fast);
	filter_rig_init(&slow);
	fast.quiet = slow.quiet = true;
	for (round = 0; round < seed_rounds(400); round++) {
		bool prefixes = seed_chance(&s, 2);

		cnt = 1 + seed_below(&s, ARRAY_LEN(item) - 1);
		for (i = 0; i < cnt; i++)
			item[i] =
			    prefixes
				? prefix_items[seed_below(&s, ARRAY_LEN(prefix_items))]
				: number_items[seed_below(&s, ARRAY_LEN(number_items))];
		if (seed_chance(&s, 2))
			item[seed_below(&s, cnt)] =
			    bad_items[seed_below(&s, ARRAY_LEN(bad_items))];
		if (seed_chance(&s, 10))
			item[seed_below(&s, cnt)] = prefixes ? "1" : "10.0.0.0/8";
		test_conf_run_read_both(&fast, &slow, item, cnt);
		*(fast.cfg ? &accepted : &refused) += 1;
	}
	assert_true(accepted > 50 && refused > 50);
	filter_rig_fini(&fast);
	filter_rig_fini(&slow);
}

/* Each item alone, so that nothing depends on chance. */
static void
test_each(void **state)
{
	struct filter_rig fast, slow;
	unsigned i;

	(void)state;
	filter_rig_init(&fast);
	filter_rig_init(&slow);
	fast.quiet = slow.quiet = true;
	for (i = 0; i < ARRAY_LEN(prefix_items); i++)
		test_conf_run_read_both(&fast, &slow, &prefix_items[i], 1);
	for (i = 0; i < ARRAY_LEN(number_items); i++)
		test_conf_run_read_both(&fast, &slow, &number_items[i], 1);
	for (i = 0; i < ARRAY_LEN(bad_items); i++)
		test_conf_run_read_both(&fast, &slow, &bad_items[i], 1);
	filter_rig_fini(&fast);
	filter_rig_fini(&slow);
}

/* A long run ends early when nobody wants the configuration any more. */
static void
test_stop(void **state)
{
	struct pub32 stop;
	struct conf_env env = { .stop = &stop };
	struct conf_ctx c = { .env = &env };
	struct set_lit *l;
	struct src_pos pos;
	struct strbuf b;
	struct diag d;

	(void)state;
	strbuf_init(&b);
	for (uint32_t i = 0; i < 20000; i++)
		strbuf_adds(&b, "1,");
	strbuf_adds(&b, "1]");
	diag_init(&d);
	c.diag = &d;
	c.arena = &c.scratch;
	arena_init(&c.scratch, MEM_CONFIG, 4096);
	c.ast = (struct ast){ .scratch = &c.scratch, .diag = &d };
	conf_lex_init(&c);
	conf_lex_text(&c, "t", b.s, b.len);
	for (uint32_t on = 0; on < 2; on++) {
		const char *end;

		store_relaxed32(&stop, on);
		end = conf_run(&c, c.file->df.text, &pos, &l);
		assert_int_equal(*end, on ? ',' : ']');
		assert_int_equal(d.error_cnt, on);
	}
	conf_lex_fini(&c);
	arena_fini(&c.scratch);
	diag_fini(&d);
	strbuf_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_stop),
	cmocka_unit_test(test_each),
	cmocka_unit_test(test_against_grammar),
};

UNIT_MAIN(tests)
