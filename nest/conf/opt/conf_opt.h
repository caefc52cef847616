/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option tables: how protocols, channels, tables and the top level tell the parser about
 * their options.
 *
 * An option is known by the words that it begins with ("hold time"); its row says what
 * value follows, where it is kept, and what changing it means for a running instance. The
 * same rows serve the parser, its error messages, the comparison at reconfiguration and
 * the check of the manual. */
#ifndef TERN_NEST_CONF_OPT_H
#define TERN_NEST_CONF_OPT_H

#include "filter/lang/diag.h"
#include "filter/value/type.h"
#include "lib/base/check.h"
#include "nest/conf/config.h"

struct conf_member_ops; /* nest/conf/conf_member.h */
struct conf_ctx; /* the parser (nest/conf/conf_parse.h) */
struct ct_item;
struct ct_option;
struct ct_routes;

/* A position in what stands behind an option's words; may be copied to look ahead. */
struct conf_args {
	/* private */
	const struct ct_item *at;
	const struct ct_option *opt;
};

enum opt_type {
	OPT_SWITCH, /* bool: on yes true, off no false; nothing means on */
	OPT_U32, /* uint32_t, min to max */
	OPT_U16, /* uint16_t, min to max */
	OPT_U8, /* uint8_t, min to max */
	OPT_TIME_S, /* uint32_t in seconds, min to max */
	/* uint64_t in nanoseconds from a number with s, ms or us; plain: seconds */
	OPT_TIME_NS,
	OPT_ID, /* uint32_t from an address or number (router ids) */
	OPT_IP, /* struct ip_addr */
	OPT_STRING, /* const char * */
	OPT_TABLE, /* const struct conf_table * */
	/* const struct filter *: all, none, filter NAME, filter { }, where COND */
	OPT_FILTER,
	OPT_LIMIT, /* struct conf_limit: N [action A] or off */
	OPT_DEBUG, /* uint32_t mask: all, off or { states, ... }; of opt->names */
	/* uint8_t: one of opt->names; nothing means the value of "on" if there is one */
	OPT_ENUM,
	OPT_FORM, /* opt->form, with opt->sub: looked at, but not kept */
	OPT_CUSTOM, /* opt->parse */
	/* no option: a field that is only compared; min is its size in octets */
	OPT_FIELD,
	/* any arguments: accepted without effect (deprecated, other systems) */
	OPT_IGNORED,
	OPT_END
};

/* What tern does with an option. The values of those that aren't supported are read and
 * checked all the same, and not kept; neither is reported when it is given its default
 * (`off`). */
enum opt_state {
	OPT_OK = 0,
	OPT_WARN, /* not supported yet, and can't change what is routed: a warning */
	OPT_UNSUPPORTED /* not supported yet, and could: an error */
};

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
	uint32_t off; /* offset in the struct that the table is for */
	uint64_t min, max, def; /* def is set by conf_opt_defaults where it is not 0 */
	const struct opt_name *names;
	/* Returns: false after it has said what is wrong. @to: the struct that the table
	 * is for. */
	bool (*parse)(
	    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to);
	/* of OPT_FORM, and for the manual of OPT_CUSTOM (nest/conf/opt/conf_form.c) */
	const char *form;
	const struct conf_opt *sub; /* of the BLOCK in a form */
	/* one line for the manual; of a row without words: whose option it is part of */
	const char *help;
};

/* What a protocol tells the parser. */
struct conf_class {
	const char *keyword; /* after `protocol` and `template` */
	const char *name; /* as `show protocols` shows it: "BGP" */
	uint8_t kind; /* enum proto_kind */
	bool unsupported; /* parsed, then refused by name */
	bool has_channels;
	bool rpki_channels; /* also of type roa4, roa6 and aspa */
	uint32_t preference; /* default of its channels */
	/* of opt_size octets; NULL: none but the common ones */
	const struct conf_opt *opt;
	uint32_t opt_size;
	const struct conf_opt *channel_opt; /* of channel_size octets */
	uint32_t channel_size;
	/* check - a whole instance, after its options; it may complete defaults. NULL:
	 * nothing to do. Returns: false after it has said what is wrong. */
	bool (*check)(struct conf_ctx *c, struct conf_proto *p);
	/* diff - CONF_CH_* beyond what the tables say; NULL: nothing. */
	uint32_t (*diff)(const struct conf_proto *old_p, const struct conf_proto *new_p);
	/* clashes - do two instances want the same, as a peer, so that one of them gets
	 * nothing? NULL: they can't. */
	bool (*clashes)(const struct conf_proto *a, const struct conf_proto *b);
	/* monitors - which instances' routes does @p want as they came, before policy: a
	 * pattern of names? NULL: none; the function NULL: never. */
	const char *(*monitors)(const struct conf_proto *p);
	/* monitors_out - the same of what is sent to their peers. */
	const char *(*monitors_out)(const struct conf_proto *p);
	/* monitors_offer - and of what would be if their export filters accepted all. */
	const char *(*monitors_offer)(const struct conf_proto *p);
	/* peer_hash - those of two that clash are equal. */
	uint64_t (*peer_hash)(const struct conf_proto *p);
	/* what they both want, and what comes of it, for a message; is it an error? */
	const char *clash_about, *clash_means;
	bool clash_ends;
	/* of one whose instances may be there for several peers; else NULL */
	const struct conf_member_ops *members;
	/* through - can a channel follow a table by the policy of a pipe, as that of an
	 * overlay? NULL: none can. */
	bool (*through)(const struct conf_channel *ch);
	/* reads - does @p ask for the routes of table @t beside its channels? NULL: of
	 * none. */
	bool (*reads)(const struct conf_proto *p, const struct conf_table *t);
	/* leads - can the routes that @ch brings to its table tell where next hops are?
	 * NULL: never. */
	bool (*leads)(const struct conf_proto *p, const struct conf_channel *ch);
	/* local_as - the AS as which @p speaks. NULL: it has none. */
	uint32_t (*local_as)(const struct conf_proto *p);
	/* lacks - which right of this process does @p need that it hasn't, into @out;
	 * nothing if it has all. NULL: none is needed. */
	void (*lacks)(const struct conf_proto *p, struct strbuf *out);
};

/* ---- for parse functions ---- */

enum arg_kind { ARG_END, ARG_WORD, ARG_VALUE, ARG_COMMA, ARG_BLOCK, ARG_OTHER };

/* conf_arg_peek - what stands next. */
enum arg_kind conf_arg_peek(const struct conf_args *a);
/* conf_arg_word - if the next is the word @w, step over it. */
bool conf_arg_word(struct conf_args *a, const char *w);
/* conf_arg_comma - the same for a comma. */
bool conf_arg_comma(struct conf_args *a);
/* conf_arg_other - the same for another sign. */
bool conf_arg_other(struct conf_args *a, char sign);
/* conf_arg_skip - step over all that is left. */
void conf_arg_skip(struct conf_args *a);
/* conf_arg_list - step over { a, b ... } whose items @in then goes through. Returns:
 * false after it has said what was expected. */
bool conf_arg_list(struct conf_ctx *c, struct conf_args *a, struct conf_args *in);
/* conf_arg_block - step over { options } of @what ("the table"), each a row of @table,
 * into @to. Errors in them don't end it. */
void conf_arg_block(struct conf_ctx *c, struct conf_args *a, const char *what,
    const struct conf_opt *table, void *to);
/* conf_arg_next_word - any word (not resolved as a constant); NULL: something else stands
 * here. */
const char *conf_arg_next_word(struct conf_args *a);
/* conf_arg_u32, ... - the next value, of that type and range; names of constants are
 * resolved. Returns: false after it has said what was expected. */
bool conf_arg_u32(
    struct conf_ctx *c, struct conf_args *a, uint32_t *out, uint64_t min, uint64_t max);
bool conf_arg_ip(struct conf_ctx *c, struct conf_args *a, struct ip_addr *out);
bool conf_arg_prefix(struct conf_ctx *c, struct conf_args *a, struct prefix *out);
bool conf_arg_string(struct conf_ctx *c, struct conf_args *a, const char **out);
bool conf_arg_bytes(
    struct conf_ctx *c, struct conf_args *a, const uint8_t **out, uint32_t *len);
bool conf_arg_switch(struct conf_ctx *c, struct conf_args *a, bool *out);
/* conf_arg_is_value - is the next a value of type @t (enum ftype), or a constant of that
 * type? */
bool conf_arg_is_value(struct conf_ctx *c, const struct conf_args *a, enum ftype t);
/* conf_arg_code - the filter of a block of code ({ ... } behind a static route) into
 * @out, NULL after an error in it. Returns: false if none stands here. */
bool conf_arg_code(struct conf_args *a, const struct filter **out);
/* conf_arg_routes - many plain routes into @out; they live as long as the tree. Returns:
 * false if something else stands here. */
bool conf_arg_routes(struct conf_args *a, const struct ct_routes **out);
/* conf_opt_value - the value of row @o into its field of @to, for parse functions that
 * wrap another type. */
bool conf_opt_value(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to);
/* conf_arg_expected - say that @what was expected, and where. Returns: false. */
bool conf_arg_expected(struct conf_ctx *c, const struct conf_args *a, const char *what);
/* conf_arg_done - nothing may be left. Returns: false after an error. */
bool conf_arg_done(struct conf_ctx *c, struct conf_args *a);
struct src_pos conf_arg_pos(const struct conf_args *a);
/* conf_arg_start - where the option begins. */
struct src_pos conf_arg_start(const struct conf_args *a);

/* conf_error, conf_warning - at @at. */
void conf_error(struct conf_ctx *c, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void conf_warning(struct conf_ctx *c, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* conf_arena - of the configuration in the making. */
struct arena *conf_arena(struct conf_ctx *c);

/* Tables that belong to no protocol; for those who list options. */
extern const struct conf_opt *const conf_global_table; /* top level; conf_global.c */
extern const struct conf_opt *const conf_table_table; /* tables */
extern const struct conf_opt *const conf_proto_table; /* every protocol; conf_proto.c */
extern const struct conf_opt *const conf_channel_table; /* every channel */

/* Words of `debug` and their DEBUG_* bits; ends with a row without a word. The first two
 * rows are all and off, as in each table of OPT_DEBUG. */
extern const struct opt_name conf_debug_names[];
/* conf_mrtdump_names - likewise of `mrtdump`, and MRTDUMP_* bits. */
extern const struct opt_name conf_mrtdump_names[];
/* Classes of log messages, 1 << enum log_class, likewise. */
extern const struct opt_name conf_log_names[];

/* ---- for the parser ---- */

/* conf_opt_defaults - write every row's default into @to (which is all zeros). */
void conf_opt_defaults(const struct conf_opt *table, void *to);
/* conf_opt_same - has the field of row @o the same meaning in both? */
bool conf_opt_same(const struct conf_opt *o, const void *a, const void *b);

#endif
