/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of the state file: kept in a list, printed and parsed. A search reads all
 * records, because a file has few records.
 *
 * All functions run in the thread of the struct's owner. Tested by
 * test/unit/test_state.c. */
#include "nest/daemon/state.h"

#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "tern state "

static void
state_rec_free(struct state_rec *r)
{
	for (uint32_t i = 0; i < r->field_cnt; i++) {
		mem_free(MEM_CONFIG, r->field[i].key);
		mem_free(MEM_CONFIG, r->field[i].value);
	}
	mem_free(MEM_CONFIG, r->field);
	mem_free(MEM_CONFIG, r->kind);
	mem_free(MEM_CONFIG, r->name);
}

void
state_init(struct state *s)
{
	*s = (struct state){ 0 };
}

void
state_fini(struct state *s)
{
	for (uint32_t i = 0; i < s->cnt; i++)
		state_rec_free(&s->rec[i]);
	mem_free(MEM_CONFIG, s->rec);
	state_init(s);
}

struct state_rec *
state_find(const struct state *s, const char *kind, const char *name)
{
	for (uint32_t i = 0; i < s->cnt; i++)
		if (!strcmp(s->rec[i].kind, kind) && !strcmp(s->rec[i].name, name))
			return &s->rec[i];
	return NULL;
}

struct state_rec *
state_add(struct state *s, const char *kind, const char *name)
{
	struct state_rec *r = state_find(s, kind, name);

	if (r)
		return r;
	s->rec = vec_room(MEM_CONFIG, s->rec, &s->cap, s->cnt + 1, sizeof(*s->rec));
	r = &s->rec[s->cnt++];
	*r = (struct state_rec){ .kind = mem_strdup(MEM_CONFIG, kind),
		.name = mem_strdup(MEM_CONFIG, name) };
	return r;
}

bool
state_drop(struct state *s, const char *kind, const char *name)
{
	struct state_rec *r = state_find(s, kind, name);

	if (!r)
		return false;
	state_rec_free(r);
	s->cnt--;
	memmove(r, r + 1, (size_t)(s->rec + s->cnt - r) * sizeof(*r));
	return true;
}

static struct state_field *
state_field_of(const struct state_rec *r, const char *key)
{
	for (uint32_t i = 0; i < r->field_cnt; i++)
		if (!strcmp(r->field[i].key, key))
			return &r->field[i];
	return NULL;
}

const char *
state_get(const struct state_rec *r, const char *key)
{
	const struct state_field *f = state_field_of(r, key);

	return f ? f->value : NULL;
}

void
state_set(struct state_rec *r, const char *key, const char *value)
{
	struct state_field *f = state_field_of(r, key);

	if (!f && !value)
		return;
	if (!value) {
		mem_free(MEM_CONFIG, f->key);
		mem_free(MEM_CONFIG, f->value);
		*f = r->field[--r->field_cnt];
		return;
	}
	if (!f) {
		r->field = vec_room(MEM_CONFIG, r->field, &r->field_cap, r->field_cnt + 1,
		    sizeof(*r->field));
		f = &r->field[r->field_cnt++];
		*f = (struct state_field){ .key = mem_strdup(MEM_CONFIG, key) };
	}
	mem_free(MEM_CONFIG, f->value);
	f->value = mem_strdup(MEM_CONFIG, value);
}

/* ---- printing ---- */

static void
state_quote(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_addc(out, '\\');
		if (*text == '\n')
			strbuf_adds(out, "\\n");
		else
			strbuf_addc(out, *text);
	}
	strbuf_addc(out, '"');
}

void
state_print(const struct state *s, struct strbuf *out)
{
	strbuf_addf(out, HEAD "%u\n", STATE_VERSION);
	for (uint32_t i = 0; i < s->cnt; i++) {
		const struct state_rec *r = &s->rec[i];

		strbuf_addf(out, "%s ", r->kind);
		state_quote(out, r->name);
		for (uint32_t k = 0; k < r->field_cnt; k++) {
			strbuf_addf(out, " %s=", r->field[k].key);
			state_quote(out, r->field[k].value);
		}
		strbuf_addc(out, '\n');
	}
	strbuf_addf(out, "end %u\n", s->cnt);
}

/* ---- parsing ---- */

/* An unread line; @p moves to @end. */
struct state_line {
	const char *p, *end;
};

/* state_take_key - read a kind or a key into @b, replacing its contents. */
static bool
state_take_key(struct state_line *l, struct strbuf *b)
{
	strbuf_reset(b);
	for (; l->p < l->end; l->p++) {
		char c = *l->p;

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_')
			break;
		strbuf_addc(b, c);
	}
	return b->len > 0;
}

static bool
state_take_char(struct state_line *l, char c)
{
	if (l->p == l->end || *l->p != c)
		return false;
	l->p++;
	return true;
}

/* state_take_quoted - read a quoted text into @b, replacing its contents. */
static bool
state_take_quoted(struct state_line *l, struct strbuf *b)
{
	strbuf_reset(b);
	if (!state_take_char(l, '"'))
		return false;
	for (; l->p < l->end && *l->p != '"'; l->p++) {
		char c = *l->p;

		if (c == '\\') {
			if (++l->p == l->end || !strchr("\"\\n", *l->p))
				return false;
			c = *l->p == 'n' ? '\n' : *l->p;
		}
		if (!c)
			return false;
		strbuf_addc(b, c);
	}
	return state_take_char(l, '"');
}

/* state_parse_rec - Returns: NULL, or the error. */
static const char *
state_parse_rec(struct state *s, struct state_line *l)
{
	struct strbuf kind, text;
	struct state_rec *r = NULL;
	const char *why = NULL;

	strbuf_init(&kind);
	strbuf_init(&text);
	if (!state_take_key(l, &kind) || !state_take_char(l, ' ') ||
	    !state_take_quoted(l, &text))
		why = "a record is a kind, a name in quotes and fields";
	else if (state_find(s, kind.s, text.s))
		why = "a second record of this kind and name";
	else
		r = state_add(s, kind.s, text.s);
	while (!why && l->p < l->end) {
		if (!state_take_char(l, ' ') || !state_take_key(l, &kind) ||
		    !state_take_char(l, '=') || !state_take_quoted(l, &text))
			why = "a field is KEY=\"VALUE\"";
		else
			state_set(r, kind.s, text.s);
	}
	if (why && r)
		state_drop(s, r->kind, r->name);
	strbuf_fini(&kind);
	strbuf_fini(&text);
	return why;
}

/* state_number - all of the line behind @head; -1: the line is another. */
static long
state_number(const struct state_line *l, const char *head)
{
	size_t len = strlen(head);
	char digits[12] = "", *end;
	long v;

	if ((size_t)(l->end - l->p) <= len || memcmp(l->p, head, len) != 0 ||
	    (size_t)(l->end - l->p) - len >= sizeof(digits))
		return -1;
	memcpy(digits, l->p + len, (size_t)(l->end - l->p) - len);
	v = strtol(digits, &end, 10);
	return *end || end == digits || v < 0 ? -1 : v;
}

/* state_next_line - Returns: false: no whole line is left. */
static bool
state_next_line(struct state_line *l, const char **at, const char *end)
{
	const char *nl = memchr(*at, '\n', (size_t)(end - *at));

	if (!nl)
		return false;
	*l = (struct state_line){ *at, nl };
	*at = nl + 1;
	return true;
}

enum state_result
state_parse(
    struct state *s, uint32_t *line, const char **why, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct state_line l;
	long v;

	*line = 1;
	*why = "the first line is not \"tern state VERSION\"";
	if (!state_next_line(&l, &at, end) || (v = state_number(&l, HEAD)) < 1)
		return STATE_BROKEN;
	if (v > STATE_VERSION) {
		*why = "the file is of a later version of tern";
		return STATE_NEWER;
	}
	for (;;) {
		++*line;
		*why = "the file ends early: a line \"end COUNT\" is missing";
		if (!state_next_line(&l, &at, end))
			return STATE_BROKEN;
		v = state_number(&l, "end ");
		if (v >= 0)
			break;
		*why = state_parse_rec(s, &l);
		if (*why)
			return STATE_BROKEN;
	}
	*why = v != (long)s->cnt ? "the last line counts other records"
				 : "text behind the last line";
	return v != (long)s->cnt || at < end ? STATE_BROKEN : STATE_OK;
}
