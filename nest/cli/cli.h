/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket: listens, makes a worker with its own thread for each client, and
 * runs commands.
 *
 * A command runs only in its session's thread: the command reads state published by
 * tables and instances, in steps, and writes whole lines to the socket; a client that
 * does not read stops only its own command. Commands that change state are requests to
 * nest/core/control.h. */
#ifndef TERN_NEST_CLI_CLI_H
#define TERN_NEST_CLI_CLI_H

#include "nest/core/tern.h"
#include "sysdep/os/os_fd.h"

struct cli_server;

/* cli_server_new - serve @fd (TAKE), made by sock_unix_bind for @path with @inode.
 * @is_main: the socket of the command line; the rights of any other socket are those of
 * its statement in the configuration in force. Control worker. */
OWNED struct cli_server *cli_server_new(
    struct tern *t, const char *path, struct os_fd fd, uint64_t inode, bool is_main);
/* cli_server_notify - send @text as an unasked line to all sessions; a session with
 * `echo` on for @class (1 << enum log_class) gets only the log line. Control worker. */
void cli_server_notify(struct cli_server *sv, uint32_t class, const char *text);
/* cli_server_check - end the sessions of clients that the present rights of the socket's
 * file keep out, each with an unasked line. Control worker. */
void cli_server_check(struct cli_server *sv);
/* cli_server_close - stop listening, remove the socket file, end all sessions (they count
 * as workers of the daemon until they have ended). */
void cli_server_close(TAKE struct cli_server *s);

#endif
