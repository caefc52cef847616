/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets and limits of the system. */
#ifndef TERN_TEST_LOAD_SOCK_H
#define TERN_TEST_LOAD_SOCK_H

#include "test/load/load_opt.h"

#include <stdio.h>

/* load_sock_connect - begin to connect from @from to the server. Returns: descriptor or
 * -errno. */
int load_sock_connect(struct ip_addr from, const struct load_opt *o);
/* load_sock_limit - raise the limit of open files to the hard one.
 * Returns: 0, or -EMFILE: @need descriptors aren't to be had; said so on stderr. */
int load_sock_limit(uint64_t need);
/* load_sock_open_gz - the content of @path, uncompressed if its name ends in .gz.
 * Returns: NULL after saying why on stderr. Close it by load_sock_close_gz. */
FILE *load_sock_open_gz(const char *path, int *pid);
/* load_sock_close_gz - Returns: 0, or -EIO if it couldn't be read whole. */
int load_sock_close_gz(FILE *f, int pid);

#endif
