/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One command after another over a connection: from what was typed to what is printed and
 * the exit status. Knows no terminal: that gives it three functions. */
#ifndef TERN_CLIENT_SESSION_H
#define TERN_CLIENT_SESSION_H

#include "client/conn.h"
#include "lib/base/strbuf.h"

/* Where output goes and how the user interrupts. */
struct session_io {
	/* put - show one line (without its end). Returns: false: the user wants no more.
	 */
	bool (*put)(void *self, const char *line);
	/* wait - until @fd is readable. Returns: false: the user has interrupted. */
	bool (*wait)(void *self, int fd);
	/* screen - the same place again for what `watch` shows. */
	void (*screen)(void *self);
	/* pause - for @ms. Returns: false: enough, by an interrupt or since nobody reads.
	 */
	bool (*pause)(void *self, unsigned ms);
	void *self;
};

/* owner: main; lives: as long as the program. */
struct session {
	struct session_io io;
	const char *path; /* of the socket */
	bool verbose; /* show codes */
	bool json; /* show commands are asked for as JSON */
	bool restricted; /* and restrict each new connection */
	bool colour; /* errors and problems stand out */
	bool quit; /* the user has said so */
	unsigned last_code; /* of the latest reply; 9999: a command that was not sent */
	/* private */
	struct conn conn;
	struct strbuf line;
	bool objects; /* the reply that is read is JSON */
	bool opening; /* a connection is new: an interrupt was for what is over */
};

/* session_open - connect, show the banner, restrict. Errors go to stderr. Returns: 0 or
 * -1. */
MUST_CHECK int session_open(struct session *s);
void session_close(struct session *s);

/* session_run - do what the user typed: send a command and show its reply, give help, or
 * quit. Interrupted, it connects anew, which ends the command in the daemon too. Returns:
 * 0, or -1: the connection is lost (said on stderr). */
MUST_CHECK int session_run(struct session *s, const char *typed);

/* session_ask - send @command as it is and append the texts of the reply to @out, each
 * with a NUL behind it, if its code is @code. Nothing is shown. Returns: as session_run.
 */
MUST_CHECK int session_ask(
    struct session *s, struct strbuf *out, const char *command, unsigned code);

/* session_again - connect anew after the connection was lost; nothing is shown. Returns:
 * 0, or -1 (said on stderr). session_lost - is it? */
MUST_CHECK int session_again(struct session *s);
bool session_lost(const struct session *s);

/* session_greet - say who the daemon is: its name, router id and version, and how it was
 * reached. Returns: as session_run. */
MUST_CHECK int session_greet(struct session *s);

/* session_fd - to wait for between commands; -1: the connection is lost. */
int session_fd(const struct session *s);
/* session_idle - show what the daemon said unasked. Returns: as session_run. */
MUST_CHECK int session_idle(struct session *s);

/* session_status - exit status of the program: 1 if the last reply was an error. */
int session_status(const struct session *s);

#endif
