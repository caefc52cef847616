/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops of static routes in the configuration. */
#ifndef TERN_PROTO_STATIC_VIA_H
#define TERN_PROTO_STATIC_VIA_H

#include "filter/lang/diag.h"
#include "lib/net/ip.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/static/static_route.h"

/* static_via_parse - step over one or more, behind the first `via`, into @r. Returns:
 * false after it has said what is wrong. */
bool static_via_parse(struct conf_ctx *c, struct conf_args *a, struct static_route *r);
/* static_via_plain - the way that is @gw, which stands at @pos, and no more: @before if
 * that is it. Returns: NULL after it has said what is wrong. */
const struct static_via *static_via_plain(struct conf_ctx *c, struct src_pos pos,
    struct ip_addr gw, const struct static_via *before);
/* static_recursive_parse - the same behind `recursive`. */
bool static_recursive_parse(
    struct conf_ctx *c, struct conf_args *a, struct static_route *r);
#endif
