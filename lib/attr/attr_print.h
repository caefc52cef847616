/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes as `show route all` prints them, line by line. Pure functions; any
 * thread. */
#ifndef TERN_LIB_ATTR_ATTR_PRINT_H
#define TERN_LIB_ATTR_ATTR_PRINT_H

#include "lib/attr/attr.h"

/* Takes one line: text without a line end, valid for the call. */
typedef void (*attr_line_fn)(void *arg, const char *line);

/* attr_print_item - the lines of one attribute, as attr_print_wire. */
void attr_print_item(const struct attr_item *it, attr_line_fn fn, void *arg);
/* attr_print_wire - "\tBGP.origin: IGP" and so on, in order of codes; lines are at most
 * 500 octets long: communities go on in lines "\t\t(...)", other long values are
 * shortened and end in "...". */
void attr_print_wire(const struct wire_set *w, attr_line_fn fn, void *arg);

#endif
