/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries of commands about channels beyond nest/channel/channel.h. Any thread, under
 * RCU. */
#ifndef TERN_NEST_CLI_SHOW_CMD_CHANNEL_H
#define TERN_NEST_CLI_SHOW_CMD_CHANNEL_H

#include "lib/base/check.h"
#include "nest/conf/config.h"

struct channel;
struct reply;
struct proto;
struct route_view;

/* cmd_channel_is_source - true: the route came from this channel's peer. */
bool cmd_channel_is_source(const struct channel *ch, const struct route_view *r);
/* proto_first_channel - the first channel in the order of display, IPv4 first; NULL:
 * none.
 * channel_after - the channel after @ch. */
struct channel *proto_first_channel(const struct proto *p);
struct channel *channel_after(const struct proto *p, const struct channel *ch);
/* The shown state of a channel: SHOWN_START while its routes outlive the session, or the
 * connection to the cache. channel_shown_key - the state in JSON. */
enum shown { SHOWN_DOWN, SHOWN_START, SHOWN_UP };
extern const char *const channel_shown_key[];
enum shown channel_shown_as(const struct channel *ch);

#define CHANNEL_LIMITS 4

/* A limit, and the counted routes. Owner: the caller, by value. */
struct channel_limit {
	const char *key, *label; /* in JSON, in text */
	struct conf_limit limit;
	uint64_t now;
};

/* channel_limits - describe the limits of @ch; an absent limit has LIMIT_OFF.
 * channel_is_hit - do @now routes reach the limit @l? */
void channel_limits(const struct channel *ch, struct channel_limit out[CHANNEL_LIMITS]);
bool channel_is_hit(const struct conf_limit *l, uint64_t now);
/* channel_reply_reasons - member `reasons` of the open object: key and count of each
 * reason for which @ch kept routes back. Returns: true: @ch kept a route back. */
bool channel_reply_reasons(const struct channel *ch, struct reply *r);

#endif
