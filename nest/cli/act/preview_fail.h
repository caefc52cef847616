/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions on a preview: `lost > 5 %, closed > 3, member.lost > 100`. For programs that
 * check a configuration before a merge.
 *
 * Loop: the session's. */
#ifndef TERN_NEST_CLI_ACT_PREVIEW_FAIL_H
#define TERN_NEST_CLI_ACT_PREVIEW_FAIL_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

struct preview;

#define PREVIEW_CONDITIONS 16

/* A condition. Owner: struct preview_fail; by value. */
struct preview_condition {
	uint8_t what; /* PREVIEW_GAINED, _LOST, _CHANGED, or PREVIEW_CHANGES: closed */
	bool member; /* holds for a member if any member exceeds the number */
	bool percent; /* of the routes before, or of the sessions */
	uint64_t number;
};

/* Owner: the command. Life: by value; nothing to free. */
struct preview_fail {
	struct preview_condition at[PREVIEW_CONDITIONS];
	unsigned cnt;
};

/* preview_fail_parse - read the conditions of @text. Returns: false: *@bad is the place
 * of an error. */
bool preview_fail_parse(struct preview_fail *f, const char *text, const char **bad);
/* preview_fail_met - is the condition @i met by the complete preview @pv? *@out then has
 * the words for an operator: the condition, the numbers and the first members. */
bool preview_fail_met(const struct preview_fail *f, unsigned i, const struct preview *pv,
    struct strbuf *out);

#endif
