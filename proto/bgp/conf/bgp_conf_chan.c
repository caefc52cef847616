/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of BGP's channels. What a role or peer type implies is filled in by
 * bgp_conf_check. Loop: the thread that parses; functions on parsed options run in any
 * thread. Tested by test/unit/test_conf_golden.c and test/net/test_options.py. */
#include "lib/wire/bgp/bgp_params.h"
#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/net/prefix.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_file.h"
#include "nest/conf/opt/conf_igp.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/conf/hop_map.h"
#include <stddef.h>

#define COFF(field) offsetof(struct bgp_channel_conf, field)

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

static const struct opt_name switch_names[] = {
	{ "on", 1 },
	{ "yes", 1 },
	{ "true", 1 },
	{ "off", 0 },
	{ "no", 0 },
	{ "false", 0 },
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

static const struct opt_name format_names[] = {
	{ "native", BGP_LL_NATIVE },
	{ "single", BGP_LL_SINGLE },
	{ "double", BGP_LL_DOUBLE },
	{ NULL, 0 },
};

static const struct opt_name aigp_names[] = {
	{ "on", 1 },
	{ "yes", 1 },
	{ "off", 0 },
	{ "no", 0 },
	{ "originate", BGP_AIGP_ORIGINATE },
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

static bool
chan_parse_missing_lladdr(struct conf_args *a, void *to)
{
	(void)to;
	if (!conf_arg_word(a, "self") && !conf_arg_word(a, "drop") &&
	    !conf_arg_word(a, "ignore"))
		return conf_arg_expected(a, "self, drop or ignore");
	conf_warning(
	    a->ctx, conf_arg_start(a), "missing lladdr has no effect, remove the option");
	return true;
}

static bool
bgp_conf_chan_parse_igp(struct conf_args *a, void *to)
{
	struct bgp_channel_conf *cc = to;

	return conf_igp_parse(a, cc->igp_given, cc->given.igp);
}

#define MAP_OCTETS (16u << 20) /* longest file of a next hop map */

static void *
chan_read_map(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d)
{
	return hop_map_parse(a, path, text, len, d);
}

bool
bgp_conf_parse_map(struct conf_args *a, struct bgp_hop_given *out)
{
	struct src_pos at = conf_arg_pos(a);
	const char *name;

	*out = (struct bgp_hop_given){ .given = true };
	if (conf_arg_word(a, "off"))
		return true;
	if (!conf_arg_is_value(a, T_STRING))
		return conf_arg_expected(a, "the name of a file, or off");
	if (!conf_arg_string(a, &name))
		return false;
	out->map = conf_file_value(
	    a->ctx, at, "next hop map", name, MAP_OCTETS, chan_read_map);
	return out->map != NULL;
}

static bool
bgp_conf_chan_parse_map(struct conf_args *a, void *to)
{
	struct bgp_channel_conf *cc = to;

	return bgp_conf_parse_map(a, &cc->hop.of_channel);
}

const struct conf_opt bgp_channel_options[] = {
	{ "mandatory", OPT_SWITCH, .off = COFF(mandatory), .change = CONF_CH_RESTART,
	    .help = "no session without this family" },
	{ "next hop keep", OPT_ENUM, .off = COFF(given.keep), .names = nh_names,
	    .def = BGP_NOT_GIVEN,
	    .help = "leave next hops unchanged (default for rs client)" },
	{ "next hop self", OPT_ENUM, .off = COFF(given.self), .names = nh_names,
	    .def = BGP_NOT_GIVEN, .help = "always send our address as next hop" },
	{ NULL, OPT_FIELD, .off = COFF(next_hop_keep), .min = 1, .change = CONF_CH_EXPORT,
	    .help = "next hop keep" },
	{ NULL, OPT_FIELD, .off = COFF(next_hop_self), .min = 1, .change = CONF_CH_EXPORT,
	    .help = "next hop self" },
	{ "next hop address", OPT_IP, .off = COFF(next_hop_address),
	    .change = CONF_CH_RESTART, .help = "our address as next hop in UPDATEs" },
	{ "next hop prefer", OPT_ENUM, .off = COFF(next_hop_prefer),
	    .names = prefer_names, .change = CONF_CH_IMPORT, .known = KNOWN_DEFAULT,
	    .help = "address to use if a next hop has two addresses" },
	{ "next hop map", OPT_CUSTOM, .parse = bgp_conf_chan_parse_map,
	    .form = "( TEXT | off )", .known = KNOWN_TERN,
	    .help = "file with the IPv4 and the IPv6 address of each router; see "
		    "members.md" },
	{ NULL, OPT_FIELD, .off = COFF(hop.hash), .min = 2 * sizeof(uint64_t),
	    .change = CONF_CH_EXPORT, .help = "next hop map" },
	{ "missing lladdr", OPT_CUSTOM, .parse = chan_parse_missing_lladdr,
	    .form = "( self | drop | ignore )",
	    .help = "no effect, as in BIRD: see link local next hop format" },
	{ "link local next hop format", OPT_ENUM, .off = COFF(ll_form),
	    .names = format_names, .change = CONF_CH_EXPORT,
	    .help = "form of a next hop without a global address" },
	{ "gateway", OPT_ENUM, .off = COFF(given.gateway), .names = gateway_names,
	    .def = BGP_NOT_GIVEN,
	    .help = "direct: the next hop must be a neighbour; recursive: look up the "
		    "next hop" },
	{ NULL, OPT_FIELD, .off = COFF(gateway_recursive), .min = 1,
	    .change = CONF_CH_IMPORT },
	{ "igp table", OPT_CUSTOM, .parse = bgp_conf_chan_parse_igp, .form = "NAME",
	    .help =
		"where next hops of its family are looked up; twice for both families" },
	{ NULL, OPT_TABLE, .off = COFF(igp_given[FAM_IP4]), .help = "igp table" },
	{ NULL, OPT_TABLE, .off = COFF(igp_given[FAM_IP6]), .help = "igp table" },
	{ NULL, OPT_TABLE, .off = COFF(igp[FAM_IP4]), .change = CONF_CH_RESTART,
	    .help = "igp table" },
	{ NULL, OPT_TABLE, .off = COFF(igp[FAM_IP6]), .change = CONF_CH_RESTART,
	    .help = "igp table" },
	{ "import table", OPT_SWITCH, .off = COFF(import_table),
	    .change = CONF_CH_RESTART, .help = "keep routes as received" },
	{ "export table", OPT_SWITCH, .off = COFF(export_table),
	    .change = CONF_CH_RESTART,
	    .help = "keep routes as sent: an unchanged route isn't sent again" },
	{ "export settle time", OPT_FORM, .form = "TIME TIME", .known = KNOWN_BIRD_3,
	    .help = "no effect: changes are sent in batches" },
	{ "secondary", OPT_SWITCH, .off = COFF(secondary), .change = CONF_CH_RESTART,
	    .help = "send the best of the routes that the peer may have" },
	{ "validate", OPT_SWITCH, .state = OPT_UNSUPPORTED, .help = "check flow rules" },
	{ "base table", OPT_TABLE, .state = OPT_UNSUPPORTED,
	    .help = "table for the check of flow rules" },
	{ "extended next hop", OPT_SWITCH, .off = COFF(extended_next_hop),
	    .change = CONF_CH_RESTART,
	    .help = "IPv6 next hops of IPv4 routes (RFC 8950)" },
	{ "require extended next hop", OPT_SWITCH, .off = COFF(require_extended_next_hop),
	    .change = CONF_CH_RESTART, .help = "no session without extended next hops" },
	{ "add paths", OPT_ENUM, .off = COFF(add_paths), .names = addpath_names,
	    .change = CONF_CH_RESTART, .help = "several routes a net (RFC 7911)" },
	{ "require add paths", OPT_SWITCH, .off = COFF(require_add_paths),
	    .change = CONF_CH_RESTART, .help = "no session without ADD-PATH" },
	{ "aigp", OPT_ENUM, .off = COFF(given.aigp), .names = aigp_names,
	    .def = BGP_NOT_GIVEN,
	    .help = "take and send AIGP (RFC 7311; default for iBGP); originate: also "
		    "for routes of an IGP that have none" },
	{ NULL, OPT_FIELD, .off = COFF(aigp), .min = 1, .change = CONF_CH_RESTART },
	{ "cost", OPT_U32, .off = COFF(cost), .min = 1, .change = CONF_CH_RESTART,
	    .help = "metric of the link to a direct neighbor, added to AIGP" },
	{ "graceful restart", OPT_ENUM, .off = COFF(gr), .names = switch_names,
	    .def = BGP_NOT_GIVEN, .change = CONF_CH_INPLACE,
	    .help = "of this family, if on for the session" },
	{ "long lived graceful restart", OPT_ENUM, .off = COFF(llgr),
	    .names = switch_names, .def = BGP_NOT_GIVEN, .change = CONF_CH_RESTART,
	    .help = "likewise" },
	{ "long lived stale time", OPT_TIME_S, .off = COFF(llgr_s), .max = 16777215,
	    .def = BGP_TIME_NOT_GIVEN, .change = CONF_CH_RESTART,
	    .help = "of this family" },
	{ "min long lived stale time", OPT_TIME_S, .off = COFF(llgr_min_s),
	    .max = 16777215, .def = BGP_TIME_NOT_GIVEN, .change = CONF_CH_INPLACE,
	    .help = "of this family" },
	{ "max long lived stale time", OPT_TIME_S, .off = COFF(llgr_max_s),
	    .max = 16777215, .def = BGP_TIME_NOT_GIVEN, .change = CONF_CH_INPLACE,
	    .help = "of this family" },
	{ .type = OPT_END, .help = "a channel of protocol bgp" },
};

const struct conf_table *
bgp_conf_igp(const struct conf_channel *ch, enum family f)
{
	const struct bgp_channel_conf *o = ch->opt;

	return o->gateway_recursive && o->igp[f] && o->igp[f]->leads ? o->igp[f] : NULL;
}

bool
bgp_conf_looks_up(const struct conf_channel *ch)
{
	return bgp_conf_igp(ch, FAM_IP4) || bgp_conf_igp(ch, FAM_IP6);
}
