/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of the control socket: tern.commands, filled by the rooms above. A
 * command's function reads the text behind the command's words, and ends the reply,
 * leaves a job or asks the control plane (nest/cli/cli_session.h). */
#ifndef TERN_NEST_CMD_LIST_H
#define TERN_NEST_CMD_LIST_H

#include "nest/cli/cli_session.h"

/* The version for tools; only digits and dots (the implemented dialect). */
#define CMD_BIRD_VERSION "2.0.12"

#define CMD_MAX      64 /* commands in both lists: the daemon's and its part's */
#define CMD_PART_MAX 8 /* most commands of the part (struct tern_part) */

/* A command. Owner: the static table of its file; lives as long as the process. */
struct cmd {
	const char *words; /* NULL: the end of the list */
	void (*fn)(struct cli_session *s, struct cli_scan *sc);
	bool denied; /* to restricted sessions, unless @shows follows */
	const char *help; /* NULL: not in the list of `help` */
	const char *shows; /* the command changes nothing before this word; or NULL */
};

/* Commands of the session itself. */
void cmd_help(struct cli_session *s, struct cli_scan *sc);
void cmd_quit(struct cli_session *s, struct cli_scan *sc);
void cmd_restrict(struct cli_session *s, struct cli_scan *sc);
void cmd_ospf(struct cli_session *s, struct cli_scan *sc);
void cmd_rip(struct cli_session *s, struct cli_scan *sc);
void cmd_babel(struct cli_session *s, struct cli_scan *sc);

/* cmd_execute - begin the command @line. */
void cmd_execute(struct cli_session *s, const char *line);

#endif
