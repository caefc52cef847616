/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of a configuration without a start of the daemon: the self-tests of `-t`, and
 * the report of `-p --bird`. The thread of main calls. */
#ifndef TERN_PROTO_PROGRAM_CHECK_H
#define TERN_PROTO_PROGRAM_CHECK_H

#include <stdbool.h>

struct config;
struct ext_uses;

/* program_self_tests - run the tests of @conf, and print the results.
 * Returns: the exit status. */
int program_self_tests(const struct config *conf);
/* program_say_ext - print the words of the file @path that BIRD refuses. @right: the file
 * has no error.
 * Returns: the exit status: 0 if the file has no error and no such word. */
int program_say_ext(const struct ext_uses *ext, const char *path, bool right);
/* program_knows_bird - do the tables of the parser describe BIRD @version? Patch versions
 * such as 2.17.6 have the words of 2.17. */
bool program_knows_bird(const char *version);

#endif
