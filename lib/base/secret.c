/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets in texts. Tested by test/unit/test_secret.c.
 *
 * I1  A text without quotes behind `password` is an error of the configuration, and may
 *     be a secret with any character, also with a `;`. The part therefore ends with the
 *     line.
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
	if (len > SPELL_WORD_MAX)
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
is_blank_token(const char *p, size_t len)
{
	return *p == ' ' || *p == '\t' || *p == '\r' || *p == '#' ||
	       (*p == '/' && len > 1);
}

/* secret_step - read the token of @len octets. Returns: true: the token is a part of a
 * secret. */
static bool
secret_step(struct splitter *s, size_t len)
{
	const char *p = s->p;

	if (len == 1 && strchr(";{}", *p) && !s->unquoted) {
		s->secret = s->valued = s->define = false;
		s->start = true;
		return false;
	}
	if (s->secret) {
		if (is_blank_token(p, len))
			return s->valued;
		if (!s->valued)
			s->unquoted = *p != '"' && *p != '=' &&
				      !(len == 4 && !memcmp(p, "file", 4));
		s->valued = true;
		return true;
	}
	if (s->define && *p == '"')
		return true;
	if (!is_blank_token(p, len)) {
		s->define |= s->start && len == 6 && !memcmp(p, "define", 6);
		s->secret = s->start && secret_is_word_char(*p) && secret_option(p, len);
		s->start = false;
	}
	return false;
}

void
secret_split(struct strbuf *shown, struct strbuf *hidden, const char *line, size_t len,
    size_t *col, bool *open)
{
	struct splitter s = {
		.p = line, .end = line + len, .start = !*open, .secret = *open
	};
	size_t want = *col, n;
	bool masked = false;

	for (; s.p < s.end; s.p += n) {
		size_t at = (size_t)(s.p - line);
		bool hide;

		n = secret_token(s.p, s.end);
		hide = secret_step(&s, n);
		if (hide && !masked)
			strbuf_adds(shown, SECRET_MASK);
		if (want >= at && want < at + n)
			*col = hide ? shown->len - strlen(SECRET_MASK)
				    : shown->len + (want - at);
		strbuf_add(hide ? hidden : shown, s.p, n);
		masked = hide;
	}
	if (want >= len)
		*col = shown->len;
	if (hidden->len)
		strbuf_addc(hidden, '\n');
	*open = s.secret && !s.unquoted;
}

static bool
secret_occurs(const struct strbuf *hidden, const char *p, size_t len)
{
	return memmem(hidden->s, hidden->len, p, len) != NULL;
}

/* quoted_len - octets inside the quotes at @p, if they hold a letter or a digit; else
 * 0. */
static size_t
quoted_len(const char *p)
{
	const char *end = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;

	for (const char *q = p + 1; end && q < end; q++)
		if (isalnum((unsigned char)*q))
			return (size_t)(end - p) - 1;
	return 0;
}

/* number_len - octets of the word at @p if the word has a digit, as numbers and addresses
 * have; messages have quotes around other words of a file. */
static size_t
number_len(const char *p)
{
	size_t len = strcspn(p, " \"',;");

	return strcspn(p, "0123456789") < len ? len : 0;
}

void
secret_hide(struct strbuf *out, const char *text, const struct strbuf *hidden)
{
	for (const char *p = text; *p;) {
		size_t len = quoted_len(p);

		if (len && secret_occurs(hidden, p + 1, len)) {
			strbuf_addf(out, "%c" SECRET_MASK "%c", *p, *p);
			p += len + 2;
			continue;
		}
		len = number_len(p);
		if (len >= HIDE_MIN && secret_occurs(hidden, p, len)) {
			strbuf_adds(out, SECRET_MASK);
		} else {
			len = max_u64(strcspn(p, " \"',;"), 1);
			strbuf_add(out, p, len);
		}
		p += len;
	}
}
