/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bump allocator with one lifetime: one UPDATE, one filter run, one configuration. Only
 * the owner of an arena calls the functions. Loop: the loop that owns the arena. */
#ifndef TERN_LIB_MEM_ARENA_H
#define TERN_LIB_MEM_ARENA_H

#include "lib/mem/mem.h"

struct arena_chunk;

/* A source of standard chunks in place of malloc. Owner: the module that lends the
 * chunks. Life: until the last arena with this lender is finished. */
struct arena_lender {
	OWNED void *(*take)(void *arg, enum mem_tag tag, size_t size); /* as mem_alloc */
	void (*give)(void *arg, enum mem_tag tag, TAKE void *chunk);
	void *arg;
};

/* owner: one thread at a time; lives: until arena_fini. */
struct arena {
	/* private */
	uint8_t *pos, *end;
	struct arena_chunk *chunk; /* newest first */
	size_t chunk_size;
	size_t used;
	const struct arena_lender *lender; /* NULL: none */
	enum mem_tag tag;
};

/* arena_init - no memory is taken before the first allocation. @chunk_size: octets, at
 * least 256. */
void arena_init(struct arena *a, enum mem_tag tag, size_t chunk_size);
/* arena_borrow - allocate standard chunks from @lender from now on; the chunks of @lender
 * have one size. Precedes the first allocation. */
void arena_borrow(struct arena *a, const struct arena_lender *lender);
/* arena_fini - free all; the arena may be used again. */
void arena_fini(struct arena *a);
/* arena_reset - free all that was allocated; keeps one chunk of the standard size. */
void arena_reset(struct arena *a);
/* arena_wipe - overwrite the memory of the arena with zeros. arena_reset or arena_fini
 * follows. */
void arena_wipe(struct arena *a);
/* arena_alloc - aligned to 8; undefined content; never NULL. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_zalloc(struct arena *a, size_t size);
void *arena_memdup(struct arena *a, const void *p, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);
/* arena_used - octets handed out since the last reset. */
size_t arena_used(const struct arena *a);

#endif
