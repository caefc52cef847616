/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client's end of the control socket: commands out, lines of replies in. Loop: the
 * only thread of ternc. */
#ifndef TERN_CLIENT_CONN_H
#define TERN_CLIENT_CONN_H

#include "lib/wire/cli_frame.h"

/* octets of a command; the daemon drops a client that sends more */
#define CONN_COMMAND_MAX 4094

/* Owner: the one thread of ternc. Life: from conn_open to conn_close. */
struct conn {
	int fd; /* -1: not connected */
	/* a descriptor that has come with a line, which the caller may take by setting
	 * -1; -1: none */
	int passed;
	/* private */
	size_t pos, len; /* the unread part of buf */
	struct cli_reader rd;
	char buf[4096];
};

/* conn_open - connect to the socket at @path.
 * Returns: 0, or a negative errno of socket(2) or connect(2); -ENAMETOOLONG. */
MUST_CHECK int conn_open(struct conn *c, const char *path);
/* conn_open_now - as conn_open, for a loop that may not wait: sending does not block
 * either. Returns: also -EAGAIN: too many clients wait for the daemon. */
MUST_CHECK int conn_open_now(struct conn *c, const char *path);
void conn_close(struct conn *c);

/* conn_send - send @command and the end of the line. Line ends inside @command become
 * blanks, because a second command would have a reply without a reader. Blocks until
 * written. Returns: 0, -EMSGSIZE (nothing sent), or a negative errno. */
MUST_CHECK int conn_send(struct conn *c, const char *command);

/* conn_next - the next received line. Blocks: never. Returns: 1 (@line is valid until the
 * next call), 0: no line yet, wait until c->fd is readable; -ECONNRESET: the daemon has
 * closed the connection; another negative errno. */
MUST_CHECK int conn_next(struct conn *c, struct cli_line *line);

/* conn_explain - describe on @to (of size @size) why conn_open of @path failed with @err,
 * and the remedy. Returns: @to. */
const char *conn_explain(char *to, size_t size, const char *path, int err);

#endif
