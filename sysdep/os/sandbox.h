/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sandbox: what the kernel refuses to a process of tern, whatever the process
 * executes.
 *
 *   calls   seccomp(2) refuses each system call outside the list of the program
 *           (sandbox_calls.c): the call returns EPERM, and the refusal is reported once
 *           for each call. Calls of another architecture end the process.
 *   files   Landlock (landlock(7)) refuses the execution of files, device files, and
 *           writing in the folders of the system, such as /etc and /usr.
 *
 * Both hold for all threads and children of the process, and cannot be taken back. Loop:
 * any thread. */
#ifndef TERN_SYSDEP_OS_SANDBOX_H
#define TERN_SYSDEP_OS_SANDBOX_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"
#include <signal.h>

enum sandbox_program {
	SANDBOX_TERND = 1,
	SANDBOX_TERNC = 2,
	SANDBOX_TERNLOAD = 4,
};

/* What the sandbox refuses now. Owner: the caller. Life: a value, never freed. */
struct sandbox_active {
	bool calls, files;
};

/* sandbox_confine - @program gives up all other system calls. @files: give up files, too,
 * except below the folders of @keep (paths of files, ended by NULL; a path may be
 * missing). In a build without sandbox, or under a kernel without a part, the part stays
 * inactive. Before other threads exist, and after priv_drop. Returns: 0, or negative
 * errno: the kernel has the part, and failed; *@active says what holds. */
MUST_CHECK int sandbox_confine(enum sandbox_program program, bool files,
    const char *const *keep, struct sandbox_active *active);

/* A system call that the sandbox refused for the first time. Owner: the caller. Life: a
 * value, never freed. */
struct sandbox_refusal {
	uint32_t nr; /* of the system call */
	char thread[16]; /* name of the thread */
};

/* sandbox_refusals - a descriptor that is readable while sandbox_refusal_next has a
 * result; OS_FD_NONE: no sandbox. Owner: this module. Any thread. */
struct os_fd sandbox_refusals(void);
/* sandbox_refusal_next - take the next refusal. One thread at a time. Returns: false:
 * none. */
bool sandbox_refusal_next(struct sandbox_refusal *r);
/* sandbox_refused_cnt - number of refused calls. Any thread. */
uint64_t sandbox_refused_cnt(void);
/* sandbox_call_name - name of the system call @nr in @name, or "?". Any thread. */
void sandbox_call_name(char name[32], uint32_t nr);

/* sandbox_block_signals - block all signals but SIGSYS in the calling thread; *@old: the
 * mask before. The sandbox reports a refusal by SIGSYS; if a thread blocks the signal, a
 * refused call ends the process. A thread that the caller starts inherits the mask. */
void sandbox_block_signals(sigset_t *old);

#endif
