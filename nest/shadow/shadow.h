/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shadow (`ternshadow --shadow FEED`): the daemon runs the configuration of a live
 * route server, opens no session, gets the announcements of that server's members from
 * feeds, and reports differences between its own and the live server's announcements
 * (doc/adr/0011-shadow.md).
 *
 * Feeds, each allowed several times:
 *   mrt:FILE          records of the live server about its sessions (`mrtdump` messages),
 *                     or a table as announced by its members; the file may be growing
 *   mrt-out:FILE      records of members about their sessions: the announcements of the
 *                     live server
 *   bmp:[ADDRESS:]PORT  the live server connects, and reports its Adj-RIB-In before
 *                       policy
 *                     and its Adj-RIB-Out after policy
 *
 *   snapshot:FILE     a file of `ternc snapshot`, read once; for `ternd --preview`
 *
 * Owner: the shadow's own worker. Questions (struct shadow_ask) belong to the asker,
 * under way to the shadow; freed by: shadow_ask_free. */
#ifndef TERN_NEST_SHADOW_SHADOW_H
#define TERN_NEST_SHADOW_SHADOW_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/os_fd.h"

struct cmd;
struct tern;
struct tern_part;
struct wire_set;

#define SHADOW_ROWS_MAX 10000 /* limit for the differences of a report */
#define SHADOW_TEXT     64

/* shadow_inject_fn - @fd replaces a connection from @remote to @local: the instance
 * configured for it takes @fd, or @fd is closed. Any worker. */
typedef void (*shadow_inject_fn)(
    struct tern *t, TAKE struct os_fd fd, struct ip_addr remote, struct ip_addr local);

/* shadow_new - the shadow part of a daemon; it reads nothing yet. @commands: of the part.
 * Thread of main. Returns: NULL: *@bad of @feed is no feed. */
OWNED struct tern_part *shadow_new(struct tern *t, char *const *feed, unsigned cnt,
    shadow_inject_fn inject, const struct cmd *commands, const char **bad);
/* shadow_free - called after all workers ended. */
void shadow_free(TAKE struct tern_part *p);

/* A member of the live server, in a report for `show`. */
struct shadow_peer {
	char name[SHADOW_TEXT]; /* of the configured instance; "": none */
	struct ip_addr addr;
	uint32_t as;
	bool fed; /* the feed reports the session as up */
	bool compared; /* the live server's announcements are known */
	bool paths; /* gets several paths of a net: not compared */
	bool up; /* the shadow's session is up */
	uint32_t announced, live_cnt, ours_cnt, diffs, waiting;
	char why[SHADOW_TEXT]; /* why the shadow's session ended; "": it runs */
};

/* A difference in the announcements to a member; live or ours may be NULL. */
struct shadow_row {
	uint32_t peer; /* index */
	struct prefix net;
	struct wire_set *live, *ours; /* references */
	bool input; /* no fed route explains the live server's announcement */
};

/* The snapshot among the feeds, in a report. By value. */
struct shadow_snapshot {
	bool has, ended; /* a feed is a snapshot; nothing is left to read */
	uint64_t records;
	char why[SHADOW_TEXT]; /* the first fault; "": none */
};

/* A question to the shadow, and its answer. */
struct shadow_ask {
	struct msg msg;
	struct worker *asker; /* lives until the answer arrives */
	void (*done)(struct worker *w, TAKE struct msg *m);
	char *name; /* of an instance; NULL: all. MEM_OTHER */
	bool all; /* include differences of the last moments */
	/* the answer */
	struct shadow_peer *peer; /* MEM_OTHER */
	struct shadow_row *row; /* MEM_OTHER */
	uint32_t peer_cnt, peer_cap, row_cnt, row_cap;
	uint32_t more; /* number of rows left out */
	struct shadow_snapshot snapshot;
};

/* shadow_ask_post - ask the shadow part of @t. */
void shadow_ask_post(struct tern *t, struct shadow_ask *a);
void shadow_ask_free(struct tern *t, TAKE struct shadow_ask *a);

#endif
