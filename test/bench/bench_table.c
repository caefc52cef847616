/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table: inserting, choosing the best route, churn, two peers' whole way to the
 * messages, and octets a prefix.
 *
 * It is a real table with real sessions (test/lib/spine_rig.h); what is timed runs in the
 * table's thread and goes the way of a session's records: ring, look-up, path, best,
 * segment. Prefixes are /24 in no order, 500 an UPDATE. Times are CPU: of the table's
 * thread, or of the process where sessions take part. */
#include "nest/rib/table/table_best.c"

#define RIG_PEERS 8

#include "test/bench/bench_rig.h"
#include "test/lib/wait.h"
#include <time.h>

#define UPDATE_NETS 500

/* ---- records, as a session makes them, from the table's thread ---- */

static struct feeder *
source_of(unsigned peer)
{
	return &rig.peer[peer]->ch->ts;
}

/* take - nets @first to @first + @cnt - 1 of @peer through its ring into the table. @set
 * NULL: withdrawn; its reference is used up. */
static void
bench_table_take(unsigned peer, uint32_t first, uint32_t cnt, TAKE struct attr_set *set)
{
	struct feeder *s = source_of(peer);
	uint32_t len = (uint32_t)sizeof(struct rec) + 4 * cnt + REC_SLACK;
	struct rec *r = ring_reserve(&s->ring, len);
	uint8_t *to;

	ASSERT(r);
	memset(r, 0, sizeof(*r));
	r->type = set ? REC_ANNOUNCE : REC_WITHDRAW;
	r->prefix_cnt = cnt;
	r->nlri_len = (uint16_t)(4 * cnt);
	r->set = set;
	to = r->nlri;
	for (uint32_t i = first; i < first + cnt; i++) {
		struct prefix p = bench_rig_net_of(i);

		to += prefix_put(to, &p);
	}
	memset(to, 0, REC_SLACK);
	ring_commit(&s->ring);
	feeder_activate(s);
	while (table_take_records(s->table))
		;
}

struct fill {
	uint32_t nets, per_set, peers;
};

/* fill_table - every peer announces all nets. per_set 0: one set a peer; else a set for
 * so many nets, which share a record. */
static void
fill_table(void *arg)
{
	const struct fill *f = arg;
	struct table *t = rig_table();

	for (unsigned k = 0; k < f->peers; k++) {
		struct attr_set *one = bench_rig_make_set(k, 0);
		uint32_t step = f->per_set ? f->per_set : UPDATE_NETS;

		for (uint32_t i = 0; i < f->nets; i += step) {
			uint32_t cnt = f->nets - i < step ? f->nets - i : step;

			bench_table_take(k, i, cnt,
			    f->per_set ? bench_rig_make_set(k, i + 1)
				       : attr_set_ref(one, 1));
			if (t->best.change_cnt > 8000)
				bench_rig_forget(t);
		}
		attr_set_unref(t->store, one, 1);
	}
	bench_rig_forget(t);
}

static uint64_t
bench_table_process_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* ---- insert ---- */

static void
bench_insert(void)
{
	static const struct {
		uint32_t nets;
		double published, measured, budget;
	} size[] = { { 10000, 260, 0, 125 }, { 100000, 405, 0, 125 },
		{ 500000, 380, 0, 125 }, { 900000, 389, 728, 125 } };

	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		struct fill f = { size[i].nets, 0, 1 };
		/* The small one takes a millisecond: whoever gets in between makes it
		 * wait for caches. */
		unsigned rounds = size[i].nets > 10000 ? 5 : 25;
		double v[25];
		char name[64];

		for (unsigned k = 0; k < rounds; k++) {
			bench_rig_start();
			v[k] = (double)time_in_table(fill_table, &f) / f.nets;
			bench_rig_finish();
		}
		snprintf(name, sizeof(name), "insert of %u routes, each", f.nets);
		sort_into(&(struct bench_row){ .name = name,
			      .unit = "ns",
			      .published = size[i].published,
			      .measured = size[i].measured,
			      .budget = size[i].budget },
		    v, rounds);
	}
}

/* ---- best route ---- */

#define COMPARES 1000

struct compare {
	struct route_cand a, b;
	uint64_t sink;
};

static void
run_compare(void *arg)
{
	struct compare *c = arg;

	for (unsigned i = 0; i < COMPARES; i++) {
		c->sink += (uint64_t)bgp_decide_cmp(&c->a, &c->b);
		/* The next call must not be known to give the same. */
		__asm__ volatile("" : : "r"(c) : "memory");
	}
}

static void
bench_compare(void)
{
	struct route_source src[2] = {
		{ .is_bgp = true, .is_ebgp = true, .from = ip4(1), .peer_router_id = 7 }
	};
	struct attr_item pref;
	struct compare c = { 0 };
	struct bench_job j = {
		.run = run_compare, .arg = &c, .rounds = 30, .each = COMPARES
	};
	struct bench_row r = { .unit = "ns", .budget = 10 };
	struct attr_set *set, *other;

	bench_rig_start();
	set = bench_rig_make_set(0, 1);
	other = bench_rig_make_set(0, 2);
	src[1] = src[0];
	c.a = (struct route_cand){ .set = set, .src = &src[0] };
	c.b = (struct route_cand){ .set = other, .src = &src[1] };
	r.name = "best-route step, all equal";
	r.published = 18.5;
	r.measured = 19;
	bench_time(&r, &j);
	bench_row(&r);
	src[1].from = ip4(2);
	r.name = "best-route step, peer address differs";
	bench_time(&r, &j);
	bench_row(&r);
	ASSERT(wire_slot(other->wire, SLOT_LOCAL_PREF, ATTR_LOCAL_PREF, &pref));
	put_be32(
	    (uint8_t *)(uintptr_t)pref.val, 60); /* style: a set of this test alone */
	r.name = "best-route step, LOCAL_PREF differs";
	r.published = 4.4;
	r.measured = 5;
	bench_time(&r, &j);
	bench_row(&r);
	put_be32((uint8_t *)(uintptr_t)pref.val, 50);
	attr_set_unref(rig.tern.store, set, 1);
	attr_set_unref(rig.tern.store, other, 1);
	ASSERT(c.sink != 1); /* it is used */
	bench_rig_finish();
}

#define SELECTS 1000

struct select {
	unsigned paths;
	struct net *net;
	uint32_t id;
	struct attr_set *set[2];
	uint64_t sink;
};

static void
run_select(void *arg)
{
	struct select *s = arg;

	for (unsigned i = 0; i < SELECTS; i++) {
		s->sink += (uintptr_t)table_best_choose(rig_table(), s->net, NULL);
		__asm__ volatile("" : : "r"(s) : "memory");
	}
}

/* A path of the last peer changes, back and forth. */
static void
run_replace(void *arg)
{
	struct select *s = arg;
	struct table *t = rig_table();

	for (unsigned i = 0; i < SELECTS; i++) {
		table_announce(t, source_of(s->paths - 1), s->net, s->id,
		    &(struct route_in){ .set = s->set[i & 1] });
		bench_rig_forget(t);
	}
}

static void
prepare_select(void *arg)
{
	struct select *s = arg;
	struct table *t = rig_table();
	struct prefix p = bench_rig_net_of(0);

	s->net = rig_net_get(t, &p, &s->id);
	for (unsigned k = 0; k < s->paths; k++)
		table_announce(t, source_of(k), s->net, s->id,
		    &(struct route_in){ .set = s->set[1] });
	bench_rig_forget(t);
}

static void
bench_select(void)
{
	static const struct {
		unsigned paths;
		double published;
	} size[] = { { 1, 88 }, { 2, 103 }, { 4, 140 }, { 8, 213 } };

	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		struct select s = { .paths = size[i].paths };
		char name[64];
		double v[9];

		bench_rig_start();
		s.set[0] = bench_rig_make_set(0, 1);
		s.set[1] = bench_rig_make_set(0, 2);
		rig_in(&rig_table()->worker, prepare_select, &s);
		for (unsigned k = 0; k < ARRAY_LEN(v); k++)
			v[k] = (double)time_in_table(run_select, &s) / SELECTS;
		snprintf(
		    name, sizeof(name), "best of %u paths chosen, all tied", s.paths);
		sort_into(
		    &(struct bench_row){
			.name = name, .unit = "ns", .published = size[i].published },
		    v, ARRAY_LEN(v));
		for (unsigned k = 0; k < ARRAY_LEN(v); k++)
			v[k] = (double)time_in_table(run_replace, &s) / SELECTS;
		snprintf(
		    name, sizeof(name), "one of %u paths replaced, best chosen", s.paths);
		sort_into(
		    &(struct bench_row){
			.name = name, .unit = "ns", .published = size[i].published },
		    v, ARRAY_LEN(v));
		attr_set_unref(rig.tern.store, s.set[0], 1);
		attr_set_unref(rig.tern.store, s.set[1], 1);
		bench_rig_finish();
	}
}

/* ---- churn ---- */

#define CHURNS 20

static void
churn_step(void *arg)
{
	struct attr_set *set = arg;

	for (uint32_t i = 0; i < 1000; i += UPDATE_NETS)
		bench_table_take(1, i, UPDATE_NETS, set ? attr_set_ref(set, 1) : NULL);
	table_batch_end(rig_table());
	store_relaxed32(&rig_table()->batch, load_relaxed32(&rig_table()->batch) + 1);
}

static void
bench_churn(void)
{
	struct fill f = { 10000, 4, 1 };
	struct attr_set *set;
	double v[5];

	bench_rig_start();
	rig_in(&rig_table()->worker, fill_table, &f);
	set = bench_rig_make_set(1, 1);
	for (unsigned k = 0; k < ARRAY_LEN(v); k++) {
		uint64_t from = bench_table_process_cpu_ns();

		for (unsigned i = 0; i < CHURNS; i++) {
			rig_in(&rig_table()->worker, churn_step, set);
			rig_in(&rig_table()->worker, churn_step, NULL);
		}
		rig_settle();
		v[k] = (double)(bench_table_process_cpu_ns() - from) / CHURNS / 1000;
	}
	sort_into(
	    &(struct bench_row){
		.name = "1,000 of 10,000 announced and withdrawn, published",
		.unit = "us",
		.published = 761 },
	    v, ARRAY_LEN(v));
	attr_set_unref(rig.tern.store, set, 1);
	bench_rig_finish();
}

/* ---- two peers' whole way ---- */

struct feed {
	struct rig_peer *pe;
	uint32_t nets;
};

static void
bench_table_feed_peer(void *arg)
{
	struct feed *f = arg;
	struct channel *ch = f->pe->ch;
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint8_t nlri[4 * UPDATE_NETS + 16] = { 0 };
	struct attr_set *set;

	for (uint32_t i = 0; i < f->nets; i += UPDATE_NETS) {
		uint32_t len = 0;

		for (uint32_t k = i; k < i + UPDATE_NETS; k++) {
			struct prefix p = bench_rig_net_of(k);

			len += prefix_put(nlri + len, &p);
		}
		set = bench_rig_make_set(f->pe->as, i);
		channel_import(ch, set->wire->data, set->wire->len, &local, nlri, len);
		attr_set_unref(rig.tern.store, set, 1);
		while (!channel_flush_pending(ch)) {
			rcu_quiesce();
			wait_pause(200);
		}
	}
}

static void
bench_pipeline(void)
{
	static const struct {
		uint32_t nets;
		double published, measured, budget;
	} size[] = { { 1000, 0.759, 0, 0 }, { 10000, 10.8, 0, 0 }, { 50000, 82, 0, 0 },
		{ 900000, 1500, 3060, 300 } };

	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		double v[3];
		char name[64];

		for (unsigned k = 0; k < ARRAY_LEN(v); k++) {
			uint64_t from;

			bench_rig_start();
			from = bench_table_process_cpu_ns();
			for (unsigned n = 0; n < 2; n++) {
				struct feed f = { rig.peer[n], size[i].nets };

				rig_in(&rig.peer[n]->p.worker, bench_table_feed_peer, &f);
			}
			rig_settle();
			for (unsigned n = 0; n < 2; n++)
				rig_export(n);
			v[k] = (double)(bench_table_process_cpu_ns() - from) / 1e6;
			ASSERT(rig.peer[0]->sink.adj.out_cnt +
				   rig.peer[1]->sink.adj.out_cnt ==
			       size[i].nets);
			bench_rig_finish();
		}
		snprintf(name, sizeof(name), "%u nets of two peers, to messages",
		    size[i].nets);
		sort_into(&(struct bench_row){ .name = name,
			      .unit = "ms",
			      .published = size[i].published,
			      .measured = size[i].measured,
			      .budget = size[i].budget },
		    v, ARRAY_LEN(v));
	}
}

/* ---- memory ---- */

/* octets_used - as `show memory` counts: with malloc's headers and rounding, and of large
 * arrays what is in memory. */
static double
bench_table_octets_used(void)
{
	uint64_t journal, sum = 0;

	for (unsigned i = 0; i < MEM_TAG_CNT; i++)
		sum += mem_used((enum mem_tag)i);
	sum -= table_untouched(rig_table(), &journal);
	return (double)(sum - journal);
}

static void
bench_memory(void)
{
	static const struct {
		uint32_t nets, per_set;
		double published, measured, budget;
	} size[] = { { 100000, 0, 707, 0, 0 }, { 500000, 0, 1100, 0, 0 },
		{ 900000, 0, 637, 665, 130 }, { 100000, 4, 0, 0, 0 },
		{ 500000, 4, 0, 0, 0 }, { 900000, 4, 0, 0, 190 } };

	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		struct fill f = { size[i].nets, size[i].per_set, 2 };
		char name[64];
		double v;

		bench_rig_start();
		v = bench_table_octets_used();
		rig_in(&rig_table()->worker, fill_table, &f);
		rig_settle();
		for (unsigned k = 0; k < 2; k++) { /* arrays that were outgrown */
			rcu_sleep();
			rcu_drain();
			rcu_wake();
			rig_settle(); /* the table hears of it */
		}
		v = (bench_table_octets_used() - v) / f.nets;
		snprintf(name, sizeof(name), "%u nets from each of two peers%s, a net",
		    f.nets, f.per_set ? ", 4 a set" : "");
		sort_into(&(struct bench_row){ .name = name,
			      .unit = "octets",
			      .published = size[i].published,
			      .measured = size[i].measured,
			      .budget = size[i].budget },
		    &v, 1);
		bench_rig_finish();
	}
}

/* A word as the only argument: that group alone. */
int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} group[] = { { "compare", bench_compare }, { "select", bench_select },
		{ "insert", bench_insert }, { "churn", bench_churn },
		{ "pipeline", bench_pipeline }, { "memory", bench_memory } };

	bench_start(argc, argv, "table");
	rig_hush();
	for (unsigned i = 0; i < ARRAY_LEN(group); i++)
		if (argc != 2 || !strcmp(argv[1], group[i].name))
			group[i].fn();
	log_stop();
	return bench_end();
}
