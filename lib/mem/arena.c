/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bump allocator.
 *
 * I1  `chunk` lists all chunks; small objects are allocated from [pos, end), a
 *     part of one chunk.
 *
 * I2  An object that does not fit and is larger than a quarter of a standard chunk gets a
 *     chunk of its own. The rest of the present chunk stays in use.
 *
 * I3  An arena that has filled GROW_CNT chunks of GROW_FROM octets allocates larger
 *     chunks, up to GROW_TO. malloc maps these chunks from the system and returns them
 *     whole. With small chunks a large configuration left holes in the heap at each
 *     reload, and the objects of sessions between the holes kept the memory in use.
 *
 * Only the owner of an arena calls the functions.
 *
 * Loop: the loop that owns the arena. */
#include "lib/mem/arena.h"
#include "lib/mem/poison.h"
#include <stdarg.h>
#include <stdio.h>

#define GROW_CNT  16
#define GROW_FROM (64u << 10)
#define GROW_TO   (1u << 20)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* of data */
	uint8_t data[];
};

void
arena_init(struct arena *a, enum mem_tag tag, size_t chunk_size)
{
	ASSERT(chunk_size >= 256);
	*a = (struct arena){ .chunk_size = chunk_size, .tag = tag };
}

void
arena_borrow(struct arena *a, const struct arena_lender *lender)
{
	ASSERT(!a->chunk);
	a->lender = lender;
}

static size_t
arena_standard(const struct arena *a)
{
	return (a->chunk_size - sizeof(struct arena_chunk)) & ~(size_t)7;
}

static bool
arena_is_lent(const struct arena *a, size_t size)
{
	return a->lender && size == arena_standard(a);
}

static void
arena_chunk_free(struct arena *a, struct arena_chunk *c)
{
	poison_clear(c->data, c->size);
	if (arena_is_lent(a, c->size))
		a->lender->give(a->lender->arg, a->tag, c);
	else
		mem_free(a->tag, c);
}

void
arena_fini(struct arena *a)
{
	struct arena_chunk *c, *next;

	for (c = a->chunk; c; c = next) {
		next = c->next;
		arena_chunk_free(a, c);
	}
	a->chunk = NULL;
	a->pos = a->end = NULL;
	a->used = 0;
}

static struct arena_chunk *
arena_chunk_new(struct arena *a, size_t size)
{
	struct arena_chunk *c = arena_is_lent(a, size)
				    ? a->lender->take(
					  a->lender->arg, a->tag, sizeof(*c) + size)
				    : mem_alloc(a->tag, sizeof(*c) + size);

	c->size = size;
	c->next = a->chunk;
	a->chunk = c;
	poison_set(c->data, size);
	return c;
}

static void
arena_use(struct arena *a, struct arena_chunk *c)
{
	a->pos = c->data;
	a->end = c->data + c->size;
}

void
arena_wipe(struct arena *a)
{
	for (struct arena_chunk *c = a->chunk; c; c = c->next) {
		poison_clear(c->data, c->size);
		explicit_bzero(c->data, c->size);
	}
}

void
arena_reset(struct arena *a)
{
	struct arena_chunk *c, *next, *kept = NULL;

	for (c = a->chunk; c; c = next) {
		next = c->next;
		if (!kept && c->size == arena_standard(a))
			kept = c;
		else
			arena_chunk_free(a, c);
	}
	a->chunk = kept;
	a->pos = a->end = NULL;
	a->used = 0;
	if (kept) {
		kept->next = NULL;
		poison_set(kept->data, kept->size);
		arena_use(a, kept);
	}
}

/* arena_slow - @need octets do not fit into what is left. */
static void *
arena_slow(struct arena *a, size_t need)
{
	if (a->tag == MEM_CONFIG && a->chunk_size >= GROW_FROM &&
	    a->chunk_size < GROW_TO && a->used / GROW_CNT >= a->chunk_size)
		a->chunk_size *= 4;
	if (need > arena_standard(a) / 4)
		return arena_chunk_new(a, need)->data;
	arena_use(a, arena_chunk_new(a, arena_standard(a)));
	a->pos += need;
	return a->pos - need;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	size_t need;
	void *p;

	ASSERT(size < SIZE_MAX / 2);
	size = (size + 7) & ~(size_t)7;
	a->used += size;
	need = size ? size + POISON_GAP : 8;
	if (likely((size_t)(a->end - a->pos) >= need)) {
		p = a->pos;
		a->pos += need;
	} else {
		p = arena_slow(a, need);
	}
	poison_clear(p, size);
	return p;
}

void *
arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

void *
arena_memdup(struct arena *a, const void *p, size_t len)
{
	void *to = arena_alloc(a, len);

	if (len)
		memcpy(to, p, len);
	return to;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_memdup(a, s, strlen(s) + 1);
}

char *
arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *to;

	len = strnlen(s, len);
	to = arena_alloc(a, len + 1);
	memcpy(to, s, len);
	to[len] = 0;
	return to;
}

size_t
arena_used(const struct arena *a)
{
	return a->used;
}
