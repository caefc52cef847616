/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libternfib: reading a whole image, for walks and for verification.
 *
 * I1  A damaged image ends a walk with an error: each reference and each run is checked,
 *     and the walk visits at most as many chunks as the section can hold.
 *
 * Loop: the thread that owns the handle. Tests: prop_fib.c. */
#include "lib/fib/fib_chunk.h"
#include "lib/fib/fib_find.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/ternfib.h"
#include "lib/fib/ternfib_priv.h"
#include "lib/mt/mapped.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TRIES  100 /* of ternfib_verify */
#define NAP_US 1000 /* between two tries: the time of a publication */

/* One walk. Owner: the call. */
struct ternfib_tour {
	struct ternfib *t;
	int (*each)(void *arg, const struct ternfib_range *r); /* NULL: verify only */
	void *arg;
	const char *why; /* what is damaged */
	uint64_t sum; /* as fib_live.content_sum */
	uint64_t left; /* chunks that the walk may still visit */
	uint8_t addr[16];
};

static int
ternfib_walk_bad(struct ternfib_tour *w, const char *why)
{
	w->why = why;
	return -EIO;
}

/* ternfib_walk_show - report the addresses that share the octets of @w->addr before octet
 * @at, with octet @at from @from to @to. */
static int
ternfib_walk_show(
    struct ternfib_tour *w, unsigned at, unsigned from, unsigned to, uint64_t answer)
{
	struct ternfib_range r = { .answer = answer };
	unsigned octets = ternfib_bits(w->t) / 8, pad = 16 - octets;

	if (!answer || !w->each)
		return 0;
	if (pad)
		r.first[10] = r.first[11] = r.last[10] = r.last[11] = 0xff;
	memcpy(r.first + pad, w->addr, at);
	memcpy(r.last + pad, w->addr, at);
	r.first[pad + at] = (uint8_t)from;
	r.last[pad + at] = (uint8_t)to;
	memset(r.last + pad + at + 1, 0xff, octets - at - 1);
	return w->each(w->arg, &r);
}

/* ternfib_walk_sound - are the numbers of a chunk possible? */
static bool
ternfib_walk_sound(const struct ternfib *t, const struct fib_chunk *c)
{
	const uint8_t *end = t->view.chunk + (t->view.chunk_mask + 1ull) * FIB_UNIT;
	unsigned before = 0;

	for (unsigned w = 0; w < 4; w++) {
		if (c->before[w] != before)
			return false;
		before += (unsigned)__builtin_popcountll(c->start[w]);
	}
	return !(c->start[0] & 1) && before < FIB_VALUES && c->child < 2 && c->width &&
	       c->width <= 57 && c->hop_width <= FIB_HOP_BITS &&
	       c->origin_width <= FIB_ORIGIN_BITS &&
	       c->hop_width + c->origin_width + c->child <= c->width &&
	       (const uint8_t *)c + fib_chunk_octets(c) <= end;
}

/* ternfib_walk_next - the first value of the run after the run of @from; 256: none. */
static unsigned
ternfib_walk_next(const struct fib_chunk *c, unsigned from)
{
	for (unsigned i = from + 1; i < FIB_VALUES; i++)
		if (c->start[i / 64] >> (i % 64) & 1)
			return i;
	return FIB_VALUES;
}

/* ternfib_walk_chunk - the chunk at @unit, for octet @at of the address. Recursion: at
 * most FIB_DEPTH_MAX calls. */
static int
ternfib_walk_chunk(struct ternfib_tour *w, uint64_t unit, unsigned at)
{
	const struct fib_view *v = &w->t->view;
	const struct fib_chunk *c = fib_find_chunk(v, unit);
	struct fib_pack p;
	int err = 0;

	if (at >= ternfib_bits(w->t) / 8)
		return ternfib_walk_bad(w, "a chunk lies behind the end of the address");
	if (!unit || unit > v->chunk_mask)
		return ternfib_walk_bad(w, "a reference leaves the section of chunks");
	if (!w->left--)
		return ternfib_walk_bad(w, "the chunks form a circle");
	if (!ternfib_walk_sound(w->t, c))
		return ternfib_walk_bad(w, "a chunk has impossible numbers");
	w->sum += fib_sum(0, c, fib_chunk_octets(c));
	p = fib_find_pack(c);
	for (unsigned from = 0, next; !err && from < FIB_VALUES; from = next) {
		uint64_t leaf = fib_find_leaf(c, from);

		next = ternfib_walk_next(c, from);
		if (!fib_find_is_child(p, leaf)) {
			err = ternfib_walk_show(
			    w, at, from, next - 1, fib_find_answer(v, p, leaf));
			continue;
		}
		if (next != from + 1)
			return ternfib_walk_bad(w, "a chunk serves several values");
		w->addr[at] = (uint8_t)from;
		err = ternfib_walk_chunk(w, fib_find_unit(p, leaf), at + 1);
	}
	return err;
}

/* ternfib_walk_inside - does the range of @len octets from the unit of @ref on lie in the
 * section? */
static bool
ternfib_walk_inside(const struct ternfib *t, uint64_t ref, uint64_t len)
{
	uint64_t unit = ref & FIB_UNIT_MASK, units = t->view.chunk_mask + 1ull;

	return unit && unit < units && len <= (units - unit) * FIB_UNIT;
}

static int
ternfib_walk_octets(struct ternfib_tour *w, uint64_t ref)
{
	const uint8_t *o = fib_find_at(&w->t->view, ref);
	uint32_t len;
	int err = 0;

	if (!ternfib_walk_inside(w->t, ref, FIB_UNIT))
		return ternfib_walk_bad(w, "a reference leaves the section of chunks");
	len = fib_chunk_octets_len(o, ref); /* reads at most FIB_TAIL octets behind */
	if (!ternfib_walk_inside(w->t, ref, len))
		return ternfib_walk_bad(w, "a chunk has impossible numbers");
	w->sum += fib_sum(0, o, len);
	for (unsigned i = 0, next; !err && i < FIB_VALUES; i = next) {
		const uint8_t *part = o + FIB_UNIT * FIB_OCTETS_PART(ref, i);
		uint8_t answer = fib_find_octet(part, i << 8);

		for (next = i + 1; next % FIB_PART_VALUES; next++)
			if (part[next % FIB_PART_VALUES / 8] >> (next % 8) & 1)
				break;
		err = ternfib_walk_show(w, 2, i, next - 1, answer);
	}
	return err;
}

/* ternfib_walk_run - report the numbers @from to @to of the keys behind the octets of
 * @w->addr. */
static int
ternfib_walk_run(struct ternfib_tour *w, uint32_t from, uint32_t to, uint64_t answer)
{
	struct ternfib_range r = { .answer = answer };

	if (!answer || !w->each)
		return 0;
	memcpy(r.first, w->addr, 3);
	memcpy(r.last, w->addr, 3);
	for (unsigned i = 0; i < 4; i++) {
		r.first[3 + i] = (uint8_t)(from >> (24 - 8 * i));
		r.last[3 + i] = (uint8_t)(to >> (24 - 8 * i));
	}
	memset(r.last + 7, 0xff, 9);
	return w->each(w->arg, &r);
}

/* ternfib_walk_ordered - are the keys in order, and do the groups repeat them? */
static bool
ternfib_walk_ordered(const struct fib_keys *k)
{
	const int32_t *list = k->key;

	for (uint32_t i = 1; i < k->cnt; i++)
		if (k->key[i - 1] >= k->key[i])
			return false;
	if (k->key[0] == INT32_MIN)
		return false;
	for (uint32_t n = k->cnt; n > FIB_KEYS_GROUP;) {
		uint32_t groups = (n - 1) / FIB_KEYS_GROUP;

		for (uint32_t i = 0; i < groups; i++)
			if (list[n + i] != list[FIB_KEYS_GROUP * (i + 1)])
				return false;
		list += n;
		n = groups;
	}
	return true;
}

static int
ternfib_walk_keys(struct ternfib_tour *w, uint64_t ref)
{
	struct fib_keys k = fib_find_keys(&w->t->view, ref);
	struct fib_pack p = { FIB_KEYS_WIDTH(ref), FIB_KEYS_CHILD(ref), FIB_KEYS_HOP(ref),
		FIB_KEYS_ORIGIN(ref) };
	uint32_t len = fib_chunk_keys_len(ref);
	int err = 0;

	if (!ternfib_walk_inside(w->t, ref, len))
		return ternfib_walk_bad(w, "a reference leaves the section of chunks");
	if (!k.cnt || !p.width || p.width > 57 || p.hop_width > FIB_HOP_BITS ||
	    p.origin_width > FIB_ORIGIN_BITS ||
	    p.hop_width + p.origin_width + p.child > p.width || !ternfib_walk_ordered(&k))
		return ternfib_walk_bad(w, "a chunk has impossible numbers");
	w->sum += fib_sum(0, k.key, len);
	for (uint32_t i = 0; !err && i <= k.cnt; i++) {
		uint64_t leaf = fib_find_bits(k.leaves, (uint64_t)i * p.width);
		uint32_t from = i ? (uint32_t)k.key[i - 1] ^ FIB_KEYS_FLIP : 0, to;

		to = i < k.cnt ? ((uint32_t)k.key[i] ^ FIB_KEYS_FLIP) - 1 : UINT32_MAX;
		if (!fib_find_is_child(p, leaf)) {
			err = ternfib_walk_run(
			    w, from, to, fib_find_answer(&w->t->view, p, leaf));
			continue;
		}
		if (from != to)
			return ternfib_walk_bad(w, "a chunk serves several values");
		for (unsigned j = 0; j < 4; j++)
			w->addr[3 + j] = (uint8_t)(from >> (24 - 8 * j));
		err = ternfib_walk_chunk(w, fib_find_unit(p, leaf), 7);
	}
	return err;
}

static int
ternfib_walk_table(struct ternfib_tour *w, uint64_t ref)
{
	const uint64_t *table = fib_find_at(&w->t->view, ref);
	int err = 0;

	if (!ternfib_walk_inside(w->t, ref, FIB_TABLE_OCTETS))
		return ternfib_walk_bad(w, "a reference leaves the section of chunks");
	w->sum += fib_sum(0, table, FIB_TABLE_OCTETS);
	for (unsigned i = 0; !err && i < FIB_VALUES; i++) {
		w->addr[2] = (uint8_t)i;
		switch (fib_find_kind(table[i])) {
		case FIB_KIND_ANSWER:
			err = ternfib_walk_show(w, 2, i, i, table[i]);
			break;
		case FIB_KIND_CHUNK:
			err = ternfib_walk_chunk(w, table[i] & FIB_UNIT_MASK, 3);
			break;
		case FIB_KIND_KEYS:
			err = ternfib_walk_keys(w, table[i]);
			break;
		case FIB_KIND_TABLE:
		case FIB_KIND_OCTETS:
		default:
			return ternfib_walk_bad(w, "a table has a word of another kind");
		}
	}
	return err;
}

static int
ternfib_walk_slot(struct ternfib_tour *w, uint32_t block)
{
	uint64_t slot = mapped_load_acquire64(&w->t->view.slot[block]);
	bool four = ternfib_bits(w->t) == 32;

	w->addr[0] = (uint8_t)(block >> 8);
	w->addr[1] = (uint8_t)block;
	if (slot)
		w->sum += fib_sum(block, &slot, sizeof(slot));
	if (fib_find_kind(slot) == FIB_KIND_ANSWER)
		return ternfib_walk_show(w, 1, block & 255, block & 255, slot);
	if (four && fib_find_kind(slot) == FIB_KIND_OCTETS)
		return ternfib_walk_octets(w, slot);
	if (four && fib_find_kind(slot) == FIB_KIND_CHUNK)
		return ternfib_walk_chunk(w, slot & FIB_UNIT_MASK, 2);
	if (!four && fib_find_kind(slot) == FIB_KIND_TABLE)
		return ternfib_walk_table(w, slot);
	return ternfib_walk_bad(w, "a slot has a word of another kind");
}

static int
ternfib_walk_all(struct ternfib_tour *w)
{
	int err = 0;

	w->left = w->t->view.chunk_mask + 1ull;
	for (uint32_t block = 0; !err && block < FIB_SLOTS; block++)
		err = ternfib_walk_slot(w, block);
	return err;
}

int
ternfib_walk(
    struct ternfib *t, int (*each)(void *arg, const struct ternfib_range *r), void *arg)
{
	struct ternfib_tour w = { .t = t, .each = each, .arg = arg };

	t->near.seen = ternfib_generation(t);
	return ternfib_walk_all(&w);
}

/* ternfib_walk_quiet - true if no publication was in work since generation @from. */
static bool
ternfib_walk_quiet(const struct ternfib *t, uint64_t from)
{
	mapped_fence_acquire();
	return mapped_load_acquire64(&t->header->live.begun) == from &&
	       ternfib_generation(t) == from;
}

int
ternfib_verify(struct ternfib *t, const char **why)
{
	struct ternfib_tour w = { .t = t };
	uint64_t from = 0, sum;
	int err = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		from = ternfib_generation(t);
		w = (struct ternfib_tour){ .t = t };
		err = ternfib_walk_all(&w);
		sum = mapped_load_acquire64(&t->header->live.content_sum);
		if (ternfib_walk_quiet(t, from)) {
			if (!err && sum != w.sum)
				err = ternfib_walk_bad(&w, "the checksum is wrong");
			*why = err ? w.why : "";
			return err;
		}
		usleep(NAP_US);
	}
	*why = err ? w.why : "";
	/* the writer ended within a publication, so no sum fits the chunks */
	return ternfib_generation(t) == from ? err : -EBUSY;
}
