/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of a control socket. Tested by test/net/test_cli_rules.py. */
#include "nest/cli/cli_rules.h"

#include <string.h>

static size_t
word_len(const char *s)
{
	return strcspn(s, " \t");
}

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* rule_words - Returns: the number of words of @rule, if @line begins with all of them;
 * else 0. */
static unsigned
rule_words(const char *rule, const char *line)
{
	unsigned cnt = 0;

	for (;; cnt++) {
		size_t len;

		rule = skip_blanks(rule);
		line = skip_blanks(line);
		len = word_len(rule);
		if (!len)
			return cnt;
		if (word_len(line) != len || strncmp(rule, line, len) != 0)
			return 0;
		rule += len;
		line += len;
	}
}

/* is_harmless - does @line concern the session alone? */
static bool
is_harmless(const char *line)
{
	static const char *const words[] = { "help", "quit", "exit", "restrict",
		"timeformat" };

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (rule_words(words[i], line))
			return true;
	return false;
}

enum cli_verdict
cli_rules_verdict(const struct config *conf, const char *path, const char *line)
{
	const struct conf_cli *cf = config_find_cli(conf, path);
	enum cli_verdict v = CLI_UNRULED;
	unsigned most = 0;
	bool closed = false;

	for (unsigned i = 0; cf && i < cf->rule_cnt; i++) {
		const struct conf_cli_rule *r = &cf->rule[i];
		unsigned cnt = rule_words(r->words, line);

		closed |= r->allow;
		if (cnt < most || !cnt || (cnt == most && r->allow))
			continue;
		most = cnt;
		v = r->allow ? CLI_ALLOWED : CLI_REFUSED;
	}
	return v == CLI_UNRULED && closed && !is_harmless(line) ? CLI_REFUSED : v;
}
