/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of messages on a socket. The stream splits the octets into whole messages and
 * gives each message to the owner while the owner is ready. While the owner is not ready,
 * the octets wait in the socket and stop the sender.
 *
 * Owner: the worker of the embedding object. Life: from foreign_stream_init until
 * foreign_stream_close. */
#ifndef TERN_NEST_FOREIGN_FOREIGN_STREAM_H
#define TERN_NEST_FOREIGN_FOREIGN_STREAM_H

#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/os_fd.h"

struct foreign_stream;

/* The calls to the owner. Constant: nothing to free. */
struct foreign_stream_ops {
	/* frame - a message begins at @p. @len octets of the stream are available, at
	 * least one. Returns: octets of the message; 0: the length is not known yet;
	 * negative: no message begins at @p. */
	int64_t (*frame)(struct foreign_stream *s, const uint8_t *p, uint32_t len);
	/* ready - may a message be given now? */
	bool (*ready)(struct foreign_stream *s);
	/* take - handle one whole message; FOREIGN_SLACK octets behind the message are
	 * readable. take does not close @s. Returns: 0; negative: the stream stops and
	 * calls ended. */
	int (*take)(struct foreign_stream *s, const uint8_t *p, uint32_t len);
	/* ended - the owner has received every whole message. @err: -EPIPE: the remote
	 * side closed the connection; -EPROTO: no message follows; an error of take;
	 * another negative errno: the connection broke. The owner closes @s, but keeps
	 * the memory until the callback has returned. */
	void (*ended)(struct foreign_stream *s, int err);
};

/* A stream. Owner: the object that embeds the struct. Freed by: foreign_stream_close. */
struct foreign_stream {
	struct sock_tcp sock;
	uint64_t got; /* octets of this connection */
	/* private */
	const struct foreign_stream_ops *ops;
	uint8_t *buf; /* MEM_PROTO */
	uint32_t pos, len, cap; /* octets of buf from pos to len are not handled yet */
	int end; /* why no more octets arrive; 0: more octets may arrive */
};

void foreign_stream_init(
    struct foreign_stream *s, struct worker *w, const struct foreign_stream_ops *ops);
/* foreign_stream_open - @fd is connected and does not block. */
void foreign_stream_open(struct foreign_stream *s, TAKE struct os_fd fd);
static inline bool
foreign_stream_is_open(const struct foreign_stream *s)
{
	return sock_tcp_is_open(&s->sock);
}
/* foreign_stream_go_on - the owner may be ready again. No effect if closed. */
void foreign_stream_go_on(struct foreign_stream *s);
/* foreign_stream_left - octets of a message that is not whole. */
uint32_t foreign_stream_left(const struct foreign_stream *s);
void foreign_stream_close(struct foreign_stream *s);

#endif
