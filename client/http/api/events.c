/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers `/v1/events` with a stream of events. Loop: the only thread of ternhttp.
 *
 *   position of a stream   left by
 *   0                      the tail is ready: behind the last event, or behind `since`
 *   number of the tail     each entry that is sent
 *
 * I1  The id of a message names the last event of each server of the stream, so that a
 *     browser that connects again loses no event of any server. A stream of one server
 *     has the daemon's id; other ids are `rs1=BOOT-N,rs2=BOOT-N`.
 *
 * Tested by test/net/test_http_events.py. */
#include "client/http/api/events.h"

#include "client/http/api/api.h"
#include "client/http/api/stream.h"
#include "client/http/job/ask.h"
#include "client/http/job/feed.h"
#include "client/http/job/request.h"
#include "client/http/job/line_owner.h"
#include "client/http/job/tail.h"
#include "client/http/right/visitor.h"
#include "lib/json/jview.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>

/* A stream of events. Owner: the job, as its state. */
struct events {
	struct stream stream; /* first */
	unsigned wanted; /* servers */
	uint64_t pos[SERVERS_MAX];
	char since[SERVERS_MAX][ASK_EVENT_MAX + 1]; /* "": none */
};

/* ---- positions ---- */

static unsigned
events_server(const struct web *w, const char *name, size_t len)
{
	unsigned i = 0;

	while (i < w->server_cnt &&
	       (strlen(w->server[i].name) != len || memcmp(w->server[i].name, name, len)))
		i++;
	return i;
}

/* events_since_one - take one id of @len octets: ID or NAME=ID. */
static bool
events_since_one(struct job *j, const char *text, size_t len)
{
	struct events *s = j->state;
	const char *is = memchr(text, '=', len), *id = is ? is + 1 : text;
	char copy[ASK_EVENT_MAX + 1], to[ASK_EVENT_MAX + 1];
	size_t id_len = len - (size_t)(id - text);
	unsigned i = 0;

	if (id_len > ASK_EVENT_MAX)
		return false;
	memcpy(copy, id, id_len);
	copy[id_len] = 0;
	if (!ask_set_event(to, copy))
		return false;
	if (is)
		i = events_server(j->web, text, (size_t)(is - text));
	else if (s->wanted > 1)
		return false;
	else
		while (!job_wants(j, i))
			i++;
	if (i < j->web->server_cnt) /* else the server is not served any more */
		memcpy(s->since[i], to, sizeof(to));
	return true;
}

static bool
events_since(struct job *j, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ",");

		if (!events_since_one(j, text, len))
			return false;
		text += len;
		text += *text == ',';
	}
	return true;
}

/* ---- messages ---- */

static void
events_put_id(struct job *j)
{
	const struct events *s = j->state;
	const char *before = "id: ";

	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		const struct tail *t = &j->web->server[i].tail;
		const char *id = s->pos[i] ? tail_last_id(t, s->pos[i]) : s->since[i];

		if (!job_wants(j, i) || !*id)
			continue;
		if (s->wanted > 1)
			strbuf_addf(
			    &j->out, "%s%s=%s", before, j->web->server[i].name, id);
		else
			strbuf_addf(&j->out, "%s%s", before, id);
		before = ",";
	}
	if (*before == ',')
		strbuf_addc(&j->out, '\n');
}

/* events_put - a message with the object @line of the server @i. */
static void
events_put(struct job *j, unsigned i, const char *kind, const char *line)
{
	struct events *s = j->state;

	events_put_id(j);
	stream_put(&s->stream, i, kind, line);
}

static void
events_put_gap(struct job *j, unsigned i, const char *reason)
{
	char line[64];

	snprintf(line, sizeof(line), "{\"type\":\"gap\",\"reason\":\"%s\"}", reason);
	events_put(j, i, "gap", line);
}

/* events_place - find the first entry for the server @i, whose tail is ready. */
static void
events_place(struct job *j, unsigned i)
{
	struct events *s = j->state;
	const struct tail *t = &j->web->server[i].tail;
	const char *since = s->since[i], *last = tail_last_id(t, t->next);
	size_t boot = strcspn(since, "-") + 1;

	if (!*since) { /* the event gives the client the position */
		s->pos[i] = t->next;
		events_put(j, i, "subscription", "{\"type\":\"subscription\"}");
		return;
	}
	s->pos[i] = tail_find(t, since);
	if (s->pos[i])
		return;
	if (!strcmp(since, last)) {
		s->pos[i] = t->next;
		return;
	}
	s->pos[i] = t->oldest;
	events_put_gap(j, i, strncmp(since, last, boot) ? "restart" : "lost");
}

/* events_public - plans and errors quote the configuration, as PAGE_API_CONFIGURATIONS;
 * overrides have the words of operators, as PAGE_API_OVERRIDES. A problem is as public as
 * the same problem of /v1/health. */
static bool
events_public(const struct tail_entry *e)
{
	struct jview line = jview_of(e->line, e->len);

	if (!strcmp(e->kind, "problem"))
		return line_owner_problem_public(jview_get(line, "problem"));
	return strncmp(e->kind, "configure", 9) != 0 && strcmp(e->kind, "override") != 0;
}

/* events_more_of - the entries of the server @i, while there is room. */
static void
events_more_of(struct job *j, unsigned i)
{
	struct events *s = j->state;
	const struct tail *t = &j->web->server[i].tail;

	if (!s->pos[i]) {
		if (!t->ready)
			return;
		events_place(j, i);
		/* `away` is the last entry while the daemon does not answer */
		if (t->unreachable && s->pos[i] == t->next)
			events_put(j, i, "away", "{\"type\":\"away\"}");
	}
	if (s->pos[i] < t->oldest) {
		s->pos[i] = t->oldest;
		events_put_gap(j, i, "lost");
	}
	while (s->pos[i] < t->next && job_room(j)) {
		const struct tail_entry *e = tail_get(t, s->pos[i]++);

		if (j->visitor.exchange || events_public(e))
			events_put(j, i, e->kind, e->line);
	}
}

static bool
events_more(struct job *j)
{
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			events_more_of(j, i);
	return true;
}

/* ---- the view ---- */

static void
events_begin(struct job *j)
{
	struct events *s = j->state;
	const char *since = j->http.last_event ? j->http.last_event : j->req.since;

	for (unsigned i = 0; i < j->web->server_cnt; i++)
		s->wanted += job_wants(j, i);
	if (!s->wanted) {
		job_problem(j, 404, "no such server");
		return;
	}
	if (!events_since(j, since)) {
		job_problem(j, 400, "no id of an event of this stream");
		return;
	}
	if (!stream_begin(&s->stream, j))
		return;
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			tail_begin(&j->web->server[i].tail);
}

static void
events_free(struct job *j)
{
	struct events *s = j->state;

	stream_end(&s->stream);
}

static void
events_problem(struct job *j, const char *detail)
{
	api_view.problem(j, detail);
}

const struct view events_view = {
	.type = "text/event-stream",
	.state_size = sizeof(struct events),
	.begin = events_begin,
	.more = events_more,
	.problem = events_problem,
	.free = events_free,
};
