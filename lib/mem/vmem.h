/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space in large pieces, for arrays that grow to many megabytes. An array
 * reserves its whole range, so growth moves no item; vmem_open opens the range step by
 * step, in huge pages on request. vmem_reserve and vmem_fini: any thread; the rest: the
 * owner only. */
#ifndef TERN_LIB_MEM_VMEM_H
#define TERN_LIB_MEM_VMEM_H

#include "lib/mem/mem.h"

#define VMEM_STEP (2u << 20) /* a huge page; lengths are multiples of VMEM_STEP */

/* vmem_area - take large reservations from [@base, @base + @len) from now on. Nothing is
 * mapped in the range, and the kernel maps nothing there unasked. Called once, before
 * other threads run. Without a usable area reservations cost addresses (ulimit -v). */
void vmem_area(void *base, size_t len);
/* vmem_reserve - reserve @len octets of addresses at a multiple of VMEM_STEP, without
 * memory. */
OWNED void *vmem_reserve(size_t len);
/* vmem_open - back [@p, @p + VMEM_STEP) with zeroed, writable memory, counted for @tag.
 * @huge: the owner uses the whole step soon. */
void vmem_open(enum mem_tag tag, void *p, bool huge);
/* vmem_fini - release a range of vmem_reserve; the first @open octets are open. */
void vmem_fini(enum mem_tag tag, TAKE void *p, size_t len, size_t open);
/* vmem_release - return the whole pages of [@p, @p + @len) to the system; the pages read
 * as zeros. The pages still count for their tag until the caller calls mem_note. */
void vmem_release(void *p, size_t len);
/* vmem_hidden - zeroed memory for @len octets that the kernel leaves out of core files.
 * The memory lives as long as the process. */
void *vmem_hidden(size_t len);

#endif
