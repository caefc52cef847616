/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP: its class, and the map of the folder. Each room uses the ones before it:
 *
 *   conf     bgp_conf      options
 *   in       bgp_decide    best-route selection (pure)
 *            bgp_link      the subnets of the link that a session runs over (pure)
 *            bgp_policy    checks of received routes that need the session (pure)
 *   out      bgp_sink      what leaves by one channel; bgp_parcel, bgp_rules, msg_cache
 *            session_class which sessions share messages
 *            bgp_tx        send queue
 *   session  bgp_fsm       the state machine of one connection (pure)
 *            bgp_nego      two OPENs -> what holds in the session (pure)
 *            bgp_collide   collisions, waiting after errors (pure)
 *            bgp_session   carries out what the machine says: start, stop, collision,
 *                          errors
 *            bgp_conn      one connection: connect, timers, read, write, close
 *            bgp_rx        messages -> events and channel_import
 *            bgp_feed      what channels give to the send queue and ask of the session
 *            bgp_linger    a closed connection whose last words are not out yet
 *            bgp_listen    listening sockets; hands what is accepted to the instances
 *            bgp_show      `show protocols all`
 *            bgp_class     the vtable: commands of the control worker, reconfiguration
 */
#ifndef TERN_PROTO_BGP_BGP_H
#define TERN_PROTO_BGP_BGP_H

extern const struct proto_class bgp_proto_class;

#endif
