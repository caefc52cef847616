/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to the control plane, from CLI sessions and signals.
 *
 * Two workers serve requests. `conf` reads configurations, a file at a time; a long parse
 * delays only the next `configure`. `control` owns the list of tables and instances, and
 * commits. The asker makes a request and posts the request with control_post; req->done
 * gives the request back to the asker's worker, with the answer filled in.
 *
 * Loop: any thread posts a request; the worker that owns the request calls all further
 * functions. */
#ifndef TERN_NEST_CORE_CONTROL_H
#define TERN_NEST_CORE_CONTROL_H

#include "lib/base/check.h"
#include "lib/wire/cli_code.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"

struct config;
struct net_pick;
struct override;
struct preview;

enum control_kind {
	CTL_ENABLE, /* pattern */
	CTL_DISABLE, /* pattern, message */
	CTL_RESTART, /* pattern, message */
	CTL_RELOAD, /* pattern */
	CTL_RELOAD_IN, /* pattern */
	CTL_RELOAD_OUT, /* pattern */
	CTL_FLUSH_STALE, /* pattern; of BGP only */
	CTL_DRAIN, /* pattern, message, timeout_s; of BGP only */
	CTL_UNDRAIN, /* pattern; of BGP only */
	CTL_RELEASE, /* pattern; of BGP only: the quarantine ends */
	CTL_OVERRIDE_ADD, /* override, without id and times; timeout_s */
	CTL_OVERRIDE_REMOVE, /* override: its id */
	CTL_OVERRIDE_EXTEND, /* override: its id; timeout_s from now on */
	CTL_DEBUG, /* pattern, channel, debug */
	CTL_MRTDUMP, /* pattern, debug */
	/* path (NULL: the running path), soft, force, timeout_s (0: none) */
	CTL_CONFIGURE,
	CTL_CHECK, /* path, soft */
	CTL_PREVIEW, /* path; the answer has a preview, unless it is an error */
	CTL_RELEASE_PREVIEW, /* pattern (NULL: all); the answer has a preview */
	CTL_CONFIRM,
	CTL_UNDO,
	CTL_CONF_STATUS,
	CTL_LOG_REOPEN,
	CTL_DOWN, /* message */
	CTL_GRACEFUL, /* message; peers keep our routes until the daemon is back */
	CTL_GRACEFUL_CHECK, /* who would not keep our routes */
};

/* A line of the answer: 4-digit code and text, without line end. The last line is
 * final. Owner: the request. Freed by: control_req_free. */
struct control_line {
	enum cli_code code;
	char *text; /* MEM_OTHER */
};

/* The client of a command. Owner: the request. Life: embedded in struct control_req. */
struct control_client {
	char *who; /* for the audit trail; NULL: a signal. MEM_OTHER */
	uint32_t uid; /* UINT32_MAX: unknown */
	/* CONFIGURE, CHECK: the client's session is restricted. A plan of a file that the
	 * client has written would show whether a guessed password is right */
	bool restricted;
};

/* The answer to a request. By the control worker. Owner: the request. Life: embedded in
 * struct control_req. */
struct control_answer {
	struct control_line *line; /* MEM_OTHER */
	uint32_t cnt, cap;
	unsigned place_len; /* octets of the last line that are the error's place */
	/* a file of the configuration is not open to the client, or the client is
	 * restricted and has named the file: the answer has no words of the files, and no
	 * plan. By the reader */
	bool withheld;
};

/* Owner: the asker, the control worker after control_post, the asker again after done.
 * Lives: until control_req_free, which frees the lines and texts, too. */
struct control_req {
	struct msg msg;
	enum control_kind kind;
	/* MEM_OTHER; NULL: none. pattern: a name, a glob with * or ?, or "all" */
	char *pattern, *message, *path;
	char *channel; /* MEM_OTHER; channel of pattern's instance; NULL: all */
	bool soft;
	bool force; /* CONFIGURE: commit what a guard refuses */
	/* RELOAD: ask the peers of BGP instances, even if the channel keeps routes */
	bool refresh;
	/* RELOAD: only these networks; the asker's reference, who drops the reference
	 * before the request is freed; NULL: all */
	struct net_pick *pick;
	struct override *override; /* MEM_CONFIG; NULL: none */
	struct preview *preview; /* PREVIEW: for the asker, who takes it; NULL: none */
	bool hold; /* DISABLE: until ENABLE, through all configurations */
	uint32_t timeout_s;
	/* CONFIGURE, CHECK: path is not the path of the command line. By
	 * control_name_conf */
	bool named;
	uint32_t debug; /* DEBUG: DEBUG_*; MRTDUMP: MRTDUMP_* */
	struct control_client client;
	/* the worker that gets the answered request; NULL: no worker waits (signals), and
	 * the control worker frees the request */
	struct worker *asker;
	void (*done)(
	    struct worker *asker, TAKE struct msg *m); /* m is the request's msg */
	struct control_answer answer;
	/* private */
	struct tern *tern;
	struct config *conf; /* until the answer; the control plane commits or frees it */
	struct control_wait *wait; /* for instances; NULL: waits for no instance */
	/* handler after the preview for guards on results */
	void (*then)(struct worker *control, TAKE struct msg *m);
};

/* The worker of an instance is gone. Owner: the control worker. Freed by: the handler of
 * the message. */
struct control_proto_gone {
	struct msg msg;
	struct proto *p;
};

/* Calls of the control plane by the folders below: tern.control.ops. All calls except
 * control_all_gone are handlers of messages to the control worker. Constant: lives as
 * long as the process. */
struct control_ops {
	/* of struct control_req */
	void (*request)(struct worker *control, TAKE struct msg *m);
	/* of struct control_proto_gone (MEM_PROTO) */
	void (*proto_gone)(struct worker *control, TAKE struct msg *m);
	/* life.c: no worker but the last workers is left; only the control worker is
	 * left. MEM_OTHER */
	void (*others_gone)(struct worker *control, TAKE struct msg *m);
	void (*alone)(struct worker *control, TAKE struct msg *m);
	/* no worker is left; in the thread of the last worker */
	void (*all_gone)(struct worker *control);
};

OWNED struct control_req *control_req_new(enum control_kind k);
void control_req_free(TAKE struct control_req *r);
/* control_req_user - the user who sent @r, without process and socket, in @text of @len
 * octets. Returns: @text. */
const char *control_req_user(char *text, size_t len, const struct control_req *r);
/* control_post - any thread. The asker's worker must live until the answer comes. */
void control_post(struct tern *t, TAKE struct control_req *r);
/* control_answer - add a line. control_answered - @r goes back to the asker. Control
 * plane. */
void control_answer(struct control_req *r, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void control_answered(TAKE struct control_req *r);
/* control_answer_cut - keep the first @cnt lines of the answer. Control plane. */
void control_answer_cut(struct control_req *r, uint32_t cnt);

#endif
