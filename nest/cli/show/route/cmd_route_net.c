/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route: the queried net, written out or as the name of a constant.
 *
 * Loop: the session's. Tested by test/unit/test_cli.c and test/net/test_names.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "filter/lang/sym.h"
#include "filter/run/net.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"

/* net_take_vrp - behind `PREFIX max`: LENGTH as AS. */
static bool
net_take_vrp(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	struct vrp v = { .net = q->prefix };
	enum family fam = q->prefix.fam;
	uint32_t max;

	if (!cmd_parse_number(s, sc, v.net.len, family_bits(fam), &max))
		return false;
	if (!cli_scan_word(sc, "as")) {
		cli_syntax(s, sc, "'as'");
		return false;
	}
	if (!cmd_parse_number(s, sc, 0, UINT32_MAX, &v.asn))
		return false;
	v.max_len = (uint8_t)max;
	q->kind = fam == FAM_IP4 ? NLRI_ROA4 : NLRI_ROA6;
	q->net = nlri_of_vrp(q->kind, &v);
	return true;
}

/* cmd_route_net_take_value - the net or, after `for`, the address in a constant. */
static bool
cmd_route_net_take_value(struct route_query *q, const struct fvalue *v)
{
	static const uint8_t kind[] = {
		[NET_ROA4] = NLRI_ROA4, [NET_ROA6] = NLRI_ROA6, [NET_ASPA] = NLRI_ASPA
	};
	struct vrp r;

	if (v->type == T_IP && q->where == WHERE_FOR) {
		enum family fam = ip_is_v4(v->ip) ? FAM_IP4 : FAM_IP6;

		q->prefix = prefix_make(v->ip, family_bits(fam), fam);
	} else if (v->type == T_PREFIX && v->fam != FVALUE_NET) {
		q->prefix = prefix_make(v->ip, v->plen, (enum family)v->fam);
	} else if (v->type == T_PREFIX && q->where == WHERE_EQUAL &&
		   v->net->kind < ARRAY_LEN(kind) && kind[v->net->kind]) {
		r = (struct vrp){ .max_len = v->net->len2, .asn = v->net->num };
		q->kind = (enum nlri_kind)kind[v->net->kind];
		if (q->kind != NLRI_ASPA)
			r.net = prefix_make(
			    v->net->addr, v->net->len, (enum family)v->net->fam);
		q->net = nlri_of_vrp(q->kind, &r);
		return true;
	} else {
		return false;
	}
	q->kind = q->prefix.fam == FAM_IP4 ? NLRI_IP4 : NLRI_IP6;
	if (q->where == WHERE_EQUAL)
		q->net = nlri_of_prefix(&q->prefix);
	return true;
}

static bool
net_take_const(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	const struct sym *sym = sym_find(s->conf->conf->symbols, sc->text);

	if (!sym) {
		cmd_no_such(s, SYM_BIT(SYM_CONSTANT), "constant", sc->text);
		return false;
	}
	if (sym->class != SYM_CONSTANT || !cmd_route_net_take_value(q, &sym->value)) {
		cli_end(s, CLI_BAD_COMMAND,
		    q->where == WHERE_FOR ? "IP address or network constant expected"
					  : "Network constant expected");
		return false;
	}
	cli_scan_step(sc);
	return true;
}

bool
route_take_net(
    struct cli_session *s, struct cli_scan *sc, struct route_query *q, enum route_where w)
{
	if (q->where != WHERE_ALL) {
		cli_end(s, CLI_BAD_COMMAND, "Only one prefix expected");
		return false;
	}
	q->where = w;
	if (cli_scan_is_name(sc))
		return net_take_const(s, sc, q);
	if (!cmd_parse_prefix(s, sc, w == WHERE_FOR, &q->prefix))
		return false;
	q->kind = q->prefix.fam == FAM_IP4 ? NLRI_IP4 : NLRI_IP6;
	if (w != WHERE_EQUAL)
		return true;
	q->net = nlri_of_prefix(&q->prefix);
	return !cli_scan_word(sc, "max") || net_take_vrp(s, sc, q);
}

bool
route_take_customer(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	struct vrp v = { .asn = 0 };

	if (q->where != WHERE_ALL) {
		cli_end(s, CLI_BAD_COMMAND, "Only one prefix expected");
		return false;
	}
	if (!cmd_parse_number(s, sc, 0, UINT32_MAX, &v.asn))
		return false;
	q->where = WHERE_EQUAL;
	q->kind = NLRI_ASPA;
	q->net = nlri_of_vrp(q->kind, &v);
	return true;
}
