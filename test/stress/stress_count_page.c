/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters: a writer and two readers of one page.
 *
 * Each sweep has two blocks of one number. The kind, the name, the texts and the number
 * of values follow from the number; the names change every 16 sweeps. The readers check
 * that a copy is of one write (G1), that the numbers never fall, and that two blocks of
 * an unchanged layout have the names of one layout (G2). Prints nothing; aborts on a
 * failure. Argument: sweeps (100,000). */
#include "lib/mt/count_page.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READERS 2
#define BLOCKS  2

static struct count_block memory[1 + BLOCKS];
static struct pub32 ended;
static uint64_t total = 100000;

static void
stress_count_die(const char *what)
{
	fprintf(stderr, "stress_count_page: %s\n", what);
	abort();
}

/* stress_count_make - the block @i of the sweep @n. */
static void
stress_count_make(struct count_copy *c, uint64_t n, uint32_t i)
{
	char name[COUNT_NAME_MAX], text[100];

	snprintf(name, sizeof(name), "%*s%llu.%u", (int)(n / 16 % 60), "",
	    (unsigned long long)(n / 16), i);
	count_copy_init(c, 1 + n / 16 % 60, name);
	snprintf(text, sizeof(text), "%*s%llu", (int)(n % 90), "", (unsigned long long)n);
	(void)count_copy_text(c, text, sizeof(text));
	(void)count_copy_text(c, text, sizeof(text));
	c->cnt = 1 + (uint32_t)(n * 7 % COUNT_VALUES_MAX);
	for (uint32_t k = 0; k < c->cnt; k++)
		c->value[k] = n + k;
}

static void
stress_count_check(const struct count_copy *c, uint32_t i, uint64_t *last)
{
	struct count_copy want;
	uint64_t n = c->value[0];

	if (n < *last)
		stress_count_die("the number falls");
	*last = n;
	stress_count_make(&want, n, i);
	if (c->kind != want.kind || c->cnt != want.cnt || c->texts != want.texts ||
	    strcmp(c->name, want.name) || memcmp(c->text, want.text, want.texts) ||
	    memcmp(c->value, want.value, want.cnt * sizeof(want.value[0])))
		stress_count_die("the copy is of two writes");
}

static void
stress_count_read(uint64_t last[BLOCKS])
{
	uint64_t layout = count_page_head(memory, COUNT_HEAD_LAYOUT);
	struct count_copy c[BLOCKS];
	bool whole = !(layout & 1);

	for (uint32_t i = 0; i < BLOCKS; i++) {
		if (count_block_read(&c[i], memory, i))
			stress_count_check(&c[i], i, &last[i]);
		else
			whole = false;
	}
	if (!whole || count_page_head(memory, COUNT_HEAD_LAYOUT) != layout) {
		sched_yield();
		return;
	}
	if (c[0].value[0] / 16 != c[1].value[0] / 16)
		stress_count_die("two blocks are of two layouts");
}

static void *
stress_count_reader(void *arg)
{
	uint64_t last[BLOCKS] = { 0 };

	(void)arg;
	while (!load_acquire32(&ended)) /* pairs: COUNTENDED */
		stress_count_read(last);
	stress_count_read(last);
	if (last[0] != total || last[1] != total)
		stress_count_die("the last write is absent");
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t reader[READERS];
	struct count_page page;

	if (argc > 1)
		total = strtoull(argv[1], NULL, 10);
	count_page_init(&page, memory, sizeof(memory), 1);
	for (int i = 0; i < READERS; i++)
		if (pthread_create(&reader[i], NULL, stress_count_reader, NULL))
			stress_count_die("no thread");
	for (uint64_t n = 1; n <= total; n++) {
		count_page_begin(&page);
		for (uint32_t i = 0; i < BLOCKS; i++) {
			struct count_copy c;

			stress_count_make(&c, n, i);
			count_page_put(&page, &c);
		}
		count_page_end(&page, n, 1, 1);
	}
	store_release32(&ended, 1); /* pairs: COUNTENDED */
	for (int i = 0; i < READERS; i++)
		pthread_join(reader[i], NULL);
	return 0;
}
