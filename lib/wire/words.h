/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reasons of doc/reasons.md in words for members: what is wrong, and what to do.
 * Pure functions. */
#ifndef TERN_LIB_WIRE_WORDS_H
#define TERN_LIB_WIRE_WORDS_H

#include "lib/json/jview.h"

/* words_text - what the reason with the key @key means; NULL: no such reason. words_do -
 * what changes the result, for each route alike; "" if nothing is wrong, or if the remedy
 * depends on the route (remedy.h). */
const char *words_text(struct jview key);
const char *words_do(struct jview key);
/* words_line - the words for @line, an object with `reason` or `filtered_by`; NULL: none.
 */
const char *words_line(struct jview line);

#endif
