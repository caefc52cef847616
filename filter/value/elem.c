/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints elements of sets. Pure functions; any thread. Tested by
 * test/unit/test_value.c. */
#include "filter/value/elem.h"

#include "filter/value/enum_const.h"
#include "filter/value/rd.h"
#include "filter/value/type.h"
#include "lib/attr/community.h"
#include "lib/net/ip.h"

static void
elem_print_comm(struct strbuf *b, enum comm_kind k, const struct fvalue *v)
{
	struct comm c = { { v->w[0], v->w[1], k == COMM_LARGE ? v->w[2] : 0 } };

	comm_print_one(b, k, c);
}

static void
elem_print_mac(struct strbuf *b, const struct fvalue *v)
{
	uint64_t m = (uint64_t)v->w[0] << 32 | v->w[1];
	int shift;

	for (shift = 40; shift >= 0; shift -= 8)
		strbuf_addf(b, shift ? "%02x:" : "%02x", (unsigned)(m >> shift & 0xff));
}

static void
elem_print_enum(struct strbuf *b, const struct fvalue *v)
{
	const char *name = enum_const_name(v->type, v->i);

	if (name)
		strbuf_adds(b, name);
	else
		strbuf_addf(b, "(%s)%u", ftype_name(v->type), v->i);
}

static void
elem_print_ip(struct strbuf *b, struct ip_addr ip)
{
	char buf[IP_STR_MAX];

	strbuf_adds(b, ip_str(buf, ip));
}

void
elem_print(struct strbuf *b, const struct fvalue *v)
{
	switch (v->type) {
	case T_BOOL:
		strbuf_adds(b, v->i ? "TRUE" : "FALSE");
		return;
	case T_INT:
		strbuf_addf(b, "%u", v->i);
		return;
	case T_QUAD:
		elem_print_ip(b, ip4(v->i));
		return;
	case T_IP:
		elem_print_ip(b, v->ip);
		return;
	case T_RD:
		rd_print(b, v->w);
		return;
	case T_MAC:
		elem_print_mac(b, v);
		return;
	case T_PAIR:
		strbuf_addf(b, "(%u,%u)", v->w[0], v->w[1]);
		return;
	case T_EC:
		elem_print_comm(b, COMM_EXT, v);
		return;
	case T_LC:
		elem_print_comm(b, COMM_LARGE, v);
		return;
	default:
		elem_print_enum(b, v);
	}
}
