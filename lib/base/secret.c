/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets in texts. Tested by test/unit/test_secret.c.
 *
 * I1  A text without quotes behind `password` is an error of the configuration, and may
 *     be a secret with any character, also with a `;`. The part therefore ends with the
 *     line.
 * I2  The word of an option may stand at any place of a line: a `;` may be missing before
 *     the word. There a text in quotes behind the word is hidden; behind `password` and
 *     `secret`, so is a value without quotes.
 *
 * Any thread; no state but the caller's. */
#include "lib/base/secret.h"

#include "lib/base/spell.h"
#include "lib/base/strbuf.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define HIDE_MIN 4 /* octets of a number without quotes that secret_hide compares */

bool
secret_word(const char *word, size_t len)
{
	static const char *const name[] = { "password", "passwords", "secret", "key",
		"keys" };

	for (unsigned i = 0; i < ARRAY_LEN(name); i++)
		if (len == strlen(name[i]) && !strncasecmp(word, name[i], len))
			return true;
	return false;
}

static bool
secret_is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t
secret_word_len(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && secret_is_word_char(*q))
		q++;
	return (size_t)(q - p);
}

const char *
secret_end(const char *text, size_t len)
{
	static const char around[] = " \t\r\n\"'{};,=:";
	const char *end = text + len;
	size_t n;

	for (const char *p = text; p < end; p += n ? n : 1) {
		n = secret_word_len(p, end);
		if (n && secret_word(p, n) && (p == text || strchr(around, p[-1])) &&
		    (p + n == end || strchr(around, p[n])))
			return p + n;
	}
	return NULL;
}

bool
secret_option(const char *word, size_t len)
{
	char low[SPELL_WORD_MAX + 1];

	if (secret_word(word, len))
		return true;
	/* The distance is at least the difference of the lengths. */
	if (len < strlen("secret") - 1 || len > strlen("password") + 2)
		return false;
	for (size_t i = 0; i < len; i++)
		low[i] = (char)tolower((unsigned char)word[i]);
	low[len] = 0;
	return spell_distance(low, "password") <= 2 || spell_distance(low, "secret") <= 1;
}

/* The state of secret_split. Owner: its caller. Life: on the stack. */
struct splitter {
	const char *p, *end;
	bool start; /* a statement may begin */
	bool secret; /* behind the word of an option with a secret */
	bool valued; /* the value has begun */
	bool unquoted; /* the value has no quotes (I1) */
	bool define; /* behind `define`: a text may become a secret later */
	bool path; /* behind `private` or `public`: a key names a file */
	enum secret_near near;
};

size_t
secret_token(const char *p, const char *end)
{
	const char *q;
	size_t rest = (size_t)(end - p);

	if (*p == '#')
		return rest;
	if (*p == '/' && rest > 1 && p[1] == '*') {
		q = memmem(p + 2, rest - 2, "*/", 2);
		return q ? (size_t)(q - p) + 2 : rest;
	}
	if (*p == '"' || *p == '\'') {
		q = memchr(p + 1, *p, rest - 1);
		return q ? (size_t)(q - p) + 1 : rest;
	}
	return secret_is_word_char(*p) ? secret_word_len(p, end) : 1;
}

static bool
secret_is_blank_token(const char *p, size_t len)
{
	return *p == ' ' || *p == '\t' || *p == '\r' || *p == '#' ||
	       (*p == '/' && len > 1);
}

/* secret_has - does the word contain `passw` or `secret`? */
static bool
secret_has(const char *word, size_t len)
{
	for (size_t i = 0; i + 5 < len; i++)
		if (!strncasecmp(word + i, "passw", 5) ||
		    !strncasecmp(word + i, "secret", 6))
			return true;
	return false;
}

/* secret_near_of - the meaning of the word or text at @p for the next token (I2). */
static enum secret_near
secret_near_of(const struct splitter *s, const char *p, size_t len)
{
	const char *end;
	bool key;

	if (*p == '"' || *p == '\'') {
		end = len > 2 ? secret_end(p + 1, len - 2) : NULL;
		while (end && end < p + len - 1 && strchr(" \t=:", *end))
			end++;
		return end == p + len - 1 ? SECRET_NEAR_ALL : SECRET_NEAR_NONE;
	}
	key = len >= 3 && !strncasecmp(p, "key", 3);
	if (!secret_is_word_char(*p) || (s->path && key))
		return SECRET_NEAR_NONE;
	if (secret_word(p, len) && !key)
		return SECRET_NEAR_ALL;
	return secret_option(p, len) || secret_has(p, len) ? SECRET_NEAR_TEXT
							   : SECRET_NEAR_NONE;
}

/* secret_begin - the token follows a word with secret_near_of. Returns: true: the token
 * begins a value (I2). */
static bool
secret_begin(struct splitter *s, const char *p)
{
	bool quoted = *p == '"' || *p == '\'';

	if (*p == '=' || *p == ':')
		return false;
	s->secret = quoted || (s->near == SECRET_NEAR_ALL && secret_is_word_char(*p));
	s->near = SECRET_NEAR_NONE;
	return s->secret;
}

/* secret_value - a token behind the word of an option. Returns: as secret_step. */
static bool
secret_value(struct splitter *s, const char *p, size_t len)
{
	if (secret_is_blank_token(p, len))
		return s->valued;
	if (!s->valued)
		s->unquoted = *p != '"' && *p != '=' &&
			      !(len == 4 && !memcmp(p, "file", 4));
	s->valued = true;
	return true;
}

/* secret_step - read the token of @len octets. Returns: true: the token is a part of a
 * secret. */
static bool
secret_step(struct splitter *s, size_t len)
{
	const char *p = s->p;

	if (len == 1 && strchr(";{}", *p) && !s->unquoted) {
		s->secret = s->valued = s->define = s->path = false;
		s->near = SECRET_NEAR_NONE;
		s->start = true;
		return false;
	}
	if (s->secret)
		return secret_value(s, p, len);
	if (s->define && *p == '"')
		return true;
	if (secret_is_blank_token(p, len))
		return false;
	if (s->near && secret_begin(s, p))
		return secret_value(s, p, len);
	s->define |= s->start && len == 6 && !memcmp(p, "define", 6);
	s->secret = s->start && secret_is_word_char(*p) && secret_option(p, len);
	if (!s->secret && !s->define && *p != '=' && *p != ':')
		s->near = secret_near_of(s, p, len);
	s->path = (len == 7 && !memcmp(p, "private", 7)) ||
		  (len == 6 && !memcmp(p, "public", 6));
	s->start = false;
	return false;
}

/* secret_comment - octets of the comment at @p that are shown: up to the word of an
 * option and the blanks behind the word. */
static size_t
secret_comment(const char *p, size_t len)
{
	const char *end = secret_end(p, len);
	size_t shown = end ? (size_t)(end - p) : len;

	while (shown < len && isspace((unsigned char)p[shown]))
		shown++;
	return shown;
}

/* Where secret_split writes. Owner: secret_split. Life: on the stack. */
struct split_out {
	struct strbuf *shown, *hidden;
	size_t at, want, col; /* octets of the line so far; secret_split's @col */
	bool masked; /* the last part was hidden */
};

static void
secret_split_put(struct split_out *o, bool hide, const char *p, size_t len)
{
	if (hide && !o->masked)
		strbuf_adds(o->shown, SECRET_MASK);
	if (o->want >= o->at && o->want < o->at + len)
		o->col = hide ? o->shown->len - strlen(SECRET_MASK)
			      : o->shown->len + (o->want - o->at);
	strbuf_add(hide ? o->hidden : o->shown, p, len);
	o->masked = hide;
	o->at += len;
}

void
secret_split(struct strbuf *shown, struct strbuf *hidden, const char *line, size_t len,
    size_t *col, struct secret_open *open)
{
	struct splitter s = { .p = line,
		.end = line + len,
		.start = !open->secret && !open->define,
		.secret = open->secret,
		.define = open->define,
		.near = open->near };
	struct split_out o = { .shown = shown, .hidden = hidden, .want = *col };
	size_t n, part;

	for (; s.p < s.end; s.p += n) {
		n = secret_token(s.p, s.end);
		if (!s.secret && (*s.p == '#' || (*s.p == '/' && n > 1))) {
			part = secret_comment(s.p, n);
			secret_split_put(&o, false, s.p, part);
			if (part < n)
				secret_split_put(&o, true, s.p + part, n - part);
		} else {
			secret_split_put(&o, secret_step(&s, n), s.p, n);
		}
	}
	*col = o.want >= len ? shown->len : o.col;
	if (hidden->len)
		strbuf_addc(hidden, '\n');
	*open = (struct secret_open){ s.secret && !s.unquoted, s.define, s.near };
}

static bool
secret_occurs(const struct strbuf *hidden, const char *p, size_t len)
{
	return memmem(hidden->s, hidden->len, p, len) != NULL;
}

/* secret_quoted_len - octets inside the quotes at @p, if they hold a letter or a digit;
 * else 0. */
static size_t
secret_quoted_len(const char *p)
{
	const char *end = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;

	for (const char *q = p + 1; end && q < end; q++)
		if (isalnum((unsigned char)*q))
			return (size_t)(end - p) - 1;
	return 0;
}

/* secret_number_len - octets of the word at @p if the word has a digit, as numbers and
 * addresses have; messages have quotes around other words of a file. */
static size_t
secret_number_len(const char *p)
{
	size_t len = strcspn(p, " \"',;");

	return strcspn(p, "0123456789") < len ? len : 0;
}

void
secret_hide(struct strbuf *out, const char *text, const struct strbuf *hidden)
{
	for (const char *p = text; *p;) {
		size_t len = secret_quoted_len(p);

		if (len && secret_occurs(hidden, p + 1, len)) {
			strbuf_addf(out, "%c" SECRET_MASK "%c", *p, *p);
			p += len + 2;
			continue;
		}
		len = secret_number_len(p);
		if (len >= HIDE_MIN && secret_occurs(hidden, p, len)) {
			strbuf_adds(out, SECRET_MASK);
		} else {
			len = max_u64(strcspn(p, " \"',;"), 1);
			strbuf_add(out, p, len);
		}
		p += len;
	}
}
