/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of `show protocols`, for other commands. Any thread, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_CMD_PROTOCOLS_H
#define TERN_NEST_CLI_SHOW_CMD_PROTOCOLS_H

#include "lib/base/strbuf.h"
#include "nest/channel/proto.h"

/* protocols_state_name - of enum proto_state. protocols_take_info - the last column:
 * state, error, and a present fault. @info: not initialized yet. */
extern const char *const protocols_state_name[];
void protocols_take_info(
    struct strbuf *info, const struct proto *p, const struct proto_status *st);

/* protocols_reply_drain - the object `drain`, if the session of @p drains or is drained;
 * @all: in text, too. */
void protocols_reply_drain(const struct proto *p, struct reply *r, bool all);

#endif
