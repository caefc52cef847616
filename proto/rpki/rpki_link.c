/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection to a cache: a name gives addresses, an address a TCP connection; with
 * SSH a thread turns the TCP connection into a stream.
 *
 * I1  Blocking work - name resolution and libssh - runs in a separate thread
 *     (sysdep/os/side.h), which shares one descriptor with the instance. The thread ends
 *     after the instance has closed the descriptor. Name resolution ends when the
 *     system's resolver returns; the instance awaits the answer over several attempts to
 *     connect, so an instance has one such thread.
 * I2  The receive buffer is borrowed for one call: a quiet connection holds only the
 *     octets of an unfinished PDU.
 * I3  Errors are reported from the loop (`soon`), never from within a call.
 *
 * Loop: the instance's. Tested by test/net/test_rpki.py and
 * test/net/test_rpki_others.py. */
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "proto/rpki/rpki.h"
#include "proto/rpki/rpki_priv.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/os/side.h"
#include "sysdep/sock/names.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdio.h>

static struct rpki_proto *
rpki_link_of_sock(struct sock_tcp *sock)
{
	return container_of(sock, struct rpki_proto, link.sock);
}

/* rpki_link_fail - I3. */
static void
rpki_link_fail(struct rpki_proto *s, const char *what, const char *why)
{
	struct rpki_link *l = &s->link;

	if (!l->failed[0])
		snprintf(l->failed, sizeof(l->failed), "%s%s%s", what,
		    *what && *why ? ": " : "", why);
	timer_set(&l->soon, 0);
}

static void
link_apply_want(struct rpki_link *l)
{
	bool up = l->state == LINK_UP || l->state == LINK_SECURING;

	if (up && sock_tcp_is_open(&l->sock))
		sock_tcp_want(
		    &l->sock, l->reads || l->state == LINK_SECURING, l->out_len > 0);
}

/* ---- out ---- */

/* rpki_link_flush - send until the kernel takes no more: the connection may be closed
 * next, and half an Error Report is useless to the cache. */
static void
rpki_link_flush(struct rpki_proto *s)
{
	struct rpki_link *l = &s->link;
	ssize_t n;

	if (!l->out_len)
		return;
	do {
		n = sock_send(sock_tcp_fd(&l->sock), l->out, l->out_len);
		if (n > 0) {
			l->out_len -= (uint32_t)n;
			memmove(l->out, l->out + n, l->out_len);
		}
	} while (n > 0 && l->out_len);
	if (n < 0)
		rpki_link_fail(s, "Connection lost", strerror((int)-n));
	link_apply_want(l);
}

void
link_send(struct rpki_proto *s, const void *p, uint32_t len)
{
	struct rpki_link *l = &s->link;

	if (l->state != LINK_UP)
		return;
	if (len > sizeof(l->out) - l->out_len) {
		rpki_link_fail(s, "The cache doesn't read", "");
		return;
	}
	memcpy(l->out + l->out_len, p, len);
	l->out_len += len;
	rpki_link_flush(s);
}

static void
rpki_link_writable(struct sock_tcp *sock)
{
	rpki_link_flush(rpki_link_of_sock(sock));
}

/* ---- in ---- */

static void
rpki_link_keep(struct rpki_link *l, const uint8_t *p, uint32_t len)
{
	if (!len)
		return;
	l->part = mem_alloc(MEM_PROTO, len);
	memcpy(l->part, p, len);
	l->part_len = len;
}

/* rpki_link_handle - process the kept octets and up to @len further octets of the socket.
 * Returns: as sock_tcp_read; 1: the connection was replaced. */
static ssize_t
rpki_link_handle(struct rpki_proto *s, uint32_t len)
{
	struct rpki_link *l = &s->link;
	uint32_t life = l->life, have = l->part_len, done;
	uint8_t *buf = mem_alloc(MEM_PROTO, have + len + 1);
	ssize_t n = 0;

	if (have)
		memcpy(buf, l->part, have);
	mem_free(MEM_PROTO, l->part);
	l->part = NULL;
	l->part_len = 0;
	if (len)
		n = sock_tcp_read(&l->sock, buf + have, len);
	if (n > 0) {
		have += (uint32_t)n;
		s->timers.alive_ns = loop_now_ns(&s->p.worker);
	}
	done = l->ops->octets(s, buf, have);
	if (l->life == life)
		rpki_link_keep(l, buf + done, have - done);
	mem_free(MEM_PROTO, buf);
	return l->life == life ? n : 1;
}

static void
rpki_link_closed(struct rpki_proto *s, int err)
{
	if (err == -EPIPE)
		rpki_link_fail(s, "Connection closed by the cache", "");
	else
		rpki_link_fail(s, "Connection lost", strerror(-err));
}

/* rpki_link_secured - the SSH thread's first line is there. */
static void
rpki_link_secured(struct rpki_proto *s)
{
	struct rpki_link *l = &s->link;

	if (l->line[0] != '+') {
		rpki_link_fail(s, "SSH", l->line + 1);
		return;
	}
	l->state = LINK_UP;
	l->ops->up(s);
	link_apply_want(l);
}

/* rpki_link_read_line - one octet at a time: what follows belongs to the cache. */
static void
rpki_link_read_line(struct rpki_proto *s)
{
	struct rpki_link *l = &s->link;
	ssize_t n;
	char c;

	while ((n = sock_tcp_read(&l->sock, &c, 1)) > 0) {
		if (c == '\n') {
			l->line[l->line_len] = '\0';
			rpki_link_secured(s);
			return;
		}
		if (l->line_len + 1 < sizeof(l->line))
			l->line[l->line_len++] = c;
	}
	if (n < 0)
		rpki_link_fail(s, "SSH", "the connection was closed");
}

static void
rpki_link_readable(struct sock_tcp *sock)
{
	struct rpki_proto *s = rpki_link_of_sock(sock);
	ssize_t n;

	if (s->link.state == LINK_SECURING) {
		rpki_link_read_line(s);
		return;
	}
	n = rpki_link_handle(s, RPKI_RX_CAP);
	if (n < 0)
		rpki_link_closed(s, (int)n);
	link_apply_want(&s->link);
}

static void
rpki_link_failed(struct sock_tcp *sock, int err)
{
	struct rpki_proto *s = rpki_link_of_sock(sock);

	rpki_link_closed(s, err);
}

static void
rpki_link_soon(struct timer *t)
{
	struct rpki_proto *s = container_of(t, struct rpki_proto, link.soon);
	struct rpki_link *l = &s->link;
	char text[RPKI_TEXT_MAX];

	/* Octets received before the end count, as far as the instance accepts octets
	 * now. */
	if (l->part_len && l->reads && l->state == LINK_UP && rpki_link_handle(s, 0) > 0)
		return;
	if (!l->failed[0])
		return;
	memcpy(text, l->failed, sizeof(text));
	l->ops->lost(s, text);
}

void
link_want(struct rpki_proto *s, bool read)
{
	struct rpki_link *l = &s->link;

	l->reads = read;
	link_apply_want(l);
	if (read && (l->part_len || l->failed[0]))
		timer_set(&l->soon, 0);
}

/* ---- SSH ---- */

static char *
rpki_link_copy(const char *s)
{
	return s ? mem_strdup(MEM_PROTO, s) : NULL;
}

/* rpki_link_secure - a thread goes on with the TCP connection. Returns: 0 or negative
 * errno. */
static int
rpki_link_secure(struct rpki_proto *s, const struct rpki_conf *rc)
{
	struct rpki_link *l = &s->link;
	struct ssh_task *task = mem_zalloc(MEM_PROTO, sizeof(*task));
	char ip[IP_STR_MAX];
	struct os_fd fd;

	fd = task->fd = fd_dup(sock_tcp_fd(&l->sock));
	sock_tcp_close(&l->sock);
	if (!os_fd_is_open(fd)) {
		mem_free(MEM_PROTO, task);
		return os_fd_error(fd);
	}
	task->host = rpki_link_copy(rc->host ? rc->host : ip_str(ip, rc->ip));
	task->user = rpki_link_copy(rc->user);
	task->private_key = rpki_link_copy(rc->private_key);
	task->public_key = rpki_link_copy(rc->public_key);
	task->port = rpki_port(rc);
	task->wait_ms = RPKI_SSH_WAIT_MS;
	fd = side_start(s->p.name, rpki_ssh_thread, task);
	if (!os_fd_is_open(fd)) {
		rpki_ssh_thread(OS_FD_NONE, task);
		return os_fd_error(fd);
	}
	l->state = LINK_SECURING;
	l->line_len = 0;
	sock_tcp_adopt(&l->sock, fd);
	link_apply_want(l);
	return 0;
}

/* ---- TCP ---- */

static void rpki_link_dial(struct rpki_proto *s);

static void
rpki_link_connected(struct sock_tcp *sock, int err)
{
	struct rpki_proto *s = rpki_link_of_sock(sock);
	struct rpki_link *l = &s->link;
	const struct rpki_conf *rc = rpki_conf(s);

	if (err && l->name + 1 < l->names.cnt) {
		l->name++;
		rpki_link_dial(s);
		return;
	}
	if (!err && rc->transport == RPKI_SSH)
		err = rpki_link_secure(s, rc);
	if (err) {
		rpki_link_fail(s, "Can't connect", strerror(-err));
		return;
	}
	if (rc->transport == RPKI_SSH)
		return;
	l->state = LINK_UP;
	l->ops->up(s);
	link_apply_want(l);
}

static const struct sock_tcp_ops sock_ops = {
	.connected = rpki_link_connected,
	.readable = rpki_link_readable,
	.writable = rpki_link_writable,
	.failed = rpki_link_failed,
};

static void
rpki_link_dial(struct rpki_proto *s)
{
	struct rpki_link *l = &s->link;
	const struct rpki_conf *rc = rpki_conf(s);
	struct sock_tcp_dial d = { .local = { .addr = rc->local_ip },
		.remote = { .addr = l->names.addr[l->name], .port = rpki_port(rc) },
		.md5_key = rc->auth == RPKI_AUTH_MD5 ? rc->password : NULL };
	int err;

	l->state = LINK_CONNECTING;
	while ((err = sock_tcp_connect(&l->sock, &d)) && l->name + 1 < l->names.cnt)
		d.remote.addr = l->names.addr[++l->name];
	if (err)
		rpki_link_fail(s, "Can't connect", strerror(-err));
}

/* ---- names ---- */

/* rpki_link_resolve - in a thread of its own: @arg is the name (MEM_PROTO). */
static void
rpki_link_resolve(TAKE struct os_fd fd, TAKE void *arg)
{
	struct sock_end end[RPKI_ADDR_MAX];
	struct link_names names = { 0 };
	const char *why;

	names.cnt = names_find(arg, false, end, RPKI_ADDR_MAX, &why);
	if (!names.cnt)
		strlcpy(names.error, why, sizeof(names.error));
	for (unsigned i = 0; i < names.cnt; i++)
		names.addr[i] = end[i].addr;
	/* Nobody may want it any more. */
	(void)!sock_send_all(fd, &names, sizeof(names));
	fd_close(fd);
	mem_free(MEM_PROTO, arg);
}

static void
link_end_resolver(struct rpki_link *l)
{
	if (!os_fd_is_open(l->resolver))
		return;
	watch_del(&l->answer);
	fd_close(l->resolver);
	l->resolver = OS_FD_NONE;
}

void
link_forget(struct rpki_proto *s)
{
	link_end_resolver(&s->link);
	s->link.fresh = false;
}

static void
rpki_link_resolved(struct watch *wa, uint32_t events)
{
	struct rpki_proto *s = container_of(wa, struct rpki_proto, link.answer);
	struct rpki_link *l = &s->link;
	ssize_t n = sock_recv(l->resolver, &l->names, sizeof(l->names));
	char what[80];

	(void)events;
	if (!n)
		return;
	link_end_resolver(l);
	if (l->state != LINK_RESOLVING) {
		/* It took longer than the try. The next one has the addresses, or asks
		 * again. */
		l->fresh = n == (ssize_t)sizeof(l->names) && l->names.cnt;
		return;
	}
	snprintf(what, sizeof(what), "Can't resolve '%.50s'", rpki_conf(s)->host);
	if (n != (ssize_t)sizeof(l->names))
		rpki_link_fail(s, what, "no answer");
	else if (!l->names.cnt)
		rpki_link_fail(s, what, l->names.error);
	else
		rpki_link_dial(s);
}

/* ---- life ---- */

void
link_open(struct rpki_proto *s)
{
	struct rpki_link *l = &s->link;
	const struct rpki_conf *rc = rpki_conf(s);
	char *host;

	ASSERT(l->state == LINK_CLOSED);
	l->life++;
	l->name = 0;
	if (!rc->host) {
		l->names = (struct link_names){ .cnt = 1, .addr = { rc->ip } };
		rpki_link_dial(s);
		return;
	}
	if (l->fresh) {
		l->fresh = false;
		rpki_link_dial(s);
		return;
	}
	l->state = LINK_RESOLVING;
	if (os_fd_is_open(l->resolver))
		return;
	host = mem_strdup(MEM_PROTO, rc->host);
	l->resolver = side_start(s->p.name, rpki_link_resolve, host);
	if (!os_fd_is_open(l->resolver)) {
		mem_free(MEM_PROTO, host);
		rpki_link_fail(
		    s, "Can't resolve a name", strerror(-os_fd_error(l->resolver)));
	} else {
		watch_add(&l->answer, &s->p.worker, l->resolver, WATCH_READ,
		    rpki_link_resolved);
	}
}

void
link_close(struct rpki_proto *s)
{
	struct rpki_link *l = &s->link;
	uint8_t rest[4096];

	if (l->state == LINK_CLOSED)
		return;
	/* What was sent last may be a report: unread octets would have the kernel drop
	 * it. */
	for (unsigned i = 0; i < 64 && l->state == LINK_UP; i++)
		if (sock_tcp_read(&l->sock, rest, sizeof(rest)) <= 0)
			break;
	sock_tcp_close(&l->sock);
	timer_cancel(&l->soon);
	mem_free(MEM_PROTO, l->part);
	l->part = NULL;
	l->part_len = l->out_len = 0;
	l->failed[0] = '\0';
	l->state = LINK_CLOSED;
	l->life++;
}

void
link_init(struct rpki_proto *s, const struct rpki_link_ops *ops)
{
	struct rpki_link *l = &s->link;

	l->ops = ops;
	sock_tcp_init(&l->sock, &s->p.worker, &sock_ops);
	timer_init(&l->soon, &s->p.worker, rpki_link_soon);
	l->resolver = l->answer.fd = OS_FD_NONE;
	l->state = LINK_CLOSED;
	l->reads = true;
}
