/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the commands that change the CLI session itself, and the command `eval`.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_cli.py. */
#include "filter/filter.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/clock.h"

/* Octets of log lines that wait for a session. */
#define ECHO_DEFAULT 4096
#define ECHO_MIN     256
#define ECHO_MAX     65536

static void
cmd_eval_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

/* A parsed expression can only fail by run-time errors. */
static void
cmd_misc_eval(struct cli_session *s, const struct cli_expr *x)
{
	static const struct filter_env env = { .log = cmd_eval_log };
	struct filter_thread *ft = filter_thread_new(&s->tern->ifaces);
	struct strbuf b;

	strbuf_init(&b);
	if (cli_expr_eval(x, ft, &env, &b))
		cli_end(s, CLI_EVAL_FAILED, "%s", b.s);
	else
		cli_end(s, CLI_VALUE, "%s", b.s);
	strbuf_fini(&b);
	filter_thread_free(ft);
}

void
cmd_eval(struct cli_session *s, struct cli_scan *sc)
{
	struct cli_expr *x;
	struct strbuf err;
	size_t used = 0;

	if (sc->tok == TOK_END) {
		cli_syntax(s, sc, NULL);
		return;
	}
	strbuf_init(&err);
	x = cli_expr_parse(s->conf->conf, CLI_EXPR_EVAL, sc->at, &used, &err);
	if (!x) {
		cli_end(s, CLI_BAD_COMMAND, "%s", err.s);
	} else {
		cli_scan_skip(sc, used);
		if (sc->tok != TOK_END)
			cli_syntax(s, sc, NULL);
		else
			cmd_misc_eval(s, x);
		cli_expr_free(x);
	}
	strbuf_fini(&err);
}

static bool
cmd_iso_format(struct cli_session *s, struct cli_scan *sc, struct time_format *out)
{
	static const struct time_format *const format[2][3] = {
		{ &time_iso_short, &time_iso_short_ms, &time_iso_short_us },
		{ &time_iso_long, &time_iso_long_ms, &time_iso_long_us },
	};
	unsigned is_long, digits = 0;

	is_long = cli_scan_word(sc, "long");
	if (!is_long && !cli_scan_word(sc, "short")) {
		cli_syntax(s, sc, "'short' or 'long'");
		return false;
	}
	if (cli_scan_word(sc, "ms"))
		digits = 1;
	else if (cli_scan_word(sc, "us"))
		digits = 2;
	*out = *format[is_long][digits];
	return true;
}

static bool
cmd_take_format(struct cli_session *s, struct cli_scan *sc, unsigned i)
{
	if (sc->tok != TOK_TEXT) {
		cli_syntax(s, sc, i ? "a text in quotes" : "'iso' or a text in quotes");
		return false;
	}
	if (strlen(sc->text) >= sizeof(s->time.text[i])) {
		cli_end(s, CLI_BAD_COMMAND, "Time format is too long");
		return false;
	}
	memcpy(s->time.text[i], sc->text, strlen(sc->text) + 1);
	cli_scan_step(sc);
	return true;
}

/* timeformat iso short|long [ms|us]  |  timeformat "F" [N "F2"]: N seconds. */
void
cmd_timeformat(struct cli_session *s, struct cli_scan *sc)
{
	struct time_format f = { .fmt = s->time.text[0] };

	if (cli_scan_word(sc, "iso")) {
		if (!cmd_iso_format(s, sc, &f))
			return;
	} else {
		if (!cmd_take_format(s, sc, 0))
			return;
		cli_scan_word(sc, "limit");
		if (sc->tok == TOK_NUM) {
			f.limit_s = (uint32_t)min_u64(sc->num, UINT32_MAX);
			f.fmt2 = s->time.text[1];
			cli_scan_step(sc);
			if (!cmd_take_format(s, sc, 1))
				return;
		}
	}
	if (!cli_at_end(s, sc))
		return;
	s->time.format = f;
	s->time.chosen = true;
	cli_end(s, CLI_DONE, "%s", "");
}

/* echo all|off|{ CLASS, ... } [OCTETS]: send log lines to this session too. */
void
cmd_echo(struct cli_session *s, struct cli_scan *sc)
{
	uint32_t mask = 0;
	uint64_t size = ECHO_DEFAULT;

	if (cli_scan_word(sc, "all"))
		mask = LOG_CLASS_ALL; /* audit only by name, as in `log` */
	else if (!cmd_parse_mask(s, sc, conf_log_names, "", &mask))
		return;
	if (sc->tok == TOK_NUM) {
		size = sc->num;
		cli_scan_step(sc);
	}
	if (!cli_at_end(s, sc))
		return;
	if (size < ECHO_MIN || size > ECHO_MAX) {
		cli_end(s, CLI_BAD_COMMAND, "Invalid log buffer size");
		return;
	}
	cli_echo(s, mask, (size_t)size);
	cli_end(s, CLI_DONE, "%s", "");
}
