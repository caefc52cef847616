/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pidfile(3) with the world's files and locks: the calls of libbsd itself would pass the
 * world by, and a daemon that is killed would leave the lock behind.
 *
 * Every function stands for the call of the same name. */
#include <bsd/libutil.h>
#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct pidfh {
	int fd;
	char path[PATH_MAX];
};

struct pidfh *__wrap_pidfile_open(const char *path, mode_t mode, pid_t *pid);
int __wrap_pidfile_write(struct pidfh *f);
int __wrap_pidfile_close(struct pidfh *f);
int __wrap_pidfile_remove(struct pidfh *f);

struct pidfh *
__wrap_pidfile_open(const char *path, mode_t mode, pid_t *pid)
{
	struct pidfh *f = calloc(1, sizeof(*f));
	char text[16] = "";

	strlcpy(f->path, path, sizeof(f->path));
	f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode);
	if (f->fd >= 0 && flock(f->fd, LOCK_EX | LOCK_NB)) {
		if (pread(f->fd, text, sizeof(text) - 1, 0) > 0)
			*pid = atoi(text);
		close(f->fd);
		f->fd = -1;
		errno = EEXIST;
	}
	if (f->fd >= 0)
		return f;
	free(f);
	return NULL;
}

int
__wrap_pidfile_write(struct pidfh *f)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", (int)getpid());

	return ftruncate(f->fd, 0) || pwrite(f->fd, text, (size_t)len, 0) != len ? -1 : 0;
}

int
__wrap_pidfile_close(struct pidfh *f)
{
	close(f->fd);
	free(f);
	return 0;
}

int
__wrap_pidfile_remove(struct pidfh *f)
{
	unlink(f->path);
	return __wrap_pidfile_close(f);
}
