/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of other kinds than IPv4 and IPv6: RDs, order, membership, sets of RDs. */
#include "filter/run/net.c"
#include "filter/run/value.h"
#include "filter/set/set.h"
#include "test/lib/unit.h"

struct rig {
	struct arena a;
	struct strbuf b;
};

static const char *
rd_text(struct rig *g, const char *s)
{
	uint32_t rd[2];

	strbuf_reset(&g->b);
	switch (rd_parse(rd, s)) {
	case 0:
		rd_print(&g->b, rd);
		return g->b.s;
	case -ERANGE:
		return "range";
	default:
		return "invalid";
	}
}

static void
test_rd(void **state)
{
	struct rig *g = *state;

	assert_string_equal(rd_text(g, "0:0"), "0:0");
	assert_string_equal(rd_text(g, "65535:4294967295"), "65535:4294967295");
	assert_string_equal(rd_text(g, "0:1:2"), "1:2");
	assert_string_equal(rd_text(g, "2:1:2"), "2:1:2");
	assert_string_equal(rd_text(g, "65536:65535"), "65536:65535");
	assert_string_equal(rd_text(g, "4294967295:0"), "4294967295:0");
	assert_string_equal(rd_text(g, "255.0.0.1:65535"), "255.0.0.1:65535");
	assert_string_equal(rd_text(g, "65536:65536"), "range");
	assert_string_equal(rd_text(g, "10.0.0.1:65536"), "range");
	assert_string_equal(rd_text(g, "0:65536:1"), "range");
	assert_string_equal(rd_text(g, "1:10:1"), "invalid");
	assert_string_equal(rd_text(g, "1.2.3:1"), "invalid");
	assert_string_equal(rd_text(g, "1"), "invalid");
	assert_string_equal(rd_text(g, "1:"), "invalid");
	assert_string_equal(rd_text(g, ":1"), "invalid");
}

static struct fvalue
rd_value(const char *s)
{
	struct fvalue v = { .type = T_RD };

	assert_int_equal(rd_parse(v.w, s), 0);
	return v;
}

/* A set of few RDs is searched, one of many is a hash table. */
static void
test_sets(void **state)
{
	struct rig *g = *state;
	struct fset_item item[100] = { 0 };
	const struct fset *s;
	struct fvalue v;

	for (unsigned cnt = 1; cnt <= 100; cnt += 33) {
		for (uint32_t i = 0; i < cnt; i++) {
			item[i] = (struct fset_item){ .elem = T_RD,
				.lo = { 2u << 16 | i, 7 },
				.hi = { 2u << 16 | i, 7 } };
			item[i].next = i ? &item[i - 1] : NULL;
		}
		s = fset_build(&g->a, T_RD, &item[cnt - 1], NULL, 0);
		assert_int_equal(s->type, T_SET_RD);
		for (uint32_t i = 0; i < 101; i++) {
			v = (struct fvalue){ .type = T_RD, .w = { 2u << 16 | i, 7 } };
			assert_int_equal(fset_has(s, &v), i < cnt);
			v.w[1] = 8;
			assert_false(fset_has(s, &v));
			v.w[0] &= 0xffff;
			assert_false(fset_has(s, &v));
		}
	}
	item[0] = (struct fset_item){ .elem = T_RD, .lo = { 5, 9 }, .hi = { 7, 3 } };
	s = fset_build(&g->a, T_RD, &item[0], NULL, 0);
	v = rd_value("6:4294967295");
	assert_true(fset_has(s, &v));
	v = rd_value("5:8");
	assert_false(fset_has(s, &v));
	v = rd_value("7:4");
	assert_false(fset_has(s, &v));
}

static struct fvalue
test_net_make(struct rig *g, const struct fnet *n)
{
	return fvalue_net(&g->a, n, NULL, 0);
}

/* A custom attribute keeps a network as octets. */
static void
test_octets(void **state)
{
	struct rig *g = *state;
	struct fvalue v = test_net_make(g, &(struct fnet){ .kind = NET_VPN4,
					       .fam = FAM_IP4,
					       .len = 8,
					       .rd = { 1, 2 },
					       .addr = ip4(10u << 24) });
	struct fvalue w;
	const void *p;
	uint32_t len;
	int c;

	p = fvalue_octets(&v, &len);
	assert_true(fvalue_from_octets(&w, T_PREFIX, arena_memdup(&g->a, p, len), len));
	assert_true(fvalue_same(&v, &w));
	strbuf_reset(&g->b);
	fvalue_print(&g->b, &w);
	assert_string_equal(g->b.s, "1:2 10.0.0.0/8");
	assert_false(fvalue_from_octets(&w, T_PREFIX, p, len - 8));
	w = v;
	assert_true(fvalue_set_key(&w));
	assert_false(fvalue_is_net(&w));
	assert_true(fvalue_cmp(&c, &v, &w));
	assert_true(c > 0);
	w = test_net_make(
	    g, &(struct fnet){ .kind = NET_MPLS, .fam = FAM_IP6, .num = 5 });
	assert_false(fvalue_set_key(&w));
	assert_int_equal(fvalue_place(&w).fam, FAM_CNT);
}

/* The order: kind, RD, prefix, then the rest; each pair both ways. */
static void
test_order(void **state)
{
	struct rig *g = *state;
	struct ip_addr ten = ip4(10u << 24), eleven = ip4(11u << 24);
	const struct fvalue v[] = {
		test_net_make(g,
		    &(struct fnet){
			.kind = NET_VPN4, .len = 8, .rd = { 1, 2 }, .addr = eleven }),
		test_net_make(g,
		    &(struct fnet){
			.kind = NET_VPN4, .len = 8, .rd = { 1, 3 }, .addr = ten }),
		test_net_make(g,
		    &(struct fnet){
			.kind = NET_VPN4, .len = 9, .rd = { 1, 3 }, .addr = ten }),
		test_net_make(g,
		    &(struct fnet){
			.kind = NET_ROA4, .len = 8, .len2 = 24, .num = 5, .addr = ten }),
		test_net_make(g,
		    &(struct fnet){
			.kind = NET_ROA4, .len = 8, .len2 = 24, .num = 6, .addr = ten }),
		test_net_make(g,
		    &(struct fnet){
			.kind = NET_ROA4, .len = 8, .len2 = 25, .num = 1, .addr = ten }),
		test_net_make(g,
		    &(struct fnet){ .kind = NET_ROA4, .len = 9, .len2 = 9, .addr = ten }),
		test_net_make(g, &(struct fnet){ .kind = NET_MPLS, .num = 1 }),
		test_net_make(g, &(struct fnet){ .kind = NET_MPLS, .num = 2 }),
	};

	for (unsigned i = 0; i < ARRAY_LEN(v); i++) {
		for (unsigned k = 0; k < ARRAY_LEN(v); k++) {
			int c;

			assert_true(fvalue_cmp(&c, &v[i], &v[k]));
			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
	}
}

static int
test_net_setup(void **state)
{
	struct rig *g = mem_zalloc(MEM_OTHER, sizeof(*g));

	arena_init(&g->a, MEM_OTHER, 4096);
	strbuf_init(&g->b);
	*state = g;
	return 0;
}

static int
test_net_teardown(void **state)
{
	struct rig *g = *state;

	arena_fini(&g->a);
	strbuf_fini(&g->b);
	mem_free(MEM_OTHER, g);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rd),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_octets),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, test_net_setup, test_net_teardown);
}
