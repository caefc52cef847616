/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Background, pid file, streams, and exit.
 *
 * The parent waits on a pipe; only the child has the other end. An octet means that the
 * start succeeded; the end of the pipe without an octet means that the child has exited.
 * The exit status therefore shows a start script the result of the start.
 *
 * Loop: the thread of main. */
#include "sysdep/os/daemon.h"
#include <bsd/libutil.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The parent's life from here on. */
static _Noreturn void
daemon_wait_for_child(int fd)
{
	char octet;
	ssize_t n;

	do
		n = read(fd, &octet, 1);
	while (n < 0 && errno == EINTR);
	/* _exit, because the buffers of stdio and the functions of atexit belong to the
	 * child */
	_exit(n == 1 ? 0 : 1);
}

struct os_fd
daemon_detach(void)
{
	int fd[2], rc;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return os_fd_of(-errno);
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		rc = -errno;
		close(fd[0]);
		close(fd[1]);
		return os_fd_of(rc);
	}
	if (pid > 0) {
		close(fd[1]);
		daemon_wait_for_child(fd[0]);
	}
	close(fd[0]);
	setsid();
	return os_fd_of(fd[1]);
}

void
daemon_ready(struct os_fd fd)
{
	int null;

	if (fd.os_nr < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
			(void)dup2(null, i);
		if (null > STDERR_FILENO)
			close(null);
	}
	while (write(fd.os_nr, "", 1) < 0 && errno == EINTR)
		;
	close(fd.os_nr);
}

void
daemon_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	/* "@" stands for the octet 0 of an address without a file. */
	if (len < 2 || len >= sizeof(sa.sun_path) || (*path != '/' && *path != '@'))
		return;
	memcpy(sa.sun_path, path, len);
	if (*path == '@')
		sa.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&sa,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

int
daemon_pid_file(const char *path, struct pidfh **out, int *pid)
{
	pid_t other = 0;
	struct pidfh *f = pidfile_open(path, 0644, &other);
	int rc;

	*pid = 0;
	/* EINVAL: the lock is another daemon's, and its file has more than a number */
	if (!f && (errno == EEXIST || errno == EINVAL)) {
		*pid = errno == EEXIST && other > 0 ? other : 0;
		return -EWOULDBLOCK;
	}
	if (!f)
		return -errno;
	if (pidfile_write(f)) {
		rc = errno ? -errno : -EIO;
		pidfile_close(f);
		return rc;
	}
	*out = f;
	return 0;
}

void
daemon_pid_remove(struct pidfh *f)
{
	if (f)
		pidfile_remove(f);
}

bool
daemon_say(bool error, const char *text)
{
	FILE *to = error ? stderr : stdout;

	return fputs(text, to) >= 0 && !fflush(to);
}

void
daemon_exit(int status)
{
	exit(status);
}

void
daemon_exit_now(int status)
{
	_exit(status);
}
