/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATEs that were received before.
 *
 * Messages lie one after the other in the order in which they first came, with what they
 * come to; who receives the same in the same order reads this memory from its beginning
 * to its end, and compares octets. No two messages are taken for each other: the hash
 * only says where to look. What a message comes to never changes, since sets, nets and
 * columns keep their numbers (load_set.c, load_net.c, load_board.c).
 *
 * A daemon that packs prefixes anew for each client fills this without use: when all is
 * forgotten, and fewer were found than kept, the next ones aren't kept, 16 times as many
 * as there were.
 *
 * I1  The place 0 holds an empty message; it is in no index, and its next is the first of
 *     most streams.
 * I2  index holds every other message; it is at most half full. */
#include "test/load/load_seen.h"

#include "lib/base/hash.h"
#include "lib/mem/vmem.h"

#define SEED 0x7365656e62656672ull
/* Words of the longest message: all its prefixes are default routes, of one octet
 * each. */
#define MSG_WORDS (sizeof(struct load_seen_msg) / 4 + MSG_MAX + MSG_MAX / 4 + 1)

static void
load_seen_make_index(struct load_seen *s, uint32_t size)
{
	s->index_mask = size - 1;
	s->index = mem_zalloc(MEM_OTHER, size * sizeof(*s->index));
}

void
load_seen_init(struct load_seen *s, size_t most)
{
	memset(s, 0, sizeof(*s));
	s->most = most;
	s->at = vmem_reserve(most);
	load_seen_make_index(s, 1024);
	load_seen_clear(s);
}

void
load_seen_fini(struct load_seen *s)
{
	vmem_fini(MEM_OTHER, s->at, s->most, s->open);
	mem_free(MEM_OTHER, s->index);
}

/* Memory for @words more. */
static void
open_words(struct load_seen *s, uint32_t words)
{
	while (((size_t)s->used + words) * 4 > s->open) {
		vmem_open(MEM_OTHER, (uint8_t *)s->at + s->open, true);
		s->open += VMEM_STEP;
	}
}

bool
load_seen_full(const struct load_seen *s)
{
	return ((size_t)s->used + MSG_WORDS) * 4 > s->most;
}

void
load_seen_clear(struct load_seen *s)
{
	s->rest = s->hits < s->cnt ? 16 * (uint64_t)s->cnt : 0;
	s->hits = 0;
	s->cnt = 0;
	s->used = 0;
	memset(s->index, 0, (s->index_mask + (size_t)1) * sizeof(*s->index));
	open_words(s, sizeof(struct load_seen_msg) / 4);
	memset(s->at, 0, sizeof(struct load_seen_msg));
	s->used = sizeof(struct load_seen_msg) / 4;
}

static const uint8_t *
load_seen_octets_of(const struct load_seen_msg *m)
{
	return (const uint8_t *)(m->col + (m->run ? 1 : m->cnt));
}

/* @nr has followed @prev. */
static void
load_seen_guess(struct load_seen *s, uint32_t prev, uint32_t nr)
{
	struct load_seen_msg *m = load_seen_get(s, prev);

	m->other = m->next;
	m->next = nr;
}

uint32_t
load_seen_find(struct load_seen *s, uint32_t prev, const uint8_t *p, unsigned len)
{
	const struct load_seen_msg *m;
	uint32_t h, i;

	if (!s->cnt)
		return 0;
	h = (uint32_t)hash_bytes(SEED, p, len);
	for (i = h & s->index_mask; s->index[i]; i = (i + 1) & s->index_mask) {
		m = load_seen_get(s, s->index[i]);
		if (m->hash != h || m->len != len ||
		    memcmp(load_seen_octets_of(m), p, len) != 0)
			continue;
		load_seen_guess(s, prev, s->index[i]);
		s->hits++;
		return s->index[i];
	}
	return 0;
}

static void
load_seen_index_put(struct load_seen *s, uint32_t nr)
{
	uint32_t i = load_seen_get(s, nr)->hash & s->index_mask;

	while (s->index[i])
		i = (i + 1) & s->index_mask;
	s->index[i] = nr;
}

static void
grow_index(struct load_seen *s)
{
	uint32_t *old = s->index, size = s->index_mask + 1, i;

	load_seen_make_index(s, 2 * size);
	for (i = 0; i < size; i++)
		if (old[i])
			load_seen_index_put(s, old[i]);
	mem_free(MEM_OTHER, old);
}

uint32_t
load_seen_add(struct load_seen *s, uint32_t prev, const uint8_t *p, unsigned len,
    uint32_t set, const uint32_t *col, unsigned gone_cnt, unsigned cnt)
{
	uint32_t nr = s->used;
	struct load_seen_msg *m;
	unsigned i, kept;

	if (s->rest) {
		s->rest--;
		return prev;
	}
	if (s->cnt * 2 > s->index_mask)
		grow_index(s);
	open_words(s, MSG_WORDS);
	m = load_seen_get(s, nr);
	*m = (struct load_seen_msg){ .hash = (uint32_t)hash_bytes(SEED, p, len),
		.set = set,
		.len = (uint16_t)len,
		.gone_cnt = (uint16_t)gone_cnt,
		.cnt = (uint16_t)cnt };
	for (i = 1; i < cnt && col[i] == col[0] + i; i++)
		;
	m->run = cnt && i == cnt;
	kept = m->run ? 1 : cnt;
	memcpy(m->col, col, kept * sizeof(*col));
	memcpy(m->col + kept, p, len);
	s->used += (uint32_t)sizeof(*m) / 4 + kept + (len + 3) / 4;
	s->cnt++;
	load_seen_index_put(s, nr);
	load_seen_guess(s, prev, nr);
	return nr;
}
