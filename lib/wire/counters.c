/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of lib/wire/counters.h. Pure; any thread. Tested by
 * test/unit/test_counters.c. */
#include "lib/wire/counters.h"

#define COUNTERS_TEXT_ROW(kind, name, max, path) { COUNTERS_##kind, 0, max, path },
#define COUNTERS_VALUE_ROW(kind, name, form, path)                                       \
	{ COUNTERS_##kind, COUNTERS_##form, 0, path },

const struct counters_row counters_texts[COUNTERS_TEXT_CNT] = { COUNTERS_TEXTS(
    COUNTERS_TEXT_ROW) };
const struct counters_row counters_values[COUNTERS_VALUE_CNT] = { COUNTERS_VALUES(
    COUNTERS_VALUE_ROW) };

#define COUNTERS_TYPE_ROW(kind, number, type) [number] = type,
static const char *const counters_types[COUNTERS_KIND_CNT] = { COUNTERS_KINDS(
    COUNTERS_TYPE_ROW) };

const char *
counters_type(uint64_t kind)
{
	return kind < COUNTERS_KIND_CNT ? counters_types[kind] : NULL;
}

uint32_t
counters_first(const struct counters_row *row, uint32_t cnt, uint64_t kind)
{
	uint32_t i = 0;

	while (i < cnt && row[i].kind != kind)
		i++;
	return i;
}
