/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of an instance: commands, limits and slow readers become calls of the class
 * (struct proto_life_ops). The kit knows in which state the instance is; the class knows
 * what up and down mean.
 *
 *      event        DOWN               UP                 CLOSING
 *      START        up                 -                  next is up
 *      STOP         -                  down               next is down
 *      RESTART      up                 down, up           next is up
 *      RELOAD_*     -                  reload             -
 *      RECONF       reconf; up if      reconf             reconf; next is up if
 *                   proto_revives                         proto_revives
 *      DELETE       leave              down, leave        next is leave
 *      limit        -                  down               next is down
 *      slow         -                  down, up           -
 *      error        -                  next is down       -
 *      closed                                             down; the next state
 *
 * I1  `up` is called in state DOWN only, and `down` in state UP only. p->life.state is UP
 *     during `up`, and CLOSING during `down`.
 * I2  Each change of state publishes the status after the call of the class. STOP and
 *     RESTART in state DOWN publish the status, too, with their text.
 * I3  After DELETE no event changes the next state.
 *
 * BGP differs in two places:
 *   - A limit or a slow reader is reported during a call of a channel. The session
 *     records the report and stops from its loop (session_close_now); the kit stops at
 *     once.
 *   - proto_life_ops.own has the commands of BGP alone: PROTO_FLUSH_STALE, PROTO_GUEST,
 *     reloads, which also concern a session that is down with kept routes, and the silent
 *     end before a local restart.
 *
 * Loop: the instance's. */
#ifndef TERN_NEST_CHANNEL_INSTANCE_PROTO_LIFE_H
#define TERN_NEST_CHANNEL_INSTANCE_PROTO_LIFE_H

#include "nest/channel/proto.h"
#include "nest/conf/config.h"

struct channel;

/* proto_life_command - proto_class.command of classes with the member `life`. */
void proto_life_command(struct proto *p, struct proto_cmd *cmd);
/* proto_life_limit, proto_life_slow - channel_ops.limit and channel_ops.slow. After a
 * restart the routes of the instance would return at once, so a limit with the action
 * restart disables the instance as well. */
void proto_life_limit(
    struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max);
void proto_life_slow(struct channel *ch);

/* ---- for the calls of the class ---- */

/* proto_life_closed - the work that `down` left is done. State CLOSING. */
void proto_life_closed(struct proto *p);
/* proto_life_disable - an error ends the work of the instance, and the instance stays
 * down: state DOWN and disabled, without a call of the class and without a status. No
 * effect in other states than UP. */
void proto_life_disable(struct proto *p);
/* proto_life_restart - down, and up again. */
void proto_life_restart(struct proto *p);
/* proto_life_publish - publish the status as proto_life_ops.publish does. */
void proto_life_publish(struct proto *p);
/* proto_life_adopt - take over the configuration of the RECONF @cmd, and apply the
 * changes to all channels. If the import policy of a channel with channel_ops.remakes
 * changed, call channel_ops.refresh. Returns: false: only a restart brings the routes of
 * some channel through the new import policy. */
bool proto_life_adopt(struct proto *p, struct proto_cmd *cmd);

/* proto_life_is_up - true: the instance works, or is about to. */
static inline bool
proto_life_is_up(const struct proto *p)
{
	return p->life.state == LIFE_UP;
}

/* proto_life_wanted - true: the instance works, or stops in order to start again. */
static inline bool
proto_life_wanted(const struct proto *p)
{
	return p->life.state == LIFE_UP || p->life.next == LIFE_AGAIN;
}

/* proto_life_ends - true: the instance ends after a DELETE. */
static inline bool
proto_life_ends(const struct proto *p)
{
	return p->life.next == LIFE_ENDS;
}

#endif
