/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket: listens, makes a worker (with a thread of its own) for each client,
 * runs commands.
 *
 * A command works in its session's thread only: it reads what tables and instances
 * publish, in steps, and writes whole lines to the socket; a client that doesn't read
 * stops its own command and nothing else. Commands that change something are requests to
 * nest/core/control.h. */
#ifndef TERN_NEST_CLI_H
#define TERN_NEST_CLI_H

#include "nest/core/tern.h"

struct cli_server;

/* cli_server_new - answer on @fd (TAKE), which sock_unix_bind gave for @path with @inode.
 * @restricted: all sessions are read-only. Control worker. */
OWNED struct cli_server *cli_server_new(
    struct tern *t, const char *path, int fd, uint64_t inode, bool restricted);
/* cli_server_restrict - from now on its sessions, those that are there too, are
 * read-only, or aren't any more. Control worker. */
void cli_server_restrict(struct cli_server *sv, bool restricted);
/* cli_server_tell - all its sessions get @text as an unasked line; those that have `echo`
 * on for @class (1 << enum log_class) get the line of the log only. Control worker. */
void cli_server_tell(struct cli_server *sv, uint32_t class, const char *text);
/* cli_server_close - stop listening, remove the socket file, end all sessions (they count
 * as workers of
 * @t until they are gone). */
void cli_server_close(TAKE struct cli_server *s);

#endif
