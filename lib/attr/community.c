/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Community lists: standard (RFC 1997), extended (RFC 4360, 5668) and large (RFC 8092).
 *
 * A list is the attribute's value on the wire. Order and repetitions are the sender's and
 * are kept, because a route server passes on the received attribute. Large communities
 * are the exception: RFC 8092, 3 forbids sending repetitions. Octets left over at the end
 * of a list (checked input has none) are ignored.
 *
 * The file keeps no state; any thread may call the functions. */
#include "lib/attr/community.h"

#include "lib/net/ip.h"
#include <errno.h>

#define LIST_MAX_LEN 65535

struct comm
comm_get(enum comm_kind k, const uint8_t *p)
{
	struct comm c = { { 0, 0, 0 } };

	switch (k) {
	case COMM_STD:
		c.v[0] = get_be16(p);
		c.v[1] = get_be16(p + 2);
		break;
	case COMM_LARGE:
		c.v[2] = get_be32(p + 8);
		/* fall through */
	case COMM_EXT:
		c.v[0] = get_be32(p);
		c.v[1] = get_be32(p + 4);
		break;
	}
	return c;
}

void
comm_put(enum comm_kind k, uint8_t *p, struct comm c)
{
	switch (k) {
	case COMM_STD:
		put_be16(p, (uint16_t)c.v[0]);
		put_be16(p + 2, (uint16_t)c.v[1]);
		break;
	case COMM_LARGE:
		put_be32(p + 8, c.v[2]);
		/* fall through */
	case COMM_EXT:
		put_be32(p, c.v[0]);
		put_be32(p + 4, c.v[1]);
		break;
	}
}

/* community_comm_has_std - is one of the words of 4 octets equal to @want? Eight words
 * at a time: a word of 64 bits with a zero half has a bit that the subtraction shows. */
static bool
community_comm_has_std(const uint8_t *list, uint32_t len, const uint8_t *want)
{
	uint64_t two, x[4], hit;
	uint32_t one, w;

	memcpy(&one, want, 4);
	two = one * 0x100000001ull;
	for (; len >= sizeof(x); list += sizeof(x), len -= sizeof(x)) {
		memcpy(x, list, sizeof(x));
		hit = 0;
		for (unsigned i = 0; i < 4; i++) {
			x[i] ^= two;
			hit |= (x[i] - 0x100000001ull) & ~x[i];
		}
		if (hit & 0x8000000080000000ull)
			return true;
	}
	for (; len >= 4; list += 4, len -= 4) {
		memcpy(&w, list, 4);
		if (w == one)
			return true;
	}
	return false;
}

/* community_comm_has_long - the same for elements of 8 or 12 octets. */
static bool
community_comm_has_long(
    const uint8_t *list, uint32_t len, const uint8_t *want, unsigned size)
{
	uint64_t first, x;

	memcpy(&first, want, 8);
	for (; len >= size; list += size, len -= size) {
		memcpy(&x, list, 8);
		if (x == first && (size == 8 || !memcmp(list + 8, want + 8, 4)))
			return true;
	}
	return false;
}

bool
comm_has(enum comm_kind k, const uint8_t *list, uint32_t len, struct comm c)
{
	uint8_t want[12];

	comm_put(k, want, c);
	return k == COMM_STD ? community_comm_has_std(list, len, want)
			     : community_comm_has_long(list, len, want, comm_size(k));
}

int
comm_add(uint8_t **out, struct arena *a, enum comm_kind k, const uint8_t *list,
    uint32_t len, struct comm c)
{
	unsigned size = comm_size(k);
	bool there = comm_has(k, list, len, c);

	if (!there && len + size > LIST_MAX_LEN)
		return -E2BIG;
	*out = arena_alloc(a, len + size);
	if (len)
		memcpy(*out, list, len);
	if (there)
		return (int)len;
	comm_put(k, *out + len, c);
	return (int)(len + size);
}

uint32_t
comm_select(uint8_t **out, struct arena *a, enum comm_kind k, const uint8_t *list,
    uint32_t len, const struct comm_choice *by)
{
	unsigned size = comm_size(k);
	uint32_t same = 0;
	uint8_t *to;

	/* Most lists stay as they are: these aren't copied. */
	while (same + size <= len &&
	       by->match(comm_get(k, list + same), by->arg) == by->keep)
		same += size;
	*out = (uint8_t *)(uintptr_t)list;
	if (same + size > len)
		return same;
	to = *out = arena_alloc(a, len);
	if (same)
		memcpy(to, list, same);
	to += same;
	list += same + size;
	len -= same + size;
	for (; len >= size; list += size, len -= size) {
		if (by->match(comm_get(k, list), by->arg) != by->keep)
			continue;
		memcpy(to, list, size);
		to += size;
	}
	return (uint32_t)(to - *out);
}

static bool
community_same_element(const uint8_t *a, const uint8_t *b, unsigned size)
{
	uint32_t diff = 0;

	for (unsigned i = 0; i < size; i += 4)
		diff |= get_be32(a + i) ^ get_be32(b + i);
	return !diff;
}

static uint32_t
community_unique_short(uint8_t *to, const uint8_t *list, uint32_t len, unsigned size)
{
	uint8_t *end = to;

	for (uint32_t i = 0; i + size <= len; i += size) {
		const uint8_t *p = to;

		while (p < end && !community_same_element(p, list + i, size))
			p += size;
		if (p < end)
			continue;
		memcpy(end, list + i, size);
		end += size;
	}
	return (uint32_t)(end - to);
}

/* Let the element at @at of a heap of @cnt sink to where no child is greater. */
static void
community_sink(uint8_t *heap, uint32_t at, uint32_t cnt, unsigned size)
{
	uint8_t item[12];

	memcpy(item, heap + at * size, size);
	for (uint32_t child; (child = 2 * at + 1) < cnt; at = child) {
		const uint8_t *p = heap + child * size;

		if (child + 1 < cnt && memcmp(p, p + size, size) < 0) {
			p += size;
			child++;
		}
		if (memcmp(item, p, size) >= 0)
			break;
		memcpy(heap + at * size, p, size);
	}
	memcpy(heap + at * size, item, size);
}

/* A heap sort, in place. A peer chooses the elements, and no input makes the sort slow.
 */
static void
community_sort_elements(uint8_t *list, uint32_t cnt, unsigned size)
{
	uint8_t item[12];

	for (uint32_t i = cnt / 2; i--;)
		community_sink(list, i, cnt, size);
	while (cnt-- > 1) {
		memcpy(item, list + cnt * size, size);
		memcpy(list + cnt * size, list, size);
		memcpy(list, item, size);
		community_sink(list, 0, cnt, size);
	}
}

uint32_t
comm_unique(uint8_t *to, enum comm_kind k, const uint8_t *list, uint32_t len)
{
	unsigned size = comm_size(k);
	uint32_t cnt = len / size, kept = 0;

	if (cnt <= COMM_UNIQUE_MAX)
		return community_unique_short(to, list, len, size);
	memcpy(to, list, cnt * size);
	community_sort_elements(to, cnt, size);
	for (uint32_t i = 0; i < cnt; i++) {
		if (i && community_same_element(to + (i - 1) * size, to + i * size, size))
			continue;
		memmove(to + kept * size, to + i * size, size);
		kept++;
	}
	if (kept == cnt) /* no repetition: copy the list unchanged */
		memcpy(to, list, cnt * size);
	return kept * size;
}

/* Extended communities: the first octet gives the layout of the last six (RFC 7153). */
#define EXT_AS2           0x00 /* 2-octet AS, 4 octets */
#define EXT_IP4           0x01 /* IPv4 address, 2 octets */
#define EXT_AS4           0x02 /* 4-octet AS, 2 octets */
#define EXT_NONTRANSITIVE 0x40

static void
community_print_ext(struct strbuf *b, struct comm c)
{
	unsigned key = c.v[0] >> 16, type = key >> 8, sub = key & 0xff;
	uint32_t wide = c.v[0] << 16 | c.v[1] >> 16;
	char ip[IP_STR_MAX];

	if ((type & ~EXT_NONTRANSITIVE) > EXT_AS4) {
		strbuf_addf(b, "(generic, 0x%x, 0x%x)", c.v[0], c.v[1]);
		return;
	}
	if (!(type & EXT_NONTRANSITIVE) && (sub == 2 || sub == 3))
		strbuf_adds(b, sub == 2 ? "(rt, " : "(ro, ");
	else
		strbuf_addf(b, "(unknown 0x%x, ", key);
	switch (type & ~EXT_NONTRANSITIVE) {
	case EXT_AS2:
		strbuf_addf(b, "%u, %u)", c.v[0] & 0xffff, c.v[1]);
		break;
	case EXT_IP4:
		strbuf_addf(b, "%s, %u)", ip_str(ip, ip4(wide)), c.v[1] & 0xffff);
		break;
	default:
		strbuf_addf(b, "%u, %u)", wide, c.v[1] & 0xffff);
		break;
	}
}

void
comm_print_one(struct strbuf *b, enum comm_kind k, struct comm c)
{
	if (k == COMM_STD)
		strbuf_addf(b, "(%u,%u)", c.v[0], c.v[1]);
	else if (k == COMM_LARGE)
		strbuf_addf(b, "(%u, %u, %u)", c.v[0], c.v[1], c.v[2]);
	else
		community_print_ext(b, c);
}

void
comm_print(struct strbuf *b, enum comm_kind k, const uint8_t *list, uint32_t len)
{
	unsigned size = comm_size(k);
	bool first = true;

	for (; len >= size; list += size, len -= size) {
		if (!first)
			strbuf_addc(b, ' ');
		first = false;
		comm_print_one(b, k, comm_get(k, list));
	}
}
