/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that print the options of the command line and the version, and the name
 * of the program. The thread of main calls. */
#ifndef TERN_PROTO_PROGRAM_USAGE_H
#define TERN_PROTO_PROGRAM_USAGE_H

#include <stdbool.h>

/* program_usage - print the options of the program @name, with an option of its own
 * ("[--x Y]"; "": none) and the line about the option, and end with @status. */
__attribute__((noreturn)) void program_usage(
    const char *name, const char *extra_option, const char *extra_text, int status);
/* program_is_bird - true: @argv0 is the name of BIRD, in any folder. */
bool program_is_bird(const char *argv0);
/* program_version - print the version and end. @bird: print the words that scripts parse,
 * to bird's stream. */
__attribute__((noreturn)) void program_version(bool bird);
/* program_unexpected - report @arg and end. */
__attribute__((noreturn)) void program_unexpected(
    const char *name, const char *extra_option, const char *extra_text, const char *arg);

#endif
