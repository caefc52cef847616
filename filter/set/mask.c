/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching of AS path masks by simulating an automaton with a bit for each position in
 * the mask: bit i means that the items before i can match the path read so far. The path
 * is read once; the length of the path times the length of the mask bounds the time. Any
 * thread. */
#include "filter/set/mask.h"
#include "filter/value/type.h"
#include "lib/attr/attr_def.h"
#include "lib/base/strbuf.h"

static bool
mask_item_has(const struct mask_item *it, uint32_t as)
{
	switch (it->kind) {
	case MASK_RANGE:
		return as >= it->lo && as <= it->hi;
	case MASK_SET:
		return it->set->type != T_SET_EMPTY && fset_has_u32(it->set, as);
	default:
		return true;
	}
}

/* Does one position of the path (@cnt AS numbers: more than one in a set) match the item?
 */
static bool
mask_position_matches(const struct mask_item *it, const uint8_t *as, unsigned cnt)
{
	unsigned i;

	for (i = 0; i < cnt; i++)
		if (mask_item_has(it, get_be32(as + 4 * i)))
			return true;
	return false;
}

/* Positions that are reached from @bits without reading: items * may be left out. */
static uint64_t
mask_skip_any(const struct fpath_mask *m, uint64_t bits)
{
	uint64_t todo = bits & m->any;

	while (todo) {
		uint64_t next = (todo & -todo) << 1;

		todo &= todo - 1;
		todo |= next & m->any & ~bits;
		bits |= next;
	}
	return bits;
}

static uint64_t
mask_step(const struct fpath_mask *m, uint64_t bits, const uint8_t *as, unsigned cnt)
{
	uint64_t next = bits & m->any; /* * takes it and stays */
	uint64_t todo = bits & ~m->any & ((1ull << m->cnt) - 1);

	while (todo) {
		unsigned i = (unsigned)__builtin_ctzll(todo);

		todo &= todo - 1;
		if (mask_position_matches(&m->item[i], as, cnt))
			next |= (m->item[i].repeat ? 3ull : 2ull) << i;
	}
	return mask_skip_any(m, next);
}

bool
mask_match(const struct fpath_mask *m, const uint8_t *path, uint32_t len)
{
	uint64_t bits = mask_skip_any(m, 1);
	const uint8_t *end = path + len;

	while (path < end && bits) {
		unsigned type = path[0], cnt = path[1], i;

		path += 2;
		if (type == AS_SET || type == AS_CONFED_SET) {
			/* one item matches the set, or several items, each for some
			 * member */
			uint64_t all = 0;

			while (bits) {
				bits = mask_step(m, bits, path, cnt) & ~all;
				all |= bits;
			}
			bits = all;
		} else
			for (i = 0; i < cnt && bits; i++)
				bits = mask_step(m, bits, path + 4 * i, 1);
		path += 4 * cnt;
	}
	return bits >> m->cnt & 1;
}

bool
mask_same(const struct fpath_mask *a, const struct fpath_mask *b)
{
	uint32_t i;

	if (a->cnt != b->cnt)
		return false;
	for (i = 0; i < a->cnt; i++) {
		const struct mask_item *x = &a->item[i], *y = &b->item[i];

		if (x->kind != y->kind || x->repeat != y->repeat || x->lo != y->lo ||
		    x->hi != y->hi)
			return false;
		if (x->kind == MASK_SET &&
		    memcmp(x->set->hash, y->set->hash, sizeof(x->set->hash)))
			return false;
	}
	return true;
}

void
mask_print(struct strbuf *b, const struct fpath_mask *m)
{
	uint32_t i;

	strbuf_adds(b, "[= ");
	for (i = 0; i < m->cnt; i++) {
		const struct mask_item *it = &m->item[i];

		if (it->kind == MASK_ONE)
			strbuf_addc(b, '?');
		else if (it->kind == MASK_ANY)
			strbuf_addc(b, '*');
		else if (it->kind == MASK_SET)
			fset_print(b, it->set);
		else if (it->lo == it->hi)
			strbuf_addf(b, "%u", it->lo);
		else
			strbuf_addf(b, "%u..%u", it->lo, it->hi);
		strbuf_adds(b, it->repeat ? " + " : " ");
	}
	strbuf_adds(b, "=]");
}
