/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons for which a route is not accepted, not best, not sent or not installed.
 *
 * A reason is one row of REASON_TABLE. Code that keeps a route back names the reason; the
 * counters, `show route why`, `show reasons` and JSON use text and key of the row, so
 * they cannot differ. A new reason needs
 *
 *   - a row in the table below,
 *   - a section "### key" in doc/reasons.md (test_reason.c looks),
 *   - a row in test/net/test_reasons.py, which causes the reason (the script looks).
 *
 * Keys stand in JSON: a key never changes its meaning.
 *
 * Constants only; any thread. */
#ifndef TERN_NEST_CORE_REASON_H
#define TERN_NEST_CORE_REASON_H

#include "lib/base/check.h"

/* Stages of a route at which a reason applies, in the order of processing. */
enum reason_stage {
	REASON_AT_NOTHING,
	REASON_AT_IMPORT_CHECK, /* before the import filter */
	REASON_AT_IMPORT_FILTER,
	REASON_AT_LIMIT, /* a limit of routes, or the table has no room */
	REASON_AT_SELECTION, /* another route is better */
	REASON_AT_EXPORT_CHECK, /* before the export filter */
	REASON_AT_EXPORT_FILTER,
	REASON_AT_EXPORT_AFTER, /* the result of the filter cannot be sent */
	REASON_AT_PACKING, /* no message can hold the route */
	REASON_AT_KERNEL, /* the kernel did not take the route */
	REASON_STAGES
};

/* X(name, stage, key, text). The text completes "not accepted: " or "not sent: ". */
#define REASON_TABLE(X)                                                                  \
	X(NONE, NOTHING, "none", "")                                                     \
	X(MALFORMED, IMPORT_CHECK, "malformed", "error in the attributes")               \
	X(OWN_AS, IMPORT_CHECK, "own_as", "own AS in the path")                          \
	X(OWN_CONFEDERATION, IMPORT_CHECK, "own_confederation",                          \
	    "own confederation in the path")                                             \
	X(NO_CONFED_SEQUENCE, IMPORT_CHECK, "no_confed_sequence",                        \
	    "no AS_CONFED_SEQUENCE first in the path")                                   \
	X(FIRST_AS, IMPORT_CHECK, "first_as", "first AS isn't the peer's")               \
	X(AS_SET, IMPORT_CHECK, "as_set", "AS_SET in the path")                          \
	X(BAD_NEXT_HOP, IMPORT_CHECK, "bad_next_hop", "bad next hop")                    \
	X(OWN_NEXT_HOP, IMPORT_CHECK, "own_next_hop", "next hop is our own address")     \
	X(FAR_NEXT_HOP, IMPORT_CHECK, "far_next_hop",                                    \
	    "next hop isn't directly reachable")                                         \
	X(OWN_ORIGINATOR, IMPORT_CHECK, "own_originator", "we are the originator")       \
	X(OWN_CLUSTER, IMPORT_CHECK, "own_cluster", "own cluster in the list")           \
	X(OTC_DOWNSTREAM, IMPORT_CHECK, "otc_downstream",                                \
	    "OTC attribute from downstream")                                             \
	X(OTC_MISMATCH, IMPORT_CHECK, "otc_mismatch",                                    \
	    "OTC attribute with mismatched ASN")                                         \
	X(BOGUS_NETWORK, IMPORT_CHECK, "bogus_network",                                  \
	    "no unicast route can have this network")                                    \
	X(OVERRIDE, IMPORT_FILTER, "override", "blocked by an override of an operator")  \
	X(IMPORT_FILTER, IMPORT_FILTER, "import_filter", "refused by the import filter") \
	X(QUARANTINE, IMPORT_FILTER, "quarantine", "the member is in quarantine")        \
	X(RECEIVE_LIMIT, LIMIT, "receive_limit", "the receive limit is reached")         \
	X(IMPORT_LIMIT, LIMIT, "import_limit", "the import limit is reached")            \
	X(NET_LIMIT, LIMIT, "net_limit",                                                 \
	    "the limit of routes of one network is reached")                             \
	X(TABLE_FULL, LIMIT, "table_full", "the table has no room")                      \
	X(PREFERENCE, SELECTION, "preference", "lower preference")                       \
	X(OTHER_PROTOCOL, SELECTION, "other_protocol", "of another kind of protocol")    \
	X(REACHABLE, SELECTION, "reachable", "unreachable next hop")                     \
	X(LONG_LIVED_STALE, SELECTION, "long_lived_stale", "long-lived stale")           \
	X(LOCAL_PREF, SELECTION, "local_pref", "lower LOCAL_PREF")                       \
	X(AIGP, SELECTION, "aigp", "higher AIGP metric")                                 \
	X(AS_PATH_LENGTH, SELECTION, "as_path_length", "longer AS path")                 \
	X(ORIGIN, SELECTION, "origin", "higher ORIGIN")                                  \
	X(MED, SELECTION, "med", "higher MED")                                           \
	X(EXTERNAL, SELECTION, "external", "from an internal peer")                      \
	X(IGP_METRIC, SELECTION, "igp_metric", "higher metric to the next hop")          \
	X(OLDER, SELECTION, "older", "younger")                                          \
	X(ROUTER_ID, SELECTION, "router_id", "higher router id")                         \
	X(CLUSTER_LIST_LENGTH, SELECTION, "cluster_list_length", "longer CLUSTER_LIST")  \
	X(PEER_ADDRESS, SELECTION, "peer_address", "higher peer address")                \
	X(PIPES, SELECTION, "pipes", "more pipes on the way")                            \
	X(EARLIER_PROTOCOL, SELECTION, "earlier_protocol", "from a later protocol")      \
	X(ATTRIBUTES, SELECTION, "attributes", "attributes that are later in order")     \
	X(PATH_ID, SELECTION, "path_id", "higher path identifier")                       \
	X(DOWN, EXPORT_CHECK, "down", "the session is down")                             \
	X(OWN, EXPORT_CHECK, "own", "the route came from the receiver")                  \
	X(PIPE, EXPORT_CHECK, "pipe", "refused by the pipe")                             \
	X(BEHIND_OWN, EXPORT_CHECK, "behind_own",                                        \
	    "the best route is the receiver's own")                                      \
	X(NO_EXPORT, EXPORT_CHECK, "no_export", "community NO_EXPORT")                   \
	X(NO_ADVERTISE, EXPORT_CHECK, "no_advertise", "community NO_ADVERTISE")          \
	X(NO_EXPORT_SUBCONFED, EXPORT_CHECK, "no_export_subconfed",                      \
	    "community NO_EXPORT_SUBCONFED")                                             \
	X(LLGR_STALE, EXPORT_CHECK, "llgr_stale",                                        \
	    "long-lived stale, and the receiver lacks LLGR")                             \
	X(INTERNAL, EXPORT_CHECK, "internal",                                            \
	    "from an internal peer to another internal peer")                            \
	X(ELSEWHERE, EXPORT_CHECK, "elsewhere",                                          \
	    "the prefix is outside the range that the channel exports")                  \
	X(OVERRIDE_EXPORT, EXPORT_CHECK, "override_export",                              \
	    "kept back by an override of an operator")                                   \
	X(QUARANTINE_EXPORT, EXPORT_CHECK, "quarantine_export",                          \
	    "the receiver is in quarantine")                                             \
	X(EXPORT_FILTER, EXPORT_FILTER, "export_filter", "refused by the export filter") \
	X(NO_ROOM, EXPORT_AFTER, "no_room", "the attributes don't fit")                  \
	X(OTC, EXPORT_AFTER, "otc", "OTC and the peer's role forbid the route")          \
	X(PEER_NEXT_HOP, EXPORT_AFTER, "peer_next_hop",                                  \
	    "the peer itself would be the next hop")                                     \
	X(UNMAPPED_NEXT_HOP, EXPORT_AFTER, "unmapped_next_hop",                          \
	    "the next hop map has no next hop for the peer")                             \
	X(PIPE_LOOP, EXPORT_AFTER, "pipe_loop",                                          \
	    "the route came out of the receiving table")                                 \
	X(PIPE_COUNT, EXPORT_AFTER, "pipe_count",                                        \
	    "the route has passed the most pipes allowed")                               \
	X(EXPORT_LIMIT, EXPORT_AFTER, "export_limit", "the export limit is reached")     \
	X(TOO_LONG, PACKING, "too_long", "the attributes are too long for a message")    \
	X(NO_NEXT_HOP, PACKING, "no_next_hop", "no address of ours can be the next hop") \
	X(NO_EXTENDED_NEXT_HOP, PACKING, "no_extended_next_hop",                         \
	    "the next hop is an IPv6 address, and the peer lacks RFC 8950")              \
	X(KERNEL_REFUSED, KERNEL, "kernel_refused", "the kernel refuses the route")      \
	X(KERNEL_TAKEN, KERNEL, "kernel_taken",                                          \
	    "the kernel has a route of another program with the same metric")            \
	X(KERNEL_DENIED, KERNEL, "kernel_denied",                                        \
	    "not permitted to change the kernel's routes")

#define REASON_ENUM(name, stage, key, text) REASON_##name,
/* Fits into an uint8_t. REASON_NONE, 0: no reason. */
enum reason { REASON_TABLE(REASON_ENUM) REASON_CNT };
#undef REASON_ENUM

/* reason_key - the word for JSON. reason_text - the words for operators. reason_stage_key
 * - the word for a stage. Constant texts; "none", "" for an invalid @r. */
const char *reason_key(enum reason r);
const char *reason_text(enum reason r);
enum reason_stage reason_stage(enum reason r);
const char *reason_stage_key(enum reason_stage s);
/* reason_page - the section of doc/ that explains the cause and the remedy, as
 * "reasons.md#own_as". Constant. */
const char *reason_page(enum reason r);

#endif
