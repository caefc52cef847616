/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serving one client of the control socket: octets in and out, one command after
 * another. Loop: the session's. */
#ifndef TERN_NEST_CLI_CLI_SERVE_H
#define TERN_NEST_CLI_CLI_SERVE_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

struct cli_host;
struct cli_session;
struct stat;
struct tern;

/* cli_session_new - make a session for the new connection @fd, and start its worker. In
 * the host's worker. */
OWNED struct cli_session *cli_session_new(
    struct cli_host *h, struct tern *t, TAKE struct os_fd fd);
/* cli_session_check - the socket's file has the rights @st now: a session whose client
 * could not connect any more ends after its present reply, with an unasked line. In the
 * host's worker. */
void cli_session_check(struct cli_session *s, const struct stat *st);
/* cli_session_close - ask the session to end, once: after its present reply, unless its
 * client reads nothing for 10 s or the daemon ends. In the host's worker. */
void cli_session_close(struct cli_session *s);
/* cli_session_notify - send @text as an unasked line, unless the session has `echo` on
 * for the class (1 << enum log_class). For a client that does not read, the session keeps
 * at most the last such line. In the host's worker. */
void cli_session_notify(struct cli_session *s, uint32_t class, const char *text);
/* cli_session_stop - stop the worker, after host->ended. In the host's worker. */
void cli_session_stop(TAKE struct cli_session *s);

#endif
