/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few spare objects for the next user: objects that each of a thousand workers needs
 * during a callback only.
 *
 * Which calls may run at the same time: all of spare_take and spare_put.
 * G1  At most one taker gets an object that was put, and the taker sees the writes of the
 *     last user (pairs: SPARE).
 * Progress: wait-free; a call looks at SPARE_CNT places at most.
 *
 * Owner: the module that embeds the places. Life: embedded, for the life of the
 * module.
 *
 * Loop: any thread. */
#ifndef TERN_LIB_MT_SPARE_H
#define TERN_LIB_MT_SPARE_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

#define SPARE_CNT 16

/* A set of places. Owner: the module that embeds the struct, and that frees the objects
 * of the places. */
struct spare {
	struct pubptr place[SPARE_CNT];
};

/* spare_take - Returns: an object, now the caller's; NULL: no object is spare. */
static inline void *
spare_take(struct spare *s)
{
	for (unsigned i = 0; i < SPARE_CNT; i++) {
		void *p = load_relaxed_ptr(&s->place[i]);

		if (p && (p = xchg_acq_rel_ptr(&s->place[i], NULL))) /* pairs: SPARE */
			return p;
	}
	return NULL;
}

/* spare_put - TAKE @p if a place is free. Returns: false: no place is free, and the
 * caller keeps @p. */
static inline bool
spare_put(struct spare *s, void *p)
{
	for (unsigned i = 0; i < SPARE_CNT; i++) {
		void *expect = NULL;

		if (!load_relaxed_ptr(&s->place[i]) &&
		    cas_acq_rel_ptr(&s->place[i], &expect, p)) /* pairs: SPARE */
			return true;
	}
	return false;
}

/* spare_borrow - take a spare block, or allocate @size octets by mem_alloc; all blocks of
 * @s have this size. Never NULL; undefined content. */
static inline void *
spare_borrow(struct spare *s, enum mem_tag tag, size_t size)
{
	void *p = spare_take(s);

	return p ? p : mem_alloc(tag, size);
}

/* spare_give_back - return a block of spare_borrow. */
static inline void
spare_give_back(struct spare *s, enum mem_tag tag, TAKE void *p)
{
	if (!spare_put(s, p))
		mem_free(tag, p);
}

/* spare_empty - free all such blocks; nobody uses @s any more. */
static inline void
spare_empty(struct spare *s, enum mem_tag tag)
{
	void *p;

	while ((p = spare_take(s)))
		mem_free(tag, p);
}

#endif
