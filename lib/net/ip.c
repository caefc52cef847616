/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of addresses. tern does not use inet_pton: configurations of exchanges hold
 * millions of prefixes, `show route` prints as many, and both need the end of the text.
 *
 * Printing follows RFC 5952: lower case, no leading zeros, the first longest run of two
 * or more zero groups is "::". An IPv4 address is printed in dotted form.
 *
 * The file keeps no state; any thread may call. */
#include "lib/net/ip.h"
#include <errno.h>

/* ip_scan_octet - 0 to 255 without leading zeros, which some read as octal. */
static const char *
ip_scan_octet(uint32_t *out, const char *s)
{
	uint32_t v = 0;
	const char *start = s;

	while (*s >= '0' && *s <= '9' && s - start < 3)
		v = v * 10 + (uint32_t)(*s++ - '0');
	if (s == start || v > 255 || (*start == '0' && s - start > 1))
		return NULL;
	*out = v;
	return s;
}

static const char *
ip_scan_v4(uint32_t *out, const char *s)
{
	uint32_t v = 0, octet;

	for (int i = 0; i < 4; i++) {
		if (i > 0 && *s++ != '.')
			return NULL;
		s = ip_scan_octet(&octet, s);
		if (!s)
			return NULL;
		v = v << 8 | octet;
	}
	*out = v;
	/* "1.2.3.4567" begins with no address, and neither does "1.2.3.4.5". */
	if ((*s >= '0' && *s <= '9') || (*s == '.' && s[1] >= '0' && s[1] <= '9'))
		return NULL;
	return s;
}

static int
ip_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* ip_scan_group - one to four hexadecimal digits. */
static const char *
ip_scan_group(uint16_t *out, const char *s)
{
	unsigned v = 0, cnt = 0;

	while (cnt < 4 && ip_hex_value(*s) >= 0) {
		v = v << 4 | (unsigned)ip_hex_value(*s++);
		cnt++;
	}
	if (cnt == 0 || ip_hex_value(*s) >= 0)
		return NULL;
	*out = (uint16_t)v;
	return s;
}

/* ip_join_groups - build an address from @cnt groups; the groups from @gap on are the
 * end of the address (@gap < 0: all 8 groups are given). */
static struct ip_addr
ip_join_groups(const uint16_t *group, int cnt, int gap)
{
	uint16_t all[8] = { 0 };
	struct ip_addr a = { 0, 0 };

	if (gap < 0)
		gap = cnt;
	memcpy(all, group, (size_t)gap * sizeof(*group));
	memcpy(all + 8 - (cnt - gap), group + gap, (size_t)(cnt - gap) * sizeof(*group));
	for (int i = 0; i < 4; i++) {
		a.hi = a.hi << 16 | all[i];
		a.lo = a.lo << 16 | all[4 + i];
	}
	return a;
}

/* ip_group_follows - does another group follow the separator at @s? */
static bool
ip_group_follows(const char *s)
{
	return *s == ':' && ip_hex_value(s[1]) >= 0;
}

static const char *
ip_scan_v6(struct ip_addr *out, const char *s)
{
	uint16_t group[8];
	int cnt = 0, gap = -1;
	const char *after;
	uint32_t v4;

	if (s[0] == ':' && s[1] != ':')
		return NULL;
	while (cnt < 8) {
		if (s[0] == ':' && s[1] == ':') {
			if (gap >= 0)
				return NULL;
			gap = cnt;
			s += 2;
			if (ip_hex_value(*s) < 0)
				break;
		} else if (cnt > 0) {
			if (!ip_group_follows(s))
				break;
			s++;
		}
		after = ip_scan_group(&group[cnt], s);
		if (!after)
			return NULL;
		if (*after == '.' && cnt <= 6) { /* the last 32 bits in IPv4's form */
			s = ip_scan_v4(&v4, s);
			if (!s)
				return NULL;
			group[cnt++] = (uint16_t)(v4 >> 16);
			group[cnt++] = (uint16_t)v4;
			break;
		}
		s = after;
		cnt++;
	}
	/* "::" stands for at least one group. */
	if ((gap < 0) != (cnt == 8) || *s == ':')
		return NULL;
	*out = ip_join_groups(group, cnt, gap);
	return s;
}

const char *
ip_scan(struct ip_addr *out, bool *is_v6, const char *s)
{
	const char *end;
	uint32_t v4;

	for (end = s; *end >= '0' && *end <= '9'; end++)
		;
	*is_v6 = *end != '.';
	if (*is_v6)
		return ip_scan_v6(out, s);
	end = ip_scan_v4(&v4, s);
	if (end)
		*out = ip4(v4);
	return end;
}

int
ip_parse(struct ip_addr *out, const char *s)
{
	struct ip_addr a;
	bool is_v6;

	s = ip_scan(&a, &is_v6, s);
	if (!s || *s)
		return -EINVAL;
	*out = a;
	return 0;
}

static char *
ip_put_octet(char *to, uint32_t v)
{
	if (v >= 100)
		*to++ = (char)('0' + v / 100);
	if (v >= 10)
		*to++ = (char)('0' + v / 10 % 10);
	*to++ = (char)('0' + v % 10);
	return to;
}

char *
ip4_put_str(char *to, uint32_t host_order)
{
	for (int shift = 24; shift >= 0; shift -= 8) {
		to = ip_put_octet(to, host_order >> shift & 0xff);
		if (shift)
			*to++ = '.';
	}
	return to;
}

static char *
ip_put_group(char *to, unsigned v)
{
	static const char digit[] = "0123456789abcdef";

	for (int shift = 12; shift >= 0; shift -= 4)
		if (v >> shift || shift == 0)
			*to++ = digit[v >> shift & 0xf];
	return to;
}

/* ip_zero_run - the first longest run of two or more zero groups. Returns: its length; 0:
 * there is none. */
static int
ip_zero_run(const uint16_t *group, int *start)
{
	int best = 0;

	for (int i = 0; i < 8; i++) {
		int end = i;

		while (end < 8 && group[end] == 0)
			end++;
		if (end - i > best) {
			best = end - i;
			*start = i;
		}
		if (end > i)
			i = end - 1;
	}
	return best >= 2 ? best : 0;
}

char *
ip6_put_str(char *to, struct ip_addr a)
{
	uint16_t group[8];
	int start = 0, run;

	for (int i = 0; i < 4; i++) {
		group[i] = (uint16_t)(a.hi >> (48 - 16 * i));
		group[4 + i] = (uint16_t)(a.lo >> (48 - 16 * i));
	}
	run = ip_zero_run(group, &start);
	for (int i = 0; i < 8; i++) {
		if (run && i == start) {
			*to++ = ':';
			*to++ = ':';
			i += run - 1;
			continue;
		}
		if (i > 0 && to[-1] != ':')
			*to++ = ':';
		to = ip_put_group(to, group[i]);
	}
	return to;
}

char *
ip_str(char *buf, struct ip_addr a)
{
	*(ip_is_v4(a) ? ip4_put_str(buf, ip_to_v4(a)) : ip6_put_str(buf, a)) = 0;
	return buf;
}

bool
ip_is_link_local(struct ip_addr a)
{
	return a.hi >> 54 == 0xfe80u >> 6;
}

static enum ip_scope
ip_scope4(uint32_t a)
{
	if (a >> 24 == 127 || !(a >> 24))
		return IP_SCOPE_HOST;
	if (a == UINT32_MAX)
		return IP_SCOPE_LINK;
	return a >> 24 == 10 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 || a >> 28 == 0xf
		   ? IP_SCOPE_SITE
		   : IP_SCOPE_UNIVERSE;
}

enum ip_scope
ip_scope(struct ip_addr a)
{
	if (ip_is_v4(a))
		return ip_scope4(ip_to_v4(a));
	if (a.hi == 0 && a.lo == 1)
		return IP_SCOPE_HOST;
	if (ip_is_link_local(a))
		return IP_SCOPE_LINK;
	return a.hi >> 57 == 0xfc >> 1 || a.hi >> 54 == 0xfec0 >> 6 ? IP_SCOPE_SITE
								    : IP_SCOPE_UNIVERSE;
}

bool
ip_is_host(struct ip_addr a)
{
	if (ip_is_v4(a)) {
		uint32_t first = ip_to_v4(a) >> 24;

		return first > 0 && first < 224;
	}
	return !ip_is_none(a) && a.hi >> 56 != 0xff;
}
