/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client of the control socket, for the server and the commands.
 *
 * A command is a function. The function ends its reply at once (cli_end), or leaves a job
 * whose `step` is called until `step` ends the reply, or asks the control plane
 * (cli_ask). A job works while cli_go_on returns true, then returns: no RCU pointer
 * survives the return. Everything runs in the session's loop unless stated. */
#ifndef TERN_NEST_CLI_CLI_SESSION_H
#define TERN_NEST_CLI_CLI_SESSION_H

#include "lib/json/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "nest/cli/cli_audit.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_weight.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/core/reply.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"

struct cli_dump;
struct cli_note;
struct cli_session;

/* Long work of one command. Embedded first in the command's own struct. Owner: the
 * session. Lives from the start of the command until the end of the reply or of the
 * session. Freed by: `free`. */
struct cli_job {
	/* step - work while cli_go_on. Call cli_end when the reply is complete. */
	void (*step)(struct cli_session *s, struct cli_job *j);
	/* free - at the end, or when the client is gone. */
	void (*free)(struct cli_session *s, TAKE struct cli_job *j);
	/* waits - true: no step until the session's worker is woken. NULL: never. */
	bool (*waits)(const struct cli_session *s, const struct cli_job *j);
};

/* The server of a session. Owner: the server's worker; outlives its sessions; freed with
 * the server. */
struct cli_host {
	struct worker *worker;
	const char *path; /* of the socket; constant */
	/* the socket of the command line, with all rights; the configuration gives the
	 * rights of any other socket. Constant */
	bool is_main;
	struct cli_weights weights;
	/* ended - @s has ended; post cli_session_stop to @s. In @worker. */
	void (*ended)(struct cli_host *h, struct cli_session *s);
};

/* Form of times. cmd_misc.c. Owner: the session's worker. Life: as the session. Part of
 * struct cli_session, freed with the session. */
struct cli_times {
	bool chosen; /* the session used `timeformat` */
	struct time_format format; /* with texts in `text` */
	char text[2][64];
};

/* A job that looks at the objects and at the end of another job's reply before the
 * client. Owner: the looking job. Life: as the job. Part of the job. */
struct cli_tap {
	/* object - a complete object of @len octets at @text. Returns: false: the client
	 * does not get the object. */
	bool (*object)(struct cli_tap *t, const char *text, size_t len);
	/* end - the reply would end with @code and @text. */
	void (*end)(struct cli_tap *t, unsigned code, const char *text);
};

/* Objects of a reply in JSON. cli_session.c. Owner: the session's worker. Life: as the
 * session. Part of struct cli_session, freed with the session. */
struct cli_objects {
	struct json json; /* the object under construction */
	size_t at; /* its beginning in `out` */
	unsigned code; /* code of `writer` at its beginning */
	uint32_t cnt; /* objects of the present reply */
	struct cli_tap *tap; /* NULL: none */
};

/* Octets from the client. cli_serve.c. Owner: the session's worker. Life: as the session.
 * Part of struct cli_session, freed with the session. */
struct cli_input {
	char *at; /* room for more than one command */
	size_t len;
	bool eof;
	bool overlong; /* skip the rest of a line that is too long */
};

/* The end of a session. cli_serve.c. Owner: the session's worker. Life: as the session.
 * Part of struct cli_session, freed with the session. */
struct cli_ending {
	bool dead, begun;
	/* time of the request to end: end then, unless the client reads */
	uint64_t last_ns;
	struct timer closing; /* interval of looks whether to end */
	struct msg bye, stop, close;
};

/* Lines of the log, for the command `echo`. cli_echo.c. Owner: the session's worker.
 * Life: as the session. Part of struct cli_session, freed with the session. */
struct cli_echo {
	struct log_tap *tap; /* NULL: off */
	uint32_t classes; /* classes of echoed lines */
	struct timer timer; /* interval of looks at the tap */
};

/* The present object or row of a reply. Owner: the session. Life: embedded in the
 * session. Freed by: cli_serve_gone. */
struct cli_text {
	struct reply reply;
	struct strbuf part[REPLY_PARTS]; /* of the lines */
};

/* What the socket has accepted of cli_session.out. Owner: the session. Life: embedded in
 * the session. */
struct cli_sent {
	size_t pos;
	/* the next octets take this descriptor along; OS_FD_NONE: none */
	struct os_fd pass_fd;
};

/* Owner: its worker. Lives until a grace period after its stop. Freed by:
 * cli_serve_gone. */
struct cli_session {
	struct worker worker;
	struct tern *tern; /* constant */
	struct list link; /* in the host's list */
	bool restricted; /* by the session's own command */
	/* in force at the start of the command; NULL between commands and after
	 * cli_drop_conf */
	struct config_ref *conf;
	struct cli_times time;
	bool json; /* the present reply consists of objects, see cli_reply */
	/* private: cli_session.c, cli_serve.c */
	struct cli_host *host;
	struct watch watch;
	struct cli_job *job;
	bool asking; /* waits for another worker's answer */
	bool ended_reply; /* the present command has ended its reply */
	uint64_t deadline_ns;
	struct cli_weight weight;
	struct cli_audit audit; /* of the present command */
	struct cli_writer writer;
	struct cli_objects object;
	struct cli_input in;
	struct cli_text text;
	struct strbuf out;
	struct cli_sent sent; /* of `out` */
	struct cli_echo echo;
	struct cli_note *note; /* unasked line to send; NULL: none */
	struct cli_dump *dump; /* receiver of lines; NULL: the client */
	struct cli_ending end;
};

/* ---- for commands ---- */

/* octets waiting for the client's socket at which its command pauses */
#define CLI_OUT_PAUSE (128 * 1024)
/* Duration of a job's step. */
#define CLI_STEP_NS NS_PER_MS

/* cli_out_len - octets of the reply that the socket has not accepted. */
static inline size_t
cli_out_len(const struct cli_session *s)
{
	return s->out.len - s->sent.pos;
}

/* cli_is_restricted - true: the session is read-only under the configuration in force at
 * the start of the command; after cli_drop_conf under the present configuration. */
bool cli_is_restricted(const struct cli_session *s);
/* cli_reads_plans - may the session read the lines of the plan of a configuration? The
 * socket of a restricted session may permit (`plans`). */
bool cli_reads_plans(const struct cli_session *s);
/* cli_say - a line of the reply; more lines follow. A reply of objects has no such line.
 * cli_end - the last line; in a reply of objects the last object, a summary. */
void cli_say(struct cli_session *s, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void cli_end(struct cli_session *s, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* cli_put_line - cli_say of a text without a format. */
void cli_put_line(struct cli_session *s, enum cli_code code, const char *text);
/* cli_put_lines - send each line of @b; changes @b. */
void cli_put_lines(struct cli_session *s, enum cli_code code, struct strbuf *b);
/* cli_reply - begin an object of type @type, or its lines of text. The struct lives until
 * cli_reply_end, which sends the lines with @code. cli_reply_lines - send the lines so
 * far with @code. */
struct reply *cli_reply(struct cli_session *s, const char *type);
void cli_reply_lines(struct cli_session *s, enum cli_code code);
void cli_reply_end(struct cli_session *s, enum cli_code code);
/* cli_reply_drop - send nothing of the object. cli_reply_fini - free the room of the
 * lines; also makes a session of zeros ready. */
void cli_reply_drop(struct cli_session *s);
void cli_reply_fini(struct cli_session *s);
/* cli_object_text - in place of a line: a complete object of @len octets. */
void cli_object_text(struct cli_session *s, const char *text, size_t len);
/* cli_syntax - end the reply by CLI_BAD_COMMAND about the present token. */
void cli_syntax(struct cli_session *s, const struct cli_scan *sc, const char *expecting);
/* cli_at_end - true: the command has no further token; else end the reply with an
 * error. */
bool cli_at_end(struct cli_session *s, const struct cli_scan *sc);
/* cli_go_on - true: the step has time left, and the output has room. */
bool cli_go_on(const struct cli_session *s);
/* cli_at_place - the step returned to its position after @spent_ns. The work begins now
 * and may last as long as the way to the position, or a step if the way was shorter:
 * otherwise a step whose way takes a whole step would never make progress. */
void cli_at_place(struct cli_session *s, uint64_t spent_ns);
/* cli_run_job - make @j the job of the command. */
void cli_run_job(struct cli_session *s, TAKE struct cli_job *j);
/* cli_drop_conf - the rest of the command needs no configuration and may last long.
 * cli_hold_conf - hold the present configuration until cli_drop_conf, or the end. */
void cli_drop_conf(struct cli_session *s);
void cli_hold_conf(struct cli_session *s);
/* cli_pass - send the descriptor @fd, which the job keeps open, with the next octets of
 * the reply. */
void cli_pass(struct cli_session *s, struct os_fd fd);
/* cli_req_free - free a request of the CLI with the networks that the request names. */
void cli_req_free(TAKE struct control_req *r);
/* cli_ask - reply with the control plane's answer to @r, unless r->done is set: then
 * r->done gets the answer, calls cli_end or cli_run_job, and then cli_answered. */
void cli_ask(struct cli_session *s, TAKE struct control_req *r);
/* cli_waits - another worker ends the reply, by a message that calls cli_end and
 * cli_answered. The session lives until then. */
void cli_waits(struct cli_session *s);
void cli_answered(struct cli_session *s);
/* cli_echo - send log lines of @classes to the session unasked, of which at most @size
 * octets wait; 0: none. */
void cli_echo(struct cli_session *s, uint32_t classes, size_t size);
/* cli_echo_init - once, in the session's loop. */
void cli_echo_init(struct cli_session *s);
/* cli_put_unasked - append a line that no command asked for, between lines of a reply. */
void cli_put_unasked(struct cli_session *s, const char *text, size_t len);
/* cli_quit - end the session after its output is written. */
void cli_quit(struct cli_session *s);
/* cli_time - the session's own time format, or @f. */
const struct time_format *cli_time(
    const struct cli_session *s, const struct time_format *f);

#endif
