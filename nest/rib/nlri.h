/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of nets: all that a table, its segments and their readers have to know of an address family.
 *
 * A net has three forms:
 *
 *   NLRI         octets as BGP sends them; they say themselves where they end. On rings and in segments.
 *   struct nlri  some words and a head, as the table stores, hashes and compares them.
 *   text         for people and logs.
 *
 * The kind is a property of a table, never of a net. A loop over many nets is written once, in a function that is
 * always inlined and has the kind for its first parameter; NLRI_BY_KIND chooses its copy before the loop. So
 * nothing asks for the kind on the way of a look-up. What is asked now and then takes the kind as an ordinary
 * argument. Any thread; no state. */
#ifndef TERN_NEST_NLRI_H
#define TERN_NEST_NLRI_H

#include "lib/base/hash.h"
#include "lib/net/prefix.h"

enum nlri_kind { NLRI_IP4, NLRI_IP6, NLRI_CNT };

#define NLRI_WORDS 4
#define NLRI_MAX   17 /* octets of one */
#define NLRI_SLACK 16 /* octets that can be read, and written, behind the last one */

/* A net as a value. Words beyond those of its kind aren't set. */
struct nlri {
	uint32_t word[NLRI_WORDS]; /* the address, in host order */
	uint16_t head; /* its length in bits */
};

#define NLRI_INLINE static inline __attribute__((always_inline))

/* NLRI_BY_KIND - @fn with @kind as a constant, and what follows. */
#define NLRI_BY_KIND(kind, fn, ...)                                                      \
	((kind) == NLRI_IP4 ? fn(NLRI_IP4, __VA_ARGS__) : fn(NLRI_IP6, __VA_ARGS__))

/* nlri_words - how many words of a struct nlri are used. */
NLRI_INLINE unsigned
nlri_words(enum nlri_kind k)
{
	return k == NLRI_IP4 ? 1 : 4;
}

/* nlri_family - of the addresses. */
NLRI_INLINE enum family
nlri_family(enum nlri_kind k)
{
	return k == NLRI_IP4 ? FAM_IP4 : FAM_IP6;
}

/* nlri_bits - length of the address of a net with @head. */
NLRI_INLINE unsigned
nlri_bits(uint16_t head)
{
	return head & 0xff;
}

/* nlri_len - octets of the NLRI that begins with octet @first. nlri_len_of - of a net with @head. */
NLRI_INLINE unsigned
nlri_len(enum nlri_kind k, uint8_t first)
{
	(void)k;
	return prefix_wire_len(first);
}

NLRI_INLINE unsigned
nlri_len_of(enum nlri_kind k, uint16_t head)
{
	return nlri_len(k, (uint8_t)nlri_bits(head));
}

/* nlri_get - read one of checked octets; stray host bits are cleared. NLRI_SLACK octets behind it must be
 * readable. Returns: octets read. */
NLRI_INLINE unsigned
nlri_get(enum nlri_kind k, struct nlri *n, const uint8_t *from)
{
	unsigned len = from[0];

	n->head = (uint16_t)len;
	if (k == NLRI_IP4) {
		n->word[0] = get_be32(from + 1) & (uint32_t) ~(0xffffffffull >> len);
	} else {
		uint64_t hi = get_be64(from + 1) & mask64(len);
		uint64_t lo = get_be64(from + 9) & (len > 64 ? mask64(len - 64) : 0);

		n->word[0] = (uint32_t)(hi >> 32);
		n->word[1] = (uint32_t)hi;
		n->word[2] = (uint32_t)(lo >> 32);
		n->word[3] = (uint32_t)lo;
	}
	return nlri_len(k, from[0]);
}

/* nlri_put - the reverse, of the words and the head of a net; there is room for NLRI_SLACK octets more. Returns:
 * octets written that count. */
NLRI_INLINE unsigned
nlri_put(enum nlri_kind k, uint8_t *to, const uint32_t *word, uint16_t head)
{
	to[0] = (uint8_t)nlri_bits(head);
	put_be32(to + 1, word[0]);
	for (unsigned i = 1; i < nlri_words(k); i++)
		put_be32(to + 1 + 4 * i, word[i]);
	return nlri_len_of(k, head);
}

/* nlri_hash - @seed: the table's. */
NLRI_INLINE uint64_t
nlri_hash(enum nlri_kind k, uint64_t seed, const uint32_t *word, uint16_t head)
{
	if (k == NLRI_IP4)
		return hash_u64(seed, (uint64_t)word[0] << 8 | head);
	return hash_u64(hash_u64(seed + head, (uint64_t)word[0] << 32 | word[1]),
	    (uint64_t)word[2] << 32 | word[3]);
}

/* nlri_same - is the net of @word and @head @n, of a kind with @words words? */
NLRI_INLINE bool
nlri_same(unsigned words, const uint32_t *word, uint16_t head, const struct nlri *n)
{
	if (head != n->head || word[0] != n->word[0])
		return false;
	for (unsigned i = 1; i < words; i++)
		if (word[i] != n->word[i])
			return false;
	return true;
}

/* nlri_cnt - how many nets are in @len octets? Returns: -EINVAL: they aren't whole nets of the kind (RFC 7606,
 * 5.3). */
MUST_CHECK int nlri_cnt(enum nlri_kind k, const uint8_t *p, uint32_t len);
/* nlri_part - octets of as many whole nets of the checked @p as fit into @room, and into *@cnt how many. Cost: as
 * nlri_cnt. */
uint32_t nlri_part(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt);

/* nlri_of_prefix - as a net of the kind for routes to addresses of its family; nlri_prefix - where in the space of
 * addresses it is. */
struct nlri nlri_of_prefix(const struct prefix *p);
struct prefix nlri_prefix(enum nlri_kind k, const uint32_t *word, uint16_t head);

#endif
