/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads runs of static routes of the usual forms:
 *
 *      route PREFIX via ADDRESS;
 *      route PREFIX blackhole | unreachable | prohibit;
 *      route PREFIX max NUMBER as NUMBER;
 *
 * Generated files have a million such routes. This reader works by hand, and gives the
 * grammar a single token for many routes (conf_run.c does so for items of sets). The
 * reader takes a route only if the route has a usual form. The lexer and the grammar read
 * wrong, rare and long-winded routes, and only they report errors.
 *
 * Loop: the thread that parses. */
#include "filter/lang/diag.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_hand.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_tree.h"

#define RUN_ROUTES 256 /* routes of a token */

/* conf_routes_next - step over blanks. Returns: false: no blanks stand here. */
static bool
conf_routes_next(struct hand *h)
{
	const char *from = h->p;

	hand_blank(h);
	return h->p > from;
}

/* conf_routes_word - step over @w, of @len octets, and the blanks behind the word. */
static bool
conf_routes_word(struct hand *h, const char *w, size_t len)
{
	if (strncmp(h->p, w, len))
		return false;
	h->p += len;
	return conf_routes_next(h);
}

#define WORD_AT(h, w) conf_routes_word(h, w, sizeof(w) - 1)

/* routes_take_via - behind `via`. */
static bool
routes_take_via(struct hand *h, struct ct_route *t)
{
	const char *end;
	bool is_v6;

	if (h->line != t->line || (uint32_t)(h->p - h->line_start) - t->col > UINT16_MAX)
		return false; /* or gw_off cannot hold the place */
	t->gw_off = (uint16_t)(h->p - h->line_start + 1 - t->col);
	end = ip_scan(&t->gw, &is_v6, h->p);
	if (!end)
		return false;
	h->p = end;
	t->kind = CT_ROUTE_VIA;
	return true;
}

/* routes_take_max - behind `max`. */
static bool
routes_take_max(struct hand *h, struct ct_route *t)
{
	uint32_t max;

	if (!hand_number(&h->p, family_bits((enum family)t->net.fam), &max) ||
	    max < t->net.len || !conf_routes_next(h) || !WORD_AT(h, "as") ||
	    !hand_number(&h->p, UINT32_MAX, &t->asn))
		return false;
	t->max_len = (uint8_t)max;
	t->kind = CT_ROUTE_ROA;
	return true;
}

/* routes_take_word - read a word behind the prefix, instead of `via`. */
static bool
routes_take_word(struct hand *h, struct ct_route *t)
{
	static const struct {
		const char *word;
		uint8_t len, kind;
	} words[] = { { "blackhole", 9, CT_ROUTE_BLACKHOLE },
		{ "unreachable", 11, CT_ROUTE_UNREACHABLE },
		{ "prohibit", 8, CT_ROUTE_PROHIBIT } };

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(h->p, words[i].word, words[i].len)) {
			h->p += words[i].len;
			t->kind = words[i].kind;
			return true;
		}
	return false;
}

/* conf_routes_take - read the route at @at, and set @at behind the semicolon. Returns:
 * false: the route is unusual, and @at stays. */
static bool
conf_routes_take(struct hand *at, struct ct_route *t)
{
	struct hand h = *at;

	hand_blank(&h);
	if (!WORD_AT(&h, "route"))
		return false;
	t->line = h.line;
	t->col = (uint32_t)(h.p - h.line_start) + 1;
	if (!hand_prefix(&h.p, &t->net) || !conf_routes_next(&h))
		return false;
	if (WORD_AT(&h, "via")   ? !routes_take_via(&h, t)
	    : WORD_AT(&h, "max") ? !routes_take_max(&h, t)
				 : !routes_take_word(&h, t))
		return false;
	hand_blank(&h);
	if (*h.p++ != ';')
		return false;
	*at = h;
	return true;
}

const char *
conf_routes(
    struct conf_ctx *c, const char *from, struct src_pos *pos, struct ct_option **out)
{
	struct hand h = { from, c->file->line_start, c->file->line };
	struct ct_route run[RUN_ROUTES];
	struct ct_routes *to;
	uint32_t cnt = 0;

	while (cnt < RUN_ROUTES && conf_routes_take(&h, &run[cnt]))
		cnt++;
	if (!cnt)
		return NULL;
	to = arena_alloc(&c->scratch, sizeof(*to));
	*to = (struct ct_routes){ c->file->df.name,
		arena_memdup(&c->scratch, run, cnt * sizeof(*run)), cnt };
	/* the option's position is the first prefix: nobody asks for the position of the
	 * word */
	*pos = (struct src_pos){ c->file->df.name, run[0].line, run[0].col };
	*out = ct_option_routes(&c->scratch, *pos, to);
	c->file->line = h.line;
	c->file->line_start = h.line_start;
	return h.p;
}
