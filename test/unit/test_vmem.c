/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reserved addresses: opened step by step, read as zeros, also after they were given
 * back. Out of an area, too, which costs no addresses. */
#include "lib/base/vmem.c"
#include "test/lib/unit.h"
#include <stdio.h>

static void
test_life(void **state)
{
	size_t used = mem_used(MEM_TABLE);
	uint8_t *p = vmem_reserve(8 * (size_t)VMEM_STEP);

	(void)state;
	assert_int_equal((uintptr_t)p % VMEM_STEP, 0);
	assert_int_equal(mem_used(MEM_TABLE), used);
	for (unsigned i = 0; i < 3; i++) {
		vmem_open(MEM_TABLE, p + (size_t)i * VMEM_STEP, i == 2);
		assert_int_equal(mem_used(MEM_TABLE) - used, (i + 1) * VMEM_STEP);
	}
	for (size_t i = 0; i < 3 * (size_t)VMEM_STEP; i += 4096)
		assert_int_equal(p[i], 0);
	memset(p, 1, 3 * (size_t)VMEM_STEP);
	/* Half a huge page and a page of a small one; what isn't a whole page stays. */
	vmem_release(p + VMEM_STEP + 4095, 4097);
	vmem_release(p + 2 * (size_t)VMEM_STEP, VMEM_STEP / 2 + 1);
	assert_int_equal(p[VMEM_STEP + 4095], 1);
	assert_int_equal(p[VMEM_STEP + 4096], 0);
	assert_int_equal(p[VMEM_STEP + 8191], 0);
	assert_int_equal(p[VMEM_STEP + 8192], 1);
	assert_int_equal(p[2 * VMEM_STEP], 0);
	assert_int_equal(p[2 * VMEM_STEP + VMEM_STEP / 2], 1);
	vmem_fini(MEM_TABLE, p, 8 * (size_t)VMEM_STEP, 3 * (size_t)VMEM_STEP);
	assert_int_equal(mem_used(MEM_TABLE), used);
}

/* mapped - octets of addresses that the process has. */
static uint64_t
mapped(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu", &pages), 1);
	fclose(f);
	return pages * 4096;
}

/* Reservations out of an area cost no addresses but those of open steps, don't overlap,
 * and are given again. What doesn't fit is mapped. */
static void
test_area(void **state)
{
	uint8_t *base = (uint8_t *)0x200000100000, *p[4], *more;
	uint64_t before;

	(void)state;
#ifdef __SANITIZE_THREAD__ /* it takes no such addresses */
	skip();
#endif
	assert_true(map_at(base + UNIT - VMEM_STEP / 2, VMEM_STEP));
	vmem_area(base, 8 * UNIT);
	assert_null(area.base); /* something is there */
	munmap(base + UNIT - VMEM_STEP / 2, VMEM_STEP);
	vmem_area(base, 8 * UNIT);
	assert_int_equal(area.cnt, 7);
	before = mapped();
	for (unsigned i = 0; i < 3; i++)
		p[i] = vmem_reserve(UNIT + (i ? 2 : 1) * VMEM_STEP);
	assert_ptr_equal(p[0], area.base);
	assert_ptr_equal(p[1], p[0] + 2 * UNIT);
	assert_ptr_equal(p[2], p[1] + 2 * UNIT);
	assert_true(mapped() - before < UNIT);
	more = vmem_reserve(2 * UNIT);
	assert_false(in_area(more));
	assert_true(mapped() - before >= 2 * UNIT);
	vmem_open(MEM_TABLE, more, false);
	more[VMEM_STEP - 1] = 1;
	vmem_fini(MEM_TABLE, more, 2 * UNIT, VMEM_STEP);
	p[3] = vmem_reserve(VMEM_STEP);
	assert_false(in_area(p[3]));
	vmem_fini(MEM_TABLE, p[3], VMEM_STEP, 0);

	for (unsigned i = 0; i < 2; i++) {
		vmem_open(MEM_TABLE, p[1] + i * VMEM_STEP, i);
		assert_int_equal(p[1][i * VMEM_STEP], 0);
		memset(p[1] + i * VMEM_STEP, 1, VMEM_STEP);
	}
	assert_int_equal((mapped() - before) / VMEM_STEP, 2); /* and what the heap took */
	vmem_release(p[1], VMEM_STEP);
	assert_int_equal(p[1][0], 0);
	vmem_fini(MEM_TABLE, p[1], UNIT + 2 * VMEM_STEP, 2 * (size_t)VMEM_STEP);
	assert_true(mapped() - before < VMEM_STEP);
	p[3] = vmem_reserve(UNIT);
	assert_ptr_equal(p[3], p[1]);
	vmem_open(MEM_TABLE, p[3], false);
	assert_int_equal(p[3][0], 0);
	vmem_fini(MEM_TABLE, p[3], UNIT, VMEM_STEP);
	vmem_fini(MEM_TABLE, p[0], UNIT + VMEM_STEP, 0);
	vmem_fini(MEM_TABLE, p[2], UNIT + 2 * VMEM_STEP, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_life),
	cmocka_unit_test(test_area),
};

UNIT_MAIN(tests)
