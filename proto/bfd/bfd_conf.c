/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol bfd`. In the thread that parses.
 *
 *      accept ipv4 direct;
 *      interface "eth*" { interval 100 ms; multiplier 3; };
 *      multihop { interval 200 ms; };
 *      neighbor 192.0.2.1 dev "eth0" local 192.0.2.2;
 *
 * The first `interface` with fitting patterns sets the parameters of a session. Tested
 * by test/unit/test_conf_golden.c and test/net/test_options.py. */
#include "proto/bfd/bfd_conf.h"

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_iface.h"
#include "nest/conf/opt/conf_opt.h"

#include <stddef.h>

#define OFF(field) offsetof(struct bfd_conf, field)

/* accept [ipv4|ipv6] [direct|multihop], the words in any order; several add up */
static bool
conf_parse_accept(struct conf_args *a, void *to)
{
	struct bfd_conf *b = to;
	unsigned fam = 0, how = 0;

	for (;;) {
		if (conf_arg_word(a, "ipv4"))
			fam |= BFD_TAKES_IP4_DIRECT | BFD_TAKES_IP4_MULTIHOP;
		else if (conf_arg_word(a, "ipv6"))
			fam |= BFD_TAKES_IP6_DIRECT | BFD_TAKES_IP6_MULTIHOP;
		else if (conf_arg_word(a, "direct"))
			how |= BFD_TAKES_IP4_DIRECT | BFD_TAKES_IP6_DIRECT;
		else if (conf_arg_word(a, "multihop"))
			how |= BFD_TAKES_IP4_MULTIHOP | BFD_TAKES_IP6_MULTIHOP;
		else
			break;
	}
	b->takes |= (fam ? fam : BFD_TAKES_ALL) & (how ? how : BFD_TAKES_ALL);
	return true;
}

static bool
bfd_conf_parse_interface(struct conf_args *a, void *to)
{
	struct bfd_iface_conf *i = arena_zalloc(conf_arena(a->ctx), sizeof(*i)), *at;
	struct bfd_conf *b = to;
	const struct bfd_iface_conf *old, *first = NULL;
	const struct bfd_iface_conf **end = &first;

	if (!conf_arg_ifaces(a, true, &i->pattern))
		return false;
	for (const struct iface_pattern *p = i->pattern; p; p = p->next)
		if (p->has_in)
			conf_ext(a->ctx, conf_arg_start(a), KNOWN_TERN,
			    "a prefix as an interface");
	if (conf_arg_peek(a) == ARG_BLOCK) {
		i->opts = bfd_opts_parse(a);
		if (!i->opts)
			return false;
		if (i->opts->graceful)
			conf_ext(a->ctx, conf_arg_start(a), KNOWN_TERN,
			    "option 'graceful' of an interface");
	}
	/* the list of a template may be shared: it is made anew */
	for (old = b->iface; old; old = old->next) {
		at = arena_alloc(conf_arena(a->ctx), sizeof(*at));
		*at = *old;
		at->next = NULL;
		*end = at;
		end = &at->next;
	}
	*end = i;
	b->iface = first;
	return true;
}

static bool
bfd_conf_parse_multihop(struct conf_args *a, void *to)
{
	struct bfd_conf *b = to;

	if (conf_arg_peek(a) != ARG_BLOCK)
		return true;
	b->multihop = bfd_opts_parse(a);
	if (b->multihop && b->multihop->graceful)
		conf_ext(a->ctx, conf_arg_start(a), KNOWN_TERN,
		    "option 'graceful' of an interface");
	return b->multihop;
}

/* conf_read_neighbor - behind the address. */
static bool
conf_read_neighbor(struct conf_args *a, struct bfd_neighbor_conf *n)
{
	if (conf_arg_other(a, '%')) {
		const char *word = conf_arg_next_word(a);

		if (word) /* it lives as long as the option */
			n->ifname = arena_strdup(conf_arena(a->ctx), word);
		else if (!conf_arg_string(a, &n->ifname))
			return false;
	}
	for (;;) {
		if (conf_arg_word(a, "dev")) {
			if (!conf_arg_string(a, &n->ifname))
				return false;
		} else if (conf_arg_word(a, "local")) {
			if (!conf_arg_ip(a, &n->local))
				return false;
		} else if (conf_arg_word(a, "multihop")) {
			n->multihop = true;
			if (conf_arg_peek(a) == ARG_WORD && !conf_arg_word(a, "local") &&
			    !conf_arg_switch(a, &n->multihop))
				return false;
		} else {
			return true;
		}
	}
}

static bool
bfd_conf_parse_neighbor(struct conf_args *a, void *to)
{
	struct bfd_neighbor_conf *n = arena_zalloc(conf_arena(a->ctx), sizeof(*n));
	struct src_pos at = conf_arg_pos(a);
	struct bfd_conf *b = to;

	n->local = IP_NONE;
	if (!conf_arg_ip(a, &n->peer) || !conf_read_neighbor(a, n))
		return false;
	if (ip_is_link_local(n->peer) && !n->ifname) {
		conf_warning(a->ctx, at,
		    "a link-local neighbor needs an interface; the neighbor gets no "
		    "session");
		return true;
	}
	if (n->multihop && ip_is_none(n->local)) {
		conf_error(a->ctx, at, "a multihop neighbor needs a local address");
		return false;
	}
	if (n->multihop && n->ifname) {
		conf_error(a->ctx, at, "a multihop neighbor has no interface");
		return false;
	}
	if (!ip_is_none(n->local) && ip_is_v4(n->local) != ip_is_v4(n->peer)) {
		conf_warning(a->ctx, at,
		    "the addresses of the neighbor are of different families; the "
		    "neighbor gets no session");
		return true;
	}
	n->next = b->neighbor;
	b->neighbor = n;
	return true;
}

static const struct conf_opt options[] = {
	{ "accept", OPT_CUSTOM, .parse = conf_parse_accept,
	    .form = "[( ipv4 | ipv6 )] [( direct | multihop )]",
	    .help = "sessions to take, several add up; by default all" },
	{ NULL, OPT_FIELD, .off = OFF(takes), .min = sizeof(uint32_t), .help = "accept",
	    .change = CONF_CH_RESTART },
	{ "strict bind", OPT_SWITCH, .off = OFF(strict_bind), .change = CONF_CH_RESTART,
	    .help = "listen at the sessions' own addresses only" },
	{ "zero udp6 checksum rx", OPT_SWITCH, .off = OFF(zero_checksum),
	    .change = CONF_CH_RESTART, .help = "take IPv6 packets without a checksum" },
	{ "express thread group", OPT_FORM, .form = "NAME", .known = KNOWN_BIRD_3,
	    .help = "no effect: BFD has a thread of its own" },
	{ "interface", OPT_CUSTOM, .form = CONF_IFACES_ADDRS " [BLOCK]",
	    .sub = bfd_opts_table, .parse = bfd_conf_parse_interface,
	    .help = "options by interface" },
	{ "multihop", OPT_CUSTOM, .form = "[BLOCK]", .sub = bfd_opts_table,
	    .parse = bfd_conf_parse_multihop, .help = "options of multihop sessions" },
	{ "neighbor", OPT_CUSTOM, .parse = bfd_conf_parse_neighbor,
	    .form = "ADDRESS [% NAME] [dev TEXT] [local ADDRESS] [multihop [SWITCH]]",
	    .help = "a session" },
	{ NULL, OPT_STRING, .off = OFF(text), .help = "sessions",
	    .change = CONF_CH_INPLACE },
	{ .type = OPT_END, .help = "protocol bfd" },
};

static void
conf_opts_text(struct strbuf *s, const struct bfd_opts *o)
{
	strbuf_addf(s, " { %s }", o ? o->text : "");
}

/* bfd_conf_check - what sessions are like, as text, to compare. */
static bool
bfd_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	char peer[IP_STR_MAX], local[IP_STR_MAX], in[PREFIX_STR_MAX];
	struct bfd_conf *b = p->opt;
	struct strbuf s;

	strbuf_init(&s);
	for (const struct bfd_iface_conf *i = b->iface; i; i = i->next) {
		for (const struct iface_pattern *q = i->pattern; q; q = q->next)
			strbuf_addf(&s, " %d %s %s", q->negative, q->mask ? q->mask : "",
			    q->has_in ? prefix_str(in, &q->in) : "");
		conf_opts_text(&s, i->opts);
	}
	conf_opts_text(&s, b->multihop);
	for (const struct bfd_neighbor_conf *n = b->neighbor; n; n = n->next)
		strbuf_addf(&s, " %s %s %s %d", ip_str(peer, n->peer),
		    ip_str(local, n->local), n->ifname ? n->ifname : "", n->multihop);
	b->text = arena_strdup(conf_arena(c), s.s);
	strbuf_fini(&s);
	return true;
}

const struct bfd_opts *
bfd_conf_opts(const struct bfd_conf *b, const struct iface *i, struct ip_addr local)
{
	const struct iface_addr *a = NULL;

	for (uint32_t k = 0; k < i->addr_cnt; k++)
		if (ip_equal(i->addr[k].local, local))
			a = &i->addr[k];
	for (const struct bfd_iface_conf *f = b->iface; f; f = f->next)
		if (iface_pattern_fits(f->pattern, i, a))
			return f->opts;
	return NULL;
}

unsigned
bfd_conf_takes(const struct bfd_conf *b)
{
	return b->takes ? b->takes : BFD_TAKES_ALL;
}

const struct conf_class bfd_conf_class = {
	.keyword = "bfd",
	.name = "BFD",
	.kind = PROTO_BFD,
	.opt = options,
	.opt_size = sizeof(struct bfd_conf),
	.check = bfd_conf_check,
};
