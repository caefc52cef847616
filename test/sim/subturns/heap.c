/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap of a run: no block is used twice, and an access of instrumented code to a
 * freed block fails the run.
 *
 * The linker sends malloc and free of the code under test here (Makefile.in). Outside
 * of a thread the calls reach the heap of the C library. */
#include "test/sim/subturns/model.h"
#include "test/sim/subturns/subturns.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_LEN (4u << 20)
#define UNIT     16u
#define HEADER   16u

void *__real_malloc(size_t len);
void __real_free(void *p);
int __real_posix_memalign(void **out, size_t align, size_t len);
void *__real_reallocarray(void *p, size_t cnt, size_t len);
size_t __real_malloc_usable_size(void *p);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t cnt, size_t len);
int __wrap_posix_memalign(void **out, size_t align, size_t len);
void __wrap_free(void *p);
void *__wrap_reallocarray(void *p, size_t cnt, size_t len);
size_t __wrap_malloc_usable_size(void *p);

static uint8_t heap[HEAP_LEN] __attribute__((aligned(4096)));
static uint8_t freed[HEAP_LEN / UNIT];
static size_t used;
static unsigned left;

void
sub_heap_reset(void)
{
	memset(freed, 0, used / UNIT);
	used = 0;
	left = 0;
}

static bool
heap_has(uintptr_t at)
{
	return at >= (uintptr_t)heap && at < (uintptr_t)heap + HEAP_LEN;
}

void
sub_heap_check(uintptr_t at, size_t len)
{
	if (heap_has(at) && (freed[(at - (uintptr_t)heap) / UNIT] ||
				freed[(at + len - 1 - (uintptr_t)heap) / UNIT]))
		sub_fail("uses memory that was freed");
}

unsigned
sub_heap_left(void)
{
	return left;
}

static void *
heap_take(size_t align, size_t len, int fill)
{
	size_t at = (used + HEADER + align - 1) / align * align;
	uint64_t size = (len + UNIT - 1) / UNIT * UNIT;

	model_settle();
	if (at + size > HEAP_LEN)
		sub_fail("the program needs more than %u octets", HEAP_LEN);
	memcpy(heap + at - HEADER, &size, sizeof(size));
	memset(heap + at, fill, size);
	used = at + size;
	left++;
	return heap + at;
}

void *
__wrap_malloc(size_t len)
{
	return sub_self() < 0 ? __real_malloc(len) : heap_take(UNIT, len, 0xa5);
}

void *
__wrap_calloc(size_t cnt, size_t len)
{
	void *p;

	if (sub_self() >= 0)
		return heap_take(UNIT, cnt * len, 0);
	p = __real_malloc(cnt * len);
	return p ? memset(p, 0, cnt * len) : p;
}

int
__wrap_posix_memalign(void **out, size_t align, size_t len)
{
	if (sub_self() < 0)
		return __real_posix_memalign(out, align, len);
	*out = heap_take(align < UNIT ? UNIT : align, len, 0xa5);
	return 0;
}

void
__wrap_free(void *p)
{
	uint64_t size;
	uint8_t *at = p;

	if (!p)
		return;
	if (!heap_has((uintptr_t)p)) {
		__real_free(p);
		return;
	}
	model_settle();
	sub_heap_check((uintptr_t)p, 1);
	memcpy(&size, at - HEADER, sizeof(size));
	memset(freed + (size_t)(at - heap) / UNIT, 1, size / UNIT);
	left--;
}

size_t
__wrap_malloc_usable_size(void *p)
{
	uint64_t size;

	if (!heap_has((uintptr_t)p))
		return __real_malloc_usable_size(p);
	memcpy(&size, (uint8_t *)p - HEADER, sizeof(size));
	return size;
}

void *
__wrap_reallocarray(void *p, size_t cnt, size_t len)
{
	uint64_t size = 0;
	void *to;

	if (sub_self() < 0 && !heap_has((uintptr_t)p))
		return __real_reallocarray(p, cnt, len);
	len *= cnt;
	to = heap_take(UNIT, len, 0xa5);
	if (p) {
		memcpy(&size, (uint8_t *)p - HEADER, sizeof(size));
		memcpy(to, p, size < len ? size : len);
		__wrap_free(p);
	}
	return to;
}
