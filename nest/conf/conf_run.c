/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of items of a set literal: constant prefixes and numbers with commas between them.
 *
 * Large configurations consist of them, so they are read here in one go, by hand, and
 * come to the grammar as one token. An item is taken only if nothing about it is unusual
 * and a comma or the closing bracket follows; the run ends behind the last item taken.
 * What is wrong, rare or long-winded is left to the lexer and the grammar, which alone
 * report errors. */
#include "filter/lang/ast.h"
#include "filter/lang/diag.h"
#include "filter/set/pfx_pattern.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_parse.h"

#define STOP_ITEMS 4096 /* between two looks at whether the set is wanted still */

/* Where the reader is. */
struct run {
	const char *p;
	const char *line_start;
	uint32_t line;
};

/* Blanks, newlines and comments up to the end of a line. */
static void
skip_blank(struct run *r)
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

/* A decimal number up to @max at *@pp. Returns: false if there is none, or a larger
 * one. */
static inline bool
number(const char **pp, uint32_t max, uint32_t *out)
{
	const char *p = *pp;
	uint64_t n = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
		n = n * 10 + (unsigned)(*p - '0');
	*pp = p;
	*out = (uint32_t)n;
	return n <= max;
}

static unsigned
hex_value(char ch)
{
	if (ch >= '0' && ch <= '9')
		return (unsigned)(ch - '0');
	ch |= 0x20;
	return ch >= 'a' && ch <= 'f' ? (unsigned)(ch - 'a') + 10 : 16;
}

/* An IPv6 address of hexadecimal groups. Returns: false if it isn't one of these. */
static bool
address6(const char **pp, struct ip_addr *out)
{
	unsigned cnt = 0, gap = 8, i, d;
	uint16_t group[8] = { 0 };
	const char *p = *pp;

	if (p[0] == ':' && p[1] == ':') {
		gap = 0;
		p += 2;
	}
	while (cnt < 8 && (d = hex_value(*p)) < 16) {
		uint32_t v = d;

		for (i = 1; i < 4 && (d = hex_value(p[i])) < 16; i++)
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
		} else if (hex_value(*p) > 15) {
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

/* What may stand behind a prefix: +, -, {lo,hi}. */
static bool
bounds(const char **pp, struct pfx_pattern *t, unsigned max)
{
	const char *p = *pp;
	uint32_t lo = t->len, hi = t->len;

	if (*p == '+') {
		hi = max;
		p++;
	} else if (*p == '-') {
		lo = 0;
		p++;
	} else if (*p == '{') {
		p++;
		if (!number(&p, max, &lo) || *p++ != ',')
			return false;
		while (*p == ' ')
			p++;
		if (!number(&p, max, &hi) || *p++ != '}' || lo > hi)
			return false;
	}
	t->lo = (uint8_t)lo;
	t->hi = (uint8_t)hi;
	*pp = p;
	return true;
}

static bool
prefix4(const char **pp, struct pfx_pattern *t)
{
	uint32_t v = 0, part, len;
	const char *p = *pp;
	unsigned k;

	for (k = 0; k < 4; k++) {
		if (!number(&p, 255, &part) || *p++ != (k < 3 ? '.' : '/'))
			return false;
		v = v << 8 | part;
	}
	if (!number(&p, 32, &len) || v & ~mask4(len))
		return false;
	*pp = p;
	*t = (struct pfx_pattern){ .addr = ip4(v), .len = (uint8_t)len, .fam = FAM_IP4 };
	return bounds(pp, t, 32);
}

static bool
prefix6(const char **pp, struct pfx_pattern *t)
{
	const char *p = *pp;
	struct ip_addr ip;
	struct prefix net;
	uint32_t len;

	if (!address6(&p, &ip) || *p++ != '/' || !number(&p, 128, &len))
		return false;
	net = prefix_make(ip, len, FAM_IP6);
	if (!ip_equal(net.addr, ip))
		return false;
	*pp = p;
	*t = (struct pfx_pattern){ .addr = ip, .len = (uint8_t)len, .fam = FAM_IP6 };
	return bounds(pp, t, 128);
}

/* n or n..m */
static bool
numbers(const char **pp, uint32_t *lo, uint32_t *hi)
{
	const char *p = *pp;

	if (!number(&p, UINT32_MAX, lo))
		return false;
	*hi = *lo;
	if (p[0] == '.') {
		p += 2;
		if (p[-1] != '.' || !number(&p, UINT32_MAX, hi) || *lo > *hi)
			return false;
	}
	*pp = p;
	return true;
}

/* The item at @r, into @l. Returns: false if it is left to others; @r stays then. */
static bool
take_item(struct conf_ctx *c, struct run *r, struct set_lit *l)
{
	struct run end = *r;
	struct pfx_pattern t;
	uint32_t lo, hi;
	bool is_number;
	const char *p;

	p = end.p;
	is_number = numbers(&p, &lo, &hi) && *p != ':' && hex_value(*p) > 15;
	if (!is_number) {
		p = end.p;
		if (!prefix4(&p, &t)) {
			p = end.p;
			if (!prefix6(&p, &t))
				return false;
		}
	}
	end.p = p;
	skip_blank(&end);
	if (*end.p != ',' && *end.p != ']')
		return false;
	if (is_number)
		set_lit_num(&c->ast, l, lo, hi);
	else
		set_lit_prefix(&c->ast, l, &t);
	/* blanks before the comma don't belong to the run, but nothing is lost with
	 * them */
	*r = end;
	return true;
}

const char *
conf_run(struct conf_ctx *c, const char *from, struct src_pos *pos, struct set_lit **out)
{
	struct run r = { from, c->file->line_start, c->file->line }, next;
	struct set_lit *l;
	uint32_t cnt = 0;

	skip_blank(&r);
	/* before anything is allocated: most sets don't begin like that */
	if (hex_value(*r.p) > 15 && *r.p != ':')
		return NULL;
	l = set_lit_new(&c->ast);
	*pos = (struct src_pos){ c->file->df.name, r.line,
		(uint32_t)(r.p - r.line_start) + 1 };
	if (!take_item(c, &r, l))
		return NULL;
	for (next = r; *next.p == ','; next = r) {
		next.p++;
		skip_blank(&next);
		if (!take_item(c, &next, l))
			break;
		r = next;
		if (++cnt % STOP_ITEMS == 0 && conf_lex_stops(c))
			break;
	}
	c->file->line = r.line;
	c->file->line_start = r.line_start;
	*out = l;
	return r.p;
}
