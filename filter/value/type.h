/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types of the filter language.
 *
 * FTYPE_TABLE(X): name, text. T_VOID is the type of an undefined value; T_ANY stands for
 * "not known before the run" and is the type of no value.
 *
 * Types only; any thread may read. */
#ifndef TERN_FILTER_VALUE_TYPE_H
#define TERN_FILTER_VALUE_TYPE_H

#include "lib/base/check.h"

#define FTYPE_TABLE(X)                                                                   \
	X(VOID, "void")                                                                  \
	X(BOOL, "bool")                                                                  \
	X(INT, "int")                                                                    \
	X(PAIR, "pair")                                                                  \
	X(QUAD, "quad")                                                                  \
	X(STRING, "string")                                                              \
	X(BYTES, "bytestring")                                                           \
	X(IP, "ip")                                                                      \
	X(PREFIX, "prefix")                                                              \
	X(RD, "rd")                                                                      \
	X(MAC, "mac")                                                                    \
	X(EC, "ec")                                                                      \
	X(LC, "lc")                                                                      \
	X(PATH, "bgppath")                                                               \
	X(PATH_MASK, "bgpmask")                                                          \
	X(CLIST, "clist")                                                                \
	X(ECLIST, "eclist")                                                              \
	X(LCLIST, "lclist")                                                              \
	X(ENUM_RTS, "enum rts")                                                          \
	X(ENUM_RTD, "enum rtd")                                                          \
	X(ENUM_SCOPE, "enum scope")                                                      \
	X(ENUM_ROA, "enum roa")                                                          \
	X(ENUM_ASPA, "enum aspa")                                                        \
	X(ENUM_IRR, "enum irr")                                                          \
	X(ENUM_ORIGIN, "enum origin")                                                    \
	X(ENUM_NETTYPE, "enum nettype")                                                  \
	X(ENUM_MPLS_POLICY, "enum mpls_policy")                                          \
	X(ENUM_RA_PREF, "enum ra_pref")                                                  \
	X(ENUM_EVPN, "enum evpn_type")                                                   \
	X(ENUM_KBR_SRC, "enum kbr_src")                                                  \
	X(ENUM_AF, "enum af")                                                            \
	X(SET_INT, "int set")                                                            \
	X(SET_PAIR, "pair set")                                                          \
	X(SET_QUAD, "quad set")                                                          \
	X(SET_IP, "ip set")                                                              \
	X(SET_PREFIX, "prefix set")                                                      \
	X(SET_EC, "ec set")                                                              \
	X(SET_LC, "lc set")                                                              \
	X(SET_RD, "rd set")                                                              \
	X(SET_MAC, "mac set")                                                            \
	X(SET_ENUM, "enum set")                                                          \
	X(SET_ORIGIN, "origin set")                                                      \
	X(SET_EMPTY, "empty set")                                                        \
	X(TABLE, "routing table")                                                        \
	X(ROUTE, "route")                                                                \
	X(ANY, "any")

enum ftype {
#define X(name, text) T_##name,
	FTYPE_TABLE(X)
#undef X
	    FTYPE_CNT
};

/* ftype_name - "int", "prefix set" ... */
const char *ftype_name(enum ftype t);
bool ftype_is_set(enum ftype t);
bool ftype_is_enum(enum ftype t);
/* ftype_set_of - the set type of an element type; T_VOID: none. */
enum ftype ftype_set_of(enum ftype elem);
/* ftype_is_attr - true if a custom attribute may have type @t. */
bool ftype_is_attr(enum ftype t);

#endif
