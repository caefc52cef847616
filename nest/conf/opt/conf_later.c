/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the protocols of later versions.
 *
 * This file keeps no values. With these tables the parser finds a wrong option now, and a
 * single message names the protocol.
 *
 * style: longer than functions allow, because the file consists of tables.
 *
 * Loop: the thread that parses. Tested by test/unit/test_conf_golden.c. */
#include "lib/base/spell.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_later.h"

#include <stddef.h>

/* The parser reads the options of any of these protocols into this struct. */
struct later_conf {
	uint64_t room[6]; /* any option's value */
};

#define WORDS(w, f, h)                                                                   \
	{                                                                                \
		w, OPT_FORM, .form = (f), .help = (h)                                    \
	}
#define BLOCK(w, f, s, h)                                                                \
	{                                                                                \
		w, OPT_FORM, .form = (f), .sub = (s), .help = (h)                        \
	}
#define SWITCH(w, d, h)                                                                  \
	{                                                                                \
		w, OPT_SWITCH, .def = (d), .help = (h)                                   \
	}
#define NUMBER(w, lo, hi, d, h)                                                          \
	{                                                                                \
		w, OPT_U32, .min = (lo), .max = (hi), .def = (d), .help = (h)            \
	}
#define SECONDS(w, lo, hi, d, h)                                                         \
	{                                                                                \
		w, OPT_TIME_S, .min = (lo), .max = (hi), .def = (d), .help = (h)         \
	}
#define END                                                                              \
	{                                                                                \
		.type = OPT_END                                                          \
	}

#define PATTERNS   "( [-] ( TEXT [PREFIX] | PREFIX ) ),..."
#define LIMIT_FORM "( off | NUMBER [action ( warn | block | restart | disable )] )"

/* ---- options of several protocols ---- */

static const struct conf_opt key_options[] = { NUMBER(
						   "id", 0, 255, 0, "number of the key"),
	WORDS("generate from", "TEXT", "first time to sign with the key"),
	WORDS("generate to", "TEXT", "last time to sign with the key"),
	WORDS("accept from", "TEXT", "first time to accept the key"),
	WORDS("accept to", "TEXT", "last time to accept the key"),
	WORDS("from", "TEXT", "first time for both"),
	WORDS("to", "TEXT", "last time for both"),
	WORDS("algorithm",
	    "( keyed | hmac | blake2s128 | blake2s256 | blake2b256 | blake2b512 ) "
	    "[( md5 | sha1 | sha256 | sha384 | sha512 )]",
	    "algorithm of the signature"),
	END };

#define PASSWORD                                                                         \
	BLOCK("password", "( TEXT | BYTES ) [BLOCK]", key_options, "a key"),             \
	    BLOCK("key", "( TEXT | BYTES ) [BLOCK]", key_options, "a key")
#define PASSWORDS PASSWORD, BLOCK("passwords", "BLOCK", passwords_options, "several keys")

static const struct conf_opt passwords_options[] = { PASSWORD, END };

#define SOCKET                                                                           \
	NUMBER("tx class", 0, 255, 0xc0, "type of service of packets"),                  \
	    NUMBER("tx dscp", 0, 63, 48, "type of service as DSCP"),                     \
	    NUMBER("tx priority", 0, 7, 7, "priority of packets in this machine")

/* ---- ospf ---- */

static const struct conf_opt ospf_iface_options[] = { NUMBER("cost", 1, 65535, 10,
							  "metric of the interface"),
	SECONDS("hello", 1, 65535, 10, "between hello packets"),
	SECONDS("poll", 1, 65535, 20, "between hello packets to silent neighbours"),
	SECONDS("retransmit", 1, 65535, 5, "between repetitions"),
	SECONDS("transmit delay", 1, 65535, 1, "age added on the way"),
	NUMBER("priority", 0, 255, 1, "in the election"),
	SECONDS("wait", 1, 65535, 40, "before the election"),
	NUMBER("dead count", 2, UINT32_MAX, 4, "hello packets that may be lost"),
	SECONDS("dead", 2, 65535, 40, "silence until a neighbour is gone"),
	SWITCH("secondary", 0, "also on secondary addresses"),
	WORDS("rx buffer", "( normal | large | NUMBER )", "size of the buffer"),
	NUMBER("tx length", 0, 65535, 0, "longest packet sent"),
	WORDS("type",
	    "( broadcast | bcast | pointopoint | ptp | nonbroadcast | nbma | "
	    "pointomultipoint | "
	    "ptmp )",
	    "kind of network"),
	SWITCH("link lsa suppression", 0, "leave out link LSAs"),
	SWITCH("strict nonbroadcast", 0, "only listed neighbours"),
	SWITCH("real broadcast", 0, "broadcast instead of multicast"),
	SWITCH("ptp netmask", 0, "netmask on point-to-point links"),
	SWITCH("ptp address", 0, "address on point-to-point links"),
	SWITCH("check link", 1, "only while the link is up"), SWITCH("bfd", 0, "use BFD"),
	NUMBER("ecmp weight", 1, 256, 1, "share of traffic"),
	SWITCH("stub", 0, "no packets here"),
	WORDS("ttl security", "[( SWITCH | tx [only] )]", "RFC 5082"),
	WORDS("authentication", "( none | simple | cryptographic )", "of packets"),
	SOCKET, PASSWORDS,
	{ "neighbors", OPT_IGNORED, .help = "addresses on networks without broadcast" },
	END };

static const struct conf_opt ospf_network_options[] = {
	WORDS("PREFIX", "PREFIX [( hidden [SWITCH] | tag NUMBER )]", "a network"), END
};

static const struct conf_opt stubnet_options[] = { SWITCH("hidden", 0, "not announced"),
	SWITCH("summary", 0, "announced as a single network"),
	NUMBER("cost", 0, UINT32_MAX, 0, "metric"), END };

static const struct conf_opt area_options[] = { SWITCH("stub", 0, "no external routes"),
	SWITCH("nssa", 0, "few external routes"),
	SWITCH("summary", 1, "summaries into stub areas"),
	SWITCH("default nssa", 0, "a default route into the area"),
	NUMBER("default cost", 0, 0xffffff, 1000, "metric of the default route"),
	NUMBER(
	    "default cost2", 0, 0xffffff, 10000, "metric of the default route, type 2"),
	SWITCH("translator", 0, "always translate"),
	SECONDS("translator stability", 0, 65535, 40, "before another translates"),
	BLOCK("networks", "BLOCK", ospf_network_options, "networks of the area"),
	BLOCK("external", "BLOCK", ospf_network_options, "external networks"),
	BLOCK("stubnet", "PREFIX [BLOCK]", stubnet_options, "a network behind us"),
	BLOCK("interface", PATTERNS " [instance NUMBER] [BLOCK]", ospf_iface_options,
	    "interfaces of the area"),
	BLOCK("virtual link", "ID [instance NUMBER] [BLOCK]", ospf_iface_options,
	    "a link through an area"),
	END };

static const struct conf_opt ospf_options[] = { SWITCH("rfc1583compat", 0, "older rules"),
	SWITCH("rfc5838", 1, "address families"), SWITCH("vpn pe", 0, "edge of a VPN"),
	NUMBER("instance id", 0, 255, 0, "default of interfaces"),
	SWITCH("stub router", 0, "not to be passed"),
	SECONDS("tick", 1, 65535, 1, "between calculations"),
	WORDS("ecmp", "[SWITCH] [limit NUMBER]", "several next hops a route"),
	SWITCH("merge external", 0, "one route from external routes"),
	WORDS("graceful restart", "[( SWITCH | aware )]", "RFC 3623"),
	SECONDS("graceful restart time", 1, 65535, 120, "how long"),
	BLOCK("area", "ID BLOCK", area_options, "an area"), END };

/* ---- rip, babel ---- */

static const struct conf_opt rip_iface_options[] = { NUMBER("metric", 1, 255, 1,
							 "metric of the interface"),
	WORDS("mode", "( multicast | broadcast )", "how packets are sent"),
	SWITCH("passive", 0, "only listen"),
	WORDS("address", "ADDRESS", "where packets go"),
	NUMBER("port", 1, 65535, 520, "port of packets"),
	WORDS("version", "( NUMBER | only )", "version of the protocol"),
	SWITCH("version only", 1, "no other version"),
	SWITCH("split horizon", 1, "no route back to the interface of its origin"),
	SWITCH("poison reverse", 1, "back as unreachable"),
	SWITCH("demand circuit", 0, "RFC 2091"),
	SWITCH("check zero", 0, "fields that must be zero"),
	SECONDS("update time", 1, 65535, 30, "between updates"),
	SECONDS("timeout time", 1, 65535, 180, "until a route is gone"),
	SECONDS("garbage time", 1, 65535, 120, "until a gone route is forgotten"),
	SECONDS("retransmit time", 1, 65535, 5, "between repetitions"),
	NUMBER("ecmp weight", 1, 256, 1, "share of traffic"),
	WORDS("authentication", "( none | plaintext | cryptographic )", "of packets"),
	WORDS("ttl security", "[( SWITCH | tx [only] )]", "RFC 5082"),
	NUMBER("rx buffer", 256, 65535, 532, "size of the buffer"),
	NUMBER("tx length", 256, 65535, 532, "longest packet sent"),
	SWITCH("check link", 1, "only while the link is up"), SWITCH("bfd", 0, "use BFD"),
	SOCKET, PASSWORDS, END };

static const struct conf_opt rip_options[] = { NUMBER("infinity", 1, 255, 16,
						   "metric that means unreachable"),
	WORDS("ecmp", "[SWITCH] [limit NUMBER]", "several next hops a route"),
	BLOCK("interface", PATTERNS " [BLOCK]", rip_iface_options, "interfaces"), END };

static const struct conf_opt babel_iface_options[] = {
	WORDS("type", "( wired | wireless | tunnel )", "kind of link"),
	NUMBER("rxcost", 1, 65535, 96, "cost of receiving"),
	NUMBER("limit", 1, 16, 12, "hello packets of the last 16"),
	WORDS("hello interval", "TIME", "between hello packets"),
	WORDS("update interval", "TIME", "between updates"),
	NUMBER("port", 1, 65535, 6696, "port of packets"),
	NUMBER("rx buffer", 256, 65535, 1500, "size of the buffer"),
	NUMBER("tx length", 256, 65535, 1500, "longest packet sent"),
	SWITCH("check link", 1, "only while the link is up"),
	WORDS("next hop ipv4", "ADDRESS", "our IPv4 address"),
	WORDS("next hop ipv6", "ADDRESS", "our IPv6 address"),
	WORDS("next hop prefer", "( native | ipv6 )", "for IPv4 routes"),
	SWITCH("extended next hop", 1, "IPv4 over IPv6"),
	NUMBER("rtt cost", 0, 65535, 0, "cost of a slow link"),
	WORDS("rtt min", "TIME", "least round-trip time with a cost"),
	WORDS("rtt max", "TIME", "round-trip time of the full cost"),
	NUMBER("rtt decay", 1, 256, 42, "weight of new samples"),
	SWITCH("send timestamps", 1, "so that neighbors can measure"),
	WORDS("authentication", "( none | mac [permissive] )", "of packets"), SOCKET,
	PASSWORDS, END
};

static const struct conf_opt babel_options[] = { SWITCH("randomize router id", 0,
						     "another router id at each start"),
	BLOCK("interface", PATTERNS " [BLOCK]", babel_iface_options, "interfaces"), END };

/* ---- radv ---- */

static const struct conf_opt radv_prefix_options[] = { SWITCH("skip", 0, "not announced"),
	SWITCH("onlink", 1, "hosts of the prefix are neighbours"),
	SWITCH("autonomous", 1, "for addresses that hosts choose"),
	WORDS("valid lifetime", "NUMBER [sensitive SWITCH]",
	    "how long an address is valid"),
	WORDS("preferred lifetime", "NUMBER [sensitive SWITCH]",
	    "how long an address is preferred"),
	END };

static const struct conf_opt lifetime_options[] = { WORDS("ns", "ADDRESS,...", "servers"),
	WORDS("domain", "TEXT,...", "domains"),
	WORDS("lifetime", "( NUMBER | mult [NUMBER] )",
	    "how long servers or domains are valid"),
	END };

#define RADV_LISTS                                                                       \
	BLOCK("prefix", "PREFIX [BLOCK]", radv_prefix_options, "a prefix"),              \
	    BLOCK("rdnss", "( ADDRESS | BLOCK )", lifetime_options, "servers of names"), \
	    BLOCK("dnssl", "( TEXT | BLOCK )", lifetime_options, "domains to search"),   \
	    WORDS("custom option type", "NUMBER value BYTES", "an option as octets")

static const struct conf_opt radv_iface_options[] = {
	SECONDS("max ra interval", 3, 1800, 600, "longest time between packets"),
	SECONDS("min ra interval", 3, 1350, 198, "shortest time between packets"),
	SECONDS("min delay", 1, 65535, 3, "between answers"),
	SWITCH("solicited ra unicast", 0, "answer only the host that asked"),
	SWITCH("managed", 0, "addresses from a server"),
	SWITCH("other config", 0, "other configuration from a server"),
	NUMBER("link mtu", 0, UINT32_MAX, 0, "of the link"),
	NUMBER("reachable time", 0, 3600000, 0, "in ms"),
	NUMBER("retrans timer", 0, UINT32_MAX, 0, "in ms"),
	NUMBER("current hop limit", 0, 255, 64, "for packets of hosts"),
	WORDS("default lifetime", "NUMBER [sensitive SWITCH]", "of the router"),
	WORDS("route lifetime", "NUMBER [sensitive SWITCH]", "of routes"),
	WORDS("default preference", "( low | medium | high )", "of the router"),
	WORDS("route preference", "( low | medium | high )", "of routes"),
	SECONDS("prefix linger time", 0, 3600, 1800, "after a prefix has gone"),
	SECONDS("route linger time", 0, 3600, 1800, "after a route has gone"),
	SWITCH("rdnss local", 0, "only the servers or domains given here"),
	SWITCH("dnssl local", 0, "only the servers or domains given here"),
	SWITCH("custom option local", 0, "only the options given here"), RADV_LISTS, END
};

static const struct conf_opt radv_options[] = { WORDS("trigger", "PREFIX",
						    "send only while this route exists"),
	SWITCH("propagate routes", 0, "send routes to hosts"),
	BLOCK("interface", PATTERNS " [BLOCK]", radv_iface_options, "interfaces"),
	RADV_LISTS, END };

/* ---- perf, l3vpn ---- */

static const struct conf_opt perf_options[] = {
	NUMBER("exp from", 0, 31, 10, "least number of routes, as a power of two"),
	NUMBER("exp to", 0, 31, 20, "most"),
	NUMBER("repeat", 1, UINT32_MAX, 4, "how often"),
	WORDS("threshold min", "TIME", "when more is tried"),
	WORDS("threshold max", "TIME", "when the test ends"),
	WORDS("mode", "( import | export )", "the measured direction"),
	SWITCH("keep", 0, "leave routes in the table"), END
};

static const struct conf_opt l3vpn_options[] = { { "route distinguisher", OPT_IGNORED,
						     .help = "of our routes" },
	{ "rd", OPT_IGNORED, .help = "short name of route distinguisher" },
	{ "import target", OPT_IGNORED, .help = "communities of routes to take" },
	{ "export target", OPT_IGNORED, .help = "communities of our routes" },
	{ "route target", OPT_IGNORED, .help = "both" }, END };

/* ---- channels of MPLS ---- */

static const struct conf_opt mpls_options[] = { WORDS("domain", "NAME",
						    "where labels come from"),
	WORDS("label range", "NAME", "range of labels"),
	WORDS("label policy", "( static | prefix | aggregate | vrf )",
	    "routes that share a label"),
	END };

bool
conf_later_option(struct conf_ctx *c, struct ct_option *o)
{
	uint64_t room[2] = { 0 };

	return conf_opt_apply(c, mpls_options, o, room);
}

/* ---- the classes ---- */

#define LATER(var, word, shown, ...)                                                     \
	static const struct conf_class var = { .keyword = (word),                        \
		.name = (shown),                                                         \
		.kind = PROTO_OTHER,                                                     \
		.unsupported = true,                                                     \
		.opt_size = sizeof(struct later_conf),                                   \
		__VA_ARGS__ }

LATER(ospf_class, "ospf", "OSPF", .opt = ospf_options, .has_channels = true);
LATER(rip_class, "rip", "RIP", .opt = rip_options, .has_channels = true);
LATER(babel_class, "babel", "Babel", .opt = babel_options, .has_channels = true);
LATER(radv_class, "radv", "RAdv", .opt = radv_options, .has_channels = true);
LATER(perf_class, "perf", "Perf", .opt = perf_options, .has_channels = true);
LATER(l3vpn_class, "l3vpn", "L3VPN", .opt = l3vpn_options, .has_channels = true);

const struct conf_class *const conf_later_classes[] = { &ospf_class, &rip_class,
	&babel_class, &radv_class, &perf_class, &l3vpn_class, NULL };

/* The lexer leaves out the options of these protocols. */
static const struct conf_opt no_options[] = { END };

LATER(aggregator_class, "aggregator", "Aggregator", .opt = no_options);
LATER(evpn_class, "evpn", "EVPN", .opt = no_options);
LATER(bridge_class, "bridge", "Bridge", .opt = no_options);

const struct conf_class *const conf_named_classes[] = { &aggregator_class, &evpn_class,
	&bridge_class, NULL };

const char *
conf_later_near(const struct conf_class *const *classes, const char *word)
{
	struct spell sp;

	spell_init(&sp, word);
	for (; *classes; classes++)
		spell_add(&sp, (*classes)->keyword);
	for (const struct conf_class *const *k = conf_later_classes; *k; k++)
		spell_add(&sp, (*k)->keyword);
	return sp.best;
}
