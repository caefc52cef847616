/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of server-sent events share this file: a place among the streams, comments for
 * a silent stream, and the notice that the client has left. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_API_STREAM_H
#define TERN_CLIENT_HTTP_API_STREAM_H

#include "client/http/job/job.h"
#include "lib/base/list.h"

#define STREAMS_MAX    200
#define STREAM_BEAT_MS 10000

/* A stream. Owner: the job, first in the job's state. Life: from stream_begin to
 * stream_end. Part of the state: nothing to free. */
struct stream {
	struct list node; /* in web->streams */
	struct job *job;
	uint64_t sent_ms; /* when something was sent */
	/* tick - called about twice a second. NULL: no call. */
	void (*tick)(struct stream *s);
};

/* stream_begin - Returns: false: too many streams; the answer is a problem. */
bool stream_begin(struct stream *s, struct job *j);
/* stream_end - harmless if the stream has not begun. */
void stream_end(struct stream *s);
/* stream_put - a message of the kind @kind with the object @line of the server @i. */
void stream_put(struct stream *s, unsigned i, const char *kind, const char *line);
/* stream_news - wake the streams: a daemon has sent an event. Of struct tail. */
void stream_news(struct tail *t);
/* stream_tick_all - ask daemons again where needed, and send comments to silent
 * streams. stream_end_all - let all streams end. */
void stream_tick_all(struct web *w);
void stream_end_all(struct web *w);
/* stream_of_list - the stream at @n of web->streams. */
struct stream *stream_of_list(struct list *n);

#endif
