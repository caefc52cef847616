/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to one daemon, over a few connections to its control socket. Loop: the only
 * thread of ternhttp.
 *
 * G1  A connection sends `restrict` before the first command and waits for the answer.
 *     The daemon then denies each command that changes the state of the daemon.
 * G2  At most FEED_LINES connections exist. Clients share the connections and wait in
 *     turn (client/http/job/share.h).
 * G3  Each question ends with exactly one call of `end`, or with feed_cancel.
 * G4  No call blocks. A daemon that is stopped or killed ends questions with an error,
 *     and the next question connects again.
 * G5  A daemon that let a question wait in vain, and sent nothing else meanwhile, is
 *     silent. Questions to a silent daemon end at once with -ETIMEDOUT. The feed asks the
 *     daemon every FEED_PROBE_MS; the first line of the daemon ends the silence.
 * G6  While a question without an end is under way, the feed asks a daemon that sent
 *     nothing for FEED_QUIET_MS, so that the feed notices the silence of the daemon.
 *     Silence ends questions without an end. */
#ifndef TERN_CLIENT_HTTP_JOB_FEED_H
#define TERN_CLIENT_HTTP_JOB_FEED_H

#include "client/conn.h"
#include "client/http/job/ask.h"
#include "client/http/job/share.h"
#include "client/http/job/watch.h"
#include "lib/net/ip.h"

#define FEED_LINES    8 /* a socket of the daemon serves at least 8 clients */
#define FEED_PROBE_MS 1000
#define FEED_QUIET_MS 5000

/* One question. Owner: the asker. Life: from feed_ask to `end` or feed_cancel. Part of
 * the asker: nothing to free. */
struct feed_ask {
	/* line - one line of JSON of the reply. Returns: false: the asker has no room for
	 * a further line; the feed waits for feed_go. May not end or begin a question. */
	bool (*line)(struct feed_ask *a, const char *text, size_t len);
	/* end - the reply is complete (0), or why the reply ends: a negative errno;
	 * -EBUSY: too many questions wait, or the daemon has too many clients;
	 * -ETIMEDOUT: the daemon is silent. May begin a question. */
	void (*end)(struct feed_ask *a, int rc);
	/* where a descriptor goes that comes with a line: the asker owns the descriptor.
	 * NULL: the feed closes the descriptor */
	int *passed;
	/* the reply has no end: a silent daemon is no error once the reply has begun */
	bool lasts;
	/* of share_client. IP_NONE: a question of ternhttp itself; its `line` always has
	 * room */
	struct ip_addr client;
	bool brief; /* the asker stops a long reply after a few lines */
	/* private */
	struct share_item share;
	struct feed *feed;
	struct feed_line *on; /* NULL: waits */
	bool heard; /* a line of the reply has come */
	char text[ASK_TEXT_MAX];
};

/* One connection. Owner: struct feed. Life: that of the feed; connected on demand. Part
 * of struct feed; feed_fini closes the connection. */
struct feed_line {
	struct watch watch; /* first: the epoll set points here */
	struct feed *feed;
	/* private */
	struct conn conn;
	int state;
	bool paused;
	uint64_t heard_ms; /* when the daemon sent something, or the question began */
	struct feed_ask *ask;
};

/* Owner: the loop of ternhttp. Life: as long as the program. Freed by: feed_fini, but for
 * the struct. */
struct feed {
	const char *path; /* of the socket */
	int epoll; /* set of file descriptors; an entry points to a struct watch */
	/* private */
	struct share share;
	struct feed_line line[FEED_LINES];
	struct feed_ask probe; /* of the feed: G5 and G6 */
	bool probing;
	bool silent;
	uint64_t probe_ms; /* time of the next attempt */
	uint64_t heard_ms; /* when the daemon sent something */
};

void feed_init(struct feed *f, const char *path, int epoll);
void feed_fini(struct feed *f);
/* feed_ask - ask the question @ask with the values @args.
 * Calls: `end`, also before the return. */
void feed_ask(
    struct feed *f, struct feed_ask *a, enum ask ask, const struct ask_args *args);
/* feed_cancel - the asker leaves; its connection is closed. */
void feed_cancel(struct feed_ask *a);
/* feed_go - the asker has room again. Calls: `line`, `end`. */
void feed_go(struct feed_ask *a);
/* feed_holds - does @a hold a connection, while the asker has no room and another
 * question waits? */
bool feed_holds(const struct feed_ask *a);
/* feed_is_silent - G5. */
bool feed_is_silent(const struct feed *f);
/* feed_is_followed - is a question without an end under way? */
bool feed_is_followed(const struct feed *f);
/* feed_probe - ask the daemon for a sign of life, if that is due (G6). */
void feed_probe(struct feed *f);
/* feed_silence - end the questions without an end: the daemon is silent.
 * Calls: `end`. */
void feed_silence(struct feed *f);
/* feed_tick - end questions to a silent daemon, and close connections without a
 * question. */
void feed_tick(struct feed *f);
/* feed_now_ms - a clock that never goes back. */
uint64_t feed_now_ms(void);

#endif
