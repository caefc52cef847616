/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ternd --preview NEW --against OLD --routes SNAPSHOT`: the preview of a configuration
 * without a running daemon. Loop: the thread of main. */
#ifndef TERN_PROTO_PROGRAM_PREVIEW_H
#define TERN_PROTO_PROGRAM_PREVIEW_H

#include "lib/base/check.h"

/* program_preview_wanted - does the command line ask for a preview? */
bool program_preview_wanted(int argc, char **argv);
/* program_preview_main - Returns: the exit status: 0; 1: a condition is met; 2: an
 * error. */
int program_preview_main(int argc, char **argv);

#endif
