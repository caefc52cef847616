/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that examine, open, create, replace and read files by name. No state. Loop:
 * any thread; a call may wait for a disk. */
#include "sysdep/os/file.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "sysdep/os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* file_is_null - of @st, a device. */
static bool
file_is_null(const struct stat *st)
{
	struct stat null;

	return !stat("/dev/null", &null) && S_ISCHR(null.st_mode) &&
	       null.st_rdev == st->st_rdev;
}

static struct file_info
file_info_of(const struct stat *st)
{
	bool regular = S_ISREG(st->st_mode);

	return (struct file_info){ .kind = regular                 ? FILE_REGULAR
					   : S_ISDIR(st->st_mode)  ? FILE_FOLDER
					   : S_ISFIFO(st->st_mode) ? FILE_PIPE
					   : S_ISCHR(st->st_mode) && file_is_null(st)
					       ? FILE_NULL
					       : FILE_OTHER,
		.size = regular ? (uint64_t)st->st_size : 0,
		.inode = st->st_ino,
		.device = st->st_dev,
		.changed_s = st->st_mtim.tv_sec > 0 ? (uint64_t)st->st_mtim.tv_sec : 0 };
}

int
file_look(const char *path, struct file_info *out)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	*out = file_info_of(&st);
	return 0;
}

int
file_look_fd(struct os_fd fd, struct file_info *out)
{
	struct stat st;

	if (fstat(fd.os_nr, &st))
		return -errno;
	*out = file_info_of(&st);
	return 0;
}

int
file_may_read(const char *path)
{
	return access(path, R_OK) ? -errno : 0;
}

int
file_may_list(const char *path)
{
	return access(path, R_OK | X_OK) ? -errno : 0;
}

int
file_may_append(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	if (!access(path, W_OK))
		return 0;
	if (errno != ENOENT)
		return -errno;
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
	    slash ? path : ".");
	return access(folder, W_OK | X_OK) ? -errno : 0;
}

struct os_fd
file_open(const char *path, bool waits)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));

	return os_fd_of(fd < 0 ? -errno : fd);
}

struct os_fd
file_make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return os_fd_of(fd < 0 ? -errno : fd);
}

struct os_fd
file_open_append(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);

	return os_fd_of(fd < 0 ? -errno : fd);
}

int
file_append(struct os_fd fd, const void *p, size_t len)
{
	off_t begin = lseek(fd.os_nr, 0, SEEK_END);
	int rc = fd_write_all(fd, p, len);

	if (rc && begin >= 0)
		(void)!ftruncate(fd.os_nr, begin); /* else a reader sees the part */
	return rc;
}

int
file_rename(const char *path, const char *to)
{
	return rename(path, to) ? -errno : 0;
}

void
file_remove(const char *path)
{
	unlink(path);
}

char *
file_absolute(const char *path)
{
	char cwd[PATH_MAX];
	struct strbuf b;

	if (!*path || (*path != '/' && !getcwd(cwd, sizeof(cwd))))
		return NULL;
	strbuf_init(&b);
	if (*path != '/')
		strbuf_addf(&b, "%s/", cwd);
	strbuf_adds(&b, path);
	return strbuf_take(&b);
}

char *
file_real(const char *path)
{
	char *libc = realpath(path, NULL), *real;

	if (!libc)
		return NULL;
	real = mem_strdup(MEM_OTHER, libc);
	free(libc);
	return real;
}

int
file_match(const char *pattern, struct file_list *out)
{
	glob_t g;
	int rc;

	*out = (struct file_list){ 0 };
	errno = 0; /* glob's manual does not promise to set errno */
	rc = glob(pattern, GLOB_ERR | GLOB_NOESCAPE, NULL, &g);
	if (rc == GLOB_NOMATCH)
		return -ENOENT;
	if (rc)
		return errno ? -errno : -EIO;
	out->cnt = (uint32_t)g.gl_pathc;
	out->path = mem_alloc(MEM_OTHER, (out->cnt + 1) * sizeof(*out->path));
	for (uint32_t i = 0; i < out->cnt; i++)
		out->path[i] = mem_strdup(MEM_OTHER, g.gl_pathv[i]);
	globfree(&g);
	return 0;
}

void
file_list_free(struct file_list *l)
{
	while (l->cnt)
		mem_free(MEM_OTHER, l->path[--l->cnt]);
	mem_free(MEM_OTHER, l->path);
	l->path = NULL;
}

/* file_is_granted - does @st grant user @uid the right of @others, a bit of the mode? */
static bool
file_is_granted(const struct stat *st, uint32_t uid, mode_t others)
{
	mode_t all = others | others << 3; /* the user may be of the group, or not */

	return st->st_uid == uid ? st->st_mode & others << 6 : (st->st_mode & all) == all;
}

/* file_is_way_open - may user @uid pass all folders above the file @path? Cuts @path, an
 * absolute path without links. */
static bool
file_is_way_open(char *path, uint32_t uid)
{
	struct stat st;

	for (char *end = strrchr(path, '/'); end; end = strrchr(path, '/')) {
		*end = 0;
		if (stat(end == path ? "/" : path, &st) ||
		    !file_is_granted(&st, uid, S_IXOTH))
			return false;
	}
	return true;
}

bool
file_is_open_to(struct os_fd fd, uint32_t uid)
{
	char link[FD_PATH_MAX], path[PATH_MAX];
	struct statfs fs;
	struct stat st;
	ssize_t len;

	if (!uid)
		return true;
	/* there the kernel asks who reads, not the mode */
	if (fstatfs(fd.os_nr, &fs) || fs.f_type == PROC_SUPER_MAGIC)
		return false;
	fd_path(fd, link);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0 || path[0] != '/' || fstat(fd.os_nr, &st) ||
	    !file_is_granted(&st, uid, S_IROTH))
		return false;
	path[len] = 0;
	return file_is_way_open(path, uid);
}

size_t
file_closed_folder(const char *path, uint32_t uid)
{
	const char *end = path;
	char folder[PATH_MAX], real[PATH_MAX + 3];

	while (uid && (end = strchr(end + 1, '/')) && end - path < PATH_MAX - 3) {
		memcpy(folder, path, (size_t)(end - path));
		folder[end - path] = 0;
		if (!realpath(folder, real))
			break;
		strcat(real, "/."); /* the folder itself must be open, too */
		if (!file_is_way_open(real, uid))
			return (size_t)(end - path);
	}
	return 0;
}
