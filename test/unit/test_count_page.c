/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters: blocks that are taken, written, given back and full; pages that
 * are no pages. test/stress/stress_count_page.c has a writer and readers at once. */
#include "lib/mt/count_page.c"
#include "test/lib/unit.h"

#include <stdlib.h>

#define BLOCKS 4

static union {
	struct count_block block[1 + BLOCKS];
	uint64_t word[(1 + BLOCKS) * COUNT_BLOCK_WORDS];
} memory;

static void
count_page_begin(struct count_page *p)
{
	memset(&memory, 0, sizeof(memory));
	assert_int_equal(count_page_check(&memory, sizeof(memory)), -1);
	count_page_init(p, &memory, sizeof(memory), 77);
	assert_int_equal(count_page_check(&memory, sizeof(memory)), 0);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_BOOT), 77);
}

static void
count_page_values(void **state)
{
	uint64_t value[COUNT_VALUES_MAX];
	char name[200];
	struct count_page p;
	struct count_block *b;
	struct count_copy c;

	(void)state;
	count_page_begin(&p);
	b = count_page_take(&p);
	assert_int_equal(count_page_check(&memory, sizeof(memory)), 1);
	/* taken and not written */
	assert_false(count_block_read(&c, &memory, 0));
	for (unsigned i = 0; i < COUNT_VALUES_MAX; i++)
		value[i] = ~(uint64_t)i;
	count_block_write(b, 3, "p1.ipv4", value, COUNT_VALUES_MAX);
	assert_true(count_block_read(&c, &memory, 0));
	assert_int_equal(c.kind, 3);
	assert_int_equal(c.cnt, COUNT_VALUES_MAX);
	assert_string_equal(c.name, "p1.ipv4");
	assert_memory_equal(c.value, value, sizeof(value));
	/* fewer values, and a name that is too long */
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	count_block_write(b, 4, name, value, 1);
	assert_true(count_block_read(&c, &memory, 0));
	assert_int_equal(c.cnt, 1);
	assert_int_equal(strlen(c.name), COUNT_NAME_MAX - 1);
	assert_int_equal(load_relaxed64(&b->word[COUNT_WORD_SEQ]) & 1, 0);
}

static void
count_page_blocks(void **state)
{
	struct count_block *b[BLOCKS];
	struct count_page p;
	struct count_copy c;
	uint64_t one = 1;

	(void)state;
	count_page_begin(&p);
	for (unsigned i = 0; i < BLOCKS; i++) {
		b[i] = count_page_take(&p);
		assert_non_null(b[i]);
	}
	/* no block is free, also none that was not written yet */
	assert_null(count_page_take(&p));
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_MISSED), 1);
	for (unsigned i = 0; i < BLOCKS; i++)
		count_block_write(b[i], 1, "a", &one, 1);
	count_page_give(&p, b[2]);
	assert_false(count_block_read(&c, &memory, 2));
	assert_int_equal(count_page_check(&memory, sizeof(memory)), BLOCKS);
	assert_ptr_equal(count_page_take(&p), b[2]);
	assert_null(count_page_take(&p));
	assert_false(count_block_read(&c, &memory, 2));
	count_block_write(b[2], 1, "b", &one, 0);
	assert_true(count_block_read(&c, &memory, 2));
	assert_string_equal(c.name, "b");
	assert_int_equal(c.cnt, 0);
}

/* count_page_wrong - a reader survives each content of a page. */
static void
count_page_wrong(void **state)
{
	struct count_page p;
	struct count_block *b;
	struct count_copy c;

	(void)state;
	count_page_begin(&p);
	b = count_page_take(&p);
	assert_int_equal(count_page_check(&memory, sizeof(struct count_block)), -1);
	count_block_write(b, 1, "a", NULL, 0);
	/* the writer died within a write */
	memory.word[COUNT_BLOCK_WORDS + COUNT_WORD_SEQ]++;
	assert_false(count_block_read(&c, &memory, 0));
	memory.word[COUNT_BLOCK_WORDS + COUNT_WORD_SEQ]++;
	memory.word[COUNT_BLOCK_WORDS + COUNT_WORD_CNT] = UINT64_MAX;
	memset(&memory.word[COUNT_BLOCK_WORDS + COUNT_WORD_NAME], 'x', COUNT_NAME_MAX);
	assert_true(count_block_read(&c, &memory, 0));
	assert_int_equal(c.cnt, 0);
	assert_int_equal(strlen(c.name), COUNT_NAME_MAX - 1);
	memory.word[COUNT_HEAD_BLOCKS] = BLOCKS + 1;
	assert_int_equal(count_page_check(&memory, sizeof(memory)), -1);
	memory.word[COUNT_HEAD_BLOCKS] = BLOCKS;
	assert_int_equal(count_page_check(&memory, sizeof(memory)), BLOCKS);
	memory.word[COUNT_HEAD_VERSION]++;
	assert_int_equal(count_page_check(&memory, sizeof(memory)), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(count_page_values),
		cmocka_unit_test(count_page_blocks), cmocka_unit_test(count_page_wrong) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
