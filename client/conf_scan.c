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
names_fini(struct conf_names *n)
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
	names_fini(&s->secret);
	names_fini(&s->log);
	mem_free(MEM_OTHER, s);
}

bool
conf_scan_in_comment(const struct conf_scan *s)
{
	return s->comment;
}

/* --- Tokens --- */

static OWNED char *
token_text(const char *p, size_t len)
{
	char *to = mem_alloc(MEM_OTHER, len + 1);

	memcpy(to, p, len);
	to[len] = 0;
	return to;
}

/* token_inner - step over the quotes of a token. */
static void
token_inner(const char **p, size_t *len)
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
token_is_name(const char *p)
{
	return isalpha((unsigned char)*p) || *p == '_' || *p == '\'';
}

static bool
token_is(const char *p, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(p, word, len);
}

/* token_next - the first octet behind @p that is no blank; 0: the line ends. */
static char
token_next(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p < end ? *p : 0;
}

static void
names_add(struct conf_names *n, const char *p, size_t len)
{
	token_inner(&p, &len);
	n->at = vec_room(MEM_OTHER, n->at, &n->cap, n->cnt + 1, sizeof(*n->at));
	n->at[n->cnt++] = token_text(p, len);
}

/* --- Definitions --- */

/* define_find - a definition before the position with the name; NULL: none. */
static const struct conf_define *
define_find(const struct conf_scan *s, const char *p, size_t len)
{
	token_inner(&p, &len);
	for (uint32_t i = 0; i < s->define_at; i++)
		if (token_is(p, len, s->define[i].name))
			return &s->define[i];
	return NULL;
}

static void
define_begin(struct conf_scan *s, const char *p, size_t len)
{
	struct conf_define *d;

	s->place = PLACE_DEFINED;
	if (s->define_at++ < s->define_cnt)
		return; /* the second pass */
	token_inner(&p, &len);
	s->define = vec_room(
	    MEM_OTHER, s->define, &s->define_cap, s->define_cnt + 1, sizeof(*s->define));
	d = &s->define[s->define_cnt++];
	*d = (struct conf_define){ .name = token_text(p, len), .item = s->item_cnt };
}

static void
define_add(struct conf_scan *s, const char *p, size_t len)
{
	struct conf_item item = { .is_name = token_is_name(p) };

	if (s->writing || (!item.is_name && *p != '"'))
		return;
	token_inner(&p, &len);
	item.text = token_text(p, len);
	s->item = vec_room(
	    MEM_OTHER, s->item, &s->item_cap, s->item_cnt + 1, sizeof(*s->item));
	s->item[s->item_cnt++] = item;
	s->define[s->define_at - 1].item_cnt++;
}

/* define_hide - @d holds a secret, and so do the constants in @d. */
static void
define_hide(struct conf_scan *s, struct conf_define *d)
{
	d->secret = true;
	for (uint32_t i = d->item; i < d->item + d->item_cnt; i++) {
		const char *text = s->item[i].text;

		if (s->item[i].is_name)
			names_add(&s->secret, text, strlen(text));
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
				define_hide(s, &s->define[k]);
	}
	s->place = PLACE_STATEMENT;
	s->start = s->comment = s->comment_secret = false;
	s->define_at = 0;
	s->writing = true;
}

/* --- Places --- */

static void
place_statement(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	bool key = !strncasecmp(p, "key", 3);

	if (s->start && token_is(p, len, "define"))
		s->place = PLACE_DEFINE;
	else if (s->start && token_is(p, len, "log"))
		s->place = PLACE_LOG;
	else if (s->start ? secret_option(p, len)
			  : secret_word(p, len) &&
				(!key || (!s->path && token_next(p + len, end) == '"')))
		s->place = PLACE_SECRET;
	s->path = token_is(p, len, "private") || token_is(p, len, "public");
	s->start = len == 1 && strchr(";{}", *p);
}

/* place_secret_add - learn the values and the names in a token of a secret. */
static void
place_secret_add(struct conf_scan *s, const char *p, size_t len)
{
	if (s->writing)
		return;
	if (token_is_name(p))
		names_add(&s->secret, p, len);
	if (*p == '"' || *p == '\'') {
		token_inner(&p, &len);
		mask_add(s->mask, p, len);
	}
}

/* place_unquoted - a value without quotes begins at @p. */
static bool
place_unquoted(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	char next = token_next(p + len, end);
	size_t value = 0;

	place_secret_add(s, p, len);
	if (token_is_name(p) && next && strchr(";{}", next) &&
	    define_find(s, p, len)) { /* the name of a constant is no secret */
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

/* place_secret - the first token of a value. */
static bool
place_secret(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	if (*p == '=')
		return false;
	if (token_is(p, len, "file") && token_next(p + len, end) == '"') {
		s->place = PLACE_NO_SECRET;
		return false;
	}
	if (*p != '"')
		return place_unquoted(s, p, len, end);
	s->place = PLACE_VALUE;
	place_secret_add(s, p, len);
	return true;
}

static void
place_log(struct conf_scan *s, const char *p, size_t len)
{
	const struct conf_define *d = NULL;

	if (token_is(p, len, "syslog") || token_is(p, len, "stderr") ||
	    token_is(p, len, "udp") || token_is(p, len, "all"))
		s->place = PLACE_NO_SECRET;
	else if (token_is_name(p))
		d = define_find(s, p, len);
	if (s->writing)
		return;
	if (*p == '"')
		names_add(&s->log, p, len);
	else if (d && d->item_cnt == 1 && !s->item[d->item].is_name)
		names_add(&s->log, s->item[d->item].text, strlen(s->item[d->item].text));
}

/* is_hidden - is the position within a part that is a secret? */
static bool
is_hidden(const struct conf_scan *s)
{
	return s->place == PLACE_VALUE || s->place == PLACE_UNQUOTED ||
	       (s->place == PLACE_DEFINED && s->writing &&
		   s->define[s->define_at - 1].secret);
}

/* place_step - read a token that is neither blank nor comment. Returns: true: the token
 * is a part of a secret. */
static bool
place_step(struct conf_scan *s, const char *p, size_t len, const char *end)
{
	bool ends = *p == ';' || *p == '{' || *p == '}';

	if (s->place == PLACE_UNQUOTED) {
		s->unquoted_end |= *p == ';';
		if (!s->unquoted_end)
			place_secret_add(s, p, len);
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
		place_statement(s, p, len, end);
		return false;
	case PLACE_DEFINE:
		define_begin(s, p, len);
		return false;
	case PLACE_DEFINED:
		define_add(s, p, len);
		return is_hidden(s) && *p != '=';
	case PLACE_SECRET:
		return place_secret(s, p, len, end);
	case PLACE_VALUE:
		place_secret_add(s, p, len);
		return true;
	case PLACE_LOG:
		place_log(s, p, len);
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
line_put(struct line_out *o, bool hide, const char *p, size_t len)
{
	if (o->to && hide && !o->masked)
		strbuf_adds(o->to, SECRET_MASK);
	else if (o->to && !hide)
		strbuf_add(o->to, p, len);
	o->masked = hide;
}

/* line_comment - a comment, or the part of a comment on this line. Behind the word of an
 * option the comment is hidden; if the word ends the line, so is the next comment. */
static void
line_comment(
    struct conf_scan *s, struct line_out *o, const char *p, size_t len, bool block)
{
	size_t body = block && !s->comment ? len - 2 : len; /* without the end */
	const char *end = s->comment_secret ? p : secret_end(p, body);
	size_t shown = end ? (size_t)(end - p) : body;
	bool hide;

	if (is_hidden(s)) {
		line_put(o, true, p, len);
		return;
	}
	if (end == p && *p == '#')
		shown = 1;
	while (shown < body && isspace((unsigned char)p[shown]))
		shown++;
	hide = shown < body;
	line_put(o, false, p, shown);
	if (hide)
		line_put(o, true, p + shown, body - shown);
	if (hide && body < len)
		line_put(o, false, " ", 1);
	line_put(o, false, p + body, len - body);
	s->comment_secret = end && (s->comment || !hide);
}

/* scan_open - the rest of a comment that began on an earlier line. Returns: where the
 * comment ends. */
static const char *
scan_open(struct conf_scan *s, struct line_out *o, const char *p, size_t len)
{
	const char *close = memmem(p, len, "*/", 2), *end = close ? close + 2 : p + len;

	s->comment = !close;
	line_comment(s, o, p, (size_t)(end - p), true);
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
			line_comment(s, &o, p, n, block);
		else if (isspace((unsigned char)*p))
			line_put(&o, o.masked && is_hidden(s), p, n);
		else {
			s->comment_secret = false;
			line_put(&o, place_step(s, p, n, end), p, n);
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
