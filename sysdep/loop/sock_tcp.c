/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP streams: connect, adopt, read into and write from the caller's memory. All
 * functions run in the worker's loop.
 *
 * I1  The session gets an error as the result of the read or write that it is called for,
 *     by ops->connected, or by ops->failed if neither read nor write is wanted.
 * I2  A callback may close or reopen the stream; the rest of the event then belongs to an
 *     old connection (`life` differs) and is dropped.
 * I3  No SIGPIPE: all octets are sent by sendmsg with MSG_NOSIGNAL. */
#include "sysdep/loop/sock_tcp.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/os/fd.h"
#include "sysdep/sock/sock_ao.h"
#include "sysdep/sock/sock_io.h"
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

static int
tcp_pending_error(int fd)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

static void
tcp_finish_connect(struct sock_tcp *s)
{
	int err = tcp_pending_error(s->fd);

	s->connecting = false;
	if (err)
		sock_tcp_close(s);
	else
		watch_set(&s->watch, 0);
	s->ops->connected(s, err);
}

static void
tcp_stream_ready(struct watch *wa, uint32_t events)
{
	struct sock_tcp *s = container_of(wa, struct sock_tcp, watch);
	uint32_t life = s->life, want = wa->events;

	if (s->connecting) {
		tcp_finish_connect(s);
		return;
	}
	/* A read or write call reports the broken connection. */
	if (events & WATCH_ERROR)
		events |= want;
	if (!want) {
		int err = tcp_pending_error(s->fd);

		s->ops->failed(s, err ? err : -ECONNRESET);
		return;
	}
	if (events & WATCH_READ)
		s->ops->readable(s);
	if ((events & WATCH_WRITE) && s->life == life && sock_tcp_is_open(s) &&
	    wa->events & WATCH_WRITE)
		s->ops->writable(s);
}

static void
tcp_open_watch(struct sock_tcp *s, int fd, uint32_t events)
{
	ASSERT(!sock_tcp_is_open(s));
	s->life++;
	s->fd = fd;
	watch_add(&s->watch, s->worker, os_fd_of(fd), events, tcp_stream_ready);
}

void
sock_tcp_init(struct sock_tcp *s, struct worker *w, const struct sock_tcp_ops *ops)
{
	memset(s, 0, sizeof(*s));
	s->watch.fd = OS_FD_NONE;
	s->fd = -1;
	s->worker = w;
	s->ops = ops;
}

int
sock_tcp_connect(struct sock_tcp *s, const struct sock_tcp_dial *d)
{
	int family = sock_family(&d->remote), fd, rc = 0;
	bool v4 = family == AF_INET;
	struct sock_end local = d->local;
	struct sockaddr_storage sa;
	socklen_t len;

	fd = sock_tcp_new(family, &d->conf);
	if (fd < 0)
		return fd;
	if (d->md5_key || d->ao) {
		struct prefix peer = prefix_make(
		    d->remote.addr, v4 ? 32 : 128, v4 ? FAM_IP4 : FAM_IP6);

		rc = d->ao ? sock_ao_set(fd, &peer, d->ao, true)
			   : sock_md5_set(fd, &peer, 0, d->md5_key);
	}
	if (rc)
		goto err;
	if (ip_is_none(local.addr) && v4)
		local.addr = ip4(0);
	if (sock_family(&local) != family) {
		rc = -EAFNOSUPPORT;
		goto err;
	}
	len = sock_from_end(&sa, &local);
	if (bind(fd, (struct sockaddr *)&sa, len)) {
		rc = -errno;
		goto err;
	}
	len = sock_from_end(&sa, &d->remote);
	if (connect(fd, (struct sockaddr *)&sa, len) && errno != EINPROGRESS) {
		rc = -errno;
		goto err;
	}
	s->connecting = true;
	tcp_open_watch(s, fd, WATCH_WRITE);
	return 0;

err:
	close(fd);
	return rc;
}

void
sock_tcp_adopt(struct sock_tcp *s, struct os_fd fd)
{
	tcp_open_watch(s, fd.os_nr, 0);
}

bool
sock_tcp_is_open(const struct sock_tcp *s)
{
	return s->fd >= 0;
}

void
sock_tcp_want(struct sock_tcp *s, bool read, bool write)
{
	if (!s->connecting)
		watch_set(&s->watch, (read ? WATCH_READ : 0) | (write ? WATCH_WRITE : 0));
}

ssize_t
sock_tcp_read(struct sock_tcp *s, void *buf, size_t len)
{
	ssize_t n;

	/* recv instead of read: a trace of system calls then shows the octets of peers
	 * from the wake-ups of loops. */
	do
		n = recv(s->fd, buf, len, 0);
	while (n < 0 && errno == EINTR);
	return fd_octets(n);
}

uint32_t
sock_tcp_unread(const struct sock_tcp *s)
{
	return sock_tcp_is_open(s) ? sock_unread(os_fd_of(s->fd)) : 0;
}

struct os_fd
sock_tcp_fd(const struct sock_tcp *s)
{
	return os_fd_of(s->fd);
}

void
sock_tcp_close(struct sock_tcp *s)
{
	if (s->fd < 0)
		return;
	watch_del(&s->watch);
	s->connecting = false;
	close(s->fd);
	s->fd = -1;
}
