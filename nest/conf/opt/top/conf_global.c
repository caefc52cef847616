/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the top level: identity, log, debugging, time formats, tables, control
 * sockets. conf_table.c has the options of a table. Loop: the thread that parses. Tested
 * by test/unit/test_conf_golden.c and test/net/test_options.py. */
#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/top/conf_cli.h"
#include "nest/conf/opt/top/conf_comm.h"
#include "nest/conf/opt/top/conf_lan.h"
#include "nest/conf/opt/conf_tree.h"
#include "nest/conf/opt/top/conf_guard.h"
#include "nest/conf/opt/conf_iface.h"
#include "nest/conf/opt/conf_old.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/opt/top/conf_table.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop_watch.h"
#include "sysdep/os/clock.h"
#include <stddef.h>
#include <stdio.h>

#define OFF(field) offsetof(struct config, field)

#define LOG_LIMIT_MIN 16384
#define LOG_UDP_PORT  514

/* ---- log ---- */

const struct opt_name conf_log_names[] = {
	{ "debug", 1 << LOG_C_DEBUG },
	{ "trace", 1 << LOG_C_TRACE },
	{ "info", 1 << LOG_C_INFO },
	{ "remote", 1 << LOG_C_REMOTE },
	{ "warning", 1 << LOG_C_WARN },
	{ "error", 1 << LOG_C_ERR },
	{ "auth", 1 << LOG_C_AUTH },
	{ "fatal", 1 << LOG_C_FATAL },
	{ "bug", 1 << LOG_C_BUG },
	{ "audit", 1 << LOG_C_AUDIT },
	{ NULL, 0 },
};

static bool
global_one_class(struct conf_args *a, uint32_t *out)
{
	struct src_pos at = conf_arg_pos(a);
	const struct opt_name *n;

	for (n = conf_log_names; n->word; n++) {
		if (conf_arg_word(a, n->word)) {
			*out |= n->value;
			if (n->value == 1 << LOG_C_AUDIT)
				conf_ext(
				    a->ctx, at, KNOWN_TERN, "class 'audit' of a log");
			return true;
		}
	}
	return false;
}

/* all, or { warning, error, ... } */
static bool
global_read_classes(struct conf_args *a, uint32_t *out)
{
	struct conf_args in;

	*out = 0;
	if (conf_arg_word(a, "all")) {
		*out = LOG_CLASS_ALL;
		return true;
	}
	if (conf_arg_peek(a) != ARG_BLOCK) {
		conf_error(a->ctx, conf_arg_pos(a), "expected all or { class, ... }");
		return false;
	}
	in = conf_args_of(a->ctx, a->at->block->option);
	if (!in.at)
		conf_ext(a->ctx, conf_arg_pos(a), KNOWN_TERN, "a log without a class");
	while (in.at) {
		if (!global_one_class(&in, out)) {
			conf_error(a->ctx, conf_arg_pos(&in),
			    "expected a class of messages: debug, trace, "
			    "info, remote, warning, error, auth, fatal, bug or audit");
			return false;
		}
		if (in.at && !conf_arg_comma(&in)) {
			conf_error(a->ctx, conf_arg_pos(&in), "expected ',' or '}'");
			return false;
		}
	}
	a->at = a->at->next;
	return true;
}

static bool
global_parse_log_file(struct conf_args *a, struct log_sink *s)
{
	uint32_t limit;

	s->target = LOG_T_FILE;
	if (!conf_arg_string(a, &s->path))
		return false;
	if (!conf_arg_is_value(a, T_INT))
		return true;
	if (!conf_arg_u32(a, &limit, LOG_LIMIT_MIN, UINT32_MAX))
		return false;
	s->limit = limit;
	return conf_arg_string(a, &s->backup);
}

/* fixed TEXT NUMBER */
static bool
global_parse_log_fixed(struct conf_args *a, struct log_sink *s)
{
	uint32_t size;

	s->target = LOG_T_FIXED;
	conf_ext(a->ctx, conf_arg_start(a), KNOWN_BIRD_3, "'log fixed'");
	if (!conf_arg_string(a, &s->path) ||
	    !conf_arg_u32(a, &size, LOG_LIMIT_MIN, UINT32_MAX))
		return false;
	s->limit = size;
	return true;
}

/* udp ( ADDRESS | TEXT ) [port NUMBER] */
static bool
global_parse_log_udp(struct conf_args *a, struct log_sink *s)
{
	char text[IP_STR_MAX];
	struct ip_addr addr;
	uint32_t port = LOG_UDP_PORT;

	s->target = LOG_T_UDP;
	if (conf_arg_is_value(a, T_STRING)) {
		if (!conf_arg_string(a, &s->path))
			return false;
	} else if (conf_arg_ip(a, &addr)) {
		s->path = arena_strdup(a->ctx->arena, ip_str(text, addr));
	} else {
		return false;
	}
	if (conf_arg_word(a, "port") && !conf_arg_u32(a, &port, 1, 65535))
		return false;
	s->port = (uint16_t)port;
	return true;
}

static bool
global_parse_log(struct conf_args *a, void *to)
{
	struct log_sink *s = arena_zalloc(a->ctx->arena, sizeof(*s));

	(void)to;
	if (conf_arg_word(a, "syslog")) {
		s->target = LOG_T_SYSLOG;
		if (conf_arg_word(a, "name") && !conf_arg_string(a, &s->path))
			return false;
	} else if (conf_arg_word(a, "stderr")) {
		s->target = LOG_T_STDERR;
	} else if (conf_arg_is_value(a, T_STRING)) {
		if (!global_parse_log_file(a, s))
			return false;
	} else if (conf_arg_word(a, "fixed")) {
		if (!global_parse_log_fixed(a, s))
			return false;
	} else if (conf_arg_word(a, "udp")) {
		if (!global_parse_log_udp(a, s))
			return false;
	} else {
		conf_error(a->ctx, conf_arg_pos(a),
		    "expected a file name in quotes, fixed, udp, syslog or stderr");
		return false;
	}
	if (!global_read_classes(a, &s->classes))
		return false;
	conf_list_add(&a->ctx->logs, s);
	return true;
}

/* ---- identity ---- */

static bool
global_parse_router_id(struct conf_args *a, void *to)
{
	static const struct conf_opt id = { "router id", OPT_ID, .off = OFF(router_id) };

	struct config *cfg = to;

	cfg->router_id = 0;
	cfg->router_id_from = NULL;
	if (conf_arg_word(a, "from"))
		return conf_arg_ifaces(a, true, &cfg->router_id_from);
	return conf_opt_value(&id, a, to);
}

static bool
conf_global_parse_threads(struct conf_args *a, void *to)
{
	struct config *cfg = to;

	cfg->threads.given = true;
	return conf_arg_bounded(a, &cfg->threads.cnt, 1, 256);
}

/* ---- time formats ---- */

static bool
global_one_format(struct conf_args *a, const char **fmt)
{
	const struct time_format *iso;
	bool is_long;

	if (!conf_arg_word(a, "iso"))
		return conf_arg_string(a, fmt);
	is_long = conf_arg_word(a, "long");
	if (!is_long && !conf_arg_word(a, "short")) {
		conf_error(a->ctx, conf_arg_pos(a), "expected short or long");
		return false;
	}
	if (conf_arg_word(a, "ms"))
		iso = is_long ? &time_iso_long_ms : &time_iso_short_ms;
	else if (conf_arg_word(a, "us"))
		iso = is_long ? &time_iso_long_us : &time_iso_short_us;
	else
		iso = is_long ? &time_iso_long : &time_iso_short;
	*fmt = iso->fmt;
	return true;
}

/* The short format goes over to the date after a day. */
static void
global_short_limit(struct time_format *f)
{
	const struct time_format *const shorts[] = { &time_iso_short, &time_iso_short_ms,
		&time_iso_short_us };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(shorts); i++)
		if (f->fmt == shorts[i]->fmt)
			*f = *shorts[i];
}

static bool
global_parse_timeformat(struct conf_args *a, void *to)
{
	struct src_pos at;
	struct time_format *f = (struct time_format *)(void *)((char *)to + a->row->off);

	*f = (struct time_format){ NULL, 0, NULL };
	if (!global_one_format(a, &f->fmt))
		return false;
	global_short_limit(f);
	at = conf_arg_pos(a);
	if (conf_arg_word(a, "limit"))
		conf_ext(a->ctx, at, KNOWN_TERN, "'limit' of a time format");
	else if (!conf_arg_is_value(a, T_INT))
		return true;
	return conf_arg_u32(a, &f->limit_s, 1, UINT32_MAX) &&
	       global_one_format(a, &f->fmt2);
}

/* ---- latency ---- */

/* global_parse_latency - SWITCH, all, or { ping, wakeup, ... }; words for parts that
 * tern lacks have no effect. */
static bool
global_parse_latency(struct conf_args *a, void *to)
{
	static const struct opt_name names[] = {
		{ "all", LATENCY_ALL },
		{ "off", 0 },
		{ "wakeup", LATENCY_WAKEUP },
		{ "scheduling", LATENCY_WAKEUP },
		{ "events", LATENCY_EVENTS },
		{ "timers", LATENCY_TIMERS },
		{ "sockets", LATENCY_SOCKETS },
		{ "ping", 0 },
		{ "allocator", 0 },
		{ NULL, 0 },
	};
	static const struct conf_opt list = { "debug latency", OPT_DEBUG,
		.off = OFF(limits.latency), .names = names };
	struct config *cfg = to;
	bool on;

	if (conf_arg_peek(a) == ARG_BLOCK || conf_arg_word(a, "all")) {
		conf_ext(a->ctx, conf_arg_start(a), KNOWN_BIRD_3,
		    "'all' or a list of option 'debug latency'");
		cfg->limits.latency = LATENCY_ALL;
		return conf_arg_peek(a) != ARG_BLOCK || conf_opt_value(&list, a, to);
	}
	if (!conf_arg_switch(a, &on))
		return false;
	cfg->limits.latency = on ? LATENCY_ALL : 0;
	return true;
}

static bool
global_parse_show_route(struct conf_args *a, void *to)
{
	struct config *cfg = to;

	if (conf_arg_peek(a) == ARG_BLOCK) {
		uint32_t mask;
		const struct conf_opt list = { a->row->words, OPT_DEBUG, .off = 0 };

		if (!conf_opt_value(&list, a, &mask))
			return false;
		cfg->debug.show_route = mask != 0;
		return true;
	}
	cfg->debug.show_route = true;
	return conf_arg_word(a, "all") || conf_arg_switch(a, &cfg->debug.show_route);
}

/* ---- the rest ---- */

static bool
global_parse_cli(struct conf_args *a, void *to)
{
	struct conf_cli *cli = arena_zalloc(a->ctx->arena, sizeof(*cli));
	struct ct_option *x;

	(void)to;
	cli->mode = CONF_CLI_MODE;
	if (!conf_arg_string(a, &cli->path))
		return false;
	for (uint32_t i = 0; i < a->ctx->clis.cnt; i++) {
		const struct conf_cli *other = a->ctx->clis.item[i];

		if (!strcmp(other->path, cli->path)) {
			conf_error(a->ctx, a->opt->pos,
			    "control socket \"%s\" occurs twice", cli->path);
			return false;
		}
	}
	if (a->ctx->clis.cnt == CONF_CLI_MAX) {
		conf_error(
		    a->ctx, a->opt->pos, "more than %u control sockets", CONF_CLI_MAX);
		return false;
	}
	conf_list_add(&a->ctx->clis, cli);
	if (conf_arg_peek(a) != ARG_BLOCK)
		return true;
	for (x = a->at->block->option; x; x = x->next) {
		struct conf_args in = conf_args_of(a->ctx, x);

		conf_cli_ext(a->ctx, x);
		if (conf_arg_word(&in, "restrict")) {
			cli->restricted = true;
			x->open = false; /* BIRD 2.17 wants no semicolon */
		} else if (conf_arg_word(&in, "plans")) {
			cli->plans = true;
		} else if (conf_arg_word(&in, "group")) {
			conf_cli_group(&in, cli);
		} else if (conf_arg_word(&in, "mode")) {
			conf_cli_mode(&in, cli);
		} else if (conf_arg_word(&in, "allow")) {
			conf_cli_rules(&in, cli, true);
		} else if (conf_arg_word(&in, "deny")) {
			conf_cli_rules(&in, cli, false);
		} else if (!conf_arg_word(&in, "v2") ||
			   !conf_arg_word(&in, "attributes")) {
			conf_error(a->ctx, x->pos,
			    "expected restrict, plans, group, mode, allow, deny or "
			    "v2 attributes");
			return false;
		}
		conf_arg_done(&in);
		conf_opt_end(a->ctx, x);
	}
	a->at = a->at->next;
	return true;
}

#define TABLE_FORM "NAME [sorted] [trie] [BLOCK]"
#define TIME_FORM  "( iso ( short | long ) [( ms | us )] | TEXT ) [limit NUMBER TEXT]"

static const struct conf_opt group_options[] = {
	{ "threads", OPT_U32, .min = 1, .max = 256, .help = "how many" },
	{ "default", OPT_FORM, .form = "[SWITCH]",
	    .help = "for protocols that name no group" },
	{ "max latency", OPT_FORM, .form = "TIME", .help = "of the group" },
	{ "min time", OPT_FORM, .form = "TIME", .help = "of one turn" },
	{ "max time", OPT_FORM, .form = "TIME", .help = "of one turn" },
	{ "wakeup time", OPT_FORM, .form = "TIME", .help = "longest sleep" },
	{ .type = OPT_END },
};

static const struct conf_opt range_options[] = {
	{ "start", OPT_U32, .max = 1048575, .help = "first label" },
	{ "length", OPT_U32, .max = 1048575, .help = "number of labels" },
	{ .type = OPT_END },
};

static const struct conf_opt mpls_options[] = {
	{ "label range", OPT_FORM, .form = "NAME [BLOCK]", .sub = range_options,
	    .help = "a range" },
	{ .type = OPT_END },
};

static const struct conf_opt global_options[] = {
	{ "router id", OPT_CUSTOM, .parse = global_parse_router_id,
	    .form = "( from " CONF_IFACES_ADDRS " | ID )",
	    .help =
		"our identifier, as an IPv4 address, or the lowest address that fits" },
	{ "hostname", OPT_STRING, .off = OFF(hostname),
	    .help = "our name (default: the machine's)" },
	{ "threads", OPT_CUSTOM, .parse = conf_global_parse_threads, .form = "NUMBER",
	    .help = "how many threads share the work (default: a thread for each session "
		    "and table)" },
	{ "log", OPT_CUSTOM, .parse = global_parse_log,
	    .form = "( stderr | syslog [name TEXT] | TEXT [NUMBER TEXT] | fixed TEXT "
		    "NUMBER | udp ( ADDRESS | TEXT ) [port NUMBER] ) ( all | { CLASS, "
		    "... } )",
	    .help = "destination and classes of messages" },
	{ "timeformat route", OPT_CUSTOM, .form = TIME_FORM, .off = OFF(time.route),
	    .parse = global_parse_timeformat, .help = "times in `show route`" },
	{ "timeformat protocol", OPT_CUSTOM, .form = TIME_FORM, .off = OFF(time.protocol),
	    .parse = global_parse_timeformat, .help = "times in `show protocols`" },
	{ "timeformat base", OPT_CUSTOM, .form = TIME_FORM, .off = OFF(time.base),
	    .parse = global_parse_timeformat, .help = "times in `show status`" },
	{ "timeformat log", OPT_CUSTOM, .form = TIME_FORM, .off = OFF(time.log),
	    .parse = global_parse_timeformat, .help = "times in the log" },
	{ "debug protocols", OPT_DEBUG, .off = OFF(debug.protocols),
	    .help = "default of `debug` in protocols" },
	{ "debug channels", OPT_DEBUG, .off = OFF(debug.channels),
	    .help = "default of `debug` in channels" },
	{ "debug tables", OPT_DEBUG, .off = OFF(debug.tables),
	    .help = "default of `debug` in tables" },
	{ "debug commands", OPT_U32, .off = OFF(debug.commands), .max = 2,
	    .bounded = true, .help = "log commands of the control socket" },
	{ "debug latency", OPT_CUSTOM, .form = "( SWITCH | all | LIST )",
	    .parse = global_parse_latency, .help = "log work that takes long" },
	{ "debug latency limit", OPT_TIME_NS, .off = OFF(limits.latency_ns),
	    .def = NS_PER_S, .help = "least duration of long work" },
	{ "debug show route", OPT_CUSTOM, .form = "( SWITCH | all | { FLAG, ... } )",
	    .parse = global_parse_show_route, .known = KNOWN_BIRD_3,
	    .help = "log the walks of `show route` and `show members`" },
	{ "watchdog warning", OPT_TIME_NS, .off = OFF(limits.warning_ns),
	    .def = 5 * NS_PER_S, .help = "log when a loop is busy for this time" },
	{ "watchdog timeout", OPT_TIME_NS, .off = OFF(limits.timeout_ns),
	    .help = "end the daemon then; 0: never" },
	{ "graceful restart wait", OPT_U32, .off = OFF(gr_wait_s), .def = 240,
	    .help = "seconds that a daemon started with -R waits for its peers" },
	{ "mrtdump", OPT_STRING, .off = OFF(mrtdump.file),
	    .help = "file for messages of sessions, as MRT" },
	{ "mrtdump protocols", OPT_DEBUG, .off = OFF(mrtdump.protocols),
	    .names = conf_mrtdump_names, .help = "default of `mrtdump` in protocols" },
	{ "thread group", OPT_FORM, .form = "NAME [BLOCK]", .sub = group_options,
	    .state = OPT_WARN, .known = KNOWN_BIRD_3,
	    .help = "threads of some workers; see threads" },
	{ "mpls domain", OPT_FORM, .form = "NAME [BLOCK]", .sub = mpls_options,
	    .state = OPT_WARN, .help = "ranges of labels" },
	{ "cli", OPT_CUSTOM, .parse = global_parse_cli,
	    .form = "TEXT [{ restrict; plans; group TEXT; mode TEXT; allow TEXT, "
		    "...; deny TEXT, ...; v2 attributes; }]",
	    .help = "a further control socket" },
	{ "guard", OPT_CUSTOM, .parse = conf_guard_parse,
	    .form = "{ [set TEXT BLOCK;] [rpki shrink NUMBER %;] ... }",
	    .known = KNOWN_TERN, .help = "losses that are refused; see guards on input" },
	{ "lan macs", OPT_CUSTOM, .parse = conf_lan_macs, .form = "TEXT",
	    .known = KNOWN_TERN, .help = "file with the MAC address of each member" },
	{ "communities file", OPT_CUSTOM, .parse = conf_comm_file, .form = "TEXT",
	    .known = KNOWN_TERN,
	    .help = "texts of communities, for `show route why` and JSON" },
	{ "filtered communities", OPT_CUSTOM, .parse = conf_comm_filtered,
	    .form = "SET [, SET ...]", .known = KNOWN_TERN,
	    .help = "an accepted route with such a community counts as filtered" },
	{ "ipv4 table", OPT_CUSTOM, .form = TABLE_FORM, .def = TABLE_IP4,
	    .parse = conf_table_parse, .help = "an IPv4 table" },
	{ "ipv6 table", OPT_CUSTOM, .form = TABLE_FORM, .def = TABLE_IP6,
	    .parse = conf_table_parse, .help = "an IPv6 table" },
	{ "roa4 table", OPT_CUSTOM, .form = TABLE_FORM, .def = TABLE_ROA4,
	    .parse = conf_table_parse, .help = "a table of IPv4 ROAs" },
	{ "roa6 table", OPT_CUSTOM, .form = TABLE_FORM, .def = TABLE_ROA6,
	    .parse = conf_table_parse, .help = "a table of IPv6 ROAs" },
	{ "vpn4 table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED,
	    .help = "a table of that type" },
	{ "vpn6 table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED,
	    .help = "a table of that type" },
	{ "flow4 table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED,
	    .help = "a table of that type" },
	{ "flow6 table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED,
	    .help = "a table of that type" },
	{ "mpls table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED,
	    .help = "a table of that type" },
	{ "aspa table", OPT_CUSTOM, .form = TABLE_FORM, .def = TABLE_ASPA,
	    .parse = conf_table_parse,
	    .help = "a table of provider authorizations (ASPA)" },
	{ "eth table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED, .known = KNOWN_BIRD_3,
	    .help = "a table of that type" },
	{ "evpn table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED, .known = KNOWN_BIRD_3,
	    .help = "a table of that type" },
	{ "neighbor table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED, .known = KNOWN_BIRD_3,
	    .help = "a table of that type" },
	{ "ipv6 sadr table", OPT_CUSTOM, .form = TABLE_FORM, .sub = conf_table_options,
	    .parse = conf_table_later, .state = OPT_UNSUPPORTED,
	    .help = "a table of that type" },
	{ .type = OPT_END, .help = "the top level" },
};

const struct conf_opt *const conf_global_table = global_options;
const struct conf_opt *const conf_table_table = conf_table_options;

void
conf_globals_init(struct conf_ctx *c)
{
	static const struct src_pos nowhere;
	struct config *cfg = c->cfg;

	conf_opt_defaults(global_options, cfg);
	cfg->time.route = cfg->time.protocol = time_iso_short_ms;
	cfg->time.base = cfg->time.log = time_iso_long_ms;
	conf_table_new(c, nowhere, "master4", TABLE_IP4);
	conf_table_new(c, nowhere, "master6", TABLE_IP6);
}

void
conf_global(struct conf_ctx *c, struct ct_option *o)
{
	static const struct conf_opt *const known[] = { global_options, NULL };

	/* a misspelt `include`, which the lexer has reported */
	if (o->item && o->item->kind == CT_WORD && !strcmp(o->item->word, "include"))
		return;
	if (!conf_opt_apply(c, global_options, o, c->cfg) && !conf_old_global(c, o))
		conf_opt_unknown(c, o, "the top level", known);
}
