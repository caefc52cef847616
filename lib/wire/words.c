/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reasons of doc/reasons.md in words for members. Pure functions.
 *
 * Tested by test/unit/test_words.c. */
#include "lib/wire/words.h"

#define WORDS_LEAK                                                                       \
	"Stop announcing routes of your providers and peers: the route is a route leak."
#define WORDS_FEWER "Announce fewer routes, or ask the exchange for a higher limit."
#define WORDS_ASK   "Ask the exchange."
#define WORDS_MARK(name)                                                                 \
	"The announcing member removes the community " name                              \
	", if the receiver shall get the route."

/* Rows: key, what the reason means, what to do. */
static const struct {
	const char *key, *text, *todo;
} words[] = {
	{ "malformed", "The attributes of the route break a rule of BGP.",
	    "Correct the policy that writes the attribute, or update the router." },
	{ "own_as", "The AS path holds the AS number of the route server.",
	    "Remove the AS number of the route server from the AS path." },
	{ "own_confederation",
	    "The AS path holds the confederation number of the route server.",
	    "Remove the number of the confederation from the AS path." },
	{ "no_confed_sequence",
	    "The AS path does not begin with a segment of the confederation.",
	    "Configure the number of the confederation on your router." },
	{ "first_as", "The first AS number of the path is not your AS number.",
	    "Announce your routes with your own AS number first." },
	{ "as_set", "The AS path holds an AS_SET.",
	    "Stop the aggregation that makes AS_SETs (RFC 9774)." },
	{ "bad_next_hop", "The next hop is no unicast address.", "" },
	{ "own_next_hop", "The next hop is the address of the route server.", "" },
	{ "far_next_hop", "The next hop is outside the peering network.", "" },
	{ "own_originator",
	    "The router that first announced the route gets the route back.", "" },
	{ "own_cluster",
	    "The route came back to a cluster that already passed the route on.", "" },
	{ "otc_downstream",
	    "The route has the attribute OTC, and customers must not send the attribute.",
	    WORDS_LEAK },
	{ "otc_mismatch", "The attribute OTC of the route names another AS than yours.",
	    WORDS_LEAK },
	{ "bogus_network", "No unicast route can have this network.",
	    "Stop announcing the network." },
	{ "override", "An operator of the exchange blocks the route for some time.",
	    WORDS_ASK },
	{ "import_filter", "The import policy of the exchange refuses the route.", "" },
	{ "quarantine",
	    "The member is in quarantine: the exchange looks at the routes of the member "
	    "before other members get the routes.",
	    "Wait for the exchange, or ask the exchange." },
	{ "receive_limit",
	    "You announce more routes than the session may receive; refused routes "
	    "count.",
	    WORDS_FEWER },
	{ "import_limit", "The session has as many accepted routes as its limit allows.",
	    WORDS_FEWER },
	{ "net_limit", "You announce more paths of this network than allowed.",
	    "Announce fewer paths of the network." },
	{ "table_full", "The table of the route server has no room.", WORDS_ASK },
	{ "preference", "Another route has a higher preference.", "" },
	{ "other_protocol", "A route of another kind of protocol is preferred.", "" },
	{ "reachable", "The route server cannot reach the next hop of the route.",
	    "Set the next hop to the address of your router on the peering network. If "
	    "the next hop is that address, ask the exchange." },
	{ "long_lived_stale",
	    "The route is old: the session to the announcing router is down.",
	    "The announcing member brings the session up again." },
	{ "local_pref", "Another route has a higher local preference.", "" },
	{ "aigp", "Another route has a lower AIGP metric.", "" },
	{ "as_path_length", "Another route has a shorter AS path.",
	    "Prepend less, if the traffic shall come to you." },
	{ "origin",
	    "Another route has a better ORIGIN (IGP before EGP before INCOMPLETE).",
	    "Set ORIGIN to IGP, if the traffic shall come to you." },
	{ "med", "Another route of the same neighbor AS has a lower MED.",
	    "Lower the MED, if the traffic shall take this route." },
	{ "external", "A route of an external session is preferred.", "" },
	{ "igp_metric", "Another next hop is nearer to the route server.", "" },
	{ "older", "Another route is older.", "" },
	{ "router_id", "All else is equal; another router has a lower router id.", "" },
	{ "cluster_list_length", "Another route has a shorter cluster list.", "" },
	{ "peer_address", "All else is equal; another session has a lower address.", "" },
	{ "pipes", "Another route took fewer pipes.", "" },
	{ "earlier_protocol",
	    "All else is equal; another session stands earlier in the configuration.",
	    "" },
	{ "attributes",
	    "All else is equal; the order of the octets of the attributes decides.", "" },
	{ "path_id", "Another path of the session has a lower path identifier.", "" },
	{ "down", "The session of the receiver is down.",
	    "The receiver brings the session up." },
	{ "own", "The receiver announced the route itself.", "" },
	{ "pipe", "The policy between two tables of the route server refuses the route.",
	    "" },
	{ "behind_own", "The best route is the receiver's own route.", "" },
	{ "no_export", "The route has the community NO_EXPORT.",
	    WORDS_MARK("NO_EXPORT (65535:65281)") },
	{ "no_advertise", "The route has the community NO_ADVERTISE.",
	    WORDS_MARK("NO_ADVERTISE (65535:65282)") },
	{ "no_export_subconfed", "The route has the community NO_EXPORT_SUBCONFED.",
	    WORDS_MARK("NO_EXPORT_SUBCONFED (65535:65283)") },
	{ "llgr_stale",
	    "The route is long-lived stale, and the receiver does not know "
	    "such routes.",
	    "The announcing member brings the session up again." },
	{ "internal", "A route of an internal session goes to no other internal session.",
	    "" },
	{ "elsewhere", "The network is outside the networks that the receiver gets.",
	    "" },
	{ "override_export",
	    "An operator of the exchange keeps the route from the receiver for some "
	    "time.",
	    WORDS_ASK },
	{ "quarantine_export",
	    "The receiver is in quarantine: the exchange sends no routes to the "
	    "receiver.",
	    "" },
	{ "export_filter", "The export policy towards the receiver refuses the route.",
	    "" },
	{ "no_room",
	    "The attributes that the export policy makes have no room in a message.",
	    WORDS_ASK },
	{ "otc", "The roles of the sessions forbid the route (RFC 9234).", "" },
	{ "unmapped_next_hop",
	    "The receiver has no address of the next hop's family, and the exchange "
	    "knows "
	    "no other address of the next hop.",
	    "The announcing member tells the exchange both addresses of its router." },
	{ "peer_next_hop", "The next hop of the route is the receiver itself.",
	    "The announcing member corrects the next hop of the route." },
	{ "pipe_loop", "The route came out of this table.", "" },
	{ "pipe_count", "The route took too many pipes.", WORDS_ASK },
	{ "export_limit", "The receiver has as many routes as its limit allows.",
	    "The receiver asks the exchange for a higher limit." },
	{ "too_long", "The attributes are too long for a message.",
	    "The announcing member announces the route with fewer communities or a "
	    "shorter path, or the receiver and the exchange enable extended messages." },
	{ "no_next_hop", "The route server has no address for the next hop.", WORDS_ASK },
	{ "no_extended_next_hop",
	    "The next hop is an IPv6 address, and the receiver lacks RFC 8950 (extended "
	    "next hops).",
	    "The receiver switches extended next hops (RFC 8950) on." },
	{ "kernel_refused", "The kernel refuses the route.", WORDS_ASK },
	{ "kernel_taken", "The kernel has the route from another program.", WORDS_ASK },
	{ "kernel_denied", "The daemon may not change routes of the kernel.", WORDS_ASK },
};

static size_t
words_find(struct jview key)
{
	size_t i = 0;

	while (i < sizeof(words) / sizeof(words[0]) && !jview_is(key, words[i].key))
		i++;
	return i;
}

const char *
words_text(struct jview key)
{
	size_t i = words_find(key);

	return i < sizeof(words) / sizeof(words[0]) ? words[i].text : NULL;
}

const char *
words_do(struct jview key)
{
	size_t i = words_find(key);

	return i < sizeof(words) / sizeof(words[0]) ? words[i].todo : "";
}

const char *
words_line(struct jview line)
{
	struct jview by = jview_get(line, "filtered_by");
	const char *text = words_text(jview_get(line, "reason"));

	if (text)
		return text;
	return jview_is(by, "tagged") ? "The import policy of the exchange accepts the "
					"route and marks the route as refused."
	       : jview_is(by, "pipe") ? "The policy between your table and the shared "
					"table refuses the route."
				      : NULL;
}
