/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splitting commands into words, and errors about words.
 *
 * A syntax error quotes the token as typed by the client, and names the allowed tokens in
 * words of the manual. Programs look at the code of the reply, not at the text.
 *
 * I1  A token ends within the line; text never holds more than the line did.
 *
 * No state but the caller's; any thread. */
#include "nest/cli/cli_scan.h"
#include "lib/base/spell.h"
#include "lib/net/ip.h"

#include <bsd/string.h>
#include <ctype.h>
#include <stdio.h>

#define SHOWN_MAX 64 /* octets of a quoted token */

static bool
scan_is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool
cli_scan_is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void
scan_set_text(struct cli_scan *sc, enum cli_tok t, const char *s, size_t len)
{
	sc->tok = t;
	memcpy(sc->text, s, len);
	sc->text[len] = 0;
}

static void
scan_quoted(struct cli_scan *sc, enum cli_tok t)
{
	const char *end = strchr(sc->at + 1, *sc->at);

	if (!end) {
		sc->tok = TOK_OPEN;
		sc->next = sc->at + strlen(sc->at);
		return;
	}
	scan_set_text(sc, t, sc->at + 1, (size_t)(end - sc->at - 1));
	sc->next = end + 1;
}

static void
scan_num(struct cli_scan *sc)
{
	const char *p = sc->at;

	sc->tok = TOK_NUM;
	sc->num = 0;
	for (; isdigit((unsigned char)*p); p++)
		if (sc->num < 100000000000000000ull)
			sc->num = sc->num * 10 + (uint64_t)(*p - '0');
	sc->next = p;
}

/* An address, unless it is the beginning of a word. */
static bool
scan_ip(struct cli_scan *sc)
{
	const char *end;
	bool is_v6;

	if (!isxdigit((unsigned char)*sc->at) && *sc->at != ':')
		return false;
	end = ip_scan(&sc->ip, &is_v6, sc->at);
	if (!end || cli_scan_is_word_char(*end))
		return false;
	sc->tok = is_v6 ? TOK_IP6 : TOK_IP4;
	sc->next = end;
	return true;
}

void
cli_scan_step(struct cli_scan *sc)
{
	const char *p = sc->next;

	while (*p == ' ' || *p == '\t')
		p++;
	sc->at = sc->next = p;
	sc->text[0] = 0;
	if (!*p) {
		sc->tok = TOK_END;
	} else if (*p == '"' || *p == '\'') {
		scan_quoted(sc, *p == '"' ? TOK_TEXT : TOK_NAME);
	} else if (scan_ip(sc)) {
		return;
	} else if (isdigit((unsigned char)*p)) {
		scan_num(sc);
	} else if (scan_is_word_start(*p)) {
		while (cli_scan_is_word_char(*p))
			p++;
		scan_set_text(sc, TOK_WORD, sc->at, (size_t)(p - sc->at));
		sc->next = p;
	} else {
		sc->tok = TOK_CHAR;
		sc->chr = *p;
		sc->next = p + 1;
	}
}

void
cli_scan_init(struct cli_scan *sc, const char *line)
{
	sc->next = line;
	cli_scan_step(sc);
}

void
cli_scan_skip(struct cli_scan *sc, size_t len)
{
	sc->next = sc->at + len;
	cli_scan_step(sc);
}

bool
cli_scan_word(struct cli_scan *sc, const char *w)
{
	if (sc->tok != TOK_WORD || strcmp(sc->text, w))
		return false;
	cli_scan_step(sc);
	return true;
}

bool
cli_scan_char(struct cli_scan *sc, char c)
{
	if (sc->tok != TOK_CHAR || sc->chr != c)
		return false;
	cli_scan_step(sc);
	return true;
}

bool
cli_scan_is_name(const struct cli_scan *sc)
{
	return sc->tok == TOK_WORD || sc->tok == TOK_NAME;
}

/* scan_near_expected - the quoted word of @expecting nearest to the present token, in
 * @buf; NULL: none. */
static const char *
scan_near_expected(
    const struct cli_scan *sc, const char *expecting, char *buf, size_t len)
{
	struct spell sp;
	const char *end;
	char word[SPELL_WORD_MAX + 1];

	spell_init(&sp, sc->text);
	for (const char *p = expecting; (p = strchr(p, '\'')); p = end + 1) {
		end = strchr(++p, '\'');
		if (!end)
			break;
		if ((size_t)(end - p) >= sizeof(word))
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)(end - p), p);
		spell_add(&sp, word);
		if (sp.best == word) {
			strlcpy(buf, word, len);
			sp.best = buf;
		}
	}
	return sp.best;
}

void
cli_scan_unexpected(const struct cli_scan *sc, const char *expecting, struct strbuf *out)
{
	int len = (int)min_u64((uint64_t)(sc->next - sc->at), SHOWN_MAX);
	char word[SPELL_WORD_MAX + 1];
	const char *near = NULL;

	if (sc->tok == TOK_OPEN) {
		strbuf_adds(out, "Unterminated string");
		return;
	}
	if (sc->tok == TOK_END)
		strbuf_adds(out, "syntax error, unexpected end of the command");
	else
		strbuf_addf(out, "syntax error, unexpected '%.*s'", len, sc->at);
	if (!expecting)
		return;
	strbuf_addf(out, ", expecting %s", expecting);
	if (sc->tok == TOK_WORD)
		near = scan_near_expected(sc, expecting, word, sizeof(word));
	if (near)
		strbuf_addf(out, "; did you mean '%s'?", near);
}
