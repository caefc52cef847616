/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grammar of the configuration language. Each action calls a constructor.
 *
 * The parser handles a top-level entry at the entry's end, so that later entries see its
 * symbols and the parser can drop the entry's tree. Options of protocols, tables and the
 * top level are lists of words and values here; option tables define their meaning
 * (nest/conf/opt/conf_opt.h). */
%code requires {
#include "filter/lang/diag.h"
#include "filter/set/pfx_pattern.h"
#include "filter/value/fvalue.h"
#include "nest/conf/conf_gram_help.h"
#include "nest/conf/conf_net.h"
}

%code provides {
int conf_lex(CONF_GRAM_STYPE *v, struct src_pos *l, struct conf_ctx *c);
}

%code {
#include "filter/lang/ast.h"
#include "filter/lang/ext.h"
#include "filter/lang/ext_words.h"
#include "filter/set/mask.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "nest/conf/conf_flow.h"
#include "nest/conf/file/conf_origin.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_tree.h"

#define YYLLOC_DEFAULT(cur, rhs, n) ((cur) = (n) ? YYRHSLOC(rhs, 1) : YYRHSLOC(rhs, 0))
#define YYMAXDEPTH 100000

static int
conf_gram_lex(YYSTYPE *v, YYLTYPE *l, struct conf_ctx *c)
{
	return conf_lex(v, l, c);
}

static void
conf_gram_error(YYLTYPE *l, struct conf_ctx *c, const char *text)
{
	/* bison passes no text except for a full stack */
	(void)text;
	diag_error(c->diag, *l, "nested too deeply");
}
}

/* an error among the statements of an arm is an error of the statements (two shifts) */
%expect 2
%define api.pure full
%define api.prefix {conf_gram_}
%define api.location.type {struct src_pos}
%define parse.error custom
%locations
%param { struct conf_ctx *c }

%union {
	uint32_t num;
	const char *word;
	struct {
		const char *word;
		int type;
	} keyword;
	struct {
		const char *word;
		int kind;
	} net;
	int type;
	struct fvalue value;
	struct pfx_pattern pattern;
	struct set_elem elem;
	struct net_end net_end;
	struct set_lit *lit;
	struct origin_lit *origins;
	struct fnode *node;
	struct ct_item *item;
	struct ct_option *option;
	struct ct_block *block;
	const struct filter *filter;
}

%token YYEOF 0 "end of file"
%token TOKEN_BAD "invalid text"
%token START_CONFIG START_WHERE START_FILTER START_EVAL
/* tokens that may begin an operand */
%token <word> WORD "name" LABEL "label" FROM "from" STRING "string"
%token <num> NUM "number"
%token <value> IP_LITERAL "address" PREFIX_LITERAL "prefix" BYTES_LITERAL "byte string"
%token <pattern> PATTERN "prefix pattern"
%token <value> RD_LITERAL "route distinguisher" MAC_LITERAL "MAC address"
%token <net> FLOW "flow" FLOW_ROUTE "flow route" NET_WORD "network" ETH "eth" EVPN "evpn"
    NEIGHBOR "neighbor"
%token <type> EMPTY "empty list"
%token ORIGIN_SET "origin set"
%token <keyword> TYPE "type" ACCEPT "accept" ATTRIBUTE "attribute" BT_ASSERT "bt_assert"
    BT_TEST_SAME "bt_test_same" BT_TEST_SUITE "bt_test_suite" CASE "case" DEFINE "define" DO "do"
    ELSE "else" ELSE_LABEL "else:" ERROR "error" EVAL "eval" FALSE_VALUE "false" FILTER "filter"
    FOR "for" FUNCTION "function" IF "if" IN "in" INCLUDE "include" PRINT "print" PRINTN "printn"
    PROTOCOL "protocol" REJECT "reject" RETURN "return" ROUTE "route" SET "set"
    TEMPLATE "template" THEN "then" TRUE_VALUE "true" UNKNOWN "unknown" WHERE "where"
%token <word> MAX "max" AS "as"
%token NE "!=" LE "<=" GE ">=" NMATCH "!~" AND "&&" OR "||" DDOT ".." CONCAT "++" ARROW "->"
%token MASK_OPEN "[=" MASK_CLOSE "=]"
%token <lit> SET_RUN "items of a set"
%token <option> ROUTES "routes"

%type <word> name name_opt from_opt any_word
%type <type> type result_opt op_cmp
%type <node> expr operand postfix primary args arg_list exprs_opt exprs params param_list param
%type <node> locals stmts stmt simple lvalue call_stmt call_object arms tuple tuple_item field mask_items mask_item mask_atom
%type <node> body
%type <lit> set_items labels
%type <origins> origin_items
%type <net_end> evpn_end
%type <elem> set_item set_atom simple_atom simple_pattern label
%type <item> item first_item route_item tail flow_item
%type <option> option_body items route_items last_option flow_items
%type <block> block options flow_body flow_parts
%type <filter> filter_ref
%type <num> prefix_sign truth

%precedence NO_ELSE
%precedence ELSE
%left AND OR
%nonassoc CMP '=' '<' '>' '~' NE LE GE NMATCH
%left '+' '-' '|' CONCAT
%left '*' '/' '&'

%%

start:
  START_CONFIG entries
| START_WHERE expr		{ c->expr.tree = $2; }
| START_FILTER name		{ c->expr.tree = ast_name(&c->ast, FN_NAME, @2, $2, NULL, NULL); }
| START_FILTER body		{ c->expr.tree = $2; }
| START_EVAL expr		{ c->expr.tree = $2; }
;

entries:
  %empty
| entries entry			{ conf_entry_end(c); }
;

entry:
  ';'
| DEFINE name '=' expr ';'	{ conf_define(c, @2, $2, $4); }
| DEFINE name '=' error ';'	{ conf_define_bad(c, @2, $2); yyerrok; }
| DEFINE name error ';'		{ conf_define_bad(c, @2, $2); yyerrok; }
| ATTRIBUTE type name ';'	{ conf_attribute(c, @3, $3, $2); }
| ATTRIBUTE WORD NUM type name ';'	{ if (gram_is_bgp_attribute(c, @2, $2, $4)) conf_attribute_bgp(c, @5, $5, $3); }
| EVAL expr ';'			{ conf_eval(c, $2); }
| FUNCTION name '(' params ')' result_opt locals body	{ conf_function(c, @2, $2, $4, $6, gram_with_locals(c, $7, $8)); }
| FILTER name locals body	{ conf_filter(c, @2, $2, gram_with_locals(c, $3, $4)); }
| FILTER WORD NUM NUM ';'	{ gram_filter_stacks(c, @2, $2); }
| FILTER WORD NUM ';'		{ gram_filter_steps(c, @2, $2, $3); }
| TEMPLATE any_word name_opt from_opt block	{ conf_proto(c, &(struct proto_head){ $2, @2, $3, @3, $4, @4, true }, $5); }
| PROTOCOL any_word name_opt from_opt block	{ conf_proto(c, &(struct proto_head){ $2, @2, $3, @3, $4, @4, false }, $5); }
| BT_TEST_SUITE '(' name ',' STRING ')' ';'	{ conf_test_suite(c, @3, $3, $5); }
| BT_TEST_SAME '(' name ',' name ',' truth ')' ';'	{ conf_test_same(c, @3, $3, $5, $7); }
| items ';'			{ $1->end = @2; conf_global(c, $1); }
| error ';'			{ yyerrok; }
| error skipped			{ yyerrok; }
;

/* A block behind a wrong header: the lexer leaves out the block. */
skipped:
  '{' { c->place.skip_block = true; } '}'
;

/* BIRD 2 wants a number. */
truth:
  FALSE_VALUE			{ $$ = 0; ext_add(c->diag->ext, @1, KNOWN_BIRD_3, "'false' of bt_test_same"); }
| TRUE_VALUE			{ $$ = 1; ext_add(c->diag->ext, @1, KNOWN_BIRD_3, "'true' of bt_test_same"); }
| NUM				{ $$ = $1 != 0; }
;

/* ---- names ---- */

name:
  WORD
;

/* behind the class: [version] name */
name_opt:
  %empty			{ $$ = NULL; }
| name				{ $$ = conf_lex_is_version($<word>0, $1) ? NULL : $1; }
| name name			{ $$ = gram_version(c, @2, $<word>0, $1, $2); @$ = @2; }
;

from_opt:
  %empty			{ $$ = NULL; }
| FROM name			{ $$ = $2; @$ = @2; }
;

any_word:
  WORD | LABEL | FROM | MAX | AS
| FLOW { $$ = $1.word; } | NET_WORD { $$ = $1.word; } | ETH { $$ = $1.word; } | EVPN { $$ = $1.word; }
| NEIGHBOR { $$ = $1.word; }
| TYPE { $$ = $1.word; } | ACCEPT { $$ = $1.word; }
| DO { $$ = $1.word; } | ERROR { $$ = $1.word; } | FALSE_VALUE { $$ = $1.word; } | IN { $$ = $1.word; }
| IF { $$ = $1.word; } | REJECT { $$ = $1.word; } | SET { $$ = $1.word; } | TRUE_VALUE { $$ = $1.word; }
| UNKNOWN { $$ = $1.word; } | FOR { $$ = $1.word; } | PRINT { $$ = $1.word; }
;

type:
  TYPE				{ $$ = $1.type; ext_type(c->diag, @1, $1.type); }
| ROUTE			{ $$ = T_ROUTE; }
| ORIGIN_SET			{ $$ = T_SET_ORIGIN; ext_type(c->diag, @1, T_SET_ORIGIN); }
| TYPE SET			{ $$ = gram_set_type(c, @1, $1.type); ext_type(c->diag, @1, $1.type); }
;

/* ---- options ---- */

block:
  '{' options last_option '}'	{ $$ = $2; $$->pos = @1; $$->end = @4; ct_block_add($$, gram_open($3, c->token.prev_end)); }
| '{' options error '}'		{ $$ = $2; $$->pos = @1; $$->end = @4; yyerrok; }
;

options:
  %empty			{ $$ = ct_block_new(&c->scratch, @$); }
| options option_body ';'	{ $$ = $1; if ($2) $2->end = @3; ct_block_add($$, $2); }
| options ';'			{ $$ = $1; }
| options ROUTES		{ $$ = $1; ct_block_add($$, $2); }
| options error ';'		{ $$ = $1; yyerrok; }
| options error skipped		{ $$ = $1; yyerrok; }
;

last_option:
  %empty			{ $$ = NULL; }
| option_body
;

option_body:
  items
| PREFIX_LITERAL		{ $$ = ct_option_new(&c->scratch, ct_item_value(&c->scratch, @1, $1)); }
| PREFIX_LITERAL item		{ $$ = ct_option_new(&c->scratch, ct_item_value(&c->scratch, @1, $1)); ct_option_add($$, $2); }
| PREFIX_LITERAL item item	{ $$ = ct_option_new(&c->scratch, ct_item_value(&c->scratch, @1, $1)); ct_option_add($$, $2); ct_option_add($$, $3); }
| IP_LITERAL			{ $$ = ct_option_new(&c->scratch, ct_item_value(&c->scratch, @1, $1)); }
| IP_LITERAL item		{ $$ = ct_option_new(&c->scratch, ct_item_value(&c->scratch, @1, $1)); ct_option_add($$, $2); }
| items tail			{ $$ = $1; ct_option_add($$, $2); }
| tail				{ $$ = ct_option_new(&c->scratch, $1); }
| ROUTE FLOW_ROUTE flow_body	{ $$ = gram_route(c, @1, ct_option_new(&c->scratch, ct_item_value(&c->scratch, @2, conf_flow(c, $2.kind, $3))), NULL, @1); }
| ROUTE FLOW_ROUTE flow_body body	{ $$ = gram_route(c, @1, ct_option_new(&c->scratch, ct_item_value(&c->scratch, @2, conf_flow(c, $2.kind, $3))), $4, @4); }
| ROUTE route_items		{ $$ = gram_route(c, @1, $2, NULL, @1); }
| ROUTE route_items body	{ $$ = gram_route(c, @1, $2, $3, @3); }
;

tail:
  WHERE expr			{ $$ = ct_item_filter(&c->scratch, CT_FILTER, @1, conf_where(c, @1, $2)); }
| FILTER filter_ref		{ $$ = ct_item_filter(&c->scratch, CT_FILTER, @1, $2); }
;

filter_ref:
  name				{ $$ = conf_named_filter(c, @1, $1); }
| locals body			{ $$ = conf_inline_filter(c, @2, gram_with_locals(c, $1, $2)); }
;

items:
  first_item			{ $$ = ct_option_new(&c->scratch, $1); }
| items item			{ $$ = $1; ct_option_add($$, $2); }
;

first_item:
  any_word			{ $$ = ct_item_word(&c->scratch, @1, $1); }
;

item:
  route_item
| ROUTE				{ $$ = ct_item_word(&c->scratch, @1, $1.word); }
| block				{ $$ = ct_item_block(&c->scratch, @1, $1); }
;

route_item:
  any_word			{ $$ = ct_item_word(&c->scratch, @1, $1); }
| NUM				{ $$ = ct_item_value(&c->scratch, @1, fvalue_u32(T_INT, $1)); }
| STRING			{ $$ = ct_item_value(&c->scratch, @1, gram_string(c, $1)); }
| IP_LITERAL			{ $$ = ct_item_value(&c->scratch, @1, $1); }
| PREFIX_LITERAL		{ $$ = ct_item_value(&c->scratch, @1, $1); }
| BYTES_LITERAL			{ $$ = ct_item_value(&c->scratch, @1, $1); }
| RD_LITERAL			{ $$ = ct_item_value(&c->scratch, @1, $1); }
| MAC_LITERAL			{ $$ = ct_item_value(&c->scratch, @1, $1); }
| PROTOCOL			{ $$ = ct_item_word(&c->scratch, @1, $1.word); }
| ATTRIBUTE			{ $$ = ct_item_word(&c->scratch, @1, $1.word); }
| '(' expr ')'			{ $$ = ct_item_value(&c->scratch, @1, conf_const(c, $2)); }
| '[' set_items ']'		{ $$ = ct_item_value(&c->scratch, @1, conf_const(c, gram_set(c, @1, $2))); }
| '(' expr ',' field ',' field ')'	{ $$ = ct_item_value(&c->scratch, @1, gram_target(c, @1, gram_range(c, @2, $2, NULL), $4, $6)); }
| ','				{ $$ = ct_item_char(&c->scratch, @1, ','); }
| '-'				{ $$ = ct_item_char(&c->scratch, @1, '-'); }
| '*'				{ $$ = ct_item_char(&c->scratch, @1, '*'); }
| '/'				{ $$ = ct_item_char(&c->scratch, @1, '/'); }
| '%'				{ $$ = ct_item_char(&c->scratch, @1, '%'); }
| ':'				{ $$ = ct_item_char(&c->scratch, @1, ':'); }
;

route_items:
  route_item			{ $$ = ct_option_new(&c->scratch, $1); }
| route_items route_item	{ $$ = $1; ct_option_add($$, $2); }
;

/* ---- functions and statements ---- */

params:
  %empty			{ $$ = NULL; }
| param_list
| param_list ';'		{ $$ = $1; ext_add(c->diag->ext, @2, KNOWN_TERN, "the semicolon behind the last argument"); }
;

param_list:
  param
| param_list ';' param		{ $$ = ast_list($1, $3); }
;

param:
  type name			{ $$ = ast_list(NULL, gram_decl(c, @2, $1, $2, NULL)); }
;

result_opt:
  %empty			{ $$ = T_ANY; }
| ARROW type			{ $$ = $2; }
;

/* old style: between the header and the body */
locals:
  %empty			{ $$ = NULL; }
| locals type name ';'		{ $$ = ast_list($1, gram_decl(c, @3, $2, $3, NULL)); }
;

body:
  '{' stmts '}'			{ $$ = ast_with_list(&c->ast, FS_BLOCK, @1, $2); }
| '{' stmts error '}'		{ $$ = ast_with_list(&c->ast, FS_BLOCK, @1, $2); yyerrok; }
;

stmts:
  %empty			{ $$ = NULL; }
| stmts stmt			{ $$ = ast_list($1, $2); }
| stmts error ';'		{ $$ = $1; yyerrok; }
| stmts error skipped		{ $$ = $1; yyerrok; }
;

stmt:
  ';'				{ $$ = NULL; ext_add(c->diag->ext, @1, KNOWN_TERN, "a semicolon without a statement"); }
| simple ';'
| body
| IF expr THEN stmt %prec NO_ELSE	{ $$ = ast_node(&c->ast, FS_IF, @1, $2, gram_stmt(c, @3, $4), NULL); }
| IF expr THEN stmt ELSE stmt	{ $$ = ast_node(&c->ast, FS_IF, @1, $2, gram_stmt(c, @3, $4), gram_stmt(c, @5, $6)); }
| CASE expr '{' arms '}'	{ $$ = ast_node(&c->ast, FS_CASE, @1, $2, $4, NULL); }
| CASE expr '{' arms error '}'	{ $$ = ast_node(&c->ast, FS_CASE, @1, $2, $4, NULL); yyerrok; }
| CASE expr '{' arms labels ':' stmts error '}'	{ $$ = ast_node(&c->ast, FS_CASE, @1, $2, $4, NULL); yyerrok; }
| CASE expr '{' arms ELSE_LABEL ':' stmts error '}'	{ $$ = ast_node(&c->ast, FS_CASE, @1, $2, $4, NULL); yyerrok; }
| FOR name IN expr DO stmt	{ $$ = gram_for(c, @2, T_ANY, $2, $4, $6); ext_add(c->diag->ext, @2, KNOWN_TERN, "a loop over '%s' without a type", $2); }
| FOR type name IN expr DO stmt	{ $$ = gram_for(c, @3, $2, $3, $5, $7); }
;

simple:
  type name			{ $$ = gram_decl(c, @2, $1, $2, NULL); }
| type name '=' expr		{ $$ = gram_decl(c, @2, $1, $2, $4); }
| lvalue '=' expr		{ $$ = $1; gram_assign(c, $$, $3); }
| call_stmt			{ $$ = gram_expr_stmt(c, @1, $1); }
| RETURN			{ ext_add(c->diag->ext, @1, KNOWN_TERN, "'return' without a value"); $$ = ast_node(&c->ast, FS_RETURN, @1, NULL, NULL, NULL); }
| RETURN expr			{ $$ = ast_node(&c->ast, FS_RETURN, @1, $2, NULL, NULL); }
| ACCEPT exprs_opt		{ $$ = ast_with_list(&c->ast, FS_ACCEPT, @1, $2); }
| REJECT exprs_opt		{ $$ = ast_with_list(&c->ast, FS_REJECT, @1, $2); }
| ERROR exprs_opt		{ $$ = ast_with_list(&c->ast, FS_ERROR, @1, $2); }
| PRINT exprs_opt		{ $$ = ast_with_list(&c->ast, FS_PRINT, @1, $2); }
| PRINTN exprs_opt		{ $$ = ast_with_list(&c->ast, FS_PRINT, @1, $2); $$->flag = true; }
| BT_ASSERT '(' expr ')'	{ $$ = ast_name(&c->ast, FS_ASSERT, @1, conf_lex_between(c, @2, @4), $3, NULL); }
;

call_stmt:
  name '(' args ')'		{ $$ = ast_name(&c->ast, FN_CALL, @1, $1, $3, NULL); }
| call_object '.' any_word '(' args ')'	{ $$ = gram_method(c, @3, $3, $1, $5); }
| call_object '.' FILTER '(' args ')'	{ $$ = gram_method(c, @3, "filter", $1, $5); }
| call_object '.' any_word	{ $$ = ast_name(&c->ast, FN_METHOD, @3, $3, $1, NULL); }
;

call_object:
  name				{ $$ = ast_name(&c->ast, FN_NAME, @1, $1, NULL, NULL); }
| FROM				{ $$ = ast_name(&c->ast, FN_NAME, @1, $1, NULL, NULL); }
| call_stmt			{ $$ = $1; ext_add(c->diag->ext, @1, KNOWN_TERN, "a statement with several methods"); }
;

lvalue:
  name				{ $$ = ast_name(&c->ast, FS_ASSIGN, @1, $1, NULL, NULL); }
| FROM				{ $$ = ast_name(&c->ast, FS_ASSIGN, @1, $1, NULL, NULL); }
;

arms:
  %empty			{ $$ = NULL; }
| arms labels ':' stmts		{ $$ = ast_list($1, gram_arm(c, @2, $2, $4)); }
| arms ELSE_LABEL ':' stmts	{ $$ = ast_list($1, gram_arm(c, @2, NULL, $4)); }
;

/* A name at the beginning of a label comes as LABEL, so that the grammar takes the name
 * for no statement. */
labels:
  label				{ $$ = set_lit_new(&c->ast); gram_set_add(c, $$, &$1); gram_label(c, @1, &$1); }
| labels ',' set_item		{ $$ = $1; gram_set_add(c, $$, &$3); gram_label(c, @3, &$3); }
;

label:
  simple_atom
| simple_atom DDOT set_atom	{ $$ = gram_set_range(c, @2, &$1, &$3); }
| simple_pattern
;

/* ---- expressions ---- */

exprs_opt:
  %empty			{ $$ = NULL; }
| exprs
;

exprs:
  expr				{ $$ = ast_list(NULL, $1); }
| exprs ',' expr		{ $$ = ast_list($1, $3); }
;

expr:
  operand
| expr '+' expr			{ $$ = ast_binary(&c->ast, @2, OP_ADD, $1, $3); }
| expr '-' expr			{ $$ = ast_binary(&c->ast, @2, OP_SUB, $1, $3); }
| expr '*' expr			{ $$ = ast_binary(&c->ast, @2, OP_MUL, $1, $3); }
| expr '/' expr			{ $$ = ast_binary(&c->ast, @2, OP_DIV, $1, $3); }
| expr '&' expr			{ $$ = ast_binary(&c->ast, @2, OP_BITAND, $1, $3); }
| expr '|' expr			{ $$ = ast_binary(&c->ast, @2, OP_BITOR, $1, $3); }
| expr CONCAT expr		{ $$ = ast_binary(&c->ast, @2, OP_CONCAT, $1, $3); }
| expr op_cmp expr %prec CMP	{ $$ = ast_binary(&c->ast, @2, $2, $1, $3); }
| expr AND expr			{ $$ = ast_logic(&c->ast, @2, OP_AND, $1, $3); }
| expr OR expr			{ $$ = ast_logic(&c->ast, @2, OP_OR, $1, $3); }
;

op_cmp:
  '='				{ $$ = OP_EQ; }
| NE				{ $$ = OP_NE; }
| '<'				{ $$ = OP_LT; }
| LE				{ $$ = OP_LE; }
| '>'				{ $$ = OP_GT; }
| GE				{ $$ = OP_GE; }
| '~'				{ $$ = OP_MATCH; }
| NMATCH			{ $$ = OP_NMATCH; }
;

operand:
  postfix
| '!' operand			{ $$ = ast_node(&c->ast, FN_NOT, @1, $2, NULL, NULL); }
;

postfix:
  primary
| postfix '.' any_word		{ $$ = ast_name(&c->ast, FN_METHOD, @3, $3, $1, NULL); }
| postfix '.' FILTER '(' args ')'	{ $$ = gram_method(c, @3, "filter", $1, $5); }
| postfix '.' any_word '(' args ')'	{ $$ = gram_method(c, @3, $3, $1, $5); }
;

primary:
  NUM				{ $$ = ast_const(&c->ast, @1, fvalue_u32(T_INT, $1)); }
| TRUE_VALUE			{ $$ = ast_const(&c->ast, @1, fvalue_u32(T_BOOL, 1)); }
| FALSE_VALUE			{ $$ = ast_const(&c->ast, @1, fvalue_u32(T_BOOL, 0)); }
| STRING			{ $$ = ast_const(&c->ast, @1, gram_string(c, $1)); }
| IP_LITERAL			{ $$ = ast_const(&c->ast, @1, $1); }
| PREFIX_LITERAL		{ $$ = ast_const(&c->ast, @1, $1); }
| PREFIX_LITERAL MAX NUM AS NUM	{ $$ = ast_const(&c->ast, @1, gram_roa(c, @3, $1, $3, $5)); }
| PREFIX_LITERAL FROM PREFIX_LITERAL	{ $$ = ast_const(&c->ast, @1, gram_sadr(c, @1, $1, $3)); }
| RD_LITERAL			{ $$ = ast_const(&c->ast, @1, $1); }
| RD_LITERAL PREFIX_LITERAL	{ $$ = ast_const(&c->ast, @1, gram_vpn(c, $1, $2)); }
| NET_WORD NUM			{ $$ = ast_const(&c->ast, @1, gram_net_word(c, @2, $1.kind, $2)); }
| ETH MAC_LITERAL		{ $$ = ast_const(&c->ast, @1, conf_net_eth(c, @1, $2, 0)); }
| ETH MAC_LITERAL WORD NUM	{ $$ = ast_const(&c->ast, @1, conf_net_eth(c, @3, $2, conf_net_vlan(c, @3, $3, $4))); }
| EVPN any_word RD_LITERAL NUM evpn_end	{ $$ = ast_const(&c->ast, @1, conf_net_evpn(c, @2, $2, $3, $4, &$5)); }
| EVPN any_word RD_LITERAL evpn_end	{ $$ = ast_const(&c->ast, @1, conf_net_evpn(c, @2, $2, $3, CONF_NET_NO_TAG, &$4)); }
| NEIGHBOR IP_LITERAL '%' NUM	{ $$ = ast_const(&c->ast, @1, conf_net_neighbor(c, @1, $2, $4)); }
| FLOW flow_body		{ $$ = ast_const(&c->ast, @1, conf_flow(c, $1.kind, $2)); }
| MAC_LITERAL			{ $$ = ast_const(&c->ast, @1, $1); }
| BYTES_LITERAL			{ $$ = ast_const(&c->ast, @1, $1); }
| EMPTY				{ $$ = ast_const(&c->ast, @1, fvalue_empty($1)); }
| name				{ $$ = ast_name(&c->ast, FN_NAME, @1, $1, NULL, NULL); }
| LABEL				{ $$ = ast_name(&c->ast, FN_NAME, @1, $1, NULL, NULL); }
| FROM				{ $$ = ast_name(&c->ast, FN_NAME, @1, "from", NULL, NULL); }
| name '(' args ')'		{ $$ = ast_name(&c->ast, FN_CALL, @1, $1, $3, NULL); }
| FILTER '(' args ')'		{ $$ = ast_name(&c->ast, FN_CALL, @1, "filter", $3, NULL); }
| '(' expr ')'			{ $$ = $2; $$->flag |= $$->kind == FN_LOGIC; }
| '(' expr ',' expr ')'		{ $$ = ast_with_list(&c->ast, FN_TUPLE, @1, ast_list(ast_list(NULL, $2), $4)); }
| '(' expr ',' expr ',' expr ')'	{ $$ = ast_with_list(&c->ast, FN_TUPLE, @1, ast_list(ast_list(ast_list(NULL, $2), $4), $6)); }
| '(' UNKNOWN expr ',' expr ',' expr ')'	{ $$ = gram_unknown(ast_with_list(&c->ast, FN_TUPLE, @1, ast_list(ast_list(ast_list(NULL, $3), $5), $7))); }
| '[' ']'			{ $$ = ast_const(&c->ast, @1, gram_empty_set()); }
| '[' set_items ']'		{ $$ = gram_set(c, @1, $2); }
| '[' set_items ',' ']'		{ $$ = gram_set(c, @1, $2); ext_add(c->diag->ext, @3, KNOWN_TERN, "the comma behind the last item of a set"); }
| ORIGIN_SET STRING		{ $$ = ast_const(&c->ast, @1, conf_origin_file(c, @1, @2, $2)); }
| ORIGIN_SET '[' ']'		{ $$ = ast_const(&c->ast, @1, conf_origin_value(c, @1, NULL)); }
| ORIGIN_SET '[' origin_items ']'	{ $$ = ast_const(&c->ast, @1, conf_origin_value(c, @1, $3)); }
| MASK_OPEN mask_items MASK_CLOSE	{ $$ = ast_with_list(&c->ast, FN_MASK, @1, $2); }
;

origin_items:
  simple_pattern WORD NUM	{ $$ = conf_origin_add(c, NULL, @1, &$1, conf_origin_word(c, @2, $2), $3); }
| origin_items ',' simple_pattern WORD NUM	{ $$ = conf_origin_add(c, $1, @3, &$3, conf_origin_word(c, @4, $4), $5); }
;

/* What stands behind the tag: an ESI, a MAC address with the address of a host or *, or
 * the address of a router. */
evpn_end:
  IP_LITERAL			{ $$ = (struct net_end){ .ip = $1 }; }
| BYTES_LITERAL			{ $$ = (struct net_end){ .first = $1 }; }
| BYTES_LITERAL IP_LITERAL	{ $$ = (struct net_end){ .first = $1, .ip = $2 }; }
| MAC_LITERAL IP_LITERAL	{ $$ = (struct net_end){ .first = $1, .ip = $2 }; }
| MAC_LITERAL '*'		{ $$ = (struct net_end){ .first = $1 }; }
;

/* A component each, ended by a semicolon. An error leaves out a component and ends no other block. */
flow_body:
  '{' flow_parts '}'		{ $$ = $2; }
| '{' flow_parts error '}'	{ $$ = $2; yyerrok; }
;

flow_parts:
  %empty			{ $$ = ct_block_new(&c->scratch, @$); }
| flow_parts flow_items ';'	{ $$ = $1; $2->end = @3; ct_block_add($$, $2); }
| flow_parts error ';'		{ $$ = $1; yyerrok; }
| flow_parts error skipped	{ $$ = $1; yyerrok; }
;

flow_items:
  flow_item			{ $$ = ct_option_new(&c->scratch, $1); }
| flow_items flow_item		{ $$ = $1; ct_option_add($$, $2); }
;

flow_item:
  route_item
| '='				{ $$ = ct_item_char(&c->scratch, @1, '='); }
| '<'				{ $$ = ct_item_char(&c->scratch, @1, '<'); }
| '>'				{ $$ = ct_item_char(&c->scratch, @1, '>'); }
| '!'				{ $$ = ct_item_char(&c->scratch, @1, '!'); }
| NE				{ $$ = ct_item_char(&c->scratch, @1, FLOW_NE); }
| LE				{ $$ = ct_item_char(&c->scratch, @1, FLOW_LE); }
| GE				{ $$ = ct_item_char(&c->scratch, @1, FLOW_GE); }
| AND				{ $$ = ct_item_char(&c->scratch, @1, '&'); }
| OR				{ $$ = ct_item_char(&c->scratch, @1, '|'); }
| DDOT				{ $$ = ct_item_char(&c->scratch, @1, '.'); }
;

args:
  %empty			{ $$ = NULL; }
| arg_list
;

arg_list:
  expr				{ $$ = ast_list(NULL, $1); }
| arg_list ',' expr		{ $$ = ast_list($1, $3); }
;

/* ---- sets ---- */

set_items:
  set_item			{ $$ = set_lit_new(&c->ast); gram_set_add(c, $$, &$1); }
| set_items ',' set_item	{ $$ = $1; gram_set_add(c, $$, &$3); }
;

set_item:
  set_atom
| SET_RUN			{ $$ = (struct set_elem){ .kind = 3, .lit = $1 }; }
| set_atom DDOT set_atom	{ $$ = gram_set_range(c, @2, &$1, &$3); }
| simple_pattern
| name prefix_sign		{ $$ = gram_named_pattern(c, @1, $1, $2, NULL, NULL); }
| name '{' expr '}'		{ $$ = gram_pattern_short(c, @4, NULL); }
| name '{' expr ',' expr '}'	{ $$ = gram_named_pattern(c, @1, $1, '{', $3, $5); }
;

simple_pattern:
  PATTERN			{ $$ = (struct set_elem){ .kind = 2, .pattern = $1 }; }
| PREFIX_LITERAL		{ $$ = gram_pattern(c, @1, $1, 0, NULL, NULL); }
| PREFIX_LITERAL prefix_sign	{ $$ = gram_pattern(c, @1, $1, $2, NULL, NULL); }
| PREFIX_LITERAL '{' expr '}'	{ $$ = gram_pattern_short(c, @4, &$1); }
| PREFIX_LITERAL '{' expr ',' expr '}'	{ $$ = gram_pattern(c, @1, $1, '{', $3, $5); }
;

prefix_sign:
  '+'				{ $$ = '+'; }
| '-'				{ $$ = '-'; }
;

set_atom:
  simple_atom
| name				{ $$ = gram_named(c, @1, $1); }
;

simple_atom:
  NUM				{ $$ = (struct set_elem){ .kind = 1, .lo = $1, .hi = $1 }; }
| IP_LITERAL			{ $$ = gram_atom(c, @1, ast_const(&c->ast, @1, $1)); }
| RD_LITERAL			{ $$ = gram_atom(c, @1, ast_const(&c->ast, @1, $1)); }
| MAC_LITERAL			{ $$ = gram_atom(c, @1, ast_const(&c->ast, @1, $1)); }
| LABEL				{ $$ = gram_named(c, @1, $1); }
| tuple				{ $$ = (struct set_elem){ .node = $1 }; }
;

tuple:
  '(' tuple_item ')'		{ $$ = $2; $$->pos = @1; }
| '(' UNKNOWN expr ',' field ',' field ')'	{ $$ = gram_unknown(gram_tuple(c, @1, gram_range(c, @3, $3, NULL), $5, $7)); }
;

tuple_item:
  field				{ $$ = gram_tuple(c, @1, $1, NULL, NULL); }
| field ',' field		{ $$ = gram_tuple(c, @1, $1, $3, NULL); }
| field ',' field ',' field	{ $$ = gram_tuple(c, @1, $1, $3, $5); }
;

field:
  '*'				{ $$ = gram_range(c, @1, NULL, NULL); }
| expr				{ $$ = gram_range(c, @1, $1, NULL); }
| expr DDOT expr		{ $$ = gram_range(c, @1, $1, $3); }
;

/* ---- path masks ---- */

mask_items:
  %empty			{ $$ = NULL; }
| mask_items mask_item		{ $$ = ast_list($1, $2); }
| mask_items mask_item '+'	{ $$ = ast_list($1, $2); $2->flag = true; }
;

mask_item:
  '?'				{ $$ = gram_mask(c, @1, MASK_ONE, NULL, NULL); }
| '*'				{ $$ = gram_mask(c, @1, MASK_ANY, NULL, NULL); }
| mask_atom			{ $$ = gram_mask(c, @1, MASK_RANGE, $1, NULL); }
| mask_atom DDOT mask_atom	{ $$ = gram_mask(c, @1, MASK_RANGE, $1, $3); }
| '[' set_items ']'		{ $$ = gram_mask(c, @1, MASK_SET, gram_set(c, @1, $2), NULL); }
| '[' ']'			{ $$ = gram_mask(c, @1, MASK_SET, ast_const(&c->ast, @1, gram_empty_set()), NULL); }
;

mask_atom:
  NUM				{ $$ = ast_const(&c->ast, @1, fvalue_u32(T_INT, $1)); }
| name				{ $$ = ast_name(&c->ast, FN_NAME, @1, $1, NULL, NULL); }
| '(' expr ')'			{ $$ = $2; }
;

%%

/* is_operator - does @k continue an expression? The message about an error leaves out
 * such tokens. */
static bool
is_operator(yysymbol_kind_t k)
{
	static const yysymbol_kind_t op[] = { YYSYMBOL_AND, YYSYMBOL_OR, YYSYMBOL_CMP, YYSYMBOL_NE,
		YYSYMBOL_LE, YYSYMBOL_GE, YYSYMBOL_NMATCH, YYSYMBOL_CONCAT };

	for (unsigned i = 0; i < ARRAY_LEN(op); i++)
		if (k == op[i])
			return true;
	return strchr("=<>~+-|*/&.", yysymbol_name(k)[1]) && yysymbol_name(k)[0] == '\'';
}

/* misses_semicolon - does an option or command end on an earlier line without a
 * semicolon? A block ends commands as well, and @alone: only the end of an option may
 * follow. */
static bool
misses_semicolon(const struct conf_ctx *c, struct src_pos found, bool semicolon, bool brace, bool alone)
{
	return (semicolon || brace) && c->token.before_prev != ';' && c->token.before_prev != '{' &&
	    (c->token.before_prev != '}' || alone) && c->token.prev_end.file == found.file &&
	    c->token.prev_end.line < found.line;
}

/* arm_misses_semicolon - does the token @found stand behind a label that begins a line, and
 * does the command of the arm before have no end? The parser has taken the label as a part
 * of the command. */
static bool
arm_misses_semicolon(const yypcontext_t *ctx, const struct conf_ctx *c, yysymbol_kind_t found, bool semicolon)
{
	const char *name = yysymbol_name(found);
	int end = c->token.line_prev;

	if (!semicolon || (strcmp(name, "':'") != 0 && strcmp(name, "','") != 0 && found != YYSYMBOL_DDOT) ||
	    end == ';' || end == '{' || end == '}' || c->token.line_end.file != yypcontext_location(ctx)->file)
		return false;
	for (const yy_state_t *s = ctx->yyssp; *s && yystos[*s] != YYTRANSLATE('{'); s--)
		if (yystos[*s] == YYSYMBOL_arms)
			return true;
	return false;
}

/* note_recovery - the parser goes on in the innermost block of options, commands, parts of
 * a flow or arms. A `}` of an inner block, which the parser gives up, ends no outer block. */
static void
note_recovery(const yypcontext_t *ctx, struct conf_ctx *c)
{
	const yy_state_t *s = ctx->yyssp;

	while (*s && yystos[*s] != YYSYMBOL_stmts && yystos[*s] != YYSYMBOL_options &&
	    yystos[*s] != YYSYMBOL_flow_parts && yystos[*s] != YYSYMBOL_arms)
		s--;
	c->brace.recover_depth = 0;
	c->brace.recover_arms = yystos[*s] == YYSYMBOL_arms;
	if (yypcontext_token(ctx) == YYTRANSLATE('}') ||
	    (yypcontext_token(ctx) == YYTRANSLATE(';') && !c->brace.recover_arms))
		return; /* the token ends the recovery, and the lexer has given the token */
	for (; *s; s--)
		c->brace.recover_depth += yystos[*s] == YYTRANSLATE('{');
}

/* "unexpected X, expected Y or Z": the token found, and the possible tokens if their list
 * is short. */
static int
yyreport_syntax_error(const yypcontext_t *ctx, struct conf_ctx *c)
{
	yysymbol_kind_t expected[YYNTOKENS], found = yypcontext_token(ctx);
	int all = yypcontext_expected_tokens(ctx, expected, YYNTOKENS), cnt = 0, i;
	bool after_operand = false, statement = false, operand = false, brace = false, semicolon = false;
	struct src_pos at = *yypcontext_location(ctx);
	struct strbuf b;

	note_recovery(ctx, c);
	if (found == YYSYMBOL_TOKEN_BAD || c->given_up || c->token.put_semicolon)
		return 0; /* the lexer has reported the error */
	if (found == YYSYMBOL_YYEOF && c->brace.cnt && !c->expr.on) {
		diag_error(c->diag, c->brace.at[c->brace.cnt - 1], "this '{' isn't closed");
		return 0;
	}
	for (i = 0; i < all; i++) {
		after_operand |= expected[i] == YYSYMBOL_AND;
		statement |= expected[i] == YYSYMBOL_CASE;
		operand |= expected[i] == YYSYMBOL_IP_LITERAL;
		brace |= !strcmp(yysymbol_name(expected[i]), "'}'");
		semicolon |= !strcmp(yysymbol_name(expected[i]), "';'");
	}
	if (found == YYSYMBOL_INCLUDE && !c->expr.on) {
		diag_error(c->diag, at, "include must begin a line: include \"FILE\";");
		return 0;
	}
	if (!c->expr.on && misses_semicolon(c, at, semicolon, brace, all == 1)) {
		diag_error(c->diag, c->token.prev_end, "expected ';' at the end of this line");
		return 0;
	}
	if (!c->expr.on && arm_misses_semicolon(ctx, c, found, semicolon)) {
		diag_error(c->diag, c->token.line_end, "expected ';' at the end of this line");
		return 0;
	}
	if (all == 1 && !strcmp(yysymbol_name(expected[0]), "'.'") && gram_misspelt(c))
		return 0;
	for (i = 0; i < all; i++)
		if (!after_operand || !is_operator(expected[i]))
			expected[cnt++] = expected[i];
	strbuf_init(&b);
	gram_found(c, &b, found == YYSYMBOL_YYEOF ? NULL : conf_lex_last(c));
	for (i = 0; i < cnt && cnt <= 6; i++)
		gram_expected(&b, yysymbol_name(expected[i]), i, cnt);
	if (cnt > 6 && statement)
		strbuf_addf(&b, ", expected a command%s", brace ? " or '}'" : "");
	else if (cnt > 6 && semicolon && found == YYTRANSLATE('}'))
		strbuf_adds(&b, ", expected ';'");
	else if (cnt > 6 && operand)
		strbuf_adds(&b, ", expected a value");
	diag_error(c->diag, at, "%s", b.s);
	strbuf_fini(&b);
	return 0;
}
