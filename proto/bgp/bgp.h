/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the class of protocol BGP. The map of the folder names each .c file of the
 * folder (make check-names):
 *
 *   conf     bgp_conf            options of an instance
 *            bgp_conf_chan       options of the channels
 *            bgp_conf_check      cross-checks, defaults by role and type of peer
 *            bgp_conf_keys       TCP-AO keys
 *            bgp_conf_range      `neighbor range`
 *            hop_map             `next hop map`: addresses of routers in both families
 *   in       bgp_decide          best-route selection (pure)
 *            bgp_link            subnets of a direct session's link (pure)
 *            bgp_policy          checks of received routes (pure)
 *   out      bgp_rules           reasons not to send a route; outgoing next hop
 *            session_class       classes of sessions with shared messages
 *            msg_cache           messages of segments, encoded once for a class
 *            long_lived          sets of long-lived stale routes
 *            announce, export_table, adj_rename
 *                                the announcements that a peer holds
 *            bgp_sink            segments -> messages for a peer
 *            bgp_parcel          single nets -> messages for a session
 *            bgp_tx              send queue of a connection
 *   session  bgp_fsm             state machine of a connection (pure)
 *            bgp_nego            two OPENs -> parameters of the session (pure)
 *            bgp_collide         collisions, back-off after errors (pure)
 *            bgp_session         steps of the state machines: start, stop, errors
 *            bgp_conn            connect, timers, read, close of a connection
 *            bgp_conn_tx         write of a connection
 *            bgp_rx              octets -> messages -> events and changes of channels
 *            bgp_chan            channels' octets -> send queue
 *            bgp_leave           the silent end of a session before the local restart
 *            bgp_linger          a connection until its NOTIFICATION is sent
 *            bgp_report          log lines, last error, error of the present event
 *            bgp_notice          the NOTIFICATION at the end of a connection
 *            bgp_restart, bgp_recovery, bgp_refreshes
 *                                graceful restart of either side, route refresh
 *            bgp_bfd, bgp_neigh, bgp_neigh_look
 *                                loss of the path or the link
 *            bgp_keys, bgp_rekey keys of a connection, changes of keys in a session
 *            bgp_unanswered, bgp_unsent
 *                                warnings
 *            bgp_class           calls of the control worker, reconfiguration
 *   listen   bgp_place           listening sockets
 *            bgp_listen          accepted connections -> instances
 *            bgp_listen_inject   connections of a dry run
 *            bgp_listen_near     ttl security of accepted connections
 *            bgp_listen_unwanted connections that no instance accepts
 *            bgp_entries         expected peers
 *   monitor  bgp_mon, bgp_mon_report, bgp_mon_again, bgp_mon_conf, bgp_offer
 *                                reports to monitors (nest/monitor/monitor.h)
 *            bgp_mrt             `mrtdump`
 *   show     bgp_show            published state of a session
 *            bgp_reply           reply of `show protocols all`
 *            bgp_downs           last losses of a session
 *            bgp_member          a session in `show members`
 *
 * Loop: the instance's, unless nest/channel/proto.h says otherwise for a function of the
 * class. */
#ifndef TERN_PROTO_BGP_BGP_H
#define TERN_PROTO_BGP_BGP_H

extern const struct proto_class bgp_proto_class;

#endif
