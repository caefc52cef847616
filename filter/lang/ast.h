/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of a filter, function or expression as the grammar builds the tree. The depth
 * is limited when a node is built, so walks over the tree may recurse. Owner: the
 * parser. Life: a scratch arena, freed after code generation. Loop: the parser's
 * thread. */
#ifndef TERN_FILTER_LANG_AST_H
#define TERN_FILTER_LANG_AST_H

#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"
#include "lib/base/check.h"

struct pfx_pattern;

#define AST_DEPTH_MAX 250

enum fnode_kind {
	/* expressions */
	FN_CONST, /* value */
	FN_NAME, /* name: variable, constant, attribute, table */
	FN_NOT, /* a */
	FN_BINARY, /* a op b */
	/* list a: operands from the left; the op of each operand but the first is AND or
	 * OR */
	FN_LOGIC,
	FN_CALL, /* name(list a) */
	FN_METHOD, /* a.name(list b); flag: has parentheses */
	FN_TUPLE, /* list a: (x, y) or (x, y, z); op: OP_UNKNOWN for (unknown x, y, z) */
	FN_SET, /* lit */
	FN_MASK, /* list a of FN_MASK_ITEM */
	/* parts of set and mask literals */
	FN_RANGE, /* a, or a .. b; neither: a wildcard */
	/* list a of FN_RANGE: one is an atom, else a tuple (op as FN_TUPLE); c:
	 * FN_SET_ITEM after .. */
	FN_SET_ITEM,
	FN_MASK_ITEM, /* op: enum mask_kind; a, b: bounds or set; flag: + follows */
	/* statements */
	FS_DECL, /* type name [= a]; */
	FS_ASSIGN, /* name = a; */
	FS_IF, /* a, then b, else c */
	FS_CASE, /* a, list b of FS_ARM */
	FS_ARM, /* lit (NULL: else), list a */
	FS_FOR, /* type name in a do b; type T_ANY: none was given */
	FS_RETURN, /* a or NULL */
	FS_ACCEPT, /* list a: messages */
	FS_REJECT, /* list a */
	FS_ERROR, /* list a */
	FS_PRINT, /* list a; flag: without a newline */
	FS_BLOCK, /* list a */
	FS_EXPR, /* a: its value is dropped */
	FS_UNSET, /* name */
	FS_ASSERT /* a; name: its text */
};

enum fop {
	OP_NONE,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_BITAND,
	OP_BITOR,
	OP_CONCAT,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_MATCH,
	OP_NMATCH,
	OP_AND,
	OP_OR,
	OP_UNKNOWN, /* mark of (unknown ...) tuples */
	OP_CNT
};

/* What check.c found a FN_NAME to be; kept in its op. */
enum fname_kind {
	NAME_NONE, /* not looked at, or an error */
	NAME_VAR, /* slot */
	NAME_ATTR, /* index: route attribute */
	NAME_CUSTOM /* index: id of a custom attribute */
};

/* The same for FN_CALL, FN_METHOD and FN_BINARY. */
enum fcall_kind {
	CALL_BUILTIN = 1, /* index; types are known */
	CALL_DYNAMIC, /* index: any of that name; kind of builtin in slot */
	CALL_FUNC, /* sym */
	CALL_DEFINED, /* list a: one operand */
	CALL_EC, /* FN_TUPLE: kind in index, parts in list a */
	CALL_ROUTE /* FN_METHOD: an attribute of the route a */
};

struct set_chunk;

/* A set literal: constant items of common kinds are stored in arrays. */
struct set_lit {
	struct set_chunk *pat, *pat_last; /* struct pfx_pattern */
	struct set_chunk *num, *num_last; /* struct frange32 */
	uint32_t pat_cnt, num_cnt;
	struct fnode *item, *item_last; /* FN_SET_ITEM: all other items */
};

/* A node of the tree. Owner: the parser. Freed by: the scratch arena of the parser. */
struct fnode {
	uint8_t kind; /* enum fnode_kind */
	uint8_t op; /* enum fop; enum fname_kind */
	uint8_t call; /* enum fcall_kind (check.c) */
	uint8_t type; /* enum ftype: declared, or found by check.c */
	bool flag;
	uint16_t depth; /* of the tree below, with its lists */
	uint16_t slot; /* of a declared variable (check.c) */
	uint32_t index; /* builtin, attribute (check.c) */
	struct src_pos pos;
	struct fnode *next; /* in a list */
	struct fnode *a, *b, *c;
	struct fnode *last_a; /* end of list a, while it is built */
	/* end of the list that begins with this node, during construction */
	struct fnode *list_last;
	const char *name;
	struct sym *sym; /* FN_NAME, FN_CALL after check.c */
	union {
		struct fvalue value;
		struct set_lit *lit;
	};
};

/* What the constructors need. owner: the parser. */
struct ast {
	struct arena *scratch; /* of the tree */
	struct diag *diag;
	bool too_deep; /* said already */
};

struct fnode *ast_new(struct ast *t, enum fnode_kind k, struct src_pos pos);
struct fnode *ast_const(struct ast *t, struct src_pos pos, struct fvalue v);
struct fnode *ast_name(struct ast *t, enum fnode_kind k, struct src_pos pos,
    const char *name, struct fnode *a, struct fnode *b);
/* ast_node - a node with up to three children. */
struct fnode *ast_node(struct ast *t, enum fnode_kind k, struct src_pos pos,
    struct fnode *a, struct fnode *b, struct fnode *c);
struct fnode *ast_binary(
    struct ast *t, struct src_pos pos, enum fop op, struct fnode *a, struct fnode *b);
/* ast_logic - a && b, a || b; chains become one list. */
struct fnode *ast_logic(
    struct ast *t, struct src_pos pos, enum fop op, struct fnode *a, struct fnode *b);
/* ast_list - append @x to the list that begins with @first (NULL: a new one). Returns:
 * the list. */
struct fnode *ast_list(struct fnode *first, struct fnode *x);
/* ast_with_list - a node whose list a is @list. */
struct fnode *ast_with_list(
    struct ast *t, enum fnode_kind k, struct src_pos pos, struct fnode *list);

struct set_lit *set_lit_new(struct ast *t);
void set_lit_prefix(struct ast *t, struct set_lit *l, const struct pfx_pattern *p);
void set_lit_num(struct ast *t, struct set_lit *l, uint32_t lo, uint32_t hi);
/* set_lit_join - the constant items of @more (no nodes) go into @l; @more is left
 * empty. */
void set_lit_join(struct set_lit *l, struct set_lit *more);
void set_lit_item(struct ast *t, struct set_lit *l, struct fnode *item);
/* set_lit_patterns, set_lit_nums - all items in one array, which the caller frees with
 * mem_free(MEM_CONFIG). */
OWNED struct pfx_pattern *set_lit_patterns(const struct set_lit *l);
OWNED struct frange32 *set_lit_nums(const struct set_lit *l);

/* fop_sign - the sign of the operator @op: "+". */
const char *fop_sign(enum fop op);

#endif
