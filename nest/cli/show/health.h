/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of the daemon: the findings of `show health`, for the command and for events.
 * Loop: any thread, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_HEALTH_H
#define TERN_NEST_CLI_SHOW_HEALTH_H

#include "lib/base/check.h"

struct channel;
struct tern;
struct tern_view;

/* Objects of a finding; NULL members do not apply. Owner: the view, under RCU. Life: the
 * call. By value: nothing to free. */
struct health_about {
	const char *kind; /* in JSON */
	const char *proto, *channel, *table;
};

/* A look. Owner: the caller, on the stack. */
struct health {
	const struct tern *tern;
	unsigned conf_bad_len; /* octets that are reported of a failed `configure` */
	/* found - a finding, in words. */
	void (*found)(struct health *h, const struct health_about *a, const char *text);
	/* results */
	uint32_t findings;
	uint32_t wanted, up; /* sessions */
	uint64_t stale; /* routes */
	const struct channel *slowest; /* NULL: no member is behind */
	uint64_t behind_ns;
};

/* health_find - call found for each finding of @v, and fill in the results. */
void health_find(struct health *h, const struct tern_view *v);

#endif
