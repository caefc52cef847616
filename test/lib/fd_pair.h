/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pair of sockets for tests, as numbers: tests also make system calls of their own.
 * Loop: any thread. */
#ifndef TERN_TEST_LIB_FD_PAIR_H
#define TERN_TEST_LIB_FD_PAIR_H

#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_io.h"

/* fd_pair - sock_pair. Returns: as sock_pair. */
static inline int
fd_pair(int fd[2])
{
	struct os_fd pair[2] = { OS_FD_NONE, OS_FD_NONE };
	int rc = sock_pair(pair);

	fd[0] = pair[0].os_nr;
	fd[1] = pair[1].os_nr;
	return rc;
}

#endif
