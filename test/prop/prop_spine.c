/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spine against a naive model: real tables, channels, journals, threads; sessions are
 * played here.
 *
 * Peers announce and withdraw random nets out of a small domain, come and go, and stop
 * taking octets for a while, or take few; they ask for all again, and the journal asks
 * for its room; what reaches each peer is decoded from its messages. When all is quiet,
 * each peer must hold for each net exactly what it is to have, and nothing else: the best
 * route, if that isn't its own and its filter takes it; or, with `secondary`, the best of
 * those of which that is true; or all of them, each under an identifier of its own (RFC
 * 7911), also with `secondary`. The export tables of some must say the same as the peers
 * hold, net by net, and nothing else; and what a peer holds it is told again only if it
 * has asked.
 *
 * Usage: prop_spine [threads]. TERN_SEED replays the choices (not the interleaving). */
#include "filter/lang/compile.h"
#include "nest/channel/instance/proto_run.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "nest/channel/channel_priv.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/daemon/control_priv.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/latch.h"
#include "sysdep/log/log.h"
#define NETS 3000
#include "test/lib/filter_run.h"
#include "test/lib/net_rig.h"
#include "test/lib/seed.h"
#include "proto/bgp/out/msg_cache.h"
#include "test/lib/spine_peer.h"
#include "test/lib/table_rest.h"
#include "test/lib/wait.h"

#include <unistd.h>

#define PEERS   12
#define VALS    4
#define REFUSED 1 /* by the filters of some: this MED */
/* peers that change one net at a time, and seldom: those are sent before their turn */
#define CALM 3

/* ---- a class whose best route is the one with the least MED, then the least source AS
 * ---- */

static int
prop_spine_rank(const struct route_cand *a, const struct route_cand *b)
{
	if (wire_med(a->set->wire) != wire_med(b->set->wire))
		return wire_med(a->set->wire) < wire_med(b->set->wire) ? -1 : 1;
	return a->src->peer_as < b->src->peer_as ? -1 : a->src->peer_as > b->src->peer_as;
}

static struct peer *peers[PEERS];
static struct tern tern;
static struct control control;
static struct table_slot slot;
static struct latch all_gone;

/* ---- what peers do ---- */

static uint32_t posted[PEERS];

static void
prop_spine_post(uint32_t k, enum op_kind kind, uint32_t first, uint32_t cnt,
    uint32_t step, uint32_t med)
{
	struct op *o = calloc(1, sizeof(*o));

	*o = (struct op){ .pe = peers[k],
		.kind = kind,
		.first = first,
		.cnt = cnt,
		.step = step,
		.med = med };
	o->msg.handle = spine_peer_handle_op;
	posted[k]++;
	worker_post(&peers[k]->p.worker, &o->msg);
}

static void
handle_hurry(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	journal_hurry(&slot.t->best.journal);
	free(m);
}

static void
post_hurry(void)
{
	struct msg *m = calloc(1, sizeof(*m));

	m->handle = handle_hurry;
	worker_post(&slot.t->worker, m);
}

/* ---- the model ---- */

static bool model_up[PEERS], model_away[PEERS], model_blocked[PEERS];

static bool
is_secondary(uint32_t k)
{
	return k % 2;
}

static bool
is_filtered(uint32_t k)
{
	return k % 4 < 2;
}

/* may_have - does @k take from @j what that tells? */
static bool
may_have(uint32_t k, uint32_t j, uint32_t net)
{
	return j != k && !(is_filtered(k) && peers[j]->told[net] == REFUSED + 1);
}

static bool
prop_spine_has_table(uint32_t k)
{
	return 0x378 >> k & 1; /* with and without each of the others */
}

static uint64_t
prop_spine_expected(uint32_t k, uint32_t net)
{
	uint32_t best = PEERS;

	for (uint32_t j = 0; j < PEERS; j++)
		if (peers[j]->told[net] && (!is_secondary(k) || may_have(k, j, net)) &&
		    (best == PEERS || peers[j]->told[net] < peers[best]->told[net]))
			best = j;
	if (best == PEERS || !may_have(k, best, net))
		return 0;
	return peers[best]->told[net] << 32 | peers[best]->as;
}

/* step_life - @k comes or goes; or its peer restarts, or begins or ends to tell all
 * again. */
static void
step_life(struct seed *s, uint32_t k)
{
	bool away = !model_up[k] && model_away[k];

	if (model_up[k] && seed_chance(s, 2)) {
		model_stale(peers[k]);
		prop_spine_post(k, OP_STALE, 0, 0, 0, 0);
	} else if ((model_up[k] || away) && seed_chance(s, 2)) {
		spine_peer_model_drop(peers[k], false);
		prop_spine_post(k, OP_SWEEP, 0, 0, 0, 0);
	} else if (model_up[k] && seed_chance(s, 2)) {
		spine_peer_model_drop(peers[k], false);
		model_stale(peers[k]);
		model_up[k] = false;
		model_away[k] = true;
		prop_spine_post(k, OP_AWAY, 0, 0, 0, 0);
	} else if (away && seed_chance(s, 4)) {
		spine_peer_model_drop(peers[k], true);
		model_away[k] = false;
		prop_spine_post(k, OP_DOWN, 0, 0, 0, 0);
	} else {
		if (model_up[k])
			spine_peer_model_drop(peers[k], true);
		model_up[k] = !model_up[k];
		model_away[k] = false;
		prop_spine_post(k, model_up[k] ? OP_UP : OP_DOWN, 0, 0, 0, 0);
	}
}

/* step_reader - what happens to @k as one who reads. */
static void
step_reader(struct seed *s, uint32_t k)
{
	switch (seed_below(s, 12)) {
	case 0:
		model_blocked[k] = !model_blocked[k];
		prop_spine_post(k, model_blocked[k] ? OP_BLOCK : OP_UNBLOCK, 0, 0, 0, 0);
		break;
	case 1:
		if (seed_chance(s, 4))
			prop_spine_post(k, OP_REFRESH, 0, 0, 0, 0);
		break;
	case 2:
		if (seed_chance(s, 8))
			post_hurry();
		break;
	default:
		if (model_blocked[k])
			prop_spine_post(k, OP_DROPS, 0, 1 + seed_below(s, 600), 0, 0);
		break;
	}
}

static void
prop_spine_step(struct seed *s, uint32_t withdrawals)
{
	uint32_t k = seed_below(s, PEERS), first = seed_below(s, NETS);
	uint32_t cnt = 1 + seed_below(s, seed_chance(s, 4) ? 400 : 8);
	uint32_t stride = seed_chance(s, 3) ? 1 + seed_below(s, 40) : 1, med;

	if (k < CALM) {
		first = seed_below(s, 100); /* the same ones again and again */
		cnt = 1;
	}
	if (seed_chance(s, 4)) {
		step_reader(s, k);
		return;
	}
	if (seed_below(s, 16) < withdrawals) {
		if (model_up[k]) {
			model_tell(peers[k], first, cnt, stride, 0);
			prop_spine_post(k, OP_WITHDRAW, first, cnt, stride, 0);
		}
	} else if (seed_chance(s, 32)) {
		step_life(s, k);
	} else if (model_up[k]) {
		med = seed_below(s, k < CALM ? 2 : VALS);
		model_tell(peers[k], first, cnt, stride, med + 1);
		prop_spine_post(k, OP_ANNOUNCE, first, cnt, stride, med);
	}
}

static bool
prop_spine_quiet(void)
{
	uint64_t tail;

	for (uint32_t k = 0; k < PEERS; k++)
		if (counter32_get(&peers[k]->ops) != posted[k] ||
		    !ring_empty(&peers[k]->ch->ts.ring))
			return false;
	if (table_walks(slot.t))
		return false;
	for (uint32_t k = 0; k < PEERS; k++) {
		struct channel *ch = peers[k]->ch;
		const struct stream *st = peers[k]->all ? slot.t->all : &slot.t->best;

		tail = load_acquire64(&st->journal.tail); /* pairs: JTAIL */

		if (model_up[k] &&
		    load_acquire64(&ch->rd->cursor.out_pos) != tail) /* pairs: JOUT */
			return false;
	}
	return counter64_get(&slot.t->st.waiting) < NETS;
}

/* tell - where everybody stands, for a failure. */
static void
prop_spine_tell(void)
{
	fprintf(stderr, "tail %llu waiting %llu batch %u\n",
	    (unsigned long long)load_relaxed64(&slot.t->best.journal.tail),
	    (unsigned long long)counter64_get(&slot.t->st.waiting),
	    load_relaxed32(&slot.t->batch));
	for (uint32_t k = 0; k < PEERS; k++) {
		struct channel *ch = peers[k]->ch;

		fprintf(stderr,
		    "peer %u: up %d ops %u/%u ring %d pend %u pos %lld out %lld dirty %u "
		    "sweep %d feed %d ahead %d to %u\n",
		    k, model_up[k], counter32_get(&peers[k]->ops), posted[k],
		    !ring_empty(&ch->ts.ring), ch->imp.pend.len,
		    (long long)load_relaxed64(&ch->rd->cursor.pos),
		    (long long)load_relaxed64(&ch->rd->cursor.out_pos), ch->rd->dirty_cnt,
		    ch->rd->sweep.on, ch->rd->sweep.all_on, ch->rd->shown.ahead,
		    ch->rd->shown.ahead_batch);
	}
}

static void
tell_net(uint32_t i)
{
	struct prefix p = spine_peer_net_of(i);
	uint32_t id = 0;
	const struct net *n = rig_net_find(slot.t, &p, &id);

	fprintf(
	    stderr, "net %u: id %u batch %u\n", i, id, n ? load_relaxed32(&n->batch) : 0);
	for (const struct path *q = n ? net_first(n) : NULL; q; q = path_next(q)) {
		fprintf(stderr,
		    " path src %u med %u as %u live %d id %u batch %u%s:", path_feeder(q),
		    wire_med(q->set->wire), q->set->wire->path_first,
		    path_live(slot.t, q), q->id,
		    load_relaxed32(stream_batch_of(slot.t->all, q->id)),
		    q == net_best(n) ? " best" : "");
		for (uint32_t k = 0; k < PEERS; k++)
			if (peers[k]->all)
				fprintf(stderr, " %d",
				    bitmap_test(&peers[k]->sink.adj.out, q->id));
		fprintf(stderr, "\n");
	}
	for (uint32_t k = 0; k < PEERS; k++)
		fprintf(stderr, " peer %u id %u told %llu holds %llx out %d\n", k,
		    channel_source_id(peers[k]->ch),
		    (unsigned long long)peers[k]->told[i],
		    (unsigned long long)peers[k]->held[i],
		    bitmap_test(&peers[k]->sink.adj.out, id));
}

static void
wait_quiet(uint32_t round)
{
	uint64_t until = clock_now_ns() + 20 * NS_PER_S;
	unsigned still = 0;

	rcu_sleep();
	while (still < 5) {
		still = prop_spine_quiet() ? still + 1 : 0;
		if (clock_now_ns() > until) {
			fprintf(stderr, "round %u: not quiet after 20 s\n", round);
			prop_spine_tell();
			abort();
		}
		wait_pause(20000);
	}
	rcu_wake();
}

/* compare_paths - the same of @k, which gets all paths: each once. */
static void
prop_spine_compare_paths(uint32_t round, uint32_t k)
{
	static uint32_t held[NETS][PEERS + 1]; /* by net and AS: MED + 1 */

	memset(held, 0, sizeof(held));
	for (uint32_t id = 0; id < PATH_IDS; id++) {
		const struct held_path *h = &peers[k]->by_id[id];

		if (!h->med)
			continue;
		ASSERT(!held[h->net][h->as]);
		held[h->net][h->as] = h->med;
	}
	for (uint32_t n = 0; n < NETS; n++)
		for (uint32_t j = 0; j < PEERS; j++) {
			uint64_t want = may_have(k, j, n) ? peers[j]->told[n] : 0;

			if (held[n][peers[j]->as] == want)
				continue;
			fprintf(stderr,
			    "round %u: peer %u net %u of %u holds %x, expected %llx\n",
			    round, k, n, j, held[n][peers[j]->as],
			    (unsigned long long)want);
			prop_spine_tell();
			tell_net(n);
			abort();
		}
}

static void
prop_spine_compare(uint32_t round)
{
	for (uint32_t k = 0; k < PEERS; k++)
		if (model_up[k] && peers[k]->all)
			prop_spine_compare_paths(round, k);
	for (uint32_t k = 0; k < PEERS; k++)
		for (uint32_t n = 0; n < NETS && model_up[k] && !peers[k]->all; n++)
			if (peers[k]->held[n] != prop_spine_expected(k, n)) {
				fprintf(stderr,
				    "round %u: peer %u net %u holds %llx, expected "
				    "%llx\n",
				    round, k, n, (unsigned long long)peers[k]->held[n],
				    (unsigned long long)prop_spine_expected(k, n));
				prop_spine_tell();
				tell_net(n);
				abort();
			}
}

/* send_holds_of - what @k has been told of @id, by what came out of its sink. */
static uint64_t
prop_spine_holds_of(uint32_t k, uint32_t id)
{
	const struct held_path *h = &peers[k]->by_id[id];
	const struct nlri n = net_nlri(slot.t, reader_net(peers[k]->ch->rd, id));
	struct prefix p = nlri_prefix(NLRI_IP4, n.word, n.head);

	if (peers[k]->all)
		return h->med ? (uint64_t)h->med << 32 | h->as : 0;
	return peers[k]->held[index_of(&p)];
}

/* compare_table - the export table of @k, the bits beside it, and the peer. */
static void
compare_table(uint32_t round, uint32_t k)
{
	const struct adj_out *adj = &peers[k]->sink.adj;
	uint32_t limit = reader_limit(peers[k]->ch->rd), cnt = 0;

	for (uint32_t id = 0; id < limit; id++) {
		const struct announce *a = export_table_find(adj->table, id);
		uint64_t says = a ? (uint64_t)(wire_med(a->wire) + 1) << 32 |
					a->wire->path_first
				  : 0;

		cnt += a != NULL;
		if (bitmap_test(&adj->out, id) == (a != NULL) &&
		    (!a || says == prop_spine_holds_of(k, id)))
			continue;
		fprintf(stderr, "round %u: peer %u id %u table %llx bit %d holds %llx\n",
		    round, k, id, (unsigned long long)says, bitmap_test(&adj->out, id),
		    (unsigned long long)prop_spine_holds_of(k, id));
		abort();
	}
	ASSERT(cnt == adj->out_cnt);
}

static void
compare_tables(uint32_t round)
{
	for (uint32_t k = 0; k < PEERS; k++)
		if (model_up[k] && prop_spine_has_table(k))
			compare_table(round, k);
}

static uint64_t
prop_spine_early_cnt(void)
{
	uint64_t cnt = 0;

	for (uint32_t k = 0; k < PEERS; k++)
		cnt += counter64_get(&peers[k]->ch->stats.early);
	return cnt;
}

/* ---- the frame ---- */

static void
free_peer(struct proto *p)
{
	struct peer *pe = (struct peer *)p;

	channel_free(pe->ch);
	bgp_sink_fini(&pe->sink);
}

static void
prop_spine_command(struct proto *p, struct proto_cmd *cmd)
{
	(void)p, (void)cmd;
}

static const struct conf_class conf_cls = { .keyword = "fake", .name = "Fake" };
static const struct proto_class cls = {
	.conf = &conf_cls,
	.size = sizeof(struct peer),
	.command = prop_spine_command,
	.free = free_peer,
	.order.rank = prop_spine_rank,
};

static const struct worker_ops sink_ops;

static void
prop_spine_start(unsigned threads, struct config_ref *conf, const struct conf_proto *cf)
{
	static struct conf_table table = { .name = "master4", .kind = TABLE_IP4 };

	signal_block(NULL, 0);
	rcu_join();
	loop_pool_limit(threads);
	worker_start(&control.worker, &sink_ops, WORKER_CONTROL, "control");
	tern.store = attr_store_new();
	tern.origins = origins_new();
	tern.session_classes = class_registry_new();
	msg_memory_init(&tern);
	tern.process.thread_limit = threads;
	tern.control.worker = &control.worker;
	tern.control.ops = &control_plane_ops;
	control.tern = &tern;
	list_init(&control.instances);
	list_init(&control.tables);
	latch_init(&all_gone);
	control.end.all_gone = &all_gone;
	control.conf = conf;
	tern_worker_start(&tern); /* this thread: the count must not reach 2 by itself */
	tern_worker_start(&tern);
	tern_worker_start(&tern);
	slot.name = (char *)(uintptr_t)table.name;
	slot.t = table_new(&tern, &table);
	list_add_tail(&control.tables, &slot.link);
	htab_init(&tern.tables.by_name, MEM_CONFIG);
	tern_table_add(&tern, &slot.named, slot.name, slot.t);
	for (uint32_t k = 0; k < PEERS; k++) {
		struct peer *pe = peers[k] = (struct peer *)proto_make(&cls, &tern, cf);

		pe->as = k + 1;
		pe->all = k % 3 == 2;
		pe->params = (struct bgp_params){ .local_as = 65000,
			.peer_as = 1,
			.fam = FAM_BIT(FAM_IP4),
			.as4 = true,
			.rs_client = true,
			.ids = pe->all ? FAM_BIT(FAM_IP4) : 0 };
		proto_init(&pe->p, &cls, &tern, config_ref_get(conf), cf);
		bgp_sink_init(&pe->sink, &out, pe->all);
		if (prop_spine_has_table(k))
			bgp_sink_keep_table(&pe->sink, &tern);
		pe->ch = channel_new(
		    &pe->p, &cf->chan[is_filtered(k)], &ops, &pe->sink.sink);
		if (is_secondary(k))
			channel_secondary(pe->ch);
		proto_launch(&pe->p, WORKER_SESSION);
	}
	/* Operations go straight to the sessions: commands would wait by themselves. */
	rcu_sleep();
	for (uint32_t k = 0; k < PEERS; k++)
		while (channel_source_id(peers[k]->ch) == NO_FEEDER)
			wait_pause(100);
	rcu_wake();
}

/* The control worker isn't run here: it only takes messages that nobody handles. */
static void
end_sink(struct worker *w, TAKE struct msg *m)
{
	free(m);
	worker_stop(w);
}

static void
prop_spine_finish(void)
{
	struct msg *m;
	uint64_t until = clock_now_ns() + 60 * NS_PER_S;

	for (uint32_t k = 0; k < PEERS; k++)
		prop_spine_post(k, OP_END, 0, 0, 0, 0);
	rcu_sleep();
	while (counter32_get(&tern.workers.cnt) > 4 && clock_now_ns() < until)
		wait_pause(1000);
	rcu_wake();
	ASSERT(counter32_get(&tern.workers.cnt) == 4);
	table_delete(slot.t);
	rcu_sleep();
	while (counter32_get(&tern.workers.cnt) > 3 && clock_now_ns() < until)
		wait_pause(1000);
	rcu_wake();
	ASSERT(counter32_get(&tern.workers.cnt) == 3);
	m = calloc(1, sizeof(*m));
	m->handle = end_sink;
	worker_post(&control.worker, m);
	rcu_sleep();
	loop_pool_fini();
	htab_fini(&tern.tables.by_name);
	rcu_wake();
	rcu_drain();
	channel_spares_free(&tern);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("prop_spine");
	struct conf_table table = { .name = "master4" };
	struct conf_channel cc[2] = { { .name = "ipv4",
	    .import = &filter_accept_all,
	    .export = &filter_accept_all,
	    .table = &table } };
	struct conf_proto cf = { .name = "peer", .class = &conf_cls, .chan = cc };
	struct filter_rig filters;
	struct config_ref *conf = config_ref_new(NULL);
	struct attr_store_stats st;

	filter_rig_init(&filters);
	ASSERT(filter_rig_config(
	    &filters, "filter f { if bgp_med = 1 then reject; accept; }"));
	cc[1] = cc[0];
	cc[1].export = sym_find(filters.cfg->symbols, "f")->filter;
	prop_spine_start(argc > 1 ? (unsigned)atoi(argv[1]) : 0, conf, &cf);
	for (uint32_t round = 0; round < seed_rounds(8); round++) {
		for (uint32_t i = 0; i < 1500; i++) {
			prop_spine_step(&s, round % 2 ? 12 : 6);
			if (seed_chance(&s, 40)) {
				rcu_sleep();
				wait_spread(seed_below(&s, 4000));
				rcu_wake();
			}
		}
		for (uint32_t k = 0; k < PEERS; k++)
			if (model_blocked[k]) {
				model_blocked[k] = false;
				prop_spine_post(k, OP_UNBLOCK, 0, 0, 0, 0);
			}
		wait_quiet(round);
		prop_spine_compare(round);
		compare_tables(round);
	}
	printf("prop_spine: %llu nets sent before their turn\n",
	    (unsigned long long)prop_spine_early_cnt());
	prop_spine_finish();
	attr_store_stats(tern.store, &st);
	ASSERT(st.sets == 1 &&
	       st.wires == 1); /* the empty ones: no reference was lost or kept */
	class_registry_free(tern.session_classes); /* asserts that no class is left */
	filter_rig_fini(&filters);
	return 0;
}
