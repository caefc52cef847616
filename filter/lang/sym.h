/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols and scopes, used by filters and by the configuration parser.
 *
 * A table belongs to one configuration, lives in the configuration's arena and changes
 * only during parsing. A CLI expression reads a finished table and keeps its names in a
 * second table on top.
 *
 * Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_SYM_H
#define TERN_FILTER_LANG_SYM_H

#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"
#include "lib/base/check.h"
#include "lib/base/htab.h"

enum sym_class {
	SYM_CONSTANT = 1,
	SYM_VARIABLE,
	SYM_FUNCTION,
	SYM_FILTER,
	SYM_TABLE,
	SYM_PROTOCOL,
	SYM_TEMPLATE,
	SYM_ATTRIBUTE
};

/* SYM_BIT - the bit of a class in a mask. */
#define SYM_BIT(class) (1u << (class))

struct filter;
struct ffunc;
struct spell;

/* owner: its table; lives: as the table's arena. */
struct sym {
	struct htab_node node; /* private: in the table, by its name */
	struct sym *defined; /* next in order of definition, in the same scope */
	const char *name;
	struct src_pos pos;
	uint32_t scope; /* private: number of the scope it belongs to */
	uint8_t class; /* enum sym_class */
	/* enum ftype: of constant, variable, attribute, result of a function */
	uint8_t type;
	bool maybe_void; /* variable: some assignment may leave it undefined */
	bool wire; /* attribute: a path attribute by code; slot holds the code */
	/* constant: an option takes the value as a secret, and commands do not read it */
	bool secret;
	uint16_t slot; /* of a variable; id of an attribute */
	union {
		struct fvalue value; /* constant */
		const struct filter *filter; /* filter */
		struct ffunc *func; /* function */
		const struct conf_table *table; /* table */
		const struct conf_proto *proto; /* protocol, template */
	};
};

/* owner: who parses, then immutable. */
struct sym_table {
	struct arena *arena;
	const struct sym_table *below; /* looked at when a name isn't here; may be NULL */
	struct sym *first, *last; /* of the outermost scope, in order of definition */
	/* private */
	struct htab names; /* of all open scopes */
	uint32_t depth; /* of open scopes; 0: outermost */
	struct sym *inner; /* symbols of inner scopes, newest first, by `defined` */
};

void sym_table_init(struct sym_table *t, struct arena *a, const struct sym_table *below);
/* sym_find - the innermost symbol of that name; NULL: none. */
struct sym *sym_find(const struct sym_table *t, const char *name);
/* sym_define - a new symbol in the present scope. Returns: NULL if that scope has the
 * name already. */
struct sym *sym_define(
    struct sym_table *t, const char *name, enum sym_class c, struct src_pos pos);
/* sym_push, sym_pop - open and close an inner scope. */
void sym_push(struct sym_table *t);
void sym_pop(struct sym_table *t);
/* sym_spell_add - add to @sp each symbol of the outermost scopes whose class is in
 * @classes, a mask of SYM_BIT. */
void sym_spell_add(const struct sym_table *t, uint32_t classes, struct spell *sp);
/* sym_near - the symbol of @classes that is nearest to @name; NULL: none is near. */
const char *sym_near(const struct sym_table *t, uint32_t classes, const char *name);
/* sym_class_name - as `show symbols` says: "routing table", "protocol template" ... */
const char *sym_class_name(enum sym_class c);

#endif
