/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of one daemon: the first subscription, losses of the connection, bounds, and
 * positions. The test plays the feed and the clock. */
#include "client/http/job/tail.c"
#include "test/lib/unit.h"

#include <errno.h>

/* The feed. */
static struct {
	struct feed_ask *question; /* NULL: none is under way */
	unsigned asked;
	char since[ASK_EVENT_MAX + 1];
	uint64_t now_ms;
} fake;

void
feed_ask(struct feed *f, struct feed_ask *a, enum ask ask, const struct ask_args *args)
{
	(void)f;
	assert_int_equal(ask, ASK_EVENTS);
	assert_null(fake.question);
	assert_true(a->lasts);
	fake.question = a;
	fake.asked++;
	strcpy(fake.since, args->event);
}

uint64_t
feed_now_ms(void)
{
	return fake.now_ms;
}

static unsigned news_cnt;

static void
http_tail_news(struct tail *t)
{
	assert_non_null(t->owner);
	news_cnt++;
}

/* http_tail_new - a tail that has begun. It is large. */
static struct tail *
http_tail_new(void)
{
	static struct tail t;
	static struct feed feed;

	memset(&fake, 0, sizeof(fake));
	news_cnt = 0;
	tail_init(&t, &feed, http_tail_news, &t);
	assert_int_equal(t.next, 1);
	assert_int_equal(tail_find(&t, "1-1"), 0);
	assert_string_equal(tail_last_id(&t, 1), "");
	tail_begin(&t);
	tail_begin(&t);
	assert_int_equal(fake.asked, 1);
	assert_string_equal(fake.since, "");
	assert_false(t.ready);
	return &t;
}

static void
http_tail_say(const char *line)
{
	assert_true(fake.question->line(fake.question, line, strlen(line)));
}

/* http_tail_event - the daemon sends the event BOOT-@nr with @pad octets of text. */
static void
http_tail_event(unsigned boot, unsigned nr, unsigned pad)
{
	static char line[1 << 16];

	snprintf(line, sizeof(line),
	    "{\"type\":\"event\",\"kind\":\"reload\",\"text\":\"%0*u\",\"id\":\"%u-%u\"}",
	    (int)pad, 0u, boot, nr);
	http_tail_say(line);
}

static void
http_tail_subscribed(const char *id, const char *last)
{
	char line[200];

	snprintf(line, sizeof(line),
	    "{\"type\":\"subscription\",\"id\":\"%s\",\"last_id\":\"%s\"}", id, last);
	http_tail_say(line);
}

/* http_tail_lose - the connection ends. */
static void
http_tail_lose(int rc)
{
	struct feed_ask *a = fake.question;

	fake.question = NULL;
	a->end(a, rc);
}

static void
http_tail_begins(void **state)
{
	struct tail *t = http_tail_new();

	(void)state;
	http_tail_subscribed("7-2", "7-4");
	assert_false(t->ready);
	http_tail_event(7, 3, 1);
	assert_false(t->ready);
	http_tail_event(7, 4, 1);
	assert_true(t->ready);
	assert_int_equal(news_cnt, 3);
	assert_int_equal(t->oldest, 1);
	assert_int_equal(t->next, 3);
	assert_string_equal(tail_get(t, 1)->id, "7-3");
	assert_string_equal(tail_get(t, 2)->kind, "reload");
	/* positions */
	assert_int_equal(tail_find(t, "7-3"), 2);
	assert_int_equal(tail_find(t, "7-4"), 3);
	assert_int_equal(tail_find(t, "7-2"), 0);
	assert_int_equal(tail_find(t, "6-4"), 0);
	assert_string_equal(tail_last_id(t, 3), "7-4");
	assert_string_equal(tail_last_id(t, 2), "7-3");
	assert_string_equal(tail_last_id(t, 1), "");
	tail_fini(t);
}

/* A daemon without an event, and a daemon that does not answer. */
static void
http_tail_empty(void **state)
{
	struct tail *t = http_tail_new();

	(void)state;
	http_tail_subscribed("7-0", "7-0");
	assert_true(t->ready);
	assert_int_equal(t->next, 1);
	assert_string_equal(tail_last_id(t, 1), "7-0");
	tail_fini(t);
	t = http_tail_new();
	http_tail_lose(-ECONNREFUSED);
	assert_true(t->ready);
	assert_int_equal(t->next, 2);
	assert_string_equal(tail_get(t, 1)->kind, "away");
	assert_string_equal(tail_get(t, 1)->id, "");
	tail_fini(t);
}

static void
http_tail_loses(void **state)
{
	static const char *const kinds[] = { "reload", "away", "back", "gap", "reload" };
	static const char *const ids[] = { "7-1", "7-1", "7-1", "9-0", "9-1" };
	struct tail *t = http_tail_new();

	(void)state;
	http_tail_subscribed("7-0", "7-1");
	http_tail_event(7, 1, 1);
	http_tail_lose(-ECONNRESET);
	/* one attempt each TAIL_AGAIN_MS, and one `away` for all */
	tail_tick(t);
	assert_int_equal(fake.asked, 1);
	for (unsigned i = 2; i < 5; i++) {
		fake.now_ms += TAIL_AGAIN_MS;
		tail_tick(t);
		tail_tick(t);
		assert_int_equal(fake.asked, i);
		assert_string_equal(fake.since, "7-1");
		http_tail_lose(-ECONNREFUSED);
	}
	fake.now_ms += TAIL_AGAIN_MS;
	tail_tick(t);
	/* the daemon was restarted */
	http_tail_subscribed("9-0", "9-1");
	http_tail_say("{\"type\":\"gap\",\"reason\":\"restart\",\"id\":\"9-0\"}");
	http_tail_event(9, 1, 1);
	assert_int_equal(t->next, 6);
	for (unsigned i = 0; i < 5; i++) {
		assert_string_equal(tail_get(t, i + 1)->kind, kinds[i]);
		assert_string_equal(tail_get(t, i + 1)->id, ids[i]);
	}
	/* behind the last of the entries that share an id */
	assert_int_equal(tail_find(t, "7-1"), 4);
	/* the next loss is another `away` */
	http_tail_lose(0);
	assert_int_equal(t->next, 7);
	fake.now_ms += TAIL_AGAIN_MS;
	tail_tick(t);
	assert_string_equal(fake.since, "9-1");
	tail_fini(t);
}

static void
http_tail_bounds(void **state)
{
	struct tail *t = http_tail_new();
	size_t octets = 0;

	(void)state;
	http_tail_subscribed("7-0", "7-0");
	for (unsigned i = 1; i <= TAIL_CNT + 5; i++)
		http_tail_event(7, i, 1);
	assert_int_equal(t->oldest, 6);
	assert_int_equal(t->next, TAIL_CNT + 6);
	assert_int_equal(tail_find(t, "7-5"), 0);
	assert_int_equal(tail_find(t, "7-6"), 7);
	/* an entry behind a dropped entry has no known position */
	assert_string_equal(tail_last_id(t, t->oldest), "");
	for (unsigned i = 0; i < 40; i++)
		http_tail_event(8, i, 30000);
	for (uint64_t nr = t->oldest; nr < t->next; nr++) {
		octets += tail_get(t, nr)->len;
		assert_int_equal(strlen(tail_get(t, nr)->line), tail_get(t, nr)->len);
	}
	assert_int_equal(octets, t->octets);
	assert_in_range(octets, TAIL_OCTETS - 30100, TAIL_OCTETS);
	tail_fini(t);
	assert_int_equal(t->octets, 0);
}

/* Lines that a daemon does not send. */
static void
http_tail_nonsense(void **state)
{
	struct tail *t = http_tail_new();

	(void)state;
	http_tail_say("{\"type\":\"event\",\"kind\":\"reload\"}");
	http_tail_say("{\"type\":\"event\",\"id\":\"7-1\"}");
	http_tail_say("{\"type\":\"other\",\"id\":\"7-1\"}");
	http_tail_say("nonsense");
	http_tail_say("");
	assert_int_equal(t->next, 1);
	/* an id that is none: the next subscription asks for all events */
	http_tail_say("{\"type\":\"event\",\"kind\":\"x\",\"id\":\"a' b\"}");
	assert_int_equal(t->next, 2);
	http_tail_lose(-EPROTO);
	fake.now_ms += TAIL_AGAIN_MS;
	tail_tick(t);
	assert_string_equal(fake.since, "");
	tail_fini(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_tail_begins),
		cmocka_unit_test(http_tail_empty),
		cmocka_unit_test(http_tail_loses),
		cmocka_unit_test(http_tail_bounds),
		cmocka_unit_test(http_tail_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
