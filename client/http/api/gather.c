/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects lines of replies before the answer: the lines with the greatest values of a
 * list, and the names for further questions (gather.h). Tested by
 * test/unit/test_http_gather.c and test/net/test_http.py. Pure functions. */
#include "client/http/api/gather.h"

#include "lib/mem/mem.h"

#include <string.h>

void
gather_reset(struct gather *g)
{
	for (unsigned i = 0; i < g->top_cnt; i++)
		mem_free(MEM_OTHER, g->top[i].text);
	g->top_cnt = 0;
	if (g->begun)
		strbuf_fini(&g->names);
	g->begun = false;
	g->at = 0;
}

enum ask
gather_ask(enum top by)
{
	return by == TOP_FLAPS ? ASK_PROTOCOLS
	       : by == TOP_CPU ? ASK_THREADS
			       : ASK_MEMBERS;
}

/* gather_value - the value of @line; 0: none. */
static double
gather_value(enum top by, struct jview line)
{
	struct jview v4 = jview_get(line, "ipv4"), v6 = jview_get(line, "ipv6");

	switch (by) {
	case TOP_FILTERED:
		return (double)(jview_u64(jview_get(v4, "filtered"), 0) +
				jview_u64(jview_get(v6, "filtered"), 0));
	case TOP_LIMIT:
		return (double)jview_u64(
		    jview_get(jview_get(line, "limit"), "used_percent"), 0);
	case TOP_FLAPS:
		return (double)jview_u64(
		    jview_get(jview_get(line, "bgp"), "down_count"), 0);
	default:
		return jview_seconds(jview_get(line, "cpu_s"));
	}
}

void
gather_top(struct gather *g, enum top by, unsigned max, struct jview line)
{
	static const char *const types[TOP_CNT] = { "member", "member", "protocol",
		"thread" };
	double value = gather_value(by, line);
	unsigned i = g->top_cnt;

	if (value <= 0 || !jview_is(jview_get(line, "type"), types[by]))
		return;
	/* of equal values the first line comes first */
	while (i && g->top[i - 1].value < value)
		i--;
	if (i >= max)
		return;
	if (g->top_cnt == max)
		mem_free(MEM_OTHER, g->top[--g->top_cnt].text);
	memmove(&g->top[i + 1], &g->top[i], (g->top_cnt - i) * sizeof(g->top[0]));
	g->top[i].value = value;
	g->top[i].text = mem_zalloc(MEM_OTHER, line.len + 1);
	memcpy(g->top[i].text, line.p, line.len);
	g->top_cnt++;
}

void
gather_name(struct gather *g, struct jview line)
{
	char name[ASK_NAME_MAX + 1];

	if (!jview_copy(name, sizeof(name), jview_get(line, "name")) || !ask_name(name))
		return;
	if (!g->begun)
		strbuf_init(&g->names);
	g->begun = true;
	strbuf_addf(&g->names, "%s\n", name);
}

bool
gather_next(struct gather *g, char *to)
{
	const char *s = g->begun ? g->names.s + g->at : "";
	size_t len = strcspn(s, "\n");

	if (!*s)
		return false;
	memcpy(to, s, len);
	to[len] = 0;
	g->at += len + 1;
	return true;
}
