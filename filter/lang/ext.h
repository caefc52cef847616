/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a text that BIRD 2.17 refuses, for the way back to BIRD (`ternd -p --bird
 * 2.17`). Only the owner calls. Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_EXT_H
#define TERN_FILTER_LANG_EXT_H

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#define EXT_BIRD "2.17" /* the version of BIRD that the tables describe */

struct ext_use;

/* Uses of the refused words. Owner: the caller of the parser. Life: one parse. Freed by:
 * ext_fini. */
struct ext_uses {
	/* private */
	struct ext_use *use;
	unsigned cnt, cap;
};

void ext_init(struct ext_uses *u);
void ext_fini(struct ext_uses *u);
/* ext_add - note that the text has a word at @at. @by: the daemons that know the word;
 * KNOWN_BIRD_2 adds nothing, and a second use at the place of an equal use adds nothing.
 * @u: NULL: nobody asks. @fmt: "option 'net limit' of a channel". */
void ext_add(struct ext_uses *u, struct src_pos at, enum known_by by, const char *fmt,
    ...) PRINTF_LIKE(4, 5);
/* ext_print - append a line for each use, in the order of each file. Returns: the number
 * of uses. */
unsigned ext_print(const struct ext_uses *u, struct strbuf *b);

#endif
