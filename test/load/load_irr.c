/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of prefixes as exchanges make them of the registries.
 *
 * A list is entries 0, 1, ...: first what the client announces, in its order, then
 * prefixes that nobody announces. Reload number n, from 1 on, replaces every hundredth
 * entry of every tenth client, by prefixes that nobody announces, either. Which they are
 * follows from seed, client, entry and how often it was replaced, so the process that
 * writes configurations and the one that plays the clients agree without telling each
 * other. */
#include "test/load/load_irr.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"

#include <stdio.h>
#include <stdlib.h>

#define GROUPS 10 /* of clients: one has its list changed by a reload */
#define PARTS  100 /* of a list: one is replaced */

/* x to the power of 10/3, nearly: its mean over 0 to 1 is 3/13, so that of the sizes is
 * 1. */
static double
load_irr_curve(double x)
{
	return x * x * x * (8 + 5 * x) / 13;
}

uint32_t
load_irr_size(const struct load_run *r, uint32_t client)
{
	double mean = (double)r->opt->irr / r->clients;
	double x = (client + 0.5) / r->clients;
	uint32_t size = (uint32_t)(mean * (0.1 + 3.9 * load_irr_curve(x)));

	return size < r->client[client].route_cnt ? r->client[client].route_cnt : size;
}

/* How often the first @reloads have replaced entry @i of @client's list. */
static uint32_t
load_irr_replaced(uint32_t client, uint32_t i, uint32_t reloads)
{
	uint32_t n, cnt = 0;

	for (n = 1; n <= reloads; n++)
		cnt += client % GROUPS == n % GROUPS && i % PARTS == n / GROUPS % PARTS;
	return cnt;
}

void
load_irr_apply(struct load_run *r, uint32_t reloads)
{
	uint32_t c, i;

	for (c = 0; c < r->clients; c++)
		for (i = 0; i < r->client[c].route_cnt; i++)
			r->model.route[r->client[c].route[i]].refused = load_irr_replaced(
									    c, i,
									    reloads) > 0;
	load_sets_mark(&r->sets, LOAD_IRR_MARK + reloads);
}

bool
load_irr_is_steady(const struct load_run *r, uint32_t route)
{
	const struct load_client *c = &r->client[r->model.route[route].client];
	uint32_t i;

	for (i = 0; i < c->route_cnt && c->route[i] != route; i++)
		;
	return i % PARTS >= PARTS / 2;
}

/* A prefix that nobody announces, as address << 8 | length. */
static uint64_t
load_irr_filler(const struct load_run *r, uint32_t client, uint32_t i, uint32_t times)
{
	static const uint8_t lens[16] = { 24, 24, 24, 24, 24, 24, 24, 24, 24, 22, 22, 23,
		23, 21, 20, 19 };
	uint32_t key[4] = { client, i, times, 0 };

	for (;; key[3]++) {
		uint64_t h = hash_bytes(r->opt->seed, key, sizeof(key));
		unsigned len = lens[h >> 60];
		uint32_t a = 0x01000000u + (uint32_t)(h % 0xde000000u);

		a = a >> (32 - len) << (32 - len);
		if (load_nets_lookup(&r->nets, (uint64_t)a << 32, 0,
			load_key(FAM_IP4, len)) == LOAD_NONE)
			return (uint64_t)a << 8 | len;
	}
}

static int
load_irr_cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t
load_irr_entry(const struct load_run *r, uint32_t client, uint32_t i)
{
	const struct load_client *c = &r->client[client];
	uint32_t times = load_irr_replaced(client, i, r->opt->irr_reload);
	const struct load_net *n;

	if (times || i >= c->route_cnt)
		return load_irr_filler(r, client, i, times);
	n = &r->nets.net[r->model.route[c->route[i]].net];
	return n->hi >> 24 | (n->key & 0xff);
}

void
load_irr_print(const struct load_run *r, uint32_t client)
{
	uint32_t cnt = load_irr_size(r, client), i;
	uint64_t *e = mem_alloc(MEM_OTHER, (cnt + 1) * sizeof(*e));

	for (i = 0; i < cnt; i++)
		e[i] = load_irr_entry(r, client, i);
	qsort(e, cnt, sizeof(*e), load_irr_cmp_u64);
	for (i = 0; i < cnt; i++)
		printf("%s%u.%u.%u.%u/%u", i ? ",\n" : "", (unsigned)(e[i] >> 32 & 0xff),
		    (unsigned)(e[i] >> 24 & 0xff), (unsigned)(e[i] >> 16 & 0xff),
		    (unsigned)(e[i] >> 8 & 0xff), (unsigned)(e[i] & 0xff));
	mem_free(MEM_OTHER, e);
}
