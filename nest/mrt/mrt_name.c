/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of dump files: parts of the format between %N go to strftime; the name of the
 * table does not. Loop: the dump's. */
#include "nest/mrt/mrt_name.h"

#include "lib/mem/mem.h"
#include "sysdep/os/clock.h"

#include <string.h>

#define NAME_ROOM 8192

/* name_put_time - @len octets of @format. */
static void
name_put_time(struct strbuf *out, const char *format, size_t len, const struct tm *tm)
{
	/* the extra sign distinguishes an empty result from a result that does not fit */
	char *f = mem_alloc(MEM_OTHER, len + 2), *text;
	size_t room = len + 64, n = 0;

	memcpy(f, format, len);
	memcpy(f + len, "x", 2);
	/* a width in the format may give a result of any length: NAME_ROOM is the limit,
	 * longer results are left out */
	for (; !n && room < len + NAME_ROOM; room *= 2) {
		text = mem_alloc(MEM_OTHER, room);
		n = strftime(text, room, f, tm);
		if (n)
			strbuf_addf(out, "%.*s", (int)n - 1, text);
		mem_free(MEM_OTHER, text);
	}
	mem_free(MEM_OTHER, f);
}

static void
name_put_table(struct strbuf *out, const char *table)
{
	for (; *table; table++)
		strbuf_addf(out, "%c", *table == '/' ? '_' : *table);
}

void
mrt_name(struct strbuf *out, const char *format, const char *table, time_t at)
{
	const char *from = format, *p = format;
	struct tm tm;

	clock_local(&tm, at);
	while (*p) {
		if (p[0] == '%' && p[1] == 'N') {
			name_put_time(out, from, (size_t)(p - from), &tm);
			name_put_table(out, table);
			from = p + 2;
		}
		if (p[0] == '%' && !p[1]) { /* strftime's isn't defined */
			name_put_time(out, from, (size_t)(p - from), &tm);
			strbuf_addf(out, "%%");
			from = p + 1;
		}
		p += p[0] == '%' && p[1] ? 2 : 1;
	}
	name_put_time(out, from, (size_t)(p - from), &tm);
}
