/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of sysdep/os. Loop: any thread. */
#ifndef TERN_SYSDEP_OS_SANDBOX_PRIV_H
#define TERN_SYSDEP_OS_SANDBOX_PRIV_H

#include "lib/base/check.h"

/* A permitted system call. Owner: sandbox_calls.c. Life: static, never freed. */
struct sandbox_call {
	const char *name; /* of syscalls(2) */
	unsigned programs; /* enum sandbox_program */
};

/* Ended by a call without name. */
extern const struct sandbox_call sandbox_calls[];

/* sandbox_files - Landlock for sandbox_confine. Returns: 0, or negative errno;
 * -EOPNOTSUPP: the kernel has no Landlock. */
MUST_CHECK int sandbox_files(const char *const *keep);

#endif
