/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of commands by readline: words from our table, names from the daemon. */
#ifndef TERN_CLIENT_COMPLETE_H
#define TERN_CLIENT_COMPLETE_H

#include "client/session.h"

/* complete_init - make readline complete for @s, which stays borrowed. */
void complete_init(struct session *s);

/* complete_list - append to @out, each with a NUL behind it, what may stand at the end of
 * @line in place of @part, its last word. Asks the daemon for names where names may
 * stand. Returns: how many. */
unsigned complete_list(
    struct session *s, struct strbuf *out, const char *line, const char *part);

#endif
