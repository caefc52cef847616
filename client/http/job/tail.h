/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of one daemon: one subscription, whose last events all streams of HTTP
 * share. Loop: the only thread of ternhttp.
 *
 * G1  The subscription begins with the first stream and then lasts, over restarts of the
 *     daemon, until the program ends. A lost connection is tried again every
 *     TAIL_AGAIN_MS, and continues behind the last event.
 * G2  At most TAIL_CNT entries of TAIL_OCTETS octets are kept, the youngest ones. Entries
 *     have numbers that rise by 1.
 * G3  An entry is an event or a gap of the daemon, or `away`: the daemon does not answer,
 *     or `back`: the daemon answers again. */
#ifndef TERN_CLIENT_HTTP_JOB_TAIL_H
#define TERN_CLIENT_HTTP_JOB_TAIL_H

#include "client/http/job/ask.h"
#include "client/http/job/feed.h"

#define TAIL_CNT      1024 /* a power of 2 */
#define TAIL_OCTETS   (512u << 10)
#define TAIL_AGAIN_MS 1000

/* An entry. Owner: struct tail. Life: until younger entries need the place; the tail then
 * frees the line of the entry. */
struct tail_entry {
	char id[ASK_EVENT_MAX + 1]; /* of the daemon; "": none yet */
	char kind[32];
	char *line; /* JSON: one object */
	size_t len;
};

/* Owner: the server. Life: until tail_fini. */
struct tail {
	/* news - an entry was added, or `ready` has become true. */
	void (*news)(struct tail *t);
	void *owner;
	/* the events that the daemon had at the first subscription are there, or the
	 * daemon does not answer */
	bool ready;
	bool unreachable; /* the daemon does not answer */
	uint64_t next; /* number of the next entry */
	uint64_t oldest; /* number of the oldest entry; `next`: none */
	/* private */
	struct feed *feed;
	struct feed_ask question;
	bool begun, asking;
	uint64_t again_ms; /* time of the next attempt */
	char last_id[ASK_EVENT_MAX + 1]; /* of the last event; "": none */
	char until_id[ASK_EVENT_MAX + 1]; /* of the last event at the subscription */
	size_t octets;
	struct tail_entry entry[TAIL_CNT];
};

void tail_init(struct tail *t, struct feed *f, void (*news)(struct tail *t), void *owner);
void tail_fini(struct tail *t);
/* tail_begin - subscribe, if that was not done. Calls: news. */
void tail_begin(struct tail *t);
/* tail_tick - subscribe again after a loss. Calls: news. */
void tail_tick(struct tail *t);
/* tail_get - the entry @nr, from `oldest` to `next` - 1. */
const struct tail_entry *tail_get(const struct tail *t, uint64_t nr);
/* tail_find - the number of the first entry behind the event @id. Returns: 0: no entry
 * has this id. */
uint64_t tail_find(const struct tail *t, const char *id);
/* tail_last_id - the id of the last event before the entry @nr; "": none. */
const char *tail_last_id(const struct tail *t, uint64_t nr);

#endif
