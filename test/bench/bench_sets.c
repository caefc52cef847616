/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of 100,000 members: how long building takes, how much memory they have, and how
 * long it takes to ask one, with random keys of which half are members, ten sets in turn.
 * Times are CPU time; each 5,000 keys count with the best of several rounds, since
 * whoever shares the machine empties caches. */
#include "filter/set/pfxset.h"
#include "filter/set/set.h"
#include "test/bench/bench.h"
#include "test/lib/seed.h"

#define SETS   10
#define ELEMS  100000
#define KEYS   200000 /* asked one after the other; much more than caches hold */
#define CHUNK  5000
#define ROUNDS 15

/* What is measured: sets of one kind, and keys for them. */
struct rig {
	struct seed seed;
	struct arena arena;
	const struct pfxset *pfx[SETS];
	const struct fset *set[SETS];
	struct prefix *ask_pfx;
	struct fvalue *ask;
	uint64_t build_ns;
	size_t octets;
};

static uint32_t
ask_prefixes(const struct rig *g, uint32_t at)
{
	uint32_t i, hits = 0;

	for (i = at; i < at + CHUNK; i++)
		hits += pfxset_has(g->pfx[i % SETS], &g->ask_pfx[i]);
	return hits;
}

static uint32_t
ask_values(const struct rig *g, uint32_t at)
{
	uint32_t i, hits = 0;

	for (i = at; i < at + CHUNK; i++)
		hits += fset_has(g->set[i % SETS], &g->ask[i]);
	return hits;
}

/* Returns: ns a key. */
static double
bench_sets_ask_all(
    const struct rig *g, uint32_t (*ask)(const struct rig *, uint32_t), uint32_t *hits)
{
	uint64_t best[KEYS / CHUNK], sum = 0;
	uint32_t k, i;

	memset(best, 0xff, sizeof(best));
	for (k = 0; k < ROUNDS; k++) {
		for (*hits = 0, i = 0; i < KEYS / CHUNK; i++) {
			uint64_t from = clock_thread_cpu_ns();

			*hits += ask(g, i * CHUNK);
			from = clock_thread_cpu_ns() - from;
			best[i] = from < best[i] ? from : best[i];
		}
	}
	for (i = 0; i < KEYS / CHUNK; i++)
		sum += best[i];
	return (double)sum / KEYS;
}

static void
bench_sets_say(const char *of, const char *what, double v, const char *unit)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s", of, what);
	bench_row(
	    &(struct bench_row){ .name = name, .unit = unit, .best = v, .median = v });
}

static void
bench_sets_say_all(const struct rig *g, const char *of, double ns, uint32_t hits)
{
	ASSERT(hits > KEYS / 3 && hits < KEYS);
	bench_sets_say(of, "asked", ns, "ns");
	bench_sets_say(of, "built, a member", (double)g->build_ns / SETS / ELEMS, "ns");
	bench_sets_say(of, "held, a member", (double)g->octets / SETS / ELEMS, "octets");
}

/* ---- prefixes ---- */

/* As registries have them: IPv4 anywhere, IPv6 in few blocks, /32 to /48. */
static struct prefix
bench_sets_random_prefix(struct seed *s, enum family fam)
{
	static const uint32_t blocks[] = { 0x20010000, 0x24000000, 0x26000000, 0x28000000,
		0x2a000000, 0x2a100000, 0x2c0f0000 };
	uint64_t hi;

	if (fam == FAM_IP4)
		return prefix_make(
		    ip4(seed_below(s, 0xdf000000 - 0x01000000) + 0x01000000),
		    16 + seed_below(s, 9), fam);
	hi = (uint64_t)(blocks[seed_below(s, ARRAY_LEN(blocks))] + seed_below(s, 0xfffff))
	     << 32;
	hi |= (uint64_t)seed_below(s, 65536) << 16;
	return prefix_make((struct ip_addr){ hi, 0 }, 32 + 4 * seed_below(s, 5), fam);
}

static void
bench_sets_prefixes(struct rig *g, const char *what, enum family fam)
{
	struct pfx_pattern *pat = calloc(ELEMS, sizeof(*pat));
	unsigned longest = fam == FAM_IP4 ? 24 : 48;
	uint32_t i, k, hits = 0;
	uint64_t from;
	double ns;

	g->ask_pfx = calloc(KEYS, sizeof(*g->ask_pfx));
	arena_reset(&g->arena);
	g->build_ns = 0;
	for (k = 0; k < SETS; k++) {
		for (i = 0; i < ELEMS; i++) {
			struct prefix p = bench_sets_random_prefix(&g->seed, fam);

			pat[i] = (struct pfx_pattern){ p.addr, p.len, p.len,
				(uint8_t)longest, (uint8_t)fam };
		}
		for (i = k; i < KEYS; i += SETS) {
			const struct pfx_pattern *p = &pat[seed_below(&g->seed, ELEMS)];

			g->ask_pfx[i] = prefix_make(p->addr, p->len, fam);
			if (seed_chance(&g->seed, 2)) /* of a length that never matches */
				g->ask_pfx[i] = prefix_make(
				    bench_sets_random_prefix(&g->seed, fam).addr,
				    longest + 1, fam);
		}
		from = clock_thread_cpu_ns();
		g->pfx[k] = pfxset_build(&g->arena, pat, ELEMS);
		g->build_ns += clock_thread_cpu_ns() - from;
	}
	g->octets = arena_used(&g->arena);
	ns = bench_sets_ask_all(g, ask_prefixes, &hits);
	bench_sets_say_all(g, what, ns, hits);
	free(g->ask_pfx);
	free(pat);
}

/* ---- everything else ---- */

/* AS numbers as they lie: most are low. Communities as exchanges' members have them. */
static void
random_words(struct seed *s, enum ftype t, uint32_t *w)
{
	uint32_t as = seed_chance(s, 2) ? seed_below(s, 65536)
					: 131072 + seed_below(s, 300000);

	memset(w, 0, 4 * sizeof(*w));
	if (t == T_INT) {
		w[0] = as;
	} else if (t == T_PAIR) {
		w[0] = seed_below(s, 65536);
		w[1] = seed_below(s, 65536);
	} else if (t == T_EC) {
		w[0] = 0x00020000 | seed_below(s, 65536);
		w[1] = as;
	} else {
		w[0] = seed_below(s, 100) + 65000;
		w[1] = as;
		w[2] = seed_below(s, 500000);
	}
}

static void
bench_set(struct rig *g, const char *what, enum ftype t)
{
	struct fset_item *item = calloc(ELEMS, sizeof(*item));
	uint32_t i, k, hits = 0, w[4];
	uint64_t from;
	double ns;

	g->ask = calloc(KEYS, sizeof(*g->ask));
	arena_reset(&g->arena);
	g->build_ns = 0;
	for (k = 0; k < SETS; k++) {
		for (i = 0; i < ELEMS; i++) {
			item[i].next = i + 1 < ELEMS ? &item[i + 1] : NULL;
			item[i].elem = (uint8_t)t;
			random_words(&g->seed, t, item[i].lo);
			memcpy(item[i].hi, item[i].lo, sizeof(item[i].hi));
		}
		for (i = k; i < KEYS; i += SETS) {
			memcpy(w, item[seed_below(&g->seed, ELEMS)].lo, sizeof(w));
			if (seed_chance(&g->seed, 2))
				random_words(&g->seed, t, w);
			g->ask[i].type = (uint8_t)t;
			memcpy(g->ask[i].w, w, sizeof(g->ask[i].w));
		}
		from = clock_thread_cpu_ns();
		g->set[k] = fset_build(&g->arena, t, item, NULL, 0);
		g->build_ns += clock_thread_cpu_ns() - from;
	}
	g->octets = arena_used(&g->arena);
	ns = bench_sets_ask_all(g, ask_values, &hits);
	bench_sets_say_all(g, what, ns, hits);
	free(g->ask);
	free(item);
}

int
main(int argc, char **argv)
{
	struct rig g = { .seed = { 1 } };

	bench_start(argc, argv, "sets, 10 in turn");
	arena_init(&g.arena, MEM_OTHER, 1 << 20);
	bench_sets_prefixes(&g, "100,000 IPv4 prefixes", FAM_IP4);
	bench_sets_prefixes(&g, "100,000 IPv6 prefixes", FAM_IP6);
	bench_set(&g, "100,000 AS numbers", T_INT);
	bench_set(&g, "100,000 communities", T_PAIR);
	bench_set(&g, "100,000 extended communities", T_EC);
	bench_set(&g, "100,000 large communities", T_LC);
	arena_fini(&g.arena);
	return bench_end();
}
