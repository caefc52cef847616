/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file is written under another name, flushed, and renamed; then the folder is flushed,
 * so that the name survives a loss of power. No state; any thread. Tested by
 * test/unit/test_file_replace.c. */
#include "sysdep/os/file_replace.h"

#include "lib/base/strbuf.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP 4096

/* replace_folder_of - of @path, into @b. */
static void
replace_folder_of(struct strbuf *b, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash && slash > path)
		strbuf_add(b, path, (size_t)(slash - path));
	else
		strbuf_adds(b, slash ? "/" : ".");
}

static int
replace_flush_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd) && errno != EINVAL) /* some file systems flush no folders */
		rc = -errno;
	close(fd);
	return rc;
}

static int
replace_write_new(const char *path, const void *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
	int rc;

	if (fd < 0)
		return -errno;
	rc = fd_write_all(os_fd_of(fd), text, len);
	if (!rc && fsync(fd))
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

int
file_replace(const char *path, const void *text, size_t len)
{
	struct strbuf fresh, folder;
	int rc;

	strbuf_init(&fresh);
	strbuf_init(&folder);
	strbuf_addf(&fresh, "%s.new", path);
	replace_folder_of(&folder, path);
	rc = replace_write_new(fresh.s, text, len);
	if (rc == -ENOENT && !mkdir(folder.s, 0750))
		rc = replace_write_new(fresh.s, text, len);
	if (!rc && rename(fresh.s, path))
		rc = -errno;
	if (rc)
		unlink(fresh.s);
	else
		rc = replace_flush_folder(folder.s);
	strbuf_fini(&fresh);
	strbuf_fini(&folder);
	return rc;
}

int
file_read(struct strbuf *out, const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	char buf[READ_STEP];
	size_t sum = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t n = fd_read(os_fd_of(fd), buf, sizeof(buf));

		if (n <= 0) {
			/* 0: a pipe without a writer's octets */
			rc = n == -EPIPE ? 0 : n ? (int)n : -EAGAIN;
			break;
		}
		sum += (size_t)n;
		if (sum > max) {
			rc = -EFBIG;
			break;
		}
		strbuf_add(out, buf, (size_t)n);
	}
	explicit_bzero(buf, sizeof(buf)); /* the file may hold a secret */
	close(fd);
	return rc;
}
