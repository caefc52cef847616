/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants that the language knows: ROA_VALID, RTS_BGP ... */
#ifndef TERN_FILTER_ENUM_CONST_H
#define TERN_FILTER_ENUM_CONST_H

#include "filter/value/type.h"

struct enum_const {
	const char *name;
	uint8_t type;
	uint32_t value;
};
const struct enum_const *enum_const_find(const char *name);
/* enum_const_name - NULL: none has that value. */
const char *enum_const_name(enum ftype t, uint32_t value);

#endif
