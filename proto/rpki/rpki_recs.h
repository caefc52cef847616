/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of nets with some marks each, found by net. A record keeps its index for its
 * life. The time of every call but recs_fini is independent of the number of records.
 *
 * Owner only: the loop of the embedding object. */
#ifndef TERN_PROTO_RPKI_RPKI_RECS_H
#define TERN_PROTO_RPKI_RPKI_RECS_H

#include "nest/rib/nlri.h"

#define RECS_NONE UINT32_MAX
#define RECS_MARK 0x10000u /* the first mark; the owner has 15, each twice the last */

/* Owner: the object that embeds the records. Life: embedded, until recs_fini. */
struct rpki_recs {
	/* private */
	enum nlri_kind kind;
	uint64_t seed;
	uint32_t words; /* of a net */
	/* words, then head and marks, then the next record + 1 */
	uint32_t *rec, cnt, cap;
	uint32_t free; /* the first free record + 1 */
	uint32_t used; /* records in use */
	uint32_t *chain, chain_cnt, chain_cap; /* by hash: the first record + 1 */
};

void recs_init(struct rpki_recs *r, enum nlri_kind kind);
void recs_fini(struct rpki_recs *r);
/* recs_find - the record of @n; RECS_NONE: none. */
uint32_t recs_find(const struct rpki_recs *r, const struct nlri *n);
/* recs_add - add a record of @n, without marks; @n has no record. */
uint32_t recs_add(struct rpki_recs *r, const struct nlri *n);
void recs_del(struct rpki_recs *r, uint32_t i);
/* recs_truncate - free the records from index @cnt on, some thousand at most. No look-up
 * is allowed afterwards until recs_fini. */
void recs_truncate(struct rpki_recs *r, uint32_t cnt);

/* recs_limit - an upper bound of all indices. recs_used - number of records. */
static inline uint32_t
recs_limit(const struct rpki_recs *r)
{
	return r->cnt;
}

static inline uint32_t
recs_used(const struct rpki_recs *r)
{
	return r->used;
}

/* recs_marks - to be changed, but for the bits below RECS_MARK. 0: record @i is free. */
static inline uint32_t *
recs_marks(const struct rpki_recs *r, uint32_t i)
{
	return r->rec + (size_t)i * (r->words + 2) + r->words;
}

/* recs_net - of a record that isn't free. */
struct nlri recs_net(const struct rpki_recs *r, uint32_t i);

#endif
