/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of a control socket: `allow "show"; deny "show protocols all";`. No state; any
 * thread. */
#ifndef TERN_NEST_CLI_RULES_H
#define TERN_NEST_CLI_RULES_H

#include "lib/base/check.h"
#include "nest/conf/config.h"

enum cli_verdict {
	CLI_UNRULED, /* no rule decides: `restrict` does */
	CLI_ALLOWED, /* also a command that `restrict` denies */
	CLI_REFUSED
};

/* cli_rules_verdict - may the socket @path run the command @line (without `json`)? The
 * rule with the most words decides; of equal rules the denial. If the socket has an
 * `allow`, commands without a rule are refused, except help, quit, exit, restrict and
 * timeformat. */
enum cli_verdict cli_rules_verdict(
    const struct config *conf, const char *path, const char *line);

#endif
