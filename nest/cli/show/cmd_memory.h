/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the daemon's resident memory, for `show memory` and the page of counters.
 * Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_CMD_MEMORY_H
#define TERN_NEST_CLI_SHOW_CMD_MEMORY_H

#include "lib/base/check.h"

struct tern;

#define MEMORY_ROWS 14

/* A part. Owner: the caller, by value; the texts are constants. */
struct memory_row {
	const char *name, *key; /* in text; in JSON */
	uint64_t used, over; /* octets in use; further held octets */
};

/* memory_list - describe the parts in @out, which has room for MEMORY_ROWS. Returns:
 * number of parts. */
unsigned memory_list(const struct tern *t, struct memory_row *out);

#endif
