/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/count_page.c: a writer and two readers of a page of counters. A block that a
 * reader gets is the block of one write (G1). */
#include "lib/base/base.h"
#include "lib/mt/count_page.h"
#include "test/sim/subturns/subturns.h"

#define BLOCKS 2
#define SWEEPS 3
#define VALUES 5

static struct count_block page_memory[1 + BLOCKS];
static struct count_page page;

static void
page_writer(void *arg)
{
	(void)arg;
	for (uint64_t sweep = 1; sweep <= SWEEPS; sweep++) {
		count_page_begin(&page);
		for (uint64_t i = 0; i < BLOCKS; i++) {
			struct count_copy c;

			count_copy_init(&c, 1 + i, i ? "second" : "first");
			for (c.cnt = 0; c.cnt < VALUES; c.cnt++)
				c.value[c.cnt] = sweep;
			count_page_put(&page, &c);
		}
		count_page_end(&page, sweep, 1, 3);
	}
}

static void
page_reader(void *arg)
{
	uint64_t last[BLOCKS] = { 0 };

	(void)arg;
	for (uint64_t reads = 1 + sub_random(4); reads; reads--) {
		uint32_t i = (uint32_t)sub_random(BLOCKS);
		struct count_copy c;

		if (count_page_check(page_memory, sizeof(page_memory)) < BLOCKS ||
		    !count_block_read(&c, page_memory, i))
			continue;
		if (c.kind != 1 + i || strcmp(c.name, i ? "second" : "first") ||
		    c.cnt != VALUES)
			sub_fail("block %u has kind %llu and %u values", i,
			    (unsigned long long)c.kind, c.cnt);
		for (uint32_t v = 1; v < VALUES; v++)
			if (c.value[v] != c.value[0])
				sub_fail("block %u mixes the writes %llu and %llu", i,
				    (unsigned long long)c.value[0],
				    (unsigned long long)c.value[v]);
		if (c.value[0] < last[i])
			sub_fail("block %u goes back to an earlier write", i);
		last[i] = c.value[0];
	}
}

static void
page_play(void)
{
	unsigned nr[3];

	memset(page_memory, 0, sizeof(page_memory));
	count_page_init(&page, page_memory, sizeof(page_memory), 1);
	nr[0] = sub_thread_new("writer", page_writer, NULL);
	nr[1] = sub_thread_new("reader 0", page_reader, NULL);
	nr[2] = sub_thread_new("reader 1", page_reader, NULL);
	for (unsigned i = 0; i < 3; i++)
		sub_thread_join(nr[i]);
}

extern const struct sub_program prog_page;
const struct sub_program prog_page = { "page",
	"lib/mt/count_page.c: a writer, two readers", page_play, NULL };
