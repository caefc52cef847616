/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol bgp`: the tables, and the spellings that tables can't tell. What a
 * role or peer type implies is filled in by bgp_conf_check.
 *
 * style: longer than 600 lines, since most of it is tables. */
#include "proto/bgp/bgp_conf.h"
#include "nest/conf_opt.h"
#include <stddef.h>

#define OFF(field)  offsetof(struct bgp_conf, field)
#define COFF(field) offsetof(struct bgp_channel_conf, field)

#define TTL_DEFAULT 64

/* ---- endpoints ---- */

static bool
parse_as(struct conf_ctx *c, struct conf_args *a, uint32_t *as, bool *has)
{
	*has = true;
	return conf_arg_u32(c, a, as, 1, UINT32_MAX);
}

static bool
parse_port(struct conf_ctx *c, struct conf_args *a, uint16_t *port)
{
	uint32_t n;

	if (!conf_arg_u32(c, a, &n, 1, UINT16_MAX))
		return false;
	*port = (uint16_t)n;
	return true;
}

/* local [IP] [port N] [as N] */
static bool
parse_local(struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	(void)o;
	if (conf_arg_is_value(c, a, T_IP) && !conf_arg_ip(c, a, &b->local_ip))
		return false;
	for (;;) {
		if (conf_arg_word(a, "port")) {
			if (!parse_port(c, a, &b->local_port))
				return false;
		} else if (conf_arg_word(a, "as")) {
			if (!parse_as(c, a, &b->local_as, &b->has_local_as))
				return false;
		} else {
			break;
		}
	}
	if (conf_arg_peek(a) != ARG_END) {
		conf_error(c, conf_arg_pos(a), "expected an address, port, as or ';'");
		return false;
	}
	return true;
}

/* IP%iface; the sign comes as an item of its own. */
static bool
parse_scope(struct conf_ctx *c, struct conf_args *a, struct bgp_conf *b)
{
	const char *name;

	if (conf_arg_peek(a) != ARG_OTHER)
		return true;
	if (!conf_arg_other(a, '%'))
		return true;
	if (conf_arg_peek(a) == ARG_VALUE)
		return conf_arg_string(c, a, &b->iface);
	name = conf_arg_next_word(a);
	if (!name) {
		conf_error(c, conf_arg_pos(a), "expected the name of an interface");
		return false;
	}
	b->iface = arena_strdup(conf_arena(c), name);
	return true;
}

/* neighbor [IP[%iface]] [port N] [as N] [internal|external] */
static bool
parse_neighbor(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	struct src_pos pos = conf_arg_pos(a);

	(void)o;
	if (conf_arg_word(a, "range")) {
		conf_error(c, pos, "'neighbor range' is not supported yet");
		conf_arg_skip(a);
		return true;
	}
	if (conf_arg_is_value(c, a, T_IP)) {
		if (!ip_is_none(b->remote_ip)) {
			conf_error(c, pos, "a second neighbor; an instance has one");
			return false;
		}
		if (!conf_arg_ip(c, a, &b->remote_ip) || !parse_scope(c, a, b))
			return false;
	}
	for (;;) {
		if (conf_arg_word(a, "port")) {
			if (!parse_port(c, a, &b->remote_port))
				return false;
		} else if (conf_arg_word(a, "as")) {
			if (!parse_as(c, a, &b->remote_as, &b->has_remote_as))
				return false;
		} else if (conf_arg_word(a, "internal")) {
			b->peer_internal = true;
		} else if (conf_arg_word(a, "external")) {
			b->peer_external = true;
		} else if (conf_arg_word(a, "onlink")) {
			conf_error(c, pos, "'neighbor ... onlink' is not supported yet");
		} else {
			break;
		}
	}
	if (conf_arg_peek(a) != ARG_END) {
		conf_error(c, conf_arg_pos(a),
		    "expected an address, port, as, internal, external or ';'");
		return false;
	}
	return true;
}

static bool
parse_multihop(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	uint32_t ttl = TTL_DEFAULT;

	(void)o;
	if (conf_arg_peek(a) != ARG_END && !conf_arg_u32(c, a, &ttl, 1, 255))
		return false;
	b->multihop = true;
	b->has_multihop = true;
	b->has_direct = false;
	b->ttl = (uint8_t)ttl;
	return true;
}

static bool
parse_direct(struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	(void)c;
	(void)o;
	(void)a;
	b->multihop = false;
	b->has_multihop = false;
	b->has_direct = true;
	return true;
}

static bool
parse_interface(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	(void)o;
	if (conf_arg_word(a, "range")) {
		conf_error(c, conf_arg_pos(a), "'interface range' is not supported yet");
		conf_arg_skip(a);
		return true;
	}
	return conf_arg_string(c, a, &b->iface);
}

/* ---- the rest of the odd ones ---- */

/* error wait time N [, N] */
static bool
parse_error_wait(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	struct src_pos pos = conf_arg_pos(a);

	(void)o;
	if (!conf_arg_u32(c, a, &b->error_wait_min_s, 1, 65535))
		return false;
	b->error_wait_max_s = b->error_wait_min_s;
	if (conf_arg_comma(a) && !conf_arg_u32(c, a, &b->error_wait_max_s, 1, 65535))
		return false;
	if (b->error_wait_max_s < b->error_wait_min_s) {
		conf_error(c, pos, "the second error wait time is the longer one");
		return false;
	}
	return true;
}

/* 0, or 3 to 65535 (RFC 4271, 4.2) */
static bool
parse_hold(struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct src_pos pos = conf_arg_pos(a);
	uint32_t n;

	if (!conf_arg_u32(c, a, &n, 0, 65535))
		return false;
	conf_arg_word(a, "s");
	if (n == 1 || n == 2) {
		conf_error(c, pos, "%s must be 0 or from 3 to 65535", o->words);
		return false;
	}
	*(uint32_t *)(void *)((char *)to + o->off) = n;
	return true;
}

static bool
parse_send_hold(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	(void)o;
	b->has_send_hold = true;
	return conf_arg_u32(c, a, &b->send_hold_s, 0, 65535);
}

/* allow local as [N] */
static bool
parse_allow_local_as(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	(void)o;
	b->allow_local_as = UINT32_MAX;
	if (conf_arg_peek(a) == ARG_END)
		return true;
	return conf_arg_u32(c, a, &b->allow_local_as, 0, UINT32_MAX - 1);
}

/* password "text"; the blocks of other protocols have no meaning here */
static bool
parse_password(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	struct src_pos pos = conf_arg_pos(a);

	(void)o;
	if (!conf_arg_string(c, a, &b->password))
		return false;
	if (strlen(b->password) > 80) { /* what TCP MD5 takes */
		conf_error(c, pos, "a password has at most 80 octets");
		return false;
	}
	return true;
}

static const struct opt_name auth_names[] = {
	{ "none", BGP_AUTH_NONE },
	{ "md5", BGP_AUTH_MD5 },
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

static const struct opt_name bfd_names[] = {
	{ "on", 1 },
	{ "yes", 1 },
	{ "off", 0 },
	{ "no", 0 },
	{ "graceful", 1 },
	{ NULL, 0 },
};

static const struct opt_name cease_names[] = {
	{ "all", 0xfffe },
	{ "on", 0xfffe },
	{ "yes", 0xfffe },
	{ "off", 0 },
	{ "no", 0 },
	{ NULL, 0 },
};

/* disable after cease SWITCH | { reason, ... }: subcodes of RFC 4486 */
static bool
parse_after_cease(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;
	const struct opt_name *n;

	(void)o;
	if (conf_arg_peek(a) == ARG_END) {
		b->disable_after_cease = 0xfffe;
		return true;
	}
	for (n = cease_names; n->word; n++) {
		if (conf_arg_word(a, n->word)) {
			b->disable_after_cease = n->value;
			return true;
		}
	}
	conf_error(c, conf_arg_pos(a),
	    "a list of reasons in 'disable after cease' is not supported "
	    "yet");
	conf_arg_skip(a);
	return true;
}

/* ---- the table of the protocol ---- */

static const struct conf_opt options[] = {
	{ "local", OPT_CUSTOM, .parse = parse_local, .help = "our address, port and AS" },
	{ "neighbor", OPT_CUSTOM, .parse = parse_neighbor,
	    .help = "the peer's address, port and AS" },
	{ "interface", OPT_CUSTOM, .parse = parse_interface,
	    .help = "interface of link-local peers" },
	{ NULL, OPT_FIELD, .off = OFF(local_as), .min = 4, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(remote_as), .min = 4, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(local_ip), .min = 16, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(remote_ip), .min = 16, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(local_port), .min = 2, .def = BGP_PORT,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(remote_port), .min = 2, .def = BGP_PORT,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(ebgp), .min = 1, .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(iface), .change = CONF_CH_RESTART },
	{ "multihop", OPT_CUSTOM, .parse = parse_multihop,
	    .help = "the peer is some hops away (default for iBGP)" },
	{ "direct", OPT_CUSTOM, .parse = parse_direct,
	    .help = "the peer is on our link (default for eBGP)" },
	{ NULL, OPT_FIELD, .off = OFF(multihop), .min = 1, .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(ttl), .min = 1, .def = TTL_DEFAULT,
	    .change = CONF_CH_RESTART },
	{ "source address", OPT_IP, .off = OFF(local_ip),
	    .help = "our address; as in local" },
	{ "strict bind", OPT_SWITCH, .off = OFF(strict_bind), .change = CONF_CH_RESTART,
	    .help = "listen at our address only" },
	{ "free bind", OPT_SWITCH, .off = OFF(free_bind), .change = CONF_CH_RESTART,
	    .help = "our address need not exist yet" },
	{ "onlink", OPT_SWITCH, .off = OFF(unsupported), .state = OPT_UNSUPPORTED },
	{ "check link", OPT_IGNORED, .state = OPT_WARN },
	{ "dynamic name", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "passive", OPT_SWITCH, .off = OFF(passive), .change = CONF_CH_RESTART,
	    .help = "wait for the peer to connect" },
	{ "disable rx", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "tx size warning", OPT_IGNORED, .state = OPT_WARN },
	{ "tx class", OPT_U8, .off = OFF(tx_class), .def = 0xc0,
	    .change = CONF_CH_RESTART, .help = "type of service of our packets" },
	{ "tx dscp", OPT_IGNORED, .state = OPT_WARN },
	{ "tx priority", OPT_U32, .off = OFF(tx_priority), .def = 7,
	    .change = CONF_CH_RESTART,
	    .help = "priority of our packets in this machine" },
	{ "authentication", OPT_ENUM, .off = OFF(auth), .names = auth_names,
	    .change = CONF_CH_RESTART, .help = "none, or md5 with a password" },
	{ "password", OPT_CUSTOM, .parse = parse_password,
	    .help = "of TCP MD5 (RFC 2385)" },
	{ NULL, OPT_STRING, .off = OFF(password), .change = CONF_CH_RESTART },
	{ "keys", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "setkey", OPT_IGNORED, .help = "no effect here" },
	{ "ttl security", OPT_SWITCH, .off = OFF(ttl_security), .change = CONF_CH_RESTART,
	    .help = "refuse packets from farther away (RFC 5082)" },
	{ "enforce first as", OPT_SWITCH, .off = OFF(enforce_first_as),
	    .change = CONF_CH_RESTART, .help = "the path must begin with the peer's AS" },
	{ "local role", OPT_ENUM, .off = OFF(role), .names = role_names,
	    .def = BGP_ROLE_NONE, .change = CONF_CH_RESTART,
	    .help = "who we are to the peer (RFC 9234)" },
	{ "require roles", OPT_SWITCH, .off = OFF(require_roles),
	    .change = CONF_CH_INPLACE, .help = "refuse peers that tell no role" },
	{ "allow local as", OPT_CUSTOM, .parse = parse_allow_local_as,
	    .help = "how often our AS may be in a path" },
	{ NULL, OPT_FIELD, .off = OFF(allow_local_as), .min = 4,
	    .change = CONF_CH_RESTART },
	{ "allow as sets", OPT_SWITCH, .off = OFF(allow_as_sets), .def = 1,
	    .state = OPT_UNSUPPORTED,
	    .help = "take paths with AS_SET; off is not supported yet" },
	{ "allow bgp_local_pref", OPT_SWITCH, .off = OFF(allow_local_pref),
	    .change = CONF_CH_RESTART, .help = "LOCAL_PREF from and to eBGP peers" },
	{ "allow bgp_med", OPT_SWITCH, .off = OFF(allow_med), .change = CONF_CH_RESTART,
	    .help = "MED from and to eBGP peers" },
	{ "rs client", OPT_SWITCH, .off = OFF(rs_client), .change = CONF_CH_RESTART,
	    .help = "the peer is a client of our route server (RFC 7947)" },
	{ "rr client", OPT_SWITCH, .off = OFF(rr_client), .change = CONF_CH_RESTART,
	    .help = "the peer is a client of our route reflector (RFC 4456)" },
	{ "rr cluster id", OPT_ID, .off = OFF(rr_cluster_id), .change = CONF_CH_RESTART,
	    .help = "our cluster (default: the router id)" },
	{ "confederation", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "confederation member", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "interpret communities", OPT_SWITCH, .off = OFF(interpret_communities),
	    .def = 1, .change = CONF_CH_EXPORT,
	    .help = "obey NO_EXPORT and its like (RFC 1997)" },
	{ "hold time", OPT_CUSTOM, .off = OFF(hold_s), .parse = parse_hold,
	    .help = "seconds without a message until the session ends" },
	{ NULL, OPT_FIELD, .off = OFF(hold_s), .min = 4, .def = 240,
	    .change = CONF_CH_INPLACE },
	{ "min hold time", OPT_CUSTOM, .off = OFF(min_hold_s), .parse = parse_hold,
	    .help = "refuse peers that want less" },
	{ NULL, OPT_FIELD, .off = OFF(min_hold_s), .min = 4, .change = CONF_CH_INPLACE },
	{ "startup hold time", OPT_CUSTOM, .off = OFF(startup_hold_s),
	    .parse = parse_hold, .help = "hold time until the peer's OPEN" },
	{ NULL, OPT_FIELD, .off = OFF(startup_hold_s), .min = 4, .def = 240,
	    .change = CONF_CH_INPLACE },
	{ "keepalive time", OPT_TIME_S, .off = OFF(keepalive_s), .min = 1, .max = 65535,
	    .change = CONF_CH_INPLACE,
	    .help = "seconds between keepalives (default: hold time / 3)" },
	{ "min keepalive time", OPT_TIME_S, .off = OFF(min_keepalive_s), .max = 65535,
	    .change = CONF_CH_INPLACE,
	    .help = "refuse hold times that need shorter ones" },
	{ "send hold time", OPT_CUSTOM, .parse = parse_send_hold,
	    .help =
		"seconds without progress in sending until the session ends (RFC 9687)" },
	{ NULL, OPT_FIELD, .off = OFF(send_hold_s), .min = 4, .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(has_send_hold), .min = 1,
	    .change = CONF_CH_INPLACE },
	{ "connect delay time", OPT_TIME_S, .off = OFF(connect_delay_s), .def = 5,
	    .max = 65535, .change = CONF_CH_INPLACE,
	    .help = "seconds until the first connection" },
	{ "start delay time", OPT_TIME_S, .off = OFF(connect_delay_s), .max = 65535,
	    .help = "old name of connect delay time" },
	{ "connect retry time", OPT_TIME_S, .off = OFF(connect_retry_s), .def = 120,
	    .min = 1, .max = 65535, .change = CONF_CH_INPLACE,
	    .help = "seconds between attempts to connect" },
	{ "error wait time", OPT_CUSTOM, .parse = parse_error_wait,
	    .help = "seconds to wait after an error: least, most" },
	{ NULL, OPT_FIELD, .off = OFF(error_wait_min_s), .min = 4, .def = 60,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(error_wait_max_s), .min = 4, .def = 300,
	    .change = CONF_CH_INPLACE },
	{ "error forget time", OPT_TIME_S, .off = OFF(error_forget_s), .def = 300,
	    .max = 65535, .change = CONF_CH_INPLACE,
	    .help = "seconds after which an error is forgotten" },
	{ "disable after error", OPT_SWITCH, .off = OFF(disable_after_error),
	    .change = CONF_CH_INPLACE, .help = "don't start again after an error" },
	{ "disable after cease", OPT_CUSTOM, .parse = parse_after_cease,
	    .help = "don't start again after the peer's Cease" },
	{ NULL, OPT_FIELD, .off = OFF(disable_after_cease), .min = 4,
	    .change = CONF_CH_INPLACE },
	{ "capabilities", OPT_SWITCH, .off = OFF(capabilities), .def = 1,
	    .change = CONF_CH_RESTART, .help = "send capabilities (RFC 5492)" },
	{ "enable as4", OPT_SWITCH, .off = OFF(enable_as4), .def = 1,
	    .change = CONF_CH_RESTART, .help = "4-octet AS numbers (RFC 6793)" },
	{ "enable route refresh", OPT_SWITCH, .off = OFF(enable_refresh), .def = 1,
	    .change = CONF_CH_RESTART, .help = "RFC 2918" },
	{ "enable enhanced route refresh", OPT_IGNORED, .state = OPT_WARN },
	{ "enable extended messages", OPT_SWITCH, .off = OFF(enable_extended_messages),
	    .change = CONF_CH_RESTART, .help = "messages up to 65535 octets (RFC 8654)" },
	{ "advertise hostname", OPT_IGNORED, .state = OPT_WARN },
	{ "require as4", OPT_SWITCH, .off = OFF(require_as4), .change = CONF_CH_INPLACE },
	{ "require route refresh", OPT_SWITCH, .off = OFF(require_refresh),
	    .change = CONF_CH_INPLACE },
	{ "require enhanced route refresh", OPT_SWITCH,
	    .off = OFF(require_enhanced_refresh), .state = OPT_UNSUPPORTED },
	{ "require extended messages", OPT_SWITCH, .off = OFF(require_extended_messages),
	    .change = CONF_CH_INPLACE },
	{ "require hostname", OPT_SWITCH, .off = OFF(unsupported),
	    .state = OPT_UNSUPPORTED },
	{ "require graceful restart", OPT_SWITCH, .off = OFF(require_gr),
	    .state = OPT_UNSUPPORTED },
	{ "require long lived graceful restart", OPT_SWITCH, .off = OFF(require_gr),
	    .state = OPT_UNSUPPORTED },
	{ "graceful restart", OPT_ENUM, .off = OFF(gr), .names = gr_names,
	    .def = BGP_GR_AWARE, .change = CONF_CH_RESTART,
	    .help = "RFC 4724: off or aware" },
	{ "graceful restart time", OPT_IGNORED, .state = OPT_WARN },
	{ "min graceful restart time", OPT_IGNORED, .state = OPT_WARN },
	{ "max graceful restart time", OPT_IGNORED, .state = OPT_WARN },
	{ "long lived graceful restart", OPT_ENUM, .off = OFF(llgr), .names = gr_names,
	    .def = BGP_GR_AWARE, .change = CONF_CH_RESTART,
	    .help = "RFC 9494: off or aware" },
	{ "long lived stale time", OPT_IGNORED, .state = OPT_WARN },
	{ "min long lived stale time", OPT_IGNORED, .state = OPT_WARN },
	{ "max long lived stale time", OPT_IGNORED, .state = OPT_WARN },
	{ "path metric", OPT_SWITCH, .off = OFF(path_metric), .def = 1,
	    .change = CONF_CH_RESTART, .help = "compare path lengths" },
	{ "med metric", OPT_SWITCH, .off = OFF(med_metric), .change = CONF_CH_RESTART,
	    .help = "compare MED of all neighbours" },
	{ "deterministic med", OPT_SWITCH, .off = OFF(deterministic_med),
	    .state = OPT_UNSUPPORTED },
	{ "igp metric", OPT_SWITCH, .off = OFF(igp_metric), .def = 1,
	    .change = CONF_CH_RESTART, .help = "compare metrics of next hops" },
	{ "prefer older", OPT_SWITCH, .off = OFF(prefer_older),
	    .state = OPT_UNSUPPORTED },
	{ "default bgp_med", OPT_U32, .off = OFF(default_med), .state = OPT_UNSUPPORTED },
	{ "default bgp_local_pref", OPT_U32, .off = OFF(default_local_pref), .def = 100,
	    .change = CONF_CH_RESTART, .help = "what an absent LOCAL_PREF counts as" },
	{ "bfd", OPT_ENUM, .off = OFF(unsupported), .names = bfd_names,
	    .state = OPT_UNSUPPORTED },
	{ .type = OPT_END },
};

/* ---- channels ---- */

static const struct opt_name nh_names[] = {
	{ "on", BGP_NH_ALL },
	{ "yes", BGP_NH_ALL },
	{ "true", BGP_NH_ALL },
	{ "off", BGP_NH_NO },
	{ "no", BGP_NH_NO },
	{ "false", BGP_NH_NO },
	{ "ibgp", BGP_NH_IBGP },
	{ "ebgp", BGP_NH_EBGP },
	{ NULL, 0 },
};

static const struct opt_name gateway_names[] = {
	{ "direct", 0 },
	{ "recursive", 1 },
	{ NULL, 0 },
};

static const struct opt_name prefer_names[] = {
	{ "global", 0 },
	{ "local", 1 },
	{ NULL, 0 },
};

static const struct opt_name addpath_names[] = {
	{ "on", BGP_ADDPATH_BOTH },
	{ "yes", BGP_ADDPATH_BOTH },
	{ "off", BGP_ADDPATH_OFF },
	{ "no", BGP_ADDPATH_OFF },
	{ "rx", BGP_ADDPATH_RX },
	{ "tx", BGP_ADDPATH_TX },
	{ NULL, 0 },
};

static const struct conf_opt channel_options[] = {
	{ "mandatory", OPT_SWITCH, .off = COFF(mandatory), .change = CONF_CH_RESTART,
	    .help = "no session without this family" },
	{ "next hop keep", OPT_ENUM, .off = COFF(keep_given), .names = nh_names,
	    .def = BGP_NOT_GIVEN,
	    .help = "leave next hops as they are (default for rs client)" },
	{ "next hop self", OPT_ENUM, .off = COFF(self_given), .names = nh_names,
	    .def = BGP_NOT_GIVEN, .help = "always send our address as next hop" },
	{ NULL, OPT_FIELD, .off = COFF(next_hop_keep), .min = 1,
	    .change = CONF_CH_EXPORT },
	{ NULL, OPT_FIELD, .off = COFF(next_hop_self), .min = 1,
	    .change = CONF_CH_EXPORT },
	{ "next hop address", OPT_IP, .off = COFF(next_hop_address),
	    .change = CONF_CH_RESTART, .help = "what we send as our address" },
	{ "next hop prefer", OPT_ENUM, .off = COFF(next_hop_prefer_local),
	    .names = prefer_names, .state = OPT_UNSUPPORTED },
	{ "missing lladdr", OPT_IGNORED, .help = "no effect" },
	{ "link local next hop format", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "gateway", OPT_ENUM, .off = COFF(gateway_given), .names = gateway_names,
	    .def = BGP_NOT_GIVEN,
	    .help = "direct: the next hop must be a neighbour; recursive: look it up" },
	{ NULL, OPT_FIELD, .off = COFF(gateway_recursive), .min = 1,
	    .change = CONF_CH_IMPORT },
	{ "igp table", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "import table", OPT_SWITCH, .off = COFF(import_table),
	    .change = CONF_CH_RESTART, .help = "keep routes as they were received" },
	{ "export table", OPT_SWITCH, .off = COFF(export_table),
	    .state = OPT_UNSUPPORTED },
	{ "export settle time", OPT_IGNORED,
	    .help = "no effect: changes are sent in batches" },
	{ "secondary", OPT_SWITCH, .off = COFF(secondary), .state = OPT_UNSUPPORTED },
	{ "validate", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "base table", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "extended next hop", OPT_SWITCH, .off = COFF(extended_next_hop),
	    .state = OPT_UNSUPPORTED },
	{ "require extended next hop", OPT_SWITCH, .off = COFF(require_extended_next_hop),
	    .state = OPT_UNSUPPORTED },
	{ "add paths", OPT_ENUM, .off = COFF(add_paths), .names = addpath_names,
	    .state = OPT_UNSUPPORTED },
	{ "require add paths", OPT_SWITCH, .off = COFF(unsupported),
	    .state = OPT_UNSUPPORTED },
	{ "aigp", OPT_SWITCH, .off = COFF(aigp), .state = OPT_UNSUPPORTED },
	{ "cost", OPT_IGNORED, .state = OPT_UNSUPPORTED },
	{ "graceful restart", OPT_SWITCH, .off = COFF(unsupported),
	    .state = OPT_UNSUPPORTED },
	{ "long lived graceful restart", OPT_SWITCH, .off = COFF(unsupported),
	    .state = OPT_UNSUPPORTED },
	{ "long lived stale time", OPT_IGNORED, .state = OPT_WARN },
	{ .type = OPT_END },
};

const struct conf_class bgp_conf_class = {
	.keyword = "bgp",
	.name = "BGP",
	.kind = PROTO_BGP,
	.has_channels = true,
	.preference = 100,
	.opt = options,
	.opt_size = sizeof(struct bgp_conf),
	.channel_opt = channel_options,
	.channel_size = sizeof(struct bgp_channel_conf),
	.check = bgp_conf_check,
};
