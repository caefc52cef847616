/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads runs of items of a set literal: constant prefixes and numbers with commas
 * between.
 *
 * Large configurations consist of such runs. This reader works by hand, and gives the
 * grammar a run as a single token. The reader takes an item only if the item has a usual
 * form, and a comma or the closing bracket follows; the run ends behind the last such
 * item. The lexer and the grammar read wrong, rare and long-winded items, and only they
 * report errors.
 *
 * Loop: the thread that parses. */
#include "filter/lang/ast.h"
#include "filter/lang/diag.h"
#include "filter/set/pfx_pattern.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_hand.h"
#include "nest/conf/conf_parse.h"

#define STOP_ITEMS 4096 /* between two looks at whether the set is wanted still */

/* conf_run_bounds - read the bounds behind a prefix: +, -, {lo,hi}. */
static bool
conf_run_bounds(const char **pp, struct pfx_pattern *t, unsigned max)
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
		if (!hand_number(&p, max, &lo) || *p++ != ',')
			return false;
		while (*p == ' ')
			p++;
		if (!hand_number(&p, max, &hi) || *p++ != '}' || lo > hi)
			return false;
	}
	t->lo = (uint8_t)lo;
	t->hi = (uint8_t)hi;
	*pp = p;
	return true;
}

/* conf_run_pattern - read a prefix and its bounds. */
static bool
conf_run_pattern(const char **pp, struct pfx_pattern *t)
{
	struct prefix net;

	if (!hand_prefix(pp, &net))
		return false;
	*t = (struct pfx_pattern){ .addr = net.addr, .len = net.len, .fam = net.fam };
	return conf_run_bounds(pp, t, family_bits((enum family)net.fam));
}

/* n or n..m */
static bool
conf_run_numbers(const char **pp, uint32_t *lo, uint32_t *hi)
{
	const char *p = *pp;

	if (!hand_number(&p, UINT32_MAX, lo))
		return false;
	*hi = *lo;
	if (p[0] == '.') {
		p += 2;
		if (p[-1] != '.' || !hand_number(&p, UINT32_MAX, hi) || *lo > *hi)
			return false;
	}
	*pp = p;
	return true;
}

/* run_take_item - read the item at @r into @l. Returns: false: the item is unusual, and
 * @r stays. */
static bool
run_take_item(struct conf_ctx *c, struct hand *r, struct set_lit *l)
{
	struct hand end = *r;
	struct pfx_pattern t;
	uint32_t lo, hi;
	bool is_number;
	const char *p;

	p = end.p;
	is_number = conf_run_numbers(&p, &lo, &hi) && *p != ':' && hand_hex(*p) > 15;
	if (!is_number) {
		p = end.p;
		if (!conf_run_pattern(&p, &t))
			return false;
	}
	end.p = p;
	hand_blank(&end);
	if (*end.p != ',' && *end.p != ']')
		return false;
	if (is_number)
		set_lit_num(&c->ast, l, lo, hi);
	else
		set_lit_prefix(&c->ast, l, &t);
	/* skipping the blanks before the comma loses no text */
	*r = end;
	return true;
}

const char *
conf_run(struct conf_ctx *c, const char *from, struct src_pos *pos, struct set_lit **out)
{
	struct hand r = { from, c->file->line_start, c->file->line }, next;
	struct set_lit *l;
	uint32_t cnt = 0;

	hand_blank(&r);
	/* test before any allocation: most sets begin otherwise */
	if (hand_hex(*r.p) > 15 && *r.p != ':')
		return NULL;
	l = set_lit_new(&c->ast);
	*pos = (struct src_pos){ c->file->df.name, r.line,
		(uint32_t)(r.p - r.line_start) + 1 };
	if (!run_take_item(c, &r, l))
		return NULL;
	for (next = r; *next.p == ','; next = r) {
		next.p++;
		hand_blank(&next);
		if (!run_take_item(c, &next, l))
			break;
		r = next;
		if (++cnt % STOP_ITEMS == 0 && conf_stops(c))
			break;
	}
	c->file->line = r.line;
	c->file->line_start = r.line_start;
	*out = l;
	return r.p;
}
