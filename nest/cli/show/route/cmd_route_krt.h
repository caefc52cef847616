/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel attributes of a route, for people and programs. Pure; any thread. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_ROUTE_KRT_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_ROUTE_KRT_H

#include "lib/base/check.h"

struct attr_set;

/* An attribute. Owner: the caller, on the stack; lives as long. */
struct route_krt {
	const char *name; /* without krt_ */
	bool is_text; /* else value */
	uint32_t value;
	char text[160];
};

/* route_krt - the next kernel attribute of @set, in bird2's order; @pos starts at 0.
 * Returns: false: end. */
bool route_krt(const struct attr_set *set, unsigned *pos, struct route_krt *out);

#endif
