/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heap memory with a count of octets for each tag.
 *
 * Objects have no header of tern: malloc_usable_size gives the size of an object, and
 * malloc's header adds the rest of the cost. All threads count, so the counters are
 * striped: a thread always uses one of STRIPE_CNT cache lines, found from the address of
 * its thread-local storage. One thread may free the object of another thread; a single
 * stripe can therefore be "negative", and only the sum modulo 2^64 is meaningful.
 *
 * style: the counters are the one mutable global of lib, because malloc is global as
 * well; the counters are atomics here, because lib/mt stands above this floor. */
#include "lib/mem/mem.h"
#include <bsd/stdlib.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#define STRIPE_CNT 16

/* All tags of one stripe share a cache line, because one thread mostly uses one
 * stripe. */
struct stripe {
	_Alignas(CACHE_LINE) _Atomic size_t used[MEM_TAG_CNT];
};

static struct stripe mem_stripe[STRIPE_CNT];

static void
mem_count(enum mem_tag tag, size_t octets)
{
	static _Thread_local char here;
	/* The blocks of threads lie whole pages apart; multiplying spreads those
	 * distances. */
	uint64_t h = (uint64_t)(uintptr_t)&here * 0x9e3779b97f4a7c15ull;

	atomic_fetch_add_explicit(
	    &mem_stripe[(h >> 32) % STRIPE_CNT].used[tag], octets, memory_order_relaxed);
}

/* mem_size_of - the cost of @p: the usable octets and malloc's header. */
static size_t
mem_size_of(void *p)
{
	return malloc_usable_size(p) + sizeof(size_t);
}

static void *
mem_taken(enum mem_tag tag, void *p)
{
	if (unlikely(!p))
		check_failed(__FILE__, __LINE__, "out of memory");
	mem_count(tag, mem_size_of(p));
	return p;
}

void *
mem_alloc(enum mem_tag tag, size_t size)
{
	ASSERT(size > 0);
	return mem_taken(tag, malloc(size));
}

void *
mem_zalloc(enum mem_tag tag, size_t size)
{
	ASSERT(size > 0);
	return mem_taken(tag, calloc(1, size));
}

void *
mem_aligned(enum mem_tag tag, size_t align, size_t size)
{
	void *p = NULL;

	ASSERT(size > 0 && align > 0 && (align & (align - 1)) == 0);
	if (align < sizeof(void *))
		align = sizeof(void *);
	if (posix_memalign(&p, align, size) != 0)
		p = NULL;
	return mem_taken(tag, p);
}

void *
mem_realloc(enum mem_tag tag, void *p, size_t cnt, size_t size)
{
	size_t before = p ? mem_size_of(p) : 0;

	ASSERT(cnt > 0 && size > 0);
	p = mem_taken(tag, reallocarray(p, cnt, size));
	mem_count(tag, (size_t)0 - before);
	return p;
}

char *
mem_strdup(enum mem_tag tag, const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(mem_alloc(tag, len), s, len);
}

void
mem_free(enum mem_tag tag, void *p)
{
	if (!p)
		return;
	mem_count(tag, (size_t)0 - mem_size_of(p));
	free(p);
}

void
mem_note(enum mem_tag tag, ptrdiff_t octets)
{
	mem_count(tag, (size_t)octets);
}

size_t
mem_used(enum mem_tag tag)
{
	size_t sum = 0;

	for (unsigned i = 0; i < STRIPE_CNT; i++)
		sum += atomic_load_explicit(
		    &mem_stripe[i].used[tag], memory_order_relaxed);
	/* Between two reads another thread may free an object that a later stripe
	 * counted. */
	return sum > SIZE_MAX / 2 ? 0 : sum;
}
