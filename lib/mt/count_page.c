/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of counters that other processes read. Loop: see the header. Tested by
 * test/unit/test_count_page.c and test/stress/stress_count_page.c.
 *
 * I1  A writer makes the sequence odd before the first word changes, and even after the
 *     last. Each word is stored with release and loaded with acquire: a reader that sees
 *     a word of a write also sees the odd sequence, or a later sequence. No fence is
 *     needed. */
#include "lib/mt/count_page.h"

#include <string.h>

static void
count_begin(struct count_block *b)
{
	struct pub64 *seq = &b->word[COUNT_WORD_SEQ];

	store_relaxed64(seq, load_relaxed64(seq) + 1);
}

static void
count_end(struct count_block *b)
{
	struct pub64 *seq = &b->word[COUNT_WORD_SEQ];

	store_release64(seq, load_relaxed64(seq) + 1); /* pairs: COUNTSEQ */
}

static void
count_set(struct count_block *b, uint32_t word, uint64_t v)
{
	store_release64(&b->word[word], v); /* pairs: COUNTWORD */
}

void
count_page_init(struct count_page *p, void *memory, size_t len, uint64_t boot)
{
	size_t blocks = len / sizeof(struct count_block);

	ASSERT(blocks > 1 && (uintptr_t)memory % sizeof(uint64_t) == 0);
	p->block = memory;
	p->cap = blocks - 1 < UINT32_MAX ? (uint32_t)(blocks - 1) : UINT32_MAX;
	p->from = 0;
	count_set(p->block, COUNT_HEAD_VERSION, COUNT_VERSION);
	count_set(p->block, COUNT_HEAD_BOOT, boot);
	count_set(p->block, COUNT_HEAD_MAGIC, COUNT_MAGIC);
}

struct count_block *
count_page_take(struct count_page *p)
{
	struct pub64 *head = p->block[0].word;
	uint64_t used = load_relaxed64(&head[COUNT_HEAD_BLOCKS]);

	for (uint32_t n = 0; n < used; n++) {
		uint32_t i = (p->from + n) % (uint32_t)used;
		struct count_block *b = &p->block[1 + i];

		if (load_relaxed64(&b->word[COUNT_WORD_CNT]) != COUNT_VALUES_MAX + 1)
			continue;
		p->from = i + 1;
		count_begin(b);
		count_set(b, COUNT_WORD_CNT, 0);
		count_end(b);
		return b;
	}
	if (used == p->cap) {
		count_set(p->block, COUNT_HEAD_MISSED,
		    load_relaxed64(&head[COUNT_HEAD_MISSED]) + 1);
		return NULL;
	}
	count_set(p->block, COUNT_HEAD_BLOCKS, used + 1);
	return &p->block[1 + used];
}

void
count_page_give(struct count_page *p, TAKE struct count_block *b)
{
	ASSERT(b > p->block && b <= p->block + p->cap);
	count_begin(b);
	count_set(b, COUNT_WORD_KIND, 0);
	/* a block that is taken and not written yet has the kind 0, too */
	count_set(b, COUNT_WORD_CNT, COUNT_VALUES_MAX + 1);
	count_end(b);
}

void
count_block_write(struct count_block *b, uint64_t kind, const char *name,
    const uint64_t *value, uint32_t cnt)
{
	uint64_t text[COUNT_NAME_MAX / 8] = { 0 };
	size_t len = strlen(name);

	ASSERT(kind && cnt <= COUNT_VALUES_MAX);
	memcpy(text, name, len < COUNT_NAME_MAX ? len : COUNT_NAME_MAX - 1);
	count_begin(b);
	count_set(b, COUNT_WORD_KIND, kind);
	count_set(b, COUNT_WORD_CNT, cnt);
	for (uint32_t i = 0; i < COUNT_NAME_MAX / 8; i++)
		count_set(b, COUNT_WORD_NAME + i, text[i]);
	for (uint32_t i = 0; i < cnt; i++)
		count_set(b, COUNT_WORD_VALUES + i, value[i]);
	count_end(b);
}

/* ---- readers ---- */

static uint64_t
count_get(const struct count_block *b, uint32_t word)
{
	return load_acquire64(&b->word[word]); /* pairs: COUNTWORD */
}

int64_t
count_page_check(const void *memory, size_t len)
{
	const struct count_block *head = memory;
	uint64_t blocks;

	if (len < 2 * sizeof(*head) || count_get(head, COUNT_HEAD_MAGIC) != COUNT_MAGIC ||
	    count_get(head, COUNT_HEAD_VERSION) != COUNT_VERSION)
		return -1;
	blocks = count_get(head, COUNT_HEAD_BLOCKS);
	return blocks < len / sizeof(*head) ? (int64_t)blocks : -1;
}

uint64_t
count_page_head(const void *memory, enum count_head word)
{
	return count_get(memory, word);
}

bool
count_block_read(struct count_copy *to, const void *memory, uint32_t i)
{
	const struct count_block *b = (const struct count_block *)memory + 1 + i;
	const struct pub64 *seq = &b->word[COUNT_WORD_SEQ];
	uint64_t text[COUNT_NAME_MAX / 8], before;

	for (int n = 0; n < COUNT_TRIES; n++) {
		uint64_t cnt;

		before = load_acquire64(seq); /* pairs: COUNTSEQ */
		if (before & 1)
			continue;
		to->kind = count_get(b, COUNT_WORD_KIND);
		cnt = count_get(b, COUNT_WORD_CNT);
		to->cnt = cnt <= COUNT_VALUES_MAX ? (uint32_t)cnt : 0;
		for (uint32_t k = 0; k < COUNT_NAME_MAX / 8; k++)
			text[k] = count_get(b, COUNT_WORD_NAME + k);
		for (uint32_t k = 0; k < to->cnt; k++)
			to->value[k] = count_get(b, COUNT_WORD_VALUES + k);
		if (load_relaxed64(seq) != before)
			continue;
		memcpy(to->name, text, sizeof(text));
		to->name[COUNT_NAME_MAX - 1] = 0;
		return to->kind != 0;
	}
	return false;
}
