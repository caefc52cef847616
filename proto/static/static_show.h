/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the static routes for `show static`. Loop: any thread, under RCU. */
#ifndef TERN_PROTO_STATIC_STATIC_SHOW_H
#define TERN_PROTO_STATIC_STATIC_SHOW_H

#include "nest/channel/proto.h"

/* static_reply_route - `route` of struct proto_show_ops. */
bool static_reply_route(const struct proto *p, uint32_t i, struct reply *r);

#endif
