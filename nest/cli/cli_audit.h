/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit trail of a client: log lines of class audit. In the session's loop. */
#ifndef TERN_NEST_CLI_CLI_AUDIT_H
#define TERN_NEST_CLI_CLI_AUDIT_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

struct strbuf;

/* The client and its command under way. Owner: the session, embedded. Life: as long as
 * the session. Freed by: cli_audit_fini. */
struct cli_audit {
	char *who; /* MEM_OTHER; NULL: no command needed the client's name yet */
	char *command; /* MEM_OTHER; secrets are masked; NULL: no audited command */
};

/* cli_audit_who - the client at @fd of the socket @path. Reads /etc/passwd in the first
 * call of a session. */
const char *cli_audit_who(struct cli_audit *a, struct os_fd fd, const char *path);
/* cli_audit_begin - the client begins the command @line, without comments. Without a log
 * of class audit no effect. */
void cli_audit_begin(
    struct cli_audit *a, struct os_fd fd, const char *path, const char *line);
/* cli_audit_end - the command has ended with the result @code (enum cli_code), or without
 * a result (-1): the client left. No effect if no audited command is under way. */
void cli_audit_end(struct cli_audit *a, int code);
void cli_audit_fini(struct cli_audit *a);
/* cli_audit_debug - the line of `debug commands 2` about the command @line. */
void cli_audit_debug(const char *line);
/* cli_audit_uid - the user of the process that connected at @fd; UINT32_MAX: unknown. */
uint32_t cli_audit_uid(struct os_fd fd);

#endif
