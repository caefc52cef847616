/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One request of HTTP under way: questions to daemons one after the other, and the
 * answer that a view makes of the lines. Loop: the only thread of ternhttp.
 *
 * G1  Memory: a job holds at most JOB_HIGH octets of an answer and one line beyond,
 *     whatever the length of the answer. A view that gathers all lines first bounds
 *     their number.
 * G2  The status of HTTP is chosen when the whole answer is there, or at JOB_HIGH
 *     octets. Until then a view may replace the answer by a problem.
 * G3  A view gets the lines that the visitor may see (client/http/job/line_owner.h). No
 *     other way leads from a daemon to a view.
 * G4  A request waits for a silent daemon once, whatever the number of its questions.
 * G5  A long answer that fails in the middle is not ended well, so that the client
 *     notices.
 * G6  A client that leaves frees its question at once. A client leaves by closing its
 *     connection, or its own side of the connection.
 * G7  A client whose full answer holds a connection to a daemon, and that takes less than
 *     JOB_PACE octets in the time `stall` while other questions wait, loses its question
 *     and its answer.
 * G8  A question that has no place in the queue of a daemon ends the request with the
 *     status 503: no view takes a busy daemon for a dead daemon.
 * G9  A reply without a line that the visitor may see ends as the reply about an unknown
 *     network: no answer tells whether a filtered route exists. */
#ifndef TERN_CLIENT_HTTP_JOB_JOB_H
#define TERN_CLIENT_HTTP_JOB_JOB_H

#include "client/http/job/ask.h"
#include "client/http/counted/counted.h"
#include "client/http/job/feed.h"
#include "lib/json/jview.h"
#include "client/http/job/kept.h"
#include "client/http/job/line_owner.h"
#include "client/http/job/request.h"
#include "client/http/job/tail.h"
#include "client/http/job/watch.h"
#include "client/http/request_log.h"
#include "client/http/right/rate.h"
#include "client/http/right/rights.h"
#include "client/http/right/visitor.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

#define JOB_HIGH      (48u << 10)
#define JOB_PACE      (16u << 10)
#define JOB_TAG_MAX   32
#define JOB_HAVE_MAX  256
#define JOB_STEPS_MAX 256 /* questions of one request that wait */
#define SERVERS_MAX   8

struct job;
struct squeeze;

/* A daemon. Owner: struct web. Life: that of the program. */
struct server {
	const char *name;
	struct feed feed;
	struct feed live; /* of streams of routes */
	struct counted counted;
	struct keeper keeper[ASK_CNT]; /* those of ask_kept */
	struct tail tail;
};

/* The program. Owner: main. Life: that of the program. */
struct web {
	struct server server[SERVERS_MAX];
	unsigned server_cnt;
	int epoll;
	/* connections of one client address, or behind a proxy requests under way; 0: any
	 * number */
	unsigned per_client;
	unsigned silent_s; /* a connection without traffic ends */
	unsigned stall_s; /* G7 of client/http/job/job.h */
	struct rights rights;
	struct rate rate; /* requests of one client */
	struct request_log log;
	const char *cert, *key; /* of TLS, as PEM; NULL: without TLS */
	unsigned job_cnt;
	struct list wake; /* jobs for job_run */
	struct list streams; /* client/http/api/events.c */
	unsigned stream_cnt;
	struct list all; /* jobs */
};

/* One question of a job. Owner: the job. Life: that of the job. By value: nothing to
 * free. */
struct step {
	uint8_t server;
	uint8_t ask; /* enum ask */
	struct ask_args args;
};

/* What makes an answer of lines. The functions append to job->out. Owner: the program.
 * Life: constant. */
struct view {
	const char *type; /* of the content */
	size_t state_size; /* of job->state, which begins with zeros */
	bool paged; /* the view is content with the daemon's page of counters */
	/* begin - ask the first questions; set job->brief. */
	void (*begin)(struct job *j);
	/* line - a line of the present question, without the summary. */
	void (*line)(struct job *j, struct jview line);
	/* step - the present question has ended: see job->reply. */
	void (*step)(struct job *j);
	/* end - no question is left. */
	void (*end)(struct job *j);
	/* more - an answer without an end, in place of `end`: append what there is.
	 * Returns: true. NULL: the answer has an end. */
	bool (*more)(struct job *j);
	/* problem - write the answer with the status j->status and the text @detail. */
	void (*problem)(struct job *j, const char *detail);
	/* free - of what the state points to; or NULL. */
	void (*free)(struct job *j);
};

/* The end of the present question, and the age of the reply. job.c. Owner: the
 * connection of HTTP. Life: as the job. */
struct job_reply {
	int rc; /* 0, or a negative errno: no whole reply */
	unsigned code; /* of the summary: below 8000 is success */
	char message[200]; /* of the summary */
	uint64_t age_ms; /* of the reply */
	bool stale; /* the lines are of an old reply, since the daemon is away */
	bool stopped; /* job_stop ended the question */
	bool shown, hidden; /* the visitor sees a line; may not see a line */
};

/* The request and the connection of HTTP. loop/serve.c. Owner: the connection of HTTP.
 * Life: as the job. */
struct job_http {
	void *conn; /* the connection of libmicrohttpd */
	int fd; /* its socket, which libmicrohttpd owns */
	struct ip_addr client; /* IP_NONE: not known yet */
	bool seen, suspended;
	char *target;
	char have[JOB_HAVE_MAX]; /* If-None-Match of the request; "": none */
	const char *last_event; /* of the header Last-Event-ID; NULL: absent */
	size_t pos; /* octets of `out` that were sent */
	struct squeeze *squeeze; /* NULL: the answer is not compressed */
	/* For the log, and for Retry-After. */
	char method[8]; /* "": another method */
	uint64_t began_ms; /* of feed_now_ms */
	uint64_t sent; /* octets of the content */
	unsigned retry_s;
	/* The pace of the client: G6 and G7. */
	struct watch watch; /* of `fd`, while `watched` */
	bool watched;
	uint64_t paced; /* octets that the client had taken at `paced_ms` */
	uint64_t paced_ms;
};

/* The questions of a job, in order. Private to job.c, except for the steps. Owner: the
 * connection of HTTP. Life: as the job. */
struct job_questions {
	struct step *step;
	uint32_t step_cnt, step_cap, at;
	bool begun, asking;
	unsigned silent; /* bits of the servers that let a question wait in vain */
	struct feed_ask ask; /* the present question */
	struct kept_wait wait;
	struct kept *kept;
	size_t kept_pos;
};

/* The owners of the sessions of the present server. Private to job.c. Owner: the
 * connection of HTTP. Life: as the job. */
struct job_owners {
	struct line_owner line; /* sessions of the present server, in `kept` */
	struct kept *kept;
	bool known; /* `line` is that of the present question */
	bool asking; /* the wait is about the owners */
};

/* Owner: the connection of HTTP. Life: from the request line to the end of the answer.
 * Freed by: job_free. */
struct job {
	struct web *web;
	struct request req;
	struct visitor visitor;
	const struct view *view;
	void *state;
	int status; /* of HTTP */
	const char *type; /* of the content */
	char tag[JOB_TAG_MAX]; /* ETag of the answer; "": none */
	struct strbuf out; /* from http.pos on not sent yet */
	const struct step *now; /* the present question */
	struct job_reply reply;
	unsigned put; /* where the next question goes; in `begin`: how many there are */
	bool started, finished, failed;
	bool brief; /* the view stops each long reply after a few lines */
	struct list node; /* in web->wake */
	struct list all; /* in web->all */
	struct job_http http;
	struct job_questions questions;
	struct job_owners owners;
};

/* job_new - a job for the request target @target; the caller chooses the view. */
OWNED struct job *job_new(struct web *w, const char *target);
void job_free(TAKE struct job *j);
/* job_run - begin, or make more of the answer as long as there is room and lines have
 * arrived. Calls: the view. */
void job_run(struct job *j);
/* job_wake - let the loop call job_run. */
void job_wake(struct job *j);
/* job_watch - notice when the client leaves, until the answer is whole. */
void job_watch(struct job *j);
/* job_pace - let the client leave that breaks G7 at the time @now_ms. */
void job_pace(struct job *j, uint64_t now_ms);
/* job_room - may the answer grow? */
bool job_room(const struct job *j);
/* job_ready - can the answer begin, or go on? */
bool job_ready(const struct job *j);

/* For views. job_ask - ask a question after the present question and after those that the
 * view has asked meanwhile. Returns: false: too many questions, or the visitor has no
 * right to any line of the reply. */
bool job_ask(struct job *j, unsigned server, enum ask ask, const struct ask_args *args);
/* job_stop - no further line of the present question is wanted. */
void job_stop(struct job *j);
/* job_drop - ask the server of the present question no further question. */
void job_drop(struct job *j);
/* job_wants - does the request want the server @i? */
bool job_wants(const struct job *j, unsigned i);
/* job_last - is the present question the last question to its server? */
bool job_last(const struct job *j);
/* job_problem - replace the answer by a problem, in the form of the page. No effect if
 * the answer has begun. */
void job_problem(struct job *j, int status, const char *detail);
/* job_unchanged - the client has the answer: the status 304. */
void job_unchanged(struct job *j);
/* job_is_refused - has the daemon refused the question? An unknown network is an empty
 * answer; so is a list of a session that is down, or that lacks the channel. */
bool job_is_refused(const struct job *j);
/* job_gone - the status of HTTP for the error @rc of a question. */
int job_gone(int rc);

#endif
