/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies without parameters that requests share. Loop: the only thread of ternhttp.
 *
 * G1  Requests of one second share one reply, and requests that come while a reply
 *     arrives wait for the reply: the daemon answers each such question at most once per
 *     second.
 * G2  The last whole reply stays, so that pages can show a state with its age while the
 *     daemon is away.
 * G3  A wait that is content with counters gets the lines of the daemon's page of
 *     counters, as long as the page is fresh, and asks nothing. */
#ifndef TERN_CLIENT_HTTP_JOB_KEPT_H
#define TERN_CLIENT_HTTP_JOB_KEPT_H

#include "client/http/job/ask.h"
#include "client/http/counted/counted.h"
#include "client/http/job/feed.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"

#define KEPT_FRESH_MS 1000
#define KEPT_MAX      (32u << 20) /* octets of a reply; a longer reply is an error */

/* One whole reply: lines of JSON, each with LF. Immutable. Owner: all holders, counted.
 * Life: until the last kept_unref. */
struct kept {
	struct strbuf text;
	uint64_t at_ms; /* feed_now_ms of the end of the reply */
	/* private */
	unsigned refs;
};

void kept_unref(struct kept *k);

/* Owner: the waiting request. Life: from keeper_get to `ready` or keeper_leave. Part of
 * the request: nothing to free. */
struct kept_wait {
	/* ready - @k is the last whole reply, or NULL; the callee owns a reference. @rc:
	 * 0, or a negative errno: @k is old. */
	void (*ready)(struct kept_wait *w, OWNED struct kept *k, int rc);
	bool paged; /* content with the lines of client/http/counted/counted.h */
	/* private */
	struct list node;
};

/* One question to one daemon. Owner: the server. Life: until keeper_fini. */
struct keeper {
	struct feed *feed;
	struct counted *page; /* of the daemon */
	enum ask ask;
	/* private */
	struct feed_ask question;
	bool asking;
	bool over; /* the reply is too long */
	struct strbuf text; /* of the reply that arrives */
	struct kept *last;
	struct kept *counted; /* of the page; NULL: none yet */
	uint64_t counted_nr; /* of the content of the page */
	struct list waiting;
};

void keeper_init(struct keeper *k, struct feed *f, struct counted *page, enum ask ask);
void keeper_fini(struct keeper *k);
/* keeper_get - ask for the reply. Calls: `ready`, also before the return. */
void keeper_get(struct keeper *k, struct kept_wait *w);
/* keeper_old - as keeper_get, without a question: the daemon gave the error @rc to
 * another question of the request. */
void keeper_old(struct keeper *k, struct kept_wait *w, int rc);
/* keeper_leave - the request ends before `ready`; harmless if @w does not wait. */
void keeper_leave(struct kept_wait *w);

#endif
