/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel has of a route, or is to have, for people and programs. Pure; any
 * thread. */
#ifndef TERN_NEST_CLI_CMD_ROUTE_KRT_H
#define TERN_NEST_CLI_CMD_ROUTE_KRT_H

#include "lib/base/check.h"

struct attr_set;

struct route_krt {
	const char *name; /* without krt_ */
	bool is_text; /* else value */
	uint32_t value;
	char text[160];
};

/* route_krt - the next one that @set has, in the order of bird2; @pos starts at 0.
 * Returns: false: no more. */
bool route_krt(const struct attr_set *set, unsigned *pos, struct route_krt *out);

#endif
