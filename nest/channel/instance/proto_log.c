/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes log lines that begin with the name of the instance. Any thread. Tested by
 * test/unit/test_proto.c. */
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include <bsd/string.h>
#include <stdio.h>

void
proto_log(const struct proto *p, enum log_class c, const char *fmt, ...)
{
	char text[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_msg(c, "%s: %s", p->name, text);
}
