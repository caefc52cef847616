/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the option `lan macs`. Loop: the thread that parses. Tested by
 * test/net/test_lan_macs.py. */
#include "nest/conf/opt/top/conf_lan.h"

#include "filter/lang/diag.h"
#include "nest/conf/config.h"
#include "nest/conf/file/lan_macs.h"
#include "nest/conf/opt/conf_file.h"

#define FILE_MAX_OCTETS (16u << 20)

/* lan_read - a conf_file_fn. */
static void *
lan_read(struct arena *a, const char *path, const char *text, size_t len, struct diag *d)
{
	return lan_macs_parse(a, path, text, len, d);
}

bool
conf_lan_macs(struct conf_args *a, void *to)
{
	struct src_pos at = conf_arg_pos(a);
	struct config *cfg = to;
	const char *name;

	if (!conf_arg_string(a, &name))
		return false;
	cfg->lan_macs = conf_file_value(
	    a->ctx, at, "lan macs", name, FILE_MAX_OCTETS, lan_read);
	return cfg->lan_macs != NULL;
}
