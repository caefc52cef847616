/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client of the control socket: octets in and out, one command after another.
 *
 * I1  Commands are answered in order, one at a time; the socket is read only while no
 *     command runs. So a client can make the daemon hold at most one buffer of input.
 * I2  No step of a job runs while CLI_OUT_PAUSE octets wait for the socket: a client that
 *     does not read stops its own command, and holds at most CLI_OUT_PAUSE octets and one
 *     route's text.
 * I3  Each write is whole lines and at most 4,096 octets, as far as the socket accepts:
 *     some clients look at the first digits of the result of one read.
 * I4  The session lives until its request has returned (asking), then until the host has
 *     removed the session from its list: bye -> ended -> stop -> gone.
 * I5  The session holds the configuration only while a command runs.
 *
 * Loop: the session's own thread. Tested by test/unit/test_cli.c and
 * test/sim/stories/clients.story. */
#include "nest/cli/cli_serve.h"

#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "nest/cli/cli_audit.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_dump.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cli_weight.h"
#include "nest/cli/cmd_list.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_info.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_pass.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define WRITE_MAX 4096
#define IN_MAX    4096

/* How long a client of a removed socket may leave its waiting reply unread, and the
 * interval of looks. */
#define CLOSING_NS      (10 * NS_PER_S)
#define CLOSING_LOOK_NS (100 * NS_PER_MS)

/* Buffer size kept by an idle session: so a short query needs no memory from malloc,
 * whose arenas may be held by yielding clients (sysdep/os/os.c). */
#define OUT_KEEP 4096

/* ---- output ---- */

/* The octets of the next write (I3). */
static size_t
serve_piece_len(const char *p, size_t len)
{
	const char *nl;

	if (len <= WRITE_MAX)
		return len;
	nl = memrchr(p, '\n', WRITE_MAX);
	return nl ? (size_t)(nl - p) + 1 : WRITE_MAX;
}

/* serve_send - as sock_send; the octets take the passed descriptor along. */
static ssize_t
serve_send(struct cli_session *s, const char *p, size_t len)
{
	ssize_t n;

	if (likely(!os_fd_is_open(s->sent.pass_fd)))
		return sock_send(s->watch.fd, p, len);
	n = sock_pass_send(s->watch.fd, p, len, s->sent.pass_fd);
	if (n > 0)
		s->sent.pass_fd = OS_FD_NONE;
	return n;
}

static void
cli_serve_flush(struct cli_session *s)
{
	while (!s->end.dead && cli_out_len(s)) {
		const char *p = s->out.s + s->sent.pos;
		ssize_t n = serve_send(s, p, serve_piece_len(p, cli_out_len(s)));

		if (!n)
			break;
		if (n < 0) {
			s->end.dead = true;
			continue;
		}
		s->sent.pos += (size_t)n;
		s->end.last_ns = loop_now_ns(&s->worker) + CLOSING_NS;
	}
	if (!cli_out_len(s) || s->end.dead) {
		s->sent.pos = 0;
		strbuf_reset(&s->out);
	} else if (s->sent.pos > CLI_OUT_PAUSE / 2) {
		memmove(s->out.s, s->out.s + s->sent.pos, cli_out_len(s));
		strbuf_truncate(&s->out, cli_out_len(s));
		s->sent.pos = 0;
	}
}

/* ---- commands, one after another ---- */

static void
serve_end_command(struct cli_session *s)
{
	if (s->job)
		s->job->free(s, s->job);
	s->job = NULL;
	s->sent.pass_fd = OS_FD_NONE; /* the job owned the descriptor */
	if (s->conf)
		config_ref_put(s->conf);
	s->conf = NULL;
}

/* cli_serve_clean - drop CR and comments; a comment between words becomes a blank. No
 * comment begins inside quotes. Returns: false: a comment is open. */
static bool
cli_serve_clean(char *line)
{
	char *to = line, quote = 0;

	for (const char *p = line; *p; p++) {
		if (*p == '\r')
			continue;
		if (!quote && p[0] == '/' && p[1] == '*') {
			p = strstr(p + 2, "*/");
			if (!p) {
				*to = 0;
				return false;
			}
			p++;
			*to++ = ' ';
			continue;
		}
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? 0 : *p;
		else if (*p == '#' && !quote)
			break;
		*to++ = *p;
	}
	*to = 0;
	return true;
}

/* serve_write_dump - write the lines of a finished step: may block. */
static void
serve_write_dump(struct cli_session *s)
{
	struct cli_dump *d = s->dump;
	struct strbuf said;
	unsigned code;

	if (!d)
		return;
	strbuf_init(&said);
	if (cli_dump_write(d, &code, &said)) {
		s->dump = NULL;
		cli_end(s, code, "%s", said.s);
		cli_dump_free(d);
	}
	strbuf_fini(&said);
}

static void
cli_serve_execute(struct cli_session *s, char *line)
{
	bool closed = cli_serve_clean(line);

	s->writer.code = 0;
	s->ended_reply = false;
	cli_hold_conf(s);
	cli_audit_begin(&s->audit, s->watch.fd, s->host->path, line);
	if (s->conf->conf->debug.commands > 1)
		cli_audit_debug(line);
	if (closed)
		cmd_execute(s, line);
	else
		cli_end(s, CLI_BAD_COMMAND, "Unterminated comment");
	if (s->ended_reply)
		serve_end_command(s);
	serve_write_dump(s);
}

/* serve_skip_line - the end of a line longer than any command. Its beginning was
 * dropped. */
static bool
serve_skip_line(struct cli_session *s, size_t len)
{
	s->in.overlong = false;
	s->in.len -= len + 1;
	memmove(s->in.at, s->in.at + len + 1, s->in.len);
	s->writer.code = 0;
	cli_audit_begin(
	    &s->audit, s->watch.fd, s->host->path, "(a command that is too long)");
	cli_end(s, CLI_TOO_LONG, "Command too long, at most %d octets", CLI_COMMAND_MAX);
	return true;
}

/* cli_serve_next_line - take one command out of the buffer. Returns: false: no complete
 * command. */
static bool
cli_serve_next_line(struct cli_session *s)
{
	char line[IN_MAX + 1], *nl = s->in.len ? memchr(s->in.at, '\n', s->in.len) : NULL;
	size_t len;

	if (!nl) {
		/* A last command without line end, as from printf into a pipe, is not
		 * executed: it may be truncated. */
		if (s->in.len == IN_MAX) {
			s->in.overlong = true;
			s->in.len = 0;
		}
		return false;
	}
	len = (size_t)(nl - s->in.at);
	if (s->in.overlong || len > CLI_COMMAND_MAX)
		return serve_skip_line(s, len);
	memcpy(line, s->in.at, len);
	line[len] = 0;
	s->in.len -= len + 1;
	memmove(s->in.at, nl + 1, s->in.len);
	cli_serve_execute(s, line);
	return !s->end.dead;
}

static void
serve_read_in(struct cli_session *s)
{
	ssize_t n;

	if (s->in.len == IN_MAX)
		return;
	n = sock_recv(s->watch.fd, s->in.at + s->in.len, IN_MAX - s->in.len);
	if (n > 0)
		s->in.len += (size_t)n;
	else if (n == -EPIPE)
		s->in.eof = true;
	else if (n < 0)
		s->end.dead = true;
}

/* cli_serve_logs_clients - true: log clients and commands (`debug commands`). */
static bool
cli_serve_logs_clients(const struct cli_session *s)
{
	return tern_view_get(s->tern)->conf->conf->debug.commands;
}

static void
serve_begin_end(struct cli_session *s)
{
	s->end.begun = true;
	serve_end_command(s);
	cli_audit_end(&s->audit, -1);
	cli_dump_free(s->dump);
	s->dump = NULL;
	if (cli_serve_logs_clients(s))
		log_msg(LOG_C_INFO, "CLI disconnect");
	cli_echo(s, 0, 0);
	cli_weight_end(&s->weight);
	if (os_fd_is_open(s->watch.fd)) {
		struct os_fd fd = s->watch.fd;

		watch_del(&s->watch);
		fd_close(fd);
	}
	worker_post(s->host->worker, &s->end.bye);
}

/* serve_job_waits - has the job nothing to do until the worker is woken? */
static bool
serve_job_waits(const struct cli_session *s)
{
	return s->job->waits && s->job->waits(s, s->job);
}

/* cli_serve_work - the work of this round. Returns: true: more work is left now. */
static bool
cli_serve_work(struct cli_session *s)
{
	s->deadline_ns = clock_now_ns() + CLI_STEP_NS;
	for (;;) {
		if (s->end.dead || s->asking || cli_out_len(s) >= CLI_OUT_PAUSE)
			return false;
		if (clock_now_ns() >= s->deadline_ns)
			return true;
		if (s->job && serve_job_waits(s))
			return false;
		if (s->job) {
			s->job->step(s, s->job);
			if (s->ended_reply)
				serve_end_command(s);
			serve_write_dump(s);
		} else if (s->conf) {
			serve_end_command(s); /* the control plane has answered */
		} else if (!cli_serve_next_line(s)) {
			return false;
		}
	}
}

/* An unasked line for every session. A client that does not read gets the newest note
 * when it reads again. */
struct cli_note {
	struct msg msg;
	uint32_t class;
	char text[];
};

static void
serve_put_note(struct cli_session *s)
{
	struct cli_note *n = s->note;

	if (!n || cli_out_len(s) >= CLI_OUT_PAUSE)
		return;
	s->note = NULL;
	if (!(s->echo.classes & n->class)) /* else the log's line comes */
		cli_put_unasked(s, n->text, strlen(n->text));
	mem_free(MEM_OTHER, n);
}

static void
cli_serve_run(struct worker *w)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	bool more, idle;
	uint64_t began;

	if (s->end.begun)
		return;
	cli_weight_turn(&s->weight, loop_now_ns(w), 0, false);
	began = clock_thread_cpu_ns();
	serve_put_note(s);
	more = cli_serve_work(s);
	cli_serve_flush(s);
	cli_weight_turn(
	    &s->weight, loop_now_ns(w), clock_thread_cpu_ns() - began, s->in.overlong);
	if (!more && s->job && !cli_out_len(s) && !serve_job_waits(s))
		more = true; /* the socket took all */
	idle = !s->job && !s->asking;
	if (idle && !more && s->out.cap > OUT_KEEP && !cli_out_len(s)) {
		cli_reply_fini(s);
		strbuf_fini(&s->out);
	}
	if (!s->asking &&
	    (s->end.dead || (s->in.eof && idle && !more && !cli_out_len(s)))) {
		serve_begin_end(s);
		return;
	}
	if (more)
		worker_again(w);
	watch_set(&s->watch,
	    (idle && !s->in.eof && !s->end.dead && !cli_out_len(s) ? WATCH_READ : 0) |
		(cli_out_len(s) ? WATCH_WRITE : 0));
}

static void
serve_io_ready(struct watch *wa, uint32_t events)
{
	struct cli_session *s = container_of(wa, struct cli_session, watch);
	bool idle = !s->job && !s->asking;

	if ((events & (WATCH_READ | WATCH_ERROR)) && idle)
		serve_read_in(s);
	/* The client is gone: no reply will be read. Complete commands sent before are
	 * executed, as after shutdown(SHUT_WR). */
	if ((events & WATCH_ERROR) && (!idle || cli_out_len(s)))
		s->end.dead = true;
	worker_again(&s->worker);
}

/* ---- unasked lines ---- */

static void
serve_on_note(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct cli_note *n = container_of(m, struct cli_note, msg);

	mem_free(MEM_OTHER, s->note);
	s->note = n;
	worker_again(w);
}

/* ---- life ---- */

/* serve_closing_fired - end the session; a reply under way may continue as long as the
 * client reads. */
static void
serve_closing_fired(struct timer *t)
{
	struct cli_session *s = container_of(t, struct cli_session, end.closing);
	uint64_t now = loop_now_ns(&s->worker);

	if (s->end.begun)
		return;
	/* the job computes, and does not wait for the client */
	if (s->job && !cli_out_len(s))
		s->end.last_ns = now + CLOSING_NS;
	if (now >= s->end.last_ns ||
	    load_acquire32(&s->tern->shutting_down)) { /* pairs: SHUTDOWN */
		cli_serve_flush(s); /* earlier lines, such as the notice of the end */
		s->end.dead = true;
	} else {
		timer_set(t, now + CLOSING_LOOK_NS);
	}
	worker_again(&s->worker);
}

static void
cli_serve_start(struct worker *w)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct os_fd fd = s->watch.fd;

	timer_init(&s->end.closing, w, serve_closing_fired);
	cli_weight_start(&s->weight);
	worker_short_turns(w);
	cli_echo_init(s);
	s->watch.fd = OS_FD_NONE;
	watch_add(&s->watch, w, fd, WATCH_READ, serve_io_ready);
	if (cli_serve_logs_clients(s))
		log_msg(LOG_C_INFO, "CLI connect");
	cli_end(s, CLI_WELCOME, "BIRD " CMD_BIRD_VERSION " ready.");
	cli_serve_flush(s);
}

static void
cli_serve_gone(struct worker *w)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct tern *t = s->tern;

	cli_reply_fini(s);
	strbuf_fini(&s->out);
	cli_audit_fini(&s->audit);
	mem_free(MEM_OTHER, s->in.at);
	mem_free(MEM_OTHER, s->note);
	mem_free(MEM_OTHER, s);
	tern_worker_gone(t);
}

static const struct worker_ops session_ops = {
	.start = cli_serve_start,
	.run = cli_serve_run,
	.gone = cli_serve_gone,
};

static void
serve_on_bye(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(m, struct cli_session, end.bye);

	cli_weight_left(&s->weight, loop_now_ns(w));
	s->host->ended(s->host, s);
}

/* cli_serve_quits - read no further command; end after the present reply. */
static void
cli_serve_quits(struct cli_session *s)
{
	s->end.last_ns = loop_now_ns(&s->worker) + CLOSING_NS;
	cli_quit(s);
	serve_closing_fired(&s->end.closing);
}

static void
cli_serve_closed(struct worker *w, TAKE struct msg *m)
{
	(void)m;
	cli_serve_quits(container_of(w, struct cli_session, worker));
}

/* The rights of the socket's file. Owner: the message. Life: until handled. */
struct cli_file_rights {
	struct msg msg;
	struct stat st;
};

/* serve_on_rights - the client's last words are the notice and the present reply. */
static void
serve_on_rights(struct worker *w, TAKE struct msg *m)
{
	static const char text[] =
	    "The rights of this socket have changed: you have none";
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct cli_file_rights *r = container_of(m, struct cli_file_rights, msg);

	if (!s->end.begun && !s->end.dead && !sock_info_peer_may(s->watch.fd, &r->st)) {
		if (cli_out_len(s) < CLI_OUT_PAUSE)
			cli_put_unasked(s, text, strlen(text));
		cli_serve_quits(s);
	}
	mem_free(MEM_OTHER, r);
}

static void
serve_on_stop(struct worker *w, TAKE struct msg *m)
{
	(void)m;
	worker_stop(w);
}

struct cli_session *
cli_session_new(struct cli_host *h, struct tern *t, TAKE struct os_fd fd)
{
	struct cli_session *s = mem_zalloc(MEM_OTHER, sizeof(*s));

	s->tern = t;
	s->host = h;
	s->in.at = mem_alloc(MEM_OTHER, IN_MAX);
	s->watch.fd = fd;
	s->sent.pass_fd = OS_FD_NONE;
	s->end.bye.handle = serve_on_bye;
	s->end.close.handle = cli_serve_closed;
	s->end.stop.handle = serve_on_stop;
	list_init(&s->link);
	cli_reply_fini(s);
	strbuf_init(&s->out);
	cli_weight_init(&s->weight, &h->weights, &s->worker, loop_now_ns(h->worker));
	tern_worker_start(t);
	worker_start(&s->worker, &session_ops, WORKER_CONTROL, "cli");
	return s;
}

void
cli_session_close(struct cli_session *s)
{
	worker_post(&s->worker, &s->end.close);
}

void
cli_session_check(struct cli_session *s, const struct stat *st)
{
	struct cli_file_rights *r = mem_alloc(MEM_OTHER, sizeof(*r));

	r->msg = (struct msg){ .handle = serve_on_rights };
	r->st = *st;
	worker_post(&s->worker, &r->msg);
}

void
cli_session_notify(struct cli_session *s, uint32_t class, const char *text)
{
	size_t len = strlen(text) + 1;
	struct cli_note *n = mem_zalloc(MEM_OTHER, sizeof(*n) + len);

	n->msg.handle = serve_on_note;
	n->class = class;
	memcpy(n->text, text, len);
	worker_post(&s->worker, &n->msg);
}

void
cli_session_stop(TAKE struct cli_session *s)
{
	worker_post(&s->worker, &s->end.stop);
}
