/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lookup whose chunk the writer reuses meanwhile (fib_format.h, F6).
 *
 * The test protects the reader's mapping of the chunks. The first access of a lookup
 * behind the slot therefore raises SIGSEGV, and the handler lets the writer publish until
 * another block has the octets of the chunk. Then the lookup continues with the slot that
 * the lookup loaded before. A lookup without the check of the generation gives the answer
 * of the other block; each run first shows this for the reader. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("popcnt") /* else ternfib_inline4 is a call */
#endif
#include "lib/base/base.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_find.h"
#include "lib/fib/ternfib.h"
#include "lib/fib/ternfib_priv.h"
#include "test/lib/unit.h"
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#define BULK_MAX 64u
#define OTHERS   40u /* blocks */

enum { BEFORE = 1, BESIDE, AFTER, OTHER }; /* next hops */

/* What the handler needs. */
static struct {
	struct fib *f;
	struct ternfib *t;
	enum family fam;
	uint32_t fields;
	uint64_t value[OTHER + 1];
	char path[64];
	volatile sig_atomic_t traps;
	unsigned starts; /* a failed run leaves its file locked */
} scene;

static void
test_ternfib_reuse_set(const char *prefix, uint64_t value)
{
	struct prefix p;

	assert_int_equal(prefix_parse(&p, prefix), 0);
	fib_set(scene.f, &p, value);
}

static void
test_ternfib_reuse_publish(void)
{
	assert_int_equal(fib_publish(scene.f, 1), 0);
}

/* test_ternfib_reuse_one - the route of network @net in @block. */
static void
test_ternfib_reuse_one(unsigned block, unsigned net, uint64_t value)
{
	char text[64];

	if (scene.fam == FAM_IP4)
		snprintf(text, sizeof(text), "10.%u.%u.0/24", block, net);
	else
		snprintf(text, sizeof(text), "%x:db8:%x::/48", 0x2000 + block, net);
	test_ternfib_reuse_set(text, value);
}

/* test_ternfib_reuse_block - a chunk of a block; @wide: a larger chunk. */
static void
test_ternfib_reuse_block(unsigned block, uint64_t value, bool wide)
{
	test_ternfib_reuse_one(block, 0, value);
	test_ternfib_reuse_one(block, 128, scene.value[BESIDE]);
	for (unsigned net = 2; wide && net < 128; net += 2)
		test_ternfib_reuse_one(block, net, scene.value[BESIDE]);
}

/* test_ternfib_reuse_writer - the octets of block 1 become octets of block 2. */
static void
test_ternfib_reuse_writer(void)
{
	test_ternfib_reuse_block(1, scene.value[AFTER], true);
	test_ternfib_reuse_publish();
	test_ternfib_reuse_set(
	    scene.fam == FAM_IP4 ? "10.9.0.0/16" : "3000::/16", scene.value[BESIDE]);
	test_ternfib_reuse_publish();
	test_ternfib_reuse_block(2, scene.value[OTHER], false);
	test_ternfib_reuse_publish();
}

static void
test_ternfib_reuse_protect(int rights)
{
	const struct fib_view *v = &scene.t->view;

	assert_int_equal(mprotect((void *)(uintptr_t)v->chunk,
			     (v->chunk_mask + 1ul) * FIB_UNIT, rights),
	    0);
}

static void
test_ternfib_reuse_trap(int number)
{
	(void)number;
	test_ternfib_reuse_protect(PROT_READ);
	scene.traps++;
	test_ternfib_reuse_writer();
}

static void
test_ternfib_reuse_start(int code)
{
	struct fib_options o = { .family = scene.fam,
		.fields = scene.fields,
		.table = "t",
		.max_octets = 1 << 20 };
	struct fib_file file = { .path = scene.path, .mode = 0600 };

	snprintf(scene.path, sizeof(scene.path), "/tmp/test_ternfib_reuse.%d.%u",
	    getpid(), scene.starts++);
	scene.f = fib_new(&o);
	for (uint32_t i = BEFORE; i <= OTHER; i++) {
		struct fib_entry e = { .hop_kind = FIB_HOP_IP,
			.next_hop = ip4(0x0a000000 + i),
			.origin_as = 64512 + i };

		assert_int_equal(fib_value_get(scene.f, &e, &scene.value[i]), 0);
	}
	test_ternfib_reuse_block(1, scene.value[BEFORE], false);
	/* so few octets lie in holes that no compaction begins */
	for (unsigned i = 0; i < OTHERS; i++)
		test_ternfib_reuse_block(100 + i, scene.value[BEFORE], true);
	assert_int_equal(fib_open(scene.f, &file, 1), 0);
	test_ternfib_reuse_publish();
	assert_int_equal(ternfib_open(&scene.t, scene.path), 0);
	ternfib_plain(scene.t, code);
	scene.traps = 0;
	test_ternfib_reuse_protect(PROT_NONE);
}

static void
test_ternfib_reuse_end(void)
{
	assert_int_equal(scene.traps, 1);
	ternfib_close(scene.t);
	fib_close(scene.f, true);
	fib_free(scene.f);
}

static const uint32_t key4 = 0x0a010005; /* in the first prefix of block 1 */
static const uint8_t key6[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0, [15] = 5 };

/* test_ternfib_reuse_look - the hop of the key; @way: 0: without the check, 1: one by
 * one, 2: inline, 3 and more: in a bulk of @way - 2 addresses. */
static uint64_t
test_ternfib_reuse_look(unsigned way)
{
	uint64_t out[BULK_MAX];
	uint32_t a4[BULK_MAX];
	uint8_t a6[BULK_MAX][16];

	for (unsigned i = 0; i < BULK_MAX; i++) {
		a4[i] = key4;
		memcpy(a6[i], key6, sizeof(key6));
	}
	if (scene.fam == FAM_IP4) {
		if (way == 0)
			return fib_find4(&scene.t->view, key4);
		if (way == 1)
			return ternfib_find4(scene.t, key4);
		if (way == 2)
			return ternfib_inline4(scene.t, key4);
		ternfib_bulk4(scene.t, out, a4, way - 2);
	} else {
		if (way == 0)
			return fib_find6(&scene.t->view, key6);
		if (way <= 2)
			return ternfib_find6(scene.t, key6);
		ternfib_bulk6(scene.t, out, a6, way - 2);
	}
	for (unsigned i = 1; i < way - 2; i++)
		assert_int_equal(out[i], out[0]);
	return out[0];
}

static void
test_ternfib_reuse_run(enum family fam, uint32_t fields)
{
	static const unsigned way[] = { 0, 1, 2, 3, 9, 66 };
	struct sigaction on = { .sa_handler = test_ternfib_reuse_trap }, old;

	scene.fam = fam;
	scene.fields = fields;
	on.sa_flags = SA_NODEFER;
	assert_int_equal(sigaction(SIGSEGV, &on, &old), 0);
	for (int code = 0; code < 3; code++)
		for (unsigned i = 0; i < ARRAY_LEN(way); i++) {
			struct ternfib_stat st;
			uint64_t got;

			test_ternfib_reuse_start(code);
			got = test_ternfib_reuse_look(way[i]);
			assert_int_equal(ternfib_hop_of(got),
			    ternfib_hop_of(scene.value[way[i] ? AFTER : OTHER]));
			ternfib_stat(scene.t, &st);
			assert_int_equal(st.repeated, way[i] > 2 ? way[i] - 2 : 0);
			test_ternfib_reuse_end();
		}
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
}

static void
test_ternfib_reuse_octets(void **state)
{
	(void)state;
	test_ternfib_reuse_run(FAM_IP4, 0);
}

static void
test_ternfib_reuse_chunks(void **state)
{
	(void)state;
	test_ternfib_reuse_run(FAM_IP4, FIB_WITH_ORIGIN);
}

static void
test_ternfib_reuse_keys(void **state)
{
	(void)state;
	test_ternfib_reuse_run(FAM_IP6, 0);
}

static void
test_ternfib_reuse_keys_fields(void **state)
{
	(void)state;
	test_ternfib_reuse_run(FAM_IP6, FIB_WITH_ORIGIN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ternfib_reuse_octets),
		cmocka_unit_test(test_ternfib_reuse_chunks),
		cmocka_unit_test(test_ternfib_reuse_keys),
		cmocka_unit_test(test_ternfib_reuse_keys_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
