/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heap memory, counted by purpose (`show memory`). Running out of memory aborts the
 * daemon: sizes from outside are limited before the call. Any thread may call. */
#ifndef TERN_LIB_MEM_MEM_H
#define TERN_LIB_MEM_MEM_H

#include "lib/base/check.h"

/* What memory is for: the rows of `show memory`. */
enum mem_tag {
	MEM_TABLE,
	MEM_ATTR,
	MEM_PROTO,
	MEM_JOURNAL,
	MEM_RING,
	MEM_CONFIG,
	MEM_LOOP,
	MEM_OTHER,
	MEM_TAG_CNT
};

/* mem_alloc, mem_zalloc - @size octets (not 0), the latter filled with zeros; never NULL.
 */
OWNED void *mem_alloc(enum mem_tag tag, size_t size);
OWNED void *mem_zalloc(enum mem_tag tag, size_t size);
/* mem_aligned - as mem_alloc, at a multiple of @align (a power of two). */
OWNED void *mem_aligned(enum mem_tag tag, size_t align, size_t size);
/* mem_realloc - grow or shrink @p (may be NULL) to @cnt items of @size octets. A product
 * that exceeds size_t aborts as too little memory does. */
OWNED void *mem_realloc(enum mem_tag tag, TAKE void *p, size_t cnt, size_t size);
OWNED char *mem_strdup(enum mem_tag tag, const char *s);
/* mem_free - free @p; @tag is the tag of the allocation. @p may be NULL. */
void mem_free(enum mem_tag tag, TAKE void *p);
/* mem_note - count @octets more (or, negative, less) for @tag: memory from a source other
 * than malloc. */
void mem_note(enum mem_tag tag, ptrdiff_t octets);
/* mem_used - octets now allocated for @tag, as malloc rounds them; a snapshot. */
size_t mem_used(enum mem_tag tag);

#endif
