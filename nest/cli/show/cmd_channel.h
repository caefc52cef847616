/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries of commands about channels beyond nest/channel/channel.h. Any thread, under
 * RCU. */
#ifndef TERN_NEST_CLI_SHOW_CMD_CHANNEL_H
#define TERN_NEST_CLI_SHOW_CMD_CHANNEL_H

#include "lib/base/check.h"

struct channel;
struct json;
struct proto;
struct route_view;

/* cmd_channel_is_source - true: the route came from this channel's peer. */
bool cmd_channel_is_source(const struct channel *ch, const struct route_view *r);
/* proto_first_channel - the first channel in the order of display, IPv4 first; NULL:
 * none.
 * channel_after - the channel after @ch. */
struct channel *proto_first_channel(const struct proto *p);
struct channel *channel_after(const struct proto *p, const struct channel *ch);
/* channel_json_reasons - member `reasons` of the open object: key and count of each
 * reason for which @ch kept routes back. */
void channel_json_reasons(const struct channel *ch, struct json *j);

#endif
