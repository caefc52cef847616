/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands in sequence over a connection.
 *
 * I1  Between two calls no reply is under way: each call reads its reply to the last
 *     line, or leaves a new connection behind.
 * I2  A restricted session restricts every connection before the connection's first
 *     command.
 *
 * Loop: the only thread of ternc. Tested by test/unit/test_client_session.c. */
#include "client/session.h"
#include "client/cmd.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CODE_NOT_SENT 9999
#define WATCH         "watch "
#define JSON          "json "
#define SUPPORT       "support"
#define REPORT        "report"
#define GRACEFUL      "graceful restart"
#define WATCH_MAX_S   86400
#define OPEN_MS       10000

enum read_end { READ_DONE, READ_LOST, READ_INTERRUPTED };

static bool
session_put_prefixed(struct session *s, const char *prefix, const char *line)
{
	struct strbuf b;
	bool more;

	strbuf_init(&b);
	strbuf_adds(&b, prefix);
	strbuf_adds(&b, line);
	more = s->io.put(s->io.self, b.s);
	strbuf_fini(&b);
	return more;
}

/* session_is_bad - is @line an error, or a finding of `show health`? */
static bool
session_is_bad(const struct cli_line *line)
{
	return line->code >= CLI_FAILED || !strncmp(line->text, "Problem: ", 9);
}

static bool
session_put_red(struct session *s, const char *text)
{
	struct strbuf b;
	bool more;

	strbuf_init(&b);
	strbuf_addf(&b, "\033[31m%s\033[0m", text);
	more = s->io.put(s->io.self, b.s);
	strbuf_fini(&b);
	return more;
}

static void
session_put_format(struct session *s, const struct cli_line *line)
{
	char code[16] = "     ";
	bool more;

	if (!line->async && line->code == 0)
		return;
	if (!line->async && s->verbose && !line->cont)
		snprintf(code, sizeof(code), "%04u%c", line->code % 10000,
		    line->last ? ' ' : '-');
	if (line->async)
		more = session_put_prefixed(s, ">>> ", line->text);
	else if (s->colour && !s->verbose && session_is_bad(line))
		more = session_put_red(s, line->text);
	else if (s->verbose)
		more = session_put_prefixed(s, code, line->text);
	else
		more = s->io.put(s->io.self, line->text);
	if (!more)
		s->last_code = CODE_NOT_SENT;
}

static int
session_client_lost(struct session *s, int err)
{
	conn_close(&s->conn);
	if (err == -ECONNRESET)
		fprintf(stderr, "Connection closed by server\n");
	else
		fprintf(stderr, "Connection lost: %s\n", strerror(-err));
	return -1;
}

/* session_wait_more - wait for a new connection's greeting: the greeting comes at once,
 * or is not worth a wait. */
static bool
session_wait_more(struct session *s)
{
	struct pollfd p = { .fd = s->conn.fd, .events = POLLIN };
	int rc;

	if (!s->opening)
		return s->io.wait(s->io.self, s->conn.fd);
	do
		rc = poll(&p, 1, OPEN_MS);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		fprintf(stderr, "No answer from %s\n", s->path);
	return rc > 0;
}

/* session_read_reply - read up to the last line of a reply. @each: called for each line;
 * may be NULL. Returns: READ_INTERRUPTED also after the user has ended the output. */
static enum read_end
session_read_reply(struct session *s,
    void (*each)(struct session *, const struct cli_line *, void *), void *arg)
{
	struct cli_line line;

	s->last_code = 0;
	for (;;) {
		int rc = conn_next(&s->conn, &line);

		if (rc < 0) {
			session_client_lost(s, rc);
			return READ_LOST;
		}
		if (rc == 0) {
			if (!session_wait_more(s))
				return READ_INTERRUPTED;
			continue;
		}
		if (!line.async)
			s->last_code = line.code;
		if (each)
			each(s, &line, arg);
		if (s->last_code == CODE_NOT_SENT)
			return READ_INTERRUPTED;
		if (line.last && !line.async)
			return READ_DONE;
	}
}

static void
session_show_line(struct session *s, const struct cli_line *line, void *arg)
{
	(void)arg;
	session_put_format(s, line);
}

/* session_show_object - readers of JSON read nothing else: the last object has the last
 * line's text, unless the reply had no object. */
static void
session_show_object(struct session *s, const struct cli_line *line, void *arg)
{
	(void)arg;
	if (line->async)
		return;
	s->objects |= line->code == CLI_JSON;
	if (line->code == CLI_JSON || s->verbose)
		session_put_format(s, line);
	else if (!s->objects && line->code >= CLI_FAILED)
		fprintf(stderr, "ternc: %s\n", line->text);
}

static int
session_talk_first(struct session *s, bool show)
{
	int rc;

	show = show && !s->json;
	if (session_read_reply(s, show ? session_show_line : NULL, NULL) != READ_DONE)
		return -1;
	if (!s->restricted)
		return 0;
	rc = conn_send(&s->conn, "restrict");
	if (rc < 0)
		return session_client_lost(s, rc);
	return session_read_reply(s, show ? session_show_line : NULL, NULL) == READ_DONE
		   ? 0
		   : -1;
}

/* Connect; the banner and the answer to `restrict` are shown or not. */
static int
session_open_quietly(struct session *s, bool show)
{
	int rc = conn_open(&s->conn, s->path);

	if (rc < 0) {
		char text[512];

		fprintf(stderr, "%s\n", conn_explain(text, sizeof(text), s->path, rc));
		return -1;
	}
	s->opening = true;
	rc = session_talk_first(s, show);
	s->opening = false;
	if (rc < 0)
		conn_close(&s->conn);
	return rc;
}

int
session_open(struct session *s)
{
	strbuf_init(&s->line);
	return session_open_quietly(s, true);
}

void
session_close(struct session *s)
{
	conn_close(&s->conn);
	strbuf_fini(&s->line);
}

int
session_fd(const struct session *s)
{
	return s->conn.fd;
}

int
session_status(const struct session *s)
{
	return s->last_code >= CLI_FAILED;
}

/* session_put_text - show the client's own @text by the pager of replies; with JSON,
 * show the text among the errors. */
static void
session_put_text(struct session *s, const char *text)
{
	if (s->json) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[1024];

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (!s->io.put(s->io.self, line))
			return;
		text += len + (text[len] == '\n');
	}
}

static void
session_put_help(struct session *s, const char *title, const char *words)
{
	struct strbuf help;

	strbuf_init(&help);
	s->last_code = 0;
	if (cmd_print_help(&help, words) > 0) {
		session_put_text(s, title);
		session_put_text(s, help.s);
	} else {
		session_put_text(s, "No such command. Press `?' for help.");
		s->last_code = CODE_NOT_SENT;
	}
	strbuf_fini(&help);
}

static void
session_put_unknown(struct session *s, const char *typed)
{
	struct strbuf near, text;

	strbuf_init(&near);
	strbuf_init(&text);
	strbuf_adds(&text, "No such command");
	if (cmd_near(&near, typed))
		strbuf_addf(&text, "; did you mean '%s'?", near.s);
	else
		strbuf_adds(&text, ". Press `?' for help.");
	session_put_text(s, text.s);
	s->last_code = CODE_NOT_SENT;
	strbuf_fini(&text);
	strbuf_fini(&near);
}

static int
session_end_of_read(struct session *s, enum read_end end)
{
	if (end == READ_DONE)
		return 0;
	if (end == READ_LOST)
		return -1;
	/* The daemon notices the end of its reader, and stops the command. */
	conn_close(&s->conn);
	return session_open_quietly(s, false);
}

static int
session_send_and_show(struct session *s)
{
	bool restrict_it = strcmp(s->line.s, "restrict") == 0;
	bool json = strncmp(s->line.s, JSON, strlen(JSON)) == 0;
	int rc = conn_send(&s->conn, s->line.s);
	enum read_end end;

	if (rc == -EMSGSIZE) {
		session_put_text(s, "Command too long");
		s->last_code = CODE_NOT_SENT;
		return 0;
	}
	if (rc < 0)
		return session_client_lost(s, rc);
	s->objects = false;
	end = session_read_reply(s, json ? session_show_object : session_show_line, NULL);
	if (restrict_it && end == READ_DONE)
		s->restricted = true;
	return session_end_of_read(s, end);
}

/* session_watch - "watch SECONDS COMMAND": repeat the command until the user interrupts,
 * the command fails, or the output's reader has gone. */
static int
session_watch(struct session *s)
{
	char *command = NULL, text[CONN_COMMAND_MAX + 1], title[80];
	unsigned long every = strtoul(s->line.s + strlen(WATCH), &command, 10);
	time_t now;
	int rc;

	if (every < 1 || every > WATCH_MAX_S || *command != ' ' ||
	    s->line.len >= sizeof(text) || !strncmp(command + 1, WATCH, strlen(WATCH))) {
		session_put_text(s, "watch wants seconds, 1 to 86400, and a command.");
		s->last_code = CODE_NOT_SENT;
		return 0;
	}
	memmove(text, command + 1, strlen(command));
	do {
		now = time(NULL);
		s->io.screen(s->io.self);
		strftime(title, sizeof(title), "%F %T", localtime(&now));
		session_put_text(s, title);
		rc = session_run(s, text);
	} while (rc == 0 && !s->quit && !session_status(s) &&
		 s->io.pause(s->io.self, (unsigned)every * 1000));
	return rc;
}

/* session_ask_json - turn the present command into a command for JSON. Returns: false:
 * impossible. */
static bool
session_ask_json(struct session *s)
{
	char text[CONN_COMMAND_MAX + 1];

	if (!strncmp(s->line.s, JSON, strlen(JSON)))
		return true;
	if ((strncmp(s->line.s, "show ", 5) != 0 &&
		strncmp(s->line.s, "subscribe ", 10) != 0 &&
		strncmp(s->line.s, "configure preview", 17) != 0) ||
	    s->line.len >= sizeof(text)) {
		fprintf(stderr,
		    "ternc: --json is for show, subscribe and configure preview\n");
		s->last_code = CODE_NOT_SENT;
		return false;
	}
	memcpy(text, s->line.s, s->line.len + 1);
	strbuf_reset(&s->line);
	strbuf_addf(&s->line, JSON "%s", text);
	return true;
}

/* session_confirm_restart - before `graceful restart`: name the members that keep no
 * routes, and ask. *@yes: go on. Returns: as session_run. */
static int
session_confirm_restart(struct session *s, bool *yes)
{
	struct strbuf out;
	uint32_t cnt = 0;
	int rc;

	strbuf_init(&out);
	rc = session_ask(s, &out, GRACEFUL " check", CLI_READING);
	for (const char *p = out.s; rc == 0 && p < out.s + out.len; cnt++) {
		session_put_text(s, p);
		p += strlen(p) + 1;
	}
	strbuf_fini(&out);
	*yes = rc == 0 && (!cnt || s->io.confirm(s->io.self, "Restart? [y/N] "));
	if (!*yes)
		s->last_code = CODE_NOT_SENT;
	return rc;
}

int
session_run(struct session *s, const char *typed)
{
	bool yes = true;
	int rc = 0;

	switch (cmd_expand(&s->line, typed)) {
	case CMD_SEND:
		if (!strncmp(s->line.s, WATCH, strlen(WATCH)))
			return session_watch(s);
		if (!strncmp(s->line.s, SUPPORT, strlen(SUPPORT))) {
			session_put_text(
			    s, "support works from the shell: ternc support FILE.tar");
			s->last_code = CODE_NOT_SENT;
			return 0;
		}
		if (!strncmp(s->line.s, REPORT, strlen(REPORT))) {
			session_put_text(
			    s, "report works from the shell: ternc report manrs");
			s->last_code = CODE_NOT_SENT;
			return 0;
		}
		if (s->json && !session_ask_json(s))
			return 0;
		if (s->io.confirm && !strcmp(s->line.s, GRACEFUL))
			rc = session_confirm_restart(s, &yes);
		return yes && rc == 0 ? session_send_and_show(s) : rc;
	case CMD_EMPTY:
		break;
	case CMD_UNKNOWN:
		session_put_unknown(s, typed);
		break;
	case CMD_AMBIGUOUS:
		session_put_help(
		    s, "Ambiguous command, possible expansions are:", s->line.s);
		s->last_code = CODE_NOT_SENT;
		break;
	case CMD_QUIT:
		s->quit = true;
		break;
	case CMD_LIST:
		session_put_help(s, "", s->line.s);
		break;
	case CMD_HELP:
		if (s->line.len == 0)
			session_put_text(s,
			    "A \"?\" lists the commands; after some words of a command, "
			    "the words that may follow.\n"
			    "Words may be abbreviated as long as one command fits: sh ro "
			    "co.");
		session_put_help(s, "", s->line.s);
		break;
	}
	return 0;
}

struct asked {
	struct strbuf *out;
	unsigned code;
};

static void
session_collect_line(struct session *s, const struct cli_line *line, void *arg)
{
	struct asked *a = arg;

	(void)s;
	if (line->async || line->code != a->code)
		return;
	strbuf_add(a->out, line->text, line->len);
	strbuf_addc(a->out, '\0');
}

int
session_ask(struct session *s, struct strbuf *out, const char *command, unsigned code)
{
	struct asked a = { .out = out, .code = code };
	unsigned before = s->last_code;
	int rc = conn_send(&s->conn, command);

	if (rc < 0)
		return session_client_lost(s, rc);
	rc = session_end_of_read(s, session_read_reply(s, session_collect_line, &a));
	s->last_code = before;
	return rc;
}

static void
session_collect_all(struct session *s, const struct cli_line *line, void *arg)
{
	struct strbuf *out = arg;

	s->objects |= line->code == CLI_JSON;
	if (line->async || !line->code || (s->objects && line->code != CLI_JSON))
		return;
	strbuf_add(out, line->text, line->len);
	strbuf_addc(out, '\n');
}

int
session_collect(struct session *s, struct strbuf *out, const char *command)
{
	int rc = s->conn.fd < 0 ? -ENOTCONN : conn_send(&s->conn, command);
	enum read_end end;

	s->objects = false;
	if (rc == 0) {
		end = session_read_reply(s, session_collect_all, out);
		rc = end == READ_DONE ? 0 : end == READ_LOST ? -ECONNRESET : -EINTR;
	}
	if (rc)
		conn_close(&s->conn);
	return rc;
}

int
session_idle(struct session *s)
{
	struct cli_line line;
	int rc;

	while ((rc = conn_next(&s->conn, &line)) > 0)
		session_put_format(s, &line);
	return rc < 0 ? session_client_lost(s, rc) : 0;
}

bool
session_lost(const struct session *s)
{
	return s->conn.fd < 0;
}

int
session_again(struct session *s)
{
	return session_open_quietly(s, false);
}

/* session_after - the text behind @what in a line of @lines; NULL: no line begins with
 * @what. */
static const char *
session_after(const struct strbuf *lines, const char *what)
{
	for (const char *p = lines->s; p < lines->s + lines->len; p += strlen(p) + 1)
		if (!strncmp(p, what, strlen(what)))
			return p + strlen(what);
	return NULL;
}

int
session_greet(struct session *s)
{
	const char *host, *id, *tern, *more;
	struct strbuf reply, text;
	int rc;

	strbuf_init(&reply);
	strbuf_init(&text);
	rc = session_ask(s, &reply, "show status", CLI_STATUS_LINE);
	host = session_after(&reply, "Hostname is ");
	id = session_after(&reply, "Router ID is ");
	tern = session_after(&reply, "tern ");
	more = tern ? strstr(tern, ", sandbox: ") : NULL;
	strbuf_addf(&text, "%s, router id %s, %s%.*s, at %s", host ? host : "no name",
	    id ? id : "unknown", tern ? "tern " : "not tern",
	    tern ? (int)(more ? more - tern : (ptrdiff_t)strlen(tern)) : 0,
	    tern ? tern : "", s->path);
	if (rc == 0) {
		session_put_text(s, text.s);
		session_put_text(s,
		    "`?' lists commands, and the words that may follow; Tab completes.");
	}
	strbuf_fini(&text);
	strbuf_fini(&reply);
	return rc;
}
