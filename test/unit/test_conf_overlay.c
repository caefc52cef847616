/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_conf_overlay checks which tables of a configuration are overlays, and that a
 * running table never becomes an overlay. */
#include "test/lib/conf_text.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/conf_overlay.h"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

#include <bsd/string.h>

#define BGP(name, nr, table, more)                                                       \
	"protocol bgp " name " { local 127.0.0.1 as 65000; neighbor 127.0.1." nr         \
	" as 6500" nr "; ipv4 { table " table "; import all; export all; " more          \
	" }; }\n"
#define PIPE(name, table, more)                                                          \
	"protocol pipe " name " { table master4; peer table " table                      \
	"; import all; " more " }\n"

/* over_base_of - which table @name lies over in @text; NULL: none. Static until the next
 * call. */
static const char *
test_conf_overlay_base_of(const char *text, const char *name)
{
	static char found[32];
	const struct conf_table *t;
	struct filter_rig r;
	const char *base = NULL;

	filter_rig_init(&r);
	assert_true(filter_rig_config(&r, text));
	t = config_find_table(r.cfg, name);
	assert_non_null(t);
	if (conf_table_base(t)) {
		strlcpy(found, conf_table_base(t)->name, sizeof(found));
		base = found;
	}
	filter_rig_fini(&r);
	return base;
}

static void
test_conf_overlay_over(const char *text)
{
	const char *base = test_conf_overlay_base_of(text, "t1");

	assert_non_null(base);
	assert_string_equal(base, "master4");
	assert_null(test_conf_overlay_base_of(text, "master4"));
}

static void
not_over(const char *text)
{
	assert_null(test_conf_overlay_base_of(text, "t1"));
	assert_null(test_conf_overlay_base_of(text, "master4"));
}

#define T1  "ipv4 table t1;\n"
#define ONE BGP("p1", "1", "t1", "")

static void
test_over(void **state)
{
	(void)state;
	test_conf_overlay_over(T1 ONE PIPE("x", "t1", "export all;"));
	test_conf_overlay_over(T1 ONE PIPE("x", "t1", "export none;"));
	test_conf_overlay_over(
	    T1 BGP("p1", "1", "t1", "add paths rx; secondary off; export table on;")
		PIPE("x", "t1", "export where (0, 1) ~ bgp_community; import limit 3;"));
	test_conf_overlay_over(
	    T1 ONE PIPE("x", "t1", "export filter { preference = 5; accept; };"));
	test_conf_overlay_over(T1 "roa4 table r;\n" ONE PIPE(
	    "x", "t1", "export where roa_check(r, net, bgp_path.last) != ROA_INVALID;"));
	/* the other way round, and beside others on the common table */
	test_conf_overlay_over(
	    T1 ONE BGP("p2", "2", "master4", "add paths tx;") BGP("p3", "3", "master4",
		"") "protocol pipe x { table t1; peer table master4; import all; export "
		    "all; }\n");
}

static void
test_not_over(void **state)
{
	(void)state;
	/* who else is there */
	not_over(T1 ONE);
	not_over(T1 PIPE("x", "t1", "export all;"));
	not_over(T1 ONE BGP("p2", "2", "t1", "") PIPE("x", "t1", "export all;"));
	not_over(T1 ONE
	    "protocol static s { ipv4 { table t1; }; }\n" PIPE("x", "t1", "export all;"));
	not_over(T1
	    "protocol static s { ipv4 { table t1; }; }\n" PIPE("x", "t1", "export all;"));
	not_over(T1 ONE PIPE("x", "t1", "export all;") PIPE("y", "t1", "export all;"));
	not_over(T1 "protocol bgp p1 { local 127.0.0.1 as 65000; neighbor range "
		    "127.0.1.0/24 external; ipv4 { table t1; import all; export all; "
		    "}; }\n" PIPE("x", "t1", "export all;"));
	/* what it takes */
	not_over(T1 BGP("p1", "1", "t1", "add paths tx;") PIPE("x", "t1", "export all;"));
	/* what stands on the pipe */
	not_over(T1 ONE PIPE("x", "t1", "export all; export limit 5;"));
	not_over(T1 ONE PIPE("x", "t1", "export in 10.0.0.0/8 all;"));
	/* who else asks for its routes */
	not_over(T1 ONE PIPE("x", "t1", "export all;") "protocol static s { ipv4; igp "
						       "table t1; }\n");
	/* two that could lie over each other */
	not_over(T1 ONE BGP("p2", "2", "master4", "") PIPE("x", "t1", "export all;"));
	/* VRPs */
	assert_null(test_conf_overlay_base_of(
	    "roa4 table master4r; roa4 table t1;\nprotocol static s { "
	    "roa4 { table t1; }; }\nprotocol pipe x { table master4r; "
	    "peer table t1; import all; export all; }\n",
	    "t1"));
}

/* diff - what conf_proto_diff says of p1. */
static uint32_t
test_conf_overlay_diff(const char *one, const char *other)
{
	struct filter_rig a, b;
	uint32_t change;

	filter_rig_init(&a);
	filter_rig_init(&b);
	assert_true(filter_rig_config(&a, one));
	assert_true(filter_rig_config(&b, other));
	conf_overlays_keep(a.cfg, b.cfg);
	change = conf_proto_diff(
	    config_find_proto(a.cfg, "p1"), config_find_proto(b.cfg, "p1"));
	filter_rig_fini(&a);
	filter_rig_fini(&b);
	return change;
}

static void
test_change(void **state)
{
	static const char with[] = T1 ONE PIPE("x", "t1", "export all;");

	(void)state;
	assert_int_equal(
	    test_conf_overlay_diff(with, T1 ONE PIPE("y", "t1", "export none;")), 0);
	assert_int_equal(
	    test_conf_overlay_diff(with,
		T1 ONE PIPE("x", "t1", "export filter { preference = 5; accept; };")),
	    0);
	assert_int_equal(test_conf_overlay_diff(with, T1 ONE), CONF_CH_INPLACE);
	assert_int_equal(test_conf_overlay_diff(
			     with, T1 ONE PIPE("x", "t1", "export all; export limit 5;")),
	    CONF_CH_INPLACE);
}

/* A running table that is no overlay stays so; one that nobody uses may become one. */
static void
test_keep(void **state)
{
	static const char with[] = T1 ONE PIPE("x", "t1", "export all;");
	struct filter_rig a, b;

	(void)state;
	assert_int_equal(test_conf_overlay_diff(T1 ONE, with), 0);
	filter_rig_init(&a);
	filter_rig_init(&b);
	assert_true(filter_rig_config(&a, T1));
	assert_true(filter_rig_config(&b, with));
	conf_overlays_keep(a.cfg, b.cfg);
	assert_non_null(conf_table_base(config_find_table(b.cfg, "t1")));
	filter_rig_fini(&a);
	filter_rig_init(&a);
	assert_true(filter_rig_config(&a, with));
	conf_overlays_keep(a.cfg, b.cfg);
	assert_non_null(conf_table_base(config_find_table(b.cfg, "t1")));
	filter_rig_fini(&a);
	filter_rig_init(&a);
	assert_true(filter_rig_config(&a, T1 ONE));
	conf_overlays_keep(a.cfg, b.cfg);
	assert_null(conf_table_base(config_find_table(b.cfg, "t1")));
	filter_rig_fini(&a);
	filter_rig_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_over),
		cmocka_unit_test(test_not_over),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
