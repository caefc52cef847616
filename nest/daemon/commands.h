/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands. Loop: the thread that parses. */
#ifndef TERN_NEST_DAEMON_COMMANDS_H
#define TERN_NEST_DAEMON_COMMANDS_H

#include "nest/cli/cmd.h"
#include "nest/conf/config.h"

/* Ends with a command without words. */
extern const struct cmd daemon_commands[];

/* daemon_cli_rule - conf_env.cli_rule: rules may name each command of ternd and
 * ternshadow, because both programs read the same file. */
bool daemon_cli_rule(
    struct strbuf *out, const struct conf_cli_rule *r, const struct sym_table *names);

#endif
