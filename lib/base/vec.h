/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing array. The owner keeps a pointer of the items' type, the number of items and
 * the capacity. Items keep their type, and a read costs no more than a read of an array:
 *
 *      x->at = vec_room(MEM_CONFIG, x->at, &x->cap, x->cnt + 1, sizeof(*x->at));
 *      x->at[x->cnt++] = item;
 *
 * Growth may move the array and invalidates pointers to items. The owner frees the array
 * by mem_free.
 *
 * Loop: the loop that owns the array. */
#ifndef TERN_LIB_BASE_VEC_H
#define TERN_LIB_BASE_VEC_H

#include "lib/mem/mem.h"

/* vec_grow - the slow half of vec_room. */
OWNED void *vec_grow(
    enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size);

/* vec_room - make room in @p (NULL: no array yet) for @need items of @size octets.
 * Cost:    the room at least doubles, so each item is moved a bounded number of times.
 * Returns: the array; @cap is the new capacity. New room is not written. */
OWNED static inline void *
vec_room(enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size)
{
	return likely(need <= *cap) ? p : vec_grow(tag, p, cap, need, size);
}

/* vec_grow_zeroed - the slow half of vec_zeroed. */
OWNED void *vec_grow_zeroed(
    enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size);

/* vec_zeroed - as vec_room, but new room is zero. For arrays whose index is a number of
 * another structure, for example a net id. */
OWNED static inline void *
vec_zeroed(enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size)
{
	return likely(need <= *cap) ? p : vec_grow_zeroed(tag, p, cap, need, size);
}

#endif
