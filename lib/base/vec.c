/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth of arrays: the room doubles, or grows to @need if @need is more. Loop: the loop
 * that owns the array. */
#include "lib/base/vec.h"

#include <string.h>

#define ROOM_MIN 8

void *
vec_grow(enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size)
{
	uint64_t room = max_u64(max_u64(2 * (uint64_t)*cap, need), ROOM_MIN);

	*cap = (uint32_t)min_u64(room, UINT32_MAX);
	return mem_realloc(tag, p, *cap, size);
}

void *
vec_grow_zeroed(enum mem_tag tag, TAKE void *p, uint32_t *cap, uint32_t need, size_t size)
{
	uint32_t old = *cap;
	uint8_t *at = vec_grow(tag, p, cap, need, size);

	memset(at + old * size, 0, (*cap - old) * size);
	return at;
}
