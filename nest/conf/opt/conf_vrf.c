/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parse function and check of the option `vrf`: protocols whose sockets ignore the VRF
 * refuse the option. Loop: the thread that parses. Tested by test/conf/vrf.conf. */
#include "nest/conf/opt/conf_vrf.h"

#include "filter/lang/diag.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"

/* conf_vrf_check - accept the option for protocols that look at interfaces; refuse the
 * option for protocols whose sockets ignore the VRF. */
static void
conf_vrf_check(struct conf_ctx *c, const struct conf_proto *p, struct src_pos pos)
{
	switch ((enum proto_kind)p->kind) {
	case PROTO_BGP:
	case PROTO_STATIC:
	case PROTO_DIRECT:
		break;
	case PROTO_DEVICE:
	case PROTO_KERNEL:
	case PROTO_PIPE:
	case PROTO_MRT:
	case PROTO_IMAGE:
	case PROTO_OTHER:
		conf_warning(
		    c, pos, "'vrf' has no effect in protocol %s", p->class->keyword);
		break;
	case PROTO_RPKI:
	case PROTO_BMP:
	case PROTO_BFD:
		conf_error(c, pos, "'vrf' is not supported in protocol %s yet",
		    p->class->keyword);
		break;
	}
}

bool
conf_vrf_parse(struct conf_args *a, void *to)
{
	struct conf_proto *p = to;

	p->vrf = NULL;
	if (!conf_arg_word(a, "default") && !conf_arg_string(a, &p->vrf))
		return false;
	if (p->vrf)
		conf_vrf_check(a->ctx, p, conf_arg_start(a));
	return true;
}
