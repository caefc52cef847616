/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constructors of tree nodes. A list is threaded through `next`; the first node stores
 * the last node. The parser's thread calls. Tested by test/unit/test_conf_golden.c. */
#include "filter/lang/ast.h"
#include "filter/value/fvalue.h"
#include "filter/set/frange.h"
#include "filter/set/pfx_pattern.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"

#define CHUNK_LEN 4000 /* octets of items in a chunk of a set literal */

struct set_chunk {
	struct set_chunk *next;
	uint32_t used;
	uint8_t data[CHUNK_LEN];
};

struct fnode *
ast_new(struct ast *t, enum fnode_kind k, struct src_pos pos)
{
	struct fnode *n = arena_zalloc(t->scratch, sizeof(*n));

	n->kind = (uint8_t)k;
	n->pos = pos;
	n->type = T_ANY;
	n->depth = 1;
	return n;
}

static void
ast_add_depth(struct ast *t, struct fnode *n, const struct fnode *list)
{
	for (; list; list = list->next)
		if (list->depth >= n->depth)
			n->depth = (uint16_t)(list->depth + 1);
	if (n->depth <= AST_DEPTH_MAX)
		return;
	if (!t->too_deep)
		diag_error(t->diag, n->pos, "nested too deeply (more than %d levels)",
		    AST_DEPTH_MAX);
	t->too_deep = true;
	/* remove the tree below: the tree won't be used, but must stay harmless */
	n->a = n->b = n->c = NULL;
	n->kind = FN_CONST;
	n->value = fvalue_u32(T_INT, 0);
	n->depth = 1;
}

struct fnode *
ast_const(struct ast *t, struct src_pos pos, struct fvalue v)
{
	struct fnode *n = ast_new(t, FN_CONST, pos);

	n->value = v;
	n->type = v.type;
	return n;
}

struct fnode *
ast_node(struct ast *t, enum fnode_kind k, struct src_pos pos, struct fnode *a,
    struct fnode *b, struct fnode *c)
{
	struct fnode *n = ast_new(t, k, pos);

	n->a = a;
	n->b = b;
	n->c = c;
	ast_add_depth(t, n, a);
	ast_add_depth(t, n, b);
	if (k == FS_IF && c &&
	    c->kind == FS_IF) /* a chain of else if: walked, not recursed into */
		n->depth = c->depth > n->depth ? c->depth : n->depth;
	else
		ast_add_depth(t, n, c);
	return n;
}

struct fnode *
ast_name(struct ast *t, enum fnode_kind k, struct src_pos pos, const char *name,
    struct fnode *a, struct fnode *b)
{
	struct fnode *n = ast_node(t, k, pos, a, b, NULL);

	n->name = name;
	return n;
}

struct fnode *
ast_binary(
    struct ast *t, struct src_pos pos, enum fop op, struct fnode *a, struct fnode *b)
{
	struct fnode *n = ast_node(t, FN_BINARY, pos, a, b, NULL);

	n->op = (uint8_t)op;
	return n;
}

struct fnode *
ast_logic(
    struct ast *t, struct src_pos pos, enum fop op, struct fnode *a, struct fnode *b)
{
	/* A chain in parentheses keeps its op as an operand. Only a chain that is the
	 * left operand and not in parentheses has flag false, and only such a chain
	 * continues. */
	if (a->kind == FN_LOGIC && !a->flag) {
		struct fnode *n = a;

		b = ast_node(t, FN_RANGE, pos, b, NULL, NULL);
		b->op = (uint8_t)op;
		n->last_a->next = b;
		n->last_a = b;
		ast_add_depth(t, n, b);
		return n;
	} else {
		struct fnode *n = ast_new(t, FN_LOGIC, pos);

		n->a = ast_node(t, FN_RANGE, a->pos, a, NULL, NULL);
		n->last_a = ast_node(t, FN_RANGE, pos, b, NULL, NULL);
		n->last_a->op = (uint8_t)op;
		n->a->next = n->last_a;
		ast_add_depth(t, n, n->a);
		return n;
	}
}

struct fnode *
ast_list(struct fnode *first, struct fnode *x)
{
	if (!x)
		return first;
	if (!first) {
		x->list_last = x;
		x->next = NULL;
		return x;
	}
	first->list_last->next = x;
	first->list_last = x;
	x->next = NULL;
	return first;
}

struct fnode *
ast_with_list(struct ast *t, enum fnode_kind k, struct src_pos pos, struct fnode *list)
{
	return ast_node(t, k, pos, list, NULL, NULL);
}

/* ---- set literals ---- */

struct set_lit *
set_lit_new(struct ast *t)
{
	return arena_zalloc(t->scratch, sizeof(struct set_lit));
}

static void *
ast_chunk_room(
    struct ast *t, struct set_chunk **first, struct set_chunk **last, uint32_t size)
{
	struct set_chunk *c = *last;

	if (!c || c->used + size > CHUNK_LEN) {
		c = arena_alloc(t->scratch, sizeof(*c));
		c->next = NULL;
		c->used = 0;
		if (*last)
			(*last)->next = c;
		else
			*first = c;
		*last = c;
	}
	c->used += size;
	return c->data + c->used - size;
}

void
set_lit_prefix(struct ast *t, struct set_lit *l, const struct pfx_pattern *p)
{
	memcpy(ast_chunk_room(t, &l->pat, &l->pat_last, sizeof(*p)), p, sizeof(*p));
	l->pat_cnt++;
}

void
set_lit_num(struct ast *t, struct set_lit *l, uint32_t lo, uint32_t hi)
{
	struct frange32 r = { lo, hi };

	memcpy(ast_chunk_room(t, &l->num, &l->num_last, sizeof(r)), &r, sizeof(r));
	l->num_cnt++;
}

static void
ast_join_chunks(struct set_chunk **first, struct set_chunk **last, struct set_chunk *more,
    struct set_chunk *more_last)
{
	if (!more)
		return;
	if (*last)
		(*last)->next = more;
	else
		*first = more;
	*last = more_last;
}

void
set_lit_join(struct set_lit *l, struct set_lit *more)
{
	ast_join_chunks(&l->pat, &l->pat_last, more->pat, more->pat_last);
	ast_join_chunks(&l->num, &l->num_last, more->num, more->num_last);
	l->pat_cnt += more->pat_cnt;
	l->num_cnt += more->num_cnt;
	memset(more, 0, sizeof(*more));
}

void
set_lit_item(struct ast *t, struct set_lit *l, struct fnode *item)
{
	(void)t;
	if (l->item_last)
		l->item_last->next = item;
	else
		l->item = item;
	l->item_last = item;
}

static void *
ast_flatten(const struct set_chunk *c, size_t size)
{
	uint8_t *out = mem_alloc(MEM_CONFIG, size + 1);
	size_t at = 0;

	for (; c; c = c->next) {
		memcpy(out + at, c->data, c->used);
		at += c->used;
	}
	return out;
}

struct pfx_pattern *
set_lit_patterns(const struct set_lit *l)
{
	return ast_flatten(l->pat, l->pat_cnt * sizeof(struct pfx_pattern));
}

struct frange32 *
set_lit_nums(const struct set_lit *l)
{
	return ast_flatten(l->num, l->num_cnt * sizeof(struct frange32));
}

const char *
fop_sign(enum fop op)
{
	static const char *const sign[OP_CNT] = {
		[OP_ADD] = "+",
		[OP_SUB] = "-",
		[OP_MUL] = "*",
		[OP_DIV] = "/",
		[OP_BITAND] = "&",
		[OP_BITOR] = "|",
		[OP_CONCAT] = "++",
		[OP_EQ] = "=",
		[OP_NE] = "!=",
		[OP_LT] = "<",
		[OP_LE] = "<=",
		[OP_GT] = ">",
		[OP_GE] = ">=",
		[OP_MATCH] = "~",
		[OP_NMATCH] = "!~",
		[OP_AND] = "&&",
		[OP_OR] = "||",
	};

	return sign[op] ? sign[op] : "?";
}
