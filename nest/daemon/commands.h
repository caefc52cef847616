/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands. */
#ifndef TERN_NEST_DAEMON_COMMANDS_H
#define TERN_NEST_DAEMON_COMMANDS_H

#include "nest/cli/cmd_list.h"

/* Ends with a command without words. */
extern const struct cmd daemon_commands[];

#endif
