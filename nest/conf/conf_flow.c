/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads flow specifications: a component is a list of words, values and signs, and
 * becomes octets (filter/run/flow.h). The file may give components in any order; the
 * octets have the order of their types (RFC 8955, 4.2). Loop: the thread that parses.
 * Tested by test/unit/test_conf_golden.c. */
#include "nest/conf/conf_flow.h"
#include "filter/lang/diag.h"
#include "filter/run/flow.h"
#include "filter/run/net.h"
#include "filter/value/fvalue.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/opt/conf_opt.h"

struct flow_ctx {
	struct conf_ctx *c;
	struct conf_args a; /* the component at hand */
	struct strbuf part[FLOW_TYPES];
	bool v6;
	struct fnet net; /* last: without octets here */
};

/* Of components with numbers or masks. */
static const struct {
	const char *word, *word2;
	uint8_t type;
	uint32_t max;
} names[] = {
	{ "proto", NULL, FLOW_PROTO, 0xff },
	{ "next", "header", FLOW_PROTO, 0xff },
	{ "port", NULL, FLOW_PORT, 0xffff },
	{ "dport", NULL, FLOW_DPORT, 0xffff },
	{ "sport", NULL, FLOW_SPORT, 0xffff },
	{ "icmp", "type", FLOW_ICMP_TYPE, 0xff },
	{ "icmp", "code", FLOW_ICMP_CODE, 0xff },
	{ "tcp", "flags", FLOW_TCP_FLAGS, 0xfff },
	{ "length", NULL, FLOW_LENGTH, 0xffff },
	{ "dscp", NULL, FLOW_DSCP, 63 },
	{ "fragment", NULL, FLOW_FRAGMENT, 0 },
	{ "label", NULL, FLOW_LABEL, 0xfffff },
};

/* ---- numbers ---- */

/* conf_flow_sign - = < > != <= >= true false; false: no sign stands here. `true 5` and
 * `false 5` compare nothing (RFC 8955, 4.2.1.1), and the number is kept. */
static bool
conf_flow_sign(struct conf_args *a, uint8_t *op)
{
	static const struct {
		char chr;
		uint8_t op;
	} signs[] = { { '=', FLOW_OP_EQ }, { '<', FLOW_OP_LT }, { '>', FLOW_OP_GT },
		{ FLOW_NE, FLOW_OP_LT | FLOW_OP_GT },
		{ FLOW_LE, FLOW_OP_LT | FLOW_OP_EQ },
		{ FLOW_GE, FLOW_OP_GT | FLOW_OP_EQ } };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(signs); i++)
		if (conf_arg_other(a, signs[i].chr)) {
			*op = signs[i].op;
			return true;
		}
	*op = FLOW_OP_LT | FLOW_OP_GT | FLOW_OP_EQ;
	if (conf_arg_word(a, "true"))
		return true;
	*op = 0;
	return conf_arg_word(a, "false");
}

static bool
flow_range_goes_on(struct conf_args *a)
{
	return conf_arg_other(a, '.');
}

/* `80`, `80..90`, `> 5`, `true 5`, with `,` and `||` for or, `&&` for and. */
static bool
conf_flow_numbers(struct flow_ctx *f, unsigned type, uint32_t max)
{
	struct strbuf *b = &f->part[type];
	uint32_t lo, hi;
	uint8_t and = 0;
	size_t last = 0;

	for (;;) {
		uint8_t op;
		bool sign = conf_flow_sign(&f->a, &op);

		if (!conf_arg_u32(&f->a, &lo, 0, max))
			return false;
		if (!sign && flow_range_goes_on(&f->a)) {
			if (!conf_arg_u32(&f->a, &hi, lo, max))
				return false;
			flow_put_op(b, &last, and | FLOW_OP_GT | FLOW_OP_EQ, lo);
			flow_put_op(b, &last, FLOW_OP_AND | FLOW_OP_LT | FLOW_OP_EQ, hi);
		} else {
			flow_put_op(b, &last, and | (sign ? op : FLOW_OP_EQ), lo);
		}
		and = 0;
		if (conf_arg_other(&f->a, '&'))
			and = FLOW_OP_AND;
		else if (!conf_arg_comma(&f->a) && !conf_arg_other(&f->a, '|'))
			return true;
	}
}

/* ---- masks ---- */

/* flow_one_mask - VALUE/MASK: compare the bits in MASK with the bits of VALUE. */
static bool
flow_one_mask(struct flow_ctx *f, uint8_t and, size_t *last)
{
	struct strbuf *b = &f->part[FLOW_TCP_FLAGS];
	struct src_pos pos = conf_arg_pos(&f->a);
	bool negated = conf_arg_other(&f->a, '!');
	uint32_t value, mask;

	if (!conf_arg_u32(&f->a, &value, 0, 0xffff))
		return false;
	if (!conf_arg_other(&f->a, '/'))
		return conf_arg_expected(&f->a, "'/'");
	if (!conf_arg_u32(&f->a, &mask, 0, 0xfff))
		return false;
	if (value & ~mask) {
		conf_error(f->c, pos, "the value has bits that the mask hasn't");
		return false;
	}
	if (negated && value && value != mask) {
		conf_error(f->c, pos, "negated, the value must be 0 or the mask");
		return false;
	}
	if (value == mask || !value) {
		/* "all bits set"; "no bit set" is the negation of "any bit set" */
		uint8_t op = value == mask ? FLOW_OP_MATCH : 0;

		if (negated == !!op)
			op |= FLOW_OP_NOT;
		flow_put_op(b, last, and | op, mask);
		return true;
	}
	flow_put_op(b, last, and | FLOW_OP_MATCH, value);
	flow_put_op(b, last, FLOW_OP_AND | FLOW_OP_NOT, mask & ~value);
	return true;
}

static bool
flow_one_fragment(struct flow_ctx *f, uint8_t and, size_t *last)
{
	struct src_pos pos = conf_arg_pos(&f->a);
	bool negated = conf_arg_other(&f->a, '!');
	struct conf_args before = f->a;
	const char *w = conf_arg_next_word(&f->a);
	unsigned bit = w ? flow_fragment_bit(w) : 0;

	if (!bit)
		return conf_arg_expected(&before,
		    "dont_fragment, is_fragment, first_fragment or last_fragment");
	if (f->v6 && bit == 1) {
		conf_error(f->c, pos, "IPv6 has no dont_fragment");
		return false;
	}
	flow_put_op(&f->part[FLOW_FRAGMENT], last,
	    (uint8_t)(and | (negated ? FLOW_OP_NOT : 0)), bit);
	return true;
}

static bool
conf_flow_masks(struct flow_ctx *f, unsigned type)
{
	size_t last = 0;
	uint8_t and = 0;

	for (;;) {
		if (type == FLOW_FRAGMENT ? !flow_one_fragment(f, and, &last)
					  : !flow_one_mask(f, and, &last))
			return false;
		and = FLOW_OP_AND;
		if (conf_arg_other(&f->a, '|'))
			and = 0;
		else if (!conf_arg_comma(&f->a) && !conf_arg_other(&f->a, '&'))
			return true;
	}
}

/* ---- prefixes ---- */

/* flow_clear_before - set bits before the offset to 0: those bits have no meaning. */
static void
flow_clear_before(struct prefix *p, unsigned offset)
{
	p->addr.hi &= ~mask64(offset);
	p->addr.lo &= offset > 64 ? ~mask64(offset - 64) : ~0ull;
}

static bool
conf_flow_ends(struct flow_ctx *f, unsigned type)
{
	struct src_pos pos = conf_arg_pos(&f->a);
	uint32_t offset = 0;
	struct prefix p;

	if (!conf_arg_prefix(&f->a, &p))
		return false;
	if ((p.fam == FAM_IP6) != f->v6) {
		conf_error(f->c, pos, "the rule needs a prefix of IPv%d", f->v6 ? 6 : 4);
		return false;
	}
	if (f->v6 && conf_arg_word(&f->a, "offset")) {
		if (!conf_arg_u32(&f->a, &offset, 0, p.len))
			return false;
		flow_clear_before(&p, offset);
	}
	flow_put_prefix(&f->part[type], (enum flow_type)type, &p, offset);
	if (type == FLOW_DST) {
		f->net.addr = p.addr;
		f->net.len = p.len;
	} else {
		f->net.src = p.addr;
		f->net.len2 = p.len;
	}
	return true;
}

/* ---- components ---- */

static unsigned
flow_find_name(struct flow_ctx *f, uint32_t *max)
{
	struct conf_args *a = &f->a;
	unsigned i;

	if (conf_arg_word(a, "dst"))
		return FLOW_DST;
	if (conf_arg_word(a, "src"))
		return FLOW_SRC;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		struct conf_args was = *a;

		*max = names[i].max;
		if (conf_arg_word(a, names[i].word) &&
		    (!names[i].word2 || conf_arg_word(a, names[i].word2)))
			return names[i].type;
		*a = was;
	}
	return 0;
}

static void
conf_flow_component(struct flow_ctx *f, const struct ct_option *o)
{
	uint32_t max = 0;
	unsigned t;

	f->a = conf_args_of(f->c, o);
	t = flow_find_name(f, &max);
	if (!t || (t == FLOW_LABEL && !f->v6)) {
		conf_error(f->c, o->pos, "unknown component of a flow");
		return;
	}
	if (f->part[t].len) {
		conf_error(f->c, o->pos, "this component occurs twice");
		return;
	}
	if (t > FLOW_SRC)
		strbuf_addc(&f->part[t], (char)t);
	if (t <= FLOW_SRC                               ? !conf_flow_ends(f, t)
	    : t == FLOW_TCP_FLAGS || t == FLOW_FRAGMENT ? !conf_flow_masks(f, t)
							: !conf_flow_numbers(f, t, max))
		return;
	(void)conf_arg_done(&f->a);
}

struct fvalue
conf_flow(struct conf_ctx *c, int kind, struct ct_block *b)
{
	struct flow_ctx f = { .c = c, .v6 = kind == NET_FLOW6 };
	const struct ct_option *o;
	struct strbuf all;
	struct fvalue v;
	unsigned t;

	f.net.kind = (uint8_t)kind;
	f.net.fam = f.v6 ? FAM_IP6 : FAM_IP4;
	f.net.addr = f.net.src = f.v6 ? IP_NONE : ip4(0);
	for (t = 0; t < FLOW_TYPES; t++)
		strbuf_init(&f.part[t]);
	for (o = b->option; o; o = o->next)
		conf_flow_component(&f, o);
	strbuf_init(&all);
	for (t = 0; t < FLOW_TYPES; t++) {
		strbuf_add(&all, f.part[t].s, f.part[t].len);
		strbuf_fini(&f.part[t]);
	}
	v = fvalue_net(c->arena, &f.net, all.s, (uint32_t)all.len);
	strbuf_fini(&all);
	return v;
}
