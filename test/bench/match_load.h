/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as that of a BMP station, for benchmarks: plausible prefixes, sources that
 * bring routes of them and change these, addresses to look up. Who includes it has said
 * how many NETS and ADDRS there are. */
#ifndef TERN_TEST_BENCH_MATCH_LOAD_H
#define TERN_TEST_BENCH_MATCH_LOAD_H

#define RIG_PEERS 8

#include "nest/rib/index/match_index.c"
#include "proto/bgp/in/bgp_decide.h"
#include "test/lib/net_rig.h"
#include "test/lib/rec_put.h"
#include "test/lib/seed.h"
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"
#include <malloc.h>
#include <unistd.h>

#define FEEDERS  5 /* that have all prefixes */
#define SET_NETS 4 /* prefixes of a set, and of an UPDATE */

static struct prefix prefix[NETS];
static struct ip_addr addr[ADDRS];
static struct prefix covers[ADDRS]; /* the longest prefix around each, while all stand */
static struct match_index *match;

/* Who brings routes. owner: main, but for f, which is its worker's. */
static struct source {
	struct feeder f;
	struct feeder_stats stats;
	struct msg told;
	sem_t done;
	unsigned nr;
	uint64_t cpu_ns; /* of its last churn */
} source[RIG_PEERS];

static struct pub32 churning;

static void
match_load_wrong(const char *what)
{
	fprintf(stderr, "bench_match: %s\n", what);
	abort();
}

/* ---- prefixes and addresses ---- */

static unsigned
draw_len(struct seed *s)
{
	/* of 100, as in the Internet's table of 2025 */
	static const struct {
		uint8_t up_to, len;
	} part[] = { { 59, 24 }, { 69, 23 }, { 80, 22 }, { 86, 21 }, { 91, 20 },
		{ 94, 19 }, { 96, 18 }, { 97, 17 }, { 99, 16 }, { 100, 0 } };
	unsigned at = seed_below(s, 100), i = 0;

	while (at >= part[i].up_to)
		i++;
	return part[i].len ? part[i].len : 8 + seed_below(s, 8);
}

/* draw_prefix - in one of 9,000 blocks of 16 bits, some of which are fuller. */
static struct prefix
match_load_draw_prefix(struct seed *s)
{
	uint32_t u = seed_below(s, 65536), block = (u * (uint64_t)u >> 16) * 9000u >> 16;
	uint32_t top = hash_u64(7, block) % (223u * 256) + 256;

	return prefix_make(ip4(top << 16 | seed_below(s, 65536)), draw_len(s), FAM_IP4);
}

static void
draw_all(void)
{
	uint32_t cap = 1u << 19, *slot = calloc(cap, sizeof(*slot));
	struct seed s = { 20251124 };

	for (uint32_t i = 0; i < NETS;) {
		struct prefix p = match_load_draw_prefix(&s);
		uint32_t at = (uint32_t)prefix_hash(1, &p) & (cap - 1);

		while (slot[at] && !prefix_equal(&prefix[slot[at] - 1], &p))
			at = (at + 1) & (cap - 1);
		if (slot[at])
			continue;
		prefix[i++] = p;
		slot[at] = i;
	}
	free(slot);
	for (uint32_t i = 0; i < ADDRS; i++) {
		const struct prefix *p = &prefix[seed_below(&s, NETS)];

		addr[i] = ip4(
		    ip_to_v4(p->addr) | ((uint32_t)seed_u64(&s) & ~mask4(p->len)));
	}
}

/* know_covers - of each address, by looking at all prefixes. */
static void
know_covers(void)
{
	for (uint32_t k = 0; k < ADDRS; k++)
		for (uint32_t i = 0; i < NETS; i++)
			if (prefix_has_ip(&prefix[i], addr[k]) &&
			    prefix[i].len >= covers[k].len) /* none has 0 */
				covers[k] = prefix[i];
}

/* ---- sources; in their workers ---- */

/* set_of - what source @nr says of some prefixes; @k tells sets apart. */
static OWNED struct attr_set *
match_load_set_of(uint32_t nr, uint32_t k)
{
	struct attr_local local = {
		.preference = 100, .dest = DEST_UNICAST, .rts = RTS_BGP
	};
	uint8_t path[14] = { AS_SEQUENCE, 3 }, val[8], data[128];
	struct wbuf w = wbuf_of(data, sizeof(data));

	put_be32(path + 2, 65000 + nr);
	put_be32(path + 6, k);
	put_be32(path + 10, 3);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	put_be32(val, 0x0a000001 + nr);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, 4);
	put_be32(val, 65000u << 16 | 1);
	put_be32(val + 4, 65000u << 16 | nr);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, val, 8);
	return attr_store_intern(
	    rig.tern.store, data, (uint32_t)wbuf_len(&w), &local, NULL, 0);
}

/* give - the record, when there is room. */
static void
match_load_give(struct source *x, const struct rec *r, const uint8_t *nlri, uint32_t len)
{
	while (!rig_rec_try(&x->f, r, nlri, len)) {
		rcu_sleep();
		wait_pause(50);
		rcu_wake();
	}
}

/* say - SET_NETS prefixes from @first on; @set NULL: withdrawn. */
static void
match_load_put(struct source *x, uint32_t first, TAKE struct attr_set *set)
{
	uint8_t nlri[SET_NETS * PREFIX_WIRE_MAX + REC_SLACK];
	struct rec r = { .type = set ? REC_ANNOUNCE : REC_WITHDRAW, .set = set };
	uint32_t len = 0;

	for (uint32_t i = first; i < first + SET_NETS && i < NETS; i++) {
		len += prefix_put(nlri + len, &prefix[i]);
		r.prefix_cnt++;
	}
	match_load_give(x, &r, nlri, len);
}

static void
do_come(void *arg)
{
	struct source *x = arg;
	const struct route_source facts = { .from = ip4(0x7f000001u + x->nr),
		.peer_as = 65000 + x->nr,
		.peer_router_id = x->nr + 1,
		.is_bgp = true,
		.is_ebgp = true };
	struct origin *o = origin_new(rig.tern.origins, &facts, "source");

	o->order = &rig_class.order;
	match_load_give(x, &(struct rec){ .type = REC_UP, .facts = o }, NULL, 0);
}

static void
do_go(void *arg)
{
	match_load_give(arg, &(struct rec){ .type = REC_DOWN }, NULL, 0);
}

static void
do_fill(void *arg)
{
	struct source *x = arg;

	for (uint32_t i = 0; i < NETS; i += SET_NETS) {
		match_load_put(x, i, match_load_set_of(x->nr, i));
		if (!(i % (64 * SET_NETS)))
			rcu_quiesce();
	}
}

/* do_churn - until it is told to end; then all stands again, with other attributes. */
static void
do_churn(void *arg)
{
	struct source *x = arg;
	uint64_t from = clock_thread_cpu_ns();
	struct seed s = { x->nr + from };
	uint32_t gone = NETS;

	for (uint32_t k = 1; load_acquire32(&churning); k++) { /* pairs: BMATCHCHURN */
		uint32_t first = seed_below(&s, NETS) / SET_NETS * SET_NETS;

		if (k % 8 == 0 && gone < NETS) {
			match_load_put(x, gone, match_load_set_of(x->nr, k));
			gone = NETS;
		} else if (k % 8 == 7) {
			match_load_put(x, first, NULL);
			gone = first;
		} else {
			match_load_put(x, first, match_load_set_of(x->nr, k));
		}
		if (!(k % 64))
			rcu_quiesce();
	}
	if (gone < NETS)
		match_load_put(x, gone, match_load_set_of(x->nr, 0));
	x->cpu_ns = clock_thread_cpu_ns() - from;
}

/* A call to a source that isn't waited for at once. */
struct order {
	struct rig_call call[RIG_PEERS];
	unsigned cnt;
};

static void
order_all(struct order *o, unsigned cnt, void (*fn)(void *arg))
{
	o->cnt = cnt;
	for (unsigned k = 0; k < cnt; k++) {
		struct rig_call *c = &o->call[k];

		*c = (struct rig_call){ .fn = fn, .arg = &source[k] };
		c->msg.handle = rig_handle_call;
		sem_init(&c->done, 0, 0);
		worker_post(source[k].f.worker, &c->msg);
	}
}

static void
order_wait(struct order *o)
{
	for (unsigned k = 0; k < o->cnt; k++) {
		rig_wait(&o->call[k].done);
		sem_destroy(&o->call[k].done);
	}
}

/* ---- the rig ---- */

static void
match_load_told(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	sem_post(&container_of(m, struct source, told)->done);
}

static void
match_load_do_attach(void *arg)
{
	struct source *x = arg;

	feeder_attach(&x->f, &x->told);
}

static void
match_load_do_detach(void *arg)
{
	struct source *x = arg;

	feeder_detach(&x->f, &x->told);
}

static void
match_load_begin(void)
{
	rig_class.order.rank = bgp_decide_cmp;
	rig_class.order.tied = bgp_decide_tied;
	rig_class.order.select = bgp_decide_select;
	rig_class.order.lowest = bgp_decide_lowest;
	rig_start(NULL);
	match = match_index_new(&rig.tern, rig_table(), "match");
	memset(source, 0, sizeof(source));
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		struct source *x = &source[k];

		x->nr = k;
		x->told.handle = match_load_told;
		sem_init(&x->done, 0, 0);
		feeder_init(&x->f, rig_table(), &rig.peer[k]->p.worker);
		x->f.order = &rig_class.order;
		x->f.stats = &x->stats;
		rig_in(x->f.worker, match_load_do_attach, x);
		rig_wait(&x->done);
		rig_in(x->f.worker, do_come, x);
	}
}

static void
match_load_end(void)
{
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		rig_in(source[k].f.worker, match_load_do_detach, &source[k]);
		rig_wait(&source[k].done);
		feeder_fini(&source[k].f);
		sem_destroy(&source[k].done);
	}
	match_index_delete(match);
	rig_wait_workers(4 + RIG_PEERS);
	rig_finish(NULL);
	malloc_trim(0);
}

/* wait_for - so many routes and networks, and an index that has read it all. */
static void
match_load_wait_for(uint64_t paths, uint64_t nets)
{
	uint64_t until = clock_now_ns() + 60 * NS_PER_S;
	struct match_stats st;
	struct table_stats ts;
	bool there;

	rcu_sleep();
	do {
		rcu_wake();
		table_stats(rig_table(), &ts);
		there = ts.paths == paths && match_index_stats(rig_table(), &st) &&
			!st.behind && st.nets == nets;
		rcu_sleep();
		if (!there)
			wait_pause(100);
		if (clock_now_ns() > until)
			match_load_wrong("routes don't come, or don't go");
	} while (!there);
	rcu_wake();
}

#endif
