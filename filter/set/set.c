/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets as sorted ranges of keys. The parser's thread builds; any thread reads.
 *
 * A key has 32 bits (int, enum, quad, pair) or 128 (ip, ec, lc), arranged so that a
 * wildcard in the last words is one range. An item that is not one range of keys, such as
 * (1..2, 3..4), is a box; boxes are rare and searched one by one.
 *
 * Many single keys are kept in a hash table (filter/set/keyset.h); ranges and few single
 * keys are searched.
 *
 * I1  Ranges ascend strictly, do not overlap and do not touch. Keys of the hash table are
 *     removed from the ranges, so equal sets have equal arrays and tables.
 * I2  Sets of 32-bit keys with 16 ranges or more have an index by the highest bits of key
 *     - base. */
#include "filter/set/set.h"
#include "filter/set/frange.h"
#include "filter/set/origin_set.h"
#include "filter/set/pfxset.h"
#include "filter/value/elem.h"
#include "filter/value/type.h"
#include "lib/base/hash.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include <stdlib.h>

#define INDEX_MIN      16
#define INDEX_BITS_MAX 20
#define KEYS_MIN       32 /* ranges for which a hash table is worth while */
#define RUN_MAX        16 /* neighbours that count as single keys */
#define SHOWN_MAX      128 /* ranges of a set that is printed as written */

/* A range of these types is a range of 64-bit numbers. */
static bool
set_is_two_words(unsigned elem)
{
	return elem == T_RD || elem == T_MAC;
}

static unsigned
set_elem_words(enum ftype t)
{
	switch (t) {
	case T_PAIR:
	case T_EC:
	case T_RD:
	case T_MAC:
		return 2;
	case T_LC:
		return 3;
	case T_IP:
		return 4;
	default:
		return 1;
	}
}

/* The key of a type whose keys have 32 bits. */
static inline uint32_t
set_words_key32(enum ftype t, const uint32_t *w)
{
	return t == T_PAIR ? (w[0] & 0xffff) << 16 | (w[1] & 0xffff) : w[0];
}

static inline struct fkey
set_words_key(enum ftype t, const uint32_t *w)
{
	switch (t) {
	case T_EC:
	case T_RD:
	case T_MAC:
		return (struct fkey){ 0, (uint64_t)w[0] << 32 | w[1] };
	case T_LC:
		return (struct fkey){ (uint64_t)w[0] << 32 | w[1], w[2] };
	case T_IP:
		return (struct fkey){ (uint64_t)w[0] << 32 | w[1],
			(uint64_t)w[2] << 32 | w[3] };
	default:
		return (struct fkey){ 0, set_words_key32(t, w) };
	}
}

static bool
set_in_ranges32(const struct fset *s, uint32_t v)
{
	uint32_t lo = 0, hi = s->cnt;

	if (s->index) {
		uint32_t i;

		if (v < s->index_base)
			return false;
		i = (v - s->index_base) >> s->index_shift;
		if (i > (s->range32[hi - 1].lo - s->index_base) >> s->index_shift)
			return v <= s->range32[hi - 1].hi;
		lo = s->index[i];
		hi = s->index[i + 1];
	}
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->range32[mid].lo <= v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && v <= s->range32[lo - 1].hi;
}

bool
fset_has_u32(const struct fset *s, uint32_t v)
{
	if (!s->keys.cnt)
		return set_in_ranges32(s, v);
	if (!s->cnt)
		return keyset_has32(&s->keys, v);
	return keyset_has32(&s->keys, v) || set_in_ranges32(s, v);
}

/* A key as two numbers: compilers put a struct through memory and back. */
static bool
set_has_wide(const struct fset *s, uint64_t hi, uint64_t lo)
{
	if (s->cnt && frange_find(s->range128, s->cnt, (struct fkey){ hi, lo }))
		return true;
	return s->keys.cnt && keyset_has(&s->keys, hi, lo);
}

static bool
set_has_box(const struct fset *s, const uint32_t *w)
{
	unsigned n = set_elem_words(s->elem), k;
	uint32_t i;

	for (i = 0; i < s->box_cnt; i++) {
		for (k = 0; k < n; k++)
			if (w[k] < s->box[i].lo[k] || w[k] > s->box[i].hi[k])
				break;
		if (k == n)
			return true;
	}
	return false;
}

bool
fset_has_words(const struct fset *s, enum ftype elem, const uint32_t *w)
{
	struct fkey k;
	bool in;

	if (s->wide) {
		k = set_words_key(elem, w);
		in = set_has_wide(s, k.hi, k.lo);
	} else {
		in = fset_has_u32(s, set_words_key32(elem, w));
	}
	return s->box_cnt ? in || set_has_box(s, w) : in;
}

bool
fset_has(const struct fset *s, const struct fvalue *v)
{
	if (s->type == T_SET_EMPTY)
		return false;
	if (s->type == T_SET_PREFIX) {
		struct prefix p = fvalue_to_prefix(v);

		if (v->type == T_IP) {
			bool v4 = ip_is_v4(v->ip);

			p = prefix_make(v->ip, v4 ? 32 : 128, v4 ? FAM_IP4 : FAM_IP6);
		}
		return pfxset_has(s->prefixes, &p);
	}
	if (v->type == T_IP)
		return set_has_wide(s, v->ip.hi, v->ip.lo);
	return fset_has_words(s, v->type, v->w);
}

/* ---- building ---- */

static uint32_t
set_word_max(enum ftype t)
{
	return t == T_PAIR ? 0xffff : UINT32_MAX;
}

/* Is the item one range of keys? After the first word that is a range, all must be full.
 */
static bool
set_is_range(const struct fset_item *it)
{
	unsigned n = set_elem_words(it->elem), k = 0;

	if (it->ordered || it->elem == T_IP || it->elem == T_EC ||
	    set_is_two_words(it->elem))
		return true;
	while (k < n && it->lo[k] == it->hi[k])
		k++;
	for (k++; k < n; k++)
		if (it->lo[k] != 0 || it->hi[k] != set_word_max(it->elem))
			return false;
	return true;
}

static void
set_make_index(struct fset *s, struct arena *a)
{
	uint32_t *index, bits = 3, i, k = 0, span, cnt;

	if (s->cnt < INDEX_MIN)
		return;
	s->index_base = s->range32[0].lo;
	span = s->range32[s->cnt - 1].lo - s->index_base;
	while (bits < INDEX_BITS_MAX && (1u << bits) < s->cnt)
		bits++;
	while (span >> s->index_shift >> bits)
		s->index_shift++;
	cnt = (span >> s->index_shift) + 1;
	index = arena_alloc(a, (cnt + 1) * sizeof(*index));
	for (i = 0; i < s->cnt; i++)
		while (k <= (s->range32[i].lo - s->index_base) >> s->index_shift)
			index[k++] = i;
	while (k <= cnt)
		index[k++] = s->cnt;
	s->index = index;
}

/* @r: all ranges, single keys among them. */
static void
set_make_hash(struct fset *s, const void *r)
{
	size_t len = s->cnt *
		     (s->wide ? sizeof(struct frange128) : sizeof(struct frange32));
	unsigned k;

	for (k = 0; k < 2; k++) {
		uint64_t h = hash_u64(k + 1, (uint64_t)s->type << 32 | s->elem);

		h = hash_bytes(h, r, len);
		s->hash[k] = hash_bytes(h, s->box, s->box_cnt * sizeof(*s->box));
	}
}

static bool
set_box_equal(const struct fbox *b, const struct fbox *list, uint32_t cnt)
{
	uint32_t i;

	for (i = 0; i < cnt; i++)
		if (!memcmp(b, &list[i], sizeof(*b)))
			return true;
	return false;
}

static void
set_add_boxes(
    struct fset *s, struct arena *a, const struct fset_item *items, uint32_t cnt)
{
	struct fbox *box = arena_zalloc(a, cnt * sizeof(*box));
	const struct fset_item *it;

	for (it = items; it; it = it->next) {
		unsigned n = set_elem_words(it->elem), k;
		struct fbox *b = &box[s->box_cnt];

		if (set_is_range(it))
			continue;
		for (k = 0; k < n; k++) {
			b->lo[k] = it->lo[k];
			b->hi[k] = it->hi[k];
		}
		if (!set_box_equal(b, box, s->box_cnt))
			s->box_cnt++;
	}
	s->box = box;
}

static struct frange128
set_range_get(const struct fset *s, const void *r, uint32_t i)
{
	const struct frange32 *r32 = r;

	if (s->wide)
		return ((const struct frange128 *)r)[i];
	return (struct frange128){ { 0, r32[i].lo }, { 0, r32[i].hi } };
}

/* How many keys of a range are kept one by one; 0: it stays a range. AS numbers of one
 * registry often are neighbours. */
static uint64_t
set_few_keys(struct frange128 x)
{
	uint64_t n = x.hi.lo - x.lo.lo;

	return x.hi.hi == x.lo.hi && n < RUN_MAX ? n + 1 : 0;
}

/* Single keys among the ranges @r go into the hash table, if they are many. Returns: how
 * many ranges are left. */
static uint32_t
set_take_singles(struct fset *s, struct arena *a, void *r, uint32_t cnt)
{
	uint32_t i, n = 0, out = 0;
	struct fkey *key;

	if (cnt < KEYS_MIN)
		return cnt;
	for (i = 0; i < cnt; i++)
		n += (uint32_t)set_few_keys(set_range_get(s, r, i));
	if (!n)
		return cnt;
	key = mem_alloc(MEM_CONFIG, n * sizeof(*key));
	for (n = 0, i = 0; i < cnt; i++) {
		struct frange128 x = set_range_get(s, r, i);
		uint64_t k, few = set_few_keys(x);

		for (k = 0; k < few; k++)
			key[n++] = (struct fkey){ x.lo.hi, x.lo.lo + k };
		if (!few && s->wide)
			((struct frange128 *)r)[out++] = x;
		else if (!few)
			((struct frange32 *)r)[out++] = ((struct frange32 *)r)[i];
	}
	keyset_build(&s->keys, a, key, n,
	    !s->wide                                       ? 4
	    : s->elem == T_EC || set_is_two_words(s->elem) ? 8
	    : s->elem == T_LC                              ? 12
							   : 16);
	mem_free(MEM_CONFIG, key);
	return out;
}

/* set_keep_shown - keep what fset_print shows of the @cnt ranges @r, if some ranges of a
 * short set touch. */
static void
set_keep_shown(struct fset *s, struct arena *a, const void *r, uint32_t cnt)
{
	struct frange128 shown[SHOWN_MAX], joined[SHOWN_MAX];
	uint32_t joined_cnt;

	if (cnt < 2 || cnt > SHOWN_MAX)
		return;
	for (uint32_t i = 0; i < cnt; i++)
		shown[i] = joined[i] = set_range_get(s, r, i);
	joined_cnt = frange_join128(joined, cnt);
	cnt = frange_join_overlaps(shown, cnt);
	if (cnt == joined_cnt)
		return;
	s->shown = arena_memdup(a, shown, cnt * sizeof(*shown));
	s->shown_cnt = cnt;
}

const struct fset *
fset_build(struct arena *a, enum ftype elem, const struct fset_item *items,
    struct frange32 *ints, uint32_t int_cnt)
{
	struct fset *s = arena_zalloc(a, sizeof(*s));
	const struct fset_item *it;
	uint32_t ranges = 0, boxes = 0, n = int_cnt;
	void *tmp;

	s->type = (uint8_t)ftype_set_of(elem);
	s->elem = (uint8_t)elem;
	s->wide = elem == T_IP || elem == T_EC || elem == T_LC || set_is_two_words(elem);
	for (it = items; it; it = it->next)
		*(set_is_range(it) ? &ranges : &boxes) += 1;
	tmp = mem_alloc(MEM_CONFIG,
	    (ranges + int_cnt + 1) *
		(s->wide ? sizeof(struct frange128) : sizeof(struct frange32)));
	if (int_cnt)
		memcpy(tmp, ints, int_cnt * sizeof(*ints));
	for (it = items; it; it = it->next) {
		struct fkey lo = set_words_key(elem, it->lo),
			    hi = set_words_key(elem, it->hi);

		if (!set_is_range(it))
			continue;
		if (s->wide)
			((struct frange128 *)tmp)[n++] = (struct frange128){ lo, hi };
		else
			((struct frange32 *)tmp)[n++] = (struct frange32){
				(uint32_t)lo.lo, (uint32_t)hi.lo
			};
	}
	if (boxes)
		set_add_boxes(s, a, items, boxes);
	set_keep_shown(s, a, tmp, n);
	s->cnt = s->wide ? frange_join128(tmp, n) : frange_join32(tmp, n);
	set_make_hash(s, tmp);
	s->cnt = set_take_singles(s, a, tmp, s->cnt);
	if (s->wide) {
		s->range128 = arena_memdup(a, tmp, s->cnt * sizeof(struct frange128));
	} else {
		s->range32 = arena_memdup(a, tmp, s->cnt * sizeof(struct frange32));
		set_make_index(s, a);
	}
	mem_free(MEM_CONFIG, tmp);
	return s;
}

const struct fset *
fset_empty(void)
{
	static const struct fset empty = { .type = T_SET_EMPTY, .hash = { 17, 18 } };

	return &empty;
}

/* set_frange_size - number of keys, UINT32_MAX at most. */
static uint64_t
set_frange_size(const struct frange128 *r)
{
	return r->lo.hi == r->hi.hi ? min_u64(r->hi.lo - r->lo.lo, UINT32_MAX - 1) + 1
				    : UINT32_MAX;
}

uint64_t
fset_size(const struct fset *s)
{
	uint64_t size = s->keys.cnt + s->box_cnt;

	if (s->type == T_SET_PREFIX)
		return pfxset_size(s->prefixes);
	if (s->type == T_SET_ORIGIN)
		return origin_set_size(s->origins);
	for (uint32_t i = 0; i < s->cnt; i++)
		size += s->wide ? set_frange_size(&s->range128[i])
				: (uint64_t)s->range32[i].hi - s->range32[i].lo + 1;
	return size;
}

const struct fset *
fset_of_prefixes(struct arena *a, const struct pfxset *p)
{
	struct fset *s = arena_zalloc(a, sizeof(*s));

	s->type = T_SET_PREFIX;
	s->elem = T_PREFIX;
	s->prefixes = p;
	pfxset_hash(p, s->hash);
	return s;
}

const struct fset *
fset_of_origins(struct arena *a, const struct origin_set *o)
{
	struct fset *s = arena_zalloc(a, sizeof(*s));

	s->type = T_SET_ORIGIN;
	s->elem = T_PREFIX;
	s->origins = o;
	origin_set_hash(o, s->hash);
	return s;
}

/* ---- printing ---- */

static struct fvalue
set_key_value(enum ftype t, struct fkey k)
{
	struct fvalue v = { .type = (uint8_t)t };

	switch (t) {
	case T_PAIR:
		v.w[0] = (uint32_t)k.lo >> 16;
		v.w[1] = (uint32_t)k.lo & 0xffff;
		break;
	case T_EC:
	case T_RD:
	case T_MAC:
		v.w[0] = (uint32_t)(k.lo >> 32);
		v.w[1] = (uint32_t)k.lo;
		break;
	case T_LC:
		v.w[0] = (uint32_t)(k.hi >> 32);
		v.w[1] = (uint32_t)k.hi;
		v.w[2] = (uint32_t)k.lo;
		break;
	case T_IP:
		v.ip = (struct ip_addr){ k.hi, k.lo };
		break;
	default:
		v.i = (uint32_t)k.lo;
	}
	return v;
}

static void
set_print_box(struct strbuf *b, const struct fset *s, const struct fbox *x)
{
	unsigned n = set_elem_words(s->elem), k;

	for (k = 0; k < n; k++) {
		strbuf_adds(b, k ? "," : "(");
		if (x->lo[k] == 0 && x->hi[k] == set_word_max(s->elem))
			strbuf_addc(b, '*');
		else if (x->lo[k] == x->hi[k])
			strbuf_addf(b, "%u", x->lo[k]);
		else
			strbuf_addf(b, "%u..%u", x->lo[k], x->hi[k]);
	}
	strbuf_addc(b, ')');
}

/* set_all_ranges - all ranges in order, including single keys. Returns: an array that the
 * caller frees with mem_free(MEM_CONFIG). */
static struct frange128 *
set_all_ranges(const struct fset *s, uint32_t *cnt)
{
	uint32_t n = s->keys.cnt, i;
	struct frange128 *r = mem_alloc(MEM_CONFIG, (s->cnt + n + 1) * sizeof(*r));
	struct fkey *key = mem_alloc(MEM_CONFIG, (n + 1) * sizeof(*key));

	if (n)
		keyset_list(&s->keys, key);
	for (i = 0; i < n; i++)
		r[i] = (struct frange128){ key[i], key[i] };
	for (i = 0; i < s->cnt; i++)
		r[n + i] = set_range_get(
		    s, s->wide ? (const void *)s->range128 : s->range32, i);
	mem_free(MEM_CONFIG, key);
	*cnt = frange_join128(r, n + s->cnt);
	return r;
}

/* set_print_ranges - print all ranges; @item prints a value. */
static void
set_print_ranges(struct strbuf *b, const struct fset *s,
    void (*item)(struct strbuf *b, const struct fvalue *v))
{
	struct frange128 *all = NULL;
	const struct frange128 *r = s->shown;
	uint32_t i, cnt = s->shown_cnt;
	struct fvalue v;

	if (!r)
		r = all = set_all_ranges(s, &cnt);
	strbuf_addc(b, '[');
	for (i = 0; i < cnt; i++) {
		if (i)
			strbuf_adds(b, ", ");
		v = set_key_value(s->elem, r[i].lo);
		item(b, &v);
		if (fkey_cmp(r[i].lo, r[i].hi)) {
			strbuf_adds(b, "..");
			v = set_key_value(s->elem, r[i].hi);
			item(b, &v);
		}
	}
	mem_free(MEM_CONFIG, all);
	for (i = 0; i < s->box_cnt; i++) {
		if (i || cnt)
			strbuf_adds(b, ", ");
		set_print_box(b, s, &s->box[i]);
	}
	strbuf_addc(b, ']');
}

void
fset_print(struct strbuf *b, const struct fset *s)
{
	if (s->type == T_SET_PREFIX)
		pfxset_print(b, s->prefixes);
	else if (s->type == T_SET_ORIGIN)
		origin_set_print(b, s->origins);
	else
		set_print_ranges(b, s, elem_print);
}

void
fset_format(struct strbuf *b, const struct fset *s,
    void (*item)(struct strbuf *b, const struct fvalue *v))
{
	if (s->type == T_SET_PREFIX)
		pfxset_format(b, s->prefixes);
	else if (s->type == T_SET_ENUM)
		set_print_ranges(b, s, item);
	else
		fset_print(b, s);
}
