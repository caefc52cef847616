/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of the filter language, immutable once built. Elements other than prefixes are
 * kept as sorted disjoint ranges; filter/set/pfxset.h has sets of prefixes. Owner: the
 * configuration or the run. Life: the arena of the owner. Loop: the parser's thread
 * builds sets; any thread may read sets. */
#ifndef TERN_FILTER_SET_SET_H
#define TERN_FILTER_SET_SET_H

#include "filter/set/frange.h"
#include "filter/set/keyset.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

/* An item that is not a single range of keys: each word has a range, as in (*, 5) and
 * (1..2, 3..4). */
struct fbox {
	uint32_t lo[3], hi[3];
};

struct origin_set;
struct pfxset;

/* A set. Owner: the configuration or the run. Freed by: the arena of the owner. */
struct fset {
	uint8_t type; /* T_SET_* */
	uint8_t elem; /* enum ftype of the elements; T_VOID if empty */
	bool wide; /* ranges are in range128 */
	uint32_t cnt; /* of ranges; includes single elements that are not in keys */
	uint32_t box_cnt;
	uint64_t hash[2]; /* of the content: equal sets have equal hashes */
	union {
		const struct frange32 *range32;
		const struct frange128 *range128;
		const struct pfxset *prefixes;
		const struct origin_set *origins;
	};
	struct keyset keys; /* of single elements; cnt is 0 for few elements */
	const struct fbox *box;
	const struct frange128 *shown; /* what fset_print prints; NULL: all ranges */
	uint32_t shown_cnt;
	/* index by the highest bits of (key - least key), for sets of many ranges; NULL:
	 * none */
	const uint32_t *index;
	uint32_t index_base, index_shift;
};

/* One element or range of a literal: the words of lo and hi of an element of type @elem.
 * Each word of pairs and lc has a range of its own, (lo[0]..hi[0], lo[1]..hi[1]), unless
 * @ordered: (lo[0], lo[1])..(hi[0], hi[1]), all keys from lo to hi. */
struct fset_item {
	struct fset_item *next;
	uint8_t elem;
	bool is_void; /* nothing has it: it is left out */
	bool ordered;
	uint32_t lo[4], hi[4]; /* IP: four words, the most significant first */
};

/* fset_has - is @v in @s, a set without origins? The types fit. */
bool fset_has(const struct fset *s, const struct fvalue *v);
bool fset_has_u32(const struct fset *s, uint32_t v);
/* fset_has_words - fset_has for pairs, ec and lc given as words. */
bool fset_has_words(const struct fset *s, enum ftype elem, const uint32_t *w);

/* fset_build - @items (all of one type) as a set in @a. @ints: ranges besides items,
 * sorted in place. */
const struct fset *fset_build(struct arena *a, enum ftype elem,
    const struct fset_item *items, struct frange32 *ints, uint32_t int_cnt);
const struct fset *fset_empty(void);
/* fset_size - a measure of the content: the patterns of a set of prefixes as written,
 * the different entries of a set of prefixes with origins, else the values. A range of
 * large communities or addresses counts as 2^32 at most. */
uint64_t fset_size(const struct fset *s);
/* fset_of_prefixes - a set in @a around @p. */
const struct fset *fset_of_prefixes(struct arena *a, const struct pfxset *p);
/* fset_of_origins - a set in @a around @o. */
const struct fset *fset_of_origins(struct arena *a, const struct origin_set *o);
void fset_print(struct strbuf *b, const struct fset *s);
/* fset_format - print @s as format() does: @item prints the values of a set of
 * enumerations. */
void fset_format(struct strbuf *b, const struct fset *s,
    void (*item)(struct strbuf *b, const struct fvalue *v));

#endif
