/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One client of the control socket, as its server and its commands see it.
 *
 * A command is a function. It ends its reply at once (cli_end), or leaves a job whose
 * `step` is called until it ends the reply, or asks the control plane (cli_ask). Jobs
 * work while cli_go_on says so, then return: no RCU pointer survives that. Everything
 * here runs in the session's loop unless it says otherwise. */
#ifndef TERN_NEST_CLI_SESSION_H
#define TERN_NEST_CLI_SESSION_H

#include "lib/base/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_weight.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

struct cli_dump;
struct cli_note;
struct cli_session;

/* Long work of one command. Embedded first in the command's own struct. */
struct cli_job {
	/* step - work while cli_go_on. Call cli_end when the reply is complete. */
	void (*step)(struct cli_session *s, struct cli_job *j);
	/* free - at the end, or when the client has gone. */
	void (*free)(struct cli_session *s, TAKE struct cli_job *j);
};

/* Who accepted it; outlives it. */
struct cli_host {
	struct worker *worker;
	/* all its sessions are, as the control worker says now */
	struct pub32 restricted;
	struct cli_weights weights;
	/* ended - @s does nothing more; post cli_session_stop to it. In @worker. */
	void (*ended)(struct cli_host *h, struct cli_session *s);
};

/* owner: its worker; lives: until a grace period after its stop. */
struct cli_session {
	struct worker worker;
	struct tern *tern; /* constant */
	struct list link; /* the host's */
	bool restricted; /* by its own command */
	struct config_ref *conf; /* in force when the command began; NULL between */
	bool own_time; /* `timeformat` was said in this session */
	struct time_format time; /* its texts are time_text */
	bool json; /* the present command's reply is objects, see cli_object */
	char time_text[2][64];
	/* private: cli_session.c, cli_serve.c */
	struct cli_host *host;
	struct watch watch;
	struct cli_job *job;
	bool asking; /* another worker is asked */
	bool ended_reply; /* of the present command */
	bool eof, dead, ending;
	bool overlong; /* the line that is read has no command any more */
	uint64_t deadline_ns;
	struct cli_weight weight;
	struct cli_writer writer;
	struct json object; /* that is being written */
	size_t object_at; /* where in `out` it began */
	unsigned object_code; /* of `writer` then */
	uint32_t object_cnt; /* of the present reply */
	char *in; /* room for one command, and more than that */
	size_t in_len;
	struct strbuf out;
	size_t out_pos;
	uint64_t last_ns; /* told to end: it does then, unless its client reads */
	struct log_tap *tap; /* of `echo`; NULL: off */
	uint32_t tap_classes; /* of lines that it gets */
	struct cli_note *note; /* to be told unasked; NULL: nothing is */
	struct timer echo; /* looks what came to it */
	struct timer closing; /* looks whether that is over */
	struct cli_dump *dump; /* where lines go; NULL: to the client */
	struct msg bye, stop, close;
};

/* ---- for commands ---- */

/* so many octets may wait for the client's socket before its command pauses */
#define CLI_OUT_PAUSE (128 * 1024)
/* So long a step of a job works. */
#define CLI_STEP_NS NS_PER_MS

/* cli_out_len - octets of the reply that the socket hasn't taken. */
static inline size_t
cli_out_len(const struct cli_session *s)
{
	return s->out.len - s->out_pos;
}

/* cli_is_restricted - may it look only? */
static inline bool
cli_is_restricted(const struct cli_session *s)
{
	return s->restricted ||
	       load_acquire32(&s->host->restricted); /* pairs: CLIRIGHT */
}

/* cli_say - a line of the reply, more follow. cli_end - the last one. */
void cli_say(struct cli_session *s, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void cli_end(struct cli_session *s, enum cli_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* cli_put_line - as cli_say, of plain text. */
void cli_put_line(struct cli_session *s, enum cli_code code, const char *text);
/* cli_put_lines - each line of @b is one of the reply; @b is changed. */
void cli_put_lines(struct cli_session *s, enum cli_code code, struct strbuf *b);
/* cli_object - of a command with s->json, instead of a line: an object of that type is
 * open in what is returned. cli_object_end - that was all of it. cli_object_drop - there
 * is none after all. The last object of a reply, its summary, is written by cli_end. */
struct json *cli_object(struct cli_session *s, const char *type);
void cli_object_end(struct cli_session *s);
void cli_object_drop(struct cli_session *s);
/* cli_syntax - end the reply by CLI_BAD_COMMAND about the present token. */
void cli_syntax(struct cli_session *s, const struct cli_scan *sc, const char *expecting);
/* cli_at_end - nothing may follow; says so if something does. */
bool cli_at_end(struct cli_session *s, const struct cli_scan *sc);
/* cli_go_on - has this step time left, and the output room? */
bool cli_go_on(const struct cli_session *s);
/* cli_at_place - the step has come back to its place after @spent_ns; the work begins now
 * and may last as long as the way to the place, or a step if the way was shorter. A step
 * whose way to its place takes the whole step would never come further. */
void cli_at_place(struct cli_session *s, uint64_t spent_ns);
/* cli_run_job - leave @j to be stepped. */
void cli_run_job(struct cli_session *s, TAKE struct cli_job *j);
/* cli_ask - the reply will be the control plane's answer. */
void cli_ask(struct cli_session *s, TAKE struct control_req *r);
/* cli_waits - the reply ends when another worker has answered, by a message that calls
 * cli_end and cli_answered. The session lives until then. */
void cli_waits(struct cli_session *s);
void cli_answered(struct cli_session *s);
/* cli_echo - from now on log lines of @classes come to the session unasked, of which
 * @size octets may wait; 0: none. */
void cli_echo(struct cli_session *s, uint32_t classes, size_t size);
/* cli_quit - end the session when all is written. */
void cli_quit(struct cli_session *s);
/* cli_time - the session's format, or @f. */
const struct time_format *cli_time(
    const struct cli_session *s, const struct time_format *f);

#endif
