/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket's file and its accept loop. sock_unix_bind: any thread; the accept
 * loop runs in the worker's loop.
 *
 * I1  The socket is bound under a temporary name, gets its mode, begins to listen and is
 *     then renamed: a client that opens the path finds the old socket, no socket, or the
 *     new socket ready to accept.
 * I2  Only sockets are replaced or removed, and only the daemon's socket is removed at
 *     the end.
 * I3  A descriptor of the file sets its group and mode, so that no other file under the
 *     path gets the rights. At no time is the file open to more users than before or
 *     after a change, and a new file is open to its user alone until the file has its
 *     rights. */
#include "sysdep/loop/sock_unix.h"
#include "lib/mem/mem.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG    128
#define ACCEPT_CNT 16
#define PAUSE_NS   (100 * NS_PER_MS)
#define SAY_NS     (60 * NS_PER_S)

static int
unix_make_address(struct sockaddr_un *un, const char *path)
{
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	memcpy(un->sun_path, path, strlen(path));
	return 0;
}

static int
unix_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* May we take @path? Returns: 0 or negative errno. */
static int
unix_check_free(const char *path)
{
	struct sockaddr_un un;
	struct stat st;
	int fd, rc = unix_make_address(&un, path);

	if (rc)
		return rc;
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	fd = unix_socket();
	if (fd < 0)
		return fd;
	/* EAGAIN: somebody is there with a full queue. */
	if (!connect(fd, (struct sockaddr *)&un, sizeof(un)) || errno == EAGAIN)
		rc = -EADDRINUSE;
	else if (errno != ECONNREFUSED && errno != ENOENT)
		rc = -errno;
	close(fd);
	return rc;
}

/* unix_default_group - the group of a new file in the folder of @path. */
static gid_t
unix_default_group(const char *path)
{
	char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];
	const char *slash = strrchr(path, '/');
	struct stat st;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash + 1 - path) : 1,
	    slash ? path : ".");
	return !stat(dir, &st) && st.st_mode & S_ISGID ? st.st_gid : getegid();
}

/* unix_file_chmod - of @file, a descriptor of O_PATH: the kernel knows such a descriptor
 * by the name in /proc alone. Returns: 0 or negative errno. */
static int
unix_file_chmod(int file, uint32_t mode)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	return chmod(name, mode) ? -errno : 0;
}

/* unix_set_rights - I3. Returns: 0 or negative errno; then the rights are as before. */
static int
unix_set_rights(int file, const struct stat *was, gid_t gid, uint32_t mode)
{
	int rc;

	if (was->st_gid == gid)
		return unix_file_chmod(file, mode);
	rc = unix_file_chmod(file, mode & was->st_mode & 0600);
	if (!rc && fchownat(file, "", (uid_t)-1, gid, AT_EMPTY_PATH))
		rc = -errno;
	if (!rc)
		rc = unix_file_chmod(file, mode);
	if (rc && !fchownat(file, "", (uid_t)-1, was->st_gid, AT_EMPTY_PATH))
		(void)unix_file_chmod(file, was->st_mode & 0777);
	return rc;
}

/* unix_file_rights - set the rights of the socket @path of @inode (0: any), in the
 * folder of @of. *@st: the file. Returns: 0, negative errno, or -ESTALE: there is no
 * such socket. */
static int
unix_file_rights(struct stat *st, const char *path, const char *of, uint64_t inode,
    const struct sock_rights *r)
{
	int rc, file = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (file < 0)
		return errno == ENOENT || errno == ELOOP ? -ESTALE : -errno;
	if (fstat(file, st) || !S_ISSOCK(st->st_mode) || (inode && st->st_ino != inode))
		rc = -ESTALE;
	else
		rc = unix_set_rights(file, st,
		    r->gid == SOCK_DEFAULT_GROUP ? unix_default_group(of) : r->gid,
		    r->mode);
	close(file);
	return rc;
}

int
sock_unix_rights(const char *path, uint64_t inode, const struct sock_rights *r)
{
	struct stat st;
	int rc = unix_file_rights(&st, path, path, inode, r);

	return rc == -ESTALE ? 0 : rc;
}

struct os_fd
sock_unix_bind(const char *path, const struct sock_rights *rights, uint64_t *inode)
{
	static const struct sock_rights usual = { SOCK_MODE, SOCK_DEFAULT_GROUP };
	char temp[sizeof(((struct sockaddr_un *)0)->sun_path) + 16];
	struct sockaddr_un un;
	struct stat st;
	int fd, rc = unix_check_free(path);

	if (rc)
		return os_fd_of(rc);
	snprintf(temp, sizeof(temp), "%s.%d", path, (int)getpid());
	rc = unix_make_address(&un, temp);
	if (rc)
		return os_fd_of(rc);
	fd = unix_socket();
	if (fd < 0)
		return os_fd_of(fd);
	unlink(temp); /* left by a killed process with the same number */
	(void)fchmod(fd, 0600); /* the file's mode at first */
	if (bind(fd, (struct sockaddr *)&un, sizeof(un)))
		goto err_bind;
	rc = unix_file_rights(&st, temp, path, 0, rights ? rights : &usual);
	if (!rc && (listen(fd, BACKLOG) || rename(temp, path)))
		rc = -errno;
	if (rc)
		goto err_name;
	*inode = st.st_ino;
	return os_fd_of(fd);

err_name:
	unlink(temp);
	close(fd);
	return os_fd_of(rc);
err_bind:
	rc = -errno;
	close(fd);
	return os_fd_of(rc);
}

bool
sock_unix_stat(const char *path, uint64_t inode, struct stat *st)
{
	return !lstat(path, st) && S_ISSOCK(st->st_mode) && st->st_ino == inode;
}

void
sock_unix_remove(const char *path, uint64_t inode)
{
	struct stat st;

	if (sock_unix_stat(path, inode, &st))
		unlink(path);
}

static void
sock_unix_pause_ends(struct timer *t)
{
	watch_set(&container_of(t, struct sock_unix, pause)->watch, WATCH_READ);
}

/* sock_unix_pause - for want of what @err says. */
static void
sock_unix_pause(struct sock_unix *u, int err)
{
	uint64_t now = loop_now_ns(u->watch.worker);

	watch_set(&u->watch, 0);
	timer_set(&u->pause, now + PAUSE_NS);
	if (log_due(&u->said_ns, now, SAY_NS))
		log_msg(LOG_C_ERR, "Can't accept connections at %s: %s", u->path,
		    strerror(err));
}

static void
unix_ready(struct watch *wa, uint32_t events)
{
	struct sock_unix *u = container_of(wa, struct sock_unix, watch);

	(void)events;
	for (unsigned i = 0; i < ACCEPT_CNT && u->path; i++) {
		int fd = accept4(u->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			u->accepted(u, os_fd_of(fd));
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		} else if (errno != ECONNABORTED && errno != EINTR) {
			/* No descriptors or memory: it would wake the loop without end.
			 */
			sock_unix_pause(u, errno);
			return;
		}
	}
}

void
sock_unix_start(struct sock_unix *u, struct worker *w, struct os_fd fd, uint64_t inode,
    const char *path, void (*accepted)(struct sock_unix *u, struct os_fd fd))
{
	memset(u, 0, sizeof(*u));
	u->accepted = accepted;
	u->fd = fd.os_nr;
	u->path = mem_strdup(MEM_OTHER, path);
	u->inode = inode;
	timer_init(&u->pause, w, sock_unix_pause_ends);
	watch_add(&u->watch, w, fd, WATCH_READ, unix_ready);
}

void
sock_unix_close(struct sock_unix *u)
{
	if (!u->path)
		return;
	timer_cancel(&u->pause);
	watch_del(&u->watch);
	sock_unix_remove(u->path, u->inode);
	close(u->fd);
	mem_free(MEM_OTHER, u->path);
	u->path = NULL;
}
