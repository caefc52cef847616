/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the next hops of a static route. Loop: the thread that parses. */
#ifndef TERN_PROTO_STATIC_STATIC_VIA_H
#define TERN_PROTO_STATIC_STATIC_VIA_H

#include "filter/lang/diag.h"
#include "lib/net/ip.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/static/static_route.h"

/* static_via_parse - parse one or more next hops, after the first `via`, into @r.
 * Returns: false: the input is invalid, and the error was reported. */
bool static_via_parse(struct conf_args *a, struct static_route *r);
/* static_via_address - a via with only the address @gw, which stands at @pos in the file.
 * @before: returned if equal. Returns: NULL: @gw is invalid, and the error was
 * reported. */
const struct static_via *static_via_address(struct conf_ctx *c, struct src_pos pos,
    struct ip_addr gw, const struct static_via *before);
/* static_recursive_parse - parse the address after `recursive` into @r. Returns: as
 * static_via_parse. */
bool static_recursive_parse(struct conf_args *a, struct static_route *r);
#endif
