/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses addresses, prefixes and blanks without the lexer and the grammar, for long lists
 * (conf_hand.h). Loop: the thread that parses. Tested by test/unit/test_conf_run.c,
 * test_conf_routes.c. */
#include "nest/conf/conf_hand.h"

#include "lib/net/ip.h"
#include "lib/net/prefix.h"

void
hand_blank(struct hand *r)
{
	const char *p = r->p;

	for (;; p++) {
		if (*p == '\n') {
			r->line++;
			r->line_start = p + 1;
		} else if (*p == '#') {
			while (p[1] && p[1] != '\n')
				p++;
		} else if (*p != ' ' && *p != '\t' && *p != '\r') {
			break;
		}
	}
	r->p = p;
}

/* conf_hand_address6 - read an IPv6 address of hexadecimal groups. Returns: false: no
 * such address stands here. */
static bool
conf_hand_address6(const char **pp, struct ip_addr *out)
{
	unsigned cnt = 0, gap = 8, i, d;
	uint16_t group[8] = { 0 };
	const char *p = *pp;

	if (p[0] == ':' && p[1] == ':') {
		gap = 0;
		p += 2;
	}
	while (cnt < 8 && (d = hand_hex(*p)) < 16) {
		uint32_t v = d;

		for (i = 1; i < 4 && (d = hand_hex(p[i])) < 16; i++)
			v = v << 4 | d;
		p += i;
		group[cnt++] = (uint16_t)v;
		if (*p != ':')
			break;
		p++;
		if (*p == ':') {
			if (gap < 8)
				return false;
			gap = cnt;
			p++;
		} else if (hand_hex(*p) > 15) {
			return false;
		}
	}
	if (*p != '/' || (gap == 8) != (cnt == 8))
		return false;
	*out = (struct ip_addr){ 0, 0 };
	for (i = 0; i < cnt; i++) {
		unsigned at = i < gap ? i : i + 8 - cnt;
		uint64_t *word = at < 4 ? &out->hi : &out->lo;

		*word |= (uint64_t)group[i] << (48 - 16 * (at % 4));
	}
	*pp = p;
	return true;
}

static bool
conf_hand_prefix4(const char **pp, struct prefix *out)
{
	uint32_t v = 0, part, len;
	const char *p = *pp;

	for (unsigned k = 0; k < 4; k++) {
		if (!hand_number(&p, 255, &part) || *p++ != (k < 3 ? '.' : '/'))
			return false;
		v = v << 8 | part;
	}
	if (!hand_number(&p, 32, &len) || v & ~mask4(len))
		return false;
	*pp = p;
	*out = (struct prefix){ .addr = ip4(v), .len = (uint8_t)len, .fam = FAM_IP4 };
	return true;
}

static bool
conf_hand_prefix6(const char **pp, struct prefix *out)
{
	const char *p = *pp;
	struct ip_addr ip;
	uint32_t len;

	if (!conf_hand_address6(&p, &ip) || *p++ != '/' || !hand_number(&p, 128, &len))
		return false;
	*out = prefix_make(ip, len, FAM_IP6);
	if (!ip_equal(out->addr, ip))
		return false;
	*pp = p;
	return true;
}

bool
hand_prefix(const char **pp, struct prefix *out)
{
	return conf_hand_prefix4(pp, out) || conf_hand_prefix6(pp, out);
}
