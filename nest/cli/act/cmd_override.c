/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override add block NET[+] from WHO [for TIME] reason "TEXT"
 * override add accept NET[+] from WHO ...   override add limit N from WHO ...
 * override add no export [NET[+]] to WHO ...
 * override remove N   override extend N for TIME
 *
 * WHO is a protocol, or asN: the members of an AS.
 *
 * No state; in the session's loop. Tested by test/net/test_override.py. */
#include "filter/lang/sym.h"
#include "lib/base/scan.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/cmd_time.h"
#include "nest/core/control.h"
#include "nest/core/override.h"

#include <string.h>

#define REASON_MAX 200

/* override_take_net - NET or NET+. */
static bool
override_take_net(struct cli_session *s, struct cli_scan *sc, struct override *o)
{
	if (!cmd_parse_prefix(s, sc, false, &o->net))
		return false;
	o->has_net = true;
	o->longer = cli_scan_char(sc, '+');
	return true;
}

/* override_take_who - asN, or the name of a protocol. */
static bool
override_take_who(struct cli_session *s, struct cli_scan *sc, struct override *o)
{
	char *name = NULL;
	uint64_t as;

	if (sc->tok == TOK_WORD && !strncmp(sc->text, "as", 2) &&
	    !scan_u64(&as, sc->text + 2, UINT32_MAX) && as) {
		o->as = (uint32_t)as;
		cli_scan_step(sc);
		return true;
	}
	if (!cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		"a protocol or an AS such as as64999", &name))
		return false;
	o->proto = mem_strdup(MEM_CONFIG, name);
	mem_free(MEM_OTHER, name);
	return true;
}

/* override_take_kind - the words before WHO. */
static bool
override_take_kind(struct cli_session *s, struct cli_scan *sc, struct override *o)
{
	if (cli_scan_word(sc, "block")) {
		o->kind = OVERRIDE_BLOCK;
		return override_take_net(s, sc, o);
	}
	if (cli_scan_word(sc, "accept")) {
		o->kind = OVERRIDE_ACCEPT;
		return override_take_net(s, sc, o);
	}
	if (cli_scan_word(sc, "limit")) {
		o->kind = OVERRIDE_LIMIT;
		return cmd_parse_number(s, sc, 0, UINT32_MAX, &o->limit);
	}
	if (!cli_scan_word(sc, "no")) {
		cli_syntax(s, sc, "'block', 'accept', 'limit' or 'no'");
		return false;
	}
	if (!cli_scan_word(sc, "export")) {
		cli_syntax(s, sc, "'export'");
		return false;
	}
	o->kind = OVERRIDE_NO_EXPORT;
	return (sc->tok != TOK_IP4 && sc->tok != TOK_IP6) || override_take_net(s, sc, o);
}

/* override_take_reason - reason "TEXT". */
static bool
override_take_reason(struct cli_session *s, struct cli_scan *sc, struct override *o)
{
	if (!cli_scan_word(sc, "reason")) {
		cli_syntax(s, sc, "'for' or 'reason'");
		return false;
	}
	if (sc->tok != TOK_TEXT || !sc->text[0]) {
		cli_syntax(s, sc, "a text in quotes");
		return false;
	}
	if (strlen(sc->text) > REASON_MAX) {
		cli_end(
		    s, CLI_BAD_COMMAND, "The reason has more than %u octets", REASON_MAX);
		return false;
	}
	o->reason = mem_strdup(MEM_CONFIG, sc->text);
	cli_scan_step(sc);
	return true;
}

static bool
override_take(struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	struct override *o = r->override;
	const char *word;

	if (!override_take_kind(s, sc, o))
		return false;
	word = o->kind == OVERRIDE_NO_EXPORT ? "to" : "from";
	if (!cli_scan_word(sc, word)) {
		cli_syntax(s, sc, *word == 't' ? "'to'" : "'from'");
		return false;
	}
	return override_take_who(s, sc, o) &&
	       (!cli_scan_word(sc, "for") || cmd_parse_span(s, sc, &r->timeout_s)) &&
	       override_take_reason(s, sc, o) && cli_at_end(s, sc);
}

static OWNED struct control_req *
override_req_new(enum control_kind k)
{
	struct control_req *r = control_req_new(k);

	r->override = mem_zalloc(MEM_CONFIG, sizeof(*r->override));
	return r;
}

void
cmd_override_add(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = override_req_new(CTL_OVERRIDE_ADD);

	if (override_take(s, sc, r))
		cli_ask(s, r);
	else
		control_req_free(r);
}

void
cmd_override_remove(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = override_req_new(CTL_OVERRIDE_REMOVE);

	if (cmd_parse_number(s, sc, 1, UINT32_MAX, &r->override->id) && cli_at_end(s, sc))
		cli_ask(s, r);
	else
		control_req_free(r);
}

void
cmd_override_extend(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = override_req_new(CTL_OVERRIDE_EXTEND);

	if (!cmd_parse_number(s, sc, 1, UINT32_MAX, &r->override->id)) {
		control_req_free(r);
		return;
	}
	if (!cli_scan_word(sc, "for")) {
		cli_syntax(s, sc, "'for'");
		control_req_free(r);
		return;
	}
	if (cmd_parse_span(s, sc, &r->timeout_s) && cli_at_end(s, sc))
		cli_ask(s, r);
	else
		control_req_free(r);
}
