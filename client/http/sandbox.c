/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops the rights of the process that ternhttp needs no longer after the start. Tested
 * by test/unit/test_http_sandbox.c and test/net/test_http.py. Loop: the only thread of
 * ternhttp. */
#include "client/http/sandbox.h"

#include <errno.h>
#include <fcntl.h>
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
 * calls, and not of permitted calls, so that a newer libc or a sanitizer works. The flags
 * of openat2(2) are in memory, where a filter cannot look. */
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
	SYS_openat2,
	SYS_kill,
};

/* The architecture whose numbers of system calls this program uses. A call of another
 * architecture has other numbers, which the list does not name. */
#if defined(__x86_64__)
#define SANDBOX_ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define SANDBOX_ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define SANDBOX_ARCH AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define SANDBOX_ARCH AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define SANDBOX_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define SANDBOX_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__powerpc64__)
#define SANDBOX_ARCH AUDIT_ARCH_PPC64
#elif defined(__s390x__)
#define SANDBOX_ARCH AUDIT_ARCH_S390X
#elif defined(__mips64) && defined(__MIPSEL__)
#define SANDBOX_ARCH AUDIT_ARCH_MIPSEL64
#elif defined(__loongarch64)
#define SANDBOX_ARCH AUDIT_ARCH_LOONGARCH64
#else
#error "sandbox.c lacks the AUDIT_ARCH_ constant of this architecture"
#endif

/* The kernel reports calls of x32 with the architecture of x86-64 and this bit in the
 * number. No other architecture has so large numbers. A program of x32 has the bit in all
 * numbers. */
#if defined(__x86_64__) && defined(__ILP32__)
#define SANDBOX_FOREIGN 0x80000000u
#else
#define SANDBOX_FOREIGN 0x40000000u
#endif

#define SANDBOX_CNT  (sizeof(sandbox_denied) / sizeof(sandbox_denied[0]))
#define SANDBOX_MORE 10 /* further instructions */

/* The low half of the flags of openat(2). */
#define SANDBOX_FLAGS                                                                    \
	(offsetof(struct seccomp_data, args[2]) +                                        \
	    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

static int
sandbox_filter(void)
{
	struct sock_filter code[SANDBOX_CNT + SANDBOX_MORE];
	struct sock_fprog prog = { .len = 0, .filter = code };

	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[prog.len++] = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JEQ | BPF_K, SANDBOX_ARCH, 0, 2);
	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	code[prog.len++] = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JSET | BPF_K, SANDBOX_FOREIGN, 0, 1);
	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	for (size_t i = 0; i < SANDBOX_CNT; i++)
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		    (unsigned)sandbox_denied[i], (unsigned char)(SANDBOX_CNT - i + 3), 0);
	/* openat(2) may read */
	code[prog.len++] = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2);
	code[prog.len++] = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, SANDBOX_FLAGS);
	code[prog.len++] = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0);
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
sandbox_enter(const char *user, bool logs)
{
	const struct rlimit none = { 0, 0 };
	const char *wrong = NULL;

	if (user || geteuid() == 0)
		wrong = sandbox_user(user ? user : "nobody");
	if (wrong)
		return wrong;
	if (sandbox_drop())
		return "cannot give up capabilities";
	if ((!logs && setrlimit(RLIMIT_FSIZE, &none)) || setrlimit(RLIMIT_CORE, &none))
		return "cannot limit the size of files";
	if (sandbox_filter())
		return "cannot install the filter of system calls";
	return NULL;
}
