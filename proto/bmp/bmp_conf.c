/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol bmp`. A changed time takes effect at once; every other change
 * restarts the instance, because the stations must start again. Loop: the thread that
 * parses. Tested by test/unit/test_conf_golden.c. */
#include "lib/net/prefix.h"
#include "filter/value/known.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/bmp/bmp.h"

#include <stddef.h>

#define OFF(field) offsetof(struct bmp_conf, field)

/* station address ip ADDRESS port NUMBER, several times */
static bool
conf_parse_station(struct conf_args *a, void *to)
{
	struct bmp_conf *b = to;
	struct bmp_place p = { .port = 0 };

	if (!conf_arg_word(a, "ip"))
		return conf_arg_expected(a, "ip");
	if (!conf_arg_ip(a, &p.ip))
		return false;
	if (!conf_arg_word(a, "port"))
		return conf_arg_expected(a, "port");
	if (!conf_arg_u32(a, &p.port, 1, 65535))
		return false;
	if (b->station_cnt == BMP_STATIONS)
		return conf_arg_expected(a, "no more than 8 stations");
	if (b->station_cnt)
		conf_ext(
		    a->ctx, conf_arg_start(a), KNOWN_TERN, "a further 'station address'");
	b->station[b->station_cnt++] = p;
	return true;
}

/* listen [address ADDRESS] port NUMBER */
static bool
conf_parse_listen(struct conf_args *a, void *to)
{
	struct bmp_conf *b = to;

	if (conf_arg_word(a, "address") && !conf_arg_ip(a, &b->listen.ip))
		return false;
	if (!conf_arg_word(a, "port"))
		return conf_arg_expected(a, "port");
	return conf_arg_u32(a, &b->listen.port, 1, 65535);
}

/* allow PREFIX, several times */
static bool
conf_parse_allow(struct conf_args *a, void *to)
{
	struct bmp_conf *b = to;

	if (b->allow_cnt == BMP_ALLOW)
		return conf_arg_expected(a, "no more than 16 prefixes");
	return conf_arg_prefix(a, &b->allow[b->allow_cnt++]);
}

static const struct conf_opt options[] = {
	{ "station address", OPT_CUSTOM, .parse = conf_parse_station,
	    .form = "ip ADDRESS port NUMBER",
	    .help = "a station to report to; several stations are possible" },
	{ NULL, OPT_FIELD, .off = OFF(station), .help = "station address",
	    .min = sizeof(struct bmp_place) * BMP_STATIONS, .change = CONF_CH_RESTART },
	{ "local address", OPT_IP, .off = OFF(local_ip), .change = CONF_CH_RESTART,
	    .help = "our address" },
	{ "system description", OPT_STRING, .off = OFF(sys_descr),
	    .change = CONF_CH_RESTART, .help = "our description in Initiation messages" },
	{ "system name", OPT_STRING, .off = OFF(sys_name), .change = CONF_CH_RESTART,
	    .help = "our name; by default the host name" },
	{ "monitoring rib in pre_policy", OPT_SWITCH, .off = OFF(in_pre),
	    .change = CONF_CH_RESTART, .help = "routes before the import policy" },
	{ "monitoring rib in post_policy", OPT_SWITCH, .off = OFF(in_post),
	    .change = CONF_CH_RESTART, .help = "routes after the import policy" },
	{ "monitoring rib out pre_policy", OPT_SWITCH, .off = OFF(out_pre),
	    .change = CONF_CH_RESTART, .known = KNOWN_TERN,
	    .help = "routes before the export policy (RFC 8671)" },
	{ "monitoring rib out post_policy", OPT_SWITCH, .off = OFF(out_post),
	    .change = CONF_CH_RESTART, .known = KNOWN_TERN,
	    .help = "routes after the export policy (RFC 8671)" },
	{ "monitoring rib local", OPT_SWITCH, .off = OFF(loc_rib),
	    .change = CONF_CH_RESTART, .known = KNOWN_TERN,
	    .help = "best routes of tables (RFC 9069)" },
	{ "monitoring peers", OPT_STRING, .off = OFF(peers), .change = CONF_CH_RESTART,
	    .known = KNOWN_TERN,
	    .help = "monitored sessions, by a pattern of names; by default all" },
	{ "route mirroring", OPT_SWITCH, .off = OFF(mirror), .change = CONF_CH_RESTART,
	    .known = KNOWN_TERN,
	    .help = "also copies of UPDATEs with errors; needs pre_policy" },
	{ "stats interval", OPT_TIME_S, .off = OFF(stats_s), .max = 86400,
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "seconds between statistics reports; 0: none" },
	{ "connect retry time", OPT_TIME_S, .off = OFF(retry_s), .min = 1, .max = 3600,
	    .def = 10, .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "seconds until a station is tried again" },
	{ "tx buffer limit", OPT_U32, .off = OFF(buffer_mb), .min = 1, .max = 1048576,
	    .def = 1024, .change = CONF_CH_RESTART,
	    .help = "megabytes of UPDATEs that may wait for a station" },
	{ "station", OPT_SWITCH, .off = OFF(is_station), .change = CONF_CH_RESTART,
	    .known = KNOWN_TERN, .help = "be a station: take the reports of routers" },
	{ "listen", OPT_CUSTOM, .parse = conf_parse_listen,
	    .form = "[ address ADDRESS ] port NUMBER", .known = KNOWN_TERN,
	    .help = "where a station listens for routers" },
	{ NULL, OPT_FIELD, .off = OFF(listen), .help = "listen",
	    .min = sizeof(struct bmp_place), .change = CONF_CH_RESTART },
	{ "allow", OPT_CUSTOM, .parse = conf_parse_allow, .form = "PREFIX",
	    .known = KNOWN_TERN,
	    .help = "routers that may report; several prefixes are possible; by default "
		    "all" },
	{ NULL, OPT_FIELD, .off = OFF(allow), .help = "allow",
	    .min = sizeof(struct prefix) * BMP_ALLOW, .change = CONF_CH_INPLACE },
	{ "max routers", OPT_U32, .off = OFF(max_routers), .min = 1, .max = 4096,
	    .def = 64, .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "further routers are refused" },
	{ "max peers", OPT_U32, .off = OFF(max_peers), .min = 1, .max = 100000,
	    .def = 10000, .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "of all routers; routes of further peers are dropped" },
	{ "keep time", OPT_TIME_S, .off = OFF(keep_s), .max = 86400, .def = 60,
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "seconds for which routes of a disconnected router stay" },
	{ .type = OPT_END, .help = "protocol bmp" },
};

static bool
conf_check_station(struct conf_ctx *c, const struct conf_proto *p)
{
	const struct bmp_conf *b = p->opt;

	if (!b->listen.port)
		conf_error(c, p->pos, "a bmp station needs a port to listen at");
	else if (!p->chan)
		conf_error(c, p->pos, "a bmp station needs a channel");
	else if (b->station_cnt || b->in_pre || b->in_post || b->out_pre || b->out_post ||
		 b->loc_rib)
		conf_error(c, p->pos,
		    "protocol bmp is a station or reports to stations, not both");
	else
		return true;
	return false;
}

static bool
bmp_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	struct bmp_conf *b = p->opt;

	if (b->is_station)
		return conf_check_station(c, p);
	if (b->listen.port || p->chan) {
		conf_error(c, p->chan ? p->chan->pos : p->pos,
		    "only a bmp station listens and has channels");
		return false;
	}
	if (!b->peers)
		b->peers = "*";
	if (!b->station_cnt)
		conf_warning(c, p->pos,
		    "protocol bmp has no station address and reports no route");
	if (b->mirror && !b->in_pre)
		conf_warning(c, p->pos,
		    "route mirroring has no effect without monitoring rib in "
		    "pre_policy");
	return true;
}

/* bmp_conf_monitors - struct conf_class. */
static const char *
bmp_conf_monitors(const struct conf_proto *p)
{
	const struct bmp_conf *b = p->opt;

	return b->in_pre ? b->peers : NULL;
}

/* conf_monitors_out - the pattern of sessions whose Adj-RIB-Out is monitored. */
static const char *
conf_monitors_out(const struct conf_proto *p)
{
	const struct bmp_conf *b = p->opt;

	return b->out_post ? b->peers : NULL;
}

/* conf_monitors_offer - the pattern of sessions whose Adj-RIB-Out before policy is
 * monitored. */
static const char *
conf_monitors_offer(const struct conf_proto *p)
{
	const struct bmp_conf *b = p->opt;

	return b->out_pre ? b->peers : NULL;
}

const struct conf_class bmp_conf_class = {
	.keyword = "bmp",
	.name = "BMP",
	.kind = PROTO_BMP,
	.preference = 100,
	.has_channels = true,
	.opt = options,
	.opt_size = sizeof(struct bmp_conf),
	.check = bmp_conf_check,
	.monitors.in = bmp_conf_monitors,
	.monitors.out = conf_monitors_out,
	.monitors.offer = conf_monitors_offer,
};
