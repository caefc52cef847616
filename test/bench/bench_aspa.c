/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Provider authorizations: paths of 6 ASes checked by a map of 50,000 customers, most of
 * which have a few providers and some of which have many. Half of the paths climb from
 * customer to provider as attested, the others are of any ASes. */
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/aspa.h"
#include "test/bench/bench.h"
#include "test/lib/seed.h"

#define CUSTOMERS     50000
#define PROVIDERS_MAX 64
#define PATH_LEN      6
#define PATHS         (1u << 14)
#define CHECKS        2000000

static struct aspa *
draw_aspa(struct seed *s, uint32_t customer)
{
	uint32_t provider[PROVIDERS_MAX];
	uint32_t cnt = 1 + seed_below(s, seed_chance(s, 20) ? PROVIDERS_MAX : 6);

	for (uint32_t i = 0; i < cnt; i++)
		provider[i] = 1 + seed_below(s, CUSTOMERS);
	return aspa_new(customer, provider, cnt);
}

/* draw_path - from the neighbour to the origin. */
static void
draw_path(struct seed *s, const struct aspa_map *m, uint32_t as[PATH_LEN])
{
	bool climbs = seed_chance(s, 2);

	for (uint32_t i = PATH_LEN; i-- > 0;) {
		const struct aspa *a = i + 1 < PATH_LEN ? aspa_map_get(m, as[i + 1])
							: NULL;

		as[i] = climbs && a ? a->provider[seed_below(s, a->cnt)]
				    : 1 + seed_below(s, CUSTOMERS);
	}
}

struct checks {
	const struct aspa_map *m;
	uint32_t path[PATHS][PATH_LEN];
	uint32_t valid;
};

static void
check_all(void *arg)
{
	struct checks *c = arg;

	c->valid = 0;
	for (uint32_t n = 0; n < CHECKS; n++) {
		/* each waits for the one before, as in a filter */
		uint32_t k = (n * 2654435761u + (c->valid & 1)) & (PATHS - 1);
		struct aspa_walk w;

		aspa_walk_init(&w, c->m);
		for (uint32_t i = 0; i < PATH_LEN; i++)
			aspa_walk_as(&w, c->path[k][i]);
		c->valid += aspa_walk_state(&w, true) == ASPA_VALID;
	}
}

int
main(int argc, char **argv)
{
	static struct aspa_change change[CUSTOMERS];
	static struct checks c;
	const struct bench_job job = {
		.run = check_all, .arg = &c, .rounds = 5, .each = CHECKS
	};
	struct bench_row row = {
		.name = "path of 6 checked, 50,000 customers", .unit = "ns", .budget = 400
	};
	struct aspa_map *m = aspa_map_new();
	struct seed s = { 1 };

	bench_start(argc, argv, "provider authorizations");
	rcu_join();
	for (uint32_t i = 0; i < CUSTOMERS; i++)
		change[i] = (struct aspa_change){ i + 1, draw_aspa(&s, i + 1) };
	aspa_map_update(m, change, CUSTOMERS);
	c.m = m;
	for (uint32_t i = 0; i < PATHS; i++)
		draw_path(&s, m, c.path[i]);
	bench_time(&row, &job);
	ASSERT(c.valid > CHECKS / 4 && c.valid < CHECKS);
	bench_row(&row);
	rcu_drain();
	aspa_map_free(m);
	rcu_leave();
	return bench_end();
}
