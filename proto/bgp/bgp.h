/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP: its class, and the map of the folder. Each room uses the ones before it:
 *
 *   conf     bgp_conf      options of an instance
 *            bgp_conf_chan options of its channels
 *            bgp_conf_check cross-checks, and what a role or type of peer implies
 *   in       bgp_decide    best-route selection (pure)
 *            bgp_link      the subnets of the link that a session runs over (pure)
 *            bgp_policy    checks of received routes that need the session (pure)
 *   out      bgp_rules     what keeps a route from a peer, and its next hop
 *            session_class which sessions share messages
 *            msg_cache     a segment's messages, made once a class
 *            adj_out       what the peer holds: a bit a net
 *            bgp_sink      what leaves by one channel
 *            bgp_parcel    the same net by net, in messages of the session's own
 *            bgp_tx        send queue
 *   session  bgp_fsm       the state machine of one connection (pure)
 *            bgp_nego      two OPENs -> what holds in the session (pure)
 *            bgp_collide   collisions, waiting after errors (pure)
 *            bgp_session   carries out what the machine says: start, stop, collision,
 *                          errors
 *            bgp_conn_tx   the sending half of a connection
 *            bgp_conn      one connection: connect, timers, read, close
 *            bgp_report    log lines, the last error, the error of the event under way
 *            bgp_notice    the NOTIFICATION that ends a connection
 *            bgp_rx        messages -> events and channel_import
 *            bgp_feed      takes channels up and down, tells them their class and rules,
 *                          and hands octets of their sinks on to the send queue
 *            bgp_linger    a closed connection whose last words are not out yet
 *            bgp_place     listening sockets
 *            bgp_listen    who is expected at them; hands what is accepted to instances
 *            bgp_show      `show protocols all`
 *            bgp_class     the vtable: commands of the control worker, reconfiguration
 */
#ifndef TERN_PROTO_BGP_BGP_H
#define TERN_PROTO_BGP_BGP_H

extern const struct proto_class bgp_proto_class;

#endif
