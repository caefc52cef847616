/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of counters that other processes read. Loop: see the header. Tested by
 * test/unit/test_count_page.c and test/stress/stress_count_page.c.
 *
 * I1  The writer makes a sequence odd before the first word changes, and even after the
 *     last. Each word is stored with release and loaded with acquire: a reader that sees
 *     a word of a write also sees the odd sequence, or a later sequence. No fence is
 *     needed. COUNT_HEAD_LAYOUT is such a sequence for the kinds and names of all
 *     blocks. */
#include "lib/mt/count_page.h"

#include <string.h>

static uint64_t
count_own(const struct count_block *b, uint32_t word)
{
	return load_relaxed64(&b->word[word]);
}

static void
count_begin(struct count_block *b, uint32_t word)
{
	store_relaxed64(&b->word[word], count_own(b, word) + 1);
}

static void
count_end(struct count_block *b, uint32_t word)
{
	store_release64(&b->word[word], count_own(b, word) + 1); /* pairs: COUNTSEQ */
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
	*p = (struct count_page){ .block = memory };
	p->cap = blocks - 1 < UINT32_MAX ? (uint32_t)(blocks - 1) : UINT32_MAX;
	count_set(p->block, COUNT_HEAD_VERSION, COUNT_VERSION);
	count_set(p->block, COUNT_HEAD_BOOT, boot);
	count_set(p->block, COUNT_HEAD_MAGIC, COUNT_MAGIC);
}

void
count_page_begin(struct count_page *p)
{
	p->next = p->missed = 0;
}

/* count_page_moves - kinds, names or the number of blocks change from now on. */
static void
count_page_moves(struct count_page *p)
{
	if (!p->moves)
		count_begin(p->block, COUNT_HEAD_LAYOUT);
	p->moves = true;
}

/* count_is_same - has the block @b the kind of @c and the name @name? */
static bool
count_is_same(const struct count_block *b, const struct count_copy *c,
    const uint64_t name[COUNT_NAME_MAX / 8])
{
	if (count_own(b, COUNT_WORD_KIND) != c->kind)
		return false;
	for (uint32_t i = 0; i < COUNT_NAME_MAX / 8; i++)
		if (count_own(b, COUNT_WORD_NAME + i) != name[i])
			return false;
	return true;
}

static void
count_block_write(struct count_block *b, const struct count_copy *c,
    const uint64_t name[COUNT_NAME_MAX / 8])
{
	uint64_t text[COUNT_TEXTS_MAX / 8] = { 0 };

	memcpy(text, c->text, c->texts);
	count_begin(b, COUNT_WORD_SEQ);
	count_set(b, COUNT_WORD_KIND, c->kind);
	count_set(b, COUNT_WORD_CNT, c->cnt);
	count_set(b, COUNT_WORD_TEXTS, c->texts);
	for (uint32_t i = 0; i < COUNT_NAME_MAX / 8; i++)
		count_set(b, COUNT_WORD_NAME + i, name[i]);
	for (uint32_t i = 0; i < (c->texts + 7) / 8; i++)
		count_set(b, COUNT_WORD_TEXT + i, text[i]);
	for (uint32_t i = 0; i < c->cnt; i++)
		count_set(b, COUNT_WORD_VALUES + i, c->value[i]);
	count_end(b, COUNT_WORD_SEQ);
}

void
count_page_put(struct count_page *p, const struct count_copy *c)
{
	uint64_t name[COUNT_NAME_MAX / 8];
	struct count_block *b;

	ASSERT(c->kind && c->kind < 64 && c->cnt <= COUNT_VALUES_MAX &&
	       c->texts <= COUNT_TEXTS_MAX);
	if (p->next == p->cap) {
		p->missed++;
		return;
	}
	b = &p->block[1 + p->next];
	memcpy(name, c->name, sizeof(name));
	if (p->next >= count_own(p->block, COUNT_HEAD_BLOCKS) ||
	    !count_is_same(b, c, name))
		count_page_moves(p);
	p->next++;
	count_block_write(b, c, name);
}

void
count_page_end(struct count_page *p, uint64_t at_ns, uint64_t period_ms, uint64_t kinds)
{
	struct count_block *head = p->block;

	if (p->next != count_own(head, COUNT_HEAD_BLOCKS) ||
	    kinds != count_own(head, COUNT_HEAD_KINDS))
		count_page_moves(p);
	count_set(head, COUNT_HEAD_BLOCKS, p->next);
	count_set(head, COUNT_HEAD_MISSED, p->missed);
	count_set(head, COUNT_HEAD_KINDS, kinds);
	count_set(head, COUNT_HEAD_AT_NS, at_ns);
	count_set(head, COUNT_HEAD_PERIOD_MS, period_ms);
	if (p->moves)
		count_end(head, COUNT_HEAD_LAYOUT);
	p->moves = false;
	count_set(head, COUNT_HEAD_SWEEP, count_own(head, COUNT_HEAD_SWEEP) + 1);
}

void
count_page_close(struct count_page *p)
{
	count_set(p->block, COUNT_HEAD_CLOSED, 1);
}

/* ---- contents of blocks ---- */

/* count_text_len - octets of @s that have room in @max: whole characters. */
static size_t
count_text_len(const char *s, size_t max)
{
	size_t len = strnlen(s, max + 1);

	if (len <= max)
		return len;
	len = max;
	while (len && ((unsigned char)s[len] & 0xc0) == 0x80)
		len--;
	return len;
}

void
count_copy_init(struct count_copy *c, uint64_t kind, const char *name)
{
	c->kind = kind;
	c->cnt = c->texts = 0;
	memset(c->name, 0, sizeof(c->name));
	memcpy(c->name, name, count_text_len(name, COUNT_NAME_MAX - 1));
}

bool
count_copy_text(struct count_copy *c, const char *s, size_t max)
{
	size_t room = COUNT_TEXTS_MAX - c->texts, len;

	if (!room)
		return false;
	if (!s)
		s = "";
	len = count_text_len(s, max < room ? max : room - 1);
	memcpy(c->text + c->texts, s, len);
	c->texts += (uint32_t)len;
	c->text[c->texts++] = 0;
	return true;
}

const char *
count_copy_next(const struct count_copy *c, uint32_t *pos)
{
	const char *s = c->text + *pos;

	if (*pos >= c->texts)
		return NULL;
	*pos += (uint32_t)strlen(s) + 1;
	return s;
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

uint64_t
count_block_kind(const void *memory, uint32_t i)
{
	return count_get((const struct count_block *)memory + 1 + i, COUNT_WORD_KIND);
}

/* count_block_take - copy the words of @b, of one write or of several. */
static void
count_block_take(struct count_copy *to, const struct count_block *b)
{
	uint64_t text[COUNT_TEXTS_MAX / 8], name[COUNT_NAME_MAX / 8], cnt, texts;

	to->kind = count_get(b, COUNT_WORD_KIND);
	cnt = count_get(b, COUNT_WORD_CNT);
	texts = count_get(b, COUNT_WORD_TEXTS);
	to->cnt = cnt <= COUNT_VALUES_MAX ? (uint32_t)cnt : 0;
	to->texts = texts <= COUNT_TEXTS_MAX ? (uint32_t)texts : 0;
	for (uint32_t k = 0; k < COUNT_NAME_MAX / 8; k++)
		name[k] = count_get(b, COUNT_WORD_NAME + k);
	for (uint32_t k = 0; k < (to->texts + 7) / 8; k++)
		text[k] = count_get(b, COUNT_WORD_TEXT + k);
	for (uint32_t k = 0; k < to->cnt; k++)
		to->value[k] = count_get(b, COUNT_WORD_VALUES + k);
	memcpy(to->name, name, sizeof(to->name));
	to->name[COUNT_NAME_MAX - 1] = 0;
	memcpy(to->text, text, to->texts);
	if (to->texts)
		to->text[to->texts - 1] = 0;
}

bool
count_block_read(struct count_copy *to, const void *memory, uint32_t i)
{
	const struct count_block *b = (const struct count_block *)memory + 1 + i;
	const struct pub64 *seq = &b->word[COUNT_WORD_SEQ];

	for (int n = 0; n < COUNT_TRIES; n++) {
		uint64_t before = load_acquire64(seq); /* pairs: COUNTSEQ */

		if (before & 1)
			continue;
		count_block_take(to, b);
		if (load_relaxed64(seq) == before)
			return to->kind != 0;
	}
	return false;
}
