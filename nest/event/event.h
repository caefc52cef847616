/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events: changes of the daemon for subscribers of the control socket.
 *
 *   any thread      event_new -> members of JSON, text -> event_post (event_ring.h)
 *   control worker  the ring numbers the event and publishes the event
 *   CLI sessions    read the ring
 *
 * An event is one object of JSON and one line of text. A restricted client may get
 * another object and text than other clients (event_split).
 *
 * Loop: any thread makes and posts an event. */
#ifndef TERN_NEST_EVENT_EVENT_H
#define TERN_NEST_EVENT_EVENT_H

#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/rcu.h"
#include "sysdep/loop/loop.h"

struct tern;

/* X(name, word) */
#define EVENT_TABLE(X)                                                                   \
	X(STARTED, "started")                                                            \
	X(CONFIGURED, "configured")                                                      \
	X(CONFIGURE_FAILED, "configure_failed")                                          \
	X(SESSION_UP, "session_up")                                                      \
	X(SESSION_DOWN, "session_down")                                                  \
	X(PROTOCOL_UP, "protocol_up")                                                    \
	X(PROTOCOL_DOWN, "protocol_down")                                                \
	X(RPKI_UP, "rpki_up")                                                            \
	X(RPKI_DOWN, "rpki_down")                                                        \
	X(RPKI_DATA, "rpki_data")                                                        \
	X(LIMIT, "limit")                                                                \
	X(RELOAD, "reload")                                                              \
	X(DRAIN, "drain")                                                                \
	X(OVERRIDE, "override")                                                          \
	X(QUARANTINE, "quarantine")                                                      \
	X(PROBLEM, "problem")                                                            \
	X(PROBLEM_ENDED, "problem_ended")

#define EVENT_ENUM(name, word) EVENT_##name,
enum event_kind { EVENT_TABLE(EVENT_ENUM) EVENT_KINDS };

/* What one kind of client gets. Owner: the event. Life: embedded. */
struct event_face {
	struct json json; /* the open object; closed by the ring */
	struct strbuf object; /* of json */
	struct strbuf text;
};

/* Owner: the worker that allocates the event, the control worker after event_post;
 * immutable from the publication on. Lives: until a grace period after the ring has
 * dropped the event. Freed by: event_free. */
struct event {
	struct msg msg;
	struct rcu_node rcu;
	struct event_face open; /* for clients with all rights */
	struct event_face shut; /* for restricted clients; without an object: `open` */
	/* private */
	struct tern *tern;
	uint64_t nr;
	uint64_t at_ns; /* monotonic */
	enum event_kind kind;
};

/* event_new - begin the event @k. Returns: NULL: @t keeps no events. */
OWNED struct event *event_new(struct tern *t, enum event_kind k);
/* event_text - set the text of the open face. */
void event_text(struct event *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* event_split - the restricted face becomes a copy of the open face so far; later members
 * belong to the face they are written to. */
void event_split(struct event *e);
/* event_clone - a copy of @e with its number. */
OWNED struct event *event_clone(const struct event *e);
/* event_free - an event that was not posted. */
void event_free(TAKE struct event *e);
/* event_word - the word of @k in JSON and texts. */
const char *event_word(enum event_kind k);
/* event_face - what a client gets. @plans: also a restricted client reads the plan of a
 * configuration; the text of an error stays with clients of all rights. */
static inline const struct event_face *
event_face(const struct event *e, bool restricted, bool plans)
{
	if (plans && e->kind == EVENT_CONFIGURED)
		restricted = false;
	return restricted && e->shut.object.len ? &e->shut : &e->open;
}

#endif
