/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table images beside DXR, poptrie and DPDK's rte_fib, with the prefixes of a full
 * Internet table (TERN_DATA: the folder with internet-prefixes-2025-10.txt.gz; without
 * the folder the benchmark has no rows).
 *
 * Next hops: hashed (hash of the prefix modulo 64) and correlated (hash of the first 16
 * bits modulo 64). Keys: uniform addresses; announced: a random address of a random
 * prefix; mixed: half uniform, half announced; chained: each key depends on the last
 * result. All structures get the same keys
 * and are first compared with each other.
 *
 * A rate is the number of keys divided by the sum of the best times of 64 parts of the
 * keys, in 9 rounds: other programs of the machine disturb single parts of single
 * rounds. Times are of the thread's CPU. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("popcnt") /* for all structures of the run */
#endif
#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_find.h"
#include "lib/fib/ternfib.h"
#include "lib/fib/ternfib_priv.h"
#include "lib/mem/mem.h"
#include "test/bench/bench.h"
#include "test/bench/fib_peers.h"
#include <unistd.h>
#ifdef TERN_DPDK
#include <rte_eal.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#endif

#define KEYS   (1u << 20)
#define PARTS  64u
#define ROUNDS 9u
#define BULK   32u

static struct {
	struct prefix *p;
	uint32_t cnt, cap;
} net[FAM_CNT];
static uint32_t *key4;
static uint8_t (*key6)[16];
static struct fib *fib;
static struct ternfib *reader;
static struct fib_view view; /* of the reader: lookups without a check */
static struct fib_list list;
static struct dxr *dxr;
static struct poptrie *poptrie;
#ifdef TERN_DPDK
static struct rte_fib *dpdk4;
static struct rte_fib6 *dpdk6;
#endif
static char path[64];

/* ---- data ---- */

static bool
bench_fib_read(void)
{
	const char *data = getenv("TERN_DATA");
	char cmd[512], line[128];
	FILE *in;

	if (!data)
		return false;
	snprintf(cmd, sizeof(cmd), "zcat '%s/internet-prefixes-2025-10.txt.gz'", data);
	in = popen(cmd, "r");
	while (in && fgets(line, sizeof(line), in)) {
		struct prefix p;

		line[strcspn(line, " \r\n")] = 0;
		if (prefix_parse(&p, line))
			continue;
		net[p.fam].p = vec_room(MEM_OTHER, net[p.fam].p, &net[p.fam].cap,
		    net[p.fam].cnt + 1, sizeof(p));
		net[p.fam].p[net[p.fam].cnt++] = p;
	}
	if (in)
		pclose(in);
	return net[FAM_IP4].cnt && net[FAM_IP6].cnt;
}

static uint32_t
bench_fib_hop(const struct prefix *p, bool correlated)
{
	uint64_t top = p->fam == FAM_IP4 ? ip_to_v4(p->addr) >> 16 : p->addr.hi >> 48;

	return 1 + (correlated ? hash_u64(3, top) : prefix_hash(7, p)) % 64;
}

enum bench_keys { UNIFORM, ANNOUNCED, MIXED };

static void
bench_fib_keys(enum family fam, enum bench_keys kind)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		bool announced = kind == MIXED ? hash_u64(9, i) & 1 : kind == ANNOUNCED;
		uint64_t h = hash_u64(5, i), g = hash_u64(6, i);
		const struct prefix *p = &net[fam].p[hash_u64(8, i) % net[fam].cnt];
		struct ip_addr a = { h, g };

		if (announced && fam == FAM_IP6) {
			a.hi = p->addr.hi | (h & ~mask64(p->len));
			a.lo = p->len > 64 ? p->addr.lo | (g & ~mask64(p->len - 64)) : g;
		} else if (fam == FAM_IP6) {
			a.hi = (h >> 3) | 1ull << 61;
		}
		ip_put16(key6[i], a);
		key4[i] = (uint32_t)h;
		if (announced && fam == FAM_IP4)
			key4[i] = ip_to_v4(p->addr) | ((uint32_t)h & ~mask4(p->len));
	}
}

/* ---- what is measured ---- */

typedef uint64_t (*bench_fib_part)(uint32_t from, uint32_t cnt);

#define BENCH_FIND(name, call)                                                           \
	static uint64_t bench_fib_##name(uint32_t from, uint32_t cnt)                    \
	{                                                                                \
		uint64_t sum = 0;                                                        \
		for (uint32_t i = from; i < from + cnt; i++)                             \
			sum += call(key4[i]);                                            \
		return sum;                                                              \
	}

#define BENCH_CHAIN(name, call)                                                          \
	static uint64_t bench_fib_##name(uint32_t from, uint32_t cnt)                    \
	{                                                                                \
		uint64_t sum = 0, last = 0;                                              \
		for (uint32_t i = from; i < from + cnt; i++)                             \
			sum += last = call(key4[i ^ (last & 1)]);                        \
		return sum;                                                              \
	}

#define FIND_TERN(a)    ternfib_inline4(reader, a)
#define FIND_CALL(a)    ternfib_find4(reader, a)
#define FIND_BARE(a)    fib_find4(&view, a)
#define FIND_DXR(a)     dxr_find(dxr, a)
#define FIND_POPTRIE(a) poptrie_find(poptrie, a)
BENCH_FIND(tern, FIND_TERN)
BENCH_CHAIN(tern_chained, FIND_TERN)
BENCH_FIND(call, FIND_CALL)
BENCH_FIND(bare, FIND_BARE)
BENCH_FIND(poptrie, FIND_POPTRIE)
BENCH_CHAIN(poptrie_chained, FIND_POPTRIE)
BENCH_FIND(dxr, FIND_DXR)
BENCH_CHAIN(dxr_chained, FIND_DXR)

static uint64_t
bench_fib_tern_bulk(uint32_t from, uint32_t cnt)
{
	uint64_t out[BULK], sum = 0;

	for (uint32_t i = from; i < from + cnt; i += BULK) {
		ternfib_bulk4(reader, out, key4 + i, BULK);
		for (uint32_t j = 0; j < BULK; j++)
			sum += out[j];
	}
	return sum;
}

static uint64_t
bench_fib_tern6(uint32_t from, uint32_t cnt)
{
	uint64_t sum = 0;

	for (uint32_t i = from; i < from + cnt; i++)
		sum += ternfib_find6(reader, key6[i]);
	return sum;
}

static uint64_t
bench_fib_tern6_chained(uint32_t from, uint32_t cnt)
{
	uint64_t sum = 0, last = 0;

	for (uint32_t i = from; i < from + cnt; i++)
		sum += last = ternfib_find6(reader, key6[i ^ (last & 1)]);
	return sum;
}

static uint64_t
bench_fib_tern6_bulk(uint32_t from, uint32_t cnt)
{
	uint64_t out[BULK], sum = 0;

	for (uint32_t i = from; i < from + cnt; i += BULK) {
		ternfib_bulk6(reader, out, key6[i], BULK);
		for (uint32_t j = 0; j < BULK; j++)
			sum += out[j];
	}
	return sum;
}

#ifdef TERN_DPDK
static uint64_t
bench_fib_dpdk_bulk(uint32_t from, uint32_t cnt)
{
	uint64_t out[BULK], sum = 0;

	for (uint32_t i = from; i < from + cnt; i += BULK) {
		rte_fib_lookup_bulk(dpdk4, key4 + i, out, BULK);
		for (uint32_t j = 0; j < BULK; j++)
			sum += out[j];
	}
	return sum;
}

static uint64_t
bench_fib_dpdk6_bulk(uint32_t from, uint32_t cnt)
{
	uint64_t out[BULK], sum = 0;

	for (uint32_t i = from; i < from + cnt; i += BULK) {
		rte_fib6_lookup_bulk(dpdk6, key6 + i, out, BULK);
		for (uint32_t j = 0; j < BULK; j++)
			sum += out[j];
	}
	return sum;
}
#endif

static uint64_t
bench_fib_row(const char *set, const char *name, bench_fib_part part)
{
	char text[96];
	struct bench_row r = { .name = text, .unit = "M/s", .higher_is_better = true };
	double best = 0, typical = 0, ns[ROUNDS];
	uint64_t sum = 0;

	snprintf(text, sizeof(text), "%s: %s", set, name);
	for (uint32_t p = 0; p < PARTS; p++) {
		uint64_t one = 0;

		for (uint32_t i = 0; i < ROUNDS; i++) {
			uint64_t from = clock_thread_cpu_ns();

			one = part(p * (KEYS / PARTS), KEYS / PARTS);
			ns[i] = (double)(clock_thread_cpu_ns() - from);
		}
		qsort(ns, ROUNDS, sizeof(ns[0]), bench_cmp);
		best += ns[0];
		typical += ns[ROUNDS / 2];
		sum += one;
	}
	r.best = KEYS * 1e3 / best;
	r.median = KEYS * 1e3 / typical;
	bench_row(&r);
	return sum;
}

static void
bench_fib_number(const char *set, const char *name, const char *unit, double v)
{
	char text[96];
	struct bench_row r = { .name = text, .unit = unit, .best = v, .median = v };

	snprintf(text, sizeof(text), "%s: %s", set, name);
	bench_row(&r);
}

/* ---- structures ---- */

static int
bench_fib_range(void *arg, const struct ternfib_range *r)
{
	struct fib_list *l = arg;
	uint32_t first = get_be32(r->first + 12), last = get_be32(r->last + 12);
	uint32_t from[2] = { first, last + 1 };
	uint16_t hop[2] = { (uint16_t)ternfib_hop_of(r->answer), 0 };

	for (unsigned i = 0; i < 2; i++) {
		if (i && !from[i])
			return 0;
		if (l->first[l->cnt - 1] == from[i])
			l->cnt--;
		if (l->cnt && l->hop[l->cnt - 1] == hop[i])
			continue;
		if (l->cnt == l->cap)
			return 1;
		l->first[l->cnt] = from[i];
		l->hop[l->cnt++] = hop[i];
	}
	return 0;
}

static void
bench_fib_build(enum family fam, bool correlated, bool fields, const char *set)
{
	struct fib_options o = { .family = fam, .fields = fields ? 15 : 0, .table = "b" };
	struct fib_file file = { .path = path, .mode = 0600 };
	uint64_t *value = mem_alloc(MEM_OTHER, net[fam].cnt * sizeof(*value));
	struct fib_stat st;
	uint64_t from;

	fib = fib_new(&o);
	for (uint32_t i = 0; i < net[fam].cnt; i++) {
		uint32_t community = i / 4;
		const struct prefix *p = &net[fam].p[i];
		struct fib_entry e = { .hop_kind = FIB_HOP_IP,
			.next_hop = ip4(0x0a000000 + bench_fib_hop(p, correlated)),
			.origin_as = 1 + (uint32_t)(prefix_hash(9, p) % 80000),
			.community_cnt = 1,
			.community = &community };

		ASSERT(!fib_value_get(fib, &e, &value[i]));
	}
	from = clock_thread_cpu_ns();
	for (uint32_t i = 0; i < net[fam].cnt; i++)
		fib_set(fib, &net[fam].p[i], value[i]);
	ASSERT(!fib_open(fib, &file, 1) && !fib_publish(fib, 1));
	bench_fib_number(
	    set, "full build", "ms", (double)(clock_thread_cpu_ns() - from) / 1e6);
	fib_stat(fib, &st);
	bench_fib_number(set, "image, octets per prefix", "octets",
	    (double)st.image_octets / net[fam].cnt);
	bench_fib_number(set, "builder, octets per prefix", "octets",
	    (double)st.builder_octets / net[fam].cnt);
	ASSERT(!ternfib_open(&reader, path));
	view = reader->view;
	mem_free(MEM_OTHER, value);
}

#define CHANGES   1000u
#define STEPS_MAX 1000u /* of compaction; the daemon makes 10 a second */
#define COLD      (64u << 20) /* octets that displace the image from the caches */

/* bench_fib_cool - other memory takes the place of the image in the caches. */
static void
bench_fib_cool(void)
{
	static uint8_t *other;

	if (!other)
		other = mem_zalloc(MEM_OTHER, COLD);
	for (uint32_t i = 0; i < COLD; i += CACHE_LINE)
		other[i]++;
}

/* bench_fib_batch - change the routes of random prefixes; @nr: of the batch. An image
 * with fields gets a new attribute set for each prefix. */
static void
bench_fib_batch(enum family fam, unsigned nr)
{
	static struct fib_entry e[CHANGES];
	static uint32_t community[CHANGES];
	const struct prefix *p[CHANGES];
	uint64_t value[CHANGES];

	for (unsigned i = 0; i < CHANGES; i++) {
		uint64_t h = hash_u64(5, (uint64_t)nr * CHANGES + i);

		p[i] = &net[fam].p[h % net[fam].cnt];
		community[i] = 0x10000000 + nr * CHANGES + i;
		e[i] = (struct fib_entry){ .hop_kind = FIB_HOP_IP,
			.next_hop = ip4(0x0a000001 + (uint32_t)(h >> 32) % 64),
			.origin_as = 1 + (uint32_t)(prefix_hash(9, p[i]) % 80000),
			.community_cnt = 1,
			.community = &community[i] };
	}
	for (unsigned i = 0; i < CHANGES; i += BULK) {
		unsigned to = i + BULK < CHANGES ? i + BULK : CHANGES;

		for (unsigned step = 0; step < FIB_VALUE_FETCHES; step++)
			for (unsigned j = i; j < to; j++)
				fib_value_fetch(fib, &e[j], step);
		for (unsigned j = i; j < to; j++)
			ASSERT(!fib_value_get(fib, &e[j], &value[j]));
	}
	for (unsigned i = 0; i < CHANGES; i++)
		fib_set(fib, p[i], value[i]);
	ASSERT(!fib_publish(fib, 2));
	for (unsigned i = 0; i < CHANGES; i++)
		fib_value_drop(fib, value[i]);
}

/* bench_fib_changes - batches of 1,000 changed prefixes, then the size again, and the end
 * of the image. */
static void
bench_fib_changes(enum family fam, const char *set)
{
	double ns[BENCH_ROUNDS_MAX];
	char text[96];
	struct bench_row r = { .name = text, .unit = "ms", .budget = 2 };
	struct fib_stat st;

	for (unsigned cold = 0; cold < 2; cold++) {
		for (unsigned b = 0; b < BENCH_ROUNDS_MAX / 2; b++) {
			uint64_t from;

			if (cold)
				bench_fib_cool();
			from = clock_thread_cpu_ns();
			bench_fib_batch(fam, cold * BENCH_ROUNDS_MAX + b);
			ns[b] = (double)(clock_thread_cpu_ns() - from) / 1e6;
		}
		qsort(ns, BENCH_ROUNDS_MAX / 2, sizeof(ns[0]), bench_cmp);
		snprintf(text, sizeof(text), "%s: 1,000 changed prefixes%s", set,
		    cold ? ", cold caches" : "");
		r.best = ns[0];
		r.median = ns[BENCH_ROUNDS_MAX / 4];
		bench_row(&r);
	}
	fib_stat(fib, &st);
	bench_fib_number(set, "image after 64,000 changes, octets per prefix", "octets",
	    (double)st.image_octets / net[fam].cnt);
	bench_fib_number(set, "of these, former chunks that readers may read", "octets",
	    (double)st.waiting_octets / net[fam].cnt);
	for (unsigned i = 0; fib_packs(fib) && i < STEPS_MAX; i++)
		ASSERT(!fib_pack(fib, 2));
	fib_stat(fib, &st);
	bench_fib_number(set, "the same after the steps of compaction", "octets",
	    (double)st.image_octets / net[fam].cnt);
	fib_rebuild(fib);
	ASSERT(!fib_publish(fib, 3));
	fib_stat(fib, &st);
	bench_fib_number(set, "a new file of the same routes, octets per prefix",
	    "octets", (double)st.image_octets / net[fam].cnt);
	ternfib_close(reader);
	fib_close(fib, true);
	fib_free(fib);
}

/* ---- the runs ---- */

static void
bench_fib_peers4(void)
{
	list.cap = 3u * net[FAM_IP4].cnt;
	list.first = mem_alloc(MEM_OTHER, list.cap * sizeof(*list.first));
	list.hop = mem_alloc(MEM_OTHER, list.cap * sizeof(*list.hop));
	list.first[0] = 0;
	list.hop[0] = 0;
	list.cnt = 1;
	ASSERT(!ternfib_walk(reader, bench_fib_range, &list));
	dxr = dxr_new(&list);
	poptrie = poptrie_new(&list);
#ifdef TERN_DPDK
	struct rte_fib_conf conf = { .type = RTE_FIB_DIR24_8,
		.max_routes = 1 << 20,
		.dir24_8 = { RTE_FIB_DIR24_8_2B, 32000 } };

	dpdk4 = rte_fib_create("b4", 0, &conf);
	ASSERT(dpdk4);
	for (uint32_t i = 0; i < net[FAM_IP4].cnt; i++) {
		const struct prefix *p = &net[FAM_IP4].p[i];
		uint64_t v = fib_get(fib, p);

		ASSERT(!rte_fib_add(dpdk4, ip_to_v4(p->addr), p->len, v & 0xffff));
	}
#endif
}

static void
bench_fib_run4(bool correlated)
{
	const char *set = correlated ? "IPv4 correlated" : "IPv4 hashed";

	bench_fib_build(FAM_IP4, correlated, false, set);
	bench_fib_peers4();
	bench_fib_number(set, "DXR, octets per prefix", "octets",
	    (131072.0 + dxr->x_cnt * 64.0 + dxr->r_cnt * 4.0) / net[FAM_IP4].cnt);
	bench_fib_number(set, "poptrie, octets per prefix", "octets",
	    (1048576.0 + poptrie->node_cnt * 24.0 + poptrie->leaf_cnt * 2.0) /
		net[FAM_IP4].cnt);
	for (unsigned announced = 0; announced < 2; announced++) {
		char name[64];
		uint64_t sum;

		snprintf(name, sizeof(name), "%s, %s", set,
		    announced ? "announced" : "uniform");
		bench_fib_keys(FAM_IP4, announced ? ANNOUNCED : UNIFORM);
		sum = bench_fib_row(name, "tern", bench_fib_tern);
		ASSERT(sum == bench_fib_row(name, "tern, by a call", bench_fib_call));
		ASSERT(sum == bench_fib_row(name,
				  "tern, without the check of the generation",
				  bench_fib_bare));
		ASSERT(
		    sum == bench_fib_row(name, "tern, bulk of 32", bench_fib_tern_bulk));
		ASSERT(sum == bench_fib_row(name, "DXR", bench_fib_dxr));
		ASSERT(sum == bench_fib_row(name, "poptrie", bench_fib_poptrie));
#ifdef TERN_DPDK
		ASSERT(sum ==
		       bench_fib_row(name, "rte_fib, bulk of 32", bench_fib_dpdk_bulk));
#endif
		bench_fib_row(name, "tern, chained", bench_fib_tern_chained);
		bench_fib_row(name, "DXR, chained", bench_fib_dxr_chained);
		bench_fib_row(name, "poptrie, chained", bench_fib_poptrie_chained);
	}
	bench_fib_changes(FAM_IP4, set);
#ifdef TERN_DPDK
	rte_fib_free(dpdk4);
#endif
}

static void
bench_fib_run_fields(void)
{
	bench_fib_build(FAM_IP4, false, true, "IPv4 with origin and attributes");
	for (unsigned announced = 0; announced < 2; announced++) {
		const char *name = announced
				       ? "IPv4 with origin and attributes, announced"
				       : "IPv4 with origin and attributes, uniform";

		bench_fib_keys(FAM_IP4, announced ? ANNOUNCED : UNIFORM);
		bench_fib_row(name, "tern", bench_fib_tern);
		bench_fib_row(name, "tern, bulk of 32", bench_fib_tern_bulk);
	}
	bench_fib_changes(FAM_IP4, "IPv4 with origin and attributes");
}

static uint64_t
bench_fib_rows6(const char *name)
{
	uint64_t sum = bench_fib_row(name, "tern", bench_fib_tern6);

	ASSERT(sum == bench_fib_row(name, "tern, bulk of 32", bench_fib_tern6_bulk));
#ifdef TERN_DPDK
	ASSERT(!dpdk6 ||
	       sum == bench_fib_row(name, "rte_fib6, bulk of 32", bench_fib_dpdk6_bulk));
#endif
	return sum;
}

static void
bench_fib_run6(void)
{
	static const char name[] = "IPv6 hashed, announced";
	uint64_t sum;

	bench_fib_build(FAM_IP6, false, false, "IPv6 hashed");
#ifdef TERN_DPDK
	struct rte_fib6_conf conf = { .type = RTE_FIB6_TRIE,
		.max_routes = 400000,
		.trie = { RTE_FIB6_TRIE_4B, 262144 } };

	dpdk6 = rte_fib6_create("b6", 0, &conf);
	for (uint32_t i = 0; dpdk6 && i < net[FAM_IP6].cnt; i++) {
		const struct prefix *p = &net[FAM_IP6].p[i];
		uint8_t octet[16];

		ip_put16(octet, p->addr);
		if (rte_fib6_add(dpdk6, octet, p->len, fib_get(fib, p) & 0xffff)) {
			printf("rte_fib6 has no room for prefix %u\n", i);
			rte_fib6_free(dpdk6);
			dpdk6 = NULL;
		}
	}
#endif
	bench_fib_keys(FAM_IP6, ANNOUNCED);
	sum = bench_fib_rows6(name);
	ternfib_plain(reader, 2);
	ASSERT(sum == bench_fib_row(
			  name, "tern, at most AVX2, bulk of 32", bench_fib_tern6_bulk));
	ternfib_plain(reader, 1);
	ASSERT(sum == bench_fib_row(name, "tern, plain C", bench_fib_tern6));
	ASSERT(sum ==
	       bench_fib_row(name, "tern, plain C, bulk of 32", bench_fib_tern6_bulk));
	ternfib_plain(reader, 0);
	bench_fib_row(name, "tern, chained", bench_fib_tern6_chained);
	bench_fib_keys(FAM_IP6, MIXED);
	bench_fib_rows6("IPv6 hashed, mixed");
	bench_fib_changes(FAM_IP6, "IPv6 hashed");
}

int
main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0); /* each row at once */
	bench_start(argc, argv, "table images and their peers");
	if (!bench_fib_read()) {
		printf("TERN_DATA names no folder with prefixes\n");
		return bench_end();
	}
#ifdef TERN_DPDK
	char *eal[] = { argv[0], (char *)"--no-huge", (char *)"-m", (char *)"2048",
		(char *)"--no-pci", (char *)"--no-shconf", (char *)"--log-level=1",
		(char *)"--no-telemetry", NULL };

	if (rte_eal_init(8, eal) < 0)
		return 1;
#endif
	snprintf(path, sizeof(path), "/dev/shm/bench_fib.%d", getpid());
	key4 = mem_alloc(MEM_OTHER, KEYS * sizeof(*key4));
	key6 = mem_alloc(MEM_OTHER, KEYS * sizeof(*key6));
	bench_fib_run4(false);
	bench_fib_run4(true);
	bench_fib_run_fields();
	bench_fib_run6();
	return bench_end();
}
