/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the static routes for `show static`. Loop: any thread, under RCU. */
#ifndef TERN_PROTO_STATIC_STATIC_SHOW_H
#define TERN_PROTO_STATIC_STATIC_SHOW_H

#include "nest/channel/proto.h"

/* static_list_route, static_json_route - list_route and json_route of struct
 * proto_class. */
bool static_list_route(const struct proto *p, uint32_t i, struct strbuf *out);
bool static_json_route(const struct proto *p, uint32_t i, struct json *j);

#endif
