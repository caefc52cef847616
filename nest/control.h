/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to the control plane: from CLI sessions and signals.
 *
 * Two workers of their own: `conf` reads configurations, one at a time (a long parse
 * delays nobody but the next one to configure); `control` owns the list of tables and
 * instances, and commits. A request is one object that travels there and back: the asker
 * makes it, posts it by control_post, and gets it again in its own worker by req->done,
 * with the answer filled in. */
#ifndef TERN_NEST_CONTROL_H
#define TERN_NEST_CONTROL_H

#include "lib/wire/cli_code.h"
#include "nest/tern.h"
#include "sysdep/loop/loop.h"

enum control_kind {
	CTL_ENABLE, /* pattern */
	CTL_DISABLE, /* pattern, message */
	CTL_RESTART, /* pattern, message */
	CTL_RELOAD, /* pattern */
	CTL_RELOAD_IN, /* pattern */
	CTL_RELOAD_OUT, /* pattern */
	CTL_FLUSH_STALE, /* pattern; of BGP only */
	CTL_DEBUG, /* pattern, channel, debug */
	CTL_MRTDUMP, /* pattern, debug */
	CTL_CONFIGURE, /* path (NULL: the running one's), soft, timeout_s (0: none) */
	CTL_CHECK, /* path, soft */
	CTL_CONFIRM,
	CTL_UNDO,
	CTL_CONF_STATUS,
	CTL_LOG_REOPEN,
	CTL_DOWN, /* message */
	CTL_GRACEFUL, /* the same, and peers keep our routes until we are back */
};

/* One line of the answer: 4-digit code and text, without line end. The last one is final.
 */
struct control_line {
	enum cli_code code;
	char *text; /* MEM_OTHER */
};

struct control_req {
	struct msg msg;
	enum control_kind kind;
	/* MEM_OTHER; NULL: none. pattern: a name, a glob with * or ?, or "all" */
	char *pattern, *message, *path;
	char *channel; /* MEM_OTHER; of the one that pattern names; NULL: the instance */
	bool soft;
	/* RELOAD: only of BGP, and peers are asked, also where routes are kept */
	bool refresh;
	/* RELOAD: only these; NULL: all */
	struct net_pick *pick;
	bool hold; /* DISABLE: until ENABLE, whatever is configured meanwhile */
	uint32_t timeout_s;
	uint32_t debug; /* DEBUG: DEBUG_*; MRTDUMP: MRTDUMP_* */
	/* where it goes when it is done; NULL: nobody waits (signals): it is freed */
	struct worker *asker;
	void (*done)(
	    struct worker *asker, TAKE struct msg *m); /* m is the request's msg */
	/* the answer */
	struct control_line *line; /* MEM_OTHER */
	uint32_t line_cnt, line_cap;
	/* private */
	struct tern *tern;
	struct config *conf;
	struct control_wait *wait; /* for instances; NULL: for none */
};

OWNED struct control_req *control_req_new(enum control_kind k);
void control_req_free(TAKE struct control_req *r);
/* control_post - any thread. The asker's worker must live until the answer comes. */
void control_post(struct tern *t, TAKE struct control_req *r);
/* control_answer - add a line. */
void control_answer(struct control_req *r, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
