/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listening for all instances: one worker with a socket for each (address, port) that
 * some instance wants. Connections are matched by the peer's address and handed to the
 * instance's worker; those of unknown peers are told "connection rejected" (RFC 4486).
 *
 * The worker lives while an instance holds a reference. An instance joins when it is
 * enabled and leaves when it isn't; leaving is answered (session->leaving becomes false),
 * and no connection comes after that. */
#ifndef TERN_PROTO_BGP_BGP_LISTEN_H
#define TERN_PROTO_BGP_BGP_LISTEN_H

#include "lib/net/ip.h"
#include "proto/bgp/session/bgp_instance.h"

/* bgp_listener_get - the daemon's listener, with a reference; made and started if there
 * is none. Control worker. */
OWNED struct bgp_listener *bgp_listener_get(struct tern *t);
/* bgp_listener_order - higher with each call. Control worker. */
uint64_t bgp_listener_order(struct bgp_listener *l);
/* bgp_listener_put - give the reference up. In the instance's worker, after it has left.
 */
void bgp_listener_put(TAKE struct bgp_listener *l);
/* bgp_listen_join - from now on session_accept may be called, in the instance's worker.
 * Addresses are those of the configuration in force. A socket that can't be had is logged
 * and tried again. */
void bgp_listen_join(struct bgp_session *s);
/* bgp_listen_leave - the opposite; bgp_listen_left is called in the instance's worker. */
void bgp_listen_leave(struct bgp_session *s);
/* bgp_listen_rekey - the keys of TCP-AO are those of the configuration in force. */
void bgp_listen_rekey(struct bgp_session *s);
/* bgp_listen_left - bgp_class.c: the answer. */
void bgp_listen_left(struct bgp_session *s);
/* bgp_listen_state - bgp_class.c: why its socket and its password can't be had (negative
 * errno; 0: they are). The listener's worker. */
void bgp_listen_state(struct bgp_session *s, int place_err, int key_err);
/* bgp_listen_offer - in a dry run: @fd is as if @remote had connected to @local (IP_NONE:
 * not known). Whoever is configured for it has it, or it is closed. Any worker. */
void bgp_listen_offer(
    struct tern *t, TAKE int fd, struct ip_addr remote, struct ip_addr local);
/* bgp_listen_refuse - tell the peer "connection rejected" and close; without a word when
 * @t restarts gracefully, since a NOTIFICATION may end what the peer keeps. Any
 * thread. */
void bgp_listen_refuse(TAKE int fd, const struct tern *t);

#endif
