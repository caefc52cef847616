/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol bgp`: the tables, and parsers of the spellings that a table cannot
 * express. bgp_conf_check sets the options that a role or a peer type implies. Channels:
 * bgp_conf_chan.c.
 *
 * style: longer than 600 lines, since most of it is tables.
 *
 * Loop: the thread that parses; functions on parsed options run in any thread. Tested by
 * test/unit/test_conf_golden.c and test/net/test_options.py. */
#include "proto/bgp/conf/bgp_conf.h"
#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "nest/conf/opt/conf_iface.h"
#include "nest/conf/conf_member.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/conf/opt/conf_file.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/config.h"
#include "sysdep/iface/iface_pattern.h"
#include "sysdep/sock/sock_ao.h"
#include <stddef.h>
#include <stdio.h>

#define OFF(field) offsetof(struct bgp_conf, field)

#define TTL_DEFAULT 64

/* ---- endpoints ---- */

static bool
conf_parse_as(struct conf_args *a, uint32_t *as, bool *has)
{
	/* 0: none yet, as in a template whose instances have one each */
	if (!conf_arg_u32(a, as, 0, UINT32_MAX))
		return false;
	*has = *as != 0;
	return true;
}

static bool
conf_parse_port(struct conf_args *a, uint16_t *port)
{
	uint32_t n;

	if (!conf_arg_u32(a, &n, 1, UINT16_MAX))
		return false;
	*port = (uint16_t)n;
	return true;
}

/* conf_take_iface - the session's interface may be named several times; the last name
 * counts. */
static void
conf_take_iface(
    struct conf_ctx *c, struct bgp_conf *b, struct src_pos pos, const char *name)
{
	if (b->id.iface && strcmp(b->id.iface, name) != 0)
		conf_warning(c, pos, "two interfaces, '%s' and '%s'; '%s' counts",
		    b->id.iface, name, name);
	b->id.iface = name;
}

/* IP%iface; the sign comes as an item of its own. */
static bool
bgp_conf_parse_scope(struct conf_args *a, struct bgp_conf *b)
{
	struct src_pos pos = conf_arg_pos(a);
	const char *name;

	if (conf_arg_peek(a) != ARG_OTHER)
		return true;
	if (!conf_arg_other(a, '%'))
		return true;
	if (conf_arg_peek(a) == ARG_VALUE) {
		if (!conf_arg_string(a, &name))
			return false;
	} else if ((name = conf_arg_next_word(a)) != NULL) {
		name = arena_strdup(conf_arena(a->ctx), name);
	} else {
		conf_error(a->ctx, conf_arg_pos(a), "expected the name of an interface");
		return false;
	}
	conf_take_iface(a->ctx, b, pos, name);
	return true;
}

static bool
bgp_conf_parse_hop_map(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	return bgp_conf_parse_map(a, &b->hop);
}

/* local [IP[%iface]] [port N] [as N] */
static bool
conf_parse_local(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	if (conf_arg_is_value(a, T_IP) &&
	    (!conf_arg_ip(a, &b->id.local_ip) || !bgp_conf_parse_scope(a, b)))
		return false;
	for (;;) {
		if (conf_arg_word(a, "port")) {
			if (!conf_parse_port(a, &b->id.local_port))
				return false;
		} else if (conf_arg_word(a, "as")) {
			if (!conf_parse_as(a, &b->id.local_as, &b->given.local_as))
				return false;
		} else {
			break;
		}
	}
	if (conf_arg_peek(a) != ARG_END)
		return conf_arg_expected(a, "an address, port, as or ';'");

	return true;
}

/* conf_parse_whom - ADDRESS[%iface], or range PREFIX. */
static bool
conf_parse_whom(struct conf_args *a, struct bgp_conf *b)
{
	struct src_pos pos = conf_arg_pos(a);
	bool range = conf_arg_word(a, "range");

	if (!range && !conf_arg_is_value(a, T_IP))
		return true;
	if (b->dynamic.has_range || !ip_is_none(b->id.remote_ip)) {
		conf_error(
		    a->ctx, pos, "a second neighbor; an instance has one neighbor");
		return false;
	}
	b->dynamic.has_range = range;
	if (range)
		return conf_arg_prefix(a, &b->dynamic.range);
	return conf_arg_ip(a, &b->id.remote_ip) && bgp_conf_parse_scope(a, b);
}

/* neighbor [IP[%iface] | range PREFIX] [port N] [as N] [internal|external] */
static bool
bgp_conf_parse_neighbor(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	if (!conf_parse_whom(a, b))
		return false;
	for (;;) {
		if (conf_arg_word(a, "port")) {
			if (!conf_parse_port(a, &b->id.remote_port))
				return false;
		} else if (conf_arg_word(a, "as")) {
			if (!conf_parse_as(a, &b->id.remote_as, &b->given.remote_as))
				return false;
		} else if (conf_arg_word(a, "internal")) {
			b->given.internal = true;
		} else if (conf_arg_word(a, "external")) {
			b->given.external = true;
		} else if (conf_arg_word(a, "onlink")) {
			b->tcp.onlink = true;
			conf_ext(a->ctx, conf_arg_start(a), KNOWN_BIRD_3,
			    "'onlink' of option 'neighbor'");
		} else {
			break;
		}
	}
	if (conf_arg_peek(a) != ARG_END)
		return conf_arg_expected(
		    a, "an address, port, as, internal, external or ';'");

	return true;
}

static bool
bgp_conf_parse_multihop(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	uint32_t ttl = TTL_DEFAULT;

	if (conf_arg_peek(a) != ARG_END && !conf_arg_u32(a, &ttl, 1, 255))
		return false;
	b->tcp.multihop = true;
	b->given.multihop = true;
	b->given.direct = false;
	b->tcp.ttl = (uint8_t)ttl;
	return true;
}

static bool
conf_parse_direct(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	(void)a;
	b->tcp.multihop = false;
	b->given.multihop = false;
	b->given.direct = true;
	return true;
}

static bool
conf_parse_interface_range(struct conf_args *a, struct bgp_conf *b)
{
	struct strbuf text;

	if (!conf_arg_ifaces(a, false, &b->dynamic.iface_range))
		return false;
	strbuf_init(&text);
	for (const struct iface_pattern *p = b->dynamic.iface_range; p; p = p->next)
		strbuf_addf(&text, "%s\"%s\"", p->negative ? "-" : "", p->mask);
	b->dynamic.iface_range_text = arena_strdup(conf_arena(a->ctx), text.s);
	strbuf_fini(&text);
	return true;
}

/* dynamic name TEXT */
static bool
conf_parse_dynamic_name(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	struct src_pos pos = conf_arg_pos(a);

	if (!conf_arg_string(a, &b->dynamic.name))
		return false;
	if (!b->dynamic.name[0] || strlen(b->dynamic.name) > CONF_MEMBER_NAME_MAX ||
	    b->dynamic.name[strcspn(b->dynamic.name, " \t\n\"")]) {
		conf_error(a->ctx, pos, "expected 1 to %u octets, and no blank or quote",
		    CONF_MEMBER_NAME_MAX);
		return false;
	}
	return true;
}

static bool
bgp_conf_parse_interface(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	struct src_pos pos = conf_arg_pos(a);
	const char *name;

	if (conf_arg_word(a, "range"))
		return conf_parse_interface_range(a, b);
	if (!conf_arg_string(a, &name))
		return false;
	conf_take_iface(a->ctx, b, pos, name);
	return true;
}

/* ---- the rest of the odd ones ---- */

/* error wait time N [, N] */
static bool
conf_parse_error_wait(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	struct src_pos pos = conf_arg_pos(a);

	if (!conf_arg_bounded(a, &b->timers.error_wait_min_s, 1, 65535))
		return false;
	b->timers.error_wait_max_s = b->timers.error_wait_min_s;
	if (conf_arg_peek(a) == ARG_END)
		conf_ext(a->ctx, pos, KNOWN_TERN, "a single 'error wait time'");
	if (conf_arg_comma(a) &&
	    !conf_arg_bounded(a, &b->timers.error_wait_max_s, 1, 65535))
		return false;
	if (b->timers.error_wait_max_s < b->timers.error_wait_min_s) {
		conf_warning(a->ctx, pos,
		    "the second error wait time is the longer time; %u s count as both",
		    b->timers.error_wait_min_s);
		b->timers.error_wait_max_s = b->timers.error_wait_min_s;
	}
	return true;
}

/* 0, or 3 to 65535 (RFC 4271, 4.2) */
static bool
conf_parse_hold(struct conf_args *a, void *to)
{
	struct src_pos pos = conf_arg_pos(a);
	/* BIRD checks the hold time alone */
	bool strict = !strcmp(a->row->words, "hold time"),
	     has_max = strict || !strcmp(a->row->words, "min hold time");
	uint32_t n;

	if (has_max ? !conf_arg_u32(a, &n, 0, 65535) : !conf_arg_bounded(a, &n, 0, 65535))
		return false;
	conf_arg_seconds(a, true);
	if ((n == 1 || n == 2) && strict) {
		conf_error(a->ctx, pos, "%s must be 0 or from 3 to 65535", a->row->words);
		return false;
	}
	if (n == 1 || n == 2) {
		conf_warning(a->ctx, pos, "%s must be 0 or from 3 to 65535; 3 counts",
		    a->row->words);
		n = 3;
	}
	*(uint32_t *)(void *)((char *)to + a->row->off) = n;
	return true;
}

static bool
conf_parse_send_hold(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	b->timers.has_send_hold = true;
	return conf_arg_bounded(a, &b->timers.send_hold_s, 0, 65535);
}

/* allow local as [N] */
static bool
conf_parse_allow_local_as(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	b->policy.allow_local_as = UINT32_MAX;
	if (conf_arg_peek(a) == ARG_END)
		return true;
	if (!conf_arg_is_value(a, T_INT))
		return conf_arg_expected(a, "a number or ';'");
	return conf_arg_u32(a, &b->policy.allow_local_as, 0, UINT32_MAX - 1);
}

/* password ( "text" | file "name" ); the blocks of other protocols have no meaning
 * here */
static bool
bgp_conf_parse_password(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	return conf_file_secret(a, 80, /* what TCP MD5 takes */
	    "a password has at most 80 octets", &b->auth.password);
}

static const struct opt_name auth_names[] = {
	{ "none", BGP_AUTH_NONE },
	{ "md5", BGP_AUTH_MD5 },
	{ "ao", BGP_AUTH_AO },
	{ NULL, 0 },
};

static const struct opt_name role_names[] = {
	{ "provider", BGP_ROLE_PROVIDER },
	{ "rs_server", BGP_ROLE_RS_SERVER },
	{ "rs_client", BGP_ROLE_RS_CLIENT },
	{ "customer", BGP_ROLE_CUSTOMER },
	{ "peer", BGP_ROLE_PEER },
	{ NULL, 0 },
};

static const struct opt_name gr_names[] = {
	{ "on", BGP_GR_ON },
	{ "yes", BGP_GR_ON },
	{ "true", BGP_GR_ON },
	{ "off", BGP_GR_OFF },
	{ "no", BGP_GR_OFF },
	{ "false", BGP_GR_OFF },
	{ "aware", BGP_GR_AWARE },
	{ NULL, 0 },
};

/* bfd SWITCH | graceful | { options } */
static const struct opt_name bfd_names[] = {
	{ "on", BGP_BFD_ON },
	{ "yes", BGP_BFD_ON },
	{ "true", BGP_BFD_ON },
	{ "off", BGP_BFD_OFF },
	{ "no", BGP_BFD_OFF },
	{ "false", BGP_BFD_OFF },
	{ "graceful", BGP_BFD_GRACEFUL },
	{ NULL, 0 },
};

static bool
conf_parse_bfd(struct conf_args *a, void *to)
{
	static const struct conf_opt word = {
		.words = "bfd", .type = OPT_ENUM, .names = bfd_names
	};
	struct bgp_conf *b = to;

	b->bfd.opts = NULL;
	b->bfd.text = NULL;
	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_opt_value(&word, a, &b->bfd.mode);
	b->bfd.opts = bfd_opts_parse(a);
	if (!b->bfd.opts)
		return false;
	b->bfd.text = b->bfd.opts->text;
	b->bfd.mode = b->bfd.opts->graceful == BFD_YES ? BGP_BFD_GRACEFUL : BGP_BFD_ON;
	return true;
}

/* ---- disable after cease ---- */

#define CEASE_ALL UINT32_MAX

static const struct opt_name cease_words[] = {
	{ "all", CEASE_ALL },
	{ "on", CEASE_ALL },
	{ "yes", CEASE_ALL },
	{ "true", CEASE_ALL },
	{ "off", 0 },
	{ "no", 0 },
	{ "false", 0 },
	{ NULL, 0 },
};

/* Subcodes of RFC 4486. */
static const struct {
	const char *form;
	uint32_t bit;
} cease_reasons[] = {
	{ "cease", 1u << 0 },
	{ "prefix limit hit", 1u << 1 },
	{ "administrative shutdown", 1u << 2 },
	{ "peer deconfigured", 1u << 3 },
	{ "administrative reset", 1u << 4 },
	{ "connection rejected", 1u << 5 },
	{ "configuration change", 1u << 6 },
	{ "connection collision", 1u << 7 },
	{ "out of resources", 1u << 8 },
};

/* conf_take_words - step over @words if all of them stand here. */
static bool
conf_take_words(struct conf_args *a, const char *words)
{
	struct conf_args in = *a;
	char word[32];
	int len = 0;

	for (; sscanf(words, "%31s%n", word, &len) == 1; words += len)
		if (!conf_arg_word(&in, word))
			return false;
	*a = in;
	return true;
}

static bool
conf_one_reason(struct conf_args *a, uint32_t *mask)
{
	for (unsigned i = 0; i < ARRAY_LEN(cease_reasons); i++) {
		if (conf_take_words(a, cease_reasons[i].form)) {
			*mask |= cease_reasons[i].bit;
			return true;
		}
	}
	conf_error(a->ctx, conf_arg_pos(a),
	    "expected a reason: cease, prefix limit hit, administrative shutdown, peer "
	    "deconfigured, administrative reset, connection rejected, configuration "
	    "change, "
	    "connection collision or out of resources");
	return false;
}

/* disable after cease SWITCH | { reason, ... } */
static bool
conf_parse_after_cease(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	const struct opt_name *n;
	struct conf_args in;
	bool truth;

	b->timers.disable_after_cease = 0;
	if (conf_arg_peek(a) == ARG_END) {
		b->timers.disable_after_cease = CEASE_ALL;
		return true;
	}
	for (n = cease_words; n->word; n++) {
		if (conf_arg_word(a, n->word)) {
			b->timers.disable_after_cease = n->value;
			return true;
		}
	}
	if (conf_arg_truth(a, &truth)) {
		b->timers.disable_after_cease = truth ? CEASE_ALL : 0;
		return true;
	}
	if (!conf_arg_list(a, &in))
		return false;
	do
		if (!conf_one_reason(&in, &b->timers.disable_after_cease))
			return false;
	while (conf_arg_comma(&in));
	return conf_arg_done(&in);
}

/* tx dscp N: the upper six bits of the class */
static bool
conf_parse_dscp(struct conf_args *a, void *to)
{
	uint32_t n;

	if (!conf_arg_u32(a, &n, 0, 63))
		return false;
	((struct bgp_conf *)to)->tcp.tx_class = (uint8_t)(n << 2);
	return true;
}

/* ---- the table of the protocol ---- */

static const struct conf_opt options[] = {
	{ "local", OPT_CUSTOM, .parse = conf_parse_local,
	    .form = "[ADDRESS [% NAME]] [port NUMBER] [as NUMBER]",
	    .help = "our address, port and AS" },
	{ "neighbor", OPT_CUSTOM, .parse = bgp_conf_parse_neighbor,
	    .form = "[( ADDRESS [% NAME] | range PREFIX )] [port NUMBER] [as NUMBER] [( "
		    "internal | external )] [onlink]",
	    .help = "the peer's address, port and AS; range: each peer with an address "
		    "of the range gets an instance" },
	{ "interface", OPT_CUSTOM, .parse = bgp_conf_parse_interface,
	    .form = "( TEXT | range PATTERN,... )",
	    .help = "interface of link-local peers; range: interfaces of the peers of "
		    "neighbor range" },
	{ NULL, OPT_FIELD, .off = OFF(dynamic.range), .help = "neighbor range",
	    .min = sizeof(struct ip_addr) + 2, .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(dynamic.iface_range_text),
	    .help = "interface range", .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.local_as), .help = "local as", .min = 4,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.remote_as), .help = "neighbor as", .min = 4,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.local_ip), .help = "local", .min = 16,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.remote_ip), .help = "neighbor", .min = 16,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.local_port), .help = "local port", .min = 2,
	    .def = BGP_PORT, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.remote_port), .help = "neighbor port", .min = 2,
	    .def = BGP_PORT, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(id.ebgp), .help = "neighbor as", .min = 1,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(id.iface), .help = "neighbor interface",
	    .change = CONF_CH_RESTART },
	{ "multihop", OPT_CUSTOM, .parse = bgp_conf_parse_multihop, .form = "[NUMBER]",
	    .help = "the peer is some hops away (default for iBGP)" },
	{ "direct", OPT_CUSTOM, .parse = conf_parse_direct,
	    .help = "the peer is on our link (default for eBGP)" },
	{ NULL, OPT_FIELD, .off = OFF(tcp.multihop), .help = "multihop", .min = 1,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(tcp.ttl), .help = "multihop", .min = 1,
	    .def = TTL_DEFAULT, .change = CONF_CH_RESTART },
	{ "source address", OPT_IP, .off = OFF(id.local_ip),
	    .help = "our address; as in local" },
	{ "strict bind", OPT_SWITCH, .off = OFF(tcp.strict_bind),
	    .change = CONF_CH_RESTART, .help = "listen at our address only" },
	{ "free bind", OPT_SWITCH, .off = OFF(tcp.free_bind), .change = CONF_CH_RESTART,
	    .help = "our address need not exist yet" },
	{ "onlink", OPT_SWITCH, .off = OFF(tcp.onlink), .change = CONF_CH_RESTART,
	    .known = KNOWN_BIRD_3, .help = "the peer is on our link, with any address" },
	{ "check link", OPT_SWITCH, .def = 1, .off = OFF(tcp.check_link),
	    .change = CONF_CH_INPLACE,
	    .help = "end the session when the link goes down" },
	{ "dynamic name", OPT_CUSTOM, .parse = conf_parse_dynamic_name, .form = "TEXT",
	    .help = "names of instances made for a range begin so (default: dynbgp)" },
	{ NULL, OPT_STRING, .off = OFF(dynamic.name), .help = "dynamic name",
	    .change = CONF_CH_INPLACE },
	{ "dynamic name digits", OPT_U32, .off = OFF(dynamic.digits), .max = 10,
	    .change = CONF_CH_INPLACE,
	    .help = "least number of digits in names of such instances" },
	{ "dynamic limit", OPT_U32, .off = OFF(dynamic.max), .def = 1000, .min = 1,
	    .max = 8000, .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "greatest number of instances of a range" },
	{ "dynamic age", OPT_TIME_S, .off = OFF(dynamic.age_s), .def = 3600,
	    .max = 31536000, .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "seconds without a session until an instance of a range ends; "
		    "0: never" },
	{ "passive", OPT_SWITCH, .off = OFF(tcp.passive), .change = CONF_CH_RESTART,
	    .help = "wait for the peer to connect" },
	{ "disable rx", OPT_SWITCH, .off = OFF(tcp.disable_rx), .change = CONF_CH_RESTART,
	    .help = "don't read the peer's messages once the session is up; for tests" },
	{ "tx size warning", OPT_U32, .off = OFF(tcp.tx_size_warning),
	    .change = CONF_CH_INPLACE, .known = KNOWN_BIRD_3,
	    .help =
		"log a warning when more changed prefixes wait to be sent; 0: never" },
	{ "tx class", OPT_U8, .off = OFF(tcp.tx_class), .def = 0xc0,
	    .change = CONF_CH_RESTART, .known = KNOWN_BIRD_3,
	    .help = "type of service of our packets" },
	{ "tx dscp", OPT_CUSTOM, .parse = conf_parse_dscp, .form = "NUMBER",
	    .known = KNOWN_BIRD_3, .help = "type of service as DSCP from 0 to 63" },
	{ "tx priority", OPT_U32, .off = OFF(tcp.tx_priority), .def = 7,
	    .change = CONF_CH_RESTART, .known = KNOWN_BIRD_3,
	    .help = "priority of our packets in this machine" },
	{ "authentication", OPT_ENUM, .off = OFF(auth.method), .names = auth_names,
	    .change = CONF_CH_RESTART,
	    .help = "none, md5 with a password, or ao with keys" },
	{ "password", OPT_CUSTOM, .parse = bgp_conf_parse_password,
	    .form = "( TEXT | file TEXT )", .help = "of TCP MD5 (RFC 2385)" },
	{ NULL, OPT_STRING, .off = OFF(auth.password), .help = "password",
	    .change = CONF_CH_RESTART },
	{ "keys", OPT_CUSTOM, .parse = bgp_conf_parse_keys, .form = "BLOCK",
	    .sub = bgp_conf_keys_options, .help = "keys of TCP-AO (RFC 5925)" },
	{ NULL, OPT_FIELD, .off = OFF(auth.ao), .min = sizeof(struct sock_ao),
	    .help = "keys", .change = CONF_CH_INPLACE },
	{ "setkey", OPT_FORM, .form = "[SWITCH]", .help = "no effect on this system" },
	{ "ttl security", OPT_SWITCH, .off = OFF(tcp.ttl_security),
	    .change = CONF_CH_RESTART,
	    .help = "refuse packets from farther away (RFC 5082)" },
	{ "enforce first as", OPT_SWITCH, .off = OFF(policy.enforce_first_as),
	    .change = CONF_CH_RESTART, .help = "the path must begin with the peer's AS" },
	{ "local role", OPT_ENUM, .off = OFF(policy.role), .names = role_names,
	    .def = BGP_ROLE_NONE, .change = CONF_CH_RESTART,
	    .help = "our role towards the peer (RFC 9234)" },
	{ "require roles", OPT_SWITCH, .off = OFF(policy.require_roles),
	    .change = CONF_CH_RESTART, .help = "refuse peers that announce no role" },
	{ "allow local as", OPT_CUSTOM, .parse = conf_parse_allow_local_as,
	    .form = "[NUMBER]", .help = "how often our AS may be in a path" },
	{ NULL, OPT_FIELD, .off = OFF(policy.allow_local_as), .min = 4,
	    .change = CONF_CH_RESTART },
	{ "allow as sets", OPT_SWITCH, .off = OFF(policy.allow_as_sets),
	    .change = CONF_CH_RESTART, .help = "take paths with AS_SET (RFC 9774)" },
	{ "allow bgp_local_pref", OPT_SWITCH, .off = OFF(policy.allow_local_pref),
	    .change = CONF_CH_RESTART, .help = "LOCAL_PREF from and to eBGP peers" },
	{ "allow bgp_med", OPT_SWITCH, .off = OFF(policy.allow_med),
	    .change = CONF_CH_RESTART, .help = "pass a received MED on to eBGP peers" },
	{ "rs client", OPT_SWITCH, .off = OFF(policy.rs_client),
	    .change = CONF_CH_RESTART,
	    .help = "the peer is a client of our route server (RFC 7947)" },
	{ "quarantine", OPT_SWITCH, .off = OFF(policy.quarantine),
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "pass no routes on, either way, until `quarantine release`" },
	{ "rr client", OPT_SWITCH, .off = OFF(policy.rr_client),
	    .change = CONF_CH_RESTART,
	    .help = "the peer is a client of our route reflector (RFC 4456)" },
	{ "rr cluster id", OPT_ID, .off = OFF(policy.rr_cluster_id),
	    .change = CONF_CH_RESTART, .help = "our cluster (default: the router id)" },
	{ "confederation", OPT_U32, .off = OFF(policy.confederation),
	    .change = CONF_CH_RESTART,
	    .help = "our confederation; local as is a member (RFC 5065)" },
	{ "confederation member", OPT_SWITCH, .off = OFF(policy.confed_member),
	    .change = CONF_CH_RESTART,
	    .help = "the peer is a member of our confederation" },
	{ "next hop map", OPT_CUSTOM, .parse = bgp_conf_parse_hop_map,
	    .form = "( TEXT | off )", .known = KNOWN_TERN,
	    .help = "of the IPv4 channel, if the channel has none" },
	{ "interpret communities", OPT_SWITCH, .off = OFF(policy.interpret_communities),
	    .def = 1, .change = CONF_CH_EXPORT,
	    .help = "obey NO_EXPORT and the other well-known communities (RFC 1997)" },
	{ "hold time", OPT_CUSTOM, .off = OFF(timers.hold_s), .parse = conf_parse_hold,
	    .form = "NUMBER",
	    .help = "seconds without a message until the session ends" },
	{ NULL, OPT_FIELD, .off = OFF(timers.hold_s), .min = 4, .def = 240,
	    .change = CONF_CH_INPLACE },
	{ "min hold time", OPT_CUSTOM, .off = OFF(timers.min_hold_s),
	    .parse = conf_parse_hold, .form = "NUMBER",
	    .help = "refuse peers that want less" },
	{ NULL, OPT_FIELD, .off = OFF(timers.min_hold_s), .min = 4,
	    .change = CONF_CH_INPLACE },
	{ "startup hold time", OPT_CUSTOM, .off = OFF(timers.startup_hold_s),
	    .parse = conf_parse_hold, .form = "NUMBER",
	    .help = "hold time until the peer's OPEN" },
	{ NULL, OPT_FIELD, .off = OFF(timers.startup_hold_s), .min = 4, .def = 240,
	    .change = CONF_CH_INPLACE },
	{ "keepalive time", OPT_TIME_S, .off = OFF(timers.keepalive_s), .min = 1,
	    .max = 65535, .change = CONF_CH_INPLACE,
	    .help = "seconds between keepalives (default: hold time / 3)" },
	{ "min keepalive time", OPT_TIME_S, .off = OFF(timers.min_keepalive_s),
	    .max = 65535, .change = CONF_CH_INPLACE,
	    .help = "refuse hold times that need shorter keepalive times" },
	{ "send hold time", OPT_CUSTOM, .parse = conf_parse_send_hold, .form = "NUMBER",
	    .help =
		"seconds without progress in sending until the session ends (RFC 9687)" },
	{ NULL, OPT_FIELD, .off = OFF(timers.send_hold_s), .min = 4,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(timers.has_send_hold), .min = 1,
	    .change = CONF_CH_INPLACE },
	{ "connect delay time", OPT_TIME_S, .off = OFF(timers.connect_delay_s), .def = 5,
	    .max = 65535, .bounded = true, .change = CONF_CH_INPLACE,
	    .help = "seconds until the first connection" },
	{ "start delay time", OPT_TIME_S, .off = OFF(timers.connect_delay_s),
	    .max = 65535, .bounded = true, .help = "old name of connect delay time" },
	{ "connect retry time", OPT_TIME_S, .off = OFF(timers.connect_retry_s),
	    .def = 120, .min = 1, .max = 65535, .bounded = true,
	    .change = CONF_CH_INPLACE, .help = "seconds between attempts to connect" },
	{ "error wait time", OPT_CUSTOM, .parse = conf_parse_error_wait,
	    .form = "NUMBER [, NUMBER]",
	    .help = "seconds to wait after an error: least, most" },
	{ NULL, OPT_FIELD, .off = OFF(timers.error_wait_min_s), .min = 4, .def = 60,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(timers.error_wait_max_s), .min = 4, .def = 300,
	    .change = CONF_CH_INPLACE },
	{ "error forget time", OPT_TIME_S, .off = OFF(timers.error_forget_s), .def = 300,
	    .max = 65535, .bounded = true, .change = CONF_CH_INPLACE,
	    .help =
		"seconds from the end of an error's wait until the error is forgotten" },
	{ "disable after error", OPT_SWITCH, .off = OFF(timers.disable_after_error),
	    .change = CONF_CH_INPLACE, .help = "don't start again after an error" },
	{ "disable after cease", OPT_CUSTOM, .parse = conf_parse_after_cease,
	    .form = "[( SWITCH | { REASON, ... } )]",
	    .help = "don't start again after the peer's Cease" },
	{ NULL, OPT_FIELD, .off = OFF(timers.disable_after_cease), .min = 4,
	    .change = CONF_CH_INPLACE },
	{ "capabilities", OPT_SWITCH, .off = OFF(caps.enable), .def = 1,
	    .change = CONF_CH_RESTART, .help = "send capabilities (RFC 5492)" },
	{ "enable as4", OPT_SWITCH, .off = OFF(caps.enable_as4), .def = 1,
	    .change = CONF_CH_RESTART, .help = "4-octet AS numbers (RFC 6793)" },
	{ "enable route refresh", OPT_SWITCH, .off = OFF(caps.enable_refresh), .def = 1,
	    .change = CONF_CH_RESTART, .help = "RFC 2918" },
	{ "enable enhanced route refresh", OPT_SWITCH,
	    .off = OFF(caps.enable_enhanced_refresh), .def = 1, .change = CONF_CH_RESTART,
	    .help = "RFC 7313" },
	{ "enable extended messages", OPT_SWITCH,
	    .off = OFF(caps.enable_extended_messages), .change = CONF_CH_RESTART,
	    .help = "messages up to 65535 octets (RFC 8654)" },
	{ "advertise hostname", OPT_SWITCH, .off = OFF(caps.advertise_hostname),
	    .change = CONF_CH_RESTART, .help = "announce our host name to the peer" },
	{ "require as4", OPT_SWITCH, .off = OFF(caps.require_as4),
	    .change = CONF_CH_RESTART,
	    .help = "refuse peers without 4-octet AS numbers" },
	{ "require route refresh", OPT_SWITCH, .off = OFF(caps.require_refresh),
	    .change = CONF_CH_RESTART, .help = "refuse peers without route refresh" },
	{ "require enhanced route refresh", OPT_SWITCH,
	    .off = OFF(caps.require_enhanced_refresh), .change = CONF_CH_RESTART,
	    .help = "refuse peers without enhanced route refresh" },
	{ "require extended messages", OPT_SWITCH,
	    .off = OFF(caps.require_extended_messages), .change = CONF_CH_RESTART,
	    .help = "refuse peers without extended messages" },
	{ "require hostname", OPT_SWITCH, .off = OFF(caps.require_hostname),
	    .change = CONF_CH_RESTART,
	    .help = "refuse peers that announce no host name" },
	{ "require graceful restart", OPT_SWITCH, .off = OFF(gr.required),
	    .change = CONF_CH_RESTART, .help = "refuse peers without graceful restart" },
	{ "require long lived graceful restart", OPT_SWITCH, .off = OFF(llgr.required),
	    .change = CONF_CH_RESTART,
	    .help = "refuse peers without long-lived graceful restart" },
	/* the next OPEN asks the peer (bgp_later): a change closes no session */
	{ "graceful restart", OPT_ENUM, .off = OFF(gr.mode), .names = gr_names,
	    .def = BGP_GR_AWARE, .change = CONF_CH_INPLACE,
	    .help = "on: peers are asked to keep our routes while we restart (RFC 4724); "
		    "aware: we keep the peer's routes" },
	{ "graceful restart time", OPT_TIME_S, .off = OFF(gr.time_s), .max = 4095,
	    .def = 120, .change = CONF_CH_RESTART,
	    .help = "seconds that peers keep our routes" },
	{ "graceful restart notification", OPT_SWITCH, .off = OFF(gr.notify),
	    .change = CONF_CH_RESTART, .known = KNOWN_TERN,
	    .help = "also after NOTIFICATIONs, but for a Hard Reset (RFC 8538)" },
	{ "min graceful restart time", OPT_TIME_S, .off = OFF(gr.min_s), .max = 4095,
	    .change = CONF_CH_INPLACE,
	    .help = "least seconds for which we keep a peer's routes" },
	{ "max graceful restart time", OPT_TIME_S, .off = OFF(gr.max_s), .max = 4095,
	    .def = 4095, .change = CONF_CH_INPLACE,
	    .help = "most seconds for which we keep a peer's routes" },
	{ "long lived graceful restart", OPT_ENUM, .off = OFF(llgr.mode),
	    .names = gr_names, .def = BGP_GR_AWARE, .change = CONF_CH_RESTART,
	    .help = "on: peers are asked to keep our stale routes for longer, as the "
		    "last choice (RFC 9494); aware: we keep the peer's stale routes" },
	{ "long lived stale time", OPT_TIME_S, .off = OFF(llgr.time_s), .max = 16777215,
	    .def = 3600, .change = CONF_CH_RESTART,
	    .help = "seconds that peers are asked to keep stale routes" },
	{ "min long lived stale time", OPT_TIME_S, .off = OFF(llgr.min_s),
	    .max = 16777215, .change = CONF_CH_INPLACE,
	    .help = "least seconds for which we keep a peer's stale routes" },
	{ "max long lived stale time", OPT_TIME_S, .off = OFF(llgr.max_s),
	    .max = 16777215, .def = 16777215, .change = CONF_CH_INPLACE,
	    .help = "most seconds for which we keep a peer's stale routes" },
	{ "path metric", OPT_SWITCH, .off = OFF(decision.path_metric), .def = 1,
	    .change = CONF_CH_RESTART, .help = "compare path lengths" },
	{ "med metric", OPT_SWITCH, .off = OFF(decision.med_metric),
	    .change = CONF_CH_RESTART, .help = "compare MED of all neighbours" },
	{ "deterministic med", OPT_SWITCH, .off = OFF(decision.deterministic_med),
	    .help = "no effect: the choice never depends on the order of arrival" },
	{ "igp metric", OPT_SWITCH, .off = OFF(decision.igp_metric), .def = 1,
	    .change = CONF_CH_RESTART, .help = "compare metrics of next hops" },
	{ "prefer older", OPT_SWITCH, .off = OFF(decision.prefer_older),
	    .change = CONF_CH_RESTART,
	    .help = "the older of two external routes before the lower router id (RFC "
		    "5004)" },
	{ "default bgp_med", OPT_U32, .off = OFF(decision.default_med),
	    .change = CONF_CH_RESTART, .help = "value of an absent MED" },
	{ "default bgp_local_pref", OPT_U32, .off = OFF(decision.default_local_pref),
	    .def = 100, .change = CONF_CH_RESTART,
	    .help = "value of an absent LOCAL_PREF" },
	{ "bfd", OPT_CUSTOM, .parse = conf_parse_bfd, .sub = bfd_opts_table,
	    .form = "[( SWITCH | graceful | BLOCK )]",
	    .help = "end the session when the BFD session is lost" },
	{ NULL, OPT_FIELD, .off = OFF(bfd.mode), .min = 1, .help = "bfd",
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_STRING, .off = OFF(bfd.text), .help = "bfd",
	    .change = CONF_CH_INPLACE },
	{ .type = OPT_END, .help = "protocol bgp" },
};

/* bgp_conf_leads - what is looked up itself leads nowhere. */
static bool
bgp_conf_leads(const struct conf_proto *p, const struct conf_channel *ch)
{
	(void)p;
	return !((const struct bgp_channel_conf *)ch->opt)->gateway_recursive;
}

/* bgp_conf_reads - next hops are looked up there. */
static bool
bgp_conf_reads(const struct conf_proto *p, const struct conf_table *t)
{
	for (const struct conf_channel *ch = p->chan; ch; ch = ch->next) {
		if (bgp_conf_igp(ch, FAM_IP4) == t || bgp_conf_igp(ch, FAM_IP6) == t)
			return true;
	}
	return false;
}

static uint32_t
conf_local_as(const struct conf_proto *p)
{
	return bgp_conf_of(p)->id.local_as;
}

static uint32_t
conf_remote_as(const struct conf_proto *p)
{
	const struct bgp_conf *b = bgp_conf_of(p);

	return b->dynamic.has_range ? 0 : b->id.remote_as;
}

static bool
bgp_conf_quarantine(const struct conf_proto *p)
{
	return bgp_conf_of(p)->policy.quarantine;
}

/* bgp_conf_diff - whether next hops are looked up hangs on other protocols, too. */
static uint32_t
bgp_conf_diff(const struct conf_proto *old_p, const struct conf_proto *new_p)
{
	uint32_t change = 0;

	for (const struct conf_channel *o = old_p->chan; o; o = o->next) {
		const struct conf_channel *n = conf_channel_like(new_p, o);

		for (int f = 0; n && f < FAM_CNT; f++)
			if (!bgp_conf_igp(o, f) != !bgp_conf_igp(n, f))
				change = CONF_CH_RESTART;
	}
	return change;
}

const struct conf_class bgp_conf_class = {
	.keyword = "bgp",
	.name = "BGP",
	.kind = PROTO_BGP,
	.has_channels = true,
	.preference = 100,
	.opt = options,
	.opt_size = sizeof(struct bgp_conf),
	.channel_opt = bgp_channel_options,
	.channel_size = sizeof(struct bgp_channel_conf),
	.check = bgp_conf_check,
	.diff = bgp_conf_diff,
	.leads = bgp_conf_leads,
	.reads = bgp_conf_reads,
	.local_as = conf_local_as,
	.remote_as = conf_remote_as,
	.quarantine = bgp_conf_quarantine,
	.clash.between = bgp_conf_clashes,
	.lacks = bgp_conf_lacks,
	.clash.peer_hash = bgp_conf_peer_hash,
	.clash.about = "neighbor and local address",
	.clash.means = "incoming connections go to only one of the protocols",
	.members = &bgp_conf_members,
	.through = bgp_conf_through,
};
