/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bump allocator with one lifetime: one UPDATE, one filter run, one configuration. Owner
 * only. */
#ifndef TERN_LIB_BASE_ARENA_H
#define TERN_LIB_BASE_ARENA_H

#include "lib/base/mem.h"

struct arena_chunk;

/* owner: one thread at a time; lives: until arena_fini. */
struct arena {
	/* private */
	uint8_t *pos, *end;
	struct arena_chunk *chunk; /* newest first */
	size_t chunk_size;
	size_t used;
	enum mem_tag tag;
};

/* arena_init - no memory is taken before the first allocation. @chunk_size: octets, at
 * least 256. */
void arena_init(struct arena *a, enum mem_tag tag, size_t chunk_size);
void arena_fini(struct arena *a);
/* arena_reset - free all that was allocated; keeps one chunk of the standard size. */
void arena_reset(struct arena *a);
/* arena_alloc - aligned to 8; undefined content; never NULL. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_zalloc(struct arena *a, size_t size);
void *arena_memdup(struct arena *a, const void *p, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);
/* arena_used - octets handed out since the last reset. */
size_t arena_used(const struct arena *a);

#endif
