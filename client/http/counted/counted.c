/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters of one daemon. Loop: the only thread of ternhttp. Tested by
 * test/unit/test_http_counted.c and test/net/test_counters.py. */
#include "client/http/counted/counted.h"

#include "client/http/job/ask.h"
#include "client/http/counted/counted_text.h"
#include "client/http/job/feed.h"
#include "client/http/counted/page_map.h"
#include "lib/mt/count_page.h"

#include <string.h>
#include <unistd.h>

#define COUNTED_TRIES 3 /* a sweep that changes names is short */

static struct counted *
counted_of_question(struct feed_ask *a)
{
	return (struct counted *)((char *)a - offsetof(struct counted, question));
}

static void
counted_drop(struct counted *c)
{
	if (c->memory)
		page_map_free(c->memory, c->len);
	if (c->fd >= 0)
		close(c->fd);
	c->memory = NULL;
	c->fd = -1;
}

/* counted_line - the line with the descriptor; further lines do not exist. */
static bool
counted_line(struct feed_ask *a, const char *text, size_t len)
{
	struct counted *c = counted_of_question(a);
	const void *memory;
	size_t octets;

	(void)text;
	(void)len;
	if (c->fd < 0 || c->memory)
		return true;
	memory = page_map_new(c->fd, &octets);
	close(c->fd);
	c->fd = -1;
	if (!memory)
		return true;
	if (count_page_check(memory, octets) < 0) { /* of another version */
		page_map_free(memory, octets);
		return true;
	}
	c->memory = memory;
	c->len = octets;
	c->sweep = 0;
	return true;
}

static void
counted_end(struct feed_ask *a, int rc)
{
	struct counted *c = counted_of_question(a);

	c->asking = false;
	c->again_ms = feed_now_ms() + (rc ? COUNTED_AGAIN_MS : COUNTED_NONE_MS);
	counted_drop(c);
}

void
counted_init(struct counted *c, struct feed *f)
{
	memset(c, 0, sizeof(*c));
	c->feed = f;
	c->fd = -1;
	c->question.line = counted_line;
	c->question.end = counted_end;
	c->question.lasts = true;
	c->question.passed = &c->fd;
}

void
counted_fini(struct counted *c)
{
	counted_drop(c);
}

static void
counted_ask(struct counted *c)
{
	static const struct ask_args none;

	c->asking = true;
	feed_ask(c->feed, &c->question, ASK_COUNTERS, &none);
}

/* counted_look - note a new sweep. */
static void
counted_look(struct counted *c)
{
	uint64_t sweep;

	if (!c->memory)
		return;
	sweep = count_page_head(c->memory, COUNT_HEAD_SWEEP);
	if (sweep == c->sweep)
		return;
	c->sweep = sweep;
	c->nr++;
	c->seen_ms = feed_now_ms();
}

void
counted_want(struct counted *c)
{
	c->wanted_ms = feed_now_ms();
	if (!c->asking && c->wanted_ms >= c->again_ms)
		counted_ask(c);
}

void
counted_tick(struct counted *c)
{
	uint64_t now = feed_now_ms();

	counted_look(c);
	if (!c->wanted_ms)
		return;
	if (now - c->wanted_ms > COUNTED_IDLE_MS) {
		c->wanted_ms = 0;
		if (c->asking)
			feed_cancel(&c->question);
		c->asking = false;
		counted_drop(c);
	} else if (!c->asking && now >= c->again_ms) {
		counted_ask(c);
	}
}

uint64_t
counted_nr(struct counted *c)
{
	uint64_t period_ms;

	counted_look(c);
	if (!c->memory || !c->sweep || count_page_head(c->memory, COUNT_HEAD_CLOSED))
		return 0;
	period_ms = count_page_head(c->memory, COUNT_HEAD_PERIOD_MS);
	return feed_now_ms() - c->seen_ms <= period_ms + COUNTED_FRESH_MS ? c->nr : 0;
}

uint64_t
counted_at_ms(const struct counted *c)
{
	return c->seen_ms;
}

bool
counted_text(const struct counted *c, enum ask ask, struct strbuf *out)
{
	size_t begin = out->len;

	for (int i = 0; c->memory && i < COUNTED_TRIES; i++) {
		if (counted_text_add(c->memory, c->len, ask, out))
			return true;
		if (out->len > begin)
			strbuf_truncate(out, begin);
	}
	return false;
}
