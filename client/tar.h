/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a tar file (POSIX.1-1988, format ustar). The caller's stream keeps the errors:
 * ferror shows errors. No state. Loop: the only thread of ternc. */
#ifndef TERN_CLIENT_TAR_H
#define TERN_CLIENT_TAR_H

#include "lib/base/base.h"

#include <stdio.h>

#define TAR_NAME_MAX 99 /* octets of a name */

/* tar_put - write a regular file of mode 0600. @name: at most TAR_NAME_MAX octets, with
 * `/` between folders. @time_s: of the last change, in seconds since 1970. @len: below
 * 8 GiB. */
void tar_put(FILE *to, const char *name, uint64_t time_s, const char *text, size_t len);
/* tar_end - write the end of the archive. */
void tar_end(FILE *to);

#endif
