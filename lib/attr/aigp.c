/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading and writing the AIGP attribute; aigp.h has the contract.
 *
 * The decoder checks every value before a set holds the value. aigp_find nevertheless
 * stops at a malformed TLV, and a malformed value has no metric.
 *
 * Pure functions; any thread. */
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"

#define TYPE_METRIC 1
#define TLV_HDR_LEN 3

const uint8_t *
aigp_find(const uint8_t *val, uint32_t len)
{
	uint32_t pos = 0;

	while (len - pos >= TLV_HDR_LEN) {
		const uint8_t *p = val + pos;
		uint32_t tlv = get_be16(p + 1);

		if (tlv < TLV_HDR_LEN || tlv > len - pos)
			return NULL;
		if (p[0] == TYPE_METRIC && tlv == AIGP_METRIC_LEN)
			return p + TLV_HDR_LEN;
		pos += tlv;
	}
	return NULL;
}

bool
aigp_of(const struct wire_set *w, uint64_t *metric)
{
	struct attr_item it;
	const uint8_t *at;

	if (likely(!(w->has & WIRE_HAS_AIGP)) || !wire_find(w, ATTR_AIGP, &it))
		return false;
	at = aigp_find(it.val, it.len);
	if (at)
		*metric = get_be64(at);
	return at != NULL;
}

uint64_t
aigp_total(const struct attr_set *set, uint64_t metric)
{
	uint64_t step = set->local.igp_metric ? set->local.igp_metric : 1;

	return metric < UINT64_MAX - 1 - step ? metric + step : UINT64_MAX - 1;
}

void
aigp_put(uint8_t to[AIGP_METRIC_LEN], uint64_t metric)
{
	to[0] = TYPE_METRIC;
	put_be16(to + 1, AIGP_METRIC_LEN);
	put_be64(to + TLV_HDR_LEN, metric);
}

uint32_t
aigp_way_of(const struct attr_set *set)
{
	const struct attr_local *l = &set->local;

	return l->rts == RTS_DEVICE && l->igp_metric == UINT32_MAX ? 0 : l->igp_metric;
}
