/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shadow (`ternshadow --shadow FEED`): the daemon runs with the configuration of a live
 * route server, opens no session, is fed with what that server's members announce, and
 * tells what it would send otherwise than the live server does (doc/adr/0011-shadow.md).
 *
 * Feeds, each of which may be given several times:
 *   mrt:FILE          what the live server writes of its sessions (`mrtdump` messages),
 *                     or a table as its members have announced it; it may still grow
 *   mrt-out:FILE      what members write of theirs: so, what the live server has sent
 *   bmp:[ADDRESS:]PORT  the live server connects, and reports what it gets before policy
 *                     and what it sends after policy
 *
 * Owner: a worker of its own. */
#ifndef TERN_NEST_SHADOW_H
#define TERN_NEST_SHADOW_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/loop/loop.h"

struct cmd;
struct tern;
struct tern_part;
struct wire_set;

#define SHADOW_ROWS_MAX 10000 /* differences that a report has at most */
#define SHADOW_TEXT     64

/* shadow_offer_fn - @fd is what a connection from @remote to @local would be: whoever is
 * configured for that takes it, or it is closed. Any worker. */
typedef void (*shadow_offer_fn)(
    struct tern *t, TAKE int fd, struct ip_addr remote, struct ip_addr local);

/* shadow_new - the part of a daemon that is a shadow; nothing is read yet. @commands: of
 * the part. Main. Returns: NULL: *@bad of @feed is no feed. */
OWNED struct tern_part *shadow_new(struct tern *t, char *const *feed, unsigned cnt,
    shadow_offer_fn offer, const struct cmd *commands, const char **bad);
/* shadow_free - when all workers are gone. */
void shadow_free(TAKE struct tern_part *p);

/* A member of the live server, for `show`. */
struct shadow_peer {
	char name[SHADOW_TEXT]; /* of the instance that is there for it; "": none */
	struct ip_addr addr;
	uint32_t as;
	bool fed; /* by the feed its session is up */
	bool compared; /* what the live server sends to it is told */
	bool paths; /* it takes several paths of a net: not compared */
	bool up; /* our session */
	uint32_t announced, live_cnt, ours_cnt, diffs, waiting;
	char why[SHADOW_TEXT]; /* how our session has ended; "": it hasn't */
};

/* What only one would send to a member; live or ours may be NULL. */
struct shadow_row {
	uint32_t peer; /* index */
	struct prefix net;
	struct wire_set *live, *ours; /* references */
	bool input; /* no fed route explains what the live server sends */
};

/* A question, and its answer. */
struct shadow_ask {
	struct msg msg;
	struct worker *asker; /* lives until the answer has come */
	void (*done)(struct worker *w, TAKE struct msg *m);
	char *name; /* of an instance; NULL: all. MEM_OTHER */
	bool all; /* also what differs since a moment only */
	/* the answer */
	struct shadow_peer *peer; /* MEM_OTHER */
	struct shadow_row *row; /* MEM_OTHER */
	uint32_t peer_cnt, peer_cap, row_cnt, row_cap;
	uint32_t more; /* rows that were left out */
};

/* shadow_ask_post - ask the shadow that is the part of @t. */
void shadow_ask_post(struct tern *t, struct shadow_ask *a);
void shadow_ask_free(struct tern *t, TAKE struct shadow_ask *a);

#endif
