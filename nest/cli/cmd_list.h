/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of the control socket: tern.control.commands, filled by the folders above.
 * A command's function reads the text behind the command's words, and ends the reply,
 * leaves a job or asks the control plane (nest/cli/cli_session.h). Loop: the
 * session's. */
#ifndef TERN_NEST_CLI_CMD_LIST_H
#define TERN_NEST_CLI_CMD_LIST_H

#include "nest/cli/cli_session.h"

/* The version for tools; only digits and dots (the implemented dialect). */
#define CMD_BIRD_VERSION "2.0.12"

/* Commands of the session itself. */
void cmd_help(struct cli_session *s, struct cli_scan *sc);
void cmd_quit(struct cli_session *s, struct cli_scan *sc);
void cmd_restrict(struct cli_session *s, struct cli_scan *sc);
void cmd_ospf(struct cli_session *s, struct cli_scan *sc);
void cmd_rip(struct cli_session *s, struct cli_scan *sc);
void cmd_babel(struct cli_session *s, struct cli_scan *sc);

/* cmd_execute - begin the command @line. */
void cmd_execute(struct cli_session *s, const char *line);
/* cmd_is_granted - does the socket of @s have the right to run the command @line, whose
 * words are in full, under @conf? `restrict` of the session itself counts nothing. */
bool cmd_is_granted(
    const struct cli_session *s, const struct config *conf, const char *line);

#endif
