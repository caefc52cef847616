/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that many ask at once, as that of a BMP station: 100,000 prefixes, each from 5
 * sources; writers that change routes as fast as they can; readers that look up the
 * longest matches of 10,000 addresses by the table's index, and take the best route of
 * what they find. Each number of writers with each number of readers is a cell.
 *
 * It is a real table, its index and real feeders, each in a thread of its own; sets of
 * attributes are interned by the feeders' threads, one for 4 prefixes. A write is one
 * route announced with other attributes (of 8, 6), withdrawn, or announced again (one
 * each), 4 an UPDATE; it counts when the table has taken it. Times of readers and writers
 * are of their CPU, so that they say the same on a machine with fewer processors than
 * threads; what passed on the clock stands beside them.
 *
 * With MATCH_SHORT, defined by who includes it (test/stress/stress_readers.c), it is
 * small, and what is found is looked at. */
#ifndef MATCH_SHORT
#define NETS    100000u
#define ADDRS   10000u
#define REPEATS 5u
#define CELL_NS (60 * NS_PER_MS)
#define CHECKED false
static const unsigned writer_cnt[] = { 0, 1, 2, 4, 8 };
static const unsigned reader_cnt[] = { 1, 2, 4, 8, 16 };
#else
#define NETS    4000u
#define ADDRS   1000u
#define REPEATS 1u
#define CELL_NS (100 * NS_PER_MS)
#define CHECKED true
static const unsigned writer_cnt[] = { 0, 1, 3 };
static const unsigned reader_cnt[] = { 1, 4 };
#endif

#include "test/bench/bench.h"
#include "test/bench/match_load.h"
#include "test/lib/match_find.h"
#include "test/lib/wait.h"
#include <pthread.h>
#include <time.h>

#define WRITERS     ARRAY_LEN(writer_cnt)
#define READERS     ARRAY_LEN(reader_cnt)
#define READERS_MAX 16

static struct pub32 reading;

static uint64_t
bench_match_process_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* ---- results ---- */

/* What REPEATS runs say of one thing. */
struct result {
	double v[REPEATS];
	unsigned cnt;
};

static struct {
	struct result insert, insert_cpu, octets, index_octets, lag, lag_worst, lag_busy,
	    lag_busy_worst, with, without;
	struct result flush, flush_wall, flush_index, flush_cpu;
	struct result read[WRITERS][READERS], read_wall[WRITERS][READERS];
	struct result write[WRITERS][READERS], write_wall[WRITERS][READERS];
} got;

static void
bench_match_put(struct result *r, double v)
{
	r->v[r->cnt++] = v;
}

/* ---- insertion, memory, lag ---- */

/* octets_used - of the table, its index and what readers keep of nets: not of sets, rings
 * and the journal. */
static double
bench_match_octets_used(void)
{
	uint64_t journal, sum = mem_used(MEM_TABLE);
	struct match_stats st = { 0 };

	sum -= table_untouched(rig_table(), &journal);
	if (match_index_stats(rig_table(), &st))
		sum -= st.open - st.octets;
	return (double)sum;
}

static void
bench_match_settle(void)
{
	for (unsigned k = 0; k < 3; k++) { /* what was outgrown or withdrawn */
		rcu_sleep();
		rcu_drain();
		wait_spread(20000);
		rcu_wake();
		rig_settle();
	}
}

static void
bench_match_insert(void)
{
	double octets = bench_match_octets_used();
	uint64_t from = clock_now_ns(), cpu = bench_match_process_cpu_ns();
	struct order o;

	order_all(&o, FEEDERS, do_fill);
	order_wait(&o);
	match_load_wait_for((uint64_t)FEEDERS * NETS, NETS);
	bench_match_put(
	    &got.insert, (double)(clock_now_ns() - from) / FEEDERS / NETS / 1000);
	bench_match_put(&got.insert_cpu,
	    (double)(bench_match_process_cpu_ns() - cpu) / FEEDERS / NETS / 1000);
	bench_match_settle();
	bench_match_put(&got.octets, (bench_match_octets_used() - octets) / NETS);
}

/* ask_table - nanoseconds of a question to the table itself. */
static double
ask_table(void)
{
	uint64_t from = clock_thread_cpu_ns(), found = 0;

	for (uint32_t k = 0; k < ADDRS; k++)
		found += table_match(rig_table(), addr[k]) != NULL;
	if (found != ADDRS)
		match_load_wrong("no route");
	return (double)(clock_thread_cpu_ns() - from) / ADDRS;
}

/* with_and_without - what `show route for` and next hops cost with the index, and
 * without. */
static void
with_and_without(void)
{
	struct table *t = rig_table();
	struct match_stats st;

	if (!match_index_stats(t, &st))
		match_load_wrong("no index");
	bench_match_put(&got.index_octets, (double)st.octets / NETS);
	bench_match_put(&got.with, ask_table());
	store_release_ptr(&t->pub.match, NULL); /* pairs: TMATCH */
	bench_match_put(&got.without, ask_table());
	store_release_ptr(&t->pub.match, match); /* pairs: TMATCH */
}

/* One prefix that comes and goes. */
struct flap {
	struct source *x;
	struct attr_set *set;
	uint64_t ns; /* when it was said */
};

static void
do_flap(void *arg)
{
	struct flap *f = arg;
	struct prefix p = prefix_make(ip4(0x01010101), 32, FAM_IP4);
	uint8_t nlri[PREFIX_WIRE_MAX + REC_SLACK];
	uint32_t len = prefix_put(nlri, &p);
	struct rec r = { .type = f->set ? REC_ANNOUNCE : REC_WITHDRAW,
		.set = f->set,
		.prefix_cnt = 1 };

	f->ns = clock_now_ns();
	match_load_give(f->x, &r, nlri, len);
}

static void
bench_match_look_at_lag(struct result *median, struct result *worst)
{
	double ns[100], sum = 0;

	for (unsigned i = 0; i < ARRAY_LEN(ns); i++) {
		struct flap f = { &source[7], i & 1 ? NULL : match_load_set_of(7, i), 0 };
		const struct net *n;

		rig_in(f.x->f.worker, do_flap, &f);
		do {
			rcu_quiesce();
			n = match_find(rig_table(), ip4(0x01010101));
			n = n && net_prefix(rig_table(), n).len == 32 ? n : NULL;
		} while (!n != !f.set && clock_now_ns() - f.ns < 10 * NS_PER_S);
		ns[i] = (double)(clock_now_ns() - f.ns) / 1000;
		sum += ns[i];
		rcu_sleep();
		wait_spread(1000);
		rcu_wake();
	}
	qsort(ns, ARRAY_LEN(ns), sizeof(ns[0]), bench_cmp);
	bench_match_put(median, ns[ARRAY_LEN(ns) / 2]);
	bench_match_put(worst, ns[ARRAY_LEN(ns) - 1]);
	if (sum >= 1e9)
		match_load_wrong("the index doesn't follow");
}

static void
bench_match_lag(void)
{
	struct order o;

	bench_match_look_at_lag(&got.lag, &got.lag_worst);
	store_release32(&churning, 1); /* pairs: BMATCHCHURN */
	order_all(&o, 1, do_churn);
	bench_match_look_at_lag(&got.lag_busy, &got.lag_busy_worst);
	store_release32(&churning, 0); /* pairs: BMATCHCHURN */
	order_wait(&o);
}

/* ---- readers and writers ---- */

struct reading {
	unsigned nr;
	pthread_t id;
	bool stands; /* nobody writes */
	uint64_t reads, cpu_ns, ns, sum;
};

/* scan_take_route - of the net that contains address @k. */
static inline uint64_t
bench_match_take_route(uint32_t k, bool stands)
{
	const struct net *n = table_match(rig_table(), addr[k]);
	const struct path *p = n ? net_best(n) : NULL;

	if (CHECKED && n) {
		struct prefix q = net_prefix(rig_table(), n);

		if (!prefix_has_ip(&q, addr[k]))
			match_load_wrong("a route of another prefix");
		if (stands && !prefix_equal(&q, &covers[k]))
			match_load_wrong("not the longest match");
	}
	if (CHECKED && stands && !p)
		match_load_wrong("no route");
	/* one in eight routes that are written goes, and it may be the last: no route */
	return p ? path_set(p)->local.preference : 0;
}

static void *
bench_match_reader(void *arg)
{
	struct reading *r = arg;
	uint64_t from, cpu;
	uint32_t k = r->nr * (ADDRS / READERS_MAX);

	rcu_join();
	from = clock_now_ns();
	cpu = clock_thread_cpu_ns();
	while (load_acquire32(&reading)) { /* pairs: BMATCHREAD */
		for (unsigned i = 0; i < 500; i++) {
			r->sum += bench_match_take_route(k, r->stands);
			k = k + 1 < ADDRS ? k + 1 : 0;
		}
		r->reads += 500;
		rcu_quiesce();
	}
	r->cpu_ns = clock_thread_cpu_ns() - cpu;
	r->ns = clock_now_ns() - from;
	rcu_leave();
	return NULL;
}

static uint64_t
bench_match_taken(void)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < RIG_PEERS; k++) {
		const struct feeder_stats *st = &source[k].stats;

		sum += counter64_get(&st->imp_upd_accepted) +
		       counter64_get(&st->imp_upd_ignored) +
		       counter64_get(&st->imp_wd_accepted) +
		       counter64_get(&st->imp_wd_ignored);
	}
	return sum;
}

/* cell - @w writers, @r readers. */
static void
bench_match_cell(unsigned wi, unsigned ri)
{
	struct reading rd[READERS_MAX] = { 0 };
	uint64_t cpu = bench_match_process_cpu_ns(), from = clock_now_ns(),
		 was = bench_match_taken(), writes;
	double reads = 0, read_cpu = 0, read_ns = 0, wall;
	struct order o;

	store_release32(&churning, 1); /* pairs: BMATCHCHURN */
	store_release32(&reading, 1); /* pairs: BMATCHREAD */
	order_all(&o, writer_cnt[wi], do_churn);
	for (unsigned k = 0; k < reader_cnt[ri]; k++) {
		rd[k].nr = k;
		rd[k].stands = !writer_cnt[wi];
		if (pthread_create(&rd[k].id, NULL, bench_match_reader, &rd[k]))
			match_load_wrong("no thread");
	}
	rcu_sleep();
	do /* on a busy machine a writer may not have had its turn */
		wait_spread(CELL_NS / 1000);
	while (writer_cnt[wi] && bench_match_taken() == was);
	wall = (double)(clock_now_ns() - from) / (double)(bench_match_taken() - was);
	store_release32(&reading, 0); /* pairs: BMATCHREAD */
	for (unsigned k = 0; k < reader_cnt[ri]; k++) {
		pthread_join(rd[k].id, NULL);
		reads += (double)rd[k].reads;
		read_cpu += (double)rd[k].cpu_ns;
		read_ns += (double)rd[k].ns;
	}
	writes = bench_match_taken() - was;
	cpu = bench_match_process_cpu_ns() - cpu;
	rcu_wake();
	store_release32(&churning, 0); /* pairs: BMATCHCHURN */
	order_wait(&o);
	bench_match_put(&got.read[wi][ri], read_cpu / reads);
	bench_match_put(&got.read_wall[wi][ri], read_ns / reads);
	if (!writer_cnt[wi])
		return;
	bench_match_put(
	    &got.write[wi][ri], ((double)cpu - read_cpu) / (double)writes / 1000);
	bench_match_put(&got.write_wall[wi][ri], wall / 1000);
}

static void
all_cells(void)
{
	for (unsigned w = 0; w < WRITERS; w++)
		for (unsigned r = 0; r < READERS; r++) {
			bench_match_cell(w, r);
			rig_settle();
		}
}

/* no_paths - until nobody finds a route any more. Returns: CPU of the table's turns. */
static uint64_t
no_paths(void)
{
	struct table_stats ts;
	uint64_t from;

	table_stats(rig_table(), &ts);
	from = ts.cpu_ns;
	do {
		rcu_sleep();
		wait_pause(100);
		rcu_wake();
		table_stats(rig_table(), &ts);
	} while (ts.paths);
	return ts.cpu_ns - from;
}

/* flush_all - all sources go at once. */
static void
flush_all(void)
{
	uint64_t from, cpu;
	struct order o;

	/* what those that only write have brought */
	for (unsigned k = FEEDERS; k < RIG_PEERS; k++)
		rig_in(source[k].f.worker, do_go, &source[k]);
	match_load_wait_for((uint64_t)FEEDERS * NETS, NETS);
	bench_match_settle();
	from = clock_now_ns();
	cpu = bench_match_process_cpu_ns();
	order_all(&o, FEEDERS, do_go);
	bench_match_put(&got.flush, (double)no_paths() / 1e6);
	bench_match_put(&got.flush_wall, (double)(clock_now_ns() - from) / 1e6);
	order_wait(&o);
	match_load_wait_for(0, 0);
	bench_match_put(&got.flush_index, (double)(clock_now_ns() - from) / 1e6);
	bench_match_settle();
	bench_match_put(
	    &got.flush_cpu, (double)(bench_match_process_cpu_ns() - cpu) / 1e6);
}

/* ---- what is said ---- */

static void
bench_match_row(const char *name, const char *unit, struct result *r, double budget)
{
	struct bench_row b = {
		.name = name, .unit = unit, .budget = CHECKED ? 0 : budget
	};

	if (!r->cnt)
		return;
	qsort(r->v, r->cnt, sizeof(r->v[0]), bench_cmp);
	b.best = r->v[0];
	b.median = r->v[r->cnt / 2];
	bench_row(&b);
}

static void
cell_row(const char *what, const char *unit, struct result *r, unsigned w, unsigned n,
    double budget)
{
	char name[80];

	snprintf(name, sizeof(name), "%s, %u writers, %u readers", what, writer_cnt[w],
	    reader_cnt[n]);
	bench_match_row(name, unit, r, budget);
}

static void
bench_match_say_all(void)
{
	bench_match_row("insertion of a route, 100,000 x 5", "us", &got.insert, 0.4);
	bench_match_row("the same, CPU of all threads", "us", &got.insert_cpu, 0);
	bench_match_row("a prefix with 5 routes, sets apart", "octets", &got.octets, 180);
	bench_match_row("of these, the index", "octets", &got.index_octets, 0);
	bench_match_row(
	    "longest match, the table asked, with an index", "ns", &got.with, 0);
	bench_match_row("without", "ns", &got.without, 0);
	bench_match_row(
	    "flush of 100,000 x 5, until no route is found", "ms", &got.flush, 15);
	bench_match_row("the same by the clock", "ms", &got.flush_wall, 0);
	bench_match_row("until the index knows, by the clock", "ms", &got.flush_index, 0);
	bench_match_row(
	    "until all memory is free, CPU of all threads", "ms", &got.flush_cpu, 0);
	bench_match_row("lag of the index, quiet", "us", &got.lag, 0);
	bench_match_row("the same, worst of 100", "us", &got.lag_worst, 0);
	bench_match_row("lag of the index, with a writer", "us", &got.lag_busy, 0);
	bench_match_row("the same, worst of 100", "us", &got.lag_busy_worst, 0);
	for (unsigned w = 0; w < WRITERS; w++)
		for (unsigned n = 0; n < READERS; n++) {
			double budget = writer_cnt[w] == 0   ? 30
					: writer_cnt[w] == 1 ? 50
							     : 0;

			cell_row("read", "ns", &got.read[w][n], w, n, budget);
			cell_row(
			    "read by the clock", "ns", &got.read_wall[w][n], w, n, 0);
			cell_row("write", "us", &got.write[w][n], w, n,
			    writer_cnt[w] == 1 ? 0.6 : 0);
			cell_row(
			    "writes by the clock", "us", &got.write_wall[w][n], w, n, 0);
		}
}

static void
bench_match_run_all(void)
{
	rig_hush();
	draw_all();
	if (CHECKED)
		know_covers();
	for (unsigned i = 0; i < REPEATS; i++) {
		match_load_begin();
		match_load_wait_for(0, 0);
		bench_match_insert();
		with_and_without();
		bench_match_lag();
		all_cells();
		flush_all();
		match_load_end();
	}
	log_stop();
}

#ifndef MATCH_SHORT
int
main(int argc, char **argv)
{
	bench_start(argc, argv, "readers of a table");
	bench_match_run_all();
	bench_match_say_all();
	return bench_end();
}
#endif
