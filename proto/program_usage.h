/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a daemon's options. The thread of main calls. */
#ifndef TERN_PROTO_PROGRAM_USAGE_H
#define TERN_PROTO_PROGRAM_USAGE_H

/* program_usage - print the options of the program @name, with an option of its own
 * ("[--x Y]"; "": none) and the line about the option, and end with @status. */
__attribute__((noreturn)) void program_usage(
    const char *name, const char *own_option, const char *own_text, int status);

#endif
