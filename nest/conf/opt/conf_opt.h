/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option tables: protocols, channels, tables and the top level describe their options to
 * the parser.
 *
 * The first words of an option ("hold time") select a row. The row says
 * - what value follows,
 * - where the parser stores the value,
 * - what a change of the value means for a running instance.
 * The rows also serve error messages, the comparison at reconfiguration and the check of
 * the manual.
 *
 * Owner of tables, rows, names and classes: constant data of the protocol; lives as long
 * as the process, and nobody frees a table. A struct conf_args lives on the stack of a
 * parse function.
 *
 * Loop: the thread that parses; functions on parsed options run in any thread. */
#ifndef TERN_NEST_CONF_OPT_CONF_OPT_H
#define TERN_NEST_CONF_OPT_CONF_OPT_H

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/base/check.h"
#include "nest/conf/config.h"

struct conf_member_ops; /* nest/conf/conf_member.h */
struct conf_ctx; /* the parser (nest/conf/conf_parse.h) */
struct ct_item;
struct ct_option;
struct ct_routes;

/* A position in the values behind an option's words; a copy serves to look ahead. */
struct conf_args {
	struct conf_ctx *ctx; /* the parser */
	const struct conf_opt *row; /* the row of the option, for its parse function */
	/* private */
	const struct ct_item *at;
	const struct ct_option *opt;
};

enum opt_type {
	OPT_SWITCH, /* bool: on yes true, off no false; no value means on */
	OPT_U32, /* uint32_t, min to max */
	OPT_U16, /* uint16_t, min to max */
	OPT_U8, /* uint8_t, min to max */
	OPT_TIME_S, /* uint32_t in seconds, min to max */
	/* uint64_t in nanoseconds, from a number with s, ms or us; without a unit:
	 * seconds */
	OPT_TIME_NS,
	OPT_ID, /* uint32_t from an address or number (router ids) */
	OPT_IP, /* struct ip_addr */
	OPT_STRING, /* const char * */
	OPT_TABLE, /* const struct conf_table * */
	/* const struct filter *: all, none, filter NAME, filter { }, where COND */
	OPT_FILTER,
	OPT_LIMIT, /* struct conf_limit: N [action A] or off */
	OPT_DEBUG, /* uint32_t mask of opt->names: all, off or { states, ... } */
	/* uint8_t: a word of opt->names; no word means the value of "on", if names have
	 * "on" */
	OPT_ENUM,
	OPT_FORM, /* opt->form, with opt->sub: checked, but not stored */
	OPT_CUSTOM, /* opt->parse */
	/* no option: a field for comparison only; min is the field's size in octets */
	OPT_FIELD,
	/* any arguments: accepted without effect (deprecated options, options of
	 * unsupported systems) */
	OPT_IGNORED,
	OPT_END
};

/* How far tern supports an option. The parser also reads and checks the value of an
 * unsupported option, and stores nothing. The default value (`off`) gets no message. */
enum opt_state {
	OPT_OK = 0,
	OPT_WARN, /* not supported yet, no effect on routing: a warning */
	OPT_UNSUPPORTED /* not supported yet, possible effect on routing: an error */
};

/* A word and its value. Constant: nothing to free. */
struct opt_name {
	const char *word; /* NULL: end */
	uint32_t value;
};

/* A row of an option table. */
struct conf_opt {
	const char *words;
	uint8_t type; /* enum opt_type */
	uint8_t state; /* enum opt_state */
	uint8_t change; /* CONF_CH_* */
	uint8_t known; /* enum known_by */
	bool bounded; /* a number beyond the range means the bound, with a warning */
	uint32_t off; /* offset in the struct of the table */
	uint64_t min, max, def; /* conf_opt_defaults sets def unless def is 0 */
	const struct opt_name *names;
	/* parse - read the values at @a into @to, the struct of the table. Returns: false
	 * after a message has said what is wrong. */
	bool (*parse)(struct conf_args *a, void *to);
	/* for OPT_FORM; for OPT_CUSTOM only in the manual (nest/conf/opt/conf_form.c) */
	const char *form;
	const struct conf_opt *sub; /* options of the BLOCK in a form */
	/* a line for the manual; a row without words names its option here; the last row
	 * names the owner of the options ("a table"), or NULL */
	const char *help;
};

/* Routes of other instances that an instance wants. Owner: the class. Life: constant. */
struct conf_monitor_ops {
	/* in - a pattern of names of the instances whose routes @p wants before policy;
	 * NULL: no instance. The function NULL: never. */
	const char *(*in)(const struct conf_proto *p);
	/* out - like `in`, for routes sent to the peers. */
	const char *(*out)(const struct conf_proto *p);
	/* offer - like `in`, for routes sent by an export filter that accepts all. */
	const char *(*offer)(const struct conf_proto *p);
};

/* Instances that want an equal peer. Owner: the class. Life: constant. */
struct conf_clash_ops {
	/* between - do two instances want an equal peer, so that only the first gets the
	 * peer? NULL: instances never clash. */
	bool (*between)(const struct conf_proto *a, const struct conf_proto *b);
	/* peer_hash - a hash of the peer; clashing instances have equal hashes. */
	uint64_t (*peer_hash)(const struct conf_proto *p);
	/* words for a message: the common peer, the consequence; ends: the clash is an
	 * error */
	const char *about, *means;
	bool ends;
};

/* A protocol's description for the parser. */
struct conf_class {
	const char *keyword; /* after `protocol` and `template` */
	const char *name; /* name in `show protocols`: "BGP" */
	uint8_t kind; /* enum proto_kind */
	bool unsupported; /* parsed, then refused by name */
	bool has_channels;
	bool rpki_channels; /* channels may be roa4, roa6 and aspa, too */
	uint32_t preference; /* default of the channels */
	/* options in a struct of opt_size octets; NULL: only the common options */
	const struct conf_opt *opt;
	uint32_t opt_size;
	const struct conf_opt *channel_opt; /* in a struct of channel_size octets */
	uint32_t channel_size;
	/* check - check a whole instance after its options; may complete defaults. NULL:
	 * no check.
	 * Returns: false after a message has said what is wrong. */
	bool (*check)(struct conf_ctx *c, struct conf_proto *p);
	/* diff - CONF_CH_* bits beyond those of the tables; NULL: no further bits. */
	uint32_t (*diff)(const struct conf_proto *old_p, const struct conf_proto *new_p);
	struct conf_clash_ops clash;
	struct conf_monitor_ops monitors;
	/* for instances of several peers; else NULL */
	const struct conf_member_ops *members;
	/* through - can @ch follow a table by the policy of a pipe, like the channel of
	 * an overlay? NULL: no channel can. */
	bool (*through)(const struct conf_channel *ch);
	/* reads - does @p ask for the routes of table @t beside its channels? NULL:
	 * never. */
	bool (*reads)(const struct conf_proto *p, const struct conf_table *t);
	/* leads - can lookups of next hops use the routes that @ch brings to its table?
	 * NULL: never. */
	bool (*leads)(const struct conf_proto *p, const struct conf_channel *ch);
	/* conf_local_as - the AS number of @p. NULL: the class has no AS. */
	uint32_t (*local_as)(const struct conf_proto *p);
	/* conf_remote_as - the AS of the peer of @p; 0: several peers, or any AS. NULL:
	 * @p has no peer. */
	uint32_t (*remote_as)(const struct conf_proto *p);
	/* quarantine - true: sessions of @p begin in quarantine. NULL: none. */
	bool (*quarantine)(const struct conf_proto *p);
	/* lacks - name in @out the right that @p needs and this process lacks; no text:
	 * the process has all rights. NULL: the class needs no right. */
	void (*lacks)(const struct conf_proto *p, struct strbuf *out);
};

/* ---- for parse functions ---- */

enum arg_kind { ARG_END, ARG_WORD, ARG_VALUE, ARG_COMMA, ARG_BLOCK, ARG_OTHER };

/* conf_args_of - all items of @o; NULL: no item. */
struct conf_args conf_args_of(struct conf_ctx *c, const struct ct_option *o);
/* conf_arg_peek - the kind of the next item. */
enum arg_kind conf_arg_peek(const struct conf_args *a);
/* conf_arg_word - step over the next item if the item is the word @w. */
bool conf_arg_word(struct conf_args *a, const char *w);
/* conf_arg_comma - step over the next item if the item is a comma. */
bool conf_arg_comma(struct conf_args *a);
/* conf_arg_other - step over the next item if the item is @sign. */
bool conf_arg_other(struct conf_args *a, char sign);
/* conf_arg_skip - step over all remaining items. */
void conf_arg_skip(struct conf_args *a);
/* conf_arg_list - step over { a, b ... }, and set @in to the items within. Returns: false
 * after a message has named the expected sign. */
bool conf_arg_list(struct conf_args *a, struct conf_args *in);
/* conf_arg_block - step over { options } of @what ("the table"), each a row of @table,
 * into @to. An error does not end the block. */
void conf_arg_block(
    struct conf_args *a, const char *what, const struct conf_opt *table, void *to);
/* conf_arg_next_word - the next word, even if the word names a constant; NULL: the next
 * item is no word. */
const char *conf_arg_next_word(struct conf_args *a);
/* conf_arg_u32, ... - the next value, of the function's type and range; a constant's name
 * stands for its value. Returns: false after a message has named the expected value. */
bool conf_arg_u32(struct conf_args *a, uint32_t *out, uint64_t min, uint64_t max);
/* conf_arg_bounded - conf_arg_u32, but a number out of the range means the nearer bound,
 * with a warning. */
bool conf_arg_bounded(struct conf_args *a, uint32_t *out, uint64_t min, uint64_t max);
bool conf_arg_ip(struct conf_args *a, struct ip_addr *out);
bool conf_arg_prefix(struct conf_args *a, struct prefix *out);
bool conf_arg_string(struct conf_args *a, const char **out);
bool conf_arg_bytes(struct conf_args *a, const uint8_t **out, uint32_t *len);
/* conf_arg_seconds - step over the unit s. @unitless: BIRD 2.17 takes no unit here; else
 * BIRD wants a unit. */
void conf_arg_seconds(struct conf_args *a, bool unitless);
bool conf_arg_switch(struct conf_args *a, bool *out);
/* conf_arg_truth - a switch that is a number or a truth value. Returns: false: another
 * item stands here; no message. */
bool conf_arg_truth(struct conf_args *a, bool *out);
/* conf_arg_secret - the next item is a secret: the parser wipes its copies of the item
 * at the end of the configuration, with the texts of all files. If the item is the name
 * of a constant, commands do not read the constant, and the constant is empty after the
 * parser's end. */
void conf_arg_secret(const struct conf_args *a);
/* conf_arg_secrets - the values of @o behind a word like `password` (secret_option) are
 * secrets. */
void conf_arg_secrets(struct conf_ctx *c, const struct ct_option *o);
/* conf_arg_is_value - is the next item a value, or a constant, of type @t (enum
 * ftype)? */
bool conf_arg_is_value(const struct conf_args *a, enum ftype t);
/* conf_arg_code - store the filter of a block of code ({ ... } behind a static route) in
 * @out; NULL after an error in the block. Returns: false: no block stands here. */
bool conf_arg_code(struct conf_args *a, const struct filter **out);
/* conf_arg_routes - store the routes of a struct ct_routes in @out; the routes live as
 * long as the tree.
 * Returns: false: no such routes stand here. */
bool conf_arg_routes(struct conf_args *a, const struct ct_routes **out);
/* conf_opt_value - store the value of row @o in its field of @to; for parse functions
 * that wrap a second type. */
bool conf_opt_value(const struct conf_opt *o, struct conf_args *a, void *to);
/* conf_arg_expected - report that @what was expected at @a. Returns: false. */
bool conf_arg_expected(const struct conf_args *a, const char *what);
/* conf_arg_expected_switch - report that @words, or nothing, was expected at @a. Returns:
 * false. */
bool conf_arg_expected_switch(const struct conf_args *a, const char *words);
/* conf_arg_done - check that no item is left. Returns: false after an error. */
bool conf_arg_done(struct conf_args *a);
struct src_pos conf_arg_pos(const struct conf_args *a);
/* conf_arg_start - position of the option's first word. */
struct src_pos conf_arg_start(const struct conf_args *a);

/* conf_error, conf_warning - add a message with the position @at. */
void conf_error(struct conf_ctx *c, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void conf_warning(struct conf_ctx *c, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* conf_ext - note a use of words that BIRD 2.17 refuses (ext_add). */
void conf_ext(struct conf_ctx *c, struct src_pos at, enum known_by by, const char *fmt,
    ...) PRINTF_LIKE(4, 5);
/* conf_ext_truth - note a switch `true` or `false` at @a: BIRD 2.17 has on, yes, off and
 * no. */
void conf_ext_truth(const struct conf_args *a);
/* conf_arena - the arena of the unfinished configuration. */
struct arena *conf_arena(struct conf_ctx *c);

/* Tables that belong to no protocol, for callers that list options. */
extern const struct conf_opt *const conf_global_table; /* top level; conf_global.c */
extern const struct conf_opt *const conf_table_table; /* tables */
extern const struct conf_opt *const conf_proto_table; /* every protocol; conf_proto.c */
extern const struct conf_opt *const conf_channel_table; /* every channel */

/* Words of `debug` and their DEBUG_* bits; a row without a word ends the list. The first
 * two rows are all and off, like in each table of OPT_DEBUG. */
extern const struct opt_name conf_debug_names[];
/* conf_mrtdump_names - words of `mrtdump` and their MRTDUMP_* bits; likewise. */
extern const struct opt_name conf_mrtdump_names[];
/* conf_log_names - classes of log messages, 1 << enum log_class; likewise. */
extern const struct opt_name conf_log_names[];

/* ---- for the parser ---- */

/* conf_opt_defaults - write every row's default into @to, a zeroed struct. */
void conf_opt_defaults(const struct conf_opt *table, void *to);
/* conf_opt_same - do @a and @b have equal values in the field of row @o? */
bool conf_opt_same(const struct conf_opt *o, const void *a, const void *b);

#endif
