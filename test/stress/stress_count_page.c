/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters: a writer and two readers of one block.
 *
 * Each write has values, a number of values and a name that follow from one number. The
 * readers check that a copy is of one write (G1), and that the numbers never fall. Prints
 * nothing; aborts on a failure. Argument: writes (200,000). */
#include "lib/mt/count_page.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READERS 2

static struct count_block memory[2];
static struct pub32 ended;
static uint64_t total = 200000;

static void
stress_count_die(const char *what)
{
	fprintf(stderr, "stress_count_page: %s\n", what);
	abort();
}

static uint32_t
stress_count_cnt(uint64_t n)
{
	return 1 + (uint32_t)(n * 7 % COUNT_VALUES_MAX);
}

static void
stress_count_name(char *to, uint64_t n)
{
	int len = (int)(n % 60);

	snprintf(to, COUNT_NAME_MAX, "%*s%llu", len, "", (unsigned long long)n);
}

static void
stress_count_check(const struct count_copy *c, uint64_t *last)
{
	uint64_t n = c->value[0];
	char name[COUNT_NAME_MAX];

	if (n < *last)
		stress_count_die("the number falls");
	*last = n;
	stress_count_name(name, n);
	if (c->kind != n || c->cnt != stress_count_cnt(n) || strcmp(c->name, name))
		stress_count_die("the copy is of two writes");
	for (uint32_t i = 0; i < c->cnt; i++)
		if (c->value[i] != n + i)
			stress_count_die("a value is of another write");
}

static void *
stress_count_reader(void *arg)
{
	struct count_copy c;
	uint64_t last = 0;

	(void)arg;
	while (!load_acquire32(&ended)) { /* pairs: COUNTENDED */
		if (count_block_read(&c, memory, 0))
			stress_count_check(&c, &last);
		else
			sched_yield();
	}
	if (!count_block_read(&c, memory, 0) || c.value[0] != total)
		stress_count_die("the last write is absent");
	return NULL;
}

int
main(int argc, char **argv)
{
	uint64_t value[COUNT_VALUES_MAX];
	pthread_t reader[READERS];
	char name[COUNT_NAME_MAX];
	struct count_page page;
	struct count_block *b;

	if (argc > 1)
		total = strtoull(argv[1], NULL, 10);
	count_page_init(&page, memory, sizeof(memory), 1);
	b = count_page_take(&page);
	for (int i = 0; i < READERS; i++)
		if (pthread_create(&reader[i], NULL, stress_count_reader, NULL))
			stress_count_die("no thread");
	for (uint64_t n = 1; n <= total; n++) {
		for (uint32_t i = 0; i < COUNT_VALUES_MAX; i++)
			value[i] = n + i;
		stress_count_name(name, n);
		count_block_write(b, n, name, value, stress_count_cnt(n));
	}
	store_release32(&ended, 1); /* pairs: COUNTENDED */
	for (int i = 0; i < READERS; i++)
		pthread_join(reader[i], NULL);
	return 0;
}
