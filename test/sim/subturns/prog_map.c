/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/id_map.c: a writer puts, replaces and clears numbers, two readers get numbers. A
 * reader sees what the writer wrote before the put (G1), and no freed block. */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/mt/id_map.h"
#include "lib/mt/rcu.h"
#include "test/sim/subturns/subturns.h"

#define IDS     5
#define NUMBERS 16

static struct id_map map;
static const uint32_t ids[IDS] = { 0, 1, 300, 301, 700 };
static uint32_t content[NUMBERS]; /* of the numbers: id + 1 */

static void
map_writer(void *arg)
{
	(void)arg;
	rcu_join();
	for (uint32_t num = 1; num < NUMBERS; num++) {
		uint32_t id = ids[sub_random(IDS)];

		content[num] = id + 1;
		id_map_put(&map, id, num);
		if (!sub_random(3))
			id_map_put(&map, ids[sub_random(IDS)], 0);
		if (!sub_random(8))
			id_map_clear(&map);
		rcu_quiesce();
	}
	id_map_clear(&map);
	rcu_leave();
}

static void
map_reader(void *arg)
{
	(void)arg;
	rcu_join();
	for (uint64_t i = 4 + sub_random(12); i; i--) {
		uint32_t id = ids[sub_random(IDS)], num = id_map_get(&map, id);

		if (num >= NUMBERS || (num && content[num] != id + 1))
			sub_fail("id %u has the number %u without its content", id, num);
		if (!sub_random(2))
			rcu_quiesce();
	}
	rcu_leave();
}

static void
map_play(void)
{
	unsigned nr[3];

	memset(&map, 0, sizeof(map));
	memset(content, 0, sizeof(content));
	nr[0] = sub_thread_new("writer", map_writer, NULL);
	nr[1] = sub_thread_new("reader 0", map_reader, NULL);
	nr[2] = sub_thread_new("reader 1", map_reader, NULL);
	for (unsigned i = 0; i < 3; i++)
		sub_thread_join(nr[i]);
}

static void
map_judge(void)
{
	if (sub_heap_left())
		sub_fail("%u blocks are never freed", sub_heap_left());
}

extern const struct sub_program prog_map;
const struct sub_program prog_map = { "map", "lib/mt/id_map.c: a writer, two readers",
	map_play, map_judge };
