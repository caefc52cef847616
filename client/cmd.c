/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that ternc knows.
 *
 * The commands form a tree: each entry of CMD_TABLE is a node with the words of its
 * parent and a further word, so "show" and "show route" are entries. A walk begins at the
 * root: as long as a word begins the name of a child, the walk goes there; all further
 * words are arguments.
 *
 * I1  A word that might be a user's name never changes: the expansion changes only
 *     children of a node and the options in its entry, and nothing behind a quote, a
 *     bracket, `where` or `filter`.
 *
 * Loop: the only thread of ternc. Tested by test/unit/test_client_cmd.c. */
#include "client/cmd.h"
#include "client/cmd_def.h"
#include "lib/base/base.h"
#include "lib/base/spell.h"

#include <ctype.h>

struct cmd {
	const char *words, *args, *options, *help;
};

static const struct cmd commands[] = {
#define X(words, args, options, help) { words, args, options, help },
	CMD_TABLE(X)
#undef X
};

static const struct cmd root = { "", "...", "", "" };

struct word {
	const char *s;
	size_t len;
};

/* cmd_next_word - take the first word of *@p; a quoted text with its quotes is a word.
 * len 0: no word. */
static struct word
cmd_next_word(const char **p)
{
	struct word w;
	const char *s = *p;
	char quote = 0;

	while (isspace((unsigned char)*s))
		s++;
	w.s = s;
	for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
		if (quote && *s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
	}
	w.len = (size_t)(s - w.s);
	*p = s;
	return w;
}

static bool
cmd_is_last(const char *rest)
{
	return cmd_next_word(&rest).len == 0;
}

static bool
cmd_is_group(const struct cmd *c)
{
	return strcmp(c->args, "...") == 0;
}

static bool
cmd_begins(const char *name, struct word w)
{
	return strncmp(name, w.s, w.len) == 0;
}

/* The last word of @c's words if @c is a child of @node, else NULL. */
static const char *
cmd_child_name(const struct cmd *node, const struct cmd *c)
{
	size_t len = strlen(node->words);

	if (len > 0) {
		if (strncmp(c->words, node->words, len) != 0 || c->words[len] != ' ')
			return NULL;
		len++;
	}
	return strchr(c->words + len, ' ') || !c->words[len] ? NULL : c->words + len;
}

/* cmd_never_short - must the last word of @c be whole? */
static bool
cmd_never_short(const struct cmd *c)
{
	return c->options[0] == '.' && (!c->options[1] || c->options[1] == ' ');
}

/* cmd_is_ext - does @c stand behind the commands of BIRD with the same beginning? */
static bool
cmd_is_ext(const struct cmd *c)
{
	return c->options[0] == '~' && (!c->options[1] || c->options[1] == ' ');
}

/* cmd_skip_json - step over `json` before a command; without a further word `json` is a
 * command.
 * Returns: was `json` there? */
static bool
cmd_skip_json(const char **line)
{
	const char *rest = *line;
	struct word w = cmd_next_word(&rest);

	if (w.len == 0 || !cmd_begins("json", w) || cmd_is_last(rest))
		return false;
	*line = rest;
	return true;
}

/* cmd_is_json - is *@line only `json`? Then step over the word. */
static bool
cmd_is_json(const char **line)
{
	const char *rest = *line;
	struct word w = cmd_next_word(&rest);

	if (w.len == 0 || !cmd_begins("json", w) || !cmd_is_last(rest))
		return false;
	*line = rest;
	return true;
}

/* cmd_has_json - may `json` stand before @c? */
static bool
cmd_has_json(const struct cmd *c)
{
	return strncmp(c->words, "show", 4) == 0 ||
	       strncmp(c->words, "subscribe", 9) == 0 ||
	       strcmp(c->words, "configure preview") == 0;
}

/* cmd_find_child - count the children of @node that begin with @w; *@found: any such
 * child, or the exact child. */
static unsigned
cmd_find_child(
    const struct cmd **found, const struct cmd *node, struct word w, bool whole_only)
{
	const struct cmd *ext = NULL;
	unsigned cnt = 0, ext_cnt = 0;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const char *name = cmd_child_name(node, &commands[i]);

		if (!name || !cmd_begins(name, w) ||
		    (whole_only && cmd_is_group(&commands[i])))
			continue;
		if (strlen(name) != w.len && cmd_never_short(&commands[i]))
			continue;
		if (cmd_is_ext(&commands[i]) && strlen(name) != w.len) {
			ext = &commands[i];
			ext_cnt++;
			continue;
		}
		*found = &commands[i];
		if (strlen(name) == w.len)
			return 1;
		cnt++;
	}
	if (cnt || !ext)
		return cnt;
	*found = ext;
	return ext_cnt;
}

/* cmd_walk - walk as far as the words of *@line are commands, and leave *@line before the
 * arguments. Returns: CMD_SEND, CMD_UNKNOWN (*@node is a group) or CMD_AMBIGUOUS (*@line
 * is left before the ambiguous word). @partial: the last word may be the beginning of a
 * command (for completion). */
static enum cmd_kind
cmd_walk(const struct cmd **node, const char **line, bool partial)
{
	*node = &root;
	for (;;) {
		const struct cmd *child = NULL;
		const char *rest = *line;
		struct word w = cmd_next_word(&rest);
		unsigned cnt;

		if (w.len == 0)
			break;
		cnt = cmd_find_child(&child, *node, w, !partial && cmd_is_last(rest));
		if (cnt > 1)
			return CMD_AMBIGUOUS;
		if (cnt == 0)
			break;
		*node = child;
		*line = rest;
	}
	return cmd_is_group(*node) ? CMD_UNKNOWN : CMD_SEND;
}

/* --- Options --- */

/* An option's name and its last character ('=' with the kind of value in @value). */
struct option {
	struct word name;
	char mark, value;
	bool whole; /* never taken for an abbreviation */
};

static bool
cmd_next_option(struct option *o, const char **spec)
{
	struct word w = cmd_next_word(spec);
	const char *eq = memchr(w.s, '=', w.len);

	*o = (struct option){ .name = w };
	if (w.len == 0)
		return false;
	if (eq) {
		o->name.len = (size_t)(eq - w.s);
		o->mark = '=';
		o->value = eq[1];
		o->whole = w.s[w.len - 1] == '.';
	} else if (w.len == 1 && *w.s == '~') { /* about the command */
		o->name.len = 0;
		o->whole = true;
	} else if (strchr("!.", w.s[w.len - 1])) {
		o->name.len--;
		o->mark = w.s[w.len - 1];
		o->whole = o->mark == '.';
	}
	return true;
}

/* cmd_find_option - the option of @spec that @w names or abbreviates. Returns: false: no
 * option, or several options. */
static bool
cmd_find_option(struct option *found, const char *spec, struct word w)
{
	struct option o;
	unsigned cnt = 0;

	while (cmd_next_option(&o, &spec)) {
		bool same = o.name.len == w.len;

		if (o.name.len < w.len || memcmp(o.name.s, w.s, w.len) != 0 ||
		    o.name.len == 0 || (o.whole && !same))
			continue;
		*found = o;
		if (same)
			return true;
		cnt++;
	}
	return cnt == 1;
}

static bool
cmd_is_expression(struct word w)
{
	for (size_t i = 0; i < w.len; i++)
		if (strchr("\"'[{(", w.s[i]))
			return true;
	return false;
}

/* --- Public --- */

static void
cmd_add_word(struct strbuf *out, struct word w)
{
	if (out->len > 0)
		strbuf_addc(out, ' ');
	strbuf_add(out, w.s, w.len);
}

/* Append the arguments of @node in @args, abbreviated options written out. */
static void
cmd_expand_args(struct strbuf *out, const struct cmd *node, const char *args)
{
	bool value = false, verbatim = strchr(node->options, '!') == node->options;
	struct option o;
	struct word w;

	if (*node->options == '\0')
		verbatim = true;
	while (!verbatim) {
		const char *start = args;

		w = cmd_next_word(&args);
		if (w.len == 0)
			return;
		if (cmd_is_expression(w)) {
			args = start;
			break;
		}
		if (!value && cmd_find_option(&o, node->options, w)) {
			cmd_add_word(out, o.name);
			value = o.mark == '=';
			verbatim = o.mark == '!';
			continue;
		}
		value = false;
		cmd_add_word(out, w);
	}
	while (isspace((unsigned char)*args))
		args++;
	w = (struct word){ args, strlen(args) };
	while (w.len > 0 && isspace((unsigned char)w.s[w.len - 1]))
		w.len--;
	if (w.len > 0)
		cmd_add_word(out, w);
}

/* cmd_asks_help - does @line end in a "?" outside of expressions? */
static bool
cmd_asks_help(const char *line, size_t *len)
{
	size_t n = strlen(line);

	while (n > 0 && isspace((unsigned char)line[n - 1]))
		n--;
	if (n == 0 || line[n - 1] != '?' || strcspn(line, "\"'[{(") < n)
		return false;
	*len = n - 1;
	return true;
}

enum cmd_kind
cmd_expand(struct strbuf *out, const char *line)
{
	const struct cmd *node;
	const char *args = line, *first = line;
	struct word w = cmd_next_word(&first);
	enum cmd_kind kind;
	size_t len;
	bool json;

	strbuf_reset(out);
	if (w.len == 0 || *w.s == '#')
		return CMD_EMPTY;
	if (cmd_asks_help(line, &len)) {
		strbuf_add(out, line, len);
		return CMD_LIST;
	}
	json = cmd_skip_json(&args);
	kind = cmd_walk(&node, &args, false);
	if (json && kind == CMD_SEND && !cmd_has_json(node))
		return CMD_UNKNOWN;
	if (kind == CMD_AMBIGUOUS) {
		first = args;
		cmd_next_word(&first);
		strbuf_add(out, line, (size_t)(first - line));
		return kind;
	}
	if (kind == CMD_UNKNOWN)
		return kind;
	if (strcmp(node->words, "help") == 0) {
		w = cmd_next_word(&args);
		strbuf_adds(out, w.s);
		return CMD_HELP;
	}
	if (json)
		strbuf_adds(out, "json ");
	strbuf_adds(out, node->words);
	if (strcmp(node->words, "quit") == 0 || strcmp(node->words, "exit") == 0)
		return CMD_QUIT;
	cmd_expand_args(out, node, args);
	return kind;
}

#define HELP_WORDS 22 /* columns of the words of a command */

static void
cmd_add_help(struct strbuf *out, const struct cmd *c)
{
	strbuf_addf(out, "%-*s  %s\n", HELP_WORDS, c->words, c->help);
}

/* cmd_arg_len - octets of @s before a @stop outside of brackets, or before the end. */
static size_t
cmd_arg_len(const char *s, const char *stop)
{
	int depth = 0;
	bool quoted = false;
	size_t i;

	for (i = 0; s[i]; i++) {
		if (!depth && !quoted && !strncmp(s + i, stop, strlen(stop)))
			break;
		if (s[i] == '"')
			quoted = !quoted;
		else if (strchr("[(<{", s[i]))
			depth++;
		else if (strchr("])>}", s[i]))
			depth--;
	}
	return i;
}

/* cmd_add_options - add a line for each argument of @c; brackets mark an optional
 * argument, and each choice within gets a line. Returns: lines added. */
static unsigned
cmd_add_options(struct strbuf *out, const struct cmd *c)
{
	const char *s = c->args;
	unsigned cnt = 0;

	while (*s) {
		size_t len = cmd_arg_len(s, strchr("[(", *s) ? " " : " [");
		const char *at = s, *end = s + len;

		s = *end ? end + 1 : end;
		if (*at == '[') {
			at++;
			end--;
		}
		while (at < end) {
			size_t part = cmd_arg_len(at, " | ");

			if (part > (size_t)(end - at))
				part = (size_t)(end - at);
			strbuf_addf(out, "    %.*s\n", (int)part, at);
			at += part < (size_t)(end - at) ? part + 3 : part;
			cnt++;
		}
	}
	return cnt;
}

bool
cmd_near(struct strbuf *out, const char *line)
{
	const struct cmd *node = &root, *child;
	char word[SPELL_WORD_MAX + 1];
	struct spell sp;
	struct word w;

	(void)cmd_skip_json(&line);
	for (;;) {
		w = cmd_next_word(&line);
		if (w.len == 0 || w.len > SPELL_WORD_MAX || !cmd_is_group(node))
			return false;
		if (cmd_find_child(&child, node, w, false) != 1)
			break;
		node = child;
	}
	memcpy(word, w.s, w.len);
	word[w.len] = 0;
	spell_init(&sp, word);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (cmd_child_name(node, &commands[i]) && commands[i].help[0])
			spell_add(&sp, cmd_child_name(node, &commands[i]));
	if (!sp.best)
		return false;
	strbuf_addf(out, "%s%s%s", node->words, node->words[0] ? " " : "", sp.best);
	return true;
}

unsigned
cmd_print_help(struct strbuf *out, const char *line)
{
	const struct cmd *node = &root, *child = NULL, *only = NULL;
	struct word w;
	unsigned cnt = 0;

	(void)cmd_skip_json(&line);
	for (w = cmd_next_word(&line); w.len > 0; w = cmd_next_word(&line)) {
		unsigned found = cmd_find_child(&child, node, w, false);

		if (found == 0 && cmd_is_group(node))
			return 0;
		if (found != 1)
			break;
		node = child;
	}
	/* The rest of the line is arguments, or the start of several names. */
	if (!cmd_find_child(&child, node, w, false))
		w.len = 0;
	if (!cmd_is_group(node) && w.len == 0) {
		cmd_add_help(out, node);
		only = node;
		cnt++;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const char *name = cmd_child_name(node, &commands[i]);

		if (!name || !cmd_begins(name, w) || (w.len == 0 && !commands[i].help[0]))
			continue;
		cmd_add_help(out, &commands[i]);
		only = &commands[i];
		cnt++;
	}
	if (cnt == 1 && !cmd_is_group(only))
		cnt += cmd_add_options(out, only);
	return cnt;
}

static void
cmd_suggest(struct strbuf *out, unsigned *cnt, struct word name, const char *part)
{
	if (name.len == 0 || strlen(part) > name.len ||
	    memcmp(name.s, part, strlen(part)) != 0)
		return;
	strbuf_add(out, name.s, name.len);
	strbuf_addc(out, '\0');
	(*cnt)++;
}

static enum cmd_names
cmd_names_kind(char c)
{
	switch (c) {
	case 'p':
		return CMD_NAMES_PROTOCOL;
	case 't':
		return CMD_NAMES_TABLE;
	case '*':
		return CMD_NAMES_ANY;
	default:
		return CMD_NAMES_NONE;
	}
}

static bool
cmd_takes_expression(const char *spec)
{
	return strchr(spec, '!') != NULL;
}

unsigned
cmd_words(struct strbuf *out, enum cmd_names *names, const char *before, const char *part)
{
	const struct cmd *node;
	const char *args = before, *spec;
	struct option o, last = { .mark = 0 };
	struct word w;
	unsigned cnt = 0;
	bool json = cmd_skip_json(&args) || cmd_is_json(&args);

	*names = CMD_NAMES_NONE;
	if (cmd_walk(&node, &args, true) == CMD_AMBIGUOUS)
		return 0;
	for (w = cmd_next_word(&args); w.len > 0; w = cmd_next_word(&args)) {
		bool value = last.mark == '=';

		if (cmd_is_group(node))
			return 0;
		if (last.mark == '!' ||
		    (cmd_is_expression(w) && cmd_takes_expression(node->options))) {
			*names = CMD_NAMES_ANY; /* of constants, functions, filters */
			return 0;
		}
		last = (struct option){ .mark = 0 };
		if (value || !cmd_find_option(&last, node->options, w))
			continue;
	}
	if (last.mark == '=') {
		*names = cmd_names_kind(last.value);
		return 0;
	}
	if (last.mark == '!') {
		*names = CMD_NAMES_ANY;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const char *name = cmd_child_name(node, &commands[i]);

		if (name && commands[i].help[0] && (!json || cmd_has_json(&commands[i])))
			cmd_suggest(out, &cnt, (struct word){ name, strlen(name) }, part);
	}
	for (spec = node->options; cmd_next_option(&o, &spec);) {
		const struct cmd *child;

		if (o.name.len == 0 && o.mark == '=')
			*names = cmd_names_kind(o.value);
		else if (o.name.len == 0 && o.mark == '!')
			*names = CMD_NAMES_ANY;
		else if (o.name.len && !cmd_find_child(&child, node, o.name, false))
			cmd_suggest(out, &cnt, o.name, part);
	}
	return cnt;
}
