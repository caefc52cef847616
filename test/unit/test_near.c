/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers of four octets: both ways, far, and nothing. */
#include "lib/mem/vmem.h"
#include "lib/mt/near.h"
#include "test/lib/unit.h"

#define FAR ((size_t)8 << 30)

static void
test_ways(void **state)
{
	struct {
		uint32_t before;
		struct near n;
		uint32_t after;
	} s = { 0 };

	(void)state;
	assert_null(near_load_acquire(&s.n));
	near_store_release(&s.n, &s.after);
	assert_ptr_equal(near_load_acquire(&s.n), &s.after);
	near_store_relaxed(&s.n, &s.before);
	assert_ptr_equal(near_load_relaxed(&s.n), &s.before);
	near_store_release(&s.n, NULL);
	assert_null(near_load_relaxed(&s.n));
}

/* Both ends of what it spans. */
static void
test_far(void **state)
{
	uint8_t *area = vmem_reserve(FAR), *end = area + FAR - VMEM_STEP;
	struct near *first = (struct near *)(void *)area,
		    *last = (struct near *)(void *)(end + VMEM_STEP - 4);

	(void)state;
	vmem_open(MEM_OTHER, area, false);
	vmem_open(MEM_OTHER, end, false);
	near_store_release(first, last);
	near_store_release(last, first);
	assert_ptr_equal(near_load_acquire(first), last);
	assert_ptr_equal(near_load_acquire(last), first);
	vmem_fini(MEM_OTHER, area, FAR, 2 * VMEM_STEP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ways),
	cmocka_unit_test(test_far),
};

UNIT_MAIN(tests)
