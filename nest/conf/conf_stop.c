/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a reading that nobody wants any more. Loop: the parser's thread. Tested by
 * test/unit/test_conf_run.c. */
#include "filter/lang/diag.h"
#include "lib/mt/atomic.h"
#include "nest/conf/conf_parse.h"

bool
conf_stops(struct conf_ctx *c)
{
	struct src_pos at = { c->file->df.name, c->file->line, 1 };

	if (c->given_up || !c->env || !c->env->stop || !load_relaxed32(c->env->stop))
		return c->given_up;
	diag_error(c->diag, at, "given up, since the daemon ends");
	c->given_up = true;
	return true;
}
