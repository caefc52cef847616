/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reserved addresses: opened step by step, read as zeros, also after they were given
 * back. Out of an area, too, which costs no addresses. */
#include "lib/mem/vmem.c"
#include "lib/mt/atomic.h"
#include "test/lib/unit.h"
#include <inttypes.h>
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

/* has_flag - does the kernel note @flag of the mapping that has @at? */
static bool
has_flag(const void *at, const char *flag)
{
	uintptr_t from, to;
	bool here = false;
	char line[400];
	FILE *f = fopen("/proc/self/smaps", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
			here = (uintptr_t)at >= from && (uintptr_t)at < to;
		else if (here && !strncmp(line, "VmFlags:", 8))
			break;
	}
	fclose(f);
	return here && strstr(line, flag);
}

/* Where the system gives huge pages unasked, a step that wasn't opened for them has none:
 * a page of it would cost 2 MB. */
static void
test_huge(void **state)
{
	uint8_t *p = vmem_reserve(2 * (size_t)VMEM_STEP);

	(void)state;
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK)) {
		vmem_fini(MEM_TABLE, p, 2 * (size_t)VMEM_STEP, 0);
		skip();
	}
	vmem_open(MEM_TABLE, p, true);
	vmem_open(MEM_TABLE, p + VMEM_STEP, false);
	assert_true(has_flag(p, " hg") && !has_flag(p, " nh"));
	assert_true(has_flag(p + VMEM_STEP, " nh") && !has_flag(p + VMEM_STEP, " hg"));
	vmem_fini(MEM_TABLE, p, 2 * (size_t)VMEM_STEP, 2 * (size_t)VMEM_STEP);
}

/* mapped - octets of addresses that the process has. */
static uint64_t
test_vmem_mapped(void)
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
#ifdef TERN_TSAN /* it takes no such addresses */
	skip();
#endif
	assert_true(vmem_map_at(base + UNIT - VMEM_STEP / 2, VMEM_STEP));
	vmem_area(base, 8 * UNIT);
	assert_null(area.base); /* something is there */
	munmap(base + UNIT - VMEM_STEP / 2, VMEM_STEP);
	vmem_area(base, 8 * UNIT);
	assert_int_equal(area.cnt, 7);
	before = test_vmem_mapped();
	for (unsigned i = 0; i < 3; i++)
		p[i] = vmem_reserve(UNIT + (i ? 2 : 1) * VMEM_STEP);
	assert_ptr_equal(p[0], area.base);
	assert_ptr_equal(p[1], p[0] + 2 * UNIT);
	assert_ptr_equal(p[2], p[1] + 2 * UNIT);
	assert_true(test_vmem_mapped() - before < UNIT);
	more = vmem_reserve(2 * UNIT);
	assert_false(vmem_in_area(more));
	assert_true(test_vmem_mapped() - before >= 2 * UNIT);
	vmem_open(MEM_TABLE, more, false);
	more[VMEM_STEP - 1] = 1;
	vmem_fini(MEM_TABLE, more, 2 * UNIT, VMEM_STEP);
	p[3] = vmem_reserve(VMEM_STEP);
	assert_false(vmem_in_area(p[3]));
	vmem_fini(MEM_TABLE, p[3], VMEM_STEP, 0);

	for (unsigned i = 0; i < 2; i++) {
		vmem_open(MEM_TABLE, p[1] + i * VMEM_STEP, i);
		assert_int_equal(p[1][i * VMEM_STEP], 0);
		memset(p[1] + i * VMEM_STEP, 1, VMEM_STEP);
	}
	assert_int_equal(
	    (test_vmem_mapped() - before) / VMEM_STEP, 2); /* and what the heap took */
	vmem_release(p[1], VMEM_STEP);
	assert_int_equal(p[1][0], 0);
	vmem_fini(MEM_TABLE, p[1], UNIT + 2 * VMEM_STEP, 2 * (size_t)VMEM_STEP);
	assert_true(test_vmem_mapped() - before < VMEM_STEP);
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
	cmocka_unit_test(test_huge),
	cmocka_unit_test(test_area),
};

UNIT_MAIN(tests)
