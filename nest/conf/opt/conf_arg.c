/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the items behind an option's words: words, signs, and values of the common
 * types. A constant's name stands for its value. Loop: the thread that parses. Tested by
 * test/unit/test_conf_golden.c. */
#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/base/secret.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/opt/conf_tree.h"

struct conf_args
conf_args_of(struct conf_ctx *c, const struct ct_option *o)
{
	return (struct conf_args){ .ctx = c, .at = o ? o->item : NULL, .opt = o };
}

enum arg_kind
conf_arg_peek(const struct conf_args *a)
{
	if (!a->at)
		return ARG_END;
	switch (a->at->kind) {
	case CT_WORD:
		return ARG_WORD;
	case CT_VALUE:
		return ARG_VALUE;
	case CT_CHAR:
		return a->at->chr == ',' ? ARG_COMMA : ARG_OTHER;
	case CT_BLOCK:
		return ARG_BLOCK;
	default:
		return ARG_OTHER;
	}
}

struct src_pos
conf_arg_pos(const struct conf_args *a)
{
	return a->at ? a->at->pos : a->opt->end.line ? a->opt->end : a->opt->pos;
}

struct src_pos
conf_arg_start(const struct conf_args *a)
{
	return a->opt->pos;
}

bool
conf_arg_word(struct conf_args *a, const char *w)
{
	if (!a->at || a->at->kind != CT_WORD || strcmp(a->at->word, w))
		return false;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_comma(struct conf_args *a)
{
	if (conf_arg_peek(a) != ARG_COMMA)
		return false;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_other(struct conf_args *a, char sign)
{
	if (!a->at || a->at->kind != CT_CHAR || a->at->chr != sign)
		return false;
	a->at = a->at->next;
	return true;
}

void
conf_arg_skip(struct conf_args *a)
{
	a->at = NULL;
}

bool
conf_arg_list(struct conf_args *a, struct conf_args *in)
{
	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_arg_expected(a, "'{'");
	*in = conf_args_of(a->ctx, a->at->block->option);
	if (!in->opt || in->opt->next) {
		conf_error(a->ctx, a->at->pos, "expected a list: { a, b }");
		return false;
	}
	a->at = a->at->next;
	return true;
}

const char *
conf_arg_next_word(struct conf_args *a)
{
	const char *w;

	if (!a->at || a->at->kind != CT_WORD)
		return NULL;
	w = a->at->word;
	a->at = a->at->next;
	return w;
}

/* conf_arg_describe - name the item at @a, for a message. */
static void
conf_arg_describe(struct strbuf *b, const struct conf_args *a)
{
	switch (conf_arg_peek(a)) {
	case ARG_END:
		strbuf_adds(b, "the end of the option");
		break;
	case ARG_WORD:
		strbuf_addf(b, "'%s'", a->at->word);
		break;
	case ARG_VALUE:
		strbuf_addf(b, "a value of type %s", ftype_name(a->at->value.type));
		break;
	case ARG_COMMA:
		strbuf_adds(b, "','");
		break;
	case ARG_BLOCK:
		strbuf_adds(b, "'{'");
		break;
	default:
		if (a->at->kind == CT_CHAR)
			strbuf_addf(b, "'%c'", a->at->chr);
		else
			strbuf_adds(b, "a filter");
	}
}

/* arg_is_stranger - is the item an unknown word in capitals, probably the name of a
 * constant? */
static bool
arg_is_stranger(const struct conf_args *a)
{
	return a->at && a->at->kind == CT_WORD && !sym_find(a->ctx->syms, a->at->word) &&
	       a->at->word[strcspn(a->at->word, "abcdefghijklmnopqrstuvwxyz")] == '\0';
}

/* arg_ends_line - does the item at @a begin a line? *@at: position of the item before; of
 * the `}` of a block. */
static bool
arg_ends_line(const struct conf_args *a, struct src_pos *at)
{
	const struct ct_item *i = a->opt->item;

	while (i && i->next != a->at)
		i = i->next;
	if (!i || !a->at)
		return false;
	*at = i->kind == CT_BLOCK ? i->block->end : i->pos;
	return a->at->pos.file == at->file && a->at->pos.line > at->line;
}

bool
conf_arg_expected(const struct conf_args *a, const char *what)
{
	struct src_pos at;
	struct strbuf b;

	if (a->at && a->at->kind == CT_VALUE && a->at->value.type == T_VOID)
		/* a message has reported the constant's failed evaluation */
		return false;
	if (arg_ends_line(a, &at)) {
		conf_error(a->ctx, at, "expected %s at the end of this line", what);
		return false;
	}
	strbuf_init(&b);
	conf_arg_describe(&b, a);
	if (arg_is_stranger(a))
		strbuf_adds(&b, ", and no constant has this name");
	conf_error(a->ctx, conf_arg_pos(a), "expected %s, found %s", what, b.s);
	strbuf_fini(&b);
	return false;
}

bool
conf_arg_expected_switch(const struct conf_args *a, const char *words)
{
	struct src_pos at;

	return conf_arg_expected(a, arg_ends_line(a, &at) ? "';'" : words);
}

/* The value at @a, of a literal or of a constant. */
const struct fvalue *
conf_arg_value(const struct conf_args *a)
{
	struct sym *s;

	if (!a->at)
		return NULL;
	if (a->at->kind == CT_VALUE)
		return &a->at->value;
	if (a->at->kind != CT_WORD)
		return NULL;
	s = sym_find(a->ctx->syms, a->at->word);
	return s && s->class == SYM_CONSTANT ? &s->value : NULL;
}

void
conf_arg_secret(const struct conf_args *a)
{
	struct sym *s = a->at && a->at->kind == CT_WORD
			    ? sym_find(a->ctx->syms, a->at->word)
			    : NULL;
	const struct fvalue *v = conf_arg_value(a);
	struct conf_secret *w;

	if (s && s->class == SYM_CONSTANT)
		s->secret = true;
	a->ctx->wipe.entry = a->ctx->wipe.texts = true;
	if (!v || (v->type != T_STRING && v->type != T_BYTES))
		return;
	w = arena_alloc(a->ctx->arena, sizeof(*w));
	*w = (struct conf_secret){ a->ctx->wipe.secrets,
		v->type == T_STRING ? (uint8_t *)(uintptr_t)v->str
				    : (uint8_t *)(uintptr_t)v->octets,
		v->len };
	a->ctx->wipe.secrets = w;
}

void
conf_arg_secrets(struct conf_ctx *c, const struct ct_option *o)
{
	bool secret = false;

	for (const struct ct_item *i = o->item; i; i = i->next) {
		struct conf_args a = { .ctx = c, .at = i };

		if (secret)
			conf_arg_secret(&a);
		secret |= i->kind == CT_WORD && secret_option(i->word, strlen(i->word));
	}
}

bool
conf_arg_is_value(const struct conf_args *a, enum ftype t)
{
	const struct fvalue *v = conf_arg_value(a);

	return v && (enum ftype)v->type == t;
}

bool
conf_arg_u32(struct conf_args *a, uint32_t *out, uint64_t min, uint64_t max)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || v->type != T_INT)
		return conf_arg_expected(a, "a number");
	if (v->i < min || v->i > max) {
		conf_error(a->ctx, conf_arg_pos(a),
		    "number out of range: %u (allowed: %llu to %llu)", v->i,
		    (unsigned long long)min, (unsigned long long)max);
		return false;
	}
	*out = v->i;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_bounded(struct conf_args *a, uint32_t *out, uint64_t min, uint64_t max)
{
	const struct fvalue *v = conf_arg_value(a);
	struct src_pos at = conf_arg_pos(a);
	uint32_t n = v && v->type == T_INT ? v->i : 0;

	if (!v || v->type != T_INT || (n >= min && n <= max))
		return conf_arg_u32(a, out, min, max);
	*out = (uint32_t)(n < min ? min : max);
	conf_warning(a->ctx, at,
	    "number out of range: %u (allowed: %llu to %llu); %u counts", n,
	    (unsigned long long)min, (unsigned long long)max, *out);
	a->at = a->at->next;
	return true;
}

bool
conf_arg_ip(struct conf_args *a, struct ip_addr *out)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || v->type != T_IP)
		return conf_arg_expected(a, "an IP address");
	*out = v->ip;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_prefix(struct conf_args *a, struct prefix *out)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || v->type != T_PREFIX || v->fam == FVALUE_NET)
		return conf_arg_expected(a, "a prefix");
	*out = fvalue_to_prefix(v);
	a->at = a->at->next;
	return true;
}

bool
conf_arg_string(struct conf_args *a, const char **out)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || v->type != T_STRING)
		return conf_arg_expected(a, "text in double quotes");
	*out = v->str;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_bytes(struct conf_args *a, const uint8_t **out, uint32_t *len)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || v->type != T_BYTES)
		return conf_arg_expected(a, "a byte string");
	*out = v->octets;
	*len = v->len;
	a->at = a->at->next;
	return true;
}

void
conf_arg_seconds(struct conf_args *a, bool unitless)
{
	struct src_pos at = conf_arg_pos(a);
	bool given = conf_arg_word(a, "s");

	if (given == unitless)
		conf_ext(a->ctx, at, KNOWN_TERN, "%s",
		    unitless ? "the unit 's' behind a number of seconds"
			     : "a time without a unit");
}

void
conf_ext_truth(const struct conf_args *a)
{
	struct conf_args ahead = *a;
	struct src_pos at = conf_arg_pos(a);

	if (conf_arg_word(&ahead, "true") || conf_arg_word(&ahead, "false"))
		conf_ext(a->ctx, at, KNOWN_TERN, "the switch '%s'", a->at->word);
}

bool
conf_arg_truth(struct conf_args *a, bool *out)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || (v->type != T_BOOL && v->type != T_INT))
		return false;
	*out = v->i != 0;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_switch(struct conf_args *a, bool *out)
{
	if (!a->at) {
		*out = true;
		return true;
	}
	conf_ext_truth(a);
	if (conf_arg_word(a, "on") || conf_arg_word(a, "yes") ||
	    conf_arg_word(a, "true")) {
		*out = true;
		return true;
	}
	if (conf_arg_word(a, "off") || conf_arg_word(a, "no") ||
	    conf_arg_word(a, "false")) {
		*out = false;
		return true;
	}
	return conf_arg_truth(a, out) ||
	       conf_arg_expected_switch(a, "on, yes, true, off, no or false");
}

bool
conf_arg_code(struct conf_args *a, const struct filter **out)
{
	if (!a->at || a->at->kind != CT_CODE)
		return false;
	*out = a->at->filter;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_routes(struct conf_args *a, const struct ct_routes **out)
{
	if (!a->at || a->at->kind != CT_ROUTES)
		return false;
	*out = a->at->routes;
	a->at = a->at->next;
	return true;
}

bool
conf_arg_done(struct conf_args *a)
{
	return a->at ? conf_arg_expected(a, "';'") : true;
}
