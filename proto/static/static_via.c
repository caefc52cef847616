/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing of next hops:
 *
 *      via ADDRESS[%INTERFACE] [dev "INTERFACE"] [onlink] [weight N] [bfd]
 *      via "INTERFACE" [weight N]
 *
 * as often as a route has ways. Tested by test/conf/static*.conf,
 * test/net/test_static_ways.py.
 *
 * Loop: the thread that parses. */
#include "proto/static/static_via.h"

#include "filter/lang/diag.h"
#include "filter/run/hop.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/static/static_route.h"

#include <net/if.h>

/* via_take_ifname - set the interface of @v to @name. */
static bool
via_take_ifname(
    struct conf_ctx *c, struct static_via *v, struct src_pos pos, const char *name)
{
	if (!*name || strlen(name) >= IF_NAMESIZE) {
		conf_error(c, pos, "an interface can't have the name '%s'", name);
		return false;
	}
	if (v->ifname && strcmp(v->ifname, name)) {
		conf_error(c, pos, "the next hop is on '%s' already", v->ifname);
		return false;
	}
	v->ifname = arena_strdup(conf_arena(c), name);
	return true;
}

static bool
via_parse_ifname(struct conf_args *a, struct static_via *v)
{
	struct src_pos pos = conf_arg_pos(a);
	const char *name;

	return conf_arg_string(a, &name) && via_take_ifname(a->ctx, v, pos, name);
}

/* static_via_parse_scope - behind the %. */
static bool
static_via_parse_scope(struct conf_args *a, struct static_via *v)
{
	struct src_pos pos = conf_arg_pos(a);
	const char *name;

	if (conf_arg_peek(a) == ARG_VALUE)
		return via_parse_ifname(a, v);
	name = conf_arg_next_word(a);
	if (!name)
		return conf_arg_expected(a, "the name of an interface");
	return via_take_ifname(a->ctx, v, pos, name);
}

/* via_parse_switch - parse an optional switch; a missing switch means on. */
static bool
via_parse_switch(struct conf_args *a, bool *out)
{
	static const char *const next[] = { "via", "onlink", "weight", "dev", "bfd",
		"mpls" };
	enum arg_kind kind = conf_arg_peek(a);
	struct conf_args ahead = *a;

	*out = true;
	if (kind != ARG_WORD && kind != ARG_VALUE)
		return true;
	for (unsigned i = 0; i < ARRAY_LEN(next); i++)
		if (conf_arg_word(&ahead, next[i]))
			return true;
	return conf_arg_switch(a, out);
}

static bool
via_parse_weight(struct conf_args *a, struct static_via *v)
{
	uint32_t weight;

	if (!conf_arg_u32(a, &weight, 1, HOP_WEIGHT_MAX))
		return false;
	v->weight = (uint16_t)weight;
	return true;
}

/* via_parse_more - parse the options after a next hop, in any order. */
static bool
via_parse_more(struct conf_args *a, struct static_via *v)
{
	for (;;) {
		struct src_pos pos = conf_arg_pos(a);
		bool ok;

		if (conf_arg_word(a, "onlink"))
			ok = via_parse_switch(a, &v->onlink);
		else if (conf_arg_word(a, "weight"))
			ok = via_parse_weight(a, v);
		else if (conf_arg_word(a, "dev"))
			ok = via_parse_ifname(a, v);
		else if (conf_arg_word(a, "bfd"))
			ok = via_parse_switch(a, &v->bfd);
		else if (conf_arg_word(a, "mpls")) {
			conf_error(a->ctx, pos,
			    "static routes with 'mpls' are not supported yet");
			conf_arg_skip(a);
			return true;
		} else
			return true;
		if (!ok)
			return false;
		if (v->onlink && v->bfd)
			conf_ext(a->ctx, conf_arg_start(a), KNOWN_TERN,
			    "'onlink' with 'bfd' of a next hop");
	}
}

/* static_via_check - true: the gateway of @v is valid. An invalid gateway gets an error,
 * an unreachable address a warning. */
static bool
static_via_check(struct conf_ctx *c, struct src_pos pos, const struct static_via *v)
{
	char ip[IP_STR_MAX];

	if (ip_is_none(v->gw)) {
		conf_error(c, pos, "%s can't be a next hop", ip_str(ip, v->gw));
		return false;
	}
	if (!static_via_possible(v))
		conf_warning(c, pos,
		    "%s can't be a next hop: no packet reaches the address",
		    ip_str(ip, v->gw));
	return true;
}

static bool
via_parse_one(struct conf_args *a, struct static_via *v)
{
	struct src_pos pos = conf_arg_pos(a);

	*v = (struct static_via){ .gw = IP_NONE, .weight = 1 };
	if (conf_arg_is_value(a, T_STRING))
		return via_parse_ifname(a, v) && via_parse_more(a, v);
	if (!conf_arg_ip(a, &v->gw))
		return false;
	if (conf_arg_other(a, '%') && !static_via_parse_scope(a, v))
		return false;
	return via_parse_more(a, v) && static_via_check(a->ctx, pos, v);
}

const struct static_via *
static_via_address(struct conf_ctx *c, struct src_pos pos, struct ip_addr gw,
    const struct static_via *before)
{
	struct static_via *v;

	if (before && ip_equal(before->gw, gw) && static_via_possible(before))
		return before;
	v = arena_alloc(conf_arena(c), sizeof(*v));
	*v = (struct static_via){ .gw = gw, .weight = 1 };
	return static_via_check(c, pos, v) ? v : NULL;
}

bool
static_via_parse(struct conf_args *a, struct static_route *r)
{
	struct src_pos pos = conf_arg_pos(a);
	struct static_via one, *more = NULL;
	uint32_t cnt = 0, cap = 0;
	bool ok;

	do {
		ok = via_parse_one(a, &one);
		if (ok && cnt == HOPS_MAX) {
			conf_error(a->ctx, pos, "more than %d next hops", HOPS_MAX);
			ok = false;
		}
		if (!ok)
			break;
		more = vec_room(MEM_CONFIG, more, &cap, cnt + 1, sizeof(*more));
		more[cnt++] = one;
	} while (conf_arg_word(a, "via"));
	if (ok) {
		r->via = arena_memdup(conf_arena(a->ctx), more, cnt * sizeof(*more));
		r->via_cnt = (uint16_t)cnt;
	}
	mem_free(MEM_CONFIG, more);
	return ok;
}

bool
static_recursive_parse(struct conf_args *a, struct static_route *r)
{
	struct static_via *v = arena_zalloc(conf_arena(a->ctx), sizeof(*v));
	struct src_pos pos;

	*v = (struct static_via){ .weight = 1, .recursive = true };
	if (!conf_arg_ip(a, &v->gw))
		return false;
	pos = conf_arg_pos(a);
	if (conf_arg_word(a, "mpls")) {
		conf_error(
		    a->ctx, pos, "static routes with 'mpls' are not supported yet");
		conf_arg_skip(a);
	}
	r->via = v;
	r->via_cnt = 1;
	return true;
}
