/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps replies of daemons to commands without parameters, so that many requests share
 * one reply. Tested by test/net/test_http.py. Loop: the only thread of ternhttp. */
#include "client/http/job/kept.h"

#include "client/http/job/ask.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"

#include <errno.h>
#include <string.h>

static struct kept *
kept_ref(struct kept *k)
{
	if (k)
		k->refs++;
	return k;
}

void
kept_unref(struct kept *k)
{
	if (!k || --k->refs)
		return;
	strbuf_fini(&k->text);
	mem_free(MEM_OTHER, k);
}

/* kept_newest - the youngest reply that @w is content with; NULL: none. */
static struct kept *
kept_newest(const struct keeper *k, const struct kept_wait *w)
{
	if (w->paged && k->counted && (!k->last || k->counted->at_ms > k->last->at_ms))
		return kept_ref(k->counted);
	return kept_ref(k->last);
}

/* kept_counted - the lines of the page of counters; NULL: the page is not fresh, or the
 * page lacks the lines. */
static struct kept *
kept_counted(struct keeper *k)
{
	uint64_t nr = counted_nr(k->page);
	struct kept *fresh;

	if (!nr)
		return NULL;
	if (k->counted && k->counted_nr == nr)
		return kept_ref(k->counted);
	fresh = mem_zalloc(MEM_OTHER, sizeof(*fresh));
	fresh->refs = 1;
	fresh->at_ms = counted_at_ms(k->page);
	strbuf_init(&fresh->text);
	if (!counted_text(k->page, k->ask, &fresh->text)) {
		kept_unref(fresh);
		return NULL;
	}
	kept_unref(k->counted);
	k->counted = fresh;
	k->counted_nr = nr;
	return kept_ref(fresh);
}

static struct keeper *
kept_keeper_of(struct feed_ask *a)
{
	return (struct keeper *)((char *)a - offsetof(struct keeper, question));
}

static bool
kept_keeper_line(struct feed_ask *a, const char *text, size_t len)
{
	struct keeper *k = kept_keeper_of(a);

	k->over |= k->text.len + len >= KEPT_MAX;
	if (!k->over) {
		strbuf_add(&k->text, text, len);
		strbuf_addc(&k->text, '\n');
	}
	return true;
}

static void
kept_keeper_end(struct feed_ask *a, int rc)
{
	struct keeper *k = kept_keeper_of(a);
	struct list all;

	k->asking = false;
	if (k->over && !rc)
		rc = -EMSGSIZE;
	if (!rc) {
		struct kept *fresh = mem_zalloc(MEM_OTHER, sizeof(*fresh));

		fresh->text = k->text;
		fresh->at_ms = feed_now_ms();
		fresh->refs = 1;
		strbuf_init(&k->text);
		kept_unref(k->last);
		k->last = fresh;
	}
	strbuf_reset(&k->text);
	/* `ready` may ask again and wait anew */
	list_init(&all);
	list_move_head(&all, &k->waiting);
	while (!list_empty(&all)) {
		struct kept_wait *w = (struct kept_wait *)((char *)all.next -
							   offsetof(
							       struct kept_wait, node));

		list_del(&w->node);
		w->ready(w, rc ? kept_newest(k, w) : kept_ref(k->last), rc);
	}
}

void
keeper_init(struct keeper *k, struct feed *f, struct counted *page, enum ask ask)
{
	memset(k, 0, sizeof(*k));
	k->feed = f;
	k->page = page;
	k->ask = ask;
	k->question.line = kept_keeper_line;
	k->question.end = kept_keeper_end;
	strbuf_init(&k->text);
	list_init(&k->waiting);
}

void
keeper_fini(struct keeper *k)
{
	strbuf_fini(&k->text);
	kept_unref(k->last);
	kept_unref(k->counted);
}

void
keeper_get(struct keeper *k, struct kept_wait *w)
{
	static const struct ask_args none;
	struct kept *page;

	list_init(&w->node);
	if (w->paged) {
		counted_want(k->page);
		page = kept_counted(k);
		if (page) {
			w->ready(w, page, 0);
			return;
		}
	}
	if (k->last && feed_now_ms() - k->last->at_ms < KEPT_FRESH_MS) {
		w->ready(w, kept_ref(k->last), 0);
		return;
	}
	list_add_tail(&k->waiting, &w->node);
	if (k->asking)
		return;
	k->asking = true;
	k->over = false;
	strbuf_reset(&k->text);
	feed_ask(k->feed, &k->question, k->ask, &none);
}

void
keeper_old(struct keeper *k, struct kept_wait *w, int rc)
{
	list_init(&w->node);
	w->ready(w, kept_newest(k, w), rc);
}

void
keeper_leave(struct kept_wait *w)
{
	if (w->node.next)
		list_del(&w->node);
}
