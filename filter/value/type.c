/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the types of the filter language, and answers whether a type is a set, an
 * enumeration or an attribute. No state; any thread. Tested by
 * test/unit/test_conf_golden.c. */
#include "filter/value/type.h"

const char *
ftype_name(enum ftype t)
{
	static const char *const name[FTYPE_CNT] = {
#define X(id, text) [T_##id] = text,
		FTYPE_TABLE(X)
#undef X
	};

	return t < FTYPE_CNT ? name[t] : "?";
}

bool
ftype_is_set(enum ftype t)
{
	return t >= T_SET_INT && t <= T_SET_EMPTY;
}

bool
ftype_is_enum(enum ftype t)
{
	return t >= T_ENUM_RTS && t <= T_ENUM_AF;
}

enum ftype
ftype_set_of(enum ftype elem)
{
	switch (elem) {
	case T_INT:
		return T_SET_INT;
	case T_PAIR:
		return T_SET_PAIR;
	case T_QUAD:
		return T_SET_QUAD;
	case T_IP:
		return T_SET_IP;
	case T_PREFIX:
		return T_SET_PREFIX;
	case T_RD:
		return T_SET_RD;
	case T_MAC:
		return T_SET_MAC;
	case T_EC:
		return T_SET_EC;
	case T_LC:
		return T_SET_LC;
	default:
		return ftype_is_enum(elem) ? T_SET_ENUM : T_VOID;
	}
}

bool
ftype_is_attr(enum ftype t)
{
	switch (t) {
	case T_BOOL:
	case T_INT:
	case T_PAIR:
	case T_QUAD:
	case T_STRING:
	case T_BYTES:
	case T_IP:
	case T_PREFIX:
	case T_RD:
	case T_MAC:
	case T_EC:
	case T_LC:
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		return true;
	default:
		return ftype_is_enum(t);
	}
}
