/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listening for all instances: one worker with a socket for each (address, port) of the
 * configuration. The worker matches a connection by the peer's address and hands the
 * connection to the instance's worker. Connections of unknown peers get "connection
 * rejected" (RFC 4486).
 *
 * The worker lives while an instance holds a reference. An instance joins when the
 * instance is enabled and leaves when it is disabled. The listener confirms the leave
 * (enlisted.leaving becomes false), and no connection follows the confirmation. */
#ifndef TERN_PROTO_BGP_LISTEN_BGP_LISTEN_H
#define TERN_PROTO_BGP_LISTEN_BGP_LISTEN_H

#include "lib/net/ip.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/os/os_fd.h"

/* bgp_listener_get - the daemon's listener, with a reference; the first call creates and
 * starts the listener. Control worker. */
OWNED struct bgp_listener *bgp_listener_get(struct tern *t);
/* bgp_listener_order - a number higher than all earlier numbers. Control worker. */
uint64_t bgp_listener_order(struct bgp_listener *l);
/* bgp_listener_put - release the reference. In the instance's worker, after the leave. */
void bgp_listener_put(TAKE struct bgp_listener *l);
/* bgp_listen_join - no effect unless the instance is enabled and not joined. From now on
 * enlisted.accept may be called, in the instance's worker. The addresses are those of
 * the configuration in force. A socket that cannot be opened is logged and retried. */
void bgp_listen_join(struct bgp_session *s);
/* bgp_listen_leave - end the effect of bgp_listen_join. The listener's answer clears
 * enlisted.leaving in the instance's worker, joins again if the instance is enabled, and
 * calls session_soon. */
void bgp_listen_leave(struct bgp_session *s);
/* bgp_listen_rekey - the keys of TCP-AO are those of the configuration in force. */
void bgp_listen_rekey(struct bgp_session *s);
/* bgp_listen_inject - in a dry run: treat @fd as a connection of @remote to @local
 * (IP_NONE: not known). The configured instance gets @fd; without an instance @fd is
 * closed. Any worker. */
void bgp_listen_inject(
    struct tern *t, TAKE struct os_fd fd, struct ip_addr remote, struct ip_addr local);
/* bgp_listen_refuse - send "connection rejected" and close. While @t restarts gracefully,
 * close without the message, because a NOTIFICATION may end the peer's retention of
 * routes. Any thread. */
void bgp_listen_refuse(TAKE struct os_fd fd, const struct tern *t);

#endif
