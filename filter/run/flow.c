/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components of flow specifications. No state; any thread.
 *
 * The text is decoded from the octets, so different source forms give one text: `>= 3 &&
 * <= 4` is `3..4`, a mask with both set and cleared bits is two masks. tern does not
 * receive flow specifications, so the octets are tern's and well formed. */
#include "filter/run/flow.h"
#include "lib/net/ip.h"
#include <string.h>

static const char *const fragment[] = { "dont_fragment", "is_fragment", "first_fragment",
	"last_fragment" };

unsigned
flow_fragment_bit(const char *name)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(fragment); i++)
		if (!strcmp(name, fragment[i]))
			return 1u << i;
	return 0;
}

/* ---- making ---- */

static unsigned
flow_bit_of(struct ip_addr a, unsigned i)
{
	return (unsigned)((i < 64 ? a.hi >> (63 - i) : a.lo >> (127 - i)) & 1);
}

void
flow_put_prefix(
    struct strbuf *b, enum flow_type t, const struct prefix *p, unsigned offset)
{
	unsigned first = p->fam == FAM_IP4 ? 96 : 0, i, octet = 0, cnt = 0;

	strbuf_addc(b, (char)t);
	strbuf_addc(b, (char)p->len);
	if (p->fam == FAM_IP6)
		strbuf_addc(b, (char)offset);
	for (i = offset; i < p->len; i++) {
		octet = octet << 1 | flow_bit_of(p->addr, first + i);
		if (++cnt % 8 == 0)
			strbuf_addc(b, (char)octet);
	}
	if (cnt % 8)
		strbuf_addc(b, (char)(octet << (8 - cnt % 8)));
}

void
flow_put_op(struct strbuf *b, size_t *last, uint8_t op, uint32_t value)
{
	unsigned size = value <= 0xff ? 0 : value <= 0xffff ? 1 : 2;
	int shift;

	if (*last)
		b->s[*last] = (char)(b->s[*last] & ~FLOW_OP_END);
	*last = b->len;
	strbuf_addc(b, (char)(FLOW_OP_END | op | size << 4));
	for (shift = (int)(8u << size) - 8; shift >= 0; shift -= 8)
		strbuf_addc(b, (char)(value >> shift));
}

/* ---- text ---- */

struct flow_op {
	uint8_t op;
	uint32_t value;
};

static const uint8_t *
flow_get_op(const uint8_t *p, struct flow_op *out)
{
	unsigned n = 1u << ((*p & FLOW_OP_LEN) >> 4);

	*out = (struct flow_op){ .op = *p++ };
	while (n--)
		out->value = out->value << 8 | *p++;
	return p;
}

static bool
flow_is_numbers(unsigned t)
{
	return t != FLOW_TCP_FLAGS && t != FLOW_FRAGMENT;
}

/* A comma stands where a range, or a number, ends and the next begins. */
static const uint8_t *
flow_print_numbers(struct strbuf *b, const uint8_t *p)
{
	static const char *const sign[8] = { "false ", "", "> ", ">= ", "< ",
		"<= ", "!= ", "true " };
	struct flow_op x = { 0 }, y;
	bool first = true, ended_before = false;

	do {
		bool begins, range;

		p = flow_get_op(p, &x);
		range = (x.op & 7) == (FLOW_OP_GT | FLOW_OP_EQ) &&
			!(x.op & FLOW_OP_END) &&
			(*p & (FLOW_OP_AND | 7)) ==
			    (FLOW_OP_AND | FLOW_OP_LT | FLOW_OP_EQ);
		begins = (x.op & (FLOW_OP_EQ | FLOW_OP_LT)) == FLOW_OP_EQ;
		if (!first)
			strbuf_adds(b, (x.op & FLOW_OP_AND)     ? " && "
				       : begins && ended_before ? ","
								: " || ");
		if (range) {
			p = flow_get_op(p, &y);
			strbuf_addf(b, "%u..%u", x.value, y.value);
			x.op = y.op;
		} else {
			strbuf_addf(b, "%s%u", sign[x.op & 7], x.value);
		}
		first = false;
		ended_before = (x.op & (FLOW_OP_EQ | FLOW_OP_GT)) == FLOW_OP_EQ;
	} while (!(x.op & FLOW_OP_END));
	return p;
}

static const uint8_t *
flow_print_masks(struct strbuf *b, const uint8_t *p, unsigned t)
{
	struct flow_op x = { 0 };
	bool first = true;

	do {
		bool negated;
		unsigned i;

		p = flow_get_op(p, &x);
		if (!first)
			strbuf_adds(b, (x.op & FLOW_OP_AND) ? " && " : " || ");
		first = false;
		if (t == FLOW_FRAGMENT) {
			strbuf_adds(b, (x.op & FLOW_OP_NOT) ? "!" : "");
			for (i = 0; i < ARRAY_LEN(fragment); i++)
				if (x.value & 1u << i)
					strbuf_adds(b, fragment[i]);
			continue;
		}
		/* none of the bits: 0 under the mask; any of them: not that */
		negated = !(x.op & FLOW_OP_MATCH) == !(x.op & FLOW_OP_NOT);
		strbuf_addf(b, "%s0x%x/0x%x", negated ? "!" : "",
		    (x.op & FLOW_OP_MATCH) ? x.value : 0, x.value);
	} while (!(x.op & FLOW_OP_END));
	return p;
}

static const uint8_t *
flow_print_prefix(struct strbuf *b, const uint8_t *p, bool v6)
{
	unsigned len = *p++, offset = v6 ? *p++ : 0, n = (len - offset + 7) / 8, i;
	unsigned first = offset + (v6 ? 0 : 96);
	char text[PREFIX_STR_MAX];
	struct prefix x = { .len = (uint8_t)len, .fam = v6 ? FAM_IP6 : FAM_IP4 };
	struct ip_addr a = v6 ? IP_NONE : ip4(0);

	for (i = 0; i < len - offset; i++) {
		unsigned at = first + i;

		if (!(p[i / 8] >> (7 - i % 8) & 1))
			continue;
		if (at < 64)
			a.hi |= 1ull << (63 - at);
		else
			a.lo |= 1ull << (127 - at);
	}
	x.addr = a;
	strbuf_adds(b, prefix_str(text, &x));
	if (offset)
		strbuf_addf(b, " offset %u", offset);
	return p + n;
}

void
flow_print(struct strbuf *b, const uint8_t *p, uint32_t len, bool v6)
{
	static const char *const name[FLOW_TYPES] = { "?", "dst", "src", "proto", "port",
		"dport", "sport", "icmp type", "icmp code", "tcp flags", "length", "dscp",
		"fragment", "label" };
	const uint8_t *end = p + len;

	while (p < end) {
		unsigned t = *p++;

		strbuf_addf(b, "%s ", t == FLOW_PROTO && v6 ? "next header" : name[t]);
		if (t <= FLOW_SRC)
			p = flow_print_prefix(b, p, v6);
		else if (flow_is_numbers(t))
			p = flow_print_numbers(b, p);
		else
			p = flow_print_masks(b, p, t);
		strbuf_adds(b, "; ");
	}
}
