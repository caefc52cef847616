/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of a control socket. Tested by test/unit/test_cli_rules.c,
 * test/unit/test_cli_real.c and test/net/test_cli_rules.py.
 *
 * I1  A rule meets the command that the parser has found, and the tokens of the command's
 *     own scanner: no spelling of a command passes by a rule.
 * I2  The words of a denial behind the command's words count wherever the words stand,
 *     because most commands take options in any order. The words of a permission count
 *     only as the first arguments. In doubt both refuse.
 * I3  A keyword in quotes is a name or a pattern, for commands and for rules.
 * I4  Each rule of a configuration has passed cli_rules_check: words separated by a
 *     blank; a word is a keyword or a name, and a name may stand in quotes.
 *
 * Pure functions; the thread that parses, and the session's loop. */
#include "nest/cli/cli_rules.h"

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "lib/base/spell.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

/* Names that `allow` takes. */
#define RULE_NAMES                                                                       \
	(SYM_BIT(SYM_PROTOCOL) | SYM_BIT(SYM_TABLE) | SYM_BIT(SYM_FILTER) |              \
	    SYM_BIT(SYM_FUNCTION))

/* A word within a text of words separated by blanks. */
struct rule_word {
	const char *s;
	size_t len; /* 0: no word is left */
};

static struct rule_word
rule_word_next(const char **text)
{
	struct rule_word w = { *text, strcspn(*text, " ") };

	*text += w.len;
	*text += strspn(*text, " ");
	return w;
}

static bool
rule_word_is(struct rule_word w, const char *s)
{
	return strlen(s) == w.len && !memcmp(w.s, s, w.len);
}

/* ---- options of commands ---- */

/* How the options of a command name a word. */
enum rule_option {
	RULE_NO_OPTION,
	RULE_OPTION,
	RULE_ALLOW_ONLY /* `=word` */
};

/* rule_option_find - *@main: the first of the words for the same thing. */
static enum rule_option
rule_option_find(struct rule_word *main, const char *options, struct rule_word w)
{
	struct rule_word o;

	while (options && (o = rule_word_next(&options)).len) {
		enum rule_option kind = *o.s == '=' ? RULE_ALLOW_ONLY : RULE_OPTION;
		const char *at = o.s + (kind == RULE_ALLOW_ONLY), *end = o.s + o.len;

		*main = (struct rule_word){ at, 0 };
		while (at < end) {
			size_t len = strcspn(at, "/ ");

			if (!main->len)
				main->len = len;
			if (len == w.len && !memcmp(at, w.s, len))
				return kind;
			at += len + 1;
		}
	}
	*main = w;
	return RULE_NO_OPTION;
}

static bool
rule_takes_names(const char *options)
{
	struct rule_word o;

	while (options && (o = rule_word_next(&options)).len)
		if (rule_word_is(o, "="))
			return true;
	return false;
}

/* rule_arg_matches - is the token @t the word @w of a rule? */
static bool
rule_arg_matches(const struct cmd *c, const struct cli_scan *t, struct rule_word w)
{
	struct rule_word typed = { t->text, strlen(t->text) }, a, b;
	bool is_name = *w.s == '\'';

	if (is_name)
		w = (struct rule_word){ w.s + 1, w.len - 2 };
	if (t->tok == TOK_NAME)
		return rule_word_is(w, t->text) &&
		       (is_name || !rule_option_find(&a, c->options, w));
	if (t->tok != TOK_WORD)
		return false;
	if (is_name) /* I3: as a word, a keyword is no name */
		return rule_word_is(w, t->text) &&
		       !rule_option_find(&a, c->options, typed);
	rule_option_find(&a, c->options, typed);
	rule_option_find(&b, c->options, w);
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

/* ---- verdicts ---- */

/* rule_args_match - I2: do the words @rest of a rule fit the arguments @args? */
static bool
rule_args_match(const struct cmd *c, const struct cli_scan *args,
    const struct conf_cli_rule *r, const char *rest)
{
	struct cli_scan t;
	struct rule_word w;

	cli_scan_init(&t, args->at);
	while ((w = rule_word_next(&rest)).len) {
		while (!r->allow && t.tok != TOK_END && !rule_arg_matches(c, &t, w))
			cli_scan_step(&t);
		if (!rule_arg_matches(c, &t, w))
			return false;
		cli_scan_step(&t);
	}
	return true;
}

static unsigned
rules_word_cnt(const char *text)
{
	unsigned cnt = 0;

	while (rule_word_next(&text).len)
		cnt++;
	return cnt;
}

/* rule_begins - do the words of @rule and those of a command agree as far as both have
 * words? *@rest: the words of @rule behind the command's. */
static bool
rule_begins(const char **rest, const char *rule, const char *words)
{
	while (*rule && *words) {
		struct rule_word a = rule_word_next(&rule), b = rule_word_next(&words);

		if (a.len != b.len || memcmp(a.s, b.s, a.len) != 0)
			return false;
	}
	*rest = rule;
	return true;
}

/* rule_matches - Returns: the number of words of @r, if @r fits the command; else 0. */
static unsigned
rule_matches(
    const struct conf_cli_rule *r, const struct cmd *c, const struct cli_scan *args)
{
	const char *rest;

	if (!rule_begins(&rest, r->words, c->words) || !rule_args_match(c, args, r, rest))
		return 0;
	return rules_word_cnt(r->words);
}

/* rules_is_harmless - does @c concern the session alone? */
static bool
rules_is_harmless(const struct cmd *c)
{
	static const char *const words[] = { "help", "quit", "exit", "restrict",
		"timeformat" };

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], c->words))
			return true;
	return false;
}

enum cli_verdict
cli_rules_verdict(
    const struct conf_cli *cf, const struct cmd *c, const struct cli_scan *args)
{
	enum cli_verdict v = CLI_UNRULED;
	unsigned most = 0;
	bool closed = false;

	for (unsigned i = 0; i < cf->rule_cnt; i++) {
		const struct conf_cli_rule *r = &cf->rule[i];
		unsigned cnt = rule_matches(r, c, args);

		closed |= r->allow;
		if (cnt < most || !cnt || (cnt == most && r->allow))
			continue;
		most = cnt;
		v = r->allow ? CLI_ALLOWED : CLI_REFUSED;
	}
	return v == CLI_UNRULED && closed && !rules_is_harmless(c) ? CLI_REFUSED : v;
}

/* ---- the check of a configuration ---- */

/* rule_spell - the normal form of @words, I4. Returns: false: a token is no word, or the
 * text is longer than any command. */
static bool
rule_spell(struct strbuf *out, const char *words)
{
	struct cli_scan t;

	if (strlen(words) > CLI_COMMAND_MAX)
		return false;
	for (cli_scan_init(&t, words); t.tok != TOK_END; cli_scan_step(&t)) {
		const char *quote = t.tok == TOK_NAME ? "'" : "";

		if (!cli_scan_is_name(&t) || !*t.text || strchr(t.text, ' '))
			return false;
		strbuf_addf(out, "%s%s%s%s", out->len ? " " : "", quote, t.text, quote);
	}
	return out->len;
}

/* rules_first_words - the first @cnt words of @text. */
static struct rule_word
rules_first_words(const char *text, unsigned cnt)
{
	struct rule_word all = { text, 0 };

	while (cnt--) {
		struct rule_word w = rule_word_next(&text);

		all.len = (size_t)(w.s + w.len - all.s);
	}
	return all;
}

/* rule_no_command - the fault of @rule that fits no command of the lists. */
static void
rule_no_command(
    struct strbuf *out, const char *rule, const struct cmd *const *list, unsigned cnt)
{
	char part[SPELL_WORD_MAX + 1], candidate[SPELL_WORD_MAX + 1];
	char near[SPELL_WORD_MAX + 1];
	unsigned least = SPELL_WORD_MAX;
	struct spell sp;

	for (unsigned i = 0; i < cnt; i++)
		for (const struct cmd *c = list[i]; c->words; c++) {
			unsigned n = (unsigned)min_u64(
			    rules_word_cnt(rule), rules_word_cnt(c->words));
			struct rule_word a = rules_first_words(rule, n);
			struct rule_word b = rules_first_words(c->words, n);

			snprintf(part, sizeof(part), "%.*s", (int)a.len, a.s);
			snprintf(candidate, sizeof(candidate), "%.*s", (int)b.len, b.s);
			spell_init(&sp, part);
			spell_add(&sp, candidate);
			if (!sp.best || spell_distance(part, candidate) >= least)
				continue;
			least = spell_distance(part, candidate);
			strlcpy(near, candidate, sizeof(near));
		}
	diag_no_such(out, "command", rule, least < SPELL_WORD_MAX ? near : NULL);
}

/* rule_no_option - the fault of the word @word behind the words of @c. */
static void
rule_no_option(struct strbuf *out, const struct cmd *c, const char *word,
    const struct sym_table *names)
{
	char option[SPELL_WORD_MAX + 1], near[SPELL_WORD_MAX + 1];
	const char *options = c->options;
	struct rule_word o;
	struct spell sp;

	spell_init(&sp, word);
	while (options && (o = rule_word_next(&options)).len) {
		const char *at = o.s + (*o.s == '=');

		snprintf(option, sizeof(option), "%.*s", (int)strcspn(at, "/ "), at);
		spell_add(&sp, option);
		if (sp.best == option) {
			strlcpy(near, option, sizeof(near));
			sp.best = near;
		}
	}
	if (rule_takes_names(c->options))
		sym_spell_add(names, RULE_NAMES, &sp);
	strbuf_addf(out, "command '%s' has ", c->words);
	diag_no_such(out, "option", word, sp.best);
}

/* rule_option_ok - may @w stand behind the words of @c in @r? Else write the fault. */
static bool
rule_option_ok(struct strbuf *out, const struct cmd *c, const struct conf_cli_rule *r,
    struct rule_word w, const struct sym_table *names)
{
	bool is_name = *w.s == '\'';
	struct rule_word name = { w.s + is_name, w.len - 2 * is_name }, main;
	enum rule_option kind = is_name ? RULE_NO_OPTION
					: rule_option_find(&main, c->options, name);
	struct strbuf word;
	bool ok = kind == RULE_OPTION;

	strbuf_init(&word);
	strbuf_add(&word, name.s, name.len);
	if (!kind && rule_takes_names(c->options) && sym_find(names, word.s))
		kind = RULE_ALLOW_ONLY;
	if (!kind)
		rule_no_option(out, c, word.s, names);
	else if (!ok && !r->allow)
		strbuf_addf(out,
		    "'deny' takes no '%s' of the command '%s': other arguments have the "
		    "same effect",
		    word.s, c->words);
	else
		ok = true;
	strbuf_fini(&word);
	return ok;
}

/* rule_fits - does the rule @r, whose words are @rule, fit @c? *@begins: @rule names @c,
 * so that a fault concerns the words behind. */
static bool
rule_fits(struct strbuf *fault, bool *begins, const struct cmd *c, const char *rule,
    const struct conf_cli_rule *r, const struct sym_table *names)
{
	const char *rest;
	struct rule_word w;

	if (!rule_begins(&rest, rule, c->words))
		return false;
	*begins = true;
	strbuf_reset(fault);
	while ((w = rule_word_next(&rest)).len)
		if (!rule_option_ok(fault, c, r, w, names))
			return false;
	return true;
}

bool
cli_rules_check(struct strbuf *out, const struct conf_cli_rule *r,
    const struct sym_table *names, const struct cmd *const *list, unsigned cnt)
{
	bool begins = false, ok = false;
	struct strbuf rule;

	strbuf_init(&rule);
	if (!rule_spell(&rule, r->words)) {
		strbuf_adds(out, "expected the first words of a command");
	} else {
		for (unsigned i = 0; i < cnt && !ok; i++)
			for (const struct cmd *c = list[i]; c->words && !ok; c++)
				ok = rule_fits(out, &begins, c, rule.s, r, names);
		if (ok) {
			strbuf_reset(out);
			strbuf_adds(out, rule.s);
		} else if (!begins) {
			rule_no_command(out, rule.s, list, cnt);
		}
	}
	strbuf_fini(&rule);
	return ok;
}
