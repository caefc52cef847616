/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of the control socket: words, rights, help. Loop: the session's. */
#ifndef TERN_NEST_CLI_CMD_H
#define TERN_NEST_CLI_CMD_H

#include "lib/base/check.h"

struct cli_scan;
struct cli_session;

#define CMD_MAX      64 /* commands in both lists: the daemon's and its part's */
#define CMD_PART_MAX 8 /* most commands of the part (struct tern_part) */

/* struct cmd: shows. The command changes nothing, but costs time: a restricted socket
 * denies the command without an `allow`, and `restrict` of a session does not. */
#define CMD_LOOKS "*"

/* A command. Owner: the static table of its file; lives as long as the process. */
struct cmd {
	const char *words; /* NULL: the end of the list */
	void (*fn)(struct cli_session *s, struct cli_scan *sc);
	bool denied; /* to restricted sessions, unless @shows follows */
	const char *help; /* NULL: not in the list of `help` */
	/* the command changes nothing before this word; CMD_LOOKS; or NULL */
	const char *shows;
	/* The keywords among the arguments, for rules of sockets (nest/cli/cli_rules.h),
	 * separated by blanks; NULL: none. `export/exported`: two words for one thing.
	 * `=all`: only `allow` takes the word, because a pattern in quotes reaches the
	 * same objects. `=`: `allow` also takes names of the configuration. */
	const char *options;
};

#endif
