/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of a channel's refused routes, by cause: `show members` counts the routes and
 * leaves the counts at the channel (nest/channel/channel_tally.h). Owner of a struct
 * channel_counts: the caller, by value. Lives: for the call; nobody frees the value.
 * Loop: the caller's, any thread under RCU. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_COUNTS_H
#define TERN_NEST_CHANNEL_CHANNEL_COUNTS_H

#include <stdint.h>

enum channel_tally_kind {
	/* of the memory of refused routes: n[0]: by the filter, n[1]: by checks */
	TALLY_REJECTS,
	TALLY_TABLE, /* n[0]: routes that a pipe refuses, n[1]: routes with a community */
	CHANNEL_TALLIES
};

#define TALLY_COUNTS 2

/* Counts of routes. Owner: the caller; by value: nothing to free. */
struct channel_counts {
	uint64_t stamp;
	uint64_t n[TALLY_COUNTS];
};

#endif
