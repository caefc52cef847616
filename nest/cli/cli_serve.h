/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serving one client of the control socket: octets in and out, one command after the
 * other. */
#ifndef TERN_NEST_CLI_SERVE_H
#define TERN_NEST_CLI_SERVE_H

#include "lib/base/check.h"

struct cli_host;
struct cli_session;
struct tern;

/* cli_session_new - in the host's worker. @fd: of a new connection. Starts its worker. */
OWNED struct cli_session *cli_session_new(
    struct cli_host *h, struct tern *t, TAKE int fd);
/* cli_session_close - ask it to end, once: after the reply that it is giving, unless its
 * client reads nothing of it for 10 s or the daemon ends. In the host's worker. */
void cli_session_close(struct cli_session *s);
/* cli_session_tell - send @text as an unasked line, unless the session has `echo` on for
 * its class (1 << enum log_class). One such line waits for a client that doesn't read. In
 * the host's worker. */
void cli_session_tell(struct cli_session *s, uint32_t class, const char *text);
/* cli_session_stop - let it go: after host->ended, in the host's worker. */
void cli_session_stop(TAKE struct cli_session *s);

#endif
