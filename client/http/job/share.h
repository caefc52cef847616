/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of questions to a daemon: no client holds all connections. Loop: the only
 * thread of ternhttp.
 *
 * G1  All clients together use at most SHARE_CLIENTS connections. Questions with long
 *     replies use at most SHARE_LONG of these connections. The remaining connections
 *     serve the questions of ternhttp itself.
 * G2  A client uses at most SHARE_ONE connections. The client's questions with long
 *     replies use at most SHARE_ONE_LONG of these connections. A client is an address, as
 *     in rate.h.
 * G3  Waiting clients take turns: between two questions of a client each other waiting
 *     client begins a question, as far as G1 and G2 permit.
 * G4  At most SHARE_QUEUE questions of clients wait. A further question displaces the
 *     youngest question of the client with the most waiting questions. */
#ifndef TERN_CLIENT_HTTP_JOB_SHARE_H
#define TERN_CLIENT_HTTP_JOB_SHARE_H

#include "lib/base/list.h"
#include "lib/net/ip.h"

#define SHARE_CLIENTS  5 /* of the connections to a daemon */
#define SHARE_LONG     3
#define SHARE_ONE      3
#define SHARE_ONE_LONG 2
#define SHARE_QUEUE    64

/* The part of a question that this file knows. Owner: the question. Life: as the
 * question. */
struct share_item {
	struct list node; /* of `waiting` or `running` */
	struct ip_addr client; /* IP_NONE: ternhttp itself */
	bool longer; /* the reply may be long */
};

/* Owner: the feed, by value. Life: that of the feed. */
struct share {
	struct list waiting; /* in the order of turns */
	struct list running;
};

void share_init(struct share *s);
/* share_client - the client of the address @a: an IPv6 network has 64 bits. */
struct ip_addr share_client(struct ip_addr a);
/* share_permits - may @i begin beside the running questions? */
bool share_permits(const struct share *s, const struct share_item *i);
/* share_next - the waiting question that begins next. Returns: NULL: none may begin. */
struct share_item *share_next(const struct share *s);
/* share_first - a waiting question; some question waits. */
struct share_item *share_first(const struct share *s);
/* share_wait - @i waits from now on. Returns: NULL, or the question that has no place and
 * waits no longer; also @i itself. */
MUST_CHECK struct share_item *share_wait(struct share *s, struct share_item *i);
/* share_begin - @i runs: further questions of its client wait behind other clients. */
void share_begin(struct share *s, struct share_item *i);
/* share_end - @i neither runs nor waits. */
void share_end(struct share_item *i);

#endif
