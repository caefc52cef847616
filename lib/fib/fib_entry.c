/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of routes: an entry (next hop, origin AS, attribute set) becomes a number with
 * the indices of three interned objects.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/base/vec.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_build_priv.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/fib_space.h"
#include "lib/fib/fib_value.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include <errno.h>

/* fib_value_set - the attribute set of @e in @f->set_key.at. Returns: octets; 0: the
 * image has no attribute sets. */
static uint32_t
fib_value_set(struct fib *f, const struct fib_entry *e)
{
	uint32_t fields = f->options.fields, cnt = 0, large = 0, len;
	struct fib_set *s;

	if (!(fields & (FIB_WITH_PEER | FIB_WITH_COMMUNITIES | FIB_WITH_RPKI)))
		return 0;
	if (fields & FIB_WITH_COMMUNITIES) {
		cnt = e->community_cnt;
		large = e->large_cnt;
	}
	len = (uint32_t)sizeof(*s) + (cnt + 3 * large) * (uint32_t)sizeof(s->word[0]);
	f->set_key.at = vec_room(MEM_PROTO, f->set_key.at, &f->set_key.cap, len, 1);
	s = (struct fib_set *)(void *)f->set_key.at;
	*s = (struct fib_set){ .peer_as = fields & FIB_WITH_PEER ? e->peer_as : 0,
		.rpki = fields & FIB_WITH_RPKI ? (uint8_t)e->rpki : 0,
		.community_cnt = (uint16_t)cnt,
		.large_cnt = (uint16_t)large };
	if (cnt)
		memcpy(s->word, e->community, cnt * sizeof(s->word[0]));
	if (large)
		memcpy(s->word + cnt, e->large, 3ull * large * sizeof(s->word[0]));
	return len;
}

/* fib_value_attr_get - the index of the attribute set of @e; 0: none, and *@full if all
 * indices are in use. */
static uint32_t
fib_value_attr_get(struct fib *f, const struct fib_entry *e, bool *full)
{
	uint32_t len = fib_value_set(f, e), index;

	if (!len)
		return 0;
	index = fib_intern_get(&f->attr, f->set_key.at, len);
	*full = !index;
	return index;
}

void
fib_value_fetch(struct fib *f, const struct fib_entry *e, unsigned step)
{
	uint32_t len = fib_value_set(f, e);

	if (len)
		fib_intern_fetch(&f->attr, f->set_key.at, len, step);
	if (f->options.fields & FIB_WITH_ORIGIN && e->origin_as)
		fib_intern_fetch(&f->origin, &e->origin_as, sizeof(e->origin_as), step);
}

int
fib_value_get(struct fib *f, const struct fib_entry *e, uint64_t *value)
{
	struct fib_hop h = { .ifindex = e->ifindex, .kind = (uint8_t)e->hop_kind };
	uint32_t hop, origin = 0, attr;
	bool full = false;

	*value = 0;
	if (!ip_is_none(e->next_hop))
		ip_put16(h.addr, e->next_hop);
	fib_value_fetch(f, e, 0); /* the memory of both tables at the same time */
	hop = fib_intern_get(&f->hop, &h, sizeof(h));
	if (!hop)
		return -ENOSPC;
	if (f->options.fields & FIB_WITH_ORIGIN && e->origin_as) {
		origin = fib_intern_get(&f->origin, &e->origin_as, sizeof(e->origin_as));
		full = !origin;
	}
	attr = full ? 0 : fib_value_attr_get(f, e, &full);
	if (full) {
		fib_value_drop(f, FIB_ANSWER(hop, origin, 0));
		return -ENOSPC;
	}
	*value = FIB_ANSWER(hop, origin, attr);
	return 0;
}

void
fib_value_ref(struct fib *f, uint64_t value)
{
	fib_intern_ref(&f->hop, fib_value_hop(value));
	fib_intern_ref(&f->origin, fib_value_origin(value));
	fib_intern_ref(&f->attr, fib_value_attr(value));
}

void
fib_value_drop(struct fib *f, uint64_t value)
{
	uint64_t next = f->generation + 1;
	uint32_t place;

	fib_intern_drop(&f->hop, fib_value_hop(value), next);
	fib_intern_drop(&f->origin, fib_value_origin(value), next);
	place = fib_intern_drop(&f->attr, fib_value_attr(value), next);
	if (place)
		fib_space_give(&f->set, place, 0);
}

void
fib_value_entry(const struct fib *f, uint64_t value, struct fib_entry *out)
{
	uint32_t origin = fib_value_origin(value), attr = fib_value_attr(value);
	struct fib_hop h;

	memset(out, 0, sizeof(*out));
	memcpy(&h, f->hop.at[fib_value_hop(value)]->key, sizeof(h));
	out->hop_kind = (enum fib_hop_kind)h.kind;
	out->next_hop = ip_get16(h.addr);
	out->ifindex = h.ifindex;
	if (origin)
		memcpy(&out->origin_as, f->origin.at[origin]->key, sizeof(uint32_t));
	if (attr) {
		const struct fib_set *s = (const void *)f->attr.at[attr]->key;

		out->peer_as = s->peer_as;
		out->rpki = (enum fib_rpki)s->rpki;
		out->community_cnt = s->community_cnt;
		out->large_cnt = s->large_cnt;
		out->community = s->word;
		out->large = s->word + s->community_cnt;
	}
}
