/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefixes as values. The prefix stores the family, because the address does not show the
 * family: ::ffff:0:0/96 is an IPv6 prefix whose address looks like IPv4's 0.0.0.0.
 *
 * The file keeps no state; any thread may call. */
#include "lib/net/prefix.h"
#include "lib/base/hash.h"
#include <errno.h>

int
prefix_cmp(const struct prefix *a, const struct prefix *b)
{
	int c;

	if (a->fam != b->fam)
		return a->fam < b->fam ? -1 : 1;
	c = ip_cmp(a->addr, b->addr);
	return c ? c : (int)a->len - (int)b->len;
}

/* prefix_covered - do the first @len bits of @a's family agree in @a and @b? */
static bool
prefix_covered(struct ip_addr a, struct ip_addr b, unsigned len, unsigned fam)
{
	if (fam == FAM_IP4)
		return ((ip_to_v4(a) ^ ip_to_v4(b)) & mask4(len)) == 0;
	if (len <= 64)
		return ((a.hi ^ b.hi) & mask64(len)) == 0;
	return a.hi == b.hi && ((a.lo ^ b.lo) & mask64(len - 64)) == 0;
}

bool
prefix_contains(const struct prefix *a, const struct prefix *b)
{
	return a->fam == b->fam && a->len <= b->len &&
	       prefix_covered(a->addr, b->addr, a->len, a->fam);
}

bool
prefix_has_ip(const struct prefix *p, struct ip_addr a)
{
	return ip_is_v4(a) == (p->fam == FAM_IP4) &&
	       prefix_covered(p->addr, a, p->len, p->fam);
}

const char *
prefix_scan(struct prefix *out, const char *s)
{
	unsigned len = 0, max;
	const char *digits;
	bool is_v6;

	s = ip_scan(&out->addr, &is_v6, s);
	if (!s || *s++ != '/')
		return NULL;
	max = is_v6 ? 128 : 32;
	for (digits = s; *s >= '0' && *s <= '9' && s - digits < 4; s++)
		len = len * 10 + (unsigned)(*s - '0');
	if (s == digits || len > max || (*digits == '0' && s - digits > 1))
		return NULL;
	out->len = (uint8_t)len;
	out->fam = is_v6 ? FAM_IP6 : FAM_IP4;
	return s;
}

int
prefix_parse(struct prefix *out, const char *s)
{
	struct prefix p, masked;

	s = prefix_scan(&p, s);
	if (!s || *s)
		return -EINVAL;
	masked = prefix_make(p.addr, p.len, p.fam);
	if (!ip_equal(masked.addr, p.addr))
		return -ERANGE;
	*out = masked;
	return 0;
}

char *
prefix_str(char *buf, const struct prefix *p)
{
	char *to;
	unsigned len = p->len;

	to = p->fam == FAM_IP4 ? ip4_put_str(buf, ip_to_v4(p->addr))
			       : ip6_put_str(buf, p->addr);
	*to++ = '/';
	if (len >= 100)
		*to++ = (char)('0' + len / 100);
	if (len >= 10)
		*to++ = (char)('0' + len / 10 % 10);
	*to++ = (char)('0' + len % 10);
	*to = 0;
	return buf;
}

uint64_t
prefix_hash(uint64_t seed, const struct prefix *p)
{
	if (p->fam == FAM_IP4)
		return hash_u64(seed, p->addr.lo << 8 | p->len);
	/* Spread the length over the word: by itself it would only reach the bits that an
	 * address of neighbouring length turns back, and ::1/128 would always collide
	 * with ::/127. */
	return hash_u64(
	    hash_u64(seed, p->addr.hi) + p->len * 0x9e3779b97f4a7c15ull, p->addr.lo);
}

unsigned
prefix_put(uint8_t *to, const struct prefix *p)
{
	to[0] = p->len;
	if (p->fam == FAM_IP4) {
		put_be32(to + 1, ip_to_v4(p->addr));
	} else {
		put_be64(to + 1, p->addr.hi);
		put_be64(to + 9, p->addr.lo);
	}
	return prefix_wire_len(p->len);
}

unsigned
prefix_get(struct prefix *out, const uint8_t *from, enum family fam)
{
	unsigned len = from[0];

	if (fam == FAM_IP4) {
		DCHECK(len <= 32);
		out->addr = ip4(get_be32(from + 1) & (uint32_t) ~(0xffffffffull >> len));
	} else {
		DCHECK(len <= 128);
		out->addr.hi = get_be64(from + 1) & mask64(len);
		out->addr.lo = get_be64(from + 9) & (len > 64 ? mask64(len - 64) : 0);
	}
	out->len = (uint8_t)len;
	out->fam = (uint8_t)fam;
	return prefix_wire_len(len);
}

/* prefix_is_bogus4 - "this network" (RFC 1122, 3.2.1.3) without 0.0.0.0, which begins the
 * default route; loopback, multicast, broadcast. */
static bool
prefix_is_bogus4(uint32_t a)
{
	return (a && !(a >> 24)) || a >> 24 == 127 || a >> 28 == 14 || a == UINT32_MAX;
}

/* prefix_is_bogus6 - RFC 4291, 2.4; an address that embeds an IPv4 address is judged by
 * the IPv4 address. */
static bool
prefix_is_bogus6(struct ip_addr a)
{
	if (a.hi == 0 && a.lo >> 32 == 0)
		return prefix_is_bogus4((uint32_t)a.lo);
	if (a.hi == 0 && a.lo >> 32 == 0xffff)
		return !(uint32_t)a.lo || prefix_is_bogus4((uint32_t)a.lo);
	return a.hi >> 54 == 0xfe80 >> 6 || a.hi >> 56 == 0xff;
}

bool
prefix_is_bogus(const struct prefix *p)
{
	return p->fam == FAM_IP4 ? prefix_is_bogus4(ip_to_v4(p->addr))
				 : prefix_is_bogus6(p->addr);
}
