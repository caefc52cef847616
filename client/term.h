/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source of commands and target of replies: a terminal with readline and a pager, or
 * regular files. Loop: the only thread of ternc. */
#ifndef TERN_CLIENT_TERM_H
#define TERN_CLIENT_TERM_H

#include "client/session.h"

/* Owner: main, by value. Life: as long as the program. */
struct term {
	bool interactive; /* input and output are both a terminal */
	/* birdc's prompt, and echo of lines from a file or pipe */
	bool as_bird;
	/* private */
	int signals; /* signalfd: blocked SIGINT and SIGWINCH; or -1 */
	unsigned row; /* lines shown since the user's last key */
	bool interrupted;
	bool paged; /* long replies stop at each page */
	bool failed; /* a command from a file or pipe did */
	bool eof;
	struct session *session;
	int rc; /* of the latest session_run */
};

/* term_init - find out the kind of terminal, and set @s->io. */
void term_init(struct term *t, struct session *s);
void term_fini(struct term *t);

/* term_loop - run commands until the end of input, `quit`, or a lost connection. Returns:
 * 0, or -1: the connection is lost, or a command from a file or a pipe failed (not as
 * birdc). */
MUST_CHECK int term_loop(struct term *t);

#endif
