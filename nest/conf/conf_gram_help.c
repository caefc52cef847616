/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constructors for the grammar besides those of filter/lang/ast.h and
 * nest/conf/opt/conf_tree.h. Loop: the thread that parses. Tested by
 * test/unit/test_conf_golden.c. */
#include "nest/conf/conf_gram_help.h"
#include "filter/lang/ast.h"
#include "filter/lang/diag.h"
#include "filter/lang/ext.h"
#include "filter/lang/ext_words.h"
#include "filter/run/net.h"
#include "filter/set/pfx_pattern.h"
#include "filter/set/set.h"
#include "filter/value/enum_const.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/base/spell.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "nest/conf/opt/conf_tree.h"

/* of `filter steps` */
#define STEPS_MIN 1000
#define STEPS_MAX 1000000000

/* ---- names and types ---- */

/* Strings become values, so strings live as long as the configuration. */
struct fvalue
gram_string(struct conf_ctx *c, const char *s)
{
	struct fvalue v = { .type = T_STRING, .len = (uint32_t)strlen(s) };

	v.str = arena_strdup(c->arena, s);
	return v;
}

int
gram_set_type(struct conf_ctx *c, struct src_pos pos, int elem)
{
	enum ftype t = ftype_set_of((enum ftype)elem);

	if (t == T_VOID) {
		diag_error(
		    c->diag, pos, "no set can hold %s", ftype_name((enum ftype)elem));
		return T_SET_INT;
	}
	return t;
}

struct fvalue
gram_empty_set(void)
{
	return (struct fvalue){ .type = T_SET_EMPTY, .set = fset_empty() };
}

/* ---- networks ---- */

struct fvalue
gram_roa(
    struct conf_ctx *c, struct src_pos pos, struct fvalue p, uint32_t max, uint32_t asn)
{
	struct fnet n = { .kind = p.fam == FAM_IP4 ? NET_ROA4 : NET_ROA6,
		.fam = p.fam,
		.len = p.plen,
		.num = asn,
		.addr = p.ip };

	if (max < p.plen || max > (p.fam == FAM_IP4 ? 32 : 128))
		diag_error(c->diag, pos, "the greatest length must be from %u to %u",
		    p.plen, p.fam == FAM_IP4 ? 32 : 128);
	n.len2 = (uint8_t)max;
	return fvalue_net(c->arena, &n, NULL, 0);
}

struct fvalue
gram_sadr(struct conf_ctx *c, struct src_pos pos, struct fvalue dst, struct fvalue src)
{
	struct fnet n = { .kind = NET_IP6_SADR,
		.fam = FAM_IP6,
		.len = dst.plen,
		.len2 = src.plen,
		.addr = dst.ip,
		.src = src.ip };

	if (dst.fam != FAM_IP6 || src.fam != FAM_IP6)
		diag_error(c->diag, pos, "PREFIX from PREFIX wants IPv6 prefixes");
	return fvalue_net(c->arena, &n, NULL, 0);
}

struct fvalue
gram_vpn(struct conf_ctx *c, struct fvalue rd, struct fvalue p)
{
	struct fnet n = { .kind = p.fam == FAM_IP4 ? NET_VPN4 : NET_VPN6,
		.fam = p.fam,
		.len = p.plen,
		.rd = { rd.w[0], rd.w[1] },
		.addr = p.ip };

	return fvalue_net(c->arena, &n, NULL, 0);
}

struct fvalue
gram_net_word(struct conf_ctx *c, struct src_pos pos, int kind, uint32_t num)
{
	struct fnet n = { .kind = (uint8_t)kind, .fam = FAM_IP6, .num = num };

	if (kind == NET_MPLS && num > 0xfffff)
		diag_error(c->diag, pos, "a label is a number up to 1048575");
	return fvalue_net(c->arena, &n, NULL, 0);
}

/* ---- options ---- */

/* The last option of a block may lack its semicolon: { states, routes }. */
struct ct_option *
gram_open(struct ct_option *o, struct src_pos end)
{
	if (o) {
		o->open = true;
		o->end = end;
	}
	return o;
}

struct ct_option *
gram_route(struct conf_ctx *c, struct src_pos pos, struct ct_option *o,
    struct fnode *code, struct src_pos code_pos)
{
	struct ct_option *out = ct_option_new(
	    &c->scratch, ct_item_word(&c->scratch, pos, "route"));

	out->last->next = o->item;
	out->last = o->last;
	if (code)
		ct_option_add(out, ct_item_filter(&c->scratch, CT_CODE, code_pos,
				       conf_inline_filter(c, code_pos, code)));
	return out;
}

const char *
gram_version(struct conf_ctx *c, struct src_pos pos, const char *class,
    const char *version, const char *name)
{
	if (!conf_lex_is_version(class, version))
		diag_error(c->diag, pos, "unexpected '%s', expected from or '{'", name);
	return name;
}

void
gram_filter_steps(struct conf_ctx *c, struct src_pos pos, const char *word, uint32_t max)
{
	if (strcmp(word, "steps"))
		diag_error(c->diag, pos, "unexpected number behind 'filter %s'", word);
	else if (max < STEPS_MIN || max > STEPS_MAX)
		diag_error(c->diag, pos, "number out of range: %u (allowed: %u to %u)",
		    max, STEPS_MIN, STEPS_MAX);
	else
		c->fc.steps_max = max;
	ext_add(c->diag->ext, pos, KNOWN_TERN, "statement 'filter %s'", word);
}

void
gram_filter_stacks(struct conf_ctx *c, struct src_pos pos, const char *word)
{
	if (strcmp(word, "stacks"))
		diag_error(c->diag, pos, "unexpected number behind 'filter %s'", word);
	else
		diag_warning(c->diag, pos,
		    "filter stacks has no effect: stacks have a fixed size");
	ext_add(c->diag->ext, pos, KNOWN_BIRD_3, "statement 'filter %s'", word);
}

bool
gram_is_bgp_attribute(struct conf_ctx *c, struct src_pos pos, const char *word, int type)
{
	if (!strcmp(word, "bgp") && type == T_BYTES)
		return true;
	diag_error(c->diag, pos, "expected a type, or bgp N bytestring NAME");
	return false;
}

/* ---- statements ---- */

struct fnode *
gram_with_locals(struct conf_ctx *c, struct fnode *locals, struct fnode *body)
{
	(void)c;
	if (!locals)
		return body;
	locals->list_last->next = body->a;
	body->a = locals;
	return body;
}

struct fnode *
gram_decl(struct conf_ctx *c, struct src_pos pos, int type, const char *name,
    struct fnode *init)
{
	struct fnode *n = ast_name(&c->ast, FS_DECL, pos, name, init, NULL);
	struct conf_decl *d = arena_zalloc(&c->scratch, sizeof(*d));

	*d = (struct conf_decl){ c->declared, name };
	c->declared = d;

	n->type = (uint8_t)type;
	return n;
}

struct fnode *
gram_stmt(struct conf_ctx *c, struct src_pos pos, struct fnode *stmt)
{
	return stmt ? stmt : ast_with_list(&c->ast, FS_BLOCK, pos, NULL);
}

struct fnode *
gram_for(struct conf_ctx *c, struct src_pos pos, int type, const char *name,
    struct fnode *list, struct fnode *body)
{
	struct fnode *n = ast_name(
	    &c->ast, FS_FOR, pos, name, list, gram_stmt(c, pos, body));

	n->type = (uint8_t)type;
	return n;
}

void
gram_assign(struct conf_ctx *c, struct fnode *target, struct fnode *e)
{
	(void)c;
	target->a = e;
	if (e->depth >= target->depth)
		target->depth = (uint16_t)(e->depth + 1);
}

/* conf_gram_help_check_assign - check a call that drops its value: x.add(y) and similar
 * calls change x; unset(x) is a statement. */
static struct fnode *
conf_gram_help_check_assign(struct conf_ctx *c, struct src_pos pos, struct fnode *e)
{
	static const char name[] = " assigned"; /* no variable has this name */
	struct fnode *to = e->a, *value = to->next, *list, *set, *same;

	to->next = NULL;
	list = ast_list(NULL, gram_decl(c, pos, T_ANY, name, value));
	set = ast_name(&c->ast, FS_ASSIGN, to->pos, to->name,
	    ast_name(&c->ast, FN_NAME, pos, name, NULL, NULL), NULL);
	same = ast_binary(
	    &c->ast, pos, OP_EQ, to, ast_name(&c->ast, FN_NAME, pos, name, NULL, NULL));
	list = ast_list(list, set);
	list = ast_list(list, ast_name(&c->ast, FS_ASSERT, pos,
				  "the value is the assigned value", same, NULL));
	return ast_with_list(&c->ast, FS_BLOCK, pos, list);
}

struct fnode *
gram_expr_stmt(struct conf_ctx *c, struct src_pos pos, struct fnode *e)
{
	struct fnode *n;

	if (e->kind == FN_METHOD && e->a->kind == FN_NAME) {
		n = ast_name(&c->ast, FS_ASSIGN, pos, e->a->name, e, NULL);
		return n;
	}
	if (e->kind == FN_CALL && !strcmp(e->name, "unset") && e->a && !e->a->next &&
	    e->a->kind == FN_NAME)
		return ast_name(&c->ast, FS_UNSET, e->a->pos, e->a->name, NULL, NULL);
	if (e->kind == FN_CALL && !strcmp(e->name, "bt_check_assign") && e->a &&
	    e->a->kind == FN_NAME && e->a->next && !e->a->next->next)
		return conf_gram_help_check_assign(c, pos, e);
	return ast_node(&c->ast, FS_EXPR, pos, e, NULL, NULL);
}

struct fnode *
gram_arm(
    struct conf_ctx *c, struct src_pos pos, struct set_lit *labels, struct fnode *stmts)
{
	struct fnode *n = ast_with_list(&c->ast, FS_ARM, pos, stmts);

	if (n->kind == FS_ARM)
		n->lit = labels;
	return n;
}

struct fnode *
gram_method(struct conf_ctx *c, struct src_pos pos, const char *name,
    struct fnode *object, struct fnode *args)
{
	struct fnode *n = ast_name(&c->ast, FN_METHOD, pos, name, object, args);

	n->flag = true;
	if (!args)
		ext_add(c->diag->ext, pos, KNOWN_TERN,
		    "the empty list of arguments of method '%s'", name);
	return n;
}

struct fnode *
gram_unknown(struct fnode *tuple)
{
	tuple->op = OP_UNKNOWN;
	return tuple;
}

/* ---- sets ---- */

struct fnode *
gram_set(struct conf_ctx *c, struct src_pos pos, struct set_lit *l)
{
	struct fnode *n = ast_new(&c->ast, FN_SET, pos);

	n->lit = l;
	return n;
}

void
gram_set_add(struct conf_ctx *c, struct set_lit *l, const struct set_elem *e)
{
	if (e->kind == 3)
		set_lit_join(l, e->lit);
	else if (e->kind == 2)
		set_lit_prefix(&c->ast, l, &e->pattern);
	else if (e->kind == 1)
		set_lit_num(&c->ast, l, e->lo, e->hi);
	else if (e->node)
		set_lit_item(&c->ast, l, e->node);
}

struct set_elem
gram_atom(struct conf_ctx *c, struct src_pos pos, struct fnode *e)
{
	struct fnode *f = gram_range(c, pos, e, NULL);

	return (struct set_elem){ .node = ast_with_list(&c->ast, FN_SET_ITEM, pos, f) };
}

struct set_elem
gram_named(struct conf_ctx *c, struct src_pos pos, const char *name)
{
	struct set_elem e = gram_atom(
	    c, pos, ast_name(&c->ast, FN_NAME, pos, name, NULL, NULL));

	e.name = enum_const_find(name) ? NULL : name;
	return e;
}

void
gram_label(struct conf_ctx *c, struct src_pos pos, const struct set_elem *e)
{
	if (e->name)
		ext_add(c->diag->ext, pos, KNOWN_TERN,
		    "the constant '%s' without parentheses in a label", e->name);
	else if (e->kind == 2)
		ext_add(c->diag->ext, pos, KNOWN_TERN, "a prefix as a label");
}

/* help_elem_node - the node of a range's end, also for a number whose opposite end is a
 * node. */
static struct fnode *
help_elem_node(struct conf_ctx *c, struct src_pos pos, const struct set_elem *e)
{
	if (e->kind == 0)
		return e->node;
	return gram_atom(c, pos, ast_const(&c->ast, pos, fvalue_u32(T_INT, e->lo))).node;
}

struct set_elem
gram_set_range(struct conf_ctx *c, struct src_pos pos, const struct set_elem *lo,
    const struct set_elem *hi)
{
	struct fnode *n;

	if (lo->kind == 1 && hi->kind == 1) {
		if (lo->lo > hi->lo)
			diag_error(
			    c->diag, pos, "a range must ascend: %u..%u", lo->lo, hi->lo);
		return (struct set_elem){ .kind = 1, .lo = lo->lo, .hi = hi->lo };
	}
	n = help_elem_node(c, pos, lo);
	n->c = help_elem_node(c, pos, hi);
	return (struct set_elem){ .node = n, .name = lo->name ? lo->name : hi->name };
}

/* gram_const - the value of @e, where the parser reads sets before the variables of the
 * function have symbols. */
static struct fvalue
gram_const(struct conf_ctx *c, struct fnode *e)
{
	const struct conf_decl *d = c->declared;

	while (d && (e->kind != FN_NAME || strcmp(d->name, e->name) != 0))
		d = d->next;
	if (!d)
		return conf_const(c, e);
	diag_error(c->diag, e->pos, "'%s' isn't constant, and a constant is wanted here",
	    e->name);
	return (struct fvalue){ .type = T_VOID };
}

static bool
conf_gram_help_bound(struct conf_ctx *c, struct fnode *e, unsigned max, uint8_t *out)
{
	struct fvalue v = gram_const(c, e);

	if (v.type == T_VOID)
		return false;
	if (v.type != T_INT || v.i > max) {
		diag_error(
		    c->diag, e->pos, "a prefix length from 0 to %u is wanted here", max);
		return false;
	}
	*out = (uint8_t)v.i;
	return true;
}

struct set_elem
gram_pattern(struct conf_ctx *c, struct src_pos pos, struct fvalue v, uint32_t sign,
    struct fnode *lo, struct fnode *hi)
{
	unsigned max = v.fam == FAM_IP4 ? 32 : 128;
	struct set_elem e = { .kind = 2 };

	e.pattern = (struct pfx_pattern){ v.ip, v.plen, v.plen, v.plen, v.fam };
	if (sign == '+') {
		e.pattern.hi = (uint8_t)max;
	} else if (sign == '-') {
		e.pattern.lo = 0;
	} else if (sign == '{') {
		if (!conf_gram_help_bound(c, lo, max, &e.pattern.lo) ||
		    !conf_gram_help_bound(c, hi, max, &e.pattern.hi))
			return e;
		if (e.pattern.lo > e.pattern.hi)
			diag_error(c->diag, pos, "prefix lengths {%u,%u} must ascend",
			    e.pattern.lo, e.pattern.hi);
	}
	return e;
}

struct set_elem
gram_pattern_short(struct conf_ctx *c, struct src_pos pos, const struct fvalue *v)
{
	diag_error(c->diag, pos, "unexpected '}', expected ','");
	return v ? gram_pattern(c, pos, *v, 0, NULL, NULL)
		 : (struct set_elem){ .node = NULL };
}

struct set_elem
gram_named_pattern(struct conf_ctx *c, struct src_pos pos, const char *name,
    uint32_t sign, struct fnode *lo, struct fnode *hi)
{
	struct fvalue v = gram_const(
	    c, ast_name(&c->ast, FN_NAME, pos, name, NULL, NULL));

	ext_set_prefix(c->diag, pos, name);
	if (v.type == T_PREFIX && v.fam != FVALUE_NET)
		return gram_pattern(c, pos, v, sign, lo, hi);
	if (v.type == T_PREFIX)
		diag_error(c->diag, pos,
		    "'%s' is more than a prefix, and a prefix is wanted here", name);
	else if (v.type != T_VOID)
		diag_error(c->diag, pos,
		    "'%s' is of type %s, and a prefix is wanted here", name,
		    ftype_name(v.type));
	return (struct set_elem){ .node = NULL };
}

struct fnode *
gram_range(struct conf_ctx *c, struct src_pos pos, struct fnode *lo, struct fnode *hi)
{
	return ast_node(&c->ast, FN_RANGE, pos, lo, hi, NULL);
}

struct fnode *
gram_tuple(struct conf_ctx *c, struct src_pos pos, struct fnode *x, struct fnode *y,
    struct fnode *z)
{
	return ast_with_list(
	    &c->ast, FN_SET_ITEM, pos, ast_list(ast_list(ast_list(NULL, x), y), z));
}

struct fnode *
gram_mask(struct conf_ctx *c, struct src_pos pos, enum mask_kind k, struct fnode *lo,
    struct fnode *hi)
{
	struct fnode *n = ast_node(&c->ast, FN_MASK_ITEM, pos, lo, hi, NULL);

	n->op = (uint8_t)k;
	return n;
}

struct fvalue
gram_target(struct conf_ctx *c, struct src_pos pos, struct fnode *x, struct fnode *y,
    struct fnode *z)
{
	struct set_elem e = { .node = gram_tuple(c, pos, x, y, z) };
	struct set_lit *l = set_lit_new(&c->ast);

	gram_set_add(c, l, &e);
	return conf_const(c, gram_set(c, pos, l));
}

/* ---- messages ---- */

void
gram_found(struct conf_ctx *c, struct strbuf *b, const char *found)
{
	if (!found)
		strbuf_addf(b, "unexpected end of %s", c->expr.on ? "command" : "file");
	else if (*found == '"')
		strbuf_addf(b, "unexpected text %s", found);
	else
		strbuf_addf(b, "unexpected '%s'", found);
}

bool
gram_misspelt(struct conf_ctx *c)
{
	static const char *const known[] = { "accept", "reject", "return", "if", "else",
		"case", "for", "print", "printn", "error" };
	struct src_pos at;
	const char *word = conf_lex_before(c, &at);
	struct spell sp;

	if (!word)
		return false;
	spell_init(&sp, word);
	for (unsigned i = 0; i < ARRAY_LEN(known); i++)
		spell_add(&sp, known[i]);
	diag_unknown(c->diag, at, "command", word, sp.best);
	return true;
}

/* Names of symbols are words, or signs in quotes ('(' or "&&"). */
void
gram_expected(struct strbuf *b, const char *name, int i, int cnt)
{
	size_t len = strlen(name);

	strbuf_adds(b, i == 0 ? ", expected " : i == cnt - 1 ? " or " : ", ");
	if (len > 2 && name[0] == '"') {
		name++;
		len -= 2;
	}
	if (len == 3 && name[0] == '\'')
		strbuf_add(b, name, len);
	else if (strchr("!<>&|.+-[=", name[0]))
		strbuf_addf(b, "'%.*s'", (int)len, name);
	else
		strbuf_add(b, name, len);
}
