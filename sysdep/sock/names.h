/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that read the host name of the machine and resolve names to addresses.
 * Loop: any thread; names_find waits, and runs in the log's thread and in threads beside
 * the loops. */
#ifndef TERN_SYSDEP_SOCK_NAMES_H
#define TERN_SYSDEP_SOCK_NAMES_H

#include "lib/base/check.h"
#include "sysdep/sock/sock_opt.h"

#define NAMES_HOST_ROOM 257 /* octets of a host name and its NUL */

/* names_host - this machine's name, truncated to @room - 1 octets; "": there is none. Any
 * thread. Blocks: never. */
void names_host(char *out, size_t room);
/* names_find - addresses of @name, @max at most, in the order of preference; ports are 0.
 * @numeric: only accept an address as @name; then the call never blocks. Otherwise the
 * call asks the system's resolver, which may take minutes: only in a thread of
 * sysdep/os/side.h.
 * Returns: number of addresses; 0: none, *@why has the reason. */
unsigned names_find(
    const char *name, bool numeric, struct sock_end *out, unsigned max, const char **why);

#endif
