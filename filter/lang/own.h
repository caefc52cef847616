/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a text that BIRD 2.17 refuses, for the way back to BIRD (`ternd -p --bird
 * 2.17`). Only the owner calls. Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_OWN_H
#define TERN_FILTER_LANG_OWN_H

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#define OWN_BIRD "2.17" /* the version of BIRD that the tables describe */

struct own_use;

/* Uses of the refused words. Owner: the caller of the parser. Life: one parse. Freed by:
 * own_fini. */
struct own_uses {
	/* private */
	struct own_use *use;
	unsigned cnt, cap;
};

void own_init(struct own_uses *u);
void own_fini(struct own_uses *u);
/* own_add - note that the text has a word at @at. @by: the daemons that know the word;
 * KNOWN_BIRD_2 adds nothing, and a second use at the place of an equal use adds nothing.
 * @u: NULL: nobody asks. @fmt: "option 'net limit' of a channel". */
void own_add(struct own_uses *u, struct src_pos at, enum known_by by, const char *fmt,
    ...) PRINTF_LIKE(4, 5);
/* own_print - append a line for each use, in the order of each file. Returns: the number
 * of uses. */
unsigned own_print(const struct own_uses *u, struct strbuf *b);

#endif
