/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocates events, fills in their texts, and copies and frees events. An event that is
 * published is immutable. Any thread. Tested by test/unit/test_event.c. */
#include "nest/event/event.h"

#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"

#include <stdarg.h>

#define EVENT_WORD(name, word) word,
static const char *const event_words[EVENT_KINDS] = { EVENT_TABLE(EVENT_WORD) };

const char *
event_word(enum event_kind k)
{
	return event_words[k];
}

struct event *
event_new(struct tern *t, enum event_kind k)
{
	struct event *e;

	if (!t->events)
		return NULL;
	e = mem_zalloc(MEM_OTHER, sizeof(*e));
	e->tern = t;
	e->kind = k;
	e->at_ns = clock_now_ns();
	strbuf_init(&e->open.object);
	strbuf_init(&e->open.text);
	strbuf_init(&e->shut.object);
	strbuf_init(&e->shut.text);
	json_init(&e->open.json, &e->open.object);
	json_open(&e->open.json, NULL);
	json_str(&e->open.json, "type", "event");
	json_str(&e->open.json, "kind", event_word(k));
	json_seconds(&e->open.json, "at_unix_s", clock_real_ns(e->at_ns));
	return e;
}

void
event_text(struct event *e, const char *fmt, ...)
{
	va_list ap;

	strbuf_reset(&e->open.text);
	va_start(ap, fmt);
	strbuf_vaddf(&e->open.text, fmt, ap);
	va_end(ap);
}

void
event_split(struct event *e)
{
	DCHECK(!e->shut.object.len);
	strbuf_add(&e->shut.object, e->open.object.s, e->open.object.len);
	strbuf_add(&e->shut.text, e->open.text.s, e->open.text.len);
	e->shut.json = e->open.json;
	e->shut.json.out = &e->shut.object;
}

static void
event_copy_face(struct event_face *to, const struct event_face *from)
{
	strbuf_init(&to->object);
	strbuf_init(&to->text);
	strbuf_add(&to->object, from->object.s, from->object.len);
	strbuf_add(&to->text, from->text.s, from->text.len);
}

struct event *
event_clone(const struct event *e)
{
	struct event *c = mem_zalloc(MEM_OTHER, sizeof(*c));

	c->tern = e->tern;
	c->nr = e->nr;
	c->at_ns = e->at_ns;
	c->kind = e->kind;
	event_copy_face(&c->open, &e->open);
	event_copy_face(&c->shut, &e->shut);
	return c;
}

void
event_free(TAKE struct event *e)
{
	strbuf_fini(&e->open.object);
	strbuf_fini(&e->open.text);
	strbuf_fini(&e->shut.object);
	strbuf_fini(&e->shut.text);
	mem_free(MEM_OTHER, e);
}
