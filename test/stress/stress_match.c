/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches under readers while peers change its table as fast as they
 * can, and while it goes and comes.
 *
 * 10.0.0.0/8 is always there, and so are 10.X.7.0/24; between them prefixes come and go
 * for long, so that their ids are given to others. A reader keeps what it
 * found for a while under RCU: that must remain the net of the prefix that it was, and
 * contain the address. Prints nothing; aborts on a failure. Argument: rounds (500;
 * TERN_SOAK: 2,000; 60 under TSan). */
#include "nest/rib/index/match_index.c"
#include "test/lib/seed.h"

#define RIG_PEERS 3
#include "test/lib/match_find.h"
#include "test/lib/match_rig.h"
#include <pthread.h>

#define READERS 8
#define FIXED   16 /* 10.0.7.0/24 ... */
#define KEPT    64 /* look-ups of a reader between two quiescent states */
#define LIVING  8 /* batches that a peer has there at a time */

#ifdef TERN_TSAN
#define ROUNDS     60
#define ROUNDS_ALL 60
#else
#define ROUNDS     500
#define ROUNDS_ALL 2000
#endif

#define WATCHED 200 /* ids */

static struct pub32 ended;
static uint32_t again; /* how often one of those ids had become another net's */

static void
stress_match_die(const char *what)
{
	fprintf(stderr, "stress_match: %s\n", what);
	abort();
}

struct found {
	const struct net *net;
	struct prefix p;
};

static void
stress_match_look(struct seed *s, struct found *f)
{
	uint32_t x = seed_below(s, FIXED), low = seed_below(s, 65536);
	bool fixed = low >> 8 == 7;
	struct ip_addr a = ip4(10u << 24 | x << 16 | low);

	f->net = seed_chance(s, 4) ? NULL : match_find(rig_table(), a);
	if (!f->net)
		f->net = table_match(rig_table(), a);
	if (!f->net)
		stress_match_die("no route where there always is one");
	f->p = net_prefix(rig_table(), f->net);
	if (!prefix_has_ip(&f->p, a))
		stress_match_die("a route of another prefix");
	if (fixed && (f->p.len < 24 || f->p.addr.lo >> 8 != a.lo >> 8))
		stress_match_die("not the longest match, which is always there");
}

static void *
stress_match_reader(void *arg)
{
	struct seed s = { (uintptr_t)arg };
	struct found f[KEPT];

	rcu_join();
	while (!load_acquire32(&ended)) { /* pairs: SMATCHEND */
		for (unsigned i = 0; i < KEPT; i++)
			stress_match_look(&s, &f[i]);
		for (unsigned i = 0; i < KEPT; i++) {
			struct prefix p = net_prefix(rig_table(), f[i].net);

			if (!prefix_equal(&p, &f[i].p))
				stress_match_die(
				    "an id was given again while it was looked at");
		}
		rcu_quiesce();
	}
	rcu_leave();
	return NULL;
}

/* feed - the @nr-th batch of a peer: prefixes of 20 to 32 bits, none around or in the
 * fixed ones. */
static void
stress_match_feed(unsigned peer, uint32_t nr, bool withdraws)
{
	struct match_feed *f = calloc(1, sizeof(*f));

	f->peer = peer;
	f->withdraws = withdraws;
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t n = (nr * 200 + i) * RIG_PEERS + peer;
		uint32_t low = n * 2654435761u >> 8 & 0xffff;

		low = low >> 8 == 7 ? low ^ 0x8000 : low;
		f->p[f->cnt++] = prefix_make(
		    ip4(10u << 24 | n % FIXED << 16 | low | 0x8000), 20 + n % 13,
		    FAM_IP4);
	}
	match_rig_feed(f);
	free(f);
}

static void
feed_fixed(void)
{
	struct match_feed *f = calloc(1, sizeof(*f));

	f->p[f->cnt++] = prefix_make(ip4(10u << 24), 8, FAM_IP4);
	for (uint32_t x = 0; x < FIXED; x++)
		f->p[f->cnt++] = prefix_make(
		    ip4(10u << 24 | x << 16 | 7u << 8), 24, FAM_IP4);
	match_rig_feed(f);
	free(f);
	rig_settle();
	match_rig_level();
}

/* watch_ids - whose some ids are now. */
static void
watch_ids(void)
{
	static uint32_t was[WATCHED];

	for (uint32_t id = 100; id < 100 + WATCHED; id++) {
		const struct net *n = id < table_id_limit(rig_table())
					  ? table_net_at(rig_table(), id)
					  : NULL;
		uint32_t word = n ? (uint32_t)net_prefix(rig_table(), n).addr.lo : 0;

		again += n && was[id - 100] && was[id - 100] != word;
		was[id - 100] = n ? word : was[id - 100];
	}
}

/* one_round - each peer says something new, and takes back what it said first. */
static void
stress_match_one_round(struct seed *s, uint32_t nr)
{
	for (unsigned k = 1; k < RIG_PEERS; k++) {
		stress_match_feed(k, nr, false);
		if (nr >= LIVING)
			stress_match_feed(k, nr - LIVING, true);
		rig_export(k);
	}
	rig_export(0);
	watch_ids();
	if (!seed_chance(s, 32))
		return;
	match_index_delete(match);
	match = match_index_new(&rig.tern, rig_table(), "match");
}

int
main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1])
				   : seed_whole(ROUNDS, ROUNDS_ALL);
	struct seed s = seed_start("stress_match");
	pthread_t id[READERS];

	rig_hush();
	match_rig_start();
	feed_fixed();
	for (uintptr_t i = 0; i < READERS; i++)
		if (pthread_create(
			&id[i], NULL, stress_match_reader, (void *)(i + s.state)))
			stress_match_die("no thread");
	for (uint32_t i = 0; i < rounds; i++) {
		stress_match_one_round(&s, i);
		rcu_quiesce();
	}
	store_release32(&ended, 1); /* pairs: SMATCHEND */
	rcu_sleep();
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(id[i], NULL);
	rcu_wake();
	if (rounds >= ROUNDS && !again)
		stress_match_die("no id was given again");
	match_rig_finish();
	log_stop();
	if (mem_used(MEM_TABLE))
		stress_match_die("something is left");
	return 0;
}
