/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors: numbers, poll, and the calls that work on each kind of file.
 *
 * I1  Descriptors of the simulation are SIM_FD_FIRST and more. A smaller number is the
 *     kernel's (stderr, a memfd), and the call goes to the kernel.
 * I2  A task of the world reads and writes the file that the descriptor named at the
 *     call. The tasks of the world stand for several processes and close descriptors of
 *     each other; the next file, also a file of the daemon, takes the number. The threads
 *     of a daemon are one process: a call of a daemon meets the new file, as in the
 *     kernel.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/sim_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FD_MAX 16384

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __real_pread(int fd, void *buf, size_t len, off_t at);
int __real_close(int fd);
int __real_dup(int fd);
int __real_fcntl(int fd, int cmd, ...);
int __wrap_close(int fd);

struct sim_fds {
	struct sim_file *file[FD_MAX];
	int lowest; /* no number below is free */
	/* the daemon that opened a descriptor of the kernel; 0: none */
	unsigned real[SIM_FD_FIRST];
	uint64_t ino;
};

static struct sim_fds *
fd_fds(void)
{
	return sim_root(&sim->fds, sizeof(struct sim_fds));
}

uint64_t
sim_ino(void)
{
	return ++fd_fds()->ino;
}

int
sim_fd_new(struct sim_file *f, bool nonblock)
{
	struct sim_fds *t = fd_fds();
	int i = t->lowest;

	while (i < FD_MAX && t->file[i])
		i++;
	if (i == FD_MAX)
		sim_fail("more than FD_MAX descriptors");
	t->lowest = i + 1;
	t->file[i] = f;
	if (!f->refs++) {
		f->nonblock = nonblock;
		f->ino = sim_ino();
		f->nr = i;
		f->daemon = sim_self() ? sim_task_daemon(sim_self()) : 0;
		f->host = sim_daemon_host(f->daemon);
	}
	return SIM_FD_FIRST + i;
}

struct sim_file *
sim_fd_get(int fd)
{
	struct sim_fds *t = fd_fds();

	return fd < SIM_FD_FIRST || fd >= SIM_FD_FIRST + FD_MAX
		   ? NULL
		   : t->file[fd - SIM_FD_FIRST];
}

static void
sim_fd_close(int i)
{
	struct sim_fds *t = fd_fds();
	struct sim_file *f = t->file[i];

	t->file[i] = NULL;
	if (i < t->lowest)
		t->lowest = i;
	if (--f->refs)
		return;
	sim_epoll_forget(f);
	f->ops->close(f);
}

void
sim_fd_drop_daemon(unsigned daemon)
{
	for (int i = 0; i < FD_MAX; i++)
		if (fd_fds()->file[i] && fd_fds()->file[i]->daemon == daemon)
			sim_fd_close(i);
	for (int i = 0; i < SIM_FD_FIRST; i++)
		if (fd_fds()->real[i] == daemon)
			__wrap_close(i);
}

int
sim_fd_next(unsigned daemon, int fd)
{
	const struct sim_fds *t = fd_fds();

	for (fd++; fd < SIM_FD_FIRST; fd++)
		if (t->real[fd] == daemon)
			return fd;
	for (; fd < SIM_FD_FIRST + FD_MAX; fd++)
		if (t->file[fd - SIM_FD_FIRST] &&
		    t->file[fd - SIM_FD_FIRST]->daemon == daemon)
			return fd;
	return -1;
}

int
sim_fd_note_real(int fd)
{
	if (fd >= SIM_FD_FIRST)
		sim_fail("more than SIM_FD_FIRST descriptors of the kernel");
	if (fd >= 0 && sim_self())
		fd_fds()->real[fd] = sim_task_daemon(sim_self());
	return fd;
}

/* get - EBADF: a number of the simulation without a file. */
static struct sim_file *
fd_get(int fd)
{
	struct sim_file *f = sim_fd_get(fd);

	if (!f)
		errno = EBADF;
	return f;
}

static bool
is_real(int fd)
{
	return fd < SIM_FD_FIRST;
}

int
__wrap_close(int fd)
{
	if (is_real(fd)) {
		if (fd >= 0)
			fd_fds()->real[fd] = 0;
		return __real_close(fd);
	}
	if (!fd_get(fd))
		return -1;
	sim_fd_close(fd - SIM_FD_FIRST);
	return 0;
}

int
__wrap_dup(int fd)
{
	struct sim_file *f;

	if (is_real(fd))
		return sim_fd_note_real(__real_dup(fd));
	f = fd_get(fd);
	return f ? sim_fd_new(f, f->nonblock) : -1;
}

int
__wrap_fcntl(int fd, int cmd, ...)
{
	struct sim_file *f;
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
	if (is_real(fd))
		return __real_fcntl(fd, cmd, arg);
	f = fd_get(fd);
	if (!f)
		return -1;
	if (cmd == F_DUPFD_CLOEXEC)
		return sim_fd_new(f, f->nonblock);
	if (cmd == F_SETFL)
		f->nonblock = arg & O_NONBLOCK;
	return cmd == F_GETFL && f->nonblock ? O_NONBLOCK : 0;
}

/* ---- reading and writing ---- */

/* A wait for a descriptor. Another task may close the descriptor meanwhile. */
struct wish {
	int fd;
	short events;
	uint64_t ino; /* I2; 0: any file */
};

/* wished - the file; NULL: the descriptor is closed, or names another file. */
static struct sim_file *
fd_wished(const struct wish *w)
{
	struct sim_file *f = sim_fd_get(w->fd);

	return f && w->ino && f->ino != w->ino ? NULL : f;
}

static bool
wish_holds(void *arg)
{
	const struct wish *w = arg;
	struct sim_file *f = fd_wished(w);

	return !f || !f->ops->events ||
	       f->ops->events(f) & (w->events | POLLERR | POLLHUP);
}

/* wait_get_ready - the file, after the wait that a blocking call has. NULL with errno:
 * closed, or the time is out. */
static struct sim_file *
fd_get_ready(int fd, short events, int flags)
{
	struct sim_file *f = sim_fd_get(fd);
	struct wish w = { fd, events, f && !sim_task_daemon(sim_self()) ? f->ino : 0 };

	sim_step();
	f = fd_wished(&w);
	if (f && !f->nonblock && !(flags & MSG_DONTWAIT)) {
		if (!sim_wait(wish_holds, &w,
			f->read_limit_ns && events == POLLIN
			    ? sim_now() + f->read_limit_ns
			    : SIM_NEVER)) {
			errno = EAGAIN;
			return NULL;
		}
		f = fd_wished(&w);
	}
	if (!f)
		errno = EBADF;
	return f;
}

ssize_t
__wrap_recv(int fd, void *buf, size_t len, int flags)
{
	struct sim_file *f = fd_get_ready(fd, POLLIN, flags);

	if (f && !f->ops->read)
		errno = EINVAL;
	return f && f->ops->read ? f->ops->read(f, buf, len, flags) : -1;
}

ssize_t
__wrap_send(int fd, const void *buf, size_t len, int flags)
{
	struct sim_file *f = fd_get_ready(fd, POLLOUT, flags);

	if (f && !f->ops->write)
		errno = EINVAL;
	return f && f->ops->write ? f->ops->write(f, buf, len, flags) : -1;
}

ssize_t
__wrap_read(int fd, void *buf, size_t len)
{
	return is_real(fd) ? __real_read(fd, buf, len) : __wrap_recv(fd, buf, len, 0);
}

/* output_of - stdout and stderr of a daemon may be a file (sim_launch). */
static int
output_of(int fd)
{
	int err_fd = fd == STDOUT_FILENO || fd == STDERR_FILENO ? sim_daemon_output(fd)
								: -1;

	return err_fd < 0 ? fd : err_fd;
}

ssize_t
__wrap_write(int fd, const void *buf, size_t len)
{
	if (is_real(fd))
		return __real_write(output_of(fd), buf, len);
	return __wrap_send(fd, buf, len, 0);
}

/* joined - the octets of @iov in a single buffer, freed by the caller. */
static char *
fd_joined(const struct iovec *iov, size_t cnt, size_t *len)
{
	char *buf;

	*len = 0;
	for (size_t i = 0; i < cnt; i++)
		*len += iov[i].iov_len;
	buf = malloc(*len + 1);
	*len = 0;
	for (size_t i = 0; i < cnt; i++) {
		memcpy(buf + *len, iov[i].iov_base, iov[i].iov_len);
		*len += iov[i].iov_len;
	}
	return buf;
}

ssize_t
__wrap_writev(int fd, const struct iovec *iov, int cnt)
{
	size_t len;
	char *buf = fd_joined(iov, (size_t)cnt, &len);
	ssize_t n = __wrap_write(fd, buf, len);

	free(buf);
	return n;
}

ssize_t
__wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	size_t len;
	char *buf = fd_joined(m->msg_iov, m->msg_iovlen, &len);
	ssize_t n = __wrap_send(fd, buf, len, flags);

	free(buf);
	return n;
}

ssize_t
__wrap_sendfile(int to, int from, off_t *at, size_t len)
{
	char *buf = malloc(len + 1);
	ssize_t n = __real_pread(from, buf, len, *at);

	if (n > 0)
		n = __wrap_send(to, buf, (size_t)n, 0);
	if (n > 0)
		*at += n;
	free(buf);
	return n;
}

/* ---- poll and epoll ---- */

struct polled {
	struct pollfd *p;
	nfds_t cnt;
};

static short
poll_one(const struct pollfd *p)
{
	struct sim_file *f = sim_fd_get(p->fd);

	if (p->fd < 0)
		return 0;
	if (!f)
		return POLLNVAL;
	return (short)(f->ops->events(f) & (p->events | POLLERR | POLLHUP));
}

static bool
poll_any(void *arg)
{
	struct polled *a = arg;

	for (nfds_t i = 0; i < a->cnt; i++)
		if (poll_one(&a->p[i]))
			return true;
	return false;
}

int
__wrap_poll(struct pollfd *p, nfds_t cnt, int timeout_ms)
{
	struct polled a = { p, cnt };
	int n = 0;

	sim_step();
	if (timeout_ms)
		sim_wait(poll_any, &a,
		    timeout_ms < 0 ? SIM_NEVER
				   : sim_now() + (uint64_t)timeout_ms * SIM_MS);
	for (nfds_t i = 0; i < cnt; i++)
		n += (p[i].revents = poll_one(&p[i])) != 0;
	return n;
}
