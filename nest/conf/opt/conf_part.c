/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the option `export in NET FILTER` of a channel. Keeps no state; in the thread
 * that parses. Tested by test/net/test_next_hop.py. */
#include "nest/conf/opt/conf_part.h"
#include "filter/lang/diag.h"
#include "lib/net/prefix.h"
#include "nest/conf/config.h"
#include <stddef.h>

bool
conf_part_export(struct conf_args *a, void *to)
{
	static const struct conf_opt filter = { "export", OPT_FILTER,
		.off = offsetof(struct conf_channel, export) };
	struct conf_channel *ch = to;
	struct src_pos pos = conf_arg_pos(a);

	if (!conf_arg_prefix(a, &ch->export_in) || !conf_opt_value(&filter, a, to))
		return false;
	ch->has_export_in = true;
	if (!ch->is_rpki && ch->export_in.fam == ch->family)
		return true;
	conf_error(a->ctx, pos, "the %s channel has no networks of that part", ch->name);
	return false;
}
