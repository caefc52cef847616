/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space in large pieces.
 *
 * Why not malloc: a page fault costs more than the work on the page. Measured on a
 * virtual machine: 1,650 ns a page, a quarter of the cost of inserting a route; 1,400 ns
 * if many pages are requested at a time; 370 ns for each 4 kB with huge pages. Huge pages
 * also spare the processor's translation cache, which random accesses to 30 MB of nets
 * overrun.
 *
 * A mapping counts towards the limit of addresses (ulimit -v) even without memory behind
 * the addresses. Large reservations are therefore not mapped: a reservation is a range of
 * an area in which the kernel maps nothing by itself (vmem_area), and vmem_open maps each
 * step. Without the area a reservation is a mapping without access.
 *
 * I1  A step that has returned pages no longer uses huge pages: the kernel (khugepaged)
 *     would otherwise fill the step again.
 * I2  Within the area only open steps are mapped.
 *
 * Loop: any thread; a lock protects the area. */
#include "lib/mem/vmem.h"
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP_MASK ((uintptr_t)VMEM_STEP - 1)

/* Places of the area are given in units. */
#define UNIT      ((size_t)1 << 30)
#define UNITS_MAX 65536u /* 64 TB */
#define FAR_MIN   (UNIT / 8) /* what is smaller is always mapped */

/* style: the addresses belong to the process, so the record of the area is a global. The
 * lock is a leaf lock, taken when a table starts or ends, or when the first reader asks a
 * table for all paths. */
static struct {
	pthread_mutex_t lock;
	uint8_t *base; /* NULL: there is no area */
	uint32_t cnt; /* units */
	bool taken[UNITS_MAX];
} area = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* vmem_map_at - map @len octets at @p. Returns: false: the addresses are in use. */
static bool
vmem_map_at(void *p, size_t len)
{
	void *got = mmap(p, len, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == p)
		return true;
	if (got != MAP_FAILED) /* a kernel before 4.17 */
		munmap(got, len);
	return false;
}

void
vmem_area(void *base, size_t len)
{
	uintptr_t at = ((uintptr_t)base + UNIT - 1) & ~(UNIT - 1);
	size_t cnt = ((uintptr_t)base + len - at) / UNIT;

	if (len < 2 * UNIT || !vmem_map_at((void *)at, VMEM_STEP))
		return;
	munmap((void *)at, VMEM_STEP);
	area.base = (void *)at;
	area.cnt = cnt < UNITS_MAX ? (uint32_t)cnt : UNITS_MAX;
}

static bool
vmem_in_area(const void *p)
{
	return area.base && (uintptr_t)p - (uintptr_t)area.base < area.cnt * UNIT;
}

static uint32_t
vmem_units_of(size_t len)
{
	return (uint32_t)((len + UNIT - 1) / UNIT);
}

/* vmem_area_take - the first place of @cnt units. NULL: there is none. */
static void *
vmem_area_take(uint32_t cnt)
{
	void *p = NULL;
	uint32_t run = 0;

	pthread_mutex_lock(&area.lock);
	for (uint32_t i = 0; i < area.cnt && !p; i++) {
		run = area.taken[i] ? 0 : run + 1;
		if (run == cnt) {
			memset(&area.taken[i + 1 - cnt], true, cnt);
			p = area.base + (i + 1 - cnt) * UNIT;
		}
	}
	pthread_mutex_unlock(&area.lock);
	return p;
}

static void
vmem_area_give(const void *p, uint32_t cnt)
{
	size_t first = ((uintptr_t)p - (uintptr_t)area.base) / UNIT;

	pthread_mutex_lock(&area.lock);
	memset(&area.taken[first], false, cnt);
	pthread_mutex_unlock(&area.lock);
}

/* vmem_reserve_mapped - addresses that are mapped, without access. */
static void *
vmem_reserve_mapped(size_t len)
{
	size_t more = len + VMEM_STEP;
	uint8_t *p = mmap(
	    NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (p == MAP_FAILED)
		check_failed(__FILE__, __LINE__, "out of address space");
	before = (size_t)(0 - (uintptr_t)p) & STEP_MASK;
	if (before)
		munmap(p, before);
	if (before < VMEM_STEP)
		munmap(p + before + len, VMEM_STEP - before);
	return p + before;
}

void *
vmem_reserve(size_t len)
{
	void *p = NULL;

	ASSERT(len > 0 && !(len & STEP_MASK));
	if (len >= FAR_MIN)
		p = vmem_area_take(vmem_units_of(len));
	return p ? p : vmem_reserve_mapped(len);
}

void
vmem_open(enum mem_tag tag, void *p, bool huge)
{
	if (vmem_in_area(p) ? !vmem_map_at(p, VMEM_STEP)
			    : mprotect(p, VMEM_STEP, PROT_READ | PROT_WRITE) != 0)
		check_failed(__FILE__, __LINE__, "out of memory");
	/* Where the system gives them unasked, the first octet would cost 2 MB. A kernel
	 * without huge pages refuses both. */
	madvise(p, VMEM_STEP, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	mem_note(tag, VMEM_STEP);
}

void
vmem_fini(enum mem_tag tag, TAKE void *p, size_t len, size_t open)
{
	mem_note(tag, -(ptrdiff_t)open);
	munmap(p, len);
	if (vmem_in_area(p))
		vmem_area_give(p, vmem_units_of(len));
}

void
vmem_release(void *p, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t at = ((uintptr_t)p + page) & ~page, end = ((uintptr_t)p + len) & ~page;
	uintptr_t first = (uintptr_t)p & ~STEP_MASK;

	/* I1 */
	madvise((void *)first, (((uintptr_t)p + len + STEP_MASK) & ~STEP_MASK) - first,
	    MADV_NOHUGEPAGE);
	if (at < end)
		madvise((void *)at, end - at, MADV_DONTNEED);
}

void *
vmem_hidden(size_t len)
{
	void *p = mmap(
	    NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT(p != MAP_FAILED);
	(void)!madvise(p, len, MADV_DONTDUMP);
	return p;
}
