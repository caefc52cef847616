/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to the control plane: from CLI sessions and signals.
 *
 * Two workers of their own: `conf` reads configurations, one at a time (a long parse
 * delays nobody but the next one to configure); `control` owns the list of tables and
 * instances, and commits. A request is one object that travels there and back: the asker
 * makes it, posts it by control_post, and gets it again in its own worker by req->done,
 * with the answer filled in. */
#ifndef TERN_NEST_CORE_CONTROL_H
#define TERN_NEST_CORE_CONTROL_H

#include "lib/base/check.h"
#include "lib/wire/cli_code.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"

struct config;
struct net_pick;

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
	/* RELOAD: only these, which pick_drop takes back with the request; NULL: all */
	struct net_pick *pick;
	void (*pick_drop)(TAKE struct net_pick *pick);
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
	struct config *conf; /* freed by conf_free with the request */
	void (*conf_free)(TAKE struct config *conf);
	struct control_wait *wait; /* for instances; NULL: for none */
};

/* The worker of an instance is gone. */
struct control_proto_gone {
	struct msg msg;
	struct proto *p;
};

/* What the control plane does for the rooms below it: tern.control_ops. But for the last
 * one, these are handlers of messages to the control worker. */
struct control_ops {
	/* of struct control_req */
	void (*request)(struct worker *control, TAKE struct msg *m);
	/* of struct control_proto_gone (MEM_PROTO) */
	void (*proto_gone)(struct worker *control, TAKE struct msg *m);
	/* life.c: no worker is left but those of last_workers; but the control worker.
	 * MEM_OTHER */
	void (*others_gone)(struct worker *control, TAKE struct msg *m);
	void (*alone)(struct worker *control, TAKE struct msg *m);
	/* no worker is left. In the thread of the last one. */
	void (*all_gone)(struct worker *control);
};

OWNED struct control_req *control_req_new(enum control_kind k);
void control_req_free(TAKE struct control_req *r);
/* control_post - any thread. The asker's worker must live until the answer comes. */
void control_post(struct tern *t, TAKE struct control_req *r);
/* control_answer - add a line. control_answered - @r goes back to the asker. Control
 * plane. */
void control_answer(struct control_req *r, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void control_answered(TAKE struct control_req *r);

#endif
