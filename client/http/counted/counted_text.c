/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of JSON of a page of counters: an object for each block, by the tables of
 * lib/wire/counters.h. Channels, and reasons of channels, are parts of the object of
 * their protocol. No state. Loop: the only thread of ternhttp. Tested by
 * test/unit/test_http_counted.c. */
#include "client/http/counted/counted_text.h"

#include "lib/json/json.h"
#include "lib/mt/count_page.h"
#include "lib/wire/counters.h"

#include <string.h>

#define COUNTED_DEPTH 3 /* groups within an object */
#define COUNTED_KEY   32 /* octets of a part of a path */
#define KIND_BIT(k)   (1ull << COUNTERS_##k)

/* What is open in the line under construction. */
enum counted_open { OPEN_NONE, OPEN_OBJECT, OPEN_CHANNELS, OPEN_CHANNEL, OPEN_REASONS };

/* A line under construction, and the present group of members. */
struct counted_line {
	struct strbuf *out;
	struct json json;
	enum counted_open open;
	unsigned depth; /* of groups */
	char group[COUNTED_DEPTH][COUNTED_KEY];
};

/* counted_kinds - the kinds of blocks of the reply to @ask; 0: none. */
static uint64_t
counted_kinds(enum ask ask)
{
	switch (ask) {
	case ASK_STATUS:
		return KIND_BIT(STATUS);
	case ASK_HEALTH:
		return KIND_BIT(PROBLEM) | KIND_BIT(SESSIONS) | KIND_BIT(LOG);
	case ASK_TABLES:
		return KIND_BIT(TABLE);
	case ASK_THREADS:
		return KIND_BIT(THREAD);
	case ASK_MEMORY:
		return KIND_BIT(MEMORY);
	case ASK_PROTOCOLS:
		return KIND_BIT(PROTOCOL) | KIND_BIT(CHANNEL) | KIND_BIT(REASONS);
	case ASK_MEMBERS:
		return KIND_BIT(MEMBER) | KIND_BIT(MEMBERS);
	default:
		return 0;
	}
}

/* counted_leave - close the groups beyond @depth. */
static void
counted_leave(struct counted_line *l, unsigned depth)
{
	for (; l->depth > depth; l->depth--)
		json_close(&l->json);
}

/* counted_key - open the groups of @path. Returns: the last part of the path. */
static const char *
counted_key(struct counted_line *l, const char *path)
{
	const char *dot;
	unsigned d = 0;

	for (; (dot = strchr(path, '.')); d++, path = dot + 1) {
		size_t len = (size_t)(dot - path);

		if (d < l->depth &&
		    (strlen(l->group[d]) != len || memcmp(l->group[d], path, len) != 0))
			counted_leave(l, d);
		if (d < l->depth)
			continue;
		ASSERT(d < COUNTED_DEPTH && len < COUNTED_KEY);
		memcpy(l->group[d], path, len);
		l->group[d][len] = 0;
		json_open(&l->json, l->group[d]);
		l->depth++;
	}
	counted_leave(l, d);
	return path;
}

/* counted_list - the list whose first item is value @k of @c, in row @r. Returns: items
 * behind the first. */
static uint32_t
counted_list(struct counted_line *l, const struct count_copy *c, uint32_t k,
    const struct counters_row *r)
{
	uint32_t cnt = 1, rows = (uint32_t)(counters_values + COUNTERS_VALUE_CNT - r);

	while (cnt < rows && k + cnt < c->cnt && r[cnt].form == COUNTERS_LIST &&
	       !strcmp(r[cnt].path, r->path))
		cnt++;
	if (c->value[k] == COUNT_NONE)
		return cnt - 1;
	json_list(&l->json, counted_key(l, r->path));
	for (uint32_t i = 0; i < cnt; i++)
		json_u64(&l->json, NULL, c->value[k + i]);
	json_close(&l->json);
	return cnt - 1;
}

/* counted_members - the texts and values of @c. */
static void
counted_members(struct counted_line *l, const struct count_copy *c)
{
	uint32_t i = counters_first(counters_texts, COUNTERS_TEXT_CNT, c->kind), pos = 0;
	const char *s;

	if (*c->name)
		json_str(&l->json, "name", c->name);
	for (; i < COUNTERS_TEXT_CNT && counters_texts[i].kind == c->kind &&
	       (s = count_copy_next(c, &pos));
	     i++)
		if (*s)
			json_str(&l->json, counted_key(l, counters_texts[i].path), s);
	i = counters_first(counters_values, COUNTERS_VALUE_CNT, c->kind);
	for (uint32_t k = 0; k < c->cnt && i + k < COUNTERS_VALUE_CNT &&
			     counters_values[i + k].kind == c->kind;
	     k++) {
		const struct counters_row *r = &counters_values[i + k];

		if (r->form == COUNTERS_LIST) {
			k += counted_list(l, c, k, r);
			continue;
		}
		if (c->value[k] == COUNT_NONE)
			continue;
		if (r->form == COUNTERS_BOOL)
			json_bool(&l->json, counted_key(l, r->path), c->value[k]);
		else if (r->form == COUNTERS_SECONDS)
			json_seconds(&l->json, counted_key(l, r->path), c->value[k]);
		else
			json_u64(&l->json, counted_key(l, r->path), c->value[k]);
	}
	counted_leave(l, 0);
}

/* counted_close - close what is open beyond @open. */
static void
counted_close(struct counted_line *l, enum counted_open open)
{
	for (; l->open > open; l->open--)
		json_close(&l->json);
	if (!open && l->json.out) {
		strbuf_addc(l->out, '\n');
		l->json.out = NULL;
	}
}

static void
counted_reasons(struct counted_line *l, const struct count_copy *c)
{
	uint32_t pos = 0;
	const char *key;

	if (l->open < OPEN_CHANNEL)
		return;
	if (l->open == OPEN_CHANNEL)
		json_open(&l->json, "reasons");
	l->open = OPEN_REASONS;
	for (uint32_t i = 0; i < c->cnt && (key = count_copy_next(c, &pos)); i++)
		if (strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(key))
			json_u64(&l->json, key, c->value[i]);
}

static void
counted_channel(struct counted_line *l, const struct count_copy *c)
{
	if (l->open == OPEN_NONE)
		return;
	counted_close(l, OPEN_CHANNELS);
	if (l->open == OPEN_OBJECT)
		json_list(&l->json, "channels");
	json_open(&l->json, NULL);
	l->open = OPEN_CHANNEL;
	counted_members(l, c);
}

static void
counted_block(struct counted_line *l, const struct count_copy *c)
{
	if (c->kind == COUNTERS_REASONS) {
		counted_reasons(l, c);
		return;
	}
	if (c->kind == COUNTERS_CHANNEL) {
		counted_channel(l, c);
		return;
	}
	counted_close(l, OPEN_NONE);
	json_init(&l->json, l->out);
	json_open(&l->json, NULL);
	l->open = OPEN_OBJECT;
	json_str(&l->json, "type", counters_type(c->kind));
	counted_members(l, c);
}

bool
counted_text_add(const void *memory, size_t len, enum ask ask, struct strbuf *out)
{
	uint64_t kinds = counted_kinds(ask);
	uint64_t layout = count_page_head(memory, COUNT_HEAD_LAYOUT);
	uint64_t has = count_page_head(memory, COUNT_HEAD_KINDS);
	int64_t cnt = count_page_check(memory, len);
	struct counted_line l = { .out = out };
	struct count_copy c;

	if (cnt < 0 || (layout & 1) || !kinds || (kinds & ~has) ||
	    count_page_head(memory, COUNT_HEAD_MISSED))
		return false;
	for (uint32_t i = 0; i < (uint64_t)cnt; i++) {
		uint64_t kind = count_block_kind(memory, i);

		if (kind >= 64 || !(kinds >> kind & 1))
			continue;
		if (!count_block_read(&c, memory, i) || c.kind != kind)
			return false;
		counted_block(&l, &c);
	}
	counted_close(&l, OPEN_NONE);
	strbuf_adds(out, "{\"type\":\"summary\",\"code\":0,\"message\":\"\"}\n");
	return count_page_head(memory, COUNT_HEAD_LAYOUT) == layout;
}
