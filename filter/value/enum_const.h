/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants of the language: ROA_VALID, RTS_BGP ... Owner: none, constant. Life: static,
 * never freed. Pure functions; any thread. */
#ifndef TERN_FILTER_VALUE_ENUM_CONST_H
#define TERN_FILTER_VALUE_ENUM_CONST_H

#include "filter/value/type.h"

struct spell;

/* A constant of the language. Constant: nothing to free. */
struct enum_const {
	const char *name;
	uint8_t type;
	uint32_t value;
};
const struct enum_const *enum_const_find(const char *name);
/* enum_const_spell - offer the names of all constants to @sp. */
void enum_const_spell(struct spell *sp);
/* enum_const_name - the name of @value; NULL: none. */
const char *enum_const_name(enum ftype t, uint32_t value);

#endif
