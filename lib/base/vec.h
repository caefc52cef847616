/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing array. Its owner keeps a pointer of the items' own type, how many there are,
 * and for how many there is room. So items keep their type, and reading one costs what it
 * costs in any array:
 *
 *      x->at = vec_room(MEM_CONFIG, x->at, &x->cap, x->cnt + 1, sizeof(*x->at));
 *      x->at[x->cnt++] = item;
 *
 * Growing may move the array: a pointer to an item doesn't outlive it. The owner frees
 * the array by mem_free. */
#ifndef TERN_LIB_BASE_VEC_H
#define TERN_LIB_BASE_VEC_H

#include "lib/mem/mem.h"

/* vec_grow - the slow half of vec_room. */
OWNED void *vec_grow(
    enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size);

/* vec_room - @p (NULL: none yet), where it holds @need items of @size octets.
 * Cost:    the room at least doubles, so each item is moved a bounded number of times.
 * Returns: the array; @cap says for how many there is room. New room isn't written. */
OWNED static inline void *
vec_room(enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size)
{
	return likely(need <= *cap) ? p : vec_grow(tag, p, cap, need, size);
}

#endif
