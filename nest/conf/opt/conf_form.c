/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the values behind an option's words by a form. A form consists of
 *
 *   word           the word            NUMBER TIME ADDRESS PREFIX TEXT NAME
 *   - % / : *      the sign            ID BYTES SWITCH FILTER  a value of the type
 *   [ x ]          x, or nothing       BLOCK { options of the table beside the form }
 *   ( x | y )      x or y              x,...   x, or several x with commas between
 *   LIST           words in brackets, unchecked
 *
 * The parser reads a form from the left, and looks an item ahead: the next item alone
 * decides the branch of a form. Forms are constant and short, so a wrong form is a bug.
 *
 * Owner only: the parser. Tested by test/unit/test_conf_golden.c.
 *
 * Loop: the thread that parses. */
#include "nest/conf/opt/conf_form.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_tree.h"

#include <ctype.h>

struct reader {
	struct conf_ctx *c;
	const struct conf_opt *sub;
	struct conf_args *a;
};

static const struct {
	const char *name;
	enum ftype type;
	const char *expected;
} value_types[] = {
	{ "NUMBER", T_INT, "a number" },
	{ "TIME", T_INT, "a time" },
	{ "ADDRESS", T_IP, "an IP address" },
	{ "PREFIX", T_PREFIX, "a prefix" },
	{ "TEXT", T_STRING, "text in double quotes" },
	{ "BYTES", T_BYTES, "a byte string" },
	{ "PAIR", T_PAIR, "a pair" },
};

static const char *
conf_form_skip_blanks(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

/* conf_form_after - behind the element at @p. */
static const char *
conf_form_after(const char *p)
{
	unsigned depth = 0;

	if (*p != '(' && *p != '[') {
		while (*p && !strchr(" ,|()[]", *p))
			p++;
		return p;
	}
	do {
		depth += *p == '(' || *p == '[';
		depth -= *p == ')' || *p == ']';
		p++;
	} while (depth);
	return p;
}

/* form_alternative_end - where the alternative at @p ends: at a bar or at @end. */
static const char *
form_alternative_end(const char *p, const char *end)
{
	while (p < end && *p != '|')
		p = *p == '(' || *p == '[' ? conf_form_after(p) : p + 1;
	return p;
}

/* conf_form_is - is the element at @p the word @w? */
static bool
conf_form_is(const char *p, const char *w)
{
	size_t len = strlen(w);

	return (size_t)(conf_form_after(p) - p) == len && !memcmp(p, w, len);
}

static bool
form_is_switch(struct reader *r)
{
	struct conf_args a = *r->a;

	return conf_arg_word(&a, "on") || conf_arg_word(&a, "off") ||
	       conf_arg_word(&a, "yes") || conf_arg_word(&a, "no") ||
	       conf_arg_word(&a, "true") || conf_arg_word(&a, "false") ||
	       conf_arg_is_value(&a, T_BOOL) || conf_arg_is_value(&a, T_INT);
}

static bool
form_is_filter(struct reader *r)
{
	struct conf_args a = *r->a;

	return conf_arg_word(&a, "all") || conf_arg_word(&a, "none") ||
	       (a.at && a.at->kind == CT_FILTER);
}

/* form_fits_value - does the next item have the type in the form's element @p? */
static bool
form_fits_value(struct reader *r, const char *p)
{
	for (unsigned i = 0; i < ARRAY_LEN(value_types); i++)
		if (conf_form_is(p, value_types[i].name))
			return conf_arg_is_value(r->a, value_types[i].type);
	if (conf_form_is(p, "ID"))
		return conf_arg_is_value(r->a, T_IP) || conf_arg_is_value(r->a, T_INT) ||
		       conf_arg_is_value(r->a, T_QUAD);
	if (conf_form_is(p, "NAME"))
		return conf_arg_peek(r->a) == ARG_WORD;
	if (conf_form_is(p, "SWITCH"))
		return form_is_switch(r);
	if (conf_form_is(p, "FILTER"))
		return form_is_filter(r);
	ASSERT(conf_form_is(p, "BLOCK") || conf_form_is(p, "LIST"));
	return conf_arg_peek(r->a) == ARG_BLOCK;
}

/* conf_form_fits - may the element at @p begin with the next item? */
static bool
conf_form_fits(struct reader *r, const char *p)
{
	const struct ct_item *at = r->a->at;
	size_t len;

	p = conf_form_skip_blanks(p);
	if (*p == '(' || *p == '[') {
		const char *q, *end = conf_form_after(p) - 1;

		for (q = p + 1; q < end; q = form_alternative_end(q, end) + 1)
			if (conf_form_fits(r, q))
				return true;
		return *p == '[' && conf_form_fits(r, conf_form_after(p));
	}
	if (!at || !*p || *p == ')' || *p == ']')
		return false;
	if (isupper((unsigned char)*p))
		return form_fits_value(r, p);
	if (!isalpha((unsigned char)*p))
		return at->kind == CT_CHAR && at->chr == *p;
	len = (size_t)(conf_form_after(p) - p);
	return at->kind == CT_WORD && strlen(at->word) == len &&
	       !memcmp(at->word, p, len);
}

/* conf_form_wanted - names of the values that fit the element at @p. */
static void
conf_form_wanted(struct strbuf *b, const char *p)
{
	const char *end;

	p = conf_form_skip_blanks(p);
	end = conf_form_after(p);
	if (*p == '[') { /* the optional element, or the element behind */
		conf_form_wanted(b, p + 1);
		strbuf_adds(b, " or ");
		conf_form_wanted(b, end);
		return;
	}
	if (*p != '(') {
		for (unsigned i = 0; i < ARRAY_LEN(value_types); i++) {
			if (conf_form_is(p, value_types[i].name)) {
				strbuf_adds(b, value_types[i].expected);
				return;
			}
		}
		if (conf_form_is(p, "BLOCK") || conf_form_is(p, "LIST"))
			strbuf_adds(b, "'{'");
		else if (conf_form_is(p, "NAME"))
			strbuf_adds(b, "a name");
		else if (conf_form_is(p, "SWITCH"))
			strbuf_adds(b, "on or off");
		else if (conf_form_is(p, "ID"))
			strbuf_adds(b, "an IPv4 address or a number");
		else
			strbuf_add(b, p, (size_t)(end - p));
		return;
	}
	for (p++, end--; p < end; p++) {
		conf_form_wanted(b, p);
		p = form_alternative_end(p, end);
		if (p < end)
			strbuf_adds(b, " or ");
	}
}

static bool
form_read_block(struct reader *r)
{
	const struct conf_opt *const known[] = { r->sub, NULL };
	uint64_t room[8];
	struct ct_option *x;

	ASSERT(r->sub);
	for (x = r->a->at->block->option; x; x = x->next)
		if (!conf_opt_apply(r->c, r->sub, x, memset(room, 0, sizeof(room))))
			conf_opt_unknown(r->c, x, "this block", known);
	r->a->at = r->a->at->next;
	return true;
}

static bool form_read_seq(struct reader *r, const char *p, const char *end);

/* form_read_element - read the item for the element at @p, which is not optional. */
static bool
form_read_element(struct reader *r, const char *p)
{
	const char *end = conf_form_after(p);
	struct strbuf b;

	if (!conf_form_fits(r, p)) {
		strbuf_init(&b);
		conf_form_wanted(&b, p);
		conf_arg_expected(r->a, b.s);
		strbuf_fini(&b);
		return false;
	}
	if (*p == '(') {
		for (p++, end--; !conf_form_fits(r, p); p++)
			p = form_alternative_end(p, end);
		return form_read_seq(r, p, form_alternative_end(p, end));
	}
	if (conf_form_is(p, "BLOCK"))
		return form_read_block(r);
	if (conf_form_is(p, "SWITCH"))
		conf_ext_truth(r->a);
	r->a->at = r->a->at->next;
	if (conf_form_is(p, "TIME"))
		if (!conf_arg_word(r->a, "ms") && !conf_arg_word(r->a, "us"))
			conf_arg_seconds(r->a, false);
	return true;
}

static bool
form_read_seq(struct reader *r, const char *p, const char *end)
{
	for (p = conf_form_skip_blanks(p); p < end; p = conf_form_skip_blanks(p)) {
		const char *next = conf_form_after(p);
		bool more = !strncmp(next, ",...", 4);

		if (*p == '[') {
			if (conf_form_fits(r, p + 1) &&
			    !form_read_seq(r, p + 1, next - 1))
				return false;
		} else {
			do
				if (!form_read_element(r, p))
					return false;
			while (more && conf_arg_comma(r->a));
		}
		p = next + (more ? 4 : 0);
	}
	return true;
}

bool
conf_form_read(const char *form, const struct conf_opt *sub, struct conf_args *a)
{
	struct reader r = { a->ctx, sub, a };

	return form_read_seq(&r, form, form + strlen(form));
}
