/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the value of an option in the field that a table's row names. The row with the
 * most matching words wins: the search finds "import limit" before "import". Loop: the
 * thread that parses; functions on parsed options run in any thread. Tested by
 * test/unit/test_conf_golden.c and test/net/test_options.py. */
#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/secret.h"
#include "lib/base/spell.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_form.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/opt/conf_tree.h"

/* ---- values of the types ---- */

static bool
opt_read_time(struct conf_args *a, uint64_t *ns)
{
	uint32_t n;

	if (!conf_arg_u32(a, &n, 0, UINT32_MAX))
		return false;
	if (conf_arg_word(a, "ms"))
		*ns = n * 1000000ull;
	else if (conf_arg_word(a, "us"))
		*ns = n * 1000ull;
	else
		*ns = (conf_arg_seconds(a, false), n * 1000000000ull);
	return true;
}

static bool
opt_read_id(struct conf_args *a, uint32_t *out)
{
	const struct fvalue *v = conf_arg_value(a);

	if (v && v->type == T_IP && ip_is_v4(v->ip))
		*out = ip_to_v4(v->ip);
	else if (v && (v->type == T_INT || v->type == T_QUAD))
		*out = v->i;
	else
		return conf_arg_expected(a, "an IPv4 address or a number");
	a->at = a->at->next;
	return true;
}

static bool
opt_read_table(struct conf_args *a, const struct conf_table **out)
{
	struct sym *s = a->at && a->at->kind == CT_WORD
			    ? sym_find(a->ctx->syms, a->at->word)
			    : NULL;

	if (!a->at || a->at->kind != CT_WORD)
		return conf_arg_expected(a, "the name of a table");
	if (!s || s->class != SYM_TABLE) {
		diag_unknown(a->ctx->diag, a->at->pos, "table", a->at->word,
		    sym_near(a->ctx->syms, SYM_BIT(SYM_TABLE), a->at->word));
		return false;
	}
	*out = s->table;
	a->at = a->at->next;
	return true;
}

static bool
opt_read_filter(struct conf_args *a, const struct filter **out)
{
	if (conf_arg_word(a, "all")) {
		*out = &filter_accept_all;
	} else if (conf_arg_word(a, "none")) {
		*out = &filter_reject_all;
	} else if (a->at && a->at->kind == CT_FILTER) {
		/* after an error in the filter: store a harmless filter */
		*out = a->at->filter ? a->at->filter : &filter_reject_all;
		a->at = a->at->next;
	} else {
		return conf_arg_expected(a, "all, none, filter or where");
	}
	return true;
}

static bool
opt_read_limit(struct conf_args *a, struct conf_limit *out)
{
	static const char *const action[] = { [LIMIT_WARN] = "warn",
		[LIMIT_BLOCK] = "block",
		[LIMIT_RESTART] = "restart",
		[LIMIT_DISABLE] = "disable" };
	unsigned i;

	*out = (struct conf_limit){ 0, LIMIT_OFF };
	if (conf_arg_word(a, "off"))
		return true;
	if (!conf_arg_u32(a, &out->max, 0, UINT32_MAX))
		return false;
	out->action = LIMIT_DISABLE;
	if (conf_arg_word(a, "exceed")) /* old spelling: exceed warn */
		;
	else if (!conf_arg_word(a, "action"))
		return true;
	for (i = LIMIT_WARN; i <= LIMIT_DISABLE; i++) {
		if (conf_arg_word(a, action[i])) {
			out->action = (uint8_t)i;
			return true;
		}
	}
	return conf_arg_expected(a, "warn, block, restart or disable");
}

const struct opt_name conf_debug_names[] = {
	{ "all", DEBUG_ALL },
	{ "off", 0 },
	{ "states", DEBUG_STATES },
	{ "routes", DEBUG_ROUTES },
	{ "filters", DEBUG_FILTERS },
	{ "interfaces", DEBUG_INTERFACES },
	{ "events", DEBUG_EVENTS },
	{ "packets", DEBUG_PACKETS },
	{ NULL, 0 },
};

const struct opt_name conf_mrtdump_names[] = {
	{ "all", MRTDUMP_ALL },
	{ "off", 0 },
	{ "states", MRTDUMP_STATES },
	{ "messages", MRTDUMP_MESSAGES },
	{ NULL, 0 },
};

/* opt_read_name - read a word of @names at @a. Returns: false: no such word (no message
 * yet). */
static bool
opt_read_name(struct conf_args *a, const struct opt_name *names, uint32_t *out)
{
	for (; names->word; names++) {
		if (conf_arg_word(a, names->word)) {
			*out = names->value;
			return true;
		}
	}
	return false;
}

/* opt_expected_name - report that a word of @names was expected. Returns: false. */
static bool
opt_expected_name(const struct conf_args *a, const struct opt_name *names)
{
	struct ct_item on = { .kind = CT_WORD, .word = "on" };
	struct conf_args x = { .at = &on, .opt = a->opt };
	struct strbuf b;
	uint32_t value;

	strbuf_init(&b);
	for (const struct opt_name *n = names; n->word; n++)
		strbuf_addf(&b, "%s%s",
		    n == names  ? ""
		    : n[1].word ? ", "
				: " or ",
		    n->word);
	if (opt_read_name(&x, names, &value)) /* the option needs no word */
		conf_arg_expected_switch(a, b.s);
	else
		conf_arg_expected(a, b.s);
	strbuf_fini(&b);
	return false;
}

/* The words of { a, b, c } as a union of their values. */
static bool
opt_read_mask(struct conf_args *a, const struct opt_name *names, uint32_t *out)
{
	struct conf_args in;
	uint32_t bit = 0;

	if (opt_read_name(a, names, out))
		return true;
	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_arg_expected(a, "all, off or { ... }");
	names += 2; /* all, off */
	*out = 0;
	in = conf_args_of(a->ctx, a->at->block->option);
	if (!in.opt)
		return opt_expected_name(a, names);
	for (;;) {
		if (!opt_read_name(&in, names, &bit))
			return opt_expected_name(&in, names);
		*out |= bit;
		if (!in.at)
			break;
		if (!conf_arg_comma(&in))
			return conf_arg_expected(&in, "',' or '}'");
	}
	a->at = a->at->next;
	return true;
}

static bool
opt_read_enum(struct conf_args *a, const struct conf_opt *o, uint32_t *out)
{
	struct conf_args next = *a;
	bool truth;

	if (!a->at) { /* nothing means on */
		struct ct_item on = { .kind = CT_WORD, .word = "on" };
		struct conf_args x = { .at = &on, .opt = a->opt };

		if (opt_read_name(&x, o->names, out))
			return true;
	}
	conf_ext_truth(a);
	if (opt_read_name(a, o->names, out))
		return true;
	if (conf_arg_truth(&next, &truth)) { /* `1` means on, as for a switch */
		struct ct_item word = { .kind = CT_WORD, .word = truth ? "on" : "off" };
		struct conf_args x = { .at = &word, .opt = a->opt };

		if (opt_read_name(&x, o->names, out)) {
			*a = next;
			return true;
		}
	}
	return opt_expected_name(a, o->names);
}

static bool
opt_read_number(const struct conf_opt *o, struct conf_args *a, void *to)
{
	uint64_t max = o->max               ? o->max
		       : o->type == OPT_U8  ? UINT8_MAX
		       : o->type == OPT_U16 ? UINT16_MAX
					    : UINT32_MAX;
	uint32_t n;

	if (o->bounded ? !conf_arg_bounded(a, &n, o->min, max)
		       : !conf_arg_u32(a, &n, o->min, max))
		return false;
	if (o->type == OPT_TIME_S)
		conf_arg_seconds(a, true);
	if (o->type == OPT_U8)
		*(uint8_t *)to = (uint8_t)n;
	else if (o->type == OPT_U16)
		*(uint16_t *)to = (uint16_t)n;
	else
		*(uint32_t *)to = n;
	return true;
}

bool
conf_opt_value(const struct conf_opt *o, struct conf_args *a, void *base)
{
	void *to = base ? (char *)base + o->off : NULL; /* some only check */
	uint32_t n = 0;

	switch (o->type) {
	case OPT_SWITCH:
		return conf_arg_switch(a, to);
	case OPT_U32:
	case OPT_U16:
	case OPT_U8:
	case OPT_TIME_S:
		return opt_read_number(o, a, to);
	case OPT_TIME_NS:
		return opt_read_time(a, to);
	case OPT_ID:
		return opt_read_id(a, to);
	case OPT_IP:
		return conf_arg_ip(a, to);
	case OPT_STRING:
		return conf_arg_string(a, to);
	case OPT_TABLE:
		return opt_read_table(a, to);
	case OPT_FILTER:
		return opt_read_filter(a, to);
	case OPT_LIMIT:
		return opt_read_limit(a, to);
	case OPT_DEBUG:
		return opt_read_mask(a, o->names ? o->names : conf_debug_names, to);
	case OPT_ENUM:
		if (!opt_read_enum(a, o, &n))
			return false;
		*(uint8_t *)to = (uint8_t)n;
		return true;
	case OPT_FORM:
		if (o->words && secret_word(o->words, strlen(o->words)))
			conf_arg_secret(a);
		return conf_form_read(o->form, o->sub, a);
	case OPT_CUSTOM:
		a->row = o;
		return o->parse(a, base);
	default:
		a->at = NULL;
		return true;
	}
}

/* ---- finding the row ---- */

unsigned
conf_opt_words(const char *words, const struct ct_option *o)
{
	const struct ct_item *i = o->item;
	unsigned n = 0;

	while (*words) {
		size_t len = strcspn(words, " ");

		if (!i || i->kind != CT_WORD || strlen(i->word) != len ||
		    memcmp(i->word, words, len))
			return 0;
		words += len + (words[len] == ' ');
		i = i->next;
		n++;
	}
	return n;
}

/* conf_opt_is_wordless - does the option lack words, so that the value's type names the
 * option? */
static bool
conf_opt_is_wordless(const char *words, const struct ct_option *o)
{
	return (o->item->kind == CT_FILTER && !strcmp(words, "filter")) ||
	       (o->item->kind == CT_VALUE && o->item->value.type == T_PREFIX &&
		   !strcmp(words, "PREFIX"));
}

static const struct conf_opt *
opt_find_row(const struct conf_opt *table, const struct ct_option *o, unsigned *words)
{
	const struct conf_opt *best = NULL;

	*words = 0;
	for (; table->type != OPT_END; table++) {
		unsigned n = table->words ? conf_opt_words(table->words, o) : 0;

		if (table->words && conf_opt_is_wordless(table->words, o))
			return table;
		if (n > *words) {
			*words = n;
			best = table;
		}
	}
	return best;
}

/* opt_field_number - the value of the row's field, if the field is a number. */
static uint64_t
opt_field_number(const struct conf_opt *o, const void *base)
{
	const char *at = (const char *)base + o->off;

	switch (o->type) {
	case OPT_SWITCH:
		return *(const bool *)at;
	case OPT_U8:
	case OPT_ENUM:
		return *(const uint8_t *)at;
	case OPT_U16:
		return *(const uint16_t *)at;
	case OPT_U32:
	case OPT_TIME_S:
	case OPT_DEBUG:
		return *(const uint32_t *)at;
	case OPT_TIME_NS:
		return *(const uint64_t *)at;
	default:
		return UINT64_MAX;
	}
}

void
conf_opt_end(struct conf_ctx *c, const struct ct_option *o)
{
	if (o->open)
		conf_error(c, o->end, "expected ';' before '}'");
}

/* opt_read_later - check the value of an option of a later version, and drop the value.
 */
static void
opt_read_later(const struct conf_opt *row, struct conf_args *a)
{
	uint64_t room[8] = { 0 };
	struct conf_opt r = *row;

	r.off = 0;
	if (!conf_opt_value(&r, a, room) || !conf_arg_done(a) ||
	    opt_field_number(&r, room) == row->def)
		return;
	if (row->state == OPT_WARN)
		conf_warning(a->ctx, a->opt->pos,
		    "'%s' is not supported yet and has no effect", row->words);
	else
		conf_error(a->ctx, a->opt->pos, "'%s' is not supported yet", row->words);
}

/* opt_ext_row - note the use of an option that BIRD refuses. @a: behind the words. */
static void
opt_ext_row(const struct conf_opt *row, const struct conf_args *a)
{
	const struct conf_opt *end = row;

	if (row->known == KNOWN_DEFAULT || (row->known == KNOWN_NO_VALUE && !a->at))
		return;
	while (end->type != OPT_END)
		end++;
	conf_ext(a->ctx, a->opt->pos, row->known, "%s '%s'%s%s",
	    row->known == KNOWN_NO_VALUE ? "the value of option" : "option", row->words,
	    end->help ? " of " : "", end->help ? end->help : "");
}

bool
conf_opt_apply(
    struct conf_ctx *c, const struct conf_opt *table, struct ct_option *o, void *to)
{
	unsigned words;
	const struct conf_opt *row = opt_find_row(table, o, &words);
	struct ext_uses *ext = c->diag->ext;
	struct conf_args a = conf_args_of(c, o);
	unsigned i;

	if (!row)
		return false;
	for (i = 0; i < words; i++)
		a.at = a.at->next;
	opt_ext_row(row, &a);
	if (row->known >= KNOWN_BIRD_3) /* the line about the option includes the value */
		c->diag->ext = NULL;
	if (row->state != OPT_OK)
		opt_read_later(row, &a);
	else if (conf_opt_value(row, &a, to))
		conf_arg_done(&a);
	if (row->known == KNOWN_DEFAULT && opt_field_number(row, to) != row->def)
		conf_ext(c, o->pos, row->known, "the value of option '%s'", row->words);
	c->diag->ext = ext;
	conf_opt_end(c, o);
	return true;
}

/* ---- unknown options ---- */

/* opt_leading_words - the leading words of the option as a text. */
static void
opt_leading_words(struct strbuf *b, const struct ct_option *o, unsigned max)
{
	const struct ct_item *i = o->item;

	for (; i && i->kind == CT_WORD && max; i = i->next, max--)
		strbuf_addf(b, b->len ? " %s" : "%s", i->word);
}

static unsigned
opt_count_words(const char *s)
{
	unsigned n = 1;

	for (; *s; s++)
		n += *s == ' ';
	return n;
}

void
conf_opt_unknown(struct conf_ctx *c, const struct ct_option *o, const char *what,
    const struct conf_opt *const *tables)
{
	const char *best = NULL;
	unsigned least = 3;
	struct strbuf b;

	conf_arg_secrets(c, o);
	strbuf_init(&b);
	for (; *tables; tables++) {
		const struct conf_opt *t;

		for (t = *tables; t->type != OPT_END; t++) {
			unsigned d;

			if (!t->words)
				continue;
			strbuf_reset(&b);
			opt_leading_words(&b, o, opt_count_words(t->words));
			d = spell_distance(b.s, t->words);
			if (d < least && strlen(t->words) > 2 * d) {
				least = d;
				best = t->words;
			}
		}
	}
	strbuf_reset(&b);
	opt_leading_words(&b, o, 4);
	if (best)
		conf_error(c, o->pos, "unknown option '%s' of %s; did you mean '%s'?",
		    b.s, what, best);
	else
		conf_error(c, o->pos, "unknown option '%s' of %s", b.s, what);
	strbuf_fini(&b);
}

/* ---- defaults and comparison ---- */

static size_t
opt_field_size(const struct conf_opt *o)
{
	switch (o->type) {
	case OPT_SWITCH:
		return sizeof(bool);
	case OPT_U8:
	case OPT_ENUM:
		return 1;
	case OPT_U16:
		return 2;
	case OPT_U32:
	case OPT_TIME_S:
	case OPT_ID:
	case OPT_DEBUG:
		return 4;
	case OPT_TIME_NS:
		return 8;
	case OPT_IP:
		return sizeof(struct ip_addr);
	case OPT_FIELD:
		return o->min;
	default:
		return 0;
	}
}

void
conf_opt_defaults(const struct conf_opt *table, void *to)
{
	for (; table->type != OPT_END; table++) {
		size_t size = opt_field_size(table);

		if (table->state == OPT_OK && table->def && size &&
		    size <= sizeof(table->def))
			memcpy((char *)to + table->off, &table->def, size);
	}
}

static bool
conf_opt_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool
conf_opt_same(const struct conf_opt *o, const void *a, const void *b)
{
	const void *x = (const char *)a + o->off, *y = (const char *)b + o->off;
	const struct conf_limit *l = x, *m = y;
	const struct conf_table *t, *u;

	switch (o->type) {
	case OPT_STRING:
		return conf_opt_same_text(
		    *(const char *const *)x, *(const char *const *)y);
	case OPT_FILTER:
		return filter_same(
		    *(const struct filter *const *)x, *(const struct filter *const *)y);
	case OPT_LIMIT:
		return l->action == m->action &&
		       (l->action == LIMIT_OFF || l->max == m->max);
	case OPT_TABLE:
		t = *(const struct conf_table *const *)x;
		u = *(const struct conf_table *const *)y;
		return t == u ||
		       (t && u && t->kind == u->kind && !strcmp(t->name, u->name));
	default:
		return !memcmp(x, y, opt_field_size(o));
	}
}

void
conf_arg_block(
    struct conf_args *a, const char *what, const struct conf_opt *table, void *to)
{
	const struct conf_opt *const known[] = { table, NULL };

	for (struct ct_option *x = a->at->block->option; x; x = x->next)
		if (!conf_opt_apply(a->ctx, table, x, to))
			conf_opt_unknown(a->ctx, x, what, known);
	a->at = a->at->next;
}
