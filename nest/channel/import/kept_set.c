/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bits in words that readers may read during changes (kept_set.h). A higher id replaces
 * the array of words by a larger array.
 *
 * Loop: the channel's worker writes; kept_set_has in any thread, under RCU. Tests:
 * test_kept_set.c. */
#include "nest/channel/import/kept_set.h"

#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"

struct kept_bits {
	struct rcu_node rcu;
	uint32_t word_cnt;
	struct pub64 word[];
};

static void
set_bits_free(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct kept_bits, rcu));
}

static struct kept_bits *
kept_set_bits_of(const struct kept_set *k)
{
	return load_relaxed_ptr(&k->bits);
}

/* set_bits_grow - make room for word @w. */
static struct kept_bits *
set_bits_grow(struct kept_set *k, uint32_t w)
{
	struct kept_bits *old = kept_set_bits_of(k), *b;
	uint32_t cnt = w + w / 2 + 16;

	b = mem_zalloc(MEM_PROTO, sizeof(*b) + cnt * sizeof(b->word[0]));
	b->word_cnt = cnt;
	for (uint32_t i = 0; old && i < old->word_cnt; i++)
		store_relaxed64(&b->word[i], load_relaxed64(&old->word[i]));
	store_release_ptr(&k->bits, b); /* pairs: KEPT */
	if (old)
		rcu_free_later(&old->rcu, set_bits_free);
	return b;
}

void
kept_set_put(struct kept_set *k, uint32_t id)
{
	struct kept_bits *b = kept_set_bits_of(k);
	uint64_t bit = 1ull << id % 64, was;

	if (!b || id / 64 >= b->word_cnt)
		b = set_bits_grow(k, id / 64);
	was = load_relaxed64(&b->word[id / 64]);
	k->cnt += !(was & bit);
	store_relaxed64(&b->word[id / 64], was | bit);
}

void
kept_set_drop_range(struct kept_set *k, uint32_t id, uint32_t cnt)
{
	struct kept_bits *b = kept_set_bits_of(k);

	for (uint32_t i = id; k->cnt && i < id + cnt && i / 64 < b->word_cnt; i++) {
		uint64_t bit = 1ull << i % 64, was = load_relaxed64(&b->word[i / 64]);

		if (!(was & bit))
			continue;
		store_relaxed64(&b->word[i / 64], was & ~bit);
		k->cnt--;
	}
}

void
kept_set_clear(struct kept_set *k)
{
	struct kept_bits *b = kept_set_bits_of(k);

	if (!b)
		return;
	store_release_ptr(&k->bits, NULL); /* pairs: KEPT */
	k->cnt = 0;
	rcu_free_later(&b->rcu, set_bits_free);
}

void
kept_set_fini(struct kept_set *k)
{
	mem_free(MEM_PROTO, kept_set_bits_of(k));
}

bool
kept_set_has(const struct kept_set *k, uint32_t id)
{
	const struct kept_bits *b = load_acquire_ptr(&k->bits); /* pairs: KEPT */

	return b && id / 64 < b->word_cnt &&
	       (load_relaxed64(&b->word[id / 64]) >> id % 64 & 1);
}
