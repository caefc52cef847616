/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands in sequence over a connection: from the typed line to the output and the exit
 * status. The terminal supplies the functions of struct session_io. Owner: the only
 * thread of ternc. Life: until the program ends. */
#ifndef TERN_CLIENT_SESSION_H
#define TERN_CLIENT_SESSION_H

#include "client/conn.h"
#include "lib/base/strbuf.h"

/* The functions of the terminal. Part of struct session: nothing to free. */
struct session_io {
	/* put - show one line (without its end). Returns: false: the user has ended the
	 * output. */
	bool (*put)(void *self, const char *line);
	/* wait - wait until @fd is readable. Returns: false: the user has interrupted. */
	bool (*wait)(void *self, int fd);
	/* screen - move to the start of the output of `watch`. */
	void (*screen)(void *self);
	/* pause - wait @ms. Returns: false: the user has interrupted, or no reader is
	 * left. */
	bool (*pause)(void *self, unsigned ms);
	/* confirm - ask the user. Returns: true: yes. NULL: no user is there to ask. */
	bool (*confirm)(void *self, const char *question);
	void *self;
};

/* Owner: main, by value. Life: as long as the program. */
struct session {
	struct session_io io;
	const char *path; /* of the socket */
	bool verbose; /* show codes */
	bool json; /* request show commands as JSON */
	bool restricted; /* restrict each new connection */
	bool colour; /* highlight errors and problems */
	bool quit; /* the user has requested the end */
	unsigned last_code; /* of the latest reply; 9999: the command was not sent */
	/* private */
	struct conn conn;
	struct strbuf line;
	bool objects; /* the present reply is JSON */
	/* the connection is new: an interrupt ended the connection before */
	bool opening;
};

/* session_open - connect, show the banner, restrict. Errors go to stderr. Returns: 0 or
 * -1. */
MUST_CHECK int session_open(struct session *s);
void session_close(struct session *s);

/* session_run - execute the typed line: send a command and show the reply, show help, or
 * quit. After an interrupt the session connects again, and the daemon ends the old
 * command. Returns: 0, or -1: the connection is lost (reported on stderr). */
MUST_CHECK int session_run(struct session *s, const char *typed);

/* session_ask - send @command unchanged and append the texts of the reply to @out, each
 * followed by a NUL, if the reply has code @code. Nothing is shown. Returns: as
 * session_run. */
MUST_CHECK int session_ask(
    struct session *s, struct strbuf *out, const char *command, unsigned code);

/* session_collect - send @command unchanged and append all lines of the reply to @out,
 * each with a line end; of a reply with JSON the objects alone. Nothing is shown;
 * last_code is the code of the reply. Returns: 0, or a negative errno: the connection is
 * closed; -EINTR: the function `wait` has ended the reply. */
MUST_CHECK int session_collect(
    struct session *s, struct strbuf *out, const char *command);

/* session_again - connect again after a lost connection; nothing is shown. Returns: 0, or
 * -1 (reported on stderr). session_lost - true if the connection is lost. */
MUST_CHECK int session_again(struct session *s);
bool session_lost(const struct session *s);

/* session_greet - show the daemon's name, router id and version, and the kind of the
 * connection.
 * Returns: as session_run. */
MUST_CHECK int session_greet(struct session *s);

/* session_fd - to wait for between commands; -1: the connection is lost. */
int session_fd(const struct session *s);
/* session_idle - show unasked lines of the daemon. Returns: like session_run. */
MUST_CHECK int session_idle(struct session *s);

/* session_status - exit status of the program: 1 if the last reply was an error. */
int session_status(const struct session *s);

#endif
