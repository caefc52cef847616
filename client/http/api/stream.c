/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All streams of server-sent events. Loop: the only thread of ternhttp. Tested by
 * test/net/test_http_events.py and test/net/test_http_live.py. */
#include "client/http/api/stream.h"

#include "client/http/job/feed.h"
#include "client/http/job/tail.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"

#include <sys/socket.h>

struct stream *
stream_of_list(struct list *n)
{
	return (struct stream *)((char *)n - offsetof(struct stream, node));
}

bool
stream_begin(struct stream *s, struct job *j)
{
	if (j->web->stream_cnt == STREAMS_MAX) {
		job_problem(j, 503, "too many streams");
		return false;
	}
	s->job = j;
	j->web->stream_cnt++;
	list_add_tail(&j->web->streams, &s->node);
	s->sent_ms = feed_now_ms();
	strbuf_adds(&j->out, "retry: 3000\n\n");
	return true;
}

void
stream_end(struct stream *s)
{
	if (!s->node.next)
		return;
	list_del(&s->node);
	s->job->web->stream_cnt--;
}

void
stream_put(struct stream *s, unsigned i, const char *kind, const char *line)
{
	strbuf_addf(&s->job->out, "event: %s\ndata: {\"server\":\"%s\",%s\n\n", kind,
	    s->job->web->server[i].name, line + 1);
	s->sent_ms = feed_now_ms();
}

void
stream_news(struct tail *t)
{
	const struct web *w = t->owner;
	struct list *n;

	list_for_each (n, &w->streams)
		job_wake(stream_of_list(n)->job);
}

/* stream_gone - has the client of @j closed the connection? libmicrohttpd ignores
 * suspended connections. */
static bool
stream_gone(const struct job *j)
{
	char octet;

	return j->http.suspended &&
	       recv(j->http.fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void
stream_tick_all(struct web *w)
{
	uint64_t now = feed_now_ms();
	struct list *n;

	for (unsigned i = 0; i < w->server_cnt; i++) {
		struct server *server = &w->server[i];

		tail_tick(&server->tail);
		feed_tick(&server->live);
		/* streams of routes may use all connections of `live` */
		if (feed_is_followed(&server->live))
			feed_probe(&server->feed);
		if (feed_is_silent(&server->feed))
			feed_silence(&server->live);
	}
	list_for_each (n, &w->streams) {
		struct stream *s = stream_of_list(n);

		if (stream_gone(s->job)) {
			s->job->failed = true;
			job_wake(s->job);
		}
		if (s->tick)
			s->tick(s);
		if (now - s->sent_ms < STREAM_BEAT_MS ||
		    s->job->out.len > s->job->http.pos)
			continue;
		s->sent_ms = now;
		strbuf_adds(&s->job->out, ":\n\n");
		job_wake(s->job);
	}
}

void
stream_end_all(struct web *w)
{
	struct list *n;

	list_for_each (n, &w->streams) {
		stream_of_list(n)->job->finished = true;
		job_wake(stream_of_list(n)->job);
	}
}
