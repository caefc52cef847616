/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accepting connections. All functions run in the worker's loop.
 *
 * I1  A round accepts at most LISTEN_ACCEPT_CNT connections; a thousand members that
 *     reconnect at once do not keep the worker from other work.
 * I2  Without descriptors or memory the listener pauses, because a connection that cannot
 *     be accepted would wake the loop without end. */
#include "sysdep/loop/sock_listen.h"
#include "lib/net/ip.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_ao.h"
#include <errno.h>
#include <unistd.h>

#define LISTEN_ACCEPT_CNT 64
#define PAUSE_NS          (100 * NS_PER_MS)
#define LISTEN_SAY_NS     (60 * NS_PER_S)

static void
sock_listen_pause_ends(struct timer *t)
{
	watch_set(&container_of(t, struct sock_listen, pause)->watch, WATCH_READ);
}

/* sock_listen_pause - for want of what @err says. */
static void
sock_listen_pause(struct sock_listen *l, int err)
{
	struct sock_end end = sock_listen_end(l);
	uint64_t now = loop_now_ns(l->watch.worker);
	char text[IP_STR_MAX];

	watch_set(&l->watch, 0);
	timer_set(&l->pause, now + PAUSE_NS);
	if (log_due(&l->said_ns, now, LISTEN_SAY_NS))
		log_msg(LOG_C_ERR, "Can't accept connections at %s port %u: %s",
		    ip_str(text, end.addr), end.port, strerror(err));
}

static void
listen_ready(struct watch *wa, uint32_t events)
{
	struct sock_listen *l = container_of(wa, struct sock_listen, watch);

	(void)events;
	for (unsigned i = 0; i < LISTEN_ACCEPT_CNT && l->open; i++) {
		struct sockaddr_storage sa = { 0 };
		socklen_t len = sizeof(sa);
		int fd = accept4(
		    l->fd, (struct sockaddr *)&sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			struct sock_end remote = sock_to_end(&sa),
					local = sock_local_end(os_fd_of(fd));

			l->accepted(l, os_fd_of(fd), &remote, &local);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			   errno == ENOMEM) {
			sock_listen_pause(l, errno);
			return;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		}
		/* Anything else is the error of a connection that has ended already. */
	}
}

int
sock_listen_open(struct sock_listen *l, struct worker *w, const struct sock_end *local,
    const struct sock_conf *c,
    void (*accepted)(struct sock_listen *l, struct os_fd fd,
	const struct sock_end *remote, const struct sock_end *local))
{
	struct sockaddr_storage sa;
	socklen_t len = sock_from_end(&sa, local);
	int fd = sock_tcp_new(sock_family(local), c), one = 1, rc;

	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&sa, len) || listen(fd, SOCK_BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	memset(l, 0, sizeof(*l));
	l->accepted = accepted;
	l->fd = fd;
	l->open = true;
	timer_init(&l->pause, w, sock_listen_pause_ends);
	watch_add(&l->watch, w, os_fd_of(fd), WATCH_READ, listen_ready);
	return 0;
}

const char *
sock_listen_error(int err)
{
	/* Of all reasons for EACCES the text names the capability only. */
	return err == EACCES ? "Permission denied (CAP_NET_BIND_SERVICE)" : strerror(err);
}

struct sock_end
sock_listen_end(const struct sock_listen *l)
{
	return sock_local_end(os_fd_of(l->fd));
}

int
sock_listen_md5(
    struct sock_listen *l, const struct prefix *peer, uint32_t ifindex, const char *key)
{
	int rc = sock_md5_set(l->fd, peer, ifindex, key);

	return !key && rc == -ENOENT ? 0 : rc;
}

int
sock_listen_ao(struct sock_listen *l, const struct prefix *peer,
    const struct sock_ao *old, const struct sock_ao *a)
{
	static const struct sock_ao none;

	if (!old)
		return sock_ao_set(l->fd, peer, a, false);
	return sock_ao_change(os_fd_of(l->fd), peer, old, a ? a : &none, true);
}

void
sock_listen_close(struct sock_listen *l)
{
	if (!l->open)
		return;
	timer_cancel(&l->pause);
	watch_del(&l->watch);
	close(l->fd);
	l->open = false;
}
