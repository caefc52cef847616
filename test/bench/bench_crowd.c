/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table where a thousand sources announce the same nets: a path put in, replaced,
 * taken out. All are equal but for their addresses, as members' routes for anycast nets
 * are. CPU of the table's thread. */
#include "nest/rib/table/table_best.c"

#define RIG_PEERS 1

#include "nest/rib/table/feeder_priv.h"
#include "test/bench/bench_rig.h"

#define CROWD       1000
#define CROWD_NETS  50
#define CROWD_TURNS 2000

/* Feeders that no session fills: their paths are put in and taken out here. */
struct crowd {
	struct feeder f[CROWD];
	struct feeder_stats stats[CROWD];
	struct origin origin[CROWD];
	struct attr_set *set[CROWD][2]; /* equal in all that decides */
	struct net *net[CROWD_NETS];
	uint32_t id[CROWD_NETS];
	unsigned cnt, nets; /* how many of them take part */
};

static void
crowd_make(void *arg)
{
	struct crowd *c = arg;
	struct table *t = rig_table();

	for (unsigned k = 0; k < CROWD; k++) {
		struct feeder *f = &c->f[k];

		c->origin[k].src = (struct route_source){ .from = ip4(0x0a000000 + k),
			.peer_as = 65000 + k,
			.peer_router_id = k * MIX,
			.is_bgp = true,
			.is_ebgp = true };
		f->order = &rig_class.order;
		f->stats = &c->stats[k];
		f->up = true;
		store_relaxed32(&f->id, RIG_PEERS + k);
		store_relaxed_ptr(&f->facts, &c->origin[k]);
		feeders_put(t, RIG_PEERS + k, f);
		c->set[k][0] = bench_rig_make_set(k, 1);
		c->set[k][1] = bench_rig_make_set(k, 2);
	}
	for (uint32_t i = 0; i < CROWD_NETS; i++) {
		struct prefix p = bench_rig_net_of(i);

		c->net[i] = rig_net_get(t, &p, &c->id[i]);
	}
}

/* Each of the feeders announces all the nets. */
static void
crowd_fill(void *arg)
{
	struct crowd *c = arg;
	struct table *t = rig_table();

	for (unsigned k = 0; k < c->cnt; k++) {
		for (uint32_t i = 0; i < c->nets; i++)
			table_announce(t, &c->f[k], c->net[i], c->id[i],
			    &(struct route_in){ .set = c->set[k][0] });
		bench_rig_forget(t);
	}
}

/* Paths of one net change, one after the other. */
static void
crowd_replace(void *arg)
{
	struct crowd *c = arg;
	struct table *t = rig_table();

	for (unsigned i = 0; i < CROWD_TURNS; i++) {
		unsigned k = i * 7919 % c->cnt; /* each once a round */

		table_announce(t, &c->f[k], c->net[0], c->id[0],
		    &(struct route_in){ .set = c->set[k][~(i / c->cnt) & 1] });
		bench_rig_forget(t);
	}
}

static void
crowd_empty(void *arg)
{
	struct crowd *c = arg;
	struct table *t = rig_table();

	for (unsigned k = 0; k < c->cnt; k++) {
		for (uint32_t i = 0; i < c->nets; i++)
			table_withdraw(t, &c->f[k], c->net[i], c->id[i], 0);
		bench_rig_forget(t);
	}
}

static void
crowd_end(void *arg)
{
	struct crowd *c = arg;

	for (unsigned k = 0; k < CROWD; k++) {
		feeders_put(rig_table(), RIG_PEERS + k, NULL);
		feeder_fini(&c->f[k]);
		attr_set_unref(rig.tern.store, c->set[k][0], 1);
		attr_set_unref(rig.tern.store, c->set[k][1], 1);
	}
}

static void
bench_crowd(void)
{
	static const struct {
		unsigned cnt, nets;
	} size[] = { { 200, 1 }, { 1000, 1 }, { 1000, CROWD_NETS } };
	struct crowd *c = mem_zalloc(MEM_TABLE, sizeof(*c));

	bench_rig_start();
	rig_in(&rig_table()->worker, crowd_make, c);
	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		double in[3], replaced[3], out[3];
		char name[64];

		c->cnt = size[i].cnt;
		c->nets = size[i].nets;
		for (unsigned k = 0; k < ARRAY_LEN(in); k++) {
			double paths = (double)c->cnt * c->nets;

			in[k] = (double)time_in_table(crowd_fill, c) / paths;
			replaced[k] = (double)time_in_table(crowd_replace, c) /
				      CROWD_TURNS;
			out[k] = (double)time_in_table(crowd_empty, c) / paths;
		}
		snprintf(name, sizeof(name),
		    "%u sources announce the same %u nets, a path", c->cnt, c->nets);
		sort_into(
		    &(struct bench_row){ .name = name, .unit = "ns" }, in, ARRAY_LEN(in));
		snprintf(
		    name, sizeof(name), "one of %u paths replaced, any of them", c->cnt);
		sort_into(&(struct bench_row){ .name = name, .unit = "ns" }, replaced,
		    ARRAY_LEN(replaced));
		snprintf(name, sizeof(name), "%u sources withdraw %u nets, a path",
		    c->cnt, c->nets);
		sort_into(&(struct bench_row){ .name = name, .unit = "ns" }, out,
		    ARRAY_LEN(out));
	}
	rig_in(&rig_table()->worker, crowd_end, c);
	bench_rig_finish();
	mem_free(MEM_TABLE, c);
}

int
main(int argc, char **argv)
{
	bench_start(argc, argv, "crowd");
	rig_hush();
	bench_crowd();
	log_stop();
	return bench_end();
}
