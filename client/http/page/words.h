/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reasons of doc/reasons.md in words for members: what is wrong, and what to do.
 * Pure functions. */
#ifndef TERN_CLIENT_HTTP_PAGE_WORDS_H
#define TERN_CLIENT_HTTP_PAGE_WORDS_H

#include "client/http/job/jview.h"

/* words_text - what the reason with the key @key means; NULL: no such reason. words_do -
 * what changes the result; "" if nothing is wrong. */
const char *words_text(struct jview key);
const char *words_do(struct jview key);
/* words_line - the words and the remedy (as words_do) for @line, an object with `reason`
 * or `filtered_by`. Returns: the words; NULL: none. */
const char *words_line(const char **todo, struct jview line);

#endif
