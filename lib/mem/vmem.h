/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space in large pieces, for what grows to many megabytes: it is reserved whole,
 * so that nothing moves when it grows, and opened bit by bit, in huge pages where the
 * owner asks for them. vmem_reserve and vmem_fini: any thread; else owner only. */
#ifndef TERN_LIB_BASE_VMEM_H
#define TERN_LIB_BASE_VMEM_H

#include "lib/mem/mem.h"

#define VMEM_STEP (2u << 20) /* a huge page; lengths are multiples of it */

/* vmem_area - @len octets at @base where nothing is mapped and the kernel maps nothing
 * unasked: large reservations come from there from now on. Before other threads, once.
 * Without it, or if it can't be used, they cost addresses (ulimit -v). */
void vmem_area(void *base, size_t len);
/* vmem_reserve - @len octets of addresses, at a multiple of VMEM_STEP; no memory stands
 * behind them yet. */
OWNED void *vmem_reserve(size_t len);
/* vmem_open - [@p, @p + VMEM_STEP) reads as zeros and may be written from now on. Counts
 * for @tag. @huge: it is going to be used whole, and soon. */
void vmem_open(enum mem_tag tag, void *p, bool huge);
/* vmem_fini - what vmem_reserve gave; its first @open octets are open. */
void vmem_fini(enum mem_tag tag, TAKE void *p, size_t len, size_t open);
/* vmem_release - the whole pages of [@p, @p + @len) go back to the system; they read as
 * zeros. They still count for their tag: tell mem_note. */
void vmem_release(void *p, size_t len);

#endif
