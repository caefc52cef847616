/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of `show health`: a problem has begun or has ended.
 *
 * I1  The control worker looks at intervals, and only while a client is subscribed. After
 *     a time without subscribers the first look finds all problems of that moment.
 * I2  A problem is known by its kind, protocol, channel and table. A problem whose text
 *     alone changes (a count, a duration) makes no event.
 * I3  At most HEALTH_MAX problems are known; further problems make no event.
 * I4  Events go to all clients: of a failed `configure` only the place is reported.
 *
 * Loop: the control worker's. Tested by test/net/test_subscribe.py. */
#include "nest/daemon/control_priv.h"

#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/json/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "nest/cli/show/health.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <limits.h>
#include <stdio.h>

#define HEALTH_LOOK_NS (2 * NS_PER_S)
#define HEALTH_MAX     1000

/* Owner: struct control_health. Lives: until a look misses the problem. */
struct health_known {
	struct htab_node by_key;
	struct list link;
	char *key; /* MEM_OTHER: kind, protocol, channel, table; separated by \n */
	bool seen; /* by the present look */
};

/* A look. On the stack. */
struct health_look {
	struct health h; /* first */
	struct control *c;
};

static struct health_known *
health_known_find(const struct control_health *ch, const char *key)
{
	struct htab_node *n;

	htab_each_same (n, &ch->by_key, hash_bytes(0, key, strlen(key))) {
		struct health_known *k = container_of(n, struct health_known, by_key);

		if (!strcmp(k->key, key))
			return k;
	}
	return NULL;
}

static void
health_known_drop(struct control_health *ch, TAKE struct health_known *k)
{
	htab_del(&ch->by_key, &k->by_key);
	list_del(&k->link);
	ch->cnt--;
	mem_free(MEM_OTHER, k->key);
	mem_free(MEM_OTHER, k);
}

/* control_health_post - @text NULL: the problem has ended. */
static void
control_health_post(struct control *c, const char *key, const char *text)
{
	static const char *const name[] = { "problem", "protocol", "channel", "table" };
	struct event *e = event_new(c->tern, text ? EVENT_PROBLEM : EVENT_PROBLEM_ENDED);
	const char *end;

	if (!e)
		return;
	event_text(e, "%s", text ? text : "");
	for (unsigned i = 0; i < ARRAY_LEN(name); i++, key = end + 1) {
		end = strchr(key, '\n');
		if (end == key)
			continue;
		json_text(&e->open.json, name[i], key, (size_t)(end - key));
		if (!text)
			strbuf_addf(&e->open.text, "%s%.*s", e->open.text.len ? " " : "",
			    (int)(end - key), key);
	}
	json_str(&e->open.json, "text", text);
	event_post(e);
}

static void
control_health_found(struct health *h, const struct health_about *a, const char *text)
{
	struct control *c = container_of(h, struct health_look, h)->c;
	struct control_health *ch = &c->health;
	struct health_known *k;
	struct strbuf key;

	strbuf_init(&key);
	strbuf_addf(&key, "%s\n%s\n%s\n%s\n", a->kind, a->proto ? a->proto : "",
	    a->channel ? a->channel : "", a->table ? a->table : "");
	k = health_known_find(ch, key.s);
	if (!k && ch->cnt < HEALTH_MAX) {
		k = mem_zalloc(MEM_OTHER, sizeof(*k));
		k->key = mem_strdup(MEM_OTHER, key.s);
		htab_add(&ch->by_key, &k->by_key, hash_bytes(0, k->key, strlen(k->key)));
		list_add_tail(&ch->known, &k->link);
		ch->cnt++;
		control_health_post(c, key.s, text);
	}
	if (k)
		k->seen = true;
	strbuf_fini(&key);
}

static void
control_health_look(struct timer *t)
{
	struct control *c = container_of(t, struct control, health.timer);
	const struct tern_view *v = tern_view_get(c->tern);
	struct health_look l = { .h = { .tern = c->tern,
				     .conf_bad_len = v->conf_bad_place_len
							 ? v->conf_bad_place_len
							 : INT_MAX,
				     .found = control_health_found },
		.c = c };
	struct list *n, *tmp;

	if (!event_ring_watched(c->tern->events))
		return;
	health_find(&l.h, v);
	list_for_each_safe (n, tmp, &c->health.known) {
		struct health_known *k = container_of(n, struct health_known, link);

		if (!k->seen) {
			control_health_post(c, k->key, NULL);
			health_known_drop(&c->health, k);
			continue;
		}
		k->seen = false;
	}
	timer_set(t, loop_now_ns(&c->worker) + HEALTH_LOOK_NS);
}

void
control_health_init(struct control *c)
{
	timer_init(&c->health.timer, &c->worker, control_health_look);
	htab_init(&c->health.by_key, MEM_OTHER);
	list_init(&c->health.known);
}

void
control_health_run(struct control *c)
{
	if (!timer_active(&c->health.timer) && !c->end.shut &&
	    event_ring_watched(c->tern->events))
		timer_set(&c->health.timer, loop_now_ns(&c->worker) + HEALTH_LOOK_NS);
}

void
control_health_fini(struct control *c)
{
	timer_cancel(&c->health.timer);
	while (!list_empty(&c->health.known))
		health_known_drop(&c->health,
		    container_of(c->health.known.next, struct health_known, link));
	htab_fini(&c->health.by_key);
}
