/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol device`; every configuration has such an instance. Loop: the
 * thread that parses. Tested by test/unit/test_conf_golden.c. */
#include "nest/conf/opt/conf_device.h"

#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_iface.h"
#include "sysdep/iface/iface.h"

#define DEVICE_OFF(field) offsetof(struct device_conf, field)

/* ---- interface ---- */

/* device_parse_preferred - read the preferred address of a kind. */
static bool
device_parse_preferred(struct conf_args *a, void *to)
{
	struct iface_prefer *p = to;
	struct ip_addr ip;

	if (!conf_arg_ip(a, &ip))
		return false;
	p->addr[iface_kind_of(ip)] = ip;
	return true;
}

static const struct conf_opt iface_options[] = {
	{ "preferred", OPT_CUSTOM, .form = "ADDRESS", .parse = device_parse_preferred,
	    .help = "the address to prefer; one each of IPv4, IPv6 and link-local" },
	{ .type = OPT_END },
};

static bool
conf_device_parse_interface(struct conf_args *a, void *to)
{
	struct device_conf *d = to;
	struct iface_prefer *p = arena_zalloc(conf_arena(a->ctx), sizeof(*p));

	if (!conf_arg_ifaces(a, false, &p->pattern))
		return false;
	if (conf_arg_peek(a) == ARG_BLOCK)
		conf_arg_block(a, "this interface", a->row->sub, p);
	*(d->last ? &d->last->next : &d->prefer) = p;
	d->last = p;
	return true;
}

static const struct conf_opt options[] = {
	{ "scan time", OPT_TIME_S, .off = DEVICE_OFF(scan_time_s), .def = IFACE_SCAN_S,
	    .max = 86400, .bounded = true, .change = CONF_CH_INPLACE,
	    .help = "how often the daemon reads all interfaces, besides the system's "
		    "messages; 0: never" },
	{ "interface", OPT_CUSTOM, .form = CONF_IFACES_FORM " [BLOCK]",
	    .parse = conf_device_parse_interface, .sub = iface_options,
	    .help = "addresses to prefer on interfaces; the first that fits counts" },
	{ .type = OPT_END },
};

const struct conf_class device_conf_class = {
	.keyword = "device",
	.name = "Device",
	.kind = PROTO_DEVICE,
	.preference = 240,
	.opt = options,
	.opt_size = sizeof(struct device_conf),
};
