/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of static routes of the usual forms:
 *
 *      route PREFIX via ADDRESS;
 *      route PREFIX blackhole | unreachable | prohibit;
 *      route PREFIX max NUMBER as NUMBER;
 *
 * Files that programs write have a million of them, so they are read here by hand, and
 * come to the grammar as one token for many (as items of sets do, conf_run.c). A route is
 * taken only if nothing about it is unusual; what is wrong, rare or long-winded is left
 * to the lexer and the grammar, which alone report errors. */
#include "filter/lang/diag.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_hand.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_tree.h"

#define RUN_ROUTES 256 /* of one token */

/* conf_routes_next - step over blanks. Returns: false: there are none. */
static bool
conf_routes_next(struct hand *h)
{
	const char *from = h->p;

	hand_blank(h);
	return h->p > from;
}

/* conf_routes_word - step over @w, of @len octets, and blanks behind it. */
static bool
conf_routes_word(struct hand *h, const char *w, size_t len)
{
	if (strncmp(h->p, w, len))
		return false;
	h->p += len;
	return conf_routes_next(h);
}

#define WORD_AT(h, w) conf_routes_word(h, w, sizeof(w) - 1)

/* take_via - behind `via`. */
static bool
take_via(struct hand *h, struct ct_route *t)
{
	const char *end;
	bool is_v6;

	if (h->line != t->line || (uint32_t)(h->p - h->line_start) - t->col > UINT16_MAX)
		return false; /* or its place can't be told */
	t->gw_off = (uint16_t)(h->p - h->line_start + 1 - t->col);
	end = ip_scan(&t->gw, &is_v6, h->p);
	if (!end)
		return false;
	h->p = end;
	t->kind = CT_ROUTE_VIA;
	return true;
}

/* take_max - behind `max`. */
static bool
take_max(struct hand *h, struct ct_route *t)
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

/* take_word - what else may stand behind the prefix. */
static bool
take_word(struct hand *h, struct ct_route *t)
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

/* conf_routes_take - the route at @at, which then is behind its semicolon. Returns:
 * false: it is left to others, and @at stays. */
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
	if (WORD_AT(&h, "via")   ? !take_via(&h, t)
	    : WORD_AT(&h, "max") ? !take_max(&h, t)
				 : !take_word(&h, t))
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
	/* as if it began with the first prefix: where the word stands is not asked for */
	*pos = (struct src_pos){ c->file->df.name, run[0].line, run[0].col };
	*out = ct_option_routes(&c->scratch, *pos, to);
	c->file->line = h.line;
	c->file->line_start = h.line_start;
	return h.p;
}
