/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Route origin validation: questions to a map of 400,000 VRPs of both kinds of prefixes
 * that occur (mostly /16 to /24, many with room for more specific ones), building it, and
 * single changes. */
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/roa.h"
#include "test/bench/bench.h"
#include "test/lib/seed.h"

#define VRPS      400000
#define QUESTIONS 4000000
#define CHANGES   20000
#define KEYS      (1u << 16)

static struct prefix
bench_roa_draw_prefix(struct seed *s)
{
	/* lengths in about the shares that the RPKI has */
	static const uint8_t len[16] = { 24, 24, 24, 24, 24, 24, 24, 24, 23, 22, 22, 21,
		20, 19, 16, 18 };
	uint32_t a = seed_below(s, 224u << 24);

	/* space in use is dense here and empty there */
	if ((a >> 20) % 3)
		a &= 0xffff7fff;
	return prefix_make(ip4(a), len[seed_below(s, 16)], FAM_IP4);
}

static double
bench_roa_ns_each(uint64_t from, uint64_t cnt)
{
	return (double)(clock_thread_cpu_ns() - from) / (double)cnt;
}

static void
bench_roa_say(const char *name, const char *unit, double v)
{
	bench_row(
	    &(struct bench_row){ .name = name, .unit = unit, .best = v, .median = v });
}

int
main(int argc, char **argv)
{
	static struct vrp_change c[VRPS];
	static struct prefix key[KEYS];
	struct seed s = { 1 };
	struct roa_map *m;
	uint64_t from, sum = 0;
	double build, ask, change;
	size_t before, used;

	bench_start(argc, argv, "route origin validation");
	rcu_join();
	for (uint32_t i = 0; i < VRPS; i++) {
		struct vrp v = { .net = bench_roa_draw_prefix(&s),
			.asn = 1 + seed_below(&s, 70000) };

		v.max_len = v.net.len < 24 && seed_chance(&s, 2) ? 24 : v.net.len;
		c[i] = (struct vrp_change){ v, true };
	}
	/* half of the questions are about prefixes that have VRPs */
	for (uint32_t i = 0; i < KEYS; i++)
		key[i] = seed_chance(&s, 2) ? c[seed_below(&s, VRPS)].vrp.net
					    : bench_roa_draw_prefix(&s);
	before = mem_used(MEM_TABLE);
	m = roa_map_new(FAM_IP4);
	from = clock_thread_cpu_ns();
	roa_map_update(m, c, VRPS);
	build = (double)(clock_thread_cpu_ns() - from) / 1e6;
	used = mem_used(MEM_TABLE) - before;
	from = clock_thread_cpu_ns();
	for (uint32_t i = 0; i < QUESTIONS; i++) {
		/* each waits for the one before, as in a filter */
		uint32_t k = (i * 2654435761u + (uint32_t)(sum & 1)) & (KEYS - 1);

		sum += roa_map_check(m, &key[k], 1 + (k & 0xffff));
	}
	ask = bench_roa_ns_each(from, QUESTIONS);
	from = clock_thread_cpu_ns();
	for (uint32_t i = 0; i < CHANGES; i++) {
		struct vrp_change one = c[seed_below(&s, VRPS)];

		if (i & 1)
			one.there = false;
		roa_map_update(m, &one, 1);
		if (i % 64 == 0)
			rcu_quiesce();
	}
	change = bench_roa_ns_each(from, CHANGES);
	ASSERT(sum > 0);
	bench_roa_say("question to a map of 400,000 VRPs", "ns", ask);
	bench_roa_say("map of 400,000 VRPs built, each", "ns", build * 1e6 / VRPS);
	bench_roa_say("map of 400,000 VRPs held, each", "octets", (double)used / VRPS);
	bench_roa_say("one VRP changed", "ns", change);
	rcu_drain();
	roa_map_free(m);
	rcu_leave();
	return bench_end();
}
