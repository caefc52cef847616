/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of reasons, as arrays (reason.h). Any thread. */
#include "nest/core/reason.h"

#define PAGE "reasons.md#"

struct row {
	const char *key, *text, *page;
	enum reason_stage stage;
};

#define ROW(name, at, key, text)                                                         \
	[REASON_##name] = { key, text, PAGE key, REASON_AT_##at },
static const struct row row[REASON_CNT] = { REASON_TABLE(ROW) };
#undef ROW

static const struct row *
reason_row(enum reason r)
{
	return &row[r < REASON_CNT ? r : REASON_NONE];
}

const char *
reason_key(enum reason r)
{
	return reason_row(r)->key;
}

const char *
reason_text(enum reason r)
{
	return reason_row(r)->text;
}

enum reason_stage
reason_stage(enum reason r)
{
	return reason_row(r)->stage;
}

const char *
reason_stage_key(enum reason_stage s)
{
	static const char *const key[REASON_STAGES] = { [REASON_AT_NOTHING] = "none",
		[REASON_AT_IMPORT_CHECK] = "import_check",
		[REASON_AT_IMPORT_FILTER] = "import_filter",
		[REASON_AT_LIMIT] = "limit",
		[REASON_AT_SELECTION] = "selection",
		[REASON_AT_EXPORT_CHECK] = "export_check",
		[REASON_AT_EXPORT_FILTER] = "export_filter",
		[REASON_AT_EXPORT_AFTER] = "export_after",
		[REASON_AT_PACKING] = "packing",
		[REASON_AT_KERNEL] = "kernel" };

	return key[s < REASON_STAGES ? s : REASON_AT_NOTHING];
}

const char *
reason_page(enum reason r)
{
	return reason_row(r)->page;
}
