/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checking NLRI is the decoder's hot loop. The place of each prefix depends on the length
 * of the prefix before, so a loop over the prefixes waits for a load and three operations
 * a prefix (8 cycles). 95 of 100 IPv4 prefixes of the Internet have /17 to /24, that is 4
 * octets. The loop therefore guesses groups of eight such prefixes and tests the guess
 * with independent loads; the processor runs ahead. Other groups are checked prefix by
 * prefix.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_nlri.h"

#include <errno.h>

#define GROUP     8
#define GROUP_LEN (4 * GROUP)
/* In each 8 octets two prefixes of 4: their length octets are the first and the fifth. */
#define LEN_MASK 0x000000ff000000ffull
#define LEN_LOW  0x0000001100000011ull /* 17 */
#define LEN_SPAN 0x0000000700000007ull /* 17 + 0 to 7 */

static inline uint64_t
bgp_nlri_load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Octets that aren't 0 if a length is outside 17 to 24; a borrow sets bits of the mask,
 * too. */
static inline uint64_t
nlri_odd_pair(const uint8_t *p)
{
	return ((bgp_nlri_load64(p) & LEN_MASK) - LEN_LOW) & ~LEN_SPAN;
}

static inline bool
bgp_nlri_group_is_odd_free(const uint8_t *p)
{
	return !(nlri_odd_pair(p) | nlri_odd_pair(p + 8) | nlri_odd_pair(p + 16) |
		 nlri_odd_pair(p + 24));
}

int
nlri_check(enum family fam, const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len;
	unsigned max = family_bits(fam);
	int cnt = 0;

	while (p < end) {
		if (fam == FAM_IP4)
			while (end - p >= GROUP_LEN && bgp_nlri_group_is_odd_free(p)) {
				p += GROUP_LEN;
				cnt += GROUP;
			}
		for (unsigned i = 0; i < GROUP && p < end; i++, cnt++) {
			if (*p > max)
				return -EINVAL;
			p += prefix_wire_len(*p);
		}
	}
	return p == end ? cnt : -EINVAL;
}

size_t
nlri_fit(enum family fam, const uint8_t *p, size_t len, size_t room)
{
	const uint8_t *start = p, *limit = p + room;

	if (len <= room)
		return len;
	/* Octets follow behind the limit, so reading a group before the limit stays
	 * inside. */
	for (;;) {
		if (fam == FAM_IP4)
			while (limit - p >= GROUP_LEN && bgp_nlri_group_is_odd_free(p))
				p += GROUP_LEN;
		for (unsigned i = 0; i < GROUP; i++) {
			unsigned step = prefix_wire_len(*p);

			if (limit - p < (ptrdiff_t)step)
				return (size_t)(p - start);
			p += step;
		}
	}
}

int
nlri_check_ids(enum family fam, const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len;
	unsigned max = family_bits(fam);
	int cnt = 0;

	for (; end - p > NLRI_ID_LEN; cnt++) {
		if (p[NLRI_ID_LEN] > max)
			return -EINVAL;
		p += NLRI_ID_LEN + prefix_wire_len(p[NLRI_ID_LEN]);
	}
	return p == end ? cnt : -EINVAL;
}

size_t
nlri_fit_ids(const uint8_t *p, size_t len, size_t room)
{
	size_t pos = 0, next = 0;

	if (len <= room)
		return len;
	/* Octets follow behind the limit, so the last length octet is inside. */
	while (next <= room) {
		pos = next;
		next += NLRI_ID_LEN + prefix_wire_len(p[pos + NLRI_ID_LEN]);
	}
	return pos;
}
