/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bound for the requests that a client may send in a time. Pure functions. Tested by
 * test/unit/test_http_rate.c and test/net/test_http_rights.py.
 *
 * I1  A place whose time has passed equals an empty place. */
#include "client/http/right/rate.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"

#include <limits.h>
#include <string.h>

void
rate_init(struct rate *r, const struct rate_rule *rule, uint64_t seed)
{
	memset(r, 0, sizeof(*r));
	r->rule = *rule;
	r->seed = seed;
	if (rule->cnt)
		r->place = mem_zalloc(MEM_OTHER, RATE_CLIENTS * sizeof(*r->place));
}

void
rate_fini(struct rate *r)
{
	mem_free(MEM_OTHER, r->place);
	r->place = NULL;
}

/* rate_place - the place of @client in its row. */
static size_t
rate_place(const struct rate *r, struct ip_addr client)
{
	size_t row = hash_bytes(r->seed, &client, sizeof(client)) & (RATE_ROWS - 1);
	size_t first = row * RATE_PLACES, best = first;

	for (size_t i = first; i < first + RATE_PLACES; i++) {
		if (ip_equal(r->place[i].client, client))
			return i;
		if (r->place[i].until_us < r->place[best].until_us)
			best = i;
	}
	return best;
}

unsigned
rate_take(struct rate *r, struct ip_addr client, uint64_t now_ms)
{
	uint64_t each_us, all_us, now_us = now_ms * 1000, until_us, wait_s;
	size_t at;

	if (!r->rule.cnt)
		return 0;
	if (!ip_is_v4(client))
		client.lo = 0;
	each_us = r->rule.per_ms * 1000 / r->rule.cnt;
	all_us = each_us * r->rule.burst;
	at = rate_place(r, client);
	until_us = ip_equal(r->place[at].client, client) ? r->place[at].until_us : 0;
	if (until_us < now_us)
		until_us = now_us;
	until_us += each_us;
	if (until_us - now_us > all_us) {
		wait_s = (until_us - now_us - all_us + 999999) / 1000000;
		return wait_s < UINT_MAX ? (unsigned)wait_s : UINT_MAX;
	}
	r->place[at].client = client;
	r->place[at].until_us = until_us;
	return 0;
}
