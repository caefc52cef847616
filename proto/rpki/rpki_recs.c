/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of nets: one array, and chains by hash. Every few new records add one chain
 * (linear hashing), so the cost of growth is spread evenly, and no step moves all
 * records. The system moves the array itself by mapping its pages elsewhere.
 *
 * I1  Chain c holds the records whose hash is c modulo `period`; if chain c does not
 *     exist yet, the chain half a period before holds the records.
 * I2  A free record has no marks; its first word leads to the next free record.
 *
 * Tried and dropped: probing in an array of slots that is refilled after growth: 15 ms or
 * more for 600,000 records, in one callback.
 *
 * Owner only. Tests: test_rpki_data.c.
 *
 * Loop: the loop of the object that embeds the records. */
#include "proto/rpki/rpki_recs.h"

#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#define IN_USE         (1u << 31)
#define HEAD           (RECS_MARK - 1)
#define CHAINS_MIN     64 /* a power of two */
#define CHAIN_LENGTH   1 /* on average */
#define RETURN_RECORDS 65536 /* whose memory goes back at a time */

static uint32_t *
rpki_recs_at(const struct rpki_recs *r, uint32_t i)
{
	return r->rec + (size_t)i * (r->words + 2);
}

static uint32_t *
rpki_recs_next_of(const struct rpki_recs *r, uint32_t i)
{
	return rpki_recs_at(r, i) + r->words + 1;
}

static uint16_t
recs_head_of(const struct rpki_recs *r, uint32_t i)
{
	return (uint16_t)(*recs_marks(r, i) & HEAD);
}

/* recs_chain_of - I1 */
static uint32_t *
recs_chain_of(const struct rpki_recs *r, const uint32_t *word, uint16_t head)
{
	uint32_t h = (uint32_t)NLRI_BY_KIND(r->kind, nlri_hash, r->seed, word, head);
	uint32_t period = 1u << (32 - __builtin_clz(r->chain_cnt - 1));
	uint32_t c = h & (period - 1);

	return &r->chain[c < r->chain_cnt ? c : c - period / 2];
}

static uint32_t *
recs_chain_of_record(const struct rpki_recs *r, uint32_t i)
{
	return recs_chain_of(r, rpki_recs_at(r, i), recs_head_of(r, i));
}

/* recs_one_more_chain - add a chain, and move to it the new chain's share of the records
 * of the old chain. */
static void
recs_one_more_chain(struct rpki_recs *r)
{
	uint32_t new = r->chain_cnt, old = new - (1u << (31 - __builtin_clz(new))), i,
		 next;

	r->chain = vec_room(
	    MEM_PROTO, r->chain, &r->chain_cap, new + 1, sizeof(*r->chain));
	i = r->chain[old];
	r->chain[old] = r->chain[new] = 0;
	r->chain_cnt++;
	for (; i; i = next) {
		uint32_t *first = recs_chain_of_record(r, i - 1);

		next = *rpki_recs_next_of(r, i - 1);
		*rpki_recs_next_of(r, i - 1) = *first;
		*first = i;
	}
}

void
recs_init(struct rpki_recs *r, enum nlri_kind kind)
{
	memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->words = nlri_words(kind);
	r->seed = hash_seed_random();
}

void
recs_fini(struct rpki_recs *r)
{
	mem_free(MEM_PROTO, r->rec);
	mem_free(MEM_PROTO, r->chain);
	recs_init(r, r->kind);
}

uint32_t
recs_find(const struct rpki_recs *r, const struct nlri *n)
{
	uint32_t i = r->chain_cnt ? *recs_chain_of(r, n->word, n->head) : 0;

	while (
	    i && !nlri_same(r->words, rpki_recs_at(r, i - 1), recs_head_of(r, i - 1), n))
		i = *rpki_recs_next_of(r, i - 1);
	return i ? i - 1 : RECS_NONE;
}

uint32_t
recs_add(struct rpki_recs *r, const struct nlri *n)
{
	uint32_t i, *first;

	if (!r->chain_cnt) {
		r->chain = mem_zalloc(MEM_PROTO, CHAINS_MIN * sizeof(*r->chain));
		r->chain_cnt = r->chain_cap = CHAINS_MIN;
	} else if (r->used / CHAIN_LENGTH >= r->chain_cnt) {
		recs_one_more_chain(r);
	}
	if (r->free) {
		i = r->free - 1;
		r->free = *rpki_recs_at(r, i);
	} else {
		i = r->cnt++;
		r->rec = vec_room(
		    MEM_PROTO, r->rec, &r->cap, r->cnt, (r->words + 2) * sizeof(*r->rec));
	}
	r->used++;
	memcpy(rpki_recs_at(r, i), n->word, r->words * sizeof(*r->rec));
	*recs_marks(r, i) = n->head | IN_USE;
	first = recs_chain_of_record(r, i);
	*rpki_recs_next_of(r, i) = *first;
	*first = i + 1;
	return i;
}

void
recs_del(struct rpki_recs *r, uint32_t i)
{
	uint32_t *link = recs_chain_of_record(r, i);

	while (*link != i + 1)
		link = rpki_recs_next_of(r, *link - 1);
	*link = *rpki_recs_next_of(r, i);
	*recs_marks(r, i) = 0;
	*rpki_recs_at(r, i) = r->free;
	r->free = i + 1;
	r->used--;
}

void
recs_truncate(struct rpki_recs *r, uint32_t cnt)
{
	r->cnt = cnt;
	if (!cnt || r->cap - cnt < RETURN_RECORDS)
		return;
	r->cap = cnt;
	r->rec = mem_realloc(MEM_PROTO, r->rec, cnt * (r->words + 2), sizeof(*r->rec));
}

struct nlri
recs_net(const struct rpki_recs *r, uint32_t i)
{
	struct nlri n = { .head = recs_head_of(r, i) };

	memcpy(n.word, rpki_recs_at(r, i), r->words * sizeof(*r->rec));
	return n;
}
