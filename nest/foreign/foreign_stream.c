/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of messages on a socket.
 *
 * I1  Messages reach the owner in their order, each whole.
 * I2  While the owner is not ready, nothing is read from the socket.
 *
 * Loop: the owner's. Tested by test_foreign_stream.c. */
#include "nest/foreign/foreign_stream.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "nest/foreign/foreign_update.h"

#include <errno.h>
#include <string.h>

#define STREAM_READ_MAX 65536u

/* stream_message - octets of the next whole message; 0: the message is not whole yet;
 * negative: no message follows. */
static int64_t
stream_message(struct foreign_stream *s)
{
	uint32_t left = foreign_stream_left(s);
	int64_t len = left ? s->ops->frame(s, s->buf + s->pos, left) : 0;

	return len > left ? 0 : len;
}

void
foreign_stream_go_on(struct foreign_stream *s)
{
	int64_t len = 1;
	int err = 0;

	if (!foreign_stream_is_open(s))
		return;
	while (!err && s->ops->ready(s) && (len = stream_message(s)) > 0) {
		s->pos += (uint32_t)len;
		err = s->ops->take(s, s->buf + s->pos - len, (uint32_t)len);
	}
	if (!err && len < 0)
		err = -EPROTO;
	if (!err && !len)
		err = s->end;
	if (err)
		s->ops->ended(s, err);
	else
		sock_tcp_want(&s->sock, !len, false);
}

static void
stream_readable(struct sock_tcp *sock)
{
	struct foreign_stream *s = container_of(sock, struct foreign_stream, sock);
	ssize_t n;

	if (s->pos) {
		s->len -= s->pos;
		memmove(s->buf, s->buf + s->pos, s->len);
		s->pos = 0;
	}
	s->buf = vec_room(
	    MEM_PROTO, s->buf, &s->cap, s->len + STREAM_READ_MAX + FOREIGN_SLACK, 1);
	n = sock_tcp_read(sock, s->buf + s->len, STREAM_READ_MAX);
	if (n < 0) {
		s->end = (int)n;
	} else {
		s->len += (uint32_t)n;
		s->got += (uint64_t)n;
		memset(s->buf + s->len, 0, FOREIGN_SLACK);
	}
	foreign_stream_go_on(s);
}

static void
stream_failed(struct sock_tcp *sock, int err)
{
	(void)sock, (void)err; /* earlier octets are still to be read */
}

static const struct sock_tcp_ops stream_ops = {
	.readable = stream_readable,
	.failed = stream_failed,
};

void
foreign_stream_init(
    struct foreign_stream *s, struct worker *w, const struct foreign_stream_ops *ops)
{
	*s = (struct foreign_stream){ .ops = ops };
	sock_tcp_init(&s->sock, w, &stream_ops);
}

void
foreign_stream_open(struct foreign_stream *s, struct os_fd fd)
{
	s->got = 0;
	sock_tcp_adopt(&s->sock, fd);
	sock_tcp_want(&s->sock, true, false);
}

uint32_t
foreign_stream_left(const struct foreign_stream *s)
{
	return s->len - s->pos;
}

void
foreign_stream_close(struct foreign_stream *s)
{
	sock_tcp_close(&s->sock);
	mem_free(MEM_PROTO, s->buf);
	s->buf = NULL;
	s->pos = s->len = s->cap = 0;
	s->end = 0;
}
