/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon as a child process (child.h). No state beside struct child. Loop: the thread
 * of main. Tested by test/net/test_offline.py. */
#include "sysdep/os/child.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD_LOOK_MS 10

static void
child_pause(void)
{
	struct timespec t = { .tv_nsec = CHILD_LOOK_MS * 1000000L };

	nanosleep(&t, NULL);
}

int
child_start(struct child *c, int (*run)(struct child *c, void *arg), void *arg)
{
	const char *dir = getenv("TMPDIR");
	int parent = getpid(), len, rc;

	*c = (struct child){ .pid = 0 };
	len = snprintf(c->folder, sizeof(c->folder), "%s/tern-preview.XXXXXX",
	    dir && *dir ? dir : "/tmp");
	if (len < 0 || len + sizeof("/ctl") > sizeof(c->folder))
		return -ENAMETOOLONG;
	if (!mkdtemp(c->folder))
		return -errno;
	snprintf(c->socket, sizeof(c->socket), "%.*s/ctl", len, c->folder);
	fflush(stdout);
	c->pid = fork();
	if (c->pid < 0) {
		rc = -errno;
		rmdir(c->folder);
		return rc;
	}
	if (c->pid)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	exit(run(c, arg));
}

int
child_exec(const char *name, char *const *argv)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path));
	char *slash;

	if (len < 0)
		return -errno;
	if ((size_t)len == sizeof(path))
		return -ENAMETOOLONG;
	path[len] = 0;
	slash = strrchr(path, '/');
	if (!slash || strlen(name) >= sizeof(path) - (size_t)(slash + 1 - path))
		return -ENAMETOOLONG;
	memcpy(slash + 1, name, strlen(name) + 1);
	execv(path, argv);
	return -errno;
}

/* child_has_ended - collect the exit status. */
static bool
child_has_ended(struct child *c)
{
	int status;

	if (c->pid && waitpid(c->pid, &status, WNOHANG) == c->pid)
		c->pid = 0;
	return !c->pid;
}

struct os_fd
child_connect(struct child *c)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd, rc;

	memcpy(un.sun_path, c->socket, sizeof(un.sun_path));
	for (;;) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return os_fd_of(-errno);
		if (!connect(fd, (struct sockaddr *)&un, sizeof(un)))
			return os_fd_of(fd);
		rc = -errno;
		close(fd);
		if (rc != -ENOENT && rc != -ECONNREFUSED)
			return os_fd_of(rc);
		if (child_has_ended(c))
			return os_fd_of(-ECHILD);
		child_pause();
	}
}

void
child_end(struct child *c, int wait_ms)
{
	for (int ms = 0; !child_has_ended(c) && ms < wait_ms; ms += CHILD_LOOK_MS)
		child_pause();
	if (c->pid) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		c->pid = 0;
	}
	unlink(c->socket);
	rmdir(c->folder);
}
