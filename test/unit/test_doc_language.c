/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language manual and the tables of options, methods, functions and attributes agree,
 * both ways.
 *
 * doc/language.md has a table behind each line "<!-- options: NAME -->": its rows are
 * exactly those that the option table gives. Rows that are wider than COLUMNS follow the
 * table as a list. Options that aren't done yet stand behind
 * "<!-- not yet: NAME -->" instead. TERN_DOC=write puts the rows there. Every
 * method, function, operator, attribute and type occurs in an example ("| `EXPR` |
 * `VALUE` |", or a block of code); that the examples do what they say is checked by
 * test/tools/check_docs.sh. */
#include "filter/run/builtin/builtin_route.c"
#include "filter/value/type.h"
#include "nest/conf/opt/conf_later.h"
#include "proto/registry.h"
#include "nest/channel/proto.h"
#include "test/lib/unit.h"
#include <ctype.h>
#include <stdio.h>

#define COLUMNS 120

static char *doc; /* the whole manual */
static struct strbuf examples; /* its code */
static unsigned wrong;

/* ---- rows ---- */

static bool
is_synonym(const struct conf_opt *o, const char *word)
{
	static const char *const words[] = { "yes", "true", "no", "false" };
	const struct opt_name *n = o->names;

	while (n->word && strcmp(n->word, "on"))
		n++;
	for (unsigned i = 0; n->word && i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static void
put_names(struct strbuf *b, const struct conf_opt *o)
{
	const char *between = "( ";

	for (const struct opt_name *n = o->names; n->word; n++) {
		if (is_synonym(o, n->word))
			continue;
		strbuf_addf(b, "%s%s", between, n->word);
		between = " | ";
	}
	strbuf_adds(b, " )");
}

/* put_form - what may stand behind the words. */
static void
put_form(struct strbuf *b, const struct conf_opt *o)
{
	static const char *const forms[OPT_END] = { [OPT_SWITCH] = "[SWITCH]",
		[OPT_U32] = "NUMBER",
		[OPT_U16] = "NUMBER",
		[OPT_U8] = "NUMBER",
		[OPT_TIME_S] = "SECONDS",
		[OPT_TIME_NS] = "TIME",
		[OPT_ID] = "ID",
		[OPT_IP] = "ADDRESS",
		[OPT_STRING] = "TEXT",
		[OPT_TABLE] = "NAME",
		[OPT_FILTER] = "FILTER",
		[OPT_LIMIT] = "( off | NUMBER [action ACTION] )",
		[OPT_DEBUG] = "( all | off | { FLAG, ... } )" };
	const char *form = o->form ? o->form : forms[o->type];

	if (!strcmp(o->words, "filter") || !strcmp(o->words, "PREFIX"))
		strbuf_adds(b, o->form); /* it stands for itself */
	else if (o->type == OPT_ENUM)
		strbuf_addf(b, "%s ", o->words), put_names(b, o);
	else
		strbuf_addf(
		    b, "%s%s%s", o->words, form && *form ? " " : "", form ? form : "");
}

static void
put_range(struct strbuf *b, const struct conf_opt *o)
{
	uint64_t max = o->max ? o->max : o->type == OPT_U8 ? UINT8_MAX : UINT32_MAX;

	if (o->type == OPT_U32 || o->type == OPT_U8 || o->type == OPT_TIME_S)
		strbuf_addf(b, "%llu to %llu", (unsigned long long)o->min,
		    (unsigned long long)max);
}

static void
put_default(struct strbuf *b, const struct conf_opt *table, const struct conf_opt *o)
{
	switch (o->type) {
	case OPT_SWITCH:
		strbuf_adds(b, o->def ? "on" : "off");
		break;
	case OPT_U32:
	case OPT_U8:
	case OPT_TIME_S:
		if (!o->max || o->def <= o->max) /* else it means: not given */
			strbuf_addf(b, "%llu", (unsigned long long)o->def);
		break;
	case OPT_TIME_NS:
		strbuf_addf(b, "%llu s", (unsigned long long)o->def / 1000000000);
		break;
	case OPT_ENUM:
		for (const struct opt_name *n = o->names; n->word; n++)
			if (n->value == o->def) {
				strbuf_adds(b, n->word);
				break;
			}
		break;
	case OPT_CUSTOM: /* the field tells it */
		for (; table->type != OPT_END && o->off; table++)
			if (table->type == OPT_FIELD && table->off == o->off)
				strbuf_addf(b, "%llu", (unsigned long long)table->def);
		break;
	}
}

static const char *
state_text(const struct conf_opt *o)
{
	return o->state == OPT_WARN          ? " (not yet: a warning)"
	       : o->state == OPT_UNSUPPORTED ? " (not yet: an error)"
					     : "";
}

/* members_put_row - a row of a table; bars within code are escaped. */
static void
test_doc_language_put_row(
    struct strbuf *b, const struct conf_opt *table, const struct conf_opt *o)
{
	struct strbuf form;

	strbuf_init(&form);
	put_form(&form, o);
	strbuf_adds(b, "| `");
	for (const char *p = form.s; *p; p++)
		strbuf_addf(b, *p == '|' ? "\\%c" : "%c", *p);
	strbuf_fini(&form);
	strbuf_adds(b, "` | ");
	put_range(b, o);
	strbuf_adds(b, " | ");
	put_default(b, table, o);
	strbuf_addf(b, " | %s%s |\n", o->help ? o->help : "", state_text(o));
	if (!o->help || !*o->help) {
		fprintf(stderr, "option '%s' has no help\n", o->words);
		wrong++;
	}
}

/* put_item - the row as an item of a list, in lines of COLUMNS. */
static void
put_item(struct strbuf *b, const struct conf_opt *table, const struct conf_opt *o)
{
	struct strbuf item, range, def;
	size_t column = 0;

	strbuf_init(&item);
	strbuf_init(&range);
	strbuf_init(&def);
	strbuf_adds(&item, "- `");
	put_form(&item, o);
	strbuf_addf(&item, "`: %s%s", o->help ? o->help : "", state_text(o));
	put_range(&range, o);
	put_default(&def, table, o);
	if (range.len)
		strbuf_addf(&item, "; range: %s", range.s);
	if (def.len)
		strbuf_addf(&item, "; default: %s", def.s);
	for (const char *p = item.s; *p;) {
		size_t len = strcspn(p, " ");

		if (column && column + 1 + len > COLUMNS) {
			strbuf_adds(b, "\n ");
			column = 1;
		}
		strbuf_addf(b, "%s%.*s", column ? " " : "", (int)len, p);
		column += (column != 0) + len;
		p += len + (p[len] == ' ');
	}
	strbuf_addc(b, '\n');
	strbuf_fini(&item);
	strbuf_fini(&range);
	strbuf_fini(&def);
}

static bool
is_done(const struct conf_opt *o)
{
	return o->state != OPT_WARN && o->state != OPT_UNSUPPORTED;
}

/* name_put_table - the options that are done, or those that aren't. Returns: how many. */
static unsigned
test_doc_language_put_table(struct strbuf *b, const struct conf_opt *table, bool done)
{
	struct strbuf items;
	unsigned n = 0;

	strbuf_init(&items);
	strbuf_adds(b, "| option | range | default | |\n|---|---|---|---|\n");
	for (const struct conf_opt *o = table; o->type != OPT_END; o++)
		if (o->words && is_done(o) == done) {
			size_t before = b->len;

			test_doc_language_put_row(b, table, o);
			if (b->len - before > COLUMNS + 1) {
				strbuf_truncate(b, before);
				put_item(&items, table, o);
			}
			n++;
		}
	if (items.len)
		strbuf_addf(b, "\n%s", items.s);
	strbuf_fini(&items);
	return n;
}

/* ---- comparing ---- */

/* section - where the rows behind @mark begin; *@len: their octets. NULL: none. */
static char *
test_doc_language_section(const char *mark, size_t *len)
{
	char *p, *end;

	p = strstr(doc, mark);
	if (!p)
		return NULL;
	p += strlen(mark);
	for (end = p; *end == '|'; end = strchr(end, '\n') + 1)
		;
	if (!strncmp(end, "\n- `", 4))
		for (end++; !strncmp(end, "- `", 3) || !strncmp(end, "  ", 2);)
			end = strchr(end, '\n') + 1;
	*len = (size_t)(end - p);
	return p;
}

static void
test_doc_language_rewrite(char *at, size_t len, const struct strbuf *rows)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_add(&b, doc, (size_t)(at - doc));
	strbuf_adds(&b, rows->s);
	strbuf_adds(&b, at + len);
	free(doc);
	doc = strdup(b.s);
	strbuf_fini(&b);
}

/* compare_part - the options of a table that are done, or those that aren't. A table
 * without any of the latter has no such part. */
static void
compare_part(const char *name, const struct conf_opt *table, bool done)
{
	struct strbuf b;
	size_t len = 0;
	char mark[100], *at;
	unsigned n;

	snprintf(
	    mark, sizeof(mark), "<!-- %s: %s -->\n", done ? "options" : "not yet", name);
	at = test_doc_language_section(mark, &len);
	strbuf_init(&b);
	n = test_doc_language_put_table(&b, table, done);
	if (!n && !done) {
		if (at)
			fprintf(
			    stderr, "doc/language.md: nothing belongs behind %s", mark);
		wrong += at != NULL;
	} else if (at && getenv("TERN_DOC")) {
		test_doc_language_rewrite(at, len, &b);
	} else if (!at || len != b.len || memcmp(at, b.s, len)) {
		fprintf(stderr, "doc/language.md: should stand behind %s%s", mark, b.s);
		wrong++;
	}
	strbuf_fini(&b);
}

static void
test_doc_language_compare(const char *name, const struct conf_opt *table)
{
	compare_part(name, table, true);
	compare_part(name, table, false);
}

/* compare_subs - tables of blocks, each once. */
static void
compare_subs(const char *name, const struct conf_opt *table)
{
	static const struct conf_opt *seen[64];
	static unsigned cnt;
	char sub[100];

	for (; table->type != OPT_END; table++) {
		bool known = !table->sub || table->sub == conf_table_table;

		for (unsigned i = 0; i < cnt; i++)
			known |= seen[i] == table->sub;
		if (known)
			continue;
		assert_true(cnt < ARRAY_LEN(seen));
		seen[cnt++] = table->sub;
		snprintf(sub, sizeof(sub), "%s %s", name, table->words);
		test_doc_language_compare(sub, table->sub);
		compare_subs(sub, table->sub);
	}
}

static void
compare_class(const struct conf_class *k)
{
	char name[100];

	if (k->opt) {
		test_doc_language_compare(k->keyword, k->opt);
		compare_subs(k->keyword, k->opt);
	}
	if (k->channel_opt) {
		snprintf(name, sizeof(name), "%s channel", k->keyword);
		test_doc_language_compare(name, k->channel_opt);
		compare_subs(name, k->channel_opt);
	}
}

static unsigned
sections_of_doc(void)
{
	const char *p = doc;
	unsigned n = 0;

	while ((p = strstr(p, "<!-- options: ")))
		n++, p++;
	return n;
}

static void
test_options(void **state)
{
	(void)state;
	test_doc_language_compare("top level", conf_global_table);
	compare_subs("top level", conf_global_table);
	test_doc_language_compare("table", conf_table_table);
	test_doc_language_compare("protocol", conf_proto_table);
	test_doc_language_compare("channel", conf_channel_table);
	for (const struct proto_class *const *p = proto_classes; *p; p++)
		compare_class((*p)->conf);
	for (const struct conf_class *const *k = conf_later_classes; *k; k++)
		compare_class(*k);
	assert_int_equal(wrong, 0);
	assert_true(sections_of_doc() > 20);
}

/* ---- examples ---- */

/* in_examples - does @text stand in an example, not within a longer word? */
static bool
in_examples(const char *text)
{
	size_t len = strlen(text);

	for (const char *p = examples.s; (p = strstr(p, text)); p++) {
		bool word = isalnum((unsigned char)text[len - 1]);
		char before = p == examples.s ? ' ' : p[-1];

		if (word && (isalnum((unsigned char)p[len]) || p[len] == '_'))
			continue;
		if (isalnum((unsigned char)text[0]) &&
		    (isalnum((unsigned char)before) || before == '_'))
			continue;
		return true;
	}
	return false;
}

static void
test_doc_language_want(const char *what, const char *fmt, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), fmt, name);
	if (in_examples(text))
		return;
	fprintf(stderr, "doc/language.md: no example has the %s '%s'\n", what, text);
	wrong++;
}

static void
test_builtins(void **state)
{
	const struct builtin *const parts[] = { builtin_values, builtin_nets,
		builtin_paths, builtin_comms };

	(void)state;
	wrong = 0;
	for (unsigned i = 0; i < ARRAY_LEN(parts); i++) {
		for (const struct builtin *b = parts[i]; b->name; b++) {
			if (b->kind & BI_METHOD)
				test_doc_language_want("method", ".%s", b->name);
			if ((b->kind & BI_FUNC) && isalpha((unsigned char)b->name[0]))
				test_doc_language_want("function", "%s(", b->name);
			if (b->kind & BI_OP && b->name[0] != '(')
				test_doc_language_want("operator", " %s ", b->name);
		}
	}
	assert_int_equal(wrong, 0);
}

static void
test_attributes(void **state)
{
	(void)state;
	wrong = 0;
	for (uint32_t i = 0; i < ARRAY_LEN(attrs); i++)
		test_doc_language_want("attribute", "%s", route_attr_get(i)->name);
	assert_int_equal(wrong, 0);
}

static void
test_types(void **state)
{
	static const char *const types[] = { "bool", "int", "pair", "quad", "string",
		"bytestring", "ip", "prefix", "ec", "lc", "bgppath", "bgpmask", "clist",
		"eclist", "lclist", "int set", "pair set", "ip set", "prefix set",
		"ec set", "lc set", "rd", "mac", "rd set", "mac set" };

	(void)state;
	wrong = 0;
	for (unsigned i = 0; i < ARRAY_LEN(types); i++)
		test_doc_language_want("type", "%s", types[i]);
	assert_int_equal(wrong, 0);
}

/* ---- the manual ---- */

/* add_code - the part between backquotes of a line of a table, without its escapes. */
static void
add_code(const char *line, size_t len)
{
	bool in = false;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '`')
			in = !in;
		else if (in && !(line[i] == '\\' && line[i + 1] == '|'))
			strbuf_addc(&examples, line[i]);
		if (line[i] == '`')
			strbuf_addc(&examples, '\n');
	}
}

/* collect - rows of two cells of code, and blocks of code. */
static void
test_doc_language_collect(void)
{
	bool block = false;

	for (const char *p = doc; *p;) {
		size_t len = strcspn(p, "\n");

		if (!strncmp(p, "```", 3))
			block = !block;
		else if (block)
			strbuf_add(&examples, p, len), strbuf_addc(&examples, '\n');
		else if (!strncmp(p, "| `", 3) && p[len - 3] == '`' && p[len - 1] == '|')
			add_code(p, len);
		p += len + (p[len] == '\n');
	}
}

static int
test_doc_language_set_up(void **state)
{
	const char *src = getenv("TERN_SRCDIR");
	char path[300];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/doc/language.md", src ? src : ".");
	f = fopen(path, "re");
	if (!f)
		return -1;
	doc = calloc(1, 1 << 20);
	if (fread(doc, 1, (1 << 20) - 1, f) == 0)
		return -1;
	fclose(f);
	strbuf_init(&examples);
	test_doc_language_collect();
	return 0;
}

static int
test_doc_language_tear_down(void **state)
{
	const char *src = getenv("TERN_SRCDIR");
	char path[300];
	FILE *f;

	(void)state;
	if (getenv("TERN_DOC")) {
		snprintf(path, sizeof(path), "%s/doc/language.md", src ? src : ".");
		f = fopen(path, "we");
		fputs(doc, f);
		fclose(f);
	}
	free(doc);
	strbuf_fini(&examples);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_options),
	cmocka_unit_test(test_builtins),
	cmocka_unit_test(test_attributes),
	cmocka_unit_test(test_types),
};

int
main(void)
{
	return cmocka_run_group_tests(
	    tests, test_doc_language_set_up, test_doc_language_tear_down);
}
