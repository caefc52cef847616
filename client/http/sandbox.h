/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights that ternhttp gives up before its first request. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_SANDBOX_H
#define TERN_CLIENT_HTTP_SANDBOX_H

#include <stdbool.h>

/* sandbox_enter - become @user (NULL: the user `nobody` if the program runs as root),
 * drop all capabilities, and let the kernel refuse system calls that write files, start
 * programs, or look into other processes. No file can be opened for writing. Unless
 * @logs, the limit of the size of files is 0 as well; with @logs a log that was opened
 * before may grow. Returns: NULL, or what failed; errno says why. */
const char *sandbox_enter(const char *user, bool logs);

#endif
