/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of kinds of nets (nlri.h) for rare calls or runs of many nets: check, count,
 * text, and the conversion to prefixes and VRPs. Any thread; no state. */
#include "nest/rib/nlri.h"

#include "filter/run/net.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/conf/config.h"

#include <errno.h>
#include <stdio.h>

_Static_assert((int)NLRI_IP6 == (int)TABLE_IP6 && (int)NLRI_ROA4 == (int)TABLE_ROA4 &&
		   (int)NLRI_ROA6 == (int)TABLE_ROA6 && (int)NLRI_ASPA == (int)TABLE_ASPA,
    "tables name the kind of their nets in the configuration");

/* rib_nlri_part - octets of as many nets as there are in the first @room octets; *@cnt of
 * them. */
static inline uint32_t
rib_nlri_part(
    enum nlri_kind k, unsigned id_len, const uint8_t *p, uint32_t room, uint32_t *cnt)
{
	uint32_t pos = 0, next;

	for (*cnt = 0; room - pos > id_len; ++*cnt, pos = next) {
		next = pos + id_len + nlri_len(k, p[pos + id_len]);
		if (next > room)
			break;
	}
	return pos;
}

/* nlri_checked - the number of nets, if all are ones of the kind; or -EINVAL. */
static int
nlri_checked(enum nlri_kind k, unsigned id_len, const uint8_t *p, uint32_t len)
{
	unsigned bits = family_bits(nlri_family(k));
	uint32_t cnt, one;

	if (rib_nlri_part(k, id_len, p, len, &cnt) != len)
		return -EINVAL;
	for (; len; p += one, len -= one) {
		uint8_t first = p[id_len], max_len = p[id_len + prefix_wire_len(first)];

		one = id_len + nlri_len(k, first);
		if (k == NLRI_ASPA ? first || max_len : max_len < first || max_len > bits)
			return -EINVAL;
	}
	return (int)cnt;
}

int
nlri_cnt_other(enum nlri_kind k, const uint8_t *p, uint32_t len)
{
	return nlri_checked(k, 0, p, len);
}

int
nlri_cnt_ids(enum nlri_kind k, const uint8_t *p, uint32_t len)
{
	return nlri_is_ip(k) ? nlri_check_ids(nlri_family(k), p, len)
			     : nlri_checked(k, NLRI_ID_LEN, p, len);
}

uint32_t
nlri_part_other(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt)
{
	return rib_nlri_part(k, 0, p, len < room ? len : room, cnt);
}

uint32_t
nlri_part_ids(
    enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt)
{
	return rib_nlri_part(k, NLRI_ID_LEN, p, len < room ? len : room, cnt);
}

static void
nlri_put_addr(uint32_t *word, const struct prefix *p)
{
	if (p->fam == FAM_IP4) {
		word[0] = ip_to_v4(p->addr);
	} else {
		word[0] = (uint32_t)(p->addr.hi >> 32);
		word[1] = (uint32_t)p->addr.hi;
		word[2] = (uint32_t)(p->addr.lo >> 32);
		word[3] = (uint32_t)p->addr.lo;
	}
}

struct nlri
nlri_of_prefix(const struct prefix *p)
{
	struct nlri n = { .head = p->len };

	nlri_put_addr(n.word, p);
	return n;
}

struct prefix
nlri_prefix(enum nlri_kind k, const uint32_t *word, uint16_t head)
{
	struct prefix p = { .len = (uint8_t)nlri_bits(head),
		.fam = (uint8_t)nlri_family(k) };

	if (p.fam == FAM_IP6) {
		p.addr.hi = (uint64_t)word[0] << 32 | word[1];
		p.addr.lo = (uint64_t)word[2] << 32 | word[3];
	} else {
		p.addr = ip4(k == NLRI_ASPA ? 0 : word[0]);
	}
	return p;
}

struct nlri
nlri_of_vrp(enum nlri_kind k, const struct vrp *v)
{
	struct nlri n = { .head = 0 };

	if (k != NLRI_ASPA) {
		nlri_put_addr(n.word, &v->net);
		n.head = (uint16_t)(v->net.len | v->max_len << 8);
	}
	n.word[nlri_addr_words(k)] = v->asn;
	return n;
}

struct vrp
nlri_vrp(enum nlri_kind k, const uint32_t *word, uint16_t head)
{
	return (struct vrp){ .net = nlri_prefix(k, word, head),
		.max_len = (uint8_t)(head >> 8),
		.asn = word[nlri_addr_words(k)] };
}

void
nlri_view(enum nlri_kind k, const uint32_t *word, uint16_t head, struct route_view *r,
    struct fnet *what)
{
	r->net = nlri_prefix(k, word, head);
	r->what = NULL;
	if (!nlri_is_ip(k)) {
		struct vrp v = nlri_vrp(k, word, head);

		fnet_of_vrp(what, &v, k == NLRI_ASPA);
		r->what = what;
	}
}

unsigned
nlri_view_get(
    enum nlri_kind k, const uint8_t *from, struct route_view *r, struct fnet *what)
{
	struct nlri n;
	unsigned len;

	if (nlri_is_ip(k)) {
		r->what = NULL;
		return prefix_get(&r->net, from, nlri_family(k));
	}
	len = NLRI_BY_KIND(k, nlri_get, &n, from);
	nlri_view(k, n.word, n.head, r, what);
	return len;
}

char *
nlri_str(char buf[NLRI_STR_MAX], enum nlri_kind k, const uint32_t *word, uint16_t head)
{
	struct prefix p = nlri_prefix(k, word, head);
	char *end;

	if (k == NLRI_ASPA) {
		snprintf(buf, NLRI_STR_MAX, "AS%u", word[0]);
		return buf;
	}
	prefix_str(buf, &p);
	if (!nlri_is_ip(k)) {
		end = buf + strlen(buf);
		snprintf(end, (size_t)(buf + NLRI_STR_MAX - end), "-%u AS%u", head >> 8,
		    word[nlri_addr_words(k)]);
	}
	return buf;
}
