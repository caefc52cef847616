/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entity tag of a list of routes. Tested by test/unit/test_http_tag.c. Pure
 * functions. */
#include "client/http/api/tag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* tag_add - FNV-1a: accidents change the sum, and nobody gains by a collision. */
static void
tag_add(struct tag *t, struct jview v)
{
	for (size_t i = 0; i <= v.len; i++) {
		t->sum ^= v.p && i < v.len ? (unsigned char)v.p[i] : 0;
		t->sum *= 0x100000001b3;
	}
}

void
tag_line(struct tag *t, struct jview line)
{
	static const char *const of_status[] = { "started_unix_s", "configured_unix_s",
		"version", NULL };
	static const char *const of_table[] = { "name", "networks", "routes", "filtered",
		"changes", "batches", "segments", NULL };
	struct jview type = jview_get(line, "type");
	const char *const *key;

	if (jview_is(type, "status"))
		key = of_status;
	else if (jview_is(type, "table"))
		key = of_table;
	else
		return;
	if (!t->sum)
		t->sum = 0xcbf29ce484222325;
	for (; *key; key++)
		tag_add(t, jview_get(line, *key));
}

void
tag_str(char *to, const struct tag *t)
{
	*to = 0;
	if (!t->unknown && t->sum)
		snprintf(to, TAG_MAX, "W/\"%016" PRIx64 "\"", t->sum);
}

bool
tag_match(const char *have, const char *tag)
{
	/* the comparison is weak: RFC 9110, 13.1.2 */
	return *tag && strstr(have, tag + 2);
}
