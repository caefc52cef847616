/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A walk over the tokens of a configuration.
 *
 * I1  In doubt a text is a secret: the value of an option may have errors, and a value
 *     without quotes takes the rest of the line and, without a `;`, also the next lines.
 * I2  Both passes take the same steps, so that definition number n of the first pass is
 *     definition number n of the second pass.
 *
 * Loop: the only thread of ternc. Tested by test/unit/test_client_conf_scan.c. */
#include "client/conf_scan.h"

#include "client/masks.h"
#include "lib/base/secret.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum conf_place {
	PLACE_STATEMENT, /* outside of the other places */
	PLACE_DEFINE, /* behind `define` */
	PLACE_DEFINED, /* the value of a definition */
	PLACE_SECRET, /* behind the word of an option with a secret */
	PLACE_VALUE, /* within the value of such an option, up to `;` or a brace */
	PLACE_UNQUOTED, /* within a value without quotes (I1) */
	PLACE_LOG, /* behind `log` */
	PLACE_NO_SECRET, /* the rest of a statement without secrets */
};

/* A text in quotes, or a name, in a definition. */
struct conf_item {
	bool is_name;
	char *text; /* MEM_OTHER */
};

struct conf_define {
	char *name; /* MEM_OTHER */
	bool secret;
	uint32_t item, item_cnt; /* of conf_scan.item */
};

struct conf_names {
	char **at; /* MEM_OTHER */
	uint32_t cnt, cap;
};

/* owner: the caller of conf_scan_new; lives: until conf_scan_free. */
struct conf_scan {
	struct mask *mask;
	struct conf_define *define;
	struct conf_item *item;
	uint32_t define_cnt, define_cap, item_cnt, item_cap;
	struct conf_names secret; /* names within the values of secret options */
	struct conf_names log;
	/* the position */
	enum conf_place place;
	bool writing; /* the second pass */
	bool start; /* a statement may begin */
	bool path; /* behind `private` or `public`: a key names a file */
	bool comment; /* within a comment of several lines */
	bool comment_secret; /* the rest of the comment may be a secret */
	bool unquoted_end; /* PLACE_UNQUOTED: a `;` was seen */
	uint32_t define_at; /* definitions before the position */
};

struct conf_scan *
conf_scan_new(struct mask *m)
{
	struct conf_scan *s = mem_zalloc(MEM_OTHER, sizeof(*s));

	s->mask = m;
	return s;
}

static void
scan_names_fini(struct conf_names *n)
{
	while (n->cnt)
		mem_free(MEM_OTHER, n->at[--n->cnt]);
	mem_free(MEM_OTHER, n->at);
}

void
conf_scan_free(struct conf_scan *s)
{
	while (s->item_cnt)
		mem_free(MEM_OTHER, s->item[--s->item_cnt].text);
	while (s->define_cnt)
		mem_free(MEM_OTHER, s->define[--s->define_cnt].name);
	mem_free(MEM_OTHER, s->item);
	mem_free(MEM_OTHER, s->define);
	scan_names_fini(&s->secret);
	scan_names_fini(&s->log);
	mem_free(MEM_OTHER, s);
}

bool
conf_scan_in_comment(const struct conf_scan *s)
{
	return s->comment;
}

/* --- Tokens --- */

static OWNED char *
scan_token_text(const char *p, size_t len)
{
	char *to = mem_alloc(MEM_OTHER, len + 1);

	memcpy(to, p, len);
	to[len] = 0;
	return to;
}

/* scan_token_inner - step over the quotes of a token. */
static void
scan_token_inner(const char **p, size_t *len)
{
	char quote = **p;

	if (quote != '"' && quote != '\'')
		return;
	++*p;
	--*len;
	if (*len && (*p)[*len - 1] == quote)
		--*len;
}

static bool
scan_token_is_name(const char *p)
{
	return isalpha((unsigned char)*p) || *p == '_' || *p == '\'';
}

static bool
scan_token_is(const char *p, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(p, word, len);
}

/* scan_token_next - the first octet behind @p that is no blank; 0: the line ends. */
static char
scan_token_next(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p < end ? *p : 0;
}

static void
scan_names_add(struct conf_names *n, const char *p, size_t len)
{
	scan_token_inner(&p, &len);
	n->at = vec_room(MEM_OTHER, n->at, &n->cap, n->cnt + 1, sizeof(*n->at));
	n->at[n->cnt++] = scan_token_text(p, len);
}

/* --- Definitions --- */

/* scan_define_find - a definition before the position with the name; NULL: none. */
static const struct conf_define *
scan_define_find(const struct conf_scan *s, const char *p, size_t len)
{
	scan_token_inner(&p, &len);
	for (uint32_t i = 0; i < s->define_at; i++)
		if (scan_token_is(p, len, s->define[i].name))
			return &s->define[i];
	return NULL;
}

static void
scan_define_begin(struct conf_scan *s, const char *p, size_t len)
{
	struct conf_define *d;

	s->place = PLACE_DEFINED;
	if (s->define_at++ < s->define_cnt)
		return; /* the second pass */
	scan_token_inner(&p, &len);
	s->define = vec_room(
	    MEM_OTHER, s->define, &s->define_cap, s->define_cnt + 1, sizeof(*s->define));
	d = &s->define[s->define_cnt++];
	*d = (struct conf_define){ .name = scan_token_text(p, len), .item = s->item_cnt };
}

static void
scan_define_add(struct conf_scan *s, const char *p, size_t len)
{
	struct conf_item item = { .is_name = scan_token_is_name(p) };

	if (s->writing || (!item.is_name && *p != '"'))
		return;
	scan_token_inner(&p, &len);
	item.text = scan_token_text(p, len);
	s->item = vec_room(
	    MEM_OTHER, s->item, &s->item_cap, s->item_cnt + 1, sizeof(*s->item));
	s->item[s->item_cnt++] = item;
	s->define[s->define_at - 1].item_cnt++;
}

/* scan_define_hide - @d holds a secret, and so do the constants in @d. */
static void
scan_define_hide(struct conf_scan *s, struct conf_define *d)
{
	d->secret = true;
	for (uint32_t i = d->item; i < d->item + d->item_cnt; i++) {
		const char *text = s->item[i].text;

		if (s->item[i].is_name)
			scan_names_add(&s->secret, text, strlen(text));
		else
			mask_add(s->mask, text, strlen(text));
	}
}

void
conf_scan_ready(struct conf_scan *s)
{
	for (uint32_t i = 0; i < s->secret.cnt; i++) { /* grows meanwhile */
		const char *name = s->secret.at[i];

		for (uint32_t k = 0; k < s->define_cnt; k++)
			if (!s->define[k].secret && !strcmp(s->define[k].name, name))
				scan_define_hide(s, &s->define[k]);
	}
	s->place = PLACE_STATEMENT;
	s->start = s->comment = s->comment_secret = false;
	s->define_at = 0;
	s->writing = true;
}

/* --- Places --- */

static void
scan_place_statement(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	bool key = !strncasecmp(p, "key", 3);

	if (s->start && scan_token_is(p, len, "define"))
		s->place = PLACE_DEFINE;
	else if (s->start && scan_token_is(p, len, "log"))
		s->place = PLACE_LOG;
	else if (s->start
		     ? secret_option(p, len)
		     : secret_word(p, len) &&
			   (!key || (!s->path && scan_token_next(p + len, end) == '"')))
		s->place = PLACE_SECRET;
	s->path = scan_token_is(p, len, "private") || scan_token_is(p, len, "public");
	s->start = len == 1 && strchr(";{}", *p);
}

/* scan_place_secret_add - learn the values and the names in a token of a secret. */
static void
scan_place_secret_add(struct conf_scan *s, const char *p, size_t len)
{
	if (s->writing)
		return;
	if (scan_token_is_name(p))
		scan_names_add(&s->secret, p, len);
	if (*p == '"' || *p == '\'') {
		scan_token_inner(&p, &len);
		mask_add(s->mask, p, len);
	}
}

/* scan_place_unquoted - a value without quotes begins at @p. */
static bool
scan_place_unquoted(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	char next = scan_token_next(p + len, end);
	size_t value = 0;

	scan_place_secret_add(s, p, len);
	if (scan_token_is_name(p) && next && strchr(";{}", next) &&
	    scan_define_find(s, p, len)) { /* the name of a constant is no secret */
		s->place = PLACE_NO_SECRET;
		return false;
	}
	s->place = PLACE_UNQUOTED;
	s->unquoted_end = false;
	while (p + value < end && p[value] != ';' && !isspace((unsigned char)p[value]))
		value++;
	mask_add(s->mask, p, value);
	return true;
}

/* scan_place_secret - the first token of a value. */
static bool
scan_place_secret(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	if (*p == '=')
		return false;
	if (scan_token_is(p, len, "file") && scan_token_next(p + len, end) == '"') {
		s->place = PLACE_NO_SECRET;
		return false;
	}
	if (*p != '"')
		return scan_place_unquoted(s, p, len, end);
	s->place = PLACE_VALUE;
	scan_place_secret_add(s, p, len);
	return true;
}

static void
scan_place_log(struct conf_scan *s, const char *p, size_t len)
{
	const struct conf_define *d = NULL;

	if (scan_token_is(p, len, "syslog") || scan_token_is(p, len, "stderr") ||
	    scan_token_is(p, len, "udp") || scan_token_is(p, len, "all"))
		s->place = PLACE_NO_SECRET;
	else if (scan_token_is_name(p))
		d = scan_define_find(s, p, len);
	if (s->writing)
		return;
	if (*p == '"')
		scan_names_add(&s->log, p, len);
	else if (d && d->item_cnt == 1 && !s->item[d->item].is_name)
		scan_names_add(
		    &s->log, s->item[d->item].text, strlen(s->item[d->item].text));
}

/* scan_is_hidden - is the position within a part that is a secret? */
static bool
scan_is_hidden(const struct conf_scan *s)
{
	return s->place == PLACE_VALUE || s->place == PLACE_UNQUOTED ||
	       (s->place == PLACE_DEFINED && s->writing &&
		   s->define[s->define_at - 1].secret);
}

/* scan_place_step - read a token that is neither blank nor comment. Returns: true: the
 * token is a part of a secret. */
static bool
scan_place_step(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	bool ends = *p == ';' || *p == '{' || *p == '}';

	if (s->place == PLACE_UNQUOTED) {
		s->unquoted_end |= *p == ';';
		if (!s->unquoted_end)
			scan_place_secret_add(s, p, len);
		return true;
	}
	if (ends && (s->place != PLACE_DEFINED || *p == ';') &&
	    s->place != PLACE_STATEMENT) {
		s->place = PLACE_STATEMENT;
		s->start = true;
		return false;
	}
	switch (s->place) {
	case PLACE_STATEMENT:
		scan_place_statement(s, p, len, end);
		return false;
	case PLACE_DEFINE:
		scan_define_begin(s, p, len);
		return false;
	case PLACE_DEFINED:
		scan_define_add(s, p, len);
		return scan_is_hidden(s) && *p != '=';
	case PLACE_SECRET:
		return scan_place_secret(s, p, len, end);
	case PLACE_VALUE:
		scan_place_secret_add(s, p, len);
		return true;
	case PLACE_LOG:
		scan_place_log(s, p, len);
		return false;
	default:
		return false;
	}
}

/* --- Lines --- */

/* Where a line is written. Owner: scan_line. Life: on the stack. */
struct line_out {
	struct strbuf *to; /* NULL: nowhere */
	bool masked; /* the last part was hidden */
};

static void
scan_line_put(struct line_out *o, bool hide, const char *p, size_t len)
{
	if (o->to && hide && !o->masked)
		strbuf_adds(o->to, SECRET_MASK);
	else if (o->to && !hide)
		strbuf_add(o->to, p, len);
	o->masked = hide;
}

/* scan_line_comment - a comment, or the part of a comment on this line. Behind the word
 * of an option the comment is hidden; if the word ends the line, so is the next comment.
 */
static void
scan_line_comment(
    struct conf_scan *s, struct line_out *o, const char *p, size_t len, bool block)
{
	size_t body = block && !s->comment ? len - 2 : len; /* without the end */
	const char *end = s->comment_secret ? p : secret_end(p, body);
	size_t shown = end ? (size_t)(end - p) : body;
	bool hide;

	if (scan_is_hidden(s)) {
		scan_line_put(o, true, p, len);
		return;
	}
	if (end == p && *p == '#')
		shown = 1;
	while (shown < body && isspace((unsigned char)p[shown]))
		shown++;
	hide = shown < body;
	scan_line_put(o, false, p, shown);
	if (hide)
		scan_line_put(o, true, p + shown, body - shown);
	if (hide && body < len)
		scan_line_put(o, false, " ", 1);
	scan_line_put(o, false, p + body, len - body);
	s->comment_secret = end && (s->comment || !hide);
}

/* scan_open - the rest of a comment that began on an earlier line. Returns: where the
 * comment ends. */
static const char *
scan_open(struct conf_scan *s, struct line_out *o, const char *p, size_t len)
{
	const char *close = memmem(p, len, "*/", 2), *end = close ? close + 2 : p + len;

	s->comment = !close;
	scan_line_comment(s, o, p, (size_t)(end - p), true);
	return end;
}

static void
scan_line(struct conf_scan *s, struct strbuf *out, const char *line, size_t len)
{
	const char *p = line, *end = line + len;
	struct line_out o = { .to = out };
	size_t n;

	if (s->comment)
		p = scan_open(s, &o, p, len);
	if (s->place == PLACE_STATEMENT)
		s->start = true;
	for (; p < end; p += n) {
		bool block = *p == '/' && p + 1 < end && p[1] == '*';

		n = secret_token(p, end);
		if (block)
			s->comment = n < 4 || memcmp(p + n - 2, "*/", 2) != 0;
		if (block || *p == '#')
			scan_line_comment(s, &o, p, n, block);
		else if (isspace((unsigned char)*p))
			scan_line_put(&o, o.masked && scan_is_hidden(s), p, n);
		else {
			s->comment_secret = false;
			scan_line_put(&o, scan_place_step(s, p, n, end), p, n);
		}
	}
	if (s->place == PLACE_UNQUOTED && s->unquoted_end)
		s->place = PLACE_STATEMENT;
}

void
conf_scan_learn(struct conf_scan *s, const char *line, size_t len)
{
	scan_line(s, NULL, line, len);
}

void
conf_scan_write(struct conf_scan *s, struct strbuf *out, const char *line, size_t len)
{
	scan_line(s, out, line, len);
}

const char *
conf_scan_log(const struct conf_scan *s, unsigned i)
{
	return i < s->log.cnt ? s->log.at[i] : NULL;
}
