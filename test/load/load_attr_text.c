/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canonical attributes as one line of text, so that a difference can be read. */
#include "test/load/load_attr.h"

static void
print_path(struct strbuf *b, struct span v)
{
	const uint8_t *p = v.p, *end = v.p + v.len;
	unsigned i;

	for (; p < end; p += 2 + p[1] * 4) {
		if (p > v.p)
			strbuf_addc(b, ' ');
		if (p[0] != 2)
			strbuf_addf(b, "%s", p[0] == 1 ? "{" : "(");
		for (i = 0; i < p[1]; i++)
			strbuf_addf(b, "%s%u", i ? " " : "", get_be32(p + 2 + i * 4));
		if (p[0] != 2)
			strbuf_addf(b, "%s", p[0] == 1 ? "}" : ")");
	}
}

static void
load_attr_text_print_next_hop(struct strbuf *b, struct span v)
{
	char s[IP_STR_MAX];
	unsigned i;

	if (v.len == 4)
		strbuf_adds(b, ip_str(s, ip4(get_be32(v.p))));
	for (i = 0; v.len >= 16 && i + 16 <= v.len; i += 16)
		strbuf_addf(b, "%s%s", i ? " " : "", ip_str(s, ip_get16(v.p + i)));
}

/* Numbers of @each octets, divided into @parts by colons. */
static void
load_attr_text_print_list(struct strbuf *b, struct span v, unsigned each, unsigned parts)
{
	unsigned i, j, w = each / parts;

	for (i = 0; i + each <= v.len; i += each)
		for (j = 0; j < parts; j++)
			strbuf_addf(b, "%s%u",
			    j   ? ":"
			    : i ? " "
				: "",
			    w == 2 ? get_be16(v.p + i + j * w)
				   : get_be32(v.p + i + j * w));
}

static void
load_attr_text_print_item(struct strbuf *b, const struct attr_item *it)
{
	static const char *const origin[] = { "igp", "egp", "incomplete" };
	unsigned i;

	switch (it->type) {
	case A_ORIGIN:
		strbuf_addf(b, "origin %s",
		    it->value.len == 1 && it->value.p[0] < 3 ? origin[it->value.p[0]]
							     : "?");
		return;
	case A_AS_PATH:
		strbuf_adds(b, "path ");
		print_path(b, it->value);
		return;
	case A_NEXT_HOP:
	case A_MP_REACH:
		strbuf_adds(b, "next hop ");
		load_attr_text_print_next_hop(b, it->value);
		return;
	case A_MED:
		strbuf_adds(b, "med ");
		load_attr_text_print_list(b, it->value, 4, 1);
		return;
	case A_ATOMIC:
		strbuf_adds(b, "atomic");
		return;
	case A_COMMUNITY:
		strbuf_adds(b, "community ");
		load_attr_text_print_list(b, it->value, 4, 2);
		return;
	case A_LARGE_COMMUNITY:
		strbuf_adds(b, "large ");
		load_attr_text_print_list(b, it->value, 12, 3);
		return;
	default:
		strbuf_addf(b, "attribute %u flags %02x ", it->type, it->flags);
		for (i = 0; i < it->value.len && i < 64; i++)
			strbuf_addf(b, "%02x", it->value.p[i]);
	}
}

void
attr_print(struct strbuf *b, struct span canon)
{
	struct attr_item it;
	bool first = true;

	while (attr_next(&canon, &it)) {
		if (!first)
			strbuf_adds(b, "; ");
		first = false;
		load_attr_text_print_item(b, &it);
	}
}
