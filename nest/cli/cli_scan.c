/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splitting commands into words, and saying what was wrong with one.
 *
 * Scripts compare the texts of syntax errors, so a token is called here what the daemon
 * whose dialect this is calls it (seen on its control socket).
 *
 * I1  A token ends within the line; text never holds more than the line did.
 *
 * No state but the caller's; any thread. */
#include "nest/cli/cli_scan.h"
#include "filter/lang/sym.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"

#include <ctype.h>

static bool
is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool
is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void
set_text(struct cli_scan *sc, enum cli_tok t, const char *s, size_t len)
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
	set_text(sc, t, sc->at + 1, (size_t)(end - sc->at - 1));
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

/* An address, if one stands here and isn't the beginning of a word. */
static bool
scan_ip(struct cli_scan *sc)
{
	const char *end;
	bool is_v6;

	if (!isxdigit((unsigned char)*sc->at) && *sc->at != ':')
		return false;
	end = ip_scan(&sc->ip, &is_v6, sc->at);
	if (!end || is_word_char(*end))
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
	} else if (is_word_start(*p)) {
		while (is_word_char(*p))
			p++;
		set_text(sc, TOK_WORD, sc->at, (size_t)(p - sc->at));
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

static bool
is_keyword(const char *w)
{
	static const char *const keyword[] = { "all", "bgp", "check", "configure",
		"confirm", "count", "debug", "disable", "down", "echo", "enable", "eval",
		"export", "exported", "filter", "filtered", "filters", "for", "function",
		"help", "import", "in", "interfaces", "limit", "memory", "noexport",
		"off", "out", "preexport", "primary", "protocol", "protocols", "reload",
		"restart", "restrict", "route", "show", "soft", "stats", "status",
		"summary", "symbols", "table", "template", "timeformat", "timeout",
		"undo", "where" };

	for (unsigned i = 0; i < ARRAY_LEN(keyword); i++)
		if (!strcmp(w, keyword[i]))
			return true;
	return false;
}

static void
name_word(const struct cli_scan *sc, const struct config *c, struct strbuf *out)
{
	if (c && sym_find(c->symbols, sc->text)) {
		strbuf_adds(out, "CF_SYM_KNOWN");
	} else if (sc->tok == TOK_WORD && is_keyword(sc->text)) {
		for (const char *p = sc->text; *p; p++)
			strbuf_addc(out, (char)toupper((unsigned char)*p));
	} else {
		strbuf_adds(out, "CF_SYM_UNDEFINED");
	}
}

void
cli_scan_unexpected(const struct cli_scan *sc, const struct config *c,
    const char *expecting, struct strbuf *out)
{
	static const char *const name[] = { [TOK_END] = "END",
		[TOK_TEXT] = "TEXT",
		[TOK_NUM] = "NUM",
		[TOK_IP4] = "IP4",
		[TOK_IP6] = "IP6" };

	if (sc->tok == TOK_OPEN) {
		strbuf_adds(out, "Unterminated string");
		return;
	}
	strbuf_adds(out, "syntax error, unexpected ");
	if (cli_scan_is_name(sc))
		name_word(sc, c, out);
	else if (sc->tok == TOK_CHAR)
		strbuf_addf(out, "'%c'", sc->chr);
	else
		strbuf_adds(out, name[sc->tok]);
	if (expecting)
		strbuf_addf(out, ", expecting %s", expecting);
}
