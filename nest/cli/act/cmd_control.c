/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that change state: each is a request to the control plane, whose answer is the
 * reply. Arguments are checked here first.
 *
 * No state; in the session's loop. Tested by test/net/test_day.py and
 * test/net/test_cli.py. */
#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/cmd_time.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/control.h"

#define UNDO_DEFAULT_S 300
#define UNDO_MAX_S     86400

/* An optional file name in quotes. */
static void
cmd_control_take_path(struct cli_scan *sc, struct control_req *r)
{
	if (sc->tok != TOK_TEXT)
		return;
	r->path = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
}

/* Optional `timeout [N]`; 0: none. */
static bool
control_take_timeout(struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	if (!cli_scan_word(sc, "timeout"))
		return true;
	r->timeout_s = UNDO_DEFAULT_S;
	if (sc->tok == TOK_END)
		return true;
	if (sc->tok != TOK_NUM) {
		cli_syntax(s, sc, "a number of seconds or the end of the command");
		return false;
	}
	if (sc->num > UNDO_MAX_S) {
		cli_end(s, CLI_BAD_COMMAND, "Timeout must be from 0 to %u seconds",
		    UNDO_MAX_S);
		return false;
	}
	r->timeout_s = (uint32_t)sc->num;
	cli_scan_step(sc);
	return true;
}

static void
cmd_control_ask(struct cli_session *s, struct cli_scan *sc, enum control_kind k)
{
	if (cli_at_end(s, sc))
		cli_ask(s, control_req_new(k));
}

static void
control_configure_check(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = control_req_new(CTL_CHECK);

	r->soft = cli_scan_word(sc, "soft");
	cmd_control_take_path(sc, r);
	if (sc->tok == TOK_END) {
		cli_ask(s, r);
		return;
	}
	cli_syntax(s, sc,
	    r->path ? CLI_EXPECT_END : "a text in quotes or the end of the command");
	control_req_free(r);
}

void
cmd_configure(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r;

	if (cli_scan_word(sc, "check")) {
		control_configure_check(s, sc);
		return;
	}
	if (cli_scan_word(sc, "confirm")) {
		cmd_control_ask(s, sc, CTL_CONFIRM);
		return;
	}
	if (cli_scan_word(sc, "undo")) {
		cmd_control_ask(s, sc, CTL_UNDO);
		return;
	}
	if (cli_scan_word(sc, "status")) {
		cmd_control_ask(s, sc, CTL_CONF_STATUS);
		return;
	}
	r = control_req_new(CTL_CONFIGURE);
	/* first, so that a rule of the socket about `configure force` holds */
	r->force = cli_scan_word(sc, "force");
	r->soft = cli_scan_word(sc, "soft");
	cmd_control_take_path(sc, r);
	if (!control_take_timeout(s, sc, r)) {
		control_req_free(r);
	} else if (sc->tok != TOK_END) {
		cli_syntax(s, sc,
		    "'force', 'soft', 'check', 'confirm', 'undo', 'status', 'timeout', a "
		    "text in quotes or the end of the command");
		control_req_free(r);
	} else {
		cli_ask(s, r);
	}
}

void
cmd_log_reopen(struct cli_session *s, struct cli_scan *sc)
{
	cmd_control_ask(s, sc, CTL_LOG_REOPEN);
}

/* down ["MESSAGE"]: to all peers. */
void
cmd_down(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = control_req_new(CTL_DOWN);

	if (sc->tok == TOK_TEXT) {
		r->message = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (cli_at_end(s, sc))
		cli_ask(s, r);
	else
		control_req_free(r);
}

void
cmd_graceful_restart(struct cli_session *s, struct cli_scan *sc)
{
	cmd_control_ask(
	    s, sc, cli_scan_word(sc, "check") ? CTL_GRACEFUL_CHECK : CTL_GRACEFUL);
}

/* cmd_control_take_pattern - a protocol's name, a pattern in quotes, or `all`. */
static bool
cmd_control_take_pattern(
    struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	if (sc->tok == TOK_TEXT) {
		r->pattern = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
		return true;
	}
	if (cli_scan_word(sc, "all")) {
		r->pattern = mem_strdup(MEM_OTHER, "all");
		return true;
	}
	return cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
	    "a protocol, a pattern in quotes or 'all'", &r->pattern);
}

static void
control_ask_protocols(
    struct cli_session *s, struct cli_scan *sc, TAKE struct control_req *r, bool message)
{
	if (!cmd_control_take_pattern(s, sc, r)) {
		control_req_free(r);
		return;
	}
	if (r->kind == CTL_DISABLE)
		r->hold = cli_scan_word(sc, "hold");
	if (message && sc->tok == TOK_TEXT) {
		r->message = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (sc->tok != TOK_END) {
		cli_syntax(s, sc,
		    !message || r->message ? CLI_EXPECT_END
		    : r->kind == CTL_DISABLE && !r->hold
			? "'hold', a text in quotes or " CLI_EXPECT_END
			: "a text in quotes or " CLI_EXPECT_END);
		control_req_free(r);
		return;
	}
	cli_ask(s, r);
}

void
cmd_enable(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_protocols(s, sc, control_req_new(CTL_ENABLE), true);
}

void
cmd_disable(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_protocols(s, sc, control_req_new(CTL_DISABLE), true);
}

void
cmd_restart(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_protocols(s, sc, control_req_new(CTL_RESTART), true);
}

/* drain NAME|"PATTERN"|all [for TIME] ["MESSAGE"] */
void
cmd_drain(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = control_req_new(CTL_DRAIN);

	if (!cmd_control_take_pattern(s, sc, r) ||
	    (cli_scan_word(sc, "for") && !cmd_parse_span(s, sc, &r->timeout_s))) {
		control_req_free(r);
		return;
	}
	if (sc->tok == TOK_TEXT) {
		r->message = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (sc->tok == TOK_END) {
		cli_ask(s, r);
		return;
	}
	cli_syntax(s, sc,
	    r->message     ? CLI_EXPECT_END
	    : r->timeout_s ? "a text in quotes or " CLI_EXPECT_END
			   : "'for', a text in quotes or " CLI_EXPECT_END);
	control_req_free(r);
}

void
cmd_undrain(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_protocols(s, sc, control_req_new(CTL_UNDRAIN), false);
}

void
cmd_quarantine_release(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_protocols(s, sc, control_req_new(CTL_RELEASE), false);
}

/* control_take_channel - optional .CHANNEL after a protocol's name. */
static bool
control_take_channel(struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	if (!cli_scan_char(sc, '.'))
		return true;
	if (sc->tok != TOK_WORD) {
		cli_syntax(s, sc, NULL);
		return false;
	}
	r->channel = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
	return true;
}

static void
control_ask_mask(struct cli_session *s, struct cli_scan *sc, enum control_kind k,
    const struct opt_name *names)
{
	struct control_req *r = control_req_new(k);
	bool one = k == CTL_DEBUG && cli_scan_is_name(sc) && strcmp(sc->text, "all") != 0;

	if (!cmd_control_take_pattern(s, sc, r) ||
	    (one && !control_take_channel(s, sc, r)) ||
	    !cmd_parse_mask(
		s, sc, names, one && !r->channel ? "a '.', " : "", &r->debug)) {
		control_req_free(r);
	} else if (sc->tok != TOK_END) {
		cli_syntax(s, sc, CLI_EXPECT_END);
		control_req_free(r);
	} else {
		cli_ask(s, r);
	}
}

/* debug PATTERN all|off|{ CLASS, ... }, debug P.C ...: until the next configuration. */
void
cmd_debug(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_mask(s, sc, CTL_DEBUG, conf_debug_names);
}

/* mrtdump - as debug, with a mask of MRTDUMP_*. */
void
cmd_mrtdump(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_mask(s, sc, CTL_MRTDUMP, conf_mrtdump_names);
}

void
cmd_flush_stale(struct cli_session *s, struct cli_scan *sc)
{
	control_ask_protocols(s, sc, control_req_new(CTL_FLUSH_STALE), false);
}

/* control_take_pick - optional partial SET: a prefix set of any form. */
static bool
control_take_pick(struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	struct filter_thread *ft;
	const struct fset *set;
	struct cli_expr *x;
	struct strbuf err;
	size_t used = 0;
	bool end;

	if (!cli_scan_word(sc, "partial"))
		return true;
	strbuf_init(&err);
	ft = filter_thread_new(&s->tern->ifaces);
	x = cli_expr_parse(s->conf->conf, CLI_EXPR_EVAL, sc->at, &used, &err);
	set = x ? cli_expr_prefixes(x, ft, &err) : NULL;
	cli_scan_skip(sc, used);
	end = sc->tok == TOK_END;
	if (!set)
		cli_end(s, CLI_BAD_COMMAND, "%s", err.s);
	else if (!end)
		cli_syntax(s, sc, CLI_EXPECT_END);
	if (set && end) {
		r->pick = net_pick_new(x, config_ref_get(s->conf), set);
	} else {
		cli_expr_free(x);
	}
	filter_thread_free(ft);
	strbuf_fini(&err);
	return r->pick != NULL;
}

/* reload [filters|bgp] [in|out] PATTERN [partial SET]. */
void
cmd_reload(struct cli_session *s, struct cli_scan *sc)
{
	enum control_kind k = CTL_RELOAD;
	struct control_req *r;
	bool refresh = !cli_scan_word(sc, "filters") && cli_scan_word(sc, "bgp");

	if (cli_scan_word(sc, "in"))
		k = CTL_RELOAD_IN;
	else if (cli_scan_word(sc, "out"))
		k = CTL_RELOAD_OUT;
	r = control_req_new(k);
	r->refresh = refresh;
	if (!cmd_control_take_pattern(s, sc, r) ||
	    (!refresh && !control_take_pick(s, sc, r))) {
		cli_req_free(r);
	} else if (sc->tok != TOK_END) {
		cli_syntax(s, sc, CLI_EXPECT_END);
		cli_req_free(r);
	} else {
		cli_ask(s, r);
	}
}
