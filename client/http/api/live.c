/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of routes. Loop: the only thread of ternhttp.
 *
 *   message of a server   meaning
 *   subscription          forget all routes of the server; the present routes follow
 *   route                 a present, new or changed route
 *   snapshot              the present routes are complete
 *   withdrawn             a route is gone
 *   away                  the daemon does not answer; a subscription follows later
 *
 * I1  Each stream has a question of its own to each of its servers, over the server's
 *     `live` feed, whose connections serve streams of routes alone.
 * I2  A client that does not read stops the question of its stream (feed_ask.line). The
 *     daemon then sends the state of later, without the states between.
 *
 * I3  A line passes line_owner_shows, as the lines of other views.
 *
 * Tested by test/net/test_http_live.py. */
#include "client/http/api/live.h"

#include "client/http/api/api.h"
#include "client/http/api/stream.h"
#include "client/http/job/ask.h"
#include "client/http/job/feed.h"
#include "lib/json/jview.h"
#include "client/http/job/line_owner.h"
#include "client/http/job/share.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"

#include <string.h>

/* The question to one server. Owner: struct live. Life: that of the stream. */
struct live_question {
	struct feed_ask ask;
	struct live *live;
	unsigned server;
	bool wanted, asking;
	bool away; /* the client knows that the daemon is away */
	uint64_t again_ms; /* of the next attempt */
};

/* A stream of routes. Owner: the job, as its state. */
struct live {
	struct stream stream; /* first */
	struct line_owner owner; /* of no session: refused routes are for the exchange */
	struct live_question question[SERVERS_MAX];
};

static struct live_question *
http_live_of_ask(struct feed_ask *a)
{
	return (struct live_question *)((char *)a - offsetof(struct live_question, ask));
}

static enum ask
http_live_asks(const struct job *j)
{
	return j->req.args.has_prefix ? ASK_LIVE_NET : ASK_LIVE_AS;
}

static bool
http_live_line(struct feed_ask *a, const char *text, size_t len)
{
	static const char *const kinds[] = { "subscription", "route", "snapshot",
		"withdrawn" };
	struct live_question *q = http_live_of_ask(a);
	struct jview v = jview_of(text, len), type = jview_get(v, "type");
	struct job *j = q->live->stream.job;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!jview_is(type, kinds[i]) ||
		    !line_owner_shows(
			&q->live->owner, &j->visitor, http_live_asks(j), &j->req.args, v))
			continue;
		q->away = false;
		stream_put(&q->live->stream, q->server, kinds[i], text);
	}
	job_wake(j);
	return job_room(j);
}

static void
http_live_end(struct feed_ask *a, int rc)
{
	struct live_question *q = http_live_of_ask(a);

	(void)rc;
	q->asking = false;
	q->again_ms = feed_now_ms() + LIVE_AGAIN_MS;
	if (!q->away)
		stream_put(&q->live->stream, q->server, "away", "{\"type\":\"away\"}");
	q->away = true;
	job_wake(q->live->stream.job);
}

static void
http_live_ask(struct live_question *q)
{
	struct job *j = q->live->stream.job;

	q->asking = true;
	feed_ask(
	    &j->web->server[q->server].live, &q->ask, http_live_asks(j), &j->req.args);
}

static void
http_live_tick(struct stream *s)
{
	struct live *l = (struct live *)s;

	for (unsigned i = 0; i < SERVERS_MAX; i++)
		if (l->question[i].wanted && !l->question[i].asking &&
		    feed_now_ms() >= l->question[i].again_ms)
			http_live_ask(&l->question[i]);
}

/* http_live_has_place - is there a connection for a further stream? */
static bool
http_live_has_place(const struct job *j)
{
	unsigned all = 0, one = 0;
	struct list *n;

	list_for_each (n, &j->web->streams) {
		const struct stream *s = stream_of_list(n);

		if (s->tick != http_live_tick)
			continue;
		all++;
		one += ip_equal(
		    share_client(s->job->http.client), share_client(j->http.client));
	}
	return all < LIVE_MAX && one < LIVE_ONE;
}

static void
http_live_start(struct job *j)
{
	struct live *l = j->state;
	unsigned wanted = 0;

	for (unsigned i = 0; i < j->web->server_cnt; i++)
		wanted += job_wants(j, i);
	if (!wanted) {
		job_problem(j, 404, "no such server");
		return;
	}
	if (j->req.args.has_prefix && j->req.args.has_as) {
		job_problem(j, 400, "`prefix' and `as' exclude each other");
		return;
	}
	if (!http_live_has_place(j)) {
		job_problem(j, 503, "too many streams of routes");
		return;
	}
	if (!stream_begin(&l->stream, j))
		return;
	l->stream.tick = http_live_tick;
	line_owner_begin(&l->owner, NULL, 0);
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		struct live_question *q = &l->question[i];

		q->live = l;
		q->server = i;
		q->wanted = job_wants(j, i);
		q->ask.line = http_live_line;
		q->ask.end = http_live_end;
		q->ask.lasts = true;
		if (q->wanted)
			http_live_ask(q);
	}
}

static bool
http_live_more(struct job *j)
{
	struct live *l = j->state;

	for (unsigned i = 0; i < SERVERS_MAX; i++)
		if (l->question[i].asking && job_room(j))
			feed_go(&l->question[i].ask);
	return true;
}

static void
http_live_free(struct job *j)
{
	struct live *l = j->state;

	for (unsigned i = 0; i < SERVERS_MAX; i++)
		if (l->question[i].asking)
			feed_cancel(&l->question[i].ask);
	stream_end(&l->stream);
}

static void
http_live_problem(struct job *j, const char *detail)
{
	api_view.problem(j, detail);
}

const struct view live_view = {
	.type = "text/event-stream",
	.state_size = sizeof(struct live),
	.begin = http_live_start,
	.more = http_live_more,
	.problem = http_live_problem,
	.free = http_live_free,
};
