/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remedies: the change by which the route server would accept or send a route of a
 * member. Pure functions.
 *
 * A reason of doc/reasons.md that stands for one rule has one remedy (words.h). A policy
 * of the exchange has many rules: the remedy follows from the text of the rule, the texts
 * of the communities that the rule adds, the names of filter and function, and the ROAs.
 * Each remedy names the values of the route. */
#ifndef TERN_LIB_WIRE_REMEDY_H
#define TERN_LIB_WIRE_REMEDY_H

#include "lib/json/jview.h"
#include "lib/base/strbuf.h"

/* remedy_add - append the remedy for @line, an object with `reason` or `filtered_by`, or
 * with its `remedy`; nothing if nothing is wrong. The text may hold any characters: the
 * caller escapes. */
void remedy_add(struct strbuf *o, struct jview line);

#endif
