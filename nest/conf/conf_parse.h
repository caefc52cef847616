/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser's state, shared by the files of nest/conf: lexer, grammar, and what the
 * grammar calls. lives: one config_parse or cli_expr_parse. owner: its caller. */
#ifndef TERN_NEST_CONF_PARSE_H
#define TERN_NEST_CONF_PARSE_H

#include "filter/lang/ast.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/check.h"
#include "lib/mem/arena.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_tree.h"

struct conf_args;
struct conf_opt;

#define CONF_INCLUDE_DEPTH 8

/* A file that is being read, or has been; texts stay until the parser ends (marks under
 * errors). */
struct lex_file {
	struct lex_file *up; /* who includes it */
	struct diag_file df;
	unsigned depth; /* 1: the main file */
	uint32_t line; /* of the next token */
	const char *line_start;
	void *flex_buffer;
};

/* A growing array of pointers in the making. */
struct conf_list {
	void **item;
	unsigned cnt, cap;
};

struct conf_ctx {
	struct diag *diag;
	const struct conf_env *env;
	struct config *cfg; /* NULL when a CLI expression is parsed */
	struct arena *arena; /* of the result */
	struct arena scratch; /* of trees and words; reset after each top-level entry */
	struct sym_table *syms;
	struct ast ast;
	struct fctx fc;

	/* lexer */
	void *scanner;
	struct lex_file *file; /* innermost */
	struct sha256 *digest; /* of files that have ended; of a command NULL */
	int start_token; /* given first; 0: was given */
	int prev_token, before_prev; /* the last token, and the one before */
	uint64_t names; /* keywords that have become names, a bit each */
	struct src_pos token_end,
	    prev_end; /* behind these, the last and the one before */
	struct src_pos *brace; /* of { that aren't closed; MEM_CONFIG */
	uint32_t brace_cnt, brace_cap;
	bool skip_block; /* leave out all up to the } that closes the block at hand */
	bool takes_routes; /* the block at hand, or to come, is that of static routes */
	/* of a statement at the top level: up to here it consists of words */
	bool only_words;
	uint8_t table_part; /* enum table_part: of TYPE table NAME at hand */
	uint8_t first_part; /* enum first_part: of the statement at the top level */
	bool put_semicolon; /* the last token: the lexer's, after an error */
	bool ended; /* the end of the main file was read, and is given again */
	bool in_set; /* between [ and ], no other bracket since */
	bool cli; /* end where an operand follows an operand */
	uint32_t token_cnt; /* read so far */
	bool given_up; /* env->stop was seen, and an error says so */
	unsigned nesting; /* of brackets, with cli */
	const char *text_end; /* with cli: end of the last token given */
	char word[64]; /* text of the last token, for messages */

	/* results in the making */
	struct conf_list tables, protos, logs, clis, tests;
	struct fnode *cli_tree; /* what a CLI expression was parsed into */
};

/* conf_gram.y */
int conf_gram_parse(struct conf_ctx *c);

/* conf_lex.l */
/* conf_lex_last - text of the last token, for messages. */
const char *conf_lex_last(struct conf_ctx *c);
/* conf_lex_between - the text between two tokens of one character, the second of which
 * was among the last two given; runs of blanks are made one. "..." if it isn't at
 * hand. */
const char *conf_lex_between(
    struct conf_ctx *c, struct src_pos open, struct src_pos close);
void conf_lex_init(struct conf_ctx *c);
void conf_lex_fini(struct conf_ctx *c);
/* conf_lex_stops - is the configuration not wanted any more (env->stop)? Asked now and
 * then, since large ones take seconds. Says so once, as an error. */
bool conf_lex_stops(struct conf_ctx *c);
/* conf_lex_open - read @path next. Returns: false after an error at @at. */
bool conf_lex_open(struct conf_ctx *c, const char *path, struct src_pos at);
void conf_lex_text(struct conf_ctx *c, const char *name, const char *text, size_t len);

/* conf_run.c */
/* conf_run - as many constant items of a set as come at @from, which is behind [ or a
 * comma. @pos: of the first; @out: all of them. Returns: what is behind them, a comma or
 * ]; NULL if the first isn't one that it takes. Counts lines. */
const char *conf_run(
    struct conf_ctx *c, const char *from, struct src_pos *pos, struct set_lit **out);

/* conf_routes.c */
/* conf_routes - as many plain static routes as come at @from, where an option may begin.
 * @pos, @out: of them. Returns: what is behind them; NULL if the first isn't one that it
 * takes. Counts lines. */
const char *conf_routes(
    struct conf_ctx *c, const char *from, struct src_pos *pos, struct ct_option **out);

/* What the grammar calls at the end of each entry (conf_entry.c). */
void conf_define(
    struct conf_ctx *c, struct src_pos pos, const char *name, struct fnode *e);
void conf_attribute(
    struct conf_ctx *c, struct src_pos pos, const char *name, enum ftype t);
void conf_attribute_bgp(
    struct conf_ctx *c, struct src_pos pos, const char *name, uint32_t code);
void conf_function(struct conf_ctx *c, struct src_pos pos, const char *name,
    struct fnode *params, enum ftype result, struct fnode *body);
void conf_filter(
    struct conf_ctx *c, struct src_pos pos, const char *name, struct fnode *body);
void conf_eval(struct conf_ctx *c, struct fnode *e);
void conf_test_suite(
    struct conf_ctx *c, struct src_pos pos, const char *func, const char *text);
void conf_test_same(
    struct conf_ctx *c, struct src_pos pos, const char *a, const char *b, bool same);
/* conf_entry_end - the tree of an entry isn't needed any more. */
void conf_entry_end(struct conf_ctx *c);
/* conf_const - @e evaluated now; T_VOID after an error. */
struct fvalue conf_const(struct conf_ctx *c, struct fnode *e);
const struct filter *conf_where(struct conf_ctx *c, struct src_pos pos, struct fnode *e);
const struct filter *conf_inline_filter(
    struct conf_ctx *c, struct src_pos pos, struct fnode *body);
const struct filter *conf_named_filter(
    struct conf_ctx *c, struct src_pos pos, const char *name);

/* conf_global.c */
void conf_global(struct conf_ctx *c, struct ct_option *o);
void conf_globals_init(struct conf_ctx *c);
struct conf_table *conf_table_new(
    struct conf_ctx *c, struct src_pos pos, const char *name, enum conf_table_kind kind);

/* conf_proto.c */
/* `protocol CLASS NAME from TEMPLATE`, or `template`. */
struct proto_head {
	const char *class_word;
	struct src_pos pos; /* of it */
	const char *name; /* NULL: one is made up */
	struct src_pos name_pos;
	const char *from; /* NULL: none */
	struct src_pos from_pos;
	bool is_template;
};

void conf_proto(struct conf_ctx *c, const struct proto_head *h, struct ct_block *b);

void conf_channels_finish(struct conf_ctx *c, struct conf_proto *p);
void conf_channels_default(struct conf_proto *p);
/* conf_protos_finish - when the whole file has been read. */
void conf_protos_finish(struct conf_ctx *c);

/* conf_clash.c */
/* conf_clashes_warn - of each instance that wants the peer of one before it. */
void conf_clashes_warn(struct conf_ctx *c);

/* conf_arg.c, conf_opt.c */
/* conf_arg_value - the value at @a, of a literal or of a constant; NULL: there is none.
 */
const struct fvalue *conf_arg_value(struct conf_ctx *c, const struct conf_args *a);
/* conf_opt_apply - find the row of @o in @table and store its value in @to.
 * Returns: false if the table has no such option (nothing was said). */
bool conf_opt_apply(
    struct conf_ctx *c, const struct conf_opt *table, struct ct_option *o, void *to);
/* conf_opt_words - how many words of the option match @words, all of which must. 0: they
 * don't. */
unsigned conf_opt_words(const char *words, const struct ct_option *o);
/* conf_opt_unknown - say that nobody knows @o. @what: "bgp protocol", ... @tables: those
 * that were tried, ended by NULL, for a suggestion. */
void conf_opt_unknown(struct conf_ctx *c, const struct ct_option *o, const char *what,
    const struct conf_opt *const *tables);
/* conf_opt_end - is the option closed by a semicolon? Says so if not. */
void conf_opt_end(struct conf_ctx *c, const struct ct_option *o);

void conf_list_add(struct conf_list *l, void *p);
/* conf_list_take - the items in @a; the list is left empty. */
void *conf_list_take(struct conf_list *l, struct arena *a);

#endif
