/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters: sweeps that keep, move and drop blocks, texts, a full page, and
 * pages that are no pages. test/stress/stress_count_page.c has a writer and readers at
 * once. */
#include "lib/mt/count_page.c"
#include "test/lib/unit.h"

#include <stdlib.h>

#define BLOCKS 4

static union {
	struct count_block block[1 + BLOCKS];
	uint64_t word[(1 + BLOCKS) * COUNT_BLOCK_WORDS];
} memory;

static void
count_page_start(struct count_page *p)
{
	memset(&memory, 0, sizeof(memory));
	assert_int_equal(count_page_check(&memory, sizeof(memory)), -1);
	count_page_init(p, &memory, sizeof(memory), 77);
	assert_int_equal(count_page_check(&memory, sizeof(memory)), 0);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_BOOT), 77);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_SWEEP), 0);
}

/* count_page_sweep - a sweep with a block for each character of @names. */
static void
count_page_sweep(struct count_page *p, const char *names, uint64_t value)
{
	count_page_begin(p);
	for (; *names; names++) {
		struct count_copy c;
		char name[2] = { *names, 0 };

		count_copy_init(&c, 3, name);
		c.value[c.cnt++] = value;
		count_page_put(p, &c);
	}
	count_page_end(p, 5, 6, 1 << 3);
}

static void
count_page_values(void **state)
{
	char name[200];
	struct count_page p;
	struct count_copy c, r;
	uint32_t pos = 0;

	(void)state;
	count_page_start(&p);
	assert_false(count_block_read(&r, &memory, 0));
	count_copy_init(&c, 3, "p1");
	assert_true(count_copy_text(&c, "text", 10));
	assert_true(count_copy_text(&c, NULL, 10));
	/* shortened by whole characters: U+00E4 has two octets */
	assert_true(count_copy_text(&c, "a\xc3\xa4\xc3\xa4", 4));
	for (c.cnt = 0; c.cnt < COUNT_VALUES_MAX; c.cnt++)
		c.value[c.cnt] = ~(uint64_t)c.cnt;
	count_page_begin(&p);
	count_page_put(&p, &c);
	count_page_end(&p, 11, 12, 1 << 3);
	assert_int_equal(count_page_check(&memory, sizeof(memory)), 1);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_AT_NS), 11);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_PERIOD_MS), 12);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_KINDS), 1 << 3);
	assert_true(count_block_read(&r, &memory, 0));
	assert_int_equal(r.kind, 3);
	assert_int_equal(count_block_kind(&memory, 0), 3);
	assert_int_equal(r.cnt, COUNT_VALUES_MAX);
	assert_string_equal(r.name, "p1");
	assert_memory_equal(r.value, c.value, sizeof(c.value));
	assert_string_equal(count_copy_next(&r, &pos), "text");
	assert_string_equal(count_copy_next(&r, &pos), "");
	assert_string_equal(count_copy_next(&r, &pos), "a\xc3\xa4");
	assert_null(count_copy_next(&r, &pos));
	/* a name that is too long; texts that fill the block */
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	count_copy_init(&c, 4, name);
	while (count_copy_text(&c, name, sizeof(name)))
		;
	assert_int_equal(c.texts, COUNT_TEXTS_MAX);
	count_page_begin(&p);
	count_page_put(&p, &c);
	count_page_end(&p, 11, 12, 1 << 4);
	assert_true(count_block_read(&r, &memory, 0));
	assert_int_equal(r.cnt, 0);
	assert_int_equal(strlen(r.name), COUNT_NAME_MAX - 1);
	assert_int_equal(r.texts, COUNT_TEXTS_MAX);
}

static void
count_page_layout(void **state)
{
	struct count_page p;
	struct count_copy c;
	uint64_t layout;

	(void)state;
	count_page_start(&p);
	count_page_sweep(&p, "abc", 1);
	layout = count_page_head(&memory, COUNT_HEAD_LAYOUT);
	assert_int_equal(layout % 2, 0);
	/* the same objects: the layout stays */
	count_page_sweep(&p, "abc", 2);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_LAYOUT), layout);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_SWEEP), 2);
	assert_true(count_block_read(&c, &memory, 2));
	assert_int_equal(c.value[0], 2);
	/* an object goes, another object comes, an object more */
	count_page_sweep(&p, "ac", 3);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_LAYOUT), layout + 2);
	assert_int_equal(count_page_check(&memory, sizeof(memory)), 2);
	count_page_sweep(&p, "ad", 4);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_LAYOUT), layout + 4);
	count_page_sweep(&p, "adc", 5);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_LAYOUT), layout + 6);
	/* a sweep that begins again leaves the layout odd until its end */
	count_page_begin(&p);
	count_copy_init(&c, 3, "z");
	count_page_put(&p, &c);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_LAYOUT) % 2, 1);
	count_page_sweep(&p, "adc", 6);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_LAYOUT), layout + 8);
	/* a full page counts the loss */
	count_page_sweep(&p, "abcdef", 7);
	assert_int_equal(count_page_check(&memory, sizeof(memory)), BLOCKS);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_MISSED), 2);
	count_page_sweep(&p, "abcd", 8);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_MISSED), 0);
	count_page_close(&p);
	assert_int_equal(count_page_head(&memory, COUNT_HEAD_CLOSED), 1);
}

/* count_page_wrong - a reader survives each content of a page. */
static void
count_page_wrong(void **state)
{
	uint64_t *block = &memory.word[COUNT_BLOCK_WORDS];
	struct count_page p;
	struct count_copy c;
	uint32_t pos = 0;

	(void)state;
	count_page_start(&p);
	assert_int_equal(count_page_check(&memory, sizeof(struct count_block)), -1);
	count_page_sweep(&p, "a", 1);
	/* the writer died within a write */
	block[COUNT_WORD_SEQ]++;
	assert_false(count_block_read(&c, &memory, 0));
	block[COUNT_WORD_SEQ]++;
	block[COUNT_WORD_CNT] = UINT64_MAX;
	block[COUNT_WORD_TEXTS] = UINT64_MAX;
	memset(&block[COUNT_WORD_NAME], 'x', COUNT_NAME_MAX + COUNT_TEXTS_MAX);
	assert_true(count_block_read(&c, &memory, 0));
	assert_int_equal(c.cnt, 0);
	assert_int_equal(c.texts, 0);
	assert_int_equal(strlen(c.name), COUNT_NAME_MAX - 1);
	block[COUNT_WORD_TEXTS] = COUNT_TEXTS_MAX;
	assert_true(count_block_read(&c, &memory, 0));
	assert_int_equal(strlen(count_copy_next(&c, &pos)), COUNT_TEXTS_MAX - 1);
	assert_null(count_copy_next(&c, &pos));
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
		cmocka_unit_test(count_page_layout), cmocka_unit_test(count_page_wrong) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
