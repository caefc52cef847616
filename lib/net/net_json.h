/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses and prefixes as JSON strings in their usual text form. Pure functions; any
 * thread. */
#ifndef TERN_LIB_NET_NET_JSON_H
#define TERN_LIB_NET_NET_JSON_H

#include "lib/json/json.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

/* json_ip - IP_NONE: nothing is written. */
static inline void
json_ip(struct json *j, const char *key, struct ip_addr ip)
{
	char text[IP_STR_MAX];

	if (!ip_is_none(ip))
		json_str(j, key, ip_str(text, ip));
}

static inline void
json_prefix(struct json *j, const char *key, const struct prefix *p)
{
	char text[PREFIX_STR_MAX];

	json_str(j, key, prefix_str(text, p));
}

#endif
