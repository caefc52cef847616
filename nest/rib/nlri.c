/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of kinds of nets now and then, or for many nets at once. Any thread; no state. */
#include "nest/rib/nlri.h"

#include "lib/wire/bgp_nlri.h"

int
nlri_cnt(enum nlri_kind k, const uint8_t *p, uint32_t len)
{
	return nlri_check(nlri_family(k), p, len);
}

uint32_t
nlri_part(enum nlri_kind k, const uint8_t *p, uint32_t len, uint32_t room, uint32_t *cnt)
{
	uint32_t part = (uint32_t)nlri_fit(nlri_family(k), p, len, room);
	int n = nlri_cnt(k, p, part);

	ASSERT(n >= 0);
	*cnt = (uint32_t)n;
	return part;
}

struct nlri
nlri_of_prefix(const struct prefix *p)
{
	struct nlri n = { .head = p->len };

	if (p->fam == FAM_IP4) {
		n.word[0] = ip_to_v4(p->addr);
	} else {
		n.word[0] = (uint32_t)(p->addr.hi >> 32);
		n.word[1] = (uint32_t)p->addr.hi;
		n.word[2] = (uint32_t)(p->addr.lo >> 32);
		n.word[3] = (uint32_t)p->addr.lo;
	}
	return n;
}

struct prefix
nlri_prefix(enum nlri_kind k, const uint32_t *word, uint16_t head)
{
	struct prefix p = { .len = (uint8_t)nlri_bits(head),
		.fam = (uint8_t)nlri_family(k) };

	if (nlri_family(k) == FAM_IP4) {
		p.addr = ip4(word[0]);
	} else {
		p.addr.hi = (uint64_t)word[0] << 32 | word[1];
		p.addr.lo = (uint64_t)word[2] << 32 | word[3];
	}
	return p;
}
