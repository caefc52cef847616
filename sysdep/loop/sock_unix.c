/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket's file and its accept loop. sock_unix_bind: any thread; the accept
 * loop runs in the worker's loop.
 *
 * I1  The socket is bound under a temporary name, gets its mode, begins to listen and is
 *     then renamed: a client that opens the path finds the old socket, no socket, or the
 *     new socket ready to accept.
 * I2  Only sockets are replaced or removed, and only the daemon's socket is removed at
 *     the end. */
#include "sysdep/loop/sock_unix.h"
#include "lib/mem/mem.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"
#include <errno.h>
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
make_address(struct sockaddr_un *un, const char *path)
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
check_free(const char *path)
{
	struct sockaddr_un un;
	struct stat st;
	int fd, rc = make_address(&un, path);

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

/* set_rights - At no time the file is open to more users than before or after the call.
 * Returns: 0 or negative errno. */
static int
set_rights(const char *path, gid_t gid, uint32_t mode)
{
	struct stat st;

	if (lstat(path, &st))
		return -errno;
	if (st.st_gid != gid &&
	    (chmod(path, mode & 0600) || lchown(path, (uid_t)-1, gid))) {
		int rc = -errno;

		return chmod(path, st.st_mode & 0777) ? -errno : rc;
	}
	return chmod(path, mode) ? -errno : 0;
}

int
sock_unix_rights(const char *path, uint64_t inode, const struct sock_rights *r)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISSOCK(st.st_mode) || st.st_ino != inode)
		return 0;
	return set_rights(path, r->gid == SOCK_OWN_GROUP ? getegid() : r->gid, r->mode);
}

/* new_rights - of a new file: its group may be the folder's group. */
static int
new_rights(const char *path, const struct sock_rights *r)
{
	if (!r || r->gid == SOCK_OWN_GROUP)
		return chmod(path, r ? r->mode : SOCK_MODE) ? -errno : 0;
	return set_rights(path, r->gid, r->mode);
}

int
sock_unix_bind(const char *path, const struct sock_rights *rights, uint64_t *inode)
{
	char temp[sizeof(((struct sockaddr_un *)0)->sun_path) + 16];
	struct sockaddr_un un;
	struct stat st;
	int fd, rc = check_free(path);

	if (rc)
		return rc;
	snprintf(temp, sizeof(temp), "%s.%d", path, (int)getpid());
	rc = make_address(&un, temp);
	if (rc)
		return rc;
	fd = unix_socket();
	if (fd < 0)
		return fd;
	unlink(temp); /* left by a killed process with the same number */
	if (bind(fd, (struct sockaddr *)&un, sizeof(un)))
		goto err_bind;
	rc = new_rights(temp, rights);
	if (!rc && (listen(fd, BACKLOG) || lstat(temp, &st) || rename(temp, path)))
		rc = -errno;
	if (rc)
		goto err_name;
	*inode = st.st_ino;
	return fd;

err_name:
	unlink(temp);
	close(fd);
	return rc;
err_bind:
	rc = -errno;
	close(fd);
	return rc;
}

void
sock_unix_remove(const char *path, uint64_t inode)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) && st.st_ino == inode)
		unlink(path);
}

static void
pause_ends(struct timer *t)
{
	watch_set(&container_of(t, struct sock_unix, pause)->watch, WATCH_READ);
}

/* sock_unix_rest - for want of what @err says. */
static void
sock_unix_rest(struct sock_unix *u, int err)
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
			u->accepted(u, fd);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		} else if (errno != ECONNABORTED && errno != EINTR) {
			/* No descriptors or memory: it would wake the loop without end.
			 */
			sock_unix_rest(u, errno);
			return;
		}
	}
}

void
sock_unix_start(struct sock_unix *u, struct worker *w, int fd, uint64_t inode,
    const char *path, void (*accepted)(struct sock_unix *u, int fd))
{
	memset(u, 0, sizeof(*u));
	u->accepted = accepted;
	u->fd = fd;
	u->path = mem_strdup(MEM_OTHER, path);
	u->inode = inode;
	timer_init(&u->pause, w, pause_ends);
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
