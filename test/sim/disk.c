/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in memory: paths, contents, names of sockets. Files outlive the daemon's lives. A
 * folder has no node: each folder of the path of a file exists, and /sim.
 *
 * I1  A node lives while a path or an open file names the node: `rename` and `unlink`
 *     leave open files alone.
 * I2  Writes fail with ENOSPC when sim_disk_room is used up; one write of 16 is short.
 * I3  After sim_disk_use_real a path outside /sim is a file of the real disk, and its
 *     descriptor one of the kernel. A UNIX socket there has a node and an empty real file
 *     of the same path.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/script.h"
#include "test/sim/sim_priv.h"
#include "test/sim/sim_disk.h"
#include "test/sim/sim_node.h"

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct open_file {
	struct sim_file f;
	struct node *node;
	size_t at;
	bool append;
};

struct sim_disk {
	struct node *first;
	uint64_t room;
	bool ready, real;
};

int __real_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *st);
int __real_lstat(const char *path, struct stat *st);
int __real_access(const char *path, int mode);
char *__real_realpath(const char *path, char *out);
int __real_unlink(const char *path);
int __real_rename(const char *from, const char *to);
int __real_chmod(const char *path, mode_t mode);
int __real_flock(int fd, int op);
int __real_fsync(int fd);
off_t __real_lseek(int fd, off_t off, int whence);
ssize_t __real_pwritev(int fd, const struct iovec *iov, int cnt, off_t at);

int __real_fstat(int fd, struct stat *st);
int __real_ftruncate(int fd, off_t len);
ssize_t __real_pread(int fd, void *buf, size_t len, off_t at);
ssize_t __real_pwrite(int fd, const void *buf, size_t len, off_t at);

static struct sim_disk *
disk_get(void)
{
	struct sim_disk *d = sim_root(&sim->disk, sizeof(*d));

	if (!d->ready)
		d->room = UINT64_MAX;
	d->ready = true;
	return d;
}

/* disk_is_counters - a coverage build writes its counters at the end of a life
 * (life.c). */
static bool
disk_is_counters(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && !strcmp(path + len - 5, ".gcda");
}

bool
disk_is_real(const char *path)
{
	return disk_get()->real && strncmp(path, "/sim/", 5);
}

void
sim_disk_use_real(void)
{
	disk_get()->real = true;
}

struct node *
disk_find(const char *path)
{
	for (struct node *n = disk_get()->first; n; n = n->next)
		if (!strcmp(n->path, path))
			return n;
	errno = ENOENT;
	return NULL;
}

/* disk_has_folder - /sim, or a folder of the path of a file. */
static bool
disk_has_folder(const char *path)
{
	size_t len = strlen(path);

	for (const struct node *n = disk_get()->first; n; n = n->next)
		if (!strncmp(n->path, path, len) && n->path[len] == '/')
			return true;
	return !strcmp(path, "/sim");
}

static struct node *
node_new(const char *path)
{
	struct node *n = calloc(1, sizeof(*n));

	strlcpy(n->path, path, sizeof(n->path));
	n->ino = sim_ino();
	n->refs = 1;
	n->changed_ns = sim_now();
	n->next = disk_get()->first;
	disk_get()->first = n;
	return n;
}

static void
node_unref(struct node *n)
{
	if (--n->refs)
		return;
	free(n->buf);
	free(n);
}

static void
node_unlink(struct node *n)
{
	struct node **at = &disk_get()->first;

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	node_unref(n);
}

static void
node_resize(struct node *n, size_t len)
{
	n->buf = realloc(n->buf, len + 1);
	if (len > n->len)
		memset(n->buf + n->len, 0, len - n->len);
	n->len = len;
	n->buf[len] = 0;
	n->changed_ns = sim_now();
}

void
sim_file_put(const char *path, const char *text)
{
	struct node *n = disk_find(path);

	script_file(path, text);
	if (n)
		node_unlink(n);
	n = node_new(path);
	node_resize(n, strlen(text));
	memcpy(n->buf, text, n->len);
}

const char *
sim_file_text(const char *path)
{
	struct node *n = disk_find(path);

	return !n ? NULL : n->buf ? n->buf : "";
}

void
sim_disk_room(uint64_t room)
{
	disk_get()->room = room;
}

int
sim_disk_bind(const char *path, void *listener)
{
	if (disk_find(path)) {
		errno = EADDRINUSE;
		return -1;
	}
	if (disk_is_real(path)) {
		int fd = __real_open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0777);

		if (fd < 0) {
			errno = errno == EEXIST ? EADDRINUSE : errno;
			return -1;
		}
		close(fd);
	}
	node_new(path)->listener = listener;
	return 0;
}

void *
sim_disk_listener(const char *path)
{
	struct node *n = disk_find(path);

	return n ? n->listener : NULL;
}

void
sim_disk_listener_gone(void *listener)
{
	for (struct node *n = disk_get()->first; n; n = n->next)
		if (n->listener == listener)
			n->listener = &sim->disk; /* a socket that nobody listens at */
}

/* ---- open files ---- */

static short
file_events(struct sim_file *f)
{
	(void)f;
	return POLLIN | POLLOUT;
}

static ssize_t
disk_file_read(struct sim_file *f, void *buf, size_t len, int flags)
{
	struct open_file *o = (struct open_file *)f;
	size_t left = o->at < o->node->len ? o->node->len - o->at : 0;

	(void)flags;
	if (len > left)
		len = left;
	if (len)
		memcpy(buf, o->node->buf + o->at, len);
	o->at += len;
	return (ssize_t)len;
}

/* node_write - Returns: octets written, or -1 with ENOSPC (I2). */
static ssize_t
node_write(struct node *n, size_t at, const void *buf, size_t len)
{
	struct sim_disk *d = disk_get();
	size_t end = at + len, more = end > n->len ? end - n->len : 0;

	if (more > d->room) {
		more = (size_t)d->room;
		end = n->len + more;
		if (end <= at) {
			errno = ENOSPC;
			return -1;
		}
		len = end - at;
	}
	if (len > 1 && !sim_random(16)) {
		len = 1 + (size_t)sim_random(len - 1);
		end = at + len;
		more = end > n->len ? end - n->len : 0;
	}
	if (d->room != UINT64_MAX)
		d->room -= more;
	if (end > n->len)
		node_resize(n, end);
	memcpy(n->buf + at, buf, len);
	n->changed_ns = sim_now();
	return (ssize_t)len;
}

static ssize_t
file_write(struct sim_file *f, const void *buf, size_t len, int flags)
{
	struct open_file *o = (struct open_file *)f;
	ssize_t n;

	(void)flags;
	if (o->append)
		o->at = o->node->len;
	n = node_write(o->node, o->at, buf, len);
	if (n > 0)
		o->at += (size_t)n;
	return n;
}

static void
file_close(struct sim_file *f)
{
	node_unref(((struct open_file *)f)->node);
	free(f);
}

static const struct sim_file_ops file_ops = { .name = "file",
	.events = file_events,
	.read = disk_file_read,
	.write = file_write,
	.close = file_close };

static struct open_file *
disk_open_file(int fd)
{
	struct sim_file *f = sim_fd_get(fd);

	if (f && f->ops == &file_ops)
		return (struct open_file *)f;
	errno = EBADF;
	return NULL;
}

/* disk_open_folder - for fsync alone: the node has no path and no content. */
static int
disk_open_folder(const char *path)
{
	struct open_file *o;

	if (!disk_has_folder(path)) {
		errno = disk_find(path) ? ENOTDIR : ENOENT;
		return -1;
	}
	o = calloc(1, sizeof(*o));
	o->f.ops = &file_ops;
	o->node = calloc(1, sizeof(*o->node));
	o->node->refs = 1;
	return sim_fd_new(&o->f, false);
}

int
__wrap_open(const char *path, int flags, ...)
{
	struct open_file *o;
	struct node *n;
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	/* without a step: the task has ended, and no other turn comes */
	if (disk_is_counters(path))
		return __real_open(path, flags, mode);
	n = disk_find(path);
	sim_step();
	if (!n && disk_is_real(path))
		return sim_fd_note_real(__real_open(path, flags, mode));
	if (flags & O_DIRECTORY)
		return disk_open_folder(path);
	if (n && (flags & O_EXCL || (n->listener && !(flags & O_PATH)))) {
		errno = n->listener ? ENXIO : EEXIST;
		return -1;
	}
	if (!n && !(flags & O_CREAT))
		return -1;
	if (!n)
		n = node_new(path);
	if (flags & O_TRUNC)
		node_resize(n, 0);
	o = calloc(1, sizeof(*o));
	o->f.ops = &file_ops;
	o->node = n;
	o->append = flags & O_APPEND;
	n->refs++;
	return sim_fd_new(&o->f, false);
}

static void
fill_stat(struct stat *st, uint64_t ino, mode_t mode, size_t len, uint64_t at_ns)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_mode = mode;
	st->st_nlink = 1;
	st->st_gid = getegid();
	st->st_size = (off_t)len;
	st->st_mtim.tv_sec = (time_t)(at_ns / SIM_S);
	st->st_mtim.tv_nsec = (long)(at_ns % SIM_S);
}

static mode_t
node_mode(const struct node *n)
{
	return n->listener ? S_IFSOCK | 0660 : S_IFREG | 0644;
}

int
__wrap_stat(const char *path, struct stat *st)
{
	struct node *n = disk_find(path);

	if (!n)
		return disk_is_real(path) ? __real_stat(path, st) : -1;
	fill_stat(st, n->ino, node_mode(n), n->len, n->changed_ns);
	return 0;
}

int
__wrap_lstat(const char *path, struct stat *st)
{
	if (!disk_find(path) && disk_is_real(path))
		return __real_lstat(path, st);
	return __wrap_stat(path, st);
}

int
__wrap_fstat(int fd, struct stat *st)
{
	struct open_file *o = disk_open_file(fd);
	struct sim_file *f = sim_fd_get(fd);

	if (!f && fd < SIM_FD_FIRST)
		return __real_fstat(fd, st);
	if (!f)
		return -1;
	if (o)
		fill_stat(st, o->node->ino, node_mode(o->node), o->node->len,
		    o->node->changed_ns);
	else
		fill_stat(st, f->ino, S_IFSOCK | 0777, 0, 0);
	return 0;
}

int
__wrap_access(const char *path, int mode)
{
	if (disk_is_real(path))
		return __real_access(path, mode);
	/* Every folder of a file is there. */
	for (struct node *n = disk_get()->first; n; n = n->next)
		if (!strncmp(n->path, path, strlen(path)))
			return 0;
	errno = ENOENT;
	return -1;
}

char *
__wrap_realpath(const char *path, char *out)
{
	if (disk_is_real(path))
		return __real_realpath(path, out);
	if (!disk_find(path))
		return NULL;
	return out ? strcpy(out, path) : strdup(path);
}

int
__wrap_unlink(const char *path)
{
	struct node *n = disk_find(path);

	if (n)
		node_unlink(n);
	if (disk_is_real(path))
		return __real_unlink(path);
	return n ? 0 : -1;
}

int
__wrap_rename(const char *from, const char *to)
{
	struct node *n = disk_find(from), *old;

	if (disk_is_real(from) && __real_rename(from, to))
		return -1;
	if (!n)
		return disk_is_real(from) ? 0 : -1;
	old = disk_find(to);
	if (old && old != n)
		node_unlink(old);
	strlcpy(n->path, to, sizeof(n->path));
	return 0;
}

int
__wrap_chmod(const char *path, mode_t mode)
{
	int fd;

	if (sscanf(path, "/proc/self/fd/%d", &fd) == 1 && fd >= SIM_FD_FIRST)
		return sim_fd_get(fd) ? 0 : -1;
	if (disk_is_real(path))
		return __real_chmod(path, mode);
	return disk_find(path) ? 0 : -1;
}

int
__wrap_flock(int fd, int op)
{
	if (fd < SIM_FD_FIRST)
		return __real_flock(fd, op);
	return sim_fd_get(fd) ? 0 : -1;
}

int
__wrap_fsync(int fd)
{
	sim_step();
	if (fd < SIM_FD_FIRST)
		return __real_fsync(fd);
	return disk_open_file(fd) ? 0 : -1;
}

off_t
__wrap_lseek(int fd, off_t off, int whence)
{
	struct open_file *o = disk_open_file(fd);

	if (fd < SIM_FD_FIRST)
		return __real_lseek(fd, off, whence);
	if (!o)
		return -1;
	o->at = (size_t)(whence == SEEK_SET   ? off
			 : whence == SEEK_CUR ? (off_t)o->at + off
					      : (off_t)o->node->len + off);
	return (off_t)o->at;
}

int
__wrap_ftruncate(int fd, off_t len)
{
	struct open_file *o = disk_open_file(fd);

	if (fd < SIM_FD_FIRST)
		return __real_ftruncate(fd, len);
	if (o)
		node_resize(o->node, (size_t)len);
	return o ? 0 : -1;
}

ssize_t
__wrap_pread(int fd, void *buf, size_t len, off_t at)
{
	struct open_file *o = disk_open_file(fd), copy;

	if (fd < SIM_FD_FIRST)
		return __real_pread(fd, buf, len, at);
	if (!o)
		return -1;
	copy = *o;
	copy.at = (size_t)at;
	return disk_file_read(&copy.f, buf, len, 0);
}

ssize_t
__wrap_pwrite(int fd, const void *buf, size_t len, off_t at)
{
	struct open_file *o = disk_open_file(fd);

	if (fd < SIM_FD_FIRST)
		return __real_pwrite(fd, buf, len, at);
	return o ? node_write(o->node, (size_t)at, buf, len) : -1;
}

ssize_t
__wrap_pwritev(int fd, const struct iovec *iov, int cnt, off_t at)
{
	ssize_t all = 0;

	if (fd < SIM_FD_FIRST)
		return __real_pwritev(fd, iov, cnt, at);
	for (int i = 0; i < cnt; i++) {
		ssize_t n = __wrap_pwrite(fd, iov[i].iov_base, iov[i].iov_len, at + all);

		if (n < 0)
			return all ? all : n;
		all += n;
		if ((size_t)n < iov[i].iov_len)
			break;
	}
	return all;
}

struct node *
disk_node_of(int fd)
{
	struct open_file *o = disk_open_file(fd);

	return o ? o->node : NULL;
}

bool
disk_uses_real(void)
{
	return disk_get()->real;
}

const struct node *
disk_first(void)
{
	return disk_get()->first;
}
