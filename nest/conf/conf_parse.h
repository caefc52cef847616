/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser's state, shared by lexer, grammar and the grammar's functions.
 *
 * Owner of struct conf_ctx: config_parse or cli_expr_parse. Lives: for a call of either
 * function. The owner frees the lists and buffers.
 *
 * Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_CONF_PARSE_H
#define TERN_NEST_CONF_CONF_PARSE_H

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
struct conf_kept;
struct conf_opt;

#define CONF_INCLUDE_DEPTH 8

/* A file while and after the parser reads the file; texts stay until the parser ends, for
 * the marks under errors. Owner: the parser. Life: the parser's arena. */
struct lex_file {
	struct lex_file *up; /* the including file */
	struct diag_file df;
	unsigned depth; /* 1: the main file */
	uint32_t line; /* line of the next token */
	const char *line_start;
	void *flex_buffer;
	uint64_t inode, device; /* both 0: no file, the text of a command */
};

/* A growing array of pointers. Owner: struct conf_ctx. Life: embedded; list_free in
 * conf_load.c frees the array. */
struct conf_list {
	void **item;
	unsigned cnt, cap;
};

/* Open { at present, for the marks under errors. conf_lex.l. Owner: struct conf_ctx.
 * Life: embedded. */
struct conf_braces {
	struct src_pos *at; /* MEM_CONFIG */
	uint32_t cnt, cap;
	/* after an error: open { of the block that goes on; 0: no error */
	uint32_t recover_depth;
	/* the parser goes on behind the arms of a `case`, and no `;` ends the recovery */
	bool recover_arms;
};

/* The last tokens. conf_lex.l. Owner: struct conf_ctx. Life: embedded. */
struct conf_tokens {
	void *scanner;
	int start; /* first token of the grammar; 0: already given */
	int prev, before_prev; /* the last two tokens */
	struct src_pos end, prev_end; /* end of the last token, end of the token before */
	/* the last token of an earlier line: its sign and its end */
	int line_prev;
	struct src_pos line_end;
	uint32_t cnt; /* tokens read so far */
	bool put_semicolon; /* the lexer made up the last token, after an error */
	bool ended; /* the main file has ended; give the end again */
	char word[64]; /* text of the last token, for messages */
};

/* The place in a statement: some words are keywords in some places only. conf_lex.l.
 * Owner: struct conf_ctx. Life: embedded. */
struct conf_place {
	bool skip_block; /* leave out all tokens up to the } of the present block */
	bool skips_options; /* the next block belongs to a protocol known by name only */
	bool skips_disabled; /* the left-out options contain `disabled` */
	const char *class; /* the last word behind `protocol` or `template` */
	bool has_version; /* the last word is a version behind the class: ospf v3 */
	bool takes_routes; /* the present or next block takes static routes */
	/* the top-level statement has had only words so far */
	bool only_words;
	bool in_set; /* between [ and ], with no bracket within */
	uint8_t table_part; /* enum table_part: progress within TYPE table NAME */
	uint8_t first_part; /* enum first_part: start of the top-level statement */
	uint8_t open_part; /* enum open_part: progress within a statement without `;` */
	uint64_t names; /* a bit for each keyword that became a name */
};

/* An expression of a command, in place of files. conf_lex.l, conf_load.c. Owner: struct
 * conf_ctx. Life: embedded. */
struct conf_expr {
	bool on; /* end where an operand follows an operand */
	unsigned nesting; /* of brackets */
	const char *text_end; /* end of the last token given */
	struct fnode *tree; /* tree of the expression */
};

/* A variable or an argument that the top-level entry at hand declares. Owner: the
 * parser's scratch arena. Life: the entry. */
struct conf_decl {
	const struct conf_decl *next;
	const char *name;
};

/* A secret literal in the arena of the configuration. Owner: the arena. Life: as long as
 * the parser. */
struct conf_secret {
	const struct conf_secret *next;
	uint8_t *octet;
	size_t len;
};

/* What the parser wipes (conf_arg_secret). Owner: the parser. By value. */
struct conf_wipe {
	bool entry; /* a secret in the present top-level entry: the scratch arena */
	bool texts; /* a secret in any entry: the texts of all files */
	const struct conf_secret *secrets; /* newest first */
};

/* Owner, life: above. */
struct conf_ctx {
	struct diag *diag;
	const struct conf_env *env;
	struct config *cfg; /* NULL when a CLI expression is parsed */
	struct arena *arena; /* keeps the result */
	/* keeps trees and words; reset after each top-level entry */
	struct arena scratch;
	struct sym_table *syms;
	struct ast ast;
	struct fctx fc;

	const struct conf_decl *declared; /* newest first */

	/* lexer */
	struct lex_file *file; /* innermost file */
	struct sha256 *digest; /* over files that have ended; NULL for a command */
	struct conf_tokens token;
	struct conf_braces brace;
	struct conf_place place;
	bool given_up; /* an error has reported env->stop */
	unsigned entry_errors; /* errors before the top-level entry at hand */

	const struct conf_kept *kept; /* values of files (conf_file_value) */
	struct conf_wipe wipe;

	/* unfinished results */
	struct conf_list tables, protos, logs, clis, tests;
	struct conf_expr expr;
};

/* conf_gram.y */
int conf_gram_parse(struct conf_ctx *c);

/* conf_lex.l */
/* conf_lex_before - the word before the last token, and its place. Returns: NULL: no
 * word. */
const char *conf_lex_before(struct conf_ctx *c, struct src_pos *at);
/* conf_lex_is_version - is @word, the single word behind @class, a version, as in
 * `protocol ospf v3 { }`? */
bool conf_lex_is_version(const char *class, const char *word);
/* conf_lex_last - text of the last token, for messages. */
const char *conf_lex_last(struct conf_ctx *c);
/* conf_lex_between - the text between two tokens of one character; @close is the last
 * token or the token before. Shortens runs of blanks to a blank. "...": the text is not
 * at hand. */
const char *conf_lex_between(
    struct conf_ctx *c, struct src_pos open, struct src_pos close);
void conf_lex_init(struct conf_ctx *c);
void conf_lex_fini(struct conf_ctx *c);
/* conf_lex_open - read the file @path next. Returns: false after an error, reported at
 * @at. */
bool conf_lex_open(struct conf_ctx *c, const char *path, struct src_pos at);
void conf_lex_text(struct conf_ctx *c, const char *name, const char *text, size_t len);

/* conf_stop.c */
/* conf_stops - has env->stop cancelled the reading? The readers of text ask now and then,
 * because large files take seconds; the first such call adds an error. */
bool conf_stops(struct conf_ctx *c);

/* conf_run.c */
/* conf_run - read constant items of a set at @from, directly behind [ or a comma. @pos:
 * the first item's position; @out: all items. Counts lines. Returns: the comma or ]
 * behind the items; NULL: the first item is too unusual. */
const char *conf_run(
    struct conf_ctx *c, const char *from, struct src_pos *pos, struct set_lit **out);

/* conf_routes.c */
/* conf_routes - read static routes of the form of struct ct_routes at @from, where an
 * option may begin. @pos: the first route's position; @out: all routes. Counts lines.
 * Returns: the text behind the routes; NULL: the first route is too unusual. */
const char *conf_routes(
    struct conf_ctx *c, const char *from, struct src_pos *pos, struct ct_option **out);

/* The grammar calls these functions at the end of each entry (conf_entry.c). */
/* conf_define_bad - the definition of @name has an error, which was reported; the value
 * has no type, and a use of @name causes no further error. */
void conf_define_bad(struct conf_ctx *c, struct src_pos pos, const char *name);
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
/* conf_entry_end - forget the tree of the entry. */
void conf_entry_end(struct conf_ctx *c);
/* conf_const - evaluate @e now; T_VOID after an error. */
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
/* `protocol CLASS NAME from TEMPLATE`, or `template`. Owner: the grammar's action. Life:
 * by value, on the parser's stack. */
struct proto_head {
	const char *class_word;
	struct src_pos pos; /* of the class's word */
	const char *name; /* NULL: the parser makes up a name */
	struct src_pos name_pos;
	const char *from; /* NULL: none */
	struct src_pos from_pos;
	bool is_template;
};

void conf_proto(struct conf_ctx *c, const struct proto_head *h, struct ct_block *b);

void conf_channels_finish(struct conf_ctx *c, struct conf_proto *p);
void conf_channels_default(struct conf_proto *p);
/* conf_protos_finish - complete all instances at the end of the file. */
void conf_protos_finish(struct conf_ctx *c);

/* conf_clash.c */
/* conf_clashes_warn - warn of each instance that wants an earlier instance's peer. */
void conf_clashes_warn(struct conf_ctx *c);

/* conf_arg.c, conf_opt.c */
/* conf_arg_value - the literal or constant at @a; NULL: no value stands there. */
const struct fvalue *conf_arg_value(const struct conf_args *a);
/* conf_opt_apply - find the row of @o in @table and store the option's value in @to.
 * Returns: false: the table has no such option (no message yet). */
bool conf_opt_apply(
    struct conf_ctx *c, const struct conf_opt *table, struct ct_option *o, void *to);
/* conf_opt_words - count the words of @words at the start of the option; 0: not all words
 * match. */
unsigned conf_opt_words(const char *words, const struct ct_option *o);
/* conf_opt_unknown - report that no table has the option @o. @what: "bgp protocol", ...
 * @tables: searched tables, ended by NULL, for a suggestion. */
void conf_opt_unknown(struct conf_ctx *c, const struct ct_option *o, const char *what,
    const struct conf_opt *const *tables);
/* conf_opt_end - check that a semicolon closes the option; report a missing semicolon. */
void conf_opt_end(struct conf_ctx *c, const struct ct_option *o);

void conf_list_add(struct conf_list *l, void *p);
/* conf_list_take - copy the items into @a, and empty the list. */
void *conf_list_take(struct conf_list *l, struct arena *a);

#endif
