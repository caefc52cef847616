/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space in large pieces.
 *
 * Why not malloc: a page fault costs more than what is done with the page (measured on a
 * virtual machine: 1,650 ns a page, a quarter of what inserting a route cost), asking for
 * many pages at a time helps little (1,400 ns), and huge pages much (370 ns for each 4
 * kB). They also spare the processor's table of translations, which random accesses to 30
 * MB of nets overrun.
 *
 * I1  A step from which something was given back is no longer one for huge pages: the
 *     kernel would fill it up again on its own (khugepaged). */
#include "lib/base/vmem.h"
#include <sys/mman.h>
#include <unistd.h>

#define STEP_MASK ((uintptr_t)VMEM_STEP - 1)

void *
vmem_reserve(size_t len)
{
	size_t more = len + VMEM_STEP;
	uint8_t *p = mmap(
	    NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	ASSERT(len > 0 && !(len & STEP_MASK));
	if (p == MAP_FAILED)
		check_failed(__FILE__, __LINE__, "out of address space");
	before = (size_t)(0 - (uintptr_t)p) & STEP_MASK;
	if (before)
		munmap(p, before);
	if (before < VMEM_STEP)
		munmap(p + before + len, VMEM_STEP - before);
	return p + before;
}

void
vmem_open(enum mem_tag tag, void *p, bool huge)
{
	if (mprotect(p, VMEM_STEP, PROT_READ | PROT_WRITE))
		check_failed(__FILE__, __LINE__, "out of memory");
	if (huge) /* a kernel without them does without */
		madvise(p, VMEM_STEP, MADV_HUGEPAGE);
	mem_note(tag, VMEM_STEP);
}

void
vmem_fini(enum mem_tag tag, TAKE void *p, size_t len, size_t open)
{
	mem_note(tag, -(ptrdiff_t)open);
	munmap(p, len);
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
