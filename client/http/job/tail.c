/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of one daemon. Loop: the only thread of ternhttp.
 *
 * I1  last_id is the id of the last event or gap, so that a new subscription continues
 *     there: nothing is shown twice, and a loss is a gap of the daemon.
 *
 * Tested by test/unit/test_http_tail.c and test/net/test_http_events.py. */
#include "client/http/job/tail.h"

#include "client/http/job/ask.h"
#include "client/http/job/feed.h"
#include "lib/json/jview.h"
#include "lib/mem/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tail *
tail_of_question(struct feed_ask *a)
{
	return (struct tail *)((char *)a - offsetof(struct tail, question));
}

static struct tail_entry *
tail_slot(struct tail *t, uint64_t nr)
{
	return &t->entry[nr & (TAIL_CNT - 1)];
}

static void
tail_drop(struct tail *t)
{
	struct tail_entry *e = tail_slot(t, t->oldest++);

	t->octets -= e->len;
	mem_free(MEM_OTHER, e->line);
	e->line = NULL;
}

/* tail_add - append an entry; @id NULL: that of the last event. */
static void
tail_add(struct tail *t, const char *id, const char *kind, const char *line, size_t len)
{
	struct tail_entry *e;

	while (t->oldest < t->next &&
	       (t->next - t->oldest == TAIL_CNT || t->octets + len > TAIL_OCTETS))
		tail_drop(t);
	if (id)
		snprintf(t->last_id, sizeof(t->last_id), "%s", id);
	e = tail_slot(t, t->next++);
	snprintf(e->id, sizeof(e->id), "%s", t->last_id);
	snprintf(e->kind, sizeof(e->kind), "%s", kind);
	e->line = mem_alloc(MEM_OTHER, len + 1);
	memcpy(e->line, line, len);
	e->line[len] = 0;
	e->len = len;
	t->octets += len;
}

/* tail_passes - is the id @id not before the id @until? Both are of one run. */
static bool
tail_passes(const char *id, const char *until)
{
	const char *a = strchr(id, '-'), *b = strchr(until, '-');

	return a && b && strtoull(a + 1, NULL, 10) >= strtoull(b + 1, NULL, 10);
}

static void
tail_look_ready(struct tail *t, const char *id)
{
	t->ready |= !*t->until_id || tail_passes(id, t->until_id);
}

/* tail_subscribed - the first object of the reply. */
static void
tail_subscribed(struct tail *t, const char *id, struct jview v)
{
	static const char back[] = "{\"type\":\"back\"}";

	if (!jview_copy(t->until_id, sizeof(t->until_id), jview_get(v, "last_id")))
		*t->until_id = 0;
	if (t->unreachable)
		tail_add(t, NULL, "back", back, strlen(back));
	t->unreachable = false;
	if (!*t->last_id)
		snprintf(t->last_id, sizeof(t->last_id), "%s", id);
	tail_look_ready(t, id);
}

static bool
tail_line(struct feed_ask *a, const char *text, size_t len)
{
	struct tail *t = tail_of_question(a);
	struct jview v = jview_of(text, len), type = jview_get(v, "type");
	char id[ASK_EVENT_MAX + 1], kind[sizeof(t->entry[0].kind)];

	if (!jview_copy(id, sizeof(id), jview_get(v, "id")))
		return true;
	if (jview_is(type, "subscription")) {
		tail_subscribed(t, id, v);
	} else if (jview_is(type, "event") || jview_is(type, "gap")) {
		if (!jview_copy(kind, sizeof(kind),
			jview_is(type, "gap") ? type : jview_get(v, "kind")))
			return true;
		tail_add(t, id, kind, text, len);
		tail_look_ready(t, id);
	}
	t->news(t);
	return true;
}

static void
tail_end(struct feed_ask *a, int rc)
{
	static const char away[] = "{\"type\":\"away\"}";
	struct tail *t = tail_of_question(a);

	(void)rc;
	t->asking = false;
	t->again_ms = feed_now_ms() + TAIL_AGAIN_MS;
	if (!t->unreachable)
		tail_add(t, NULL, "away", away, strlen(away));
	t->unreachable = t->ready = true;
	t->news(t);
}

static void
tail_ask(struct tail *t)
{
	struct ask_args args = { 0 };

	/* an id that is none would be the daemon's fault; then all events follow */
	if (!ask_set_event(args.event, t->last_id))
		*args.event = 0;
	t->asking = true;
	feed_ask(t->feed, &t->question, ASK_EVENTS, &args);
}

void
tail_init(struct tail *t, struct feed *f, void (*news)(struct tail *t), void *owner)
{
	memset(t, 0, sizeof(*t));
	t->feed = f;
	t->news = news;
	t->owner = owner;
	t->next = t->oldest = 1;
	t->question.line = tail_line;
	t->question.end = tail_end;
	t->question.lasts = true;
}

void
tail_fini(struct tail *t)
{
	while (t->oldest < t->next)
		tail_drop(t);
}

void
tail_begin(struct tail *t)
{
	if (t->begun)
		return;
	t->begun = true;
	tail_ask(t);
}

void
tail_tick(struct tail *t)
{
	if (t->begun && !t->asking && feed_now_ms() >= t->again_ms)
		tail_ask(t);
}

const struct tail_entry *
tail_get(const struct tail *t, uint64_t nr)
{
	return &t->entry[nr & (TAIL_CNT - 1)];
}

uint64_t
tail_find(const struct tail *t, const char *id)
{
	uint64_t nr = t->next;

	while (nr > t->oldest && strcmp(tail_get(t, nr - 1)->id, id) != 0)
		nr--;
	return nr > t->oldest ? nr : 0;
}

const char *
tail_last_id(const struct tail *t, uint64_t nr)
{
	if (nr > t->oldest)
		return tail_get(t, nr - 1)->id;
	return nr == t->next ? t->last_id : "";
}
