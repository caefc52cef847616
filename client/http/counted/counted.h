/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters of one daemon (doc/counters.md), and the lines of JSON that the
 * page stands for. Loop: the only thread of ternhttp.
 *
 * G1  The subscription begins with the first wish, is tried again after a loss, and ends
 *     COUNTED_IDLE_MS after the last wish: the daemon then writes no page.
 * G2  The content counts as fresh as long as the daemon writes. A daemon that is stopped,
 *     killed or restarted loses its page: a reader asks by commands, and learns the state
 *     of the daemon.
 * G3  The lines have the form of doc/json.md, with the members of lib/wire/counters.h
 *     alone. The content of a page cannot harm the reader. */
#ifndef TERN_CLIENT_HTTP_COUNTED_COUNTED_H
#define TERN_CLIENT_HTTP_COUNTED_COUNTED_H

#include "client/http/job/ask.h"
#include "client/http/job/feed.h"
#include "lib/base/strbuf.h"

#define COUNTED_IDLE_MS  300000
#define COUNTED_AGAIN_MS 1000 /* after a loss */
#define COUNTED_NONE_MS  30000 /* after a daemon without such pages */
#define COUNTED_FRESH_MS 3000 /* beside the period that the page names */

/* Owner: the server. Life: until counted_fini. */
struct counted {
	/* private */
	struct feed *feed;
	struct feed_ask question;
	bool asking;
	int fd; /* of the page, on the way from the question; -1: none */
	const void *memory; /* NULL: no page */
	size_t len;
	uint64_t wanted_ms; /* of the last wish; 0: none */
	uint64_t again_ms; /* the time of the next attempt */
	uint64_t sweep; /* of the page, as last seen */
	uint64_t nr; /* of the content; rises with each sweep seen */
	uint64_t seen_ms; /* when the sweep was first seen */
};

void counted_init(struct counted *c, struct feed *f);
void counted_fini(struct counted *c);
/* counted_want - a reader wants the page. */
void counted_want(struct counted *c);
/* counted_tick - look at the page, begin or end the subscription. */
void counted_tick(struct counted *c);
/* counted_nr - a number that changes with the content of a fresh page; 0: no fresh page.
 * counted_at_ms - when the content was first seen. */
uint64_t counted_nr(struct counted *c);
uint64_t counted_at_ms(const struct counted *c);
/* counted_text - append the lines of the reply to @ask, each with LF. Returns: false: the
 * page lacks the blocks, or changes meanwhile; @out has no more octets. */
MUST_CHECK bool counted_text(const struct counted *c, enum ask ask, struct strbuf *out);

#endif
