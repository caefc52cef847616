/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A large table under churn: after an hour of changes, played fast, an image has at most
 * 10 % more octets per prefix than a fresh image of the same routes, and both images give
 * the same answers. Several tables change by turns.
 *
 * TERN_DATA names a folder with internet-prefixes-2025-10.txt.gz and
 * ris-rrc15-updates-2010-02-27.gz, ten minutes of recorded updates. The test then plays
 * the recording six times; a recorded prefix stands for a prefix of the table. Without
 * the folder, prefixes and changes are random: few prefixes change often.
 *
 * With TERN_SOAK: 16 tables instead of 2, and all recorded changes. */
#include "lib/base/hash.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/ternfib.h"
#include "lib/mem/mem.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <stdio.h>
#include <unistd.h>

#define BATCH          200u /* changes for each publication */
#define BURST          5000u /* the same, if the writer lags behind the changes */
#define TABLES         16u
#define KEYS           100000u
#define RANDOM_CHANGES 30000u
#define RANDOM_NETS    30000u
#define NETS_MAX       2000000u

/* A change: the prefix and the number of the next hop; 0: the prefix is withdrawn. */
struct change {
	uint32_t net, hop;
};

/* Owner: the test. Freed by: prop_churn_tear_down. */
static struct prefix *net;
static uint32_t net_cnt;
static struct change *change;
static uint32_t change_cnt, change_cap;
static uint32_t *hop[TABLES]; /* by prefix: the next hop now; 0: none */

/* ---- recorded data ---- */

static FILE *
prop_churn_open(const char *name)
{
	const char *folder = getenv("TERN_DATA");
	char command[512];

	if (!folder)
		return NULL;
	snprintf(command, sizeof(command), "%s/%s", folder, name);
	if (access(command, R_OK))
		return NULL;
	snprintf(command, sizeof(command), "gzip -dc '%s/%s'", folder, name);
	return popen(command, "r");
}

static bool
prop_churn_read_nets(void)
{
	FILE *in = prop_churn_open("internet-prefixes-2025-10.txt.gz");
	char line[64];

	if (!in)
		return false;
	while (fgets(line, sizeof(line), in) && net_cnt < NETS_MAX) {
		unsigned a, b, c, d, len;

		if (sscanf(line, "%u.%u.%u.%u/%u", &a, &b, &c, &d, &len) == 5)
			net[net_cnt++] = prefix_make(
			    ip4(a << 24 | b << 16 | c << 8 | d), len, FAM_IP4);
	}
	return !pclose(in) && net_cnt;
}

static void
prop_churn_add(uint64_t hash, bool announce)
{
	if (change_cnt == change_cap) {
		change_cap = change_cap ? 2 * change_cap : 65536;
		change = realloc(change, change_cap * sizeof(*change));
		assert_non_null(change);
	}
	change[change_cnt] = (struct change){ (uint32_t)(hash % net_cnt),
		announce ? 1 + (uint32_t)(hash_u64(change_cnt, hash) % 64) : 0 };
	change_cnt++;
}

/* prop_churn_nlri - the changes of @len octets of IPv4 NLRI. */
static void
prop_churn_nlri(const uint8_t *p, size_t len, bool announce)
{
	for (size_t n; len; p += n, len -= n) {
		n = 1 + (p[0] + 7u) / 8;
		if (p[0] > 32 || n > len)
			return;
		prop_churn_add(hash_bytes(5, p, n), announce);
	}
}

/* prop_churn_update - the changes of the UPDATE in a BGP message. */
static void
prop_churn_update(const uint8_t *p, size_t len)
{
	size_t gone, attrs;

	if (len < 23 || p[18] != 2)
		return;
	gone = get_be16(p + 19);
	if (gone + 23 > len)
		return;
	attrs = get_be16(p + 21 + gone);
	if (gone + attrs + 23 > len)
		return;
	prop_churn_nlri(p + 21, gone, false);
	prop_churn_nlri(p + 23 + gone + attrs, len - 23 - gone - attrs, true);
}

static bool
prop_churn_read_changes(void)
{
	FILE *in = prop_churn_open("ris-rrc15-updates-2010-02-27.gz");
	uint8_t head[12], body[65536];

	if (!in)
		return false;
	while (fread(head, sizeof(head), 1, in) == 1) {
		uint32_t len = get_be32(head + 8);
		size_t at = get_be16(head + 6) == 4 ? 12 : 8; /* AS numbers, interface */

		if (len > sizeof(body) || fread(body, 1, len, in) != len)
			break;
		if (get_be16(head + 4) != 16 || len < at + 32 ||
		    (get_be16(head + 6) != 1 && get_be16(head + 6) != 4))
			continue;
		at += get_be16(body + at - 2) == 2 ? 32 : 8; /* both addresses */
		if (at < len)
			prop_churn_update(body + at, len - at);
	}
	return !pclose(in) && change_cnt;
}

/* prop_churn_net - the prefix with number @i: /24, shorter and longer prefixes in 200
 * blocks. */
static struct prefix
prop_churn_net(uint32_t i)
{
	uint32_t block = i % 200 << 20, n = i / 200;

	if (n < 100)
		return prefix_make(ip4(block | n * 37 % 4096 << 8), 24, FAM_IP4);
	if (n < 116)
		return prefix_make(ip4(block | (n - 100) << 16), 16, FAM_IP4);
	return prefix_make(ip4(block | n * 37 % 4096 << 8 | 32), 20 + n % 9, FAM_IP4);
}

static void
prop_churn_random(struct seed *s)
{
	net_cnt = change_cnt = 0;
	while (net_cnt < RANDOM_NETS) {
		net[net_cnt] = prop_churn_net(net_cnt);
		net_cnt++;
	}
	for (uint32_t i = 0; i < RANDOM_CHANGES; i++)
		prop_churn_add(seed_u64(s) % 3000, !seed_chance(s, 4));
}

/* ---- tables ---- */

static char *
prop_churn_path(char path[64], uint32_t table)
{
	snprintf(path, 64, "/tmp/prop_fib_churn.%d.%u", getpid(), table);
	return path;
}

static struct fib *
prop_churn_new(uint32_t table)
{
	struct fib_options o = {
		.family = FAM_IP4, .fields = FIB_WITH_ORIGIN, .table = "t"
	};
	struct fib_file file = { .mode = 0600 };
	struct fib *f = fib_new(&o);
	char path[64];

	file.path = prop_churn_path(path, table);
	assert_int_equal(fib_open(f, &file, 1), 0);
	return f;
}

static void
prop_churn_set(struct fib *f, uint32_t n, uint32_t h)
{
	struct fib_entry e = { .hop_kind = FIB_HOP_IP,
		.next_hop = ip4(0x0a000000 + h),
		.origin_as = 1 + n % 5000 };
	uint64_t value;

	if (!h) {
		fib_unset(f, &net[n]);
		return;
	}
	assert_int_equal(fib_value_get(f, &e, &value), 0);
	fib_set(f, &net[n], value);
	fib_value_drop(f, value);
}

/* prop_churn_fill - announce all prefixes with the next hops of @table. */
static void
prop_churn_fill(struct fib *f, uint32_t table)
{
	for (uint32_t n = 0; n < net_cnt; n++)
		prop_churn_set(f, n, hop[table][n]);
	assert_int_equal(fib_publish(f, 2), 0);
}

static uint64_t
prop_churn_octets(struct fib *f)
{
	struct fib_stat st;

	fib_stat(f, &st);
	return st.image_octets;
}

/* prop_churn_same - the images of @a and @b mean the same for borders of prefixes and
 * for random addresses. */
static void
prop_churn_same(struct seed *s, uint32_t a, uint32_t b)
{
	struct ternfib *t[2];
	char path[64];
	const char *why;

	assert_int_equal(ternfib_open(&t[0], prop_churn_path(path, a)), 0);
	assert_int_equal(ternfib_open(&t[1], prop_churn_path(path, b)), 0);
	assert_int_equal(ternfib_verify(t[0], &why), 0);
	for (uint32_t i = 0; i < KEYS; i++) {
		const struct prefix *p = &net[seed_below(s, net_cnt)];
		uint32_t key = ip_to_v4(p->addr) + (i % 3 == 1 ? ~mask4(p->len) + 1 : 0);
		struct ternfib_hop h[2] = { { .kind = 0 }, { .kind = 0 } };
		uint32_t asn[2] = { 0, 0 };

		if (i % 3 == 2)
			key = (uint32_t)seed_u64(s);
		for (unsigned j = 0; j < 2; j++) {
			uint64_t answer = ternfib_find4(t[j], key);

			if (answer) {
				assert_int_equal(ternfib_hop(t[j], answer, &h[j]), 0);
				assert_int_equal(
				    ternfib_origin(t[j], answer, &asn[j]), 0);
			}
		}
		assert_memory_equal(&h[0], &h[1], sizeof(h[0]));
		assert_int_equal(asn[0], asn[1]);
	}
	ternfib_close(t[0]);
	ternfib_close(t[1]);
}

/* ---- the test ---- */

/* prop_churn_pack - compaction while nothing changes: the steps end, and each step is
 * bounded. */
static void
prop_churn_pack(struct fib *f, const char *what)
{
	struct fib_stat st, was;
	uint32_t steps = 0;

	fib_stat(f, &was);
	for (struct fib_stat last = was; fib_packs(f); last = st) {
		assert_int_equal(fib_pack(f, 5), 0);
		fib_stat(f, &st);
		assert_true(st.chunks_moved - last.chunks_moved <= FIB_COMPACT_MAX);
		assert_true(++steps <= 3 + was.chunk_cnt);
	}
	fib_stat(f, &st);
	fprintf(stderr, "%s: %u steps of compaction, %llu before, %llu octets after\n",
	    what, steps, (unsigned long long)was.image_octets,
	    (unsigned long long)st.image_octets);
}

static void
prop_churn_hour(
    struct seed *s, uint32_t tables, uint32_t times, uint32_t batch, const char *what)
{
	struct fib *f[TABLES], *fresh;
	uint64_t worn, new;

	for (uint32_t i = 0; i < tables; i++) {
		hop[i] = mem_alloc(MEM_OTHER, net_cnt * sizeof(*hop[i]));
		for (uint32_t n = 0; n < net_cnt; n++)
			hop[i][n] = 1 + (uint32_t)(prefix_hash(i, &net[n]) % 64);
		f[i] = prop_churn_new(i);
		prop_churn_fill(f[i], i);
	}
	for (uint32_t c = 0; c < change_cnt * times; c++)
		for (uint32_t i = 0; i < tables; i++) {
			struct change *x = &change[c % change_cnt];

			hop[i][x->net] = x->hop ? 1 + (x->hop + c / change_cnt + i) % 64
						: 0;
			prop_churn_set(f[i], x->net, hop[i][x->net]);
			if (c % batch == batch - 1)
				assert_int_equal(fib_publish(f[i], 3), 0);
		}
	for (uint32_t i = 0; i < tables; i++) {
		assert_int_equal(fib_publish(f[i], 4), 0);
		prop_churn_pack(f[i], what);
		fresh = prop_churn_new(TABLES);
		prop_churn_fill(fresh, i);
		worn = prop_churn_octets(f[i]);
		new = prop_churn_octets(fresh);
		fprintf(stderr,
		    "%s, table %u: %u prefixes, %u changes: %.2f octets per prefix, "
		    "fresh %.2f\n",
		    what, i, net_cnt, change_cnt * times, (double)worn / net_cnt,
		    (double)new / net_cnt);
		assert_true(worn * 10 <= new * 11);
		prop_churn_same(s, i, TABLES);
		fib_close(fresh, true);
		fib_free(fresh);
	}
	for (uint32_t i = 0; i < tables; i++) {
		fib_close(f[i], true);
		fib_free(f[i]);
		mem_free(MEM_OTHER, hop[i]);
	}
}

static void
prop_churn_run(void **state)
{
	struct seed s = seed_start("prop_fib_churn");

	(void)state;
	net = mem_alloc(MEM_OTHER, NETS_MAX * sizeof(*net));
	prop_churn_random(&s);
	prop_churn_hour(&s, seed_whole(2, TABLES), 1, BATCH, "random changes");
	prop_churn_hour(&s, 1, 1, BURST, "random changes in bursts");
	if (!getenv("TERN_SOAK")) {
		/* the recording costs a minute */
	} else if (net_cnt = change_cnt = 0,
	    prop_churn_read_nets() && prop_churn_read_changes()) {
		prop_churn_hour(&s, TABLES, 6, BATCH, "recorded changes");
		prop_churn_hour(&s, 1, 7, BURST, "recorded changes in bursts");
	} else {
		fprintf(stderr, "TERN_DATA names no folder with prefixes and updates: "
				"no recorded changes\n");
	}
	free(change);
	mem_free(MEM_OTHER, net);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(prop_churn_run) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
