/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops of static routes in the configuration. */
#ifndef TERN_PROTO_STATIC_VIA_H
#define TERN_PROTO_STATIC_VIA_H

#include "nest/conf/conf_opt.h"
#include "proto/static/static_route.h"

/* static_via_parse - step over one or more, behind the first `via`, into @r. Returns:
 * false after it has said what is wrong. */
bool static_via_parse(struct conf_ctx *c, struct conf_args *a, struct static_route *r);
/* static_recursive_parse - the same behind `recursive`. */
bool static_recursive_parse(
    struct conf_ctx *c, struct conf_args *a, struct static_route *r);
#endif
