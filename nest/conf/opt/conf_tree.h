/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of all text outside the filter language: an option is a list of words and
 * values, a block is a list of options.
 *
 * A single grammar serves all protocols; option tables (nest/conf/opt/conf_opt.h) define
 * the meaning of an option. Owner: the parser, whose scratch arena holds the tree. Lives:
 * until the end of the top-level entry.
 *
 * Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_TREE_H
#define TERN_NEST_CONF_OPT_CONF_TREE_H

#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"
#include "lib/base/check.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

enum ct_kind {
	CT_WORD, /* word; may name a constant */
	CT_VALUE, /* value: a literal, or an expression in parentheses */
	CT_CHAR, /* chr: a sign of , - * / % : */
	CT_BLOCK, /* block */
	/* filter: `filter NAME`, `filter { }`, `where COND`; NULL after an error */
	CT_FILTER,
	CT_CODE, /* filter: the block behind a static route */
	CT_ROUTES /* routes: struct ct_routes, behind the word `route` */
};

/* The word behind the prefix of a route of struct ct_routes. */
enum ct_route_kind {
	CT_ROUTE_VIA,
	CT_ROUTE_ROA,
	CT_ROUTE_BLACKHOLE,
	CT_ROUTE_UNREACHABLE,
	CT_ROUTE_PROHIBIT
};

/* A static route of a usual form (conf_routes.c). */
struct ct_route {
	struct prefix net;
	uint32_t line, col; /* position of the prefix */
	uint8_t kind; /* enum ct_route_kind */
	uint8_t max_len; /* for a ROA: at least net.len */
	uint16_t gw_off; /* columns from the prefix to the gateway on the line */
	uint32_t asn; /* for a ROA */
	struct ip_addr gw; /* for `via`: any address */
};

/* Routes of one form, read by conf_routes. Owner: the parser. Freed by: the scratch arena
 * of the parser. */
struct ct_routes {
	const char *file;
	const struct ct_route *route;
	uint32_t cnt;
};

/* A word, a value or a block. Owner: the parser. Freed by: the scratch arena of the
 * parser. */
struct ct_item {
	struct ct_item *next;
	struct src_pos pos;
	uint8_t kind; /* enum ct_kind */
	char chr;
	union {
		const char *word;
		struct fvalue value;
		struct ct_block *block;
		const struct filter *filter;
		const struct ct_routes *routes;
	};
};

/* An option. Owner: the parser. Freed by: the scratch arena of the parser. */
struct ct_option {
	struct ct_option *next;
	struct src_pos pos;
	struct ct_item *item, *last; /* at least a single item */
	bool open; /* last option of its block, without a semicolon */
	struct src_pos end; /* place of the semicolon, present or missing */
};

/* A block. Owner: the parser. Freed by: the scratch arena of the parser. */
struct ct_block {
	struct src_pos pos, end; /* positions of { and } */
	struct ct_option *option, *last;
};

struct ct_item *ct_item_word(struct arena *a, struct src_pos pos, const char *word);
struct ct_item *ct_item_char(struct arena *a, struct src_pos pos, char chr);
struct ct_item *ct_item_value(struct arena *a, struct src_pos pos, struct fvalue v);
struct ct_item *ct_item_filter(
    struct arena *a, enum ct_kind k, struct src_pos pos, const struct filter *f);
struct ct_item *ct_item_block(struct arena *a, struct src_pos pos, struct ct_block *b);
struct ct_option *ct_option_new(struct arena *a, struct ct_item *first);
/* ct_option_routes - make an option like `route`, for all of @r. */
struct ct_option *ct_option_routes(
    struct arena *a, struct src_pos pos, const struct ct_routes *r);
void ct_option_add(struct ct_option *o, struct ct_item *i);
struct ct_block *ct_block_new(struct arena *a, struct src_pos pos);
void ct_block_add(struct ct_block *b, struct ct_option *o);

#endif
