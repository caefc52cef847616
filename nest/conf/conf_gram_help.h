/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares what the grammar's actions call besides the constructors of nodes. Loop: the
 * thread that parses. */
#ifndef TERN_NEST_CONF_CONF_GRAM_HELP_H
#define TERN_NEST_CONF_CONF_GRAM_HELP_H

#include "filter/lang/diag.h"
#include "filter/set/mask.h"
#include "filter/set/pfx_pattern.h"
#include "filter/value/fvalue.h"
#include "lib/base/check.h"
#include "nest/conf/conf_parse.h"

/* An item of a set literal; a constant item needs no node. Owner: the parser's stack, as
 * by value. Lives: until gram_set_add has copied the item. */
struct set_elem {
	uint8_t kind; /* 0: node, 1: number range, 2: pattern, 3: literal */
	uint32_t lo, hi;
	struct pfx_pattern pattern;
	struct fnode *node;
	struct set_lit *lit; /* many constant items (conf_run.c) */
	const char *name; /* of a user's constant; NULL: the item has no such name */
};

/* gram_named - an item that is the constant @name. */
struct set_elem gram_named(struct conf_ctx *c, struct src_pos pos, const char *name);
/* gram_label - note a label of `case` that BIRD 2.17 refuses. */
void gram_label(struct conf_ctx *c, struct src_pos pos, const struct set_elem *e);

/* Names and types. */
struct fvalue gram_string(struct conf_ctx *c, const char *s);
int gram_set_type(struct conf_ctx *c, struct src_pos pos, int elem);
/* Networks of kinds besides IPv4 and IPv6 (filter/run/net.h). */
struct fvalue gram_roa(
    struct conf_ctx *c, struct src_pos pos, struct fvalue p, uint32_t max, uint32_t asn);
struct fvalue gram_sadr(
    struct conf_ctx *c, struct src_pos pos, struct fvalue dst, struct fvalue src);
struct fvalue gram_vpn(struct conf_ctx *c, struct fvalue rd, struct fvalue p);
struct fvalue gram_net_word(
    struct conf_ctx *c, struct src_pos pos, int kind, uint32_t num);
struct fvalue gram_empty_set(void);

/* Options. */
struct ct_option *gram_open(struct ct_option *o, struct src_pos end);
struct ct_option *gram_route(struct conf_ctx *c, struct src_pos pos, struct ct_option *o,
    struct fnode *code, struct src_pos code_pos);
/* gram_is_bgp_attribute - are the words `attribute bgp N bytestring`? */
bool gram_is_bgp_attribute(
    struct conf_ctx *c, struct src_pos pos, const char *word, int type);
/* gram_target - make a value of a tuple in an option that takes a set of one item. */
struct fvalue gram_target(struct conf_ctx *c, struct src_pos pos, struct fnode *x,
    struct fnode *y, struct fnode *z);
/* gram_version - check a version; return the name behind the version, as in `protocol
 * ospf v2 NAME`. */
const char *gram_version(struct conf_ctx *c, struct src_pos pos, const char *class,
    const char *version, const char *name);
void gram_filter_steps(
    struct conf_ctx *c, struct src_pos pos, const char *word, uint32_t max);
void gram_filter_stacks(struct conf_ctx *c, struct src_pos pos, const char *word);

/* Statements. */
struct fnode *gram_with_locals(
    struct conf_ctx *c, struct fnode *locals, struct fnode *body);
struct fnode *gram_decl(struct conf_ctx *c, struct src_pos pos, int type,
    const char *name, struct fnode *init);
struct fnode *gram_stmt(struct conf_ctx *c, struct src_pos pos, struct fnode *stmt);
struct fnode *gram_for(struct conf_ctx *c, struct src_pos pos, int type, const char *name,
    struct fnode *list, struct fnode *body);
void gram_assign(struct conf_ctx *c, struct fnode *target, struct fnode *e);
struct fnode *gram_expr_stmt(struct conf_ctx *c, struct src_pos pos, struct fnode *e);
struct fnode *gram_arm(
    struct conf_ctx *c, struct src_pos pos, struct set_lit *labels, struct fnode *stmts);
struct fnode *gram_method(struct conf_ctx *c, struct src_pos pos, const char *name,
    struct fnode *object, struct fnode *args);
struct fnode *gram_unknown(struct fnode *tuple);

/* Sets and masks. */
struct fnode *gram_set(struct conf_ctx *c, struct src_pos pos, struct set_lit *l);
void gram_set_add(struct conf_ctx *c, struct set_lit *l, const struct set_elem *e);
struct set_elem gram_set_range(struct conf_ctx *c, struct src_pos pos,
    const struct set_elem *lo, const struct set_elem *hi);
struct set_elem gram_pattern(struct conf_ctx *c, struct src_pos pos, struct fvalue v,
    uint32_t sign, struct fnode *lo, struct fnode *hi);
/* gram_pattern_short - a pattern with a single length, which is an error. @v: its prefix;
 * NULL: unknown. */
struct set_elem gram_pattern_short(
    struct conf_ctx *c, struct src_pos pos, const struct fvalue *v);
struct set_elem gram_named_pattern(struct conf_ctx *c, struct src_pos pos,
    const char *name, uint32_t sign, struct fnode *lo, struct fnode *hi);
struct set_elem gram_atom(struct conf_ctx *c, struct src_pos pos, struct fnode *e);
struct fnode *gram_range(
    struct conf_ctx *c, struct src_pos pos, struct fnode *lo, struct fnode *hi);
struct fnode *gram_tuple(struct conf_ctx *c, struct src_pos pos, struct fnode *x,
    struct fnode *y, struct fnode *z);
struct fnode *gram_mask(struct conf_ctx *c, struct src_pos pos, enum mask_kind k,
    struct fnode *lo, struct fnode *hi);

/* gram_misspelt - report the word before the last token, which begins a command and is
 * followed by none of `=`, `(` and `.`. Returns: false: nothing is reported. */
bool gram_misspelt(struct conf_ctx *c);
/* Texts of syntax errors. @found: NULL at the end of the file. */
void gram_found(struct conf_ctx *c, struct strbuf *b, const char *found);
void gram_expected(struct strbuf *b, const char *name, int i, int cnt);

#endif
