/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An IP prefix as a value, and its text and wire forms. Pure functions; any thread. */
#ifndef TERN_LIB_NET_PREFIX_H
#define TERN_LIB_NET_PREFIX_H

#include "lib/net/ip.h"

/* The dense families that tern carries. */
enum family { FAM_IP4 = 0, FAM_IP6 = 1, FAM_CNT };

/* AFI/SAFI numbers: https://www.iana.org/assignments/address-family-numbers */
#define AFI_IP4      1
#define AFI_IP6      2
#define SAFI_UNICAST 1

static inline uint16_t
family_afi(enum family f)
{
	return f == FAM_IP4 ? AFI_IP4 : AFI_IP6;
}

static inline uint8_t
family_safi(enum family f)
{
	(void)f;
	return SAFI_UNICAST;
}

/* family_find - the enum family of two numbers. Returns: false: none of ours; then *@out
 * is the nearest one. */
static inline bool
family_find(uint8_t *out, unsigned afi, unsigned safi)
{
	*out = afi == AFI_IP6 ? FAM_IP6 : FAM_IP4;
	return afi == family_afi((enum family) * out) &&
	       safi == family_safi((enum family) * out);
}

/* family_name - as channels are called. */
static inline const char *
family_name(enum family f)
{
	return f == FAM_IP4 ? "ipv4" : "ipv6";
}

/* family_bits - of an address. */
static inline unsigned
family_bits(enum family f)
{
	return f == FAM_IP4 ? 32 : 128;
}

/* family_of_ip - the family of an address. */
static inline enum family
family_of_ip(struct ip_addr a)
{
	return ip_is_v4(a) ? FAM_IP4 : FAM_IP6;
}

/* ip_group - move the IPv4 addresses of @a before the IPv6 addresses. Returns: number of
 * IPv4 addresses. */
static inline uint32_t
ip_group(struct ip_addr *a, uint32_t cnt)
{
	uint32_t v4 = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		struct ip_addr x = a[i];

		if (!ip_is_v4(x))
			continue;
		a[i] = a[v4];
		a[v4++] = x;
	}
	return v4;
}

/* Host bits are zero. len: 0-32 with an IPv4 address, 0-128 else. Owner: the holder.
 * Life: by value. */
struct prefix {
	struct ip_addr addr;
	uint8_t len;
	uint8_t fam; /* enum family */
};

#define PREFIX_STR_MAX 52

static inline uint32_t
mask4(unsigned len)
{
	return len ? ~0u << (32 - len) : 0;
}

static inline uint64_t
mask64(unsigned len)
{
	return len == 0 ? 0 : len >= 64 ? ~0ull : ~0ull << (64 - len);
}

/* prefix_make - @addr masked to @len bits of its family. */
static inline struct prefix
prefix_make(struct ip_addr addr, unsigned len, enum family fam)
{
	if (fam == FAM_IP4) {
		addr = ip4(ip_to_v4(addr) & mask4(len));
	} else {
		addr.hi &= mask64(len);
		addr.lo &= len > 64 ? mask64(len - 64) : 0;
	}
	return (struct prefix){ addr, (uint8_t)len, (uint8_t)fam };
}

static inline bool
prefix_equal(const struct prefix *a, const struct prefix *b)
{
	return ip_equal(a->addr, b->addr) && a->len == b->len && a->fam == b->fam;
}

/* prefix_cmp - order of `show route`: family, address, shorter first. */
int prefix_cmp(const struct prefix *a, const struct prefix *b);
/* prefix_contains - is @b equal to @a or more specific? */
bool prefix_contains(const struct prefix *a, const struct prefix *b);
bool prefix_has_ip(const struct prefix *p, struct ip_addr a);
/* prefix_is_bogus - true if no unicast route may have the prefix: loopback, multicast,
 * broadcast, link-local, 0.0.0.1 to 0.255.255.255. */
bool prefix_is_bogus(const struct prefix *p);
/* prefix_scan - parse the prefix at the start of @s; host bits stay as written
 * (prefix_make clears the bits). Returns: the end of the prefix; NULL: no prefix. */
const char *prefix_scan(struct prefix *out, const char *s);
/* prefix_parse - "a/len", host bits must be zero. Returns: 0, -EINVAL, -ERANGE (host bits
 * set). */
MUST_CHECK int prefix_parse(struct prefix *out, const char *s);
char *prefix_str(char *buf, const struct prefix *p);
uint64_t prefix_hash(uint64_t seed, const struct prefix *p);

/* Wire form of NLRI (RFC 4271, 4.3): the length in bits, then as many octets as
 * needed. */
#define PREFIX_WIRE_MAX 17

static inline unsigned
prefix_wire_len(unsigned len)
{
	return 1 + (len + 7) / 8;
}

/* prefix_put - Returns: octets written to @to (room for PREFIX_WIRE_MAX). */
unsigned prefix_put(uint8_t *to, const struct prefix *p);
/* prefix_get - read one prefix of checked wire octets (nlri_check); stray host bits are
 * cleared. Returns: octets read.
 * Cost: no branch on the length. The read may touch up to 4 (IPv4) or 16 octets beyond
 * the prefix, so 16 readable octets must follow the buffer. */
unsigned prefix_get(struct prefix *out, const uint8_t *from, enum family fam);

#endif
