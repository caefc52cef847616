/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of the words that BIRD 2.17 refuses in filters. The parser's thread calls.
 * Tested by test/net/test_to_bird.py; test/net/test_options_bird.py takes the words to
 * BIRD. */
#include "filter/lang/ext_words.h"

#include "filter/lang/ext.h"
#include "filter/run/builtin/builtin.h"
#include "filter/value/known.h"
#include "lib/base/check.h"

#include <string.h>

struct ext_word {
	const char *word;
	enum known_by by;
};

static const struct ext_word constants[] = {
	{ "RTD_ROUTER", KNOWN_TERN },
	{ "RTD_DEVICE", KNOWN_TERN },
	{ "RTD_MULTIPATH", KNOWN_TERN },
	{ "IRR_PREFIX", KNOWN_TERN },
	{ "IRR_VALID", KNOWN_TERN },
	{ "IRR_LENGTH", KNOWN_TERN },
	{ "IRR_ORIGIN", KNOWN_TERN },
	{ "NET_ETH", KNOWN_BIRD_3 },
	{ "NET_EVPN", KNOWN_BIRD_3 },
	{ "NET_NEIGHBOR", KNOWN_BIRD_3 },
	{ "KBR_SRC_BIRD", KNOWN_BIRD_3 },
	{ "KBR_SRC_LOCAL", KNOWN_BIRD_3 },
	{ "KBR_SRC_STATIC", KNOWN_BIRD_3 },
	{ "KBR_SRC_DYNAMIC", KNOWN_BIRD_3 },
	{ "NET_EVPN_EAD", KNOWN_BIRD_3 },
	{ "NET_EVPN_MAC", KNOWN_BIRD_3 },
	{ "NET_EVPN_IMET", KNOWN_BIRD_3 },
	{ "NET_EVPN_ES", KNOWN_BIRD_3 },
};

static const struct ext_word attributes[] = {
	{ "bgp_pmsi_tunnel", KNOWN_BIRD_3 },
	{ "local_metric", KNOWN_BIRD_3 },
};

/* An operator, a method or a function, for a type of its first operand, and for a type of
 * its second operand; T_ANY: any. */
static const struct ext_call {
	const char *name;
	uint8_t first, second; /* enum ftype */
	enum known_by by;
} calls[] = {
	{ "&", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "|", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "++", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "append", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "mac", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "vlan_id", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "evpn_type", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "evpn_tag", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "evpn_esi", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "router_ip", T_ANY, T_ANY, KNOWN_BIRD_3 },
	{ "bt_route", T_ANY, T_ANY, KNOWN_TERN },
	{ "bt_accepts", T_ANY, T_ANY, KNOWN_TERN },
	{ "origin_check", T_ANY, T_ANY, KNOWN_TERN },
	{ "~", T_IP, T_SET_PREFIX, KNOWN_TERN },
	{ "filter", T_CLIST, T_PAIR, KNOWN_TERN },
	{ "filter", T_ECLIST, T_EC, KNOWN_TERN },
	{ "filter", T_LCLIST, T_LC, KNOWN_TERN },
	{ "filter", T_PATH, T_INT, KNOWN_TERN },
};

static void
ext_find(struct diag *d, struct src_pos at, const char *what, const char *name,
    const struct ext_word *w, unsigned cnt)
{
	for (unsigned i = 0; d->ext && i < cnt; i++)
		if (!strcmp(w[i].word, name))
			ext_add(d->ext, at, w[i].by, "%s '%s'", what, name);
}

void
ext_constant(struct diag *d, struct src_pos at, const char *name)
{
	ext_find(d, at, "constant", name, constants, ARRAY_LEN(constants));
}

void
ext_attribute(struct diag *d, struct src_pos at, const char *name)
{
	ext_find(d, at, "attribute", name, attributes, ARRAY_LEN(attributes));
}

void
ext_assignment(struct diag *d, struct src_pos at, const char *name)
{
	static const struct ext_word opaque[] = {
		{ "bgp_atomic_aggr", KNOWN_TERN },
		{ "bgp_aggregator", KNOWN_TERN },
	};

	ext_find(d, at, "an assignment to attribute", name, opaque, ARRAY_LEN(opaque));
}

void
ext_set_prefix(struct diag *d, struct src_pos at, const char *name)
{
	ext_add(
	    d->ext, at, KNOWN_BIRD_3, "the constant '%s' of type prefix in a set", name);
}

void
ext_type(struct diag *d, struct src_pos at, enum ftype t)
{
	static const struct {
		enum ftype type;
		const char *name;
		enum known_by by;
	} types[] = {
		{ T_MAC, "mac", KNOWN_BIRD_3 },
		{ T_ENUM_KBR_SRC, "enum kbr_source", KNOWN_BIRD_3 },
		{ T_ENUM_EVPN, "enum net_evpn_type", KNOWN_BIRD_3 },
		{ T_ENUM_IRR, "enum irr", KNOWN_TERN },
		{ T_SET_ORIGIN, "origin set", KNOWN_TERN },
	};

	for (unsigned i = 0; d->ext && i < ARRAY_LEN(types); i++)
		if (types[i].type == t)
			ext_add(d->ext, at, types[i].by, "type '%s'", types[i].name);
}

void
ext_custom(struct diag *d, struct src_pos at, enum ftype t)
{
	switch (t) {
	case T_INT:
	case T_IP:
	case T_QUAD:
	case T_STRING:
	case T_BYTES:
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		return;
	default:
		ext_add(
		    d->ext, at, KNOWN_TERN, "an attribute of type '%s'", ftype_name(t));
	}
}

void
ext_builtin(
    struct diag *d, struct src_pos at, unsigned kind, bool typed, const struct builtin *b)
{
	const char *what = kind == BI_OP       ? "operator"
			   : kind == BI_METHOD ? "method"
					       : "function";

	for (unsigned i = 0; d->ext && i < ARRAY_LEN(calls); i++) {
		const struct ext_call *c = &calls[i];

		if (strcmp(c->name, b->name) != 0 ||
		    (c->first != T_ANY && (!typed || c->first != b->arg[0])) ||
		    (c->second != T_ANY && c->second != b->arg[1]))
			continue;
		if (c->first == T_ANY)
			ext_add(d->ext, at, c->by, "%s '%s'", what, b->name);
		else
			ext_add(d->ext, at, c->by, "%s '%s' with types %s and %s", what,
			    b->name, ftype_name(c->first), ftype_name(c->second));
	}
}
