/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines about events that strangers and the path cause at will: one line of a kind a
 * minute. Loop: the instance's. Tested by test/net/test_bfd.py. */
#include "nest/channel/proto.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/clock.h"
#include <stdarg.h>
#include <stdio.h>

#define ODD_NS (60 * NS_PER_S)

bool
bfd_odd_again(struct bfd_proto *b, enum bfd_oddity k)
{
	struct bfd_rate *r = &b->odd[k];

	if (bfd_now(b) >= r->until_ns)
		return false;
	r->cnt++;
	return true;
}

void
bfd_odd(struct bfd_proto *b, enum bfd_oddity k, const char *fmt, ...)
{
	struct bfd_rate *r = &b->odd[k];
	char text[256];
	va_list ap;

	if (bfd_odd_again(b, k))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->cnt)
		proto_log(
		    &b->p, LOG_C_WARN, "%s (and %u more of this kind)", text, r->cnt);
	else
		proto_log(&b->p, LOG_C_WARN, "%s", text);
	r->until_ns = bfd_now(b) + ODD_NS;
	r->cnt = 0;
}
