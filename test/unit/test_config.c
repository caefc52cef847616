/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations as their users see them: what changed between two, includes, expressions
 * of commands, ids of custom attributes over reconfigurations. */
#include "test/lib/conf_text.h"
#include "nest/conf/conf_load.h"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define BGP(options, channel)                                                            \
	"protocol bgp p { local 127.0.0.1 as 65000; neighbor 127.0.1.1 as "              \
	"65001; " options " ipv4 { import all; export all; " channel " }; }"

/* What conf_proto_diff says of the instance `p` in two configurations. */
static uint32_t
test_config_diff(const char *one, const char *other)
{
	struct filter_rig a, b;
	uint32_t change;

	filter_rig_init(&a);
	filter_rig_init(&b);
	assert_true(filter_rig_config(&a, one));
	assert_true(filter_rig_config(&b, other));
	change = conf_proto_diff(
	    config_find_proto(a.cfg, "p"), config_find_proto(b.cfg, "p"));
	assert_int_equal(change, conf_proto_diff(config_find_proto(b.cfg, "p"),
				     config_find_proto(a.cfg, "p")));
	filter_rig_fini(&a);
	filter_rig_fini(&b);
	return change;
}

static void
test_diff(void **state)
{
	(void)state;
	assert_int_equal(test_config_diff(BGP("", ""), BGP("", "")), 0);
	/* defaults that are given, and templates, make no difference */
	assert_int_equal(test_config_diff(BGP("", ""),
			     BGP("hold time 240; passive off;", "preference 100;")),
	    0);
	assert_int_equal(
	    test_config_diff(BGP("", ""), "template bgp t { local 127.0.0.1 as 65000; "
					  "ipv4 { import all; export none; }; }\n"
					  "protocol bgp p from t { neighbor 127.0.1.1 "
					  "as 65001; ipv4 { export all; }; }"),
	    0);
	assert_int_equal(
	    test_config_diff(BGP("hold time 90;", ""), BGP("hold time 60;", "")),
	    CONF_CH_INPLACE);
	assert_int_equal(test_config_diff(BGP("description \"a\";", ""),
			     BGP("description \"b\";", "")),
	    CONF_CH_INPLACE);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("", "import limit 5;")), CONF_CH_LIMIT);
	assert_int_equal(test_config_diff(BGP("", "import limit 5;"),
			     BGP("", "import limit 5 action warn;")),
	    CONF_CH_LIMIT);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("", "import none;")), CONF_CH_IMPORT);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("", "export where net.len > 3;")),
	    CONF_CH_EXPORT);
	assert_int_equal(
	    test_config_diff(BGP("", "export where net.len > 3;"),
		"define three = 3;" BGP("", "export where  net.len > three;")),
	    0);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("", "next hop self;")), CONF_CH_EXPORT);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("passive;", "")), CONF_CH_RESTART);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("password \"x\";", "")) & CONF_CH_RESTART,
	    CONF_CH_RESTART);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("disabled;", "")), CONF_CH_RESTART);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("", "import table on;")), CONF_CH_RESTART);
	assert_int_equal(test_config_diff("ipv4 table t;" BGP("", ""),
			     "ipv4 table t;" BGP("", "table t;")),
	    CONF_CH_RESTART);
	assert_int_equal(test_config_diff(BGP("", ""), BGP("", "") "router id 9.9.9.9;") &
			     CONF_CH_RESTART,
	    CONF_CH_RESTART);
	assert_int_equal(
	    test_config_diff(BGP("", ""), BGP("ipv6 { import all; export all; };", "")) &
		CONF_CH_RESTART,
	    CONF_CH_RESTART);
	assert_int_equal(test_config_diff(BGP("hold time 90;", "import none;"),
			     BGP("", "export none;")),
	    CONF_CH_INPLACE | CONF_CH_IMPORT | CONF_CH_EXPORT);
}

/* @used: where the rest of the command begins. */
static void
one_expr(const struct config *c, enum cli_expr_kind k, const char *text, const char *rest,
    const char *error)
{
	struct strbuf err;
	struct cli_expr *x;
	size_t used;

	strbuf_init(&err);
	x = cli_expr_parse(c, k, text, &used, &err);
	if (error) {
		assert_null(x);
		assert_non_null(strstr(err.s, error));
	} else {
		assert_non_null(x);
		assert_string_equal(text + used, rest);
		assert_non_null(cli_expr_filter(x));
	}
	cli_expr_free(x);
	strbuf_fini(&err);
}

static void
test_expressions(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, "define n = 5; filter f { accept; }"
					  " function up(int i) { return i + 1; }"));
	one_expr(g.cfg, CLI_EXPR_WHERE, "net ~ [10.0.0.0/8+] all", " all", NULL);
	one_expr(g.cfg, CLI_EXPR_WHERE, "net ~ 10.0.0.0/8 all", " all", NULL);
	one_expr(g.cfg, CLI_EXPR_WHERE, "bgp_path.len > n count", " count", NULL);
	one_expr(g.cfg, CLI_EXPR_WHERE, "bgp_path ~ [= 1 * =] protocol p1 all",
	    " protocol p1 all", NULL);
	one_expr(g.cfg, CLI_EXPR_WHERE, "(1,2) ~ bgp_community && up(n) = 6", "", NULL);
	one_expr(g.cfg, CLI_EXPR_WHERE, "(proto = \"p1\" || from = 1.2.3.4) primary",
	    " primary", NULL);
	one_expr(g.cfg, CLI_EXPR_FILTER, "f all", " all", NULL);
	one_expr(g.cfg, CLI_EXPR_FILTER, "{ if net.len > 3 then accept; reject; } count",
	    " count", NULL);
	one_expr(g.cfg, CLI_EXPR_EVAL, "up(n)", "", NULL);
	one_expr(
	    g.cfg, CLI_EXPR_WHERE, "bgp_path.len >", NULL, "unexpected end of command");
	one_expr(g.cfg, CLI_EXPR_WHERE, "bgp_path.len", NULL, "true or false");
	one_expr(g.cfg, CLI_EXPR_FILTER, "nobody", NULL, "no filter 'nobody'");
	one_expr(g.cfg, CLI_EXPR_EVAL, "", NULL, "unexpected end");
	one_expr(g.cfg, CLI_EXPR_EVAL, "foo", NULL, "no symbol 'foo'");
	filter_rig_fini(&g);
}

static void
test_custom_ids(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, "attribute int a; attribute string b;"));
	assert_int_equal(sym_find(g.cfg->symbols, "b")->slot, 2);
	/* another order, another type, a new one: ids of names and types stay */
	assert_true(filter_rig_config(
	    &g, "attribute string b; attribute ip a; attribute int c;"));
	assert_int_equal(sym_find(g.cfg->symbols, "b")->slot, 2);
	assert_int_equal(sym_find(g.cfg->symbols, "a")->slot, 3);
	assert_int_equal(sym_find(g.cfg->symbols, "c")->slot, 4);
	assert_int_equal(g.cfg->custom.cnt, 4);
	assert_string_equal(g.cfg->custom.at[0].name, "a");
	assert_int_equal(g.cfg->custom.at[0].type, T_INT);
	filter_rig_fini(&g);
}

static void
test_config_put(const char *dir, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A pattern whose own folder can be read, and not one that is like it: as another user,
 * since root may read all. */
static void
unreadable_folder(const char *dir, const struct conf_env *env, struct diag *d)
{
	char path[300];
	struct config *c;
	bool root = !geteuid();

	test_config_put(
	    dir, "none.conf", "\ninclude \"mem*/*.conf\";\nprotocol device {}\n");
	snprintf(path, sizeof(path), "%s/members", dir);
	assert_int_equal(mkdir(path, 0), 0);
	snprintf(path, sizeof(path), "%s/none.conf", dir);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(root ? seteuid(65534) : 0, 0);
	c = config_parse(path, env, d);
	assert_int_equal(root ? seteuid(0) : 0, 0);
	assert_null(c);
	assert_non_null(strstr(d->errors.s, "/none.conf:2:9 can't look for "));
	assert_non_null(strstr(d->errors.s, "/mem*/*.conf: Permission denied"));
}

/* A user who may not pass a folder learns nothing about the files below the folder. */
static void
closed_folder(const char *dir, const struct conf_env *env)
{
	static const char *const line[] = { "include \"shut/none.conf\";",
		"include \"shut/none*\";", "include \"shut/x/none\";" };
	char path[300];
	struct diag d;

	snprintf(path, sizeof(path), "%s/shut", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	for (unsigned i = 0; i <= ARRAY_LEN(line); i++) {
		if (i < ARRAY_LEN(line))
			test_config_put(dir, "asks.conf", line[i]);
		snprintf(path, sizeof(path), "%s/%s", dir,
		    i < ARRAY_LEN(line) ? "asks.conf" : "shut/none.conf");
		diag_init(&d);
		d.reader_uid = geteuid() + 1;
		assert_null(config_parse(path, env, &d));
		assert_non_null(strstr(d.errors.s, ": the folder "));
		assert_non_null(strstr(d.errors.s, "/shut is not open to you"));
		diag_fini(&d);
	}
}

/* Errors have the order of the text, also errors of included files. */
static void
errors_in_order(const char *dir, const struct conf_env *env)
{
	static const char *const want[] = { "/order.conf:1:12", "/d/1.conf:1:12",
		"/d/2.conf:1:12", "/order.conf:3:12" };
	const char *at;
	char path[300];
	struct diag d;

	test_config_put(
	    dir, "order.conf", "define e = q1;\ninclude \"d/?.conf\";\ndefine f = q4;\n");
	test_config_put(dir, "d/1.conf", "define g = q2;\n");
	test_config_put(dir, "d/2.conf", "define h = q3;\n");
	snprintf(path, sizeof(path), "%s/order.conf", dir);
	diag_init(&d);
	assert_null(config_parse(path, env, &d));
	at = d.errors.s;
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		at = strstr(at, want[i]);
		assert_non_null(at);
	}
	diag_fini(&d);
}

static void
test_include(void **state)
{
	static const struct conf_class *const classes[] = { &device_conf_class, NULL };
	char dir[] = "/tmp/tern-test-XXXXXX", path[300];
	struct custom_registry reg;
	struct conf_env env = { .class = classes, .custom = &reg };
	struct config *c;
	struct diag d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	custom_registry_init(&reg);
	diag_init(&d);
	snprintf(path, sizeof(path), "%s/d", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	test_config_put(dir, "main.conf",
	    "include \"defs.conf\";\n  include \"d/*.conf\";\n"
	    "define sum = a * 100 + b * 10 + c;\n");
	test_config_put(dir, "defs.conf", "define a = 1;\n");
	test_config_put(dir, "d/2.conf", "define c = b + 1;\ninclude \"more\";\n");
	test_config_put(dir, "d/1.conf", "define b = a + 1;\n");
	test_config_put(dir, "d/more", "protocol device {}\n");
	snprintf(path, sizeof(path), "%s/main.conf", dir);
	c = config_parse(path, &env, &d);
	assert_non_null(c);
	assert_int_equal(sym_find(c->symbols, "sum")->value.i, 123);
	assert_int_equal(c->proto_cnt, 1);
	config_free(c);
	assert_int_equal(d.warnings.len, 0);
	test_config_put(
	    dir, "none.conf", "\ninclude \"d/*.none\";\nprotocol device {}\n");
	snprintf(path, sizeof(path), "%s/none.conf", dir);
	c = config_parse(path, &env, &d);
	assert_non_null(c);
	assert_non_null(strstr(d.warnings.s, "/none.conf:2:9 no file is like "));
	config_free(c);
	test_config_put(dir, "none.conf", "include \"e/*.conf\";\nprotocol device {}\n");
	assert_null(config_parse(path, &env, &d));
	assert_non_null(strstr(d.errors.s, "/none.conf:1:9 can't read the folder "));
	assert_non_null(strstr(d.errors.s, "/e/: No such file or directory"));
	unreadable_folder(dir, &env, &d);
	diag_fini(&d);
	diag_init(&d);
	snprintf(path, sizeof(path), "%s/main.conf", dir);
	test_config_put(dir, "d/1.conf", "\ndefine b = q;\n");
	c = config_parse(path, &env, &d);
	assert_null(c);
	assert_non_null(strstr(d.errors.s, "/d/1.conf:2:12 unknown name 'q'"));
	assert_non_null(strstr(d.marked.s, "define b = q;\n\t           ^\n"));
	diag_fini(&d);
	diag_init(&d);
	snprintf(path, sizeof(path), "%s/nothing.conf", dir);
	assert_null(config_parse(path, &env, &d));
	assert_non_null(
	    strstr(d.errors.s, "/nothing.conf: can't read the file: No such file"));
	assert_null(strstr(strstr(d.errors.s, "nothing.conf") + 1, "nothing.conf"));
	closed_folder(dir, &env);
	errors_in_order(dir, &env);
	diag_fini(&d);
	custom_registry_fini(&reg);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

/* The folders that a pattern stands for are passed over; /dev/null by any name is an
 * empty file. */
static void
test_include_off(void **state)
{
	static const struct conf_class *const classes[] = { &device_conf_class, NULL };
	char dir[] = "/tmp/tern-test-XXXXXX", path[300];
	struct custom_registry reg;
	struct conf_env env = { .class = classes, .custom = &reg };
	struct config *c;
	struct diag d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	custom_registry_init(&reg);
	diag_init(&d);
	snprintf(path, sizeof(path), "%s/d", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/d/old.conf", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	test_config_put(dir, "main.conf", "include \"d/*.conf\";\n");
	test_config_put(dir, "d/1.conf", "protocol device {}\n");
	snprintf(path, sizeof(path), "%s/main.conf", dir);
	c = config_parse(path, &env, &d);
	assert_non_null(c);
	assert_int_equal(d.warnings.len, 0);
	config_free(c);
	test_config_put(dir, "none.conf", "include \"d/ol*\";\nprotocol device {}\n");
	snprintf(path, sizeof(path), "%s/none.conf", dir);
	c = config_parse(path, &env, &d);
	assert_non_null(c);
	assert_non_null(strstr(d.warnings.s, "/none.conf:1:9 only folders are like "));
	config_free(c);
	snprintf(path, sizeof(path), "%s/off.conf", dir);
	assert_int_equal(symlink("/dev/null", path), 0);
	test_config_put(dir, "none.conf",
	    "include \"off.conf\";\ninclude \"o*.conf\";\ninclude \"/dev/null\";\n"
	    "protocol device {}\n");
	snprintf(path, sizeof(path), "%s/none.conf", dir);
	diag_fini(&d);
	diag_init(&d);
	c = config_parse(path, &env, &d);
	assert_non_null(c);
	assert_int_equal(d.warnings.len, 0);
	config_free(c);
	test_config_put(dir, "none.conf", "include \"/dev/zero\";\nprotocol device {}\n");
	assert_null(config_parse(path, &env, &d));
	assert_non_null(strstr(d.errors.s, "/dev/zero: not a regular file"));
	diag_fini(&d);
	custom_registry_fini(&reg);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

/* Files that include each other by a pattern end the reading at the first error:
 * otherwise 12 files would be read 12^8 times. */
static void
test_include_loop(void **state)
{
	static const struct conf_class *const classes[] = { &device_conf_class, NULL };
	char dir[] = "/tmp/tern-test-XXXXXX", path[300], name[16];
	struct custom_registry reg;
	struct conf_env env = { .class = classes, .custom = &reg };
	struct diag d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	custom_registry_init(&reg);
	diag_init(&d);
	for (unsigned i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "%u.conf", i);
		test_config_put(dir, name, "include \"*.conf\";\n");
	}
	snprintf(path, sizeof(path), "%s/0.conf", dir);
	assert_null(config_parse(path, &env, &d));
	assert_int_equal(d.error_cnt, 1);
	assert_non_null(strstr(d.errors.s, "0.conf includes itself"));
	diag_fini(&d);
	custom_registry_fini(&reg);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

/* What isn't a regular file isn't waited for. */
static void
test_pipe(void **state)
{
	static const struct conf_class *const classes[] = { &device_conf_class, NULL };
	char dir[] = "/tmp/tern-test-XXXXXX", path[300];
	struct custom_registry reg;
	struct conf_env env = { .class = classes, .custom = &reg };
	struct diag d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	custom_registry_init(&reg);
	diag_init(&d);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(config_parse(path, &env, &d));
	assert_non_null(
	    strstr(d.errors.s, "/fifo: can't read the file: not a regular file"));
	diag_fini(&d);
	diag_init(&d);
	test_config_put(dir, "main.conf", "include \"fifo\";\nprotocol device {}\n");
	snprintf(path, sizeof(path), "%s/main.conf", dir);
	assert_null(config_parse(path, &env, &d));
	assert_non_null(strstr(d.errors.s, "/main.conf:1:9 can't read "));
	assert_non_null(strstr(d.errors.s, "/fifo: not a regular file"));
	diag_fini(&d);
	diag_init(&d);
	assert_null(config_parse(dir, &env, &d));
	assert_non_null(strstr(d.errors.s, "can't read the file: Is a directory"));
	diag_fini(&d);
	custom_registry_fini(&reg);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

/* stopped - @text, first as it is, then with the sign to stop given. */
static void
test_config_stopped(const char *text, size_t len)
{
	static const struct conf_class *const classes[] = { &device_conf_class, NULL };
	static const char says[] = "given up, since the daemon ends\n";
	struct custom_registry reg;
	struct pub32 stop;
	struct conf_env env = { .class = classes, .custom = &reg, .stop = &stop };
	struct config *c;
	struct diag d;

	store_relaxed32(&stop, 0);
	custom_registry_init(&reg);
	diag_init(&d);
	c = conf_text_parse(text, len, &env, &d);
	assert_non_null(c);
	config_free(c);
	store_relaxed32(&stop, 1);
	assert_null(conf_text_parse(text, len, &env, &d));
	assert_non_null(strstr(d.errors.s, says));
	assert_null(strstr(strstr(d.errors.s, says) + 1, says));
	diag_fini(&d);
	custom_registry_fini(&reg);
}

/* A large configuration that nobody wants any more isn't read to its end. */
static void
test_stop(void **state)
{
	struct strbuf b;

	(void)state;
	test_config_stopped("protocol device {}", 18);
	strbuf_init(&b);
	strbuf_adds(&b, "protocol device {}\n");
	for (unsigned i = 0; i < 1000; i++)
		strbuf_addf(&b, "define a%u = %u;\n", i, i);
	test_config_stopped(b.s, b.len);
	strbuf_reset(&b);
	strbuf_adds(&b, "protocol device {}\ndefine s = [ 1");
	for (unsigned i = 1; i < 20000; i++)
		strbuf_addf(&b, ", %u", 2 * i);
	strbuf_adds(&b, " ];\n");
	test_config_stopped(b.s, b.len);
	strbuf_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_diff),
	cmocka_unit_test(test_expressions),
	cmocka_unit_test(test_custom_ids),
	cmocka_unit_test(test_include),
	cmocka_unit_test(test_include_off),
	cmocka_unit_test(test_include_loop),
	cmocka_unit_test(test_pipe),
	cmocka_unit_test(test_stop),
};

UNIT_MAIN(tests)
