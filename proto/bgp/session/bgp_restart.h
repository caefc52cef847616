/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A peer that restarts (bgp_restart.c): what becomes of its routes. For the files of this
 * folder; in the session's loop. */
#ifndef TERN_PROTO_BGP_BGP_RESTART_H
#define TERN_PROTO_BGP_BGP_RESTART_H

#include "lib/wire/bgp/bgp_notify.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/loop/loop.h"

void restart_init(struct bgp_session *s);
/* restart_keeps - FAM_BIT of the families whose routes stay after what has happened to
 * @c, which was established. */
uint8_t restart_keeps(const struct bgp_conn *c);
/* restart_is_hard - is @n, which is to be sent on @c, to go as a Hard Reset (RFC 8538,
 * 5)? Where the peer doesn't know that, nothing is. */
bool restart_is_hard(const struct bgp_conn *c, const struct bgp_notify *n);
/* restart_away - the session on @c went; these families stay. restart_back - it is up
 * again; before its channels. */
void restart_away(struct bgp_session *s, const struct bgp_conn *c, uint8_t keep);
void restart_back(struct bgp_session *s, const struct bgp_conn *c);
/* restart_through - the peer has sent all its routes of @f. restart_end - what is stale
 * goes; but see recover_leave. restart_withdraw - of @f, as @why says. */
void restart_through(struct bgp_session *s, unsigned f);
void restart_end(struct bgp_session *s);
void restart_withdraw(struct bgp_session *s, unsigned f, const char *why);
/* restart_put_off - @t fires, since the peer hasn't sent again what is stale; but input
 * of it waits, in which that may be. Returns: it is set again; *@late counts that, and
 * has a bound. */
bool restart_put_off(struct bgp_session *s, struct timer *t, uint32_t *late);
/* restart_rest - no time of what is stale ends any more. */
void restart_rest(struct bgp_session *s);

#endif
