/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters: a typical import filter a route, membership in large sets, and parsing of
 * prefix lists. */
#include "filter/run/code.h"
#include "filter/set/set.h"
#include "filter/set/pfxset.h"
#include "sysdep/os/clock.h"
#include "test/bench/bench.h"
#include "test/lib/filter_run.h"
#include "test/lib/seed.h"

#define RUNS  1000000
#define SETS  10
#define ELEMS 100000

#define ROUNDS 5

static double
bench_filter_ns_each(uint64_t from, uint64_t cnt)
{
	return (double)(clock_thread_cpu_ns() - from) / (double)cnt;
}

/* A route of four ASes with six communities and eight large ones; runs of filter f of
 * @text on its interned set. */
static double
bench_filter_run(const char *text)
{
	static const uint32_t path[] = { 100001, 2, 3, 4, 0 };
	const struct filter *f;
	struct filter_rig g;
	uint8_t comm[24], large[96];
	uint64_t from;
	double ns;
	int i;

	filter_rig_init(&g);
	ASSERT(filter_rig_config(&g, text));
	filter_rig_path(&g, path);
	for (i = 0; i < 6; i++)
		put_be32(comm + 4 * i, 100u << 16 | (uint32_t)i);
	for (i = 0; i < 24; i++) /* for other members: (65000, 0, 200000 + i) */
		put_be32(large + 4 * i, i % 3 == 0   ? 65000
					: i % 3 == 1 ? 0
						     : 200000u + (uint32_t)i);
	ASSERT(!attr_edit_set(&g.edit, ATTR_COMMUNITY, 0xc0, comm, sizeof(comm)));
	ASSERT(!attr_edit_set(&g.edit, ATTR_LARGE_COMMUNITY, 0xc0, large, sizeof(large)));
	filter_rig_freeze(&g);
	f = sym_find(g.cfg->symbols, "f")->filter;
	from = clock_thread_cpu_ns();
	for (i = 0; i < RUNS; i++) {
		struct attr_edit e;
		uint32_t reads;

		if (i % 64 == 0)
			arena_reset(&g.arena);
		attr_edit_init(&e, &g.arena, g.view.set);
		ASSERT(filter_run(f, g.thread, &g.env, &g.view, &e, &reads) ==
		       FILTER_ACCEPT);
	}
	ns = bench_filter_ns_each(from, RUNS);
	filter_rig_fini(&g);
	return ns;
}

static double
bench_accept(struct seed *s)
{
	(void)s;
	return bench_filter_run("filter f { accept; }");
}

/* The import filter that the comparisons with other daemons use. */
static double
bench_import(struct seed *s)
{
	(void)s;
	return bench_filter_run(
	    "attribute int dummy; filter f { int i = 0; if bgp_path.len > 64 then "
	    "reject;\n"
	    "if net ~ [ 10.0.0.0/8+, 192.168.0.0/16+ ] then reject;\n"
	    "if bgp_path.first = 1 then i = i + 1;\n"
	    "if (65000,1) ~ bgp_community then bgp_local_pref = 90;\n"
	    "dummy = i + bgp_path.len; accept; }");
}

/* A member's own export filter, as they use (RFC 7948, 4.6). */
static double
bench_export(struct seed *s)
{
	(void)s;
	return bench_filter_run(
	    "filter f {\n"
	    "if (65000,0,100000) ~ bgp_large_community then reject;\n"
	    "if (65000,1,100000) ~ bgp_large_community then accept;\n"
	    "if (65000,0,0) ~ bgp_large_community then reject;\n"
	    "if (65000,103,100000) ~ bgp_large_community then {\n"
	    "bgp_path.prepend(bgp_path.first); bgp_path.prepend(bgp_path.first); }\n"
	    "else if (65000,102,100000) ~ bgp_large_community then\n"
	    "bgp_path.prepend(bgp_path.first);\n"
	    "accept; }");
}

/* Random keys, half of them members, in several sets in turn. */
static double
bench_filter_prefixes(struct seed *s)
{
	struct pfx_pattern *pat = calloc(ELEMS, sizeof(*pat));
	struct prefix *ask = calloc(ELEMS, sizeof(*ask));
	const struct pfxset *set[SETS];
	uint32_t i, k, hits = 0;
	struct arena a;
	uint64_t from;
	double ns;

	arena_init(&a, MEM_OTHER, 1 << 20);
	for (k = 0; k < SETS; k++) {
		for (i = 0; i < ELEMS; i++) {
			unsigned len = 16 + seed_below(s, 9);
			struct prefix p = prefix_make(
			    ip4((uint32_t)seed_u64(s)), len, FAM_IP4);

			pat[i] = (struct pfx_pattern){ p.addr, (uint8_t)len, (uint8_t)len,
				24, FAM_IP4 };
			if (i % SETS == k)
				ask[i] = i % 2 ? p
					       : prefix_make(ip4((uint32_t)seed_u64(s)),
						     24, FAM_IP4);
		}
		set[k] = pfxset_build(&a, pat, ELEMS);
	}
	from = clock_thread_cpu_ns();
	for (k = 0; k < 20; k++)
		for (i = 0; i < ELEMS; i++)
			hits += pfxset_has(set[i % SETS], &ask[i]);
	ns = bench_filter_ns_each(from, 20 * ELEMS);
	ASSERT(hits > 0);
	arena_fini(&a);
	free(pat);
	free(ask);
	return ns;
}

static double
bench_numbers(struct seed *s)
{
	struct frange32 *r = calloc(ELEMS, sizeof(*r));
	uint32_t *ask = calloc(ELEMS, sizeof(*ask));
	const struct fset *set[SETS];
	uint32_t i, k, hits = 0;
	struct arena a;
	uint64_t from;
	double ns;

	arena_init(&a, MEM_OTHER, 1 << 20);
	for (k = 0; k < SETS; k++) {
		for (i = 0; i < ELEMS; i++) { /* as AS numbers lie: most of them low */
			r[i].lo = seed_chance(s, 2) ? seed_below(s, 65536)
						    : 131072 + seed_below(s, 300000);
			r[i].hi = r[i].lo;
			if (i % SETS == k)
				ask[i] = i % 2 ? r[i].lo : seed_below(s, 500000);
		}
		set[k] = fset_build(&a, T_INT, NULL, r, ELEMS);
	}
	from = clock_thread_cpu_ns();
	for (k = 0; k < 20; k++)
		for (i = 0; i < ELEMS; i++)
			hits += fset_has_u32(set[i % SETS], ask[i]);
	ns = bench_filter_ns_each(from, 20 * ELEMS);
	ASSERT(hits > 0);
	arena_fini(&a);
	free(r);
	free(ask);
	return ns;
}

/* 100 members with 2,500 prefixes each. Returns: million prefixes a second. */
static double
bench_parse(struct seed *s)
{
	struct filter_rig g;
	struct strbuf b;
	uint64_t from;
	double ns;
	int m, i;

	strbuf_init(&b);
	for (m = 0; m < 100; m++) {
		strbuf_addf(&b, "define P%d = [", m);
		for (i = 0; i < 2500; i++) {
			unsigned len = 16 + seed_below(s, 9);
			struct prefix p = prefix_make(
			    ip4((uint32_t)seed_u64(s)), len, FAM_IP4);
			char buf[PREFIX_STR_MAX];

			strbuf_addf(
			    &b, "%s\n %s{%u,24}", i ? "," : "", prefix_str(buf, &p), len);
		}
		strbuf_adds(&b, " ];\n");
	}
	filter_rig_init(&g);
	from = clock_thread_cpu_ns();
	ASSERT(filter_rig_config(&g, b.s));
	ns = bench_filter_ns_each(from, 250000);
	filter_rig_fini(&g);
	strbuf_fini(&b);
	return 1000 / ns;
}

/* community ~ set, as an export filter of an exchange asks: 1,000 pairs, eight
 * communities a route. */
static double
bench_communities(struct seed *s)
{
	enum { PAIRS = 1000, ASKED = 8 };

	struct frange32 *r = calloc(PAIRS, sizeof(*r));
	uint32_t *ask = calloc(ELEMS, sizeof(*ask)), i, k, hits = 0;
	const struct fset *set;
	struct arena a;
	uint64_t from;
	double ns;

	arena_init(&a, MEM_OTHER, 1 << 20);
	for (i = 0; i < PAIRS; i++)
		r[i].lo = r[i].hi = (64500 + seed_below(s, 100)) << 16 |
				    seed_below(s, 65536);
	for (i = 0; i < ELEMS; i++)
		ask[i] = seed_chance(s, ASKED) ? r[seed_below(s, PAIRS)].lo
					       : (uint32_t)seed_u64(s);
	set = fset_build(&a, T_PAIR, NULL, r, PAIRS);
	from = clock_thread_cpu_ns();
	for (k = 0; k < 40; k++)
		for (i = 0; i < ELEMS; i += ASKED)
			for (uint32_t n = 0; n < ASKED; n++)
				hits += fset_has_u32(set, ask[i + n]);
	ns = bench_filter_ns_each(from, 40 * ELEMS / ASKED);
	ASSERT(hits > 0);
	arena_fini(&a);
	free(r);
	free(ask);
	return ns;
}

static void
bench_filter_row(
    const char *name, const char *unit, double (*run)(struct seed *s), double budget)
{
	struct bench_row r = { .name = name,
		.unit = unit,
		.budget = budget,
		.higher_is_better = !strcmp(unit, "M/s") };
	double v[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct seed s = { 1 };

		v[i] = run(&s);
	}
	qsort(v, ROUNDS, sizeof(v[0]), bench_cmp);
	r.best = v[r.higher_is_better ? ROUNDS - 1 : 0];
	r.median = v[ROUNDS / 2];
	bench_row(&r);
}

int
main(int argc, char **argv)
{
	bench_start(argc, argv, "filters");
	bench_filter_row("a filter that accepts, a run", "ns", bench_accept, 0);
	bench_filter_row(
	    "import filter of the comparisons, a run", "ns", bench_import, 0);
	bench_filter_row(
	    "export filter, control communities, a run", "ns", bench_export, 0);
	bench_filter_row("member of 100,000 prefixes, 10 sets in turn", "ns",
	    bench_filter_prefixes, 0);
	bench_filter_row(
	    "member of 100,000 numbers, 10 sets in turn", "ns", bench_numbers, 0);
	bench_filter_row(
	    "8 communities in a set of 1,000 pairs", "ns", bench_communities, 0);
	bench_filter_row("prefixes of a configuration parsed", "M/s", bench_parse, 4);
	return bench_end();
}
