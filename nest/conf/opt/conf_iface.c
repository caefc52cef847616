/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of interfaces: "eth*", -"lo", "eth0" 10.0.0.0/8, 192.0.2.0/24. Loop: the
 * thread that parses. Tested by test/conf/iface_*.conf. */
#include "nest/conf/opt/conf_iface.h"

#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_parse.h"

/* conf_iface_host - an address alone. */
static bool
conf_iface_host(struct conf_args *a, struct prefix *out)
{
	struct ip_addr ip = { 0 };
	enum family fam;

	if (!conf_arg_ip(a, &ip))
		return false;
	fam = family_of_ip(ip);
	*out = prefix_make(ip, family_bits(fam), fam);
	return true;
}

static bool
conf_iface_one(struct conf_args *a, bool addrs, struct iface_pattern *p)
{
	p->negative = conf_arg_other(a, '-');
	if (conf_arg_is_value(a, T_STRING) && !conf_arg_string(a, &p->mask))
		return false;
	p->has_in = true;
	if (addrs && conf_arg_is_value(a, T_PREFIX))
		return conf_arg_prefix(a, &p->in);
	if (addrs && conf_arg_is_value(a, T_IP))
		return conf_iface_host(a, &p->in);
	p->has_in = false;
	return p->mask ||
	       conf_arg_expected(
		   a, addrs ? "the name of an interface in double quotes, or a prefix"
			    : "the name of an interface in double quotes");
}

bool
conf_arg_ifaces(struct conf_args *a, bool addrs, const struct iface_pattern **first)
{
	const struct iface_pattern **end = first;

	*first = NULL;
	do {
		struct iface_pattern *p = arena_zalloc(conf_arena(a->ctx), sizeof(*p));

		*end = p;
		end = &p->next;
		if (!conf_iface_one(a, addrs, p))
			return false;
	} while (conf_arg_comma(a));
	return true;
}
