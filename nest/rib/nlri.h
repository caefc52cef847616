/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of nets: the properties of an address family that a table, its segments and their
 * readers need.
 *
 * A net has three forms:
 *
 *   NLRI         self-delimiting octets, on rings and in segments: IP prefixes in BGP's
 *                encoding; VRPs as a prefix, max_len and the AS; ASPAs as the AS of the
 *                customer behind prefix and max_len 0. In a run of NLRI, a path
 *                identifier may precede each net (lib/wire/bgp/bgp_nlri.h): then id_len
 *                is NLRI_ID_LEN, else 0.
 *   struct nlri  words and a head, the form in which the table stores, hashes and
 *                compares.
 *   text         for people and logs.
 *
 * The kind is a property of a table, never of a net. A loop over many nets is written
 * once, as an always-inlined function whose first parameter is the kind; NLRI_BY_KIND
 * selects the copy before the loop. So no look-up tests the kind. Functions that are
 * called rarely get the kind as an ordinary argument. Any thread; no state. */
#ifndef TERN_NEST_RIB_NLRI_H
#define TERN_NEST_RIB_NLRI_H

#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "lib/wire/bgp/bgp_nlri.h"

/* The values equal enum conf_table_kind, and for IP enum family. */
enum nlri_kind { NLRI_IP4, NLRI_IP6, NLRI_ROA4, NLRI_ROA6, NLRI_ASPA, NLRI_CNT };

#define NLRI_WORDS 5
#define NLRI_MAX   22 /* octets of one net */
#define NLRI_SLACK 16 /* octets behind the last net that must be readable and writable */

/* A net by value. Owner: the caller. Life: as its variable. Words beyond the kind's are
 * not set. */
struct nlri {
	uint32_t word[NLRI_WORDS]; /* the address, in host order; then the AS */
	uint16_t head; /* the length in bits; max_len in the upper octet */
};

#define NLRI_INLINE static inline __attribute__((always_inline))

/* NLRI_BY_KIND - call @fn with the kind as a constant, then the further arguments. */
#define NLRI_BY_KIND(kind, fn, ...)                                                      \
	((kind) == NLRI_IP4       ? fn(NLRI_IP4, __VA_ARGS__)                            \
	    : (kind) == NLRI_IP6  ? fn(NLRI_IP6, __VA_ARGS__)                            \
	    : (kind) == NLRI_ROA4 ? fn(NLRI_ROA4, __VA_ARGS__)                           \
	    : (kind) == NLRI_ROA6 ? fn(NLRI_ROA6, __VA_ARGS__)                           \
				  : fn(NLRI_ASPA, __VA_ARGS__))

/* nlri_is_ip - true: the nets are IP prefixes, and addresses can be matched. */
NLRI_INLINE bool
nlri_is_ip(enum nlri_kind k)
{
	return k <= NLRI_IP6;
}

/* nlri_family - family of the addresses. */
NLRI_INLINE enum family
nlri_family(enum nlri_kind k)
{
	return k == NLRI_IP6 || k == NLRI_ROA6 ? FAM_IP6 : FAM_IP4;
}

/* nlri_addr_words - number of words of the address; the AS follows. nlri_words - number
 * of used words. */
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

/* nlri_len - length in octets of an NLRI with first octet @first. nlri_len_of - length of
 * the NLRI of a net with @head. */
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

/* nlri_get - read one net from checked octets and clear stray host bits. NLRI_SLACK
 * octets behind the net must be readable. Returns: octets read. */
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

/* nlri_put - write the net of @word and @head to @to, with room for NLRI_SLACK further
 * octets.
 * Returns: octets of the NLRI. */
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

/* nlri_hash - hash of a net. @seed: of the table. */
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

/* nlri_same - true: @word and @head are the net @n. @words: used words of the kind. */
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

/* nlri_cnt_other, nlri_part_other - nlri_cnt and nlri_part for kinds other than IP. */
MUST_CHECK int nlri_cnt_other(enum nlri_kind k, const uint8_t *p, uint32_t len);
uint32_t nlri_part_other(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt);
/* nlri_cnt - Returns: number of nets in @len octets; -EINVAL: the octets are not whole
 * nets of the kind (RFC 7606, 5.3). */
MUST_CHECK static inline int
nlri_cnt(enum nlri_kind k, const uint8_t *p, uint32_t len)
{
	return nlri_is_ip(k) ? nlri_check(nlri_family(k), p, len)
			     : nlri_cnt_other(k, p, len);
}

/* nlri_part - Returns: octets of the whole nets of checked @p that fit into @room; *@cnt
 * is the number of nets. Cost: as nlri_cnt. */
static inline uint32_t
nlri_part(enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt)
{
	uint32_t octets;
	int n;

	if (!nlri_is_ip(k))
		return nlri_part_other(k, p, len, room, cnt);
	octets = (uint32_t)nlri_fit(nlri_family(k), p, len, room);
	n = nlri_check(nlri_family(k), p, octets);
	ASSERT(n >= 0);
	*cnt = (uint32_t)n;
	return octets;
}

/* nlri_cnt_ids, nlri_part_ids - for nets with path identifiers. */
MUST_CHECK int nlri_cnt_ids(enum nlri_kind k, const uint8_t *p, uint32_t len);
uint32_t nlri_part_ids(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt);

/* nlri_of_prefix - the net of IP prefix @p. nlri_prefix - the prefix of a net; 0.0.0.0/0
 * for an ASPA. */
struct nlri nlri_of_prefix(const struct prefix *p);
struct prefix nlri_prefix(enum nlri_kind k, const uint32_t *word, uint16_t head);
/* nlri_of_vrp, nlri_vrp - convert a VRP, or an ASPA in the form of a VRP with only the
 * AS. */
struct nlri nlri_of_vrp(enum nlri_kind k, const struct vrp *v);
struct vrp nlri_vrp(enum nlri_kind k, const uint32_t *word, uint16_t head);
/* nlri_view - set the net of a route for filters: r->net, and r->what = @what unless the
 * net is an IP prefix. nlri_view_get - nlri_get and nlri_view in one call. */
void nlri_view(enum nlri_kind k, const uint32_t *word, uint16_t head,
    struct route_view *r, struct fnet *what);
unsigned nlri_view_get(
    enum nlri_kind k, const uint8_t *from, struct route_view *r, struct fnet *what);

#define NLRI_STR_MAX 72
/* nlri_str - the net in the form of `show route`. */
char *nlri_str(
    char buf[NLRI_STR_MAX], enum nlri_kind k, const uint32_t *word, uint16_t head);

#endif
