/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the daemon's JSON as members of another document. Loop: any.
 *
 * Tested by test/net/test_http_bw.py and test/net/test_http_be.py. */
#include "client/http/job/jcopy.h"

#include "lib/base/strbuf.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void
jcopy_text(struct json *o, const char *key, struct jview v, const char *none)
{
	struct strbuf text;

	if (!v.p) {
		json_str(o, key, none);
		return;
	}
	strbuf_init(&text);
	jview_add(&text, v);
	json_text(o, key, text.s, text.len);
	strbuf_fini(&text);
}

void
jcopy_u64(struct json *o, const char *key, struct jview v, uint64_t none)
{
	json_u64(o, key, jview_u64(v, none));
}

/* jcopy_items - the items of @list, which are lists of numbers. */
static void
jcopy_items(struct json *o, struct jview list)
{
	struct jview at = list, item, part;

	while (jview_next(&at, NULL, &item)) {
		struct jview in = item;

		json_list(o, NULL);
		while (jview_next(&in, NULL, &part))
			json_u64(o, NULL, jview_u64(part, 0));
		json_close(o);
	}
}

void
jcopy_numbers(struct json *o, const char *key, struct jview list)
{
	if (!list.p)
		return;
	json_list(o, key);
	jcopy_items(o, list);
	json_close(o);
}

/* jcopy_added - the large communities in a text such as "(1, 2) (1, 2, 3)". */
static void
jcopy_added(struct json *o, const char *p)
{
	while ((p = strchr(p, '('))) {
		uint64_t part[3];
		unsigned n = 0;
		char *end;

		do {
			p++;
			part[n++] = strtoull(p, &end, 10);
			if (end == p)
				n = 4; /* a word: an extended community */
			p = end;
		} while (*p == ',' && n < 3);
		if (n != 3 || *p != ')')
			continue;
		json_list(o, NULL);
		for (n = 0; n < 3; n++)
			json_u64(o, NULL, part[n]);
		json_close(o);
	}
}

void
jcopy_large(struct json *o, const char *key, struct jview line)
{
	struct jview a = jview_get(line, "attributes");
	char text[1024];

	/* the attributes of a refused route have the changes of the filter */
	if (a.p) {
		jcopy_numbers(o, key, jview_get(a, "bgp_large_community"));
		return;
	}
	if (!jview_copy(text, sizeof(text), jview_get(line, "added_communities")))
		return;
	json_list(o, key);
	jcopy_added(o, text);
	json_close(o);
}

void
jcopy_origin(struct json *o, const char *key, struct jview origin)
{
	json_str(o, key,
	    jview_is(origin, "igp")   ? "IGP"
	    : jview_is(origin, "egp") ? "EGP"
				      : "Incomplete");
}

void
jcopy_path(struct json *o, const char *key, struct jview path)
{
	struct jview at = path, item;

	json_list(o, key);
	while (jview_next(&at, NULL, &item))
		/* a set is no number, and the clients leave the set out */
		if (*item.p != '{')
			jcopy_text(o, NULL, item, NULL);
		else
			json_str(o, NULL, "{}");
	json_close(o);
}

void
jcopy_time(char *to, size_t size, const char *format, double unix_s)
{
	time_t t = unix_s > 0 ? (time_t)unix_s : 0;
	struct tm tm;

	strftime(to, size, format, gmtime_r(&t, &tm));
}

void
jcopy_when(struct json *o, const char *key, const char *format, struct jview v)
{
	double at = jview_seconds(v);
	char text[40];

	jcopy_time(text, sizeof(text), format, at < 0 ? (double)time(NULL) : at);
	json_str(o, key, text);
}
