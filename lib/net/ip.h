/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IP addresses as values. An IPv4 address is stored as an IPv4-mapped IPv6 address (RFC
 * 4291, 2.5.5.2): one type serves both families, and a comparison compares two words.
 * Pure functions; any thread. */
#ifndef TERN_LIB_NET_IP_H
#define TERN_LIB_NET_IP_H

#include "lib/base/check.h"

/* An address in host order: hi holds the first 64 bits. All zeros (::) means "none" where
 * a field says so. Owner: the holder. Life: by value. */
struct ip_addr {
	uint64_t hi, lo;
};

#define IP_NONE    ((struct ip_addr){ 0, 0 })
#define IP_STR_MAX 48 /* longest text including the NUL */

static inline struct ip_addr
ip4(uint32_t host_order)
{
	return (struct ip_addr){ 0, 0xffff00000000ull | host_order };
}

static inline bool
ip_is_v4(struct ip_addr a)
{
	return a.hi == 0 && (a.lo >> 32) == 0xffff;
}

static inline uint32_t
ip_to_v4(struct ip_addr a)
{
	return (uint32_t)a.lo;
}

static inline bool
ip_equal(struct ip_addr a, struct ip_addr b)
{
	return a.hi == b.hi && a.lo == b.lo;
}

static inline bool
ip_is_none(struct ip_addr a)
{
	return (a.hi | a.lo) == 0;
}

static inline int
ip_cmp(struct ip_addr a, struct ip_addr b)
{
	if (a.hi != b.hi)
		return a.hi < b.hi ? -1 : 1;
	return a.lo < b.lo ? -1 : a.lo > b.lo;
}

/* 16 octets in network order (16-octet form, also for IPv4). */
static inline struct ip_addr
ip_get16(const uint8_t *p)
{
	return (struct ip_addr){ get_be64(p), get_be64(p + 8) };
}

static inline void
ip_put16(uint8_t *p, struct ip_addr a)
{
	put_be64(p, a.hi);
	put_be64(p + 8, a.lo);
}

/* ip_parse - parse the whole text @s. Returns: 0 or -EINVAL. */
MUST_CHECK int ip_parse(struct ip_addr *out, const char *s);
/* ip_scan - parse the address at the start of @s; the caller judges the rest of the
 * text.
 * @bmp_is_v6: the text had the form of an IPv6 address (::ffff:1.2.3.4 and 1.2.3.4 give
 * one value). Returns: the end of the address; NULL: no address. */
const char *ip_scan(struct ip_addr *out, bool *is_v6, const char *s);
/* ip_str - print @a into @buf of IP_STR_MAX octets, as RFC 5952 says. Returns: @buf. */
char *ip_str(char *buf, struct ip_addr a);
/* ip4_put_str, ip6_put_str - print an address of a known family without the NUL. Returns:
 * the end of the text. */
char *ip4_put_str(char *to, uint32_t host_order);
char *ip6_put_str(char *to, struct ip_addr a);
bool ip_is_link_local(struct ip_addr a); /* fe80::/10 */
/* ip_is_host - true if @a may be a next hop or a peer's address: not none, multicast,
 * 0/8, 240/4 or ff00::/8. */
bool ip_is_host(struct ip_addr a);

/* The scope of an address as BIRD defines the scope: 240.0.0.0/4 has site scope,
 * 169.254.0.0/16 does not have link scope. */
enum ip_scope { IP_SCOPE_HOST, IP_SCOPE_LINK, IP_SCOPE_SITE, IP_SCOPE_UNIVERSE };

enum ip_scope ip_scope(struct ip_addr a);

#endif
