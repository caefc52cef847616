/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reasons of doc/reasons.md in words for members. Pure functions.
 *
 * Tested by test/unit/test_http_words.c. */
#include "client/http/page/words.h"

#define WORDS_LEAK                                                                       \
	"Stop announcing routes of your providers and peers: the route is a route leak."
#define WORDS_FEWER "Announce fewer routes, or ask the exchange for a higher limit."
#define WORDS_ASK   "Ask the exchange."

/* Rows: key, what the reason means, what to do. */
static const struct {
	const char *key, *text, *todo;
} words[] = {
	{ "malformed", "The attributes of the route break a rule of BGP.",
	    "Correct the policy that writes the attribute, or update the router." },
	{ "own_as", "The AS path holds the AS number of the route server.",
	    "Remove the number of the route server from the path." },
	{ "own_confederation", "The AS path holds the confederation of the route server.",
	    "Remove the number of the confederation from the path." },
	{ "no_confed_sequence",
	    "The AS path does not begin with a segment of the confederation.",
	    "Set the number of the confederation on the router." },
	{ "first_as", "The first AS of the path is not your AS.",
	    "Announce your routes with your own AS first." },
	{ "as_set", "The AS path holds an AS_SET.",
	    "Stop the aggregation that makes AS_SETs (RFC 9774)." },
	{ "bad_next_hop", "The next hop is no unicast address.",
	    "Set the next hop to the address of your router on the peering network." },
	{ "own_next_hop", "The next hop is the address of the route server.",
	    "Set the next hop to the address of your router on the peering network." },
	{ "far_next_hop", "The next hop is outside the peering network.",
	    "Set the next hop to the address of your router on the peering network." },
	{ "own_originator", "The route came back to its originator.", "" },
	{ "own_cluster", "The route came back to its cluster.", "" },
	{ "otc_downstream", "The route has the OTC attribute and comes from a customer.",
	    WORDS_LEAK },
	{ "otc_mismatch", "The route has the OTC attribute of another AS.", WORDS_LEAK },
	{ "bogus_network", "No unicast route can have this network.",
	    "Stop announcing the network." },
	{ "import_filter", "The import policy of the route server refuses the route.",
	    "See the rule. Often the route needs a route object in the IRR or a ROA." },
	{ "receive_limit", "You announce more routes than the session may.",
	    WORDS_FEWER },
	{ "import_limit", "The session has more accepted routes than allowed.",
	    WORDS_FEWER },
	{ "net_limit", "You announce more paths of this network than allowed.",
	    "Announce fewer paths of the network." },
	{ "table_full", "The table of the route server has no room.", WORDS_ASK },
	{ "preference", "Another route has a higher preference.", "" },
	{ "other_protocol", "A route of another kind is preferred.", "" },
	{ "reachable", "The next hop of the route cannot be reached.",
	    "Check the address of your router on the peering network." },
	{ "long_lived_stale", "The route is old: the member's router restarts.",
	    "Bring the session up again." },
	{ "local_pref", "Another route has a higher local preference.", "" },
	{ "aigp", "Another route has a lower AIGP metric.", "" },
	{ "as_path_length", "Another route has a shorter AS path.",
	    "Prepend less, if you want the traffic." },
	{ "origin", "Another route has a better origin (IGP before EGP before unknown).",
	    "Set the origin to IGP, if you want the traffic." },
	{ "med", "Another route of the same neighbor AS has a lower MED.",
	    "Lower the MED, if you want the traffic here." },
	{ "external", "An external route is preferred.", "" },
	{ "igp_metric", "Another next hop is nearer.", "" },
	{ "older", "Another route is older.", "" },
	{ "router_id", "All else is equal; another router has a lower router id.", "" },
	{ "cluster_list_length", "Another route has a shorter cluster list.", "" },
	{ "peer_address", "All else is equal; another session has a lower address.", "" },
	{ "pipes", "Another route took fewer pipes.", "" },
	{ "earlier_protocol", "All else is equal; another session is configured first.",
	    "" },
	{ "attributes", "All else is equal; the attributes are ordered as octets.", "" },
	{ "path_id", "Another path of the session has a lower path identifier.", "" },
	{ "down", "The session of the receiver is down.", "Bring the session up." },
	{ "own", "The receiver announced the route itself.", "" },
	{ "pipe", "The policy between two tables of the route server refuses the route.",
	    "See the rule, or the communities of the route." },
	{ "behind_own", "The best route is the receiver's own route.", "" },
	{ "no_export", "The route has the community NO_EXPORT.",
	    "Remove the community, if the route shall go out." },
	{ "no_advertise", "The route has the community NO_ADVERTISE.",
	    "Remove the community, if the route shall go out." },
	{ "no_export_subconfed", "The route has the community NO_EXPORT_SUBCONFED.",
	    "Remove the community, if the route shall go out." },
	{ "llgr_stale",
	    "The route is long-lived stale, and the receiver does not know "
	    "such routes.",
	    "Bring the session of the announcing router up again." },
	{ "internal", "A route of an internal session goes to no other internal session.",
	    "" },
	{ "elsewhere", "The network is outside the networks that the receiver gets.",
	    "" },
	{ "export_filter", "The export policy towards the receiver refuses the route.",
	    "See the communities of the route: some keep routes from members." },
	{ "no_room", "The attributes have no room in a message.",
	    "Announce the route with fewer communities or a shorter path." },
	{ "otc", "The roles of the sessions forbid the route (RFC 9234).", "" },
	{ "peer_next_hop", "The next hop is the receiver itself.", "" },
	{ "pipe_loop", "The route came out of this table.", "" },
	{ "pipe_count", "The route took too many pipes.", WORDS_ASK },
	{ "export_limit", "The receiver has as many routes as its limit allows.",
	    "Ask the exchange for a higher limit." },
	{ "too_long", "The attributes are too long for a message.",
	    "Announce the route with fewer communities or a shorter path." },
	{ "no_next_hop", "The route server has no address for the next hop.", WORDS_ASK },
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
words_line(const char **todo, struct jview line)
{
	struct jview reason = jview_get(line, "reason");
	struct jview by = jview_get(line, "filtered_by");
	const char *text = words_text(reason);

	*todo = reason.p ? words_do(reason) : "See the communities of the route.";
	if (text)
		return text;
	return jview_is(by, "tagged") ? "The import policy marks the route as refused."
	       : jview_is(by, "pipe")
		   ? "The policy of the member's table refuses the route."
		   : NULL;
}
