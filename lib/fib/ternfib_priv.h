/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The handle of libternfib, for the files of the library. The library consists of
 * ternfib*.c and uses inline functions of the tree only.
 *
 * Loop: the thread that owns the handle. */
#ifndef TERN_LIB_FIB_TERNFIB_PRIV_H
#define TERN_LIB_FIB_TERNFIB_PRIV_H

#include "lib/fib/fib_find.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/ternfib.h"
#include "lib/mt/mapped.h"
#include <sys/types.h>

/* The lookups of one instruction set. Owner: the library. Life: static;
 * nothing to free. */
struct ternfib_code {
	uint64_t (*find4)(struct ternfib *t, uint32_t addr);
	uint64_t (*find6)(struct ternfib *t, const uint8_t *addr);
	void (*bulk4)(
	    const struct fib_view *v, uint64_t *out, const uint32_t *a, size_t n);
	void (*bulk6)(
	    const struct fib_view *v, uint64_t *out, const uint8_t *a, size_t n);
};

extern const struct ternfib_code ternfib_code_plain;
/* NULL: the library has no such code for this kind of processor */
extern const struct ternfib_code *const ternfib_code_avx2;
extern const struct ternfib_code *const ternfib_code_avx512;

/* A mapped file. Owner: the handle. Freed by: munmap of @base. */
struct ternfib_mapping {
	uint8_t *base;
	uint64_t size;
	dev_t dev;
	ino_t ino;
};

/* Owner: the caller of ternfib_open. Freed by: ternfib_close. */
struct ternfib {
	struct ternfib_near near; /* first: inline lookups of programs */
	struct fib_view view;
	const struct fib_header *header;
	const struct ternfib_code *code;
	uint64_t lookups, repeated;
	uint64_t start_id;
	struct ternfib_mapping map;
	char *path;
	int gone; /* the error of the last ternfib_poll; 0: none */
	uint64_t named_ns; /* CLOCK_MONOTONIC_COARSE of the last look at the name */
};

/* ternfib_map - map the image @path. Returns: 0 or negative errno, as ternfib_open. */
int ternfib_map(const char *path, struct ternfib_mapping *m);
/* ternfib_view - the handle reads @m from now on. */
void ternfib_view(struct ternfib *t, const struct ternfib_mapping *m);

/* ternfib_changed - true if the answers of a lookup that began at generation @from may be
 * wrong (fib_format.h, F6). */
static inline __attribute__((always_inline)) bool
ternfib_changed(const struct ternfib *t, uint64_t from)
{
	mapped_fence_acquire();
	return __builtin_expect(
	    mapped_load_acquire64(t->near.generation) - from > FIB_GRACE, 0);
}

static inline const void *
ternfib_section(const struct ternfib *t, enum fib_section_id id)
{
	return t->map.base + t->header->fixed.section[id].offset;
}

#endif
