/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATEs that were received before, with what they come to: a route server tells most of
 * its clients the same in the same octets, so that each message has to be taken apart
 * once only. */
#ifndef TERN_TEST_LOAD_SEEN_H
#define TERN_TEST_LOAD_SEEN_H

#include "test/load/load_msg.h"

/* Octets that are kept of one class of sessions, with what belongs to them; then all is
 * forgotten. The full table of 800,000 nets is about 50 MB. */
#define LOAD_SEEN_MAX (256u << 20)

/* owner: a load_seen; lives: until load_seen_clear. The columns follow, then the message
 * with its header. */
struct load_seen_msg {
	uint32_t next,
	    other; /* guesses of what follows: what did last time, and before; 0: none */
	uint32_t hash;
	uint32_t set; /* of what it announces */
	uint16_t len; /* octets */
	uint16_t gone_cnt; /* withdrawn columns, which come first */
	uint16_t cnt; /* all columns */
	bool run; /* columns follow each other; the first alone is kept */
	uint32_t col[];
};

/* A message is a number, its place; 0 stands before the first.
 * owner: the run; lives: for the run. */
struct load_seen {
	uint32_t *at; /* places are counted in words */
	uint32_t cnt;
	/* private */
	size_t most, open; /* octets */
	uint32_t used; /* words */
	uint32_t *index, index_mask; /* 0: empty */
	uint64_t hits; /* messages found by a search, since all was forgotten */
	uint64_t rest; /* messages that needn't be kept */
};

/* load_seen_init - keep @most octets, a multiple of VMEM_STEP and at most 4 GB. */
void load_seen_init(struct load_seen *s, size_t most);
void load_seen_fini(struct load_seen *s);
/* load_seen_find - the message of @len octets at @p, which came after @prev, by a search;
 * it is the next guess.
 * Returns: 0 if it isn't there. Cost: a hash of the octets. */
uint32_t load_seen_find(
    struct load_seen *s, uint32_t prev, const uint8_t *p, unsigned len);
/* load_seen_full - is there no more room? load_seen_clear makes some. */
bool load_seen_full(const struct load_seen *s);
/* load_seen_clear - forget all: no number holds any more. */
void load_seen_clear(struct load_seen *s);
/* load_seen_add - keep a message that isn't there and whose octets were found right,
 * unless searches are in vain. There must be room. @col: columns, first those withdrawn.
 * Returns: its number, or @prev: it isn't kept. */
uint32_t load_seen_add(struct load_seen *s, uint32_t prev, const uint8_t *p, unsigned len,
    uint32_t set, const uint32_t *col, unsigned gone_cnt, unsigned cnt);

static inline struct load_seen_msg *
load_seen_get(const struct load_seen *s, uint32_t nr)
{
	return (struct load_seen_msg *)(s->at + nr);
}

/* load_seen_is - do the @len octets at @p begin with @nr? */
static inline bool
load_seen_is(const struct load_seen *s, uint32_t nr, const uint8_t *p, size_t len)
{
	const struct load_seen_msg *m = load_seen_get(s, nr);

	return nr && m->len <= len &&
	       memcmp(m->col + (m->run ? 1 : m->cnt), p, m->len) == 0;
}

/* load_seen_after - the message that followed @prev last time, or before, if the @len
 * octets at @p begin with it.
 * Returns: 0 if they don't. */
static inline uint32_t
load_seen_after(struct load_seen *s, uint32_t prev, const uint8_t *p, size_t len)
{
	struct load_seen_msg *m = load_seen_get(s, prev);
	uint32_t nr = m->next;

	if (likely(load_seen_is(s, nr, p, len)))
		return nr;
	if (!load_seen_is(s, m->other, p, len))
		return 0;
	m->next = m->other;
	m->other = nr;
	return m->next;
}

#endif
