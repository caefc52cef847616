/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few objects that nobody uses now, for whoever needs one next: what each of a thousand
 * workers needs for the time of a callback.
 *
 * Which calls may run at the same time: all of spare_take and spare_put.
 * G1  An object that was put is given to one taker at most, and what its last user wrote
 *     is seen (pairs: SPARE).
 * Progress: wait-free; there are SPARE_CNT places to look at. */
#ifndef TERN_LIB_MT_SPARE_H
#define TERN_LIB_MT_SPARE_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

#define SPARE_CNT 16

struct spare {
	struct pubptr place[SPARE_CNT];
};

/* spare_take - Returns: an object, the caller's now; NULL: none is spare. */
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

/* spare_put - TAKE @p if there is room. Returns: false: there isn't, it is still the
 * caller's. */
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

/* spare_borrow - one of mem_alloc's blocks of @size octets, all of which @s is for; never
 * NULL, undefined content. */
static inline void *
spare_borrow(struct spare *s, enum mem_tag tag, size_t size)
{
	void *p = spare_take(s);

	return p ? p : mem_alloc(tag, size);
}

/* spare_give_back - what spare_borrow gave. */
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
