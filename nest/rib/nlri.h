/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of nets: all that a table, its segments and their readers have to know of an
 * address family.
 *
 * A net has three forms:
 *
 *   NLRI         octets that say themselves where they end, on rings and in segments: of
 *                IP prefixes as BGP sends them; of VRPs a prefix, max_len and the AS; of
 *                ASPAs the same of the customer, prefix and max_len 0. A run of them may
 *                have a path identifier before each (lib/wire/bgp/bgp_nlri.h): then
 *                id_len is NLRI_ID_LEN, else 0.
 *   struct nlri  some words and a head, as the table stores, hashes and compares them.
 *   text         for people and logs.
 *
 * The kind is a property of a table, never of a net. A loop over many nets is written
 * once, in a function that is always inlined and has the kind for its first parameter;
 * NLRI_BY_KIND chooses its copy before the loop. So nothing asks for the kind on the way
 * of a look-up. What is asked now and then takes the kind as an ordinary argument. Any
 * thread; no state. */
#ifndef TERN_NEST_NLRI_H
#define TERN_NEST_NLRI_H

#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"

/* They equal enum conf_table_kind, and the IP ones enum family. */
enum nlri_kind { NLRI_IP4, NLRI_IP6, NLRI_ROA4, NLRI_ROA6, NLRI_ASPA, NLRI_CNT };

#define NLRI_WORDS 5
#define NLRI_MAX   22 /* octets of one */
#define NLRI_SLACK 16 /* octets that can be read, and written, behind the last one */

/* A net as a value. Words beyond those of its kind aren't set. */
struct nlri {
	uint32_t word[NLRI_WORDS]; /* the address, in host order; then the AS */
	uint16_t head; /* the length in bits; max_len in the upper octet */
};

#define NLRI_INLINE static inline __attribute__((always_inline))

/* NLRI_BY_KIND - @fn with @kind as a constant, and what follows. */
#define NLRI_BY_KIND(kind, fn, ...)                                                      \
	((kind) == NLRI_IP4       ? fn(NLRI_IP4, __VA_ARGS__)                            \
	    : (kind) == NLRI_IP6  ? fn(NLRI_IP6, __VA_ARGS__)                            \
	    : (kind) == NLRI_ROA4 ? fn(NLRI_ROA4, __VA_ARGS__)                           \
	    : (kind) == NLRI_ROA6 ? fn(NLRI_ROA6, __VA_ARGS__)                           \
				  : fn(NLRI_ASPA, __VA_ARGS__))

/* nlri_is_ip - are they IP prefixes, to which addresses can be matched? */
NLRI_INLINE bool
nlri_is_ip(enum nlri_kind k)
{
	return k <= NLRI_IP6;
}

/* nlri_family - of the addresses. */
NLRI_INLINE enum family
nlri_family(enum nlri_kind k)
{
	return k == NLRI_IP6 || k == NLRI_ROA6 ? FAM_IP6 : FAM_IP4;
}

/* nlri_addr_words - of the address; the AS has the next one. nlri_words - all that are
 * used. */
NLRI_INLINE unsigned
nlri_addr_words(enum nlri_kind k)
{
	return k == NLRI_ASPA ? 0 : nlri_family(k) == FAM_IP6 ? 4 : 1;
}

NLRI_INLINE unsigned
nlri_words(enum nlri_kind k)
{
	return nlri_addr_words(k) + !nlri_is_ip(k);
}

/* nlri_bits - length of the address of a net with @head. */
NLRI_INLINE unsigned
nlri_bits(uint16_t head)
{
	return head & 0xff;
}

/* nlri_len - octets of the NLRI that begins with octet @first. nlri_len_of - of a net
 * with @head. */
NLRI_INLINE unsigned
nlri_len(enum nlri_kind k, uint8_t first)
{
	return prefix_wire_len(first) + (nlri_is_ip(k) ? 0 : 5);
}

NLRI_INLINE unsigned
nlri_len_of(enum nlri_kind k, uint16_t head)
{
	return nlri_len(k, (uint8_t)nlri_bits(head));
}

/* nlri_get - read one of checked octets; stray host bits are cleared. NLRI_SLACK octets
 * behind it must be readable. Returns: octets read. */
NLRI_INLINE unsigned
nlri_get(enum nlri_kind k, struct nlri *n, const uint8_t *from)
{
	unsigned len = from[0], words = nlri_addr_words(k);

	n->head = (uint16_t)len;
	if (words == 1) {
		n->word[0] = get_be32(from + 1) & (uint32_t) ~(0xffffffffull >> len);
	} else if (words) {
		uint64_t hi = get_be64(from + 1) & mask64(len);
		uint64_t lo = get_be64(from + 9) & (len > 64 ? mask64(len - 64) : 0);

		n->word[0] = (uint32_t)(hi >> 32);
		n->word[1] = (uint32_t)hi;
		n->word[2] = (uint32_t)(lo >> 32);
		n->word[3] = (uint32_t)lo;
	}
	if (!nlri_is_ip(k)) {
		from += prefix_wire_len(len);
		n->head |= (uint16_t)(from[0] << 8);
		n->word[words] = get_be32(from + 1);
	}
	return nlri_len(k, (uint8_t)len);
}

/* nlri_put - the reverse, of the words and the head of a net; there is room for
 * NLRI_SLACK octets more. Returns: octets written that count. */
NLRI_INLINE unsigned
nlri_put(enum nlri_kind k, uint8_t *to, const uint32_t *word, uint16_t head)
{
	unsigned words = nlri_addr_words(k);

	to[0] = (uint8_t)nlri_bits(head);
	for (unsigned i = 0; i < words; i++)
		put_be32(to + 1 + 4 * i, word[i]);
	if (!nlri_is_ip(k)) {
		to += prefix_wire_len(nlri_bits(head));
		to[0] = (uint8_t)(head >> 8);
		put_be32(to + 1, word[words]);
	}
	return nlri_len_of(k, head);
}

/* nlri_hash - @seed: the table's. */
NLRI_INLINE uint64_t
nlri_hash(enum nlri_kind k, uint64_t seed, const uint32_t *word, uint16_t head)
{
	uint64_t h =
	    seed +
	    head * 0x9e3779b97f4a7c15ull; /* all bits: or it meets those of the words */
	unsigned words = nlri_words(k), i;

	if (k == NLRI_IP4)
		return hash_u64(seed, (uint64_t)word[0] << 8 | head);
	for (i = 0; i + 1 < words; i += 2)
		h = hash_u64(h, (uint64_t)word[i] << 32 | word[i + 1]);
	return i < words ? hash_u64(h, word[i]) : h;
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

/* nlri_cnt - how many nets are in @len octets? Returns: -EINVAL: they aren't whole nets
 * of the kind (RFC 7606, 5.3). */
MUST_CHECK int nlri_cnt(enum nlri_kind k, const uint8_t *p, uint32_t len);
/* nlri_part - octets of as many whole nets of the checked @p as fit into @room, and into
 * *@cnt how many. Cost: as nlri_cnt. */
uint32_t nlri_part(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt);
/* nlri_cnt_ids, nlri_part_ids - the same of nets with path identifiers. */
MUST_CHECK int nlri_cnt_ids(enum nlri_kind k, const uint8_t *p, uint32_t len);
uint32_t nlri_part_ids(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt);

/* nlri_of_prefix - as a net of the kind for routes to addresses of its family.
 * nlri_prefix - where in the space of addresses it is; of a customer 0.0.0.0/0. */
struct nlri nlri_of_prefix(const struct prefix *p);
struct prefix nlri_prefix(enum nlri_kind k, const uint32_t *word, uint16_t head);
/* nlri_of_vrp, nlri_vrp - of VRPs, and of customers as VRPs of which only the AS
 * counts. */
struct nlri nlri_of_vrp(enum nlri_kind k, const struct vrp *v);
struct vrp nlri_vrp(enum nlri_kind k, const uint32_t *word, uint16_t head);
/* nlri_view - the net of a route as filters see it: r->net, and if it isn't an IP prefix
 * r->what, which is @what then. nlri_view_get - the same of octets, as nlri_get. */
void nlri_view(enum nlri_kind k, const uint32_t *word, uint16_t head,
    struct route_view *r, struct fnet *what);
unsigned nlri_view_get(
    enum nlri_kind k, const uint8_t *from, struct route_view *r, struct fnet *what);

#define NLRI_STR_MAX 72
/* nlri_str - as `show route` names it. */
char *nlri_str(
    char buf[NLRI_STR_MAX], enum nlri_kind k, const uint32_t *word, uint16_t head);

#endif
