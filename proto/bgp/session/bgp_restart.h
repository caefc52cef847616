/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of a restarting peer (bgp_restart.c). For the files of this folder; in the
 * session's loop. */
#ifndef TERN_PROTO_BGP_SESSION_BGP_RESTART_H
#define TERN_PROTO_BGP_SESSION_BGP_RESTART_H

#include "lib/wire/bgp/bgp_notify.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/loop/loop.h"

void restart_init(struct bgp_session *s);
/* restart_keeps - FAM_BIT of the families whose routes stay after the present event of
 * @c, which was established. */
uint8_t restart_keeps(const struct bgp_conn *c);
/* restart_is_hard - true if @n must be sent on @c as a Hard Reset (RFC 8538, 5). False
 * for a peer without Hard Reset. */
bool restart_is_hard(const struct bgp_conn *c, const struct bgp_notify *n);
/* restart_away - the session on @c ended; the routes of families @keep stay. restart_back
 * - the session is up again; before its channels. */
void restart_away(struct bgp_session *s, const struct bgp_conn *c, uint8_t keep);
void restart_back(struct bgp_session *s, const struct bgp_conn *c);
/* restart_through - the peer has sent all its routes of @f. restart_end - remove the
 * stale routes; but see recover_leave. restart_withdraw - withdraw the routes of @f, as
 * @why says. */
void restart_through(struct bgp_session *s, unsigned f);
void restart_end(struct bgp_session *s);
void restart_withdraw(struct bgp_session *s, unsigned f, const char *why);
/* restart_put_off - @t fires because the peer has not sent the stale routes again, but
 * unread input may contain the routes. Returns: true: @t is set again; *@late counts the
 * delays and has a bound. */
bool restart_put_off(struct bgp_session *s, struct timer *t, uint32_t *late);
/* restart_timers_stop - stop all timers of stale routes. */
void restart_timers_stop(struct bgp_session *s);

#endif
