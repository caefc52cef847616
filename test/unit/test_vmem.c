/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reserved addresses: opened step by step, read as zeros, also after they were given
 * back. */
#include "lib/base/vmem.c"
#include "test/lib/unit.h"

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_life),
};

UNIT_MAIN(tests)
