/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol direct`. In the thread that parses.
 *
 *      interface "eth*", -"eth9", 10.0.0.0/8;
 *      check link;
 *
 * Lists of interfaces are linked from the last to the first, so instances of one template
 * share the template's list. The order of the lists has no effect. Tested by
 * test/unit/test_conf_golden.c and test/net/test_direct.py. */
#include "proto/direct/direct_conf.h"

#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_iface.h"
#include "nest/conf/opt/conf_opt.h"

#include <stddef.h>

#define OFF(field) offsetof(struct direct_conf, field)

static bool
direct_conf_parse_interface(struct conf_args *a, void *to)
{
	struct direct_conf *d = to;
	struct direct_ifaces *i = arena_zalloc(conf_arena(a->ctx), sizeof(*i));

	if (!conf_arg_ifaces(a, true, &i->pattern))
		return false;
	i->before = d->last;
	d->last = i;
	return true;
}

static const struct conf_opt options[] = {
	{ "interface", OPT_CUSTOM, .form = CONF_IFACES_ADDRS,
	    .parse = direct_conf_parse_interface,
	    .help = "interfaces with networks that become routes; by default all" },
	{ "check link", OPT_SWITCH, .off = OFF(check_link), .change = CONF_CH_INPLACE,
	    .help = "only while the link is up" },
	{ .type = OPT_END },
};

static bool
direct_conf_leads(const struct conf_proto *p, const struct conf_channel *ch)
{
	(void)p;
	(void)ch;
	return true;
}

const struct conf_class direct_conf_class = {
	.keyword = "direct",
	.name = "Direct",
	.kind = PROTO_DIRECT,
	.preference = 240,
	.has_channels = true,
	.opt = options,
	.leads = direct_conf_leads,
	.opt_size = sizeof(struct direct_conf),
};
