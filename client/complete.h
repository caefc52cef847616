/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of commands by readline: words from our table, names from the daemon. Loop:
 * the only thread of ternc. */
#ifndef TERN_CLIENT_COMPLETE_H
#define TERN_CLIENT_COMPLETE_H

#include "client/session.h"

/* complete_init - make readline complete for @s, which stays borrowed. */
void complete_init(struct session *s);

/* complete_list - append to @out, each followed by a NUL, the words that may replace
 * @part, the last word of @line. Asks the daemon for names if names may stand there.
 * Returns: number of words. */
unsigned complete_list(
    struct session *s, struct strbuf *out, const char *line, const char *part);

#endif
