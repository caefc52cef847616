/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filter of system calls, and the reports of refused calls.
 *
 * The filter answers an unlisted call by SIGSYS in the calling thread. The handler counts
 * the call, writes a report into a pipe, and lets the call return EPERM. On processors
 * whose registers the handler does not know, the kernel returns EPERM and nothing is
 * reported.
 *
 * I1  The handler calls only functions that a handler may call (signal-safety(7)), and
 *     only listed system calls.
 * I2  A report is written by the thread that turns the counter of the call from 0 to 1,
 *     so the pipe holds at most CALL_MAX reports and never fills.
 *
 * Loop: any thread. Tested by test/unit/test_sandbox.c. */
#include "sysdep/os/sandbox.h"

#include "lib/mt/atomic.h"
#include "sysdep/os/sandbox_priv.h"
#include <bsd/string.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
sandbox_block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGSYS);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

#ifdef TERN_SANDBOX

#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <ucontext.h>

#define CALL_MAX 512 /* numbers above share the last counter */

/* style: of the process, as the filter is: the handler of a signal has no other way to
 * its data. */
static struct {
	int report_rd, report_wr; /* -1: no filter */
	struct counter64 refused;
	struct pub32 seen[CALL_MAX];
} sandbox = { .report_rd = -1, .report_wr = -1 };

#if defined(__x86_64__)
#define SANDBOX_RESULT(uc) ((uc)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define SANDBOX_RESULT(uc) ((uc)->uc_mcontext.regs[0])
#elif defined(__i386__)
#define SANDBOX_RESULT(uc) ((uc)->uc_mcontext.gregs[REG_EAX])
#endif

#ifdef SANDBOX_RESULT
#define SANDBOX_ACTION SCMP_ACT_TRAP

static void
sandbox_handler(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	int saved_errno = errno;
	struct sandbox_refusal r = { .nr = (uint32_t)info->si_syscall };

	(void)signo;
	SANDBOX_RESULT(uc) = -EPERM;
	counter64_add(&sandbox.refused, 1);
	if (!xchg_acq_rel32(&sandbox.seen[r.nr < CALL_MAX ? r.nr : CALL_MAX - 1], 1)) {
		ssize_t n;

		prctl(PR_GET_NAME, r.thread);
		n = write(sandbox.report_wr, &r, sizeof(r)); /* I2 */
		(void)n;
	}
	errno = saved_errno;
}

static int
sandbox_handle_reports(void)
{
	struct sigaction sa = { .sa_sigaction = sandbox_handler,
		.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };
	sigset_t set;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	sandbox.report_rd = fd[0];
	sandbox.report_wr = fd[1];
	sigemptyset(&sa.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return sigaction(SIGSYS, &sa, NULL) ? -errno : 0;
}
#else
#define SANDBOX_ACTION SCMP_ACT_ERRNO(EPERM)

static int
sandbox_handle_reports(void)
{
	return 0;
}
#endif

/* sandbox_load_filter - of the calls of @program. A call that the architecture lacks is
 * passed over. */
static int
sandbox_load_filter(enum sandbox_program program)
{
	scmp_filter_ctx ctx = seccomp_init(SANDBOX_ACTION);
	int rc;

	if (!ctx)
		return -ENOMEM;
	rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	for (const struct sandbox_call *c = sandbox_calls; c->name && !rc; c++) {
		int nr = seccomp_syscall_resolve_name(c->name);

		if ((c->programs & program) && nr >= 0)
			rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, nr, 0);
	}
	if (!rc)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc;
}

int
sandbox_confine(enum sandbox_program program, bool files, const char *const *keep,
    struct sandbox_active *active)
{
	int rc = 0;

	*active = (struct sandbox_active){ 0 };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (files)
		rc = sandbox_files(keep);
	active->files = files && !rc;
	if (rc == -EOPNOTSUPP)
		rc = 0;
	if (rc)
		return rc;
	/* a kernel without filters answers EINVAL */
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
		return 0;
	rc = sandbox_handle_reports();
	if (!rc)
		rc = sandbox_load_filter(program);
	active->calls = !rc;
	return rc;
}

struct os_fd
sandbox_refusals(void)
{
	return sandbox.report_rd < 0 ? OS_FD_NONE : os_fd_of(sandbox.report_rd);
}

bool
sandbox_refusal_next(struct sandbox_refusal *r)
{
	ssize_t n;

	if (sandbox.report_rd < 0)
		return false;
	do
		n = read(sandbox.report_rd, r, sizeof(*r));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*r);
}

uint64_t
sandbox_refused_cnt(void)
{
	return counter64_get(&sandbox.refused);
}

void
sandbox_call_name(char name[32], uint32_t nr)
{
	char *found = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)nr);

	strlcpy(name, found ? found : "?", 32);
	free(found);
}

#else /* without the sandbox */

int
sandbox_confine(enum sandbox_program program, bool files, const char *const *keep,
    struct sandbox_active *active)
{
	(void)program;
	(void)files;
	(void)keep;
	*active = (struct sandbox_active){ 0 };
	return 0;
}

struct os_fd
sandbox_refusals(void)
{
	return OS_FD_NONE;
}

bool
sandbox_refusal_next(struct sandbox_refusal *r)
{
	(void)r;
	return false;
}

uint64_t
sandbox_refused_cnt(void)
{
	return 0;
}

void
sandbox_call_name(char name[32], uint32_t nr)
{
	(void)nr;
	strlcpy(name, "?", 32);
}

#endif
