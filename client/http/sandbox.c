/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights that ternhttp gives up. Tested by test/net/test_http.py. Loop: the only
 * thread of ternhttp. */
#include "client/http/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls without which ternhttp serves: the kernel answers EPERM. A list of denied
 * calls, and not of permitted calls, so that a newer libc or a sanitizer works. */
static const int sandbox_denied[] = {
#ifdef SYS_open
	SYS_open,
	SYS_creat,
	SYS_fork,
	SYS_vfork,
	SYS_unlink,
	SYS_rename,
	SYS_mkdir,
	SYS_rmdir,
	SYS_link,
	SYS_symlink,
	SYS_chmod,
	SYS_chown,
	SYS_mknod,
#endif
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_unlinkat,
	SYS_renameat2,
	SYS_mkdirat,
	SYS_linkat,
	SYS_symlinkat,
	SYS_fchmodat,
	SYS_fchownat,
	SYS_mknodat,
	SYS_truncate,
	SYS_mount,
	SYS_umount2,
	SYS_chroot,
	SYS_setns,
	SYS_unshare,
	SYS_bpf,
	SYS_keyctl,
	SYS_kill,
};

#define SANDBOX_CNT (sizeof(sandbox_denied) / sizeof(sandbox_denied[0]))

static int
sandbox_filter(void)
{
	struct sock_filter code[SANDBOX_CNT + 3];
	struct sock_fprog prog = { .len = 0, .filter = code };

	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < SANDBOX_CNT; i++)
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		    (unsigned)sandbox_denied[i], (unsigned char)(SANDBOX_CNT - i), 0);
	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* sandbox_user - become @name. Returns: as sandbox_enter. */
static const char *
sandbox_user(const char *name)
{
	struct passwd *p;
	int sig = 0;

	errno = 0;
	p = getpwnam(name);
	if (!p) {
		errno = errno ? errno : ENOENT;
		return "the user of -u";
	}
	/* the kernel forgets the signal when the user changes */
	(void)prctl(PR_GET_PDEATHSIG, &sig);
	if (initgroups(name, p->pw_gid) || setgid(p->pw_gid) || setuid(p->pw_uid))
		return "cannot become the user of -u";
	(void)prctl(PR_SET_PDEATHSIG, sig);
	return NULL;
}

/* sandbox_drop - give up all capabilities. A service manager may grant the capability to
 * listen on a port below 1024. */
static int
sandbox_drop(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return (int)syscall(SYS_capset, &head, none);
}

const char *
sandbox_enter(const char *user)
{
	const struct rlimit none = { 0, 0 };
	const char *wrong = NULL;

	if (user || geteuid() == 0)
		wrong = sandbox_user(user ? user : "nobody");
	if (wrong)
		return wrong;
	if (sandbox_drop())
		return "cannot give up capabilities";
	if (setrlimit(RLIMIT_FSIZE, &none) || setrlimit(RLIMIT_CORE, &none))
		return "cannot limit the size of files";
	if (sandbox_filter())
		return "cannot install the filter of system calls";
	return NULL;
}
