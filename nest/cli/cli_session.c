/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the lines of a reply to a CLI session, and answers what a command may ask of the
 * session. Loop: the session's. Tested by test/unit/test_cli.c. */
#include "nest/cli/cli_session.h"

#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/cli/cli_dump.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

/* cli_socket - the configuration of the session's socket; NULL: not configured. */
static const struct conf_cli *
cli_socket(const struct cli_session *s)
{
	const struct config *conf = s->conf ? s->conf->conf
					    : tern_view_get(s->tern)->conf->conf;

	return config_find_cli(conf, s->host->path);
}

bool
cli_is_restricted(const struct cli_session *s)
{
	const struct conf_cli *cf;

	if (s->restricted || s->host->is_main)
		return s->restricted;
	cf = cli_socket(s);
	return !cf || cf->restricted;
}

bool
cli_reads_plans(const struct cli_session *s)
{
	const struct conf_cli *cf;

	if (!cli_is_restricted(s))
		return true;
	cf = s->host->is_main ? NULL : cli_socket(s);
	return cf && cf->plans;
}

/* session_object - begin an object of type @type and return the open object. */
static struct json *
session_object(struct cli_session *s, const char *type)
{
	char head[CLI_HEAD_MAX];

	DCHECK(s->json);
	s->object.at = s->out.len;
	s->object.code = s->writer.code;
	strbuf_add(&s->out, head, cli_put_head(&s->writer, head, CLI_JSON));
	json_init(&s->object.json, &s->out);
	json_open(&s->object.json, NULL);
	json_str(&s->object.json, "type", type);
	return &s->object.json;
}

/* session_taps - show the complete object to the tap. Returns: the tap's answer. */
static bool
session_taps(struct cli_session *s)
{
	size_t head = s->object.at;

	head += (size_t)((const char *)memchr(s->out.s + head, '{', s->out.len - head) -
			 (s->out.s + head));
	return s->object.tap->object(s->object.tap, s->out.s + head, s->out.len - head);
}

static void
session_object_drop(struct cli_session *s)
{
	strbuf_truncate(&s->out, s->object.at);
	s->writer.code = s->object.code;
}

static void
session_object_end(struct cli_session *s)
{
	json_close(&s->object.json);
	DCHECK(json_done(&s->object.json));
	if (s->object.tap && !session_taps(s)) {
		session_object_drop(s);
		return;
	}
	strbuf_addc(&s->out, '\n');
	s->object.cnt++;
}

void
cli_object_text(struct cli_session *s, const char *text, size_t len)
{
	char head[CLI_HEAD_MAX];

	DCHECK(s->json);
	strbuf_add(&s->out, head, cli_put_head(&s->writer, head, CLI_JSON));
	strbuf_add(&s->out, text, len);
	strbuf_addc(&s->out, '\n');
	s->object.cnt++;
}

struct reply *
cli_reply(struct cli_session *s, const char *type)
{
	s->text.reply = (struct reply){ .json = s->json ? session_object(s, type) : NULL,
		.text = s->json ? NULL : s->text.part,
		.parts = s->text.part,
		.time = s->conf ? cli_time(s, &s->conf->conf->time.base) : NULL };
	return &s->text.reply;
}

static void
session_drop_lines(struct cli_session *s)
{
	for (unsigned i = 0; i < REPLY_PARTS; i++)
		if (s->text.part[i].len)
			strbuf_reset(&s->text.part[i]);
	reply_part(&s->text.reply, 0);
}

void
cli_reply_lines(struct cli_session *s, enum cli_code code)
{
	struct strbuf *part = s->text.part;

	if (s->json)
		return;
	for (unsigned i = 1; i < REPLY_PARTS; i++)
		if (part[i].len)
			strbuf_add(part, part[i].s, part[i].len);
	cli_put_lines(s, code, part);
	session_drop_lines(s);
}

void
cli_reply_end(struct cli_session *s, enum cli_code code)
{
	cli_reply_lines(s, code);
	if (s->json)
		session_object_end(s);
}

void
cli_reply_drop(struct cli_session *s)
{
	if (s->json)
		session_object_drop(s);
	else
		session_drop_lines(s);
}

void
cli_reply_fini(struct cli_session *s)
{
	for (unsigned i = 0; i < REPLY_PARTS; i++)
		strbuf_fini(&s->text.part[i]);
}

/* session_put_summary - the last object: success, and the text of the last line. */
static void
session_put_summary(struct cli_session *s, enum cli_code code, const char *text)
{
	uint32_t cnt = s->object.cnt;
	struct json *j = session_object(s, "summary");

	json_bool(j, "ok", code < CLI_FAILED);
	json_u64(j, "code", code);
	json_str(j, "message", *text ? text : NULL);
	json_u64(j, "objects", cnt);
	session_object_end(s);
}

static void
cli_session_put(struct cli_session *s, enum cli_code code, bool last, const char *text)
{
	char line[CLI_LINE_MAX];

	if (!last && s->json)
		return;
	if (last && s->object.tap) {
		s->object.tap->end(s->object.tap, code, text);
		return;
	}
	if (s->dump) {
		cli_dump_line(s->dump, code, last, text);
		s->ended_reply |= last;
		return;
	}
	if (last)
		cli_audit_end(&s->audit, (int)code);
	if (last && s->json)
		session_put_summary(s, code, text);
	if (!s->end.dead)
		strbuf_add(&s->out, line, cli_put(&s->writer, line, code, last, text));
	if (last) {
		s->ended_reply = true;
		s->json = false;
		s->object.cnt = 0;
	}
}

static void
cli_session_put_format(
    struct cli_session *s, enum cli_code code, bool last, const char *fmt, va_list ap)
{
	/* longer than a line, so that cli_put detects the excess */
	char text[2 * CLI_LINE_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	cli_session_put(s, code, last, text);
}

void
cli_say(struct cli_session *s, enum cli_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cli_session_put_format(s, code, false, fmt, ap);
	va_end(ap);
}

void
cli_end(struct cli_session *s, enum cli_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cli_session_put_format(s, code, true, fmt, ap);
	va_end(ap);
}

void
cli_put_line(struct cli_session *s, enum cli_code code, const char *text)
{
	cli_session_put(s, code, false, text);
}

/* session_put_span - as cli_session_put, for the @len octets at @p, whose end becomes
 * NUL: most lines are copied to the output at once. */
static void
session_put_span(struct cli_session *s, enum cli_code code, char *p, size_t len)
{
	char head[CLI_HEAD_MAX];

	if (s->json || s->dump || s->end.dead || len + CLI_HEAD_MAX + 1 > CLI_LINE_MAX ||
	    memchr(p, '\r', len)) {
		p[len] = 0;
		cli_session_put(s, code, false, p);
		return;
	}
	strbuf_add(&s->out, head, cli_put_head(&s->writer, head, code));
	strbuf_add(&s->out, p, len);
	strbuf_addc(&s->out, '\n');
}

void
cli_put_lines(struct cli_session *s, enum cli_code code, struct strbuf *b)
{
	char *line, *end;
	size_t at = 0, len;

	for (; at < b->len; at += len + 1) {
		line = b->s + at;
		end = memchr(line, '\n', b->len - at);
		len = end ? (size_t)(end - line) : b->len - at;
		session_put_span(s, code, line, len);
	}
}

void
cli_syntax(struct cli_session *s, const struct cli_scan *sc, const char *expecting)
{
	struct strbuf b;

	strbuf_init(&b);
	cli_scan_unexpected(sc, expecting, &b);
	cli_end(s, CLI_BAD_COMMAND, "%s", b.s);
	strbuf_fini(&b);
}

bool
cli_at_end(struct cli_session *s, const struct cli_scan *sc)
{
	if (sc->tok == TOK_END)
		return true;
	cli_syntax(s, sc, CLI_EXPECT_END);
	return false;
}

bool
cli_go_on(const struct cli_session *s)
{
	size_t waiting = s->dump ? cli_dump_waiting(s->dump) : cli_out_len(s);

	return waiting < CLI_OUT_PAUSE && clock_now_ns() < s->deadline_ns;
}

void
cli_at_place(struct cli_session *s, uint64_t spent_ns)
{
	s->deadline_ns = clock_now_ns() + max_u64(spent_ns, CLI_STEP_NS);
}

void
cli_run_job(struct cli_session *s, TAKE struct cli_job *j)
{
	s->job = j;
}

void
cli_drop_conf(struct cli_session *s)
{
	config_ref_put(s->conf);
	s->conf = NULL;
}

void
cli_hold_conf(struct cli_session *s)
{
	/* A replaced view may hold a configuration that is ending: the next view is
	 * already published. */
	do
		s->conf = tern_view_get(s->tern)->conf;
	while (!config_ref_live(s->conf));
}

void
cli_pass(struct cli_session *s, struct os_fd fd)
{
	s->sent.pass_fd = fd;
}

void
cli_waits(struct cli_session *s)
{
	s->asking = true;
}

void
cli_answered(struct cli_session *s)
{
	s->asking = false;
	worker_again(&s->worker);
}

void
cli_req_free(TAKE struct control_req *r)
{
	net_pick_unref(r->pick);
	r->pick = NULL;
	control_req_free(r);
}

static void
cli_session_answered(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct control_req *r = container_of(m, struct control_req, msg);

	for (unsigned i = 0; i < r->answer.cnt; i++)
		cli_session_put(s, r->answer.line[i].code, i + 1 == r->answer.cnt,
		    r->answer.line[i].text);
	if (!r->answer.cnt)
		cli_session_put(s, CLI_DONE, true, "");
	cli_req_free(r);
	cli_answered(s);
}

void
cli_ask(struct cli_session *s, TAKE struct control_req *r)
{
	r->asker = &s->worker;
	r->client.uid = cli_audit_uid(s->watch.fd);
	r->client.restricted = cli_is_restricted(s);
	r->client.who = mem_strdup(
	    MEM_OTHER, cli_audit_who(&s->audit, s->watch.fd, s->host->path));
	if (!r->done)
		r->done = cli_session_answered;
	cli_waits(s);
	control_post(s->tern, r);
}

void
cli_quit(struct cli_session *s)
{
	s->in.eof = true;
	s->in.len = 0;
}

const struct time_format *
cli_time(const struct cli_session *s, const struct time_format *f)
{
	return s->time.chosen ? &s->time.format : f;
}
