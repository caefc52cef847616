/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipes against a naive model: real tables, pipes and threads; those who bring routes are
 * played here.
 *
 * Three tables in a row, A to B to C, piped both ways. Feeders of each table announce and
 * withdraw random nets out of a small domain, many at a time, so that all rings are full
 * for long; they come and go. Pipes are stopped, restarted, reloaded, deleted and made
 * again. When all is quiet, each table must have exactly the paths that its own feeders
 * and the pipes let it have, from where they come: all paths of a net, each once.
 *
 * Usage: prop_pipe [threads]. TERN_SEED replays the choices (not the interleaving). */
#include "filter/lang/compile.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/daemon/control_priv.h"
#include "proto/bgp/out/msg_cache.h"
#include "proto/pipe/pipe.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/latch.h"
#define NETS 2000
#include "test/lib/filter_run.h"
#include "test/lib/seed.h"
#include "test/lib/table_find.h"
#include "test/lib/wait.h"
#include "test/lib/wire.h"

#include <unistd.h>

#define TABLES  3
#define FEEDERS 6 /* two a table */
#define VALS    4
#define REFUSED 1 /* from B to C: this MED */
#define PIPES   2 /* pipe k between tables k and k + 1 */

static struct tern tern;
static struct control control;
static struct table_slot slot[TABLES];
static struct conf_table cf_table[TABLES];
static struct config_ref *conf;
static struct latch all_gone;

static struct prefix
prop_pipe_net_of(uint32_t i)
{
	return prefix_make(ip4(0x0b000000u + (i << 8)), 24, FAM_IP4);
}

/* ---- who brings routes ---- */

struct source {
	struct proto p; /* first */
	struct channel *ch;
	uint32_t as;
	struct counter32 ops;
	/* the model */
	uint32_t posted;
	bool up;
	uint8_t announced[NETS]; /* MED + 1 */
};

static struct source *source[FEEDERS];

enum op_kind { OP_ANNOUNCE, OP_WITHDRAW, OP_UP, OP_DOWN, OP_END };

struct op {
	struct msg msg;
	struct source *s;
	enum op_kind kind;
	uint32_t first, cnt, step, med;
};

static void
prop_pipe_announce(struct source *s, const struct op *o)
{
	uint8_t nlri[4 * NETS + 16], data[64], path[6] = { AS_SEQUENCE, 1 }, val[4];
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint32_t len = 0;

	for (uint32_t i = 0; i < o->cnt; i++) {
		struct prefix p = prop_pipe_net_of((o->first + i * o->step) % NETS);

		len += prefix_put(nlri + len, &p);
	}
	memset(nlri + len, 0, 16);
	if (o->kind == OP_WITHDRAW) {
		channel_withdraw(s->ch, nlri, len);
		return;
	}
	put_be32(path + 2, s->as);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	put_be32(val, 0x0a000001);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, sizeof(val));
	put_be32(val, o->med);
	wire_item(&w, 0x80, ATTR_MED, val, sizeof(val));
	channel_import(s->ch, data, (uint32_t)wbuf_len(&w), &local, nlri, len);
}

static void
prop_pipe_handle_op(struct worker *w, TAKE struct msg *m)
{
	struct op *o = container_of(m, struct op, msg);
	struct source *s = o->s;
	struct route_source src = { .from = ip4(0x7f000000u + s->as), .peer_as = s->as };

	(void)w;
	switch (o->kind) {
	case OP_UP:
		channel_up(s->ch, &src);
		break;
	case OP_DOWN:
		channel_down(s->ch);
		break;
	case OP_END:
		channel_down(s->ch);
		channel_detach(s->ch);
		break;
	default:
		prop_pipe_announce(s, o);
		break;
	}
	counter32_add(&s->ops, 1);
	free(o);
}

static void
prop_pipe_post(struct source *s, const struct op *what)
{
	struct op *o = malloc(sizeof(*o));

	*o = *what;
	o->msg.handle = prop_pipe_handle_op;
	o->s = s;
	s->posted++;
	worker_post(&s->p.worker, &o->msg);
}

static void
prop_pipe_nothing(struct channel *ch)
{
	(void)ch;
}

static void
prop_pipe_detached(struct channel *ch)
{
	proto_gone(channel_proto(ch));
}

static const struct channel_ops source_ops = {
	.import_ready = prop_pipe_nothing,
	.detached = prop_pipe_detached,
};

static void
prop_pipe_source_free(struct proto *p)
{
	struct source *s = (struct source *)p;

	channel_free(s->ch);
}

static void
prop_pipe_no_command(struct proto *p, struct proto_cmd *cmd)
{
	(void)p, (void)cmd;
}

static const struct conf_class conf_cls = { .keyword = "fake", .name = "Fake" };
static const struct proto_class cls = {
	.conf = &conf_cls,
	.size = sizeof(struct source),
	.command = prop_pipe_no_command,
	.free = prop_pipe_source_free,
};

/* ---- pipes ---- */

static struct pipe_conf pipe_options = { .max_generation = 16 };
static struct conf_channel pipe_chan[PIPES][PIPE_SIDES];
static struct conf_proto pipe_cf[PIPES];
static struct proto *pipes[PIPES];
static bool pipe_up[PIPES];

static void
pipe_new(unsigned k)
{
	pipes[k] = proto_make(&pipe_proto_class, &tern, &pipe_cf[k]);
	proto_init(pipes[k], &pipe_proto_class, &tern, config_ref_get(conf), &pipe_cf[k]);
	proto_launch(pipes[k], WORKER_SESSION);
	proto_post(pipes[k], PROTO_START, PR_NONE, NULL);
	pipe_up[k] = true;
}

static void
pipe_conf(unsigned k, const struct filter *out)
{
	for (unsigned i = 0; i < PIPE_SIDES; i++)
		pipe_chan[k][i] = (struct conf_channel){ .name = "ipv4",
			.side = (uint8_t)i,
			.import = &filter_accept_all,
			.export = i ? &filter_accept_all : out,
			.table = &cf_table[k + i] };
	pipe_chan[k][0].next = &pipe_chan[k][1];
	pipe_cf[k] = (struct conf_proto){ .name = "pipe",
		.class = &pipe_conf_class,
		.chan = pipe_chan[k],
		.opt = &pipe_options };
}

/* ---- the model ---- */

/* passes - may what feeder @f says of @net be in table @t? */
static bool
prop_pipe_passes(uint32_t f, uint32_t net, unsigned t)
{
	unsigned at = f % TABLES;

	if (!source[f]->up || !source[f]->announced[net])
		return false;
	for (; at != t; at += at < t ? 1u : -1u) {
		if (!pipe_up[at < t ? at : at - 1])
			return false;
		if (at == 1 && t == 2 && source[f]->announced[net] == REFUSED + 1)
			return false;
	}
	return true;
}

/* differs - is @net in table @t another one than the model's? */
static bool
prop_pipe_differs(unsigned t, uint32_t net)
{
	struct prefix p = prop_pipe_net_of(net);
	const struct net *n = rig_find(slot[t].t, &p);
	const struct path *q = n ? net_first(n) : NULL;
	uint32_t seen = 0, want = 0;

	for (uint32_t f = 0; f < FEEDERS; f++)
		want |= (uint32_t)prop_pipe_passes(f, net, t) << f;
	for (; q; q = path_next(q)) {
		const struct route_source *src = path_facts(slot[t].t, q);
		uint32_t f = src ? src->peer_as - 1 : 0;

		if (!path_live(slot[t].t, q))
			continue;
		if (!src ||
		    wire_med(path_set(q)->wire) + 1 != source[f]->announced[net] ||
		    (seen & 1u << f))
			return true;
		seen |= 1u << f;
	}
	return seen != want;
}

static void
prop_pipe_tell(unsigned t, uint32_t net)
{
	struct prefix p = prop_pipe_net_of(net);
	const struct net *n = rig_find(slot[t].t, &p);

	fprintf(
	    stderr, "table %u net %u, pipes %d %d:\n", t, net, pipe_up[0], pipe_up[1]);
	for (const struct path *q = n ? net_first(n) : NULL; q; q = path_next(q)) {
		const struct route_source *src = path_facts(slot[t].t, q);

		fprintf(stderr, " has %u med %u by %u rid %u live %d\n",
		    src ? src->peer_as - 1 : 99, wire_med(path_set(q)->wire), path_src(q),
		    path_rid(q), path_live(slot[t].t, q));
	}
	for (uint32_t f = 0; f < FEEDERS; f++)
		if (prop_pipe_passes(f, net, t))
			fprintf(stderr, " should have %u med %d\n", f,
			    source[f]->announced[net] - 1);
}

/* all_done - have the sources done all that they were asked for? */
static bool
all_done(void)
{
	for (uint32_t f = 0; f < FEEDERS; f++)
		if (counter32_get(&source[f]->ops) != source[f]->posted)
			return false;
	return true;
}

/* wait_equal - until all tables are what the model says. */
static void
wait_equal(uint32_t round)
{
	uint64_t until = clock_now_ns() + 60 * NS_PER_S;
	unsigned t = 0, still = 0;
	uint32_t net = 0;

	while (still < 3) {
		bool equal = all_done();

		for (t = 0; t < TABLES && equal; t++)
			for (net = 0; net < NETS && equal; net++)
				equal = !prop_pipe_differs(t, net);
		if (!equal && clock_now_ns() > until) {
			fprintf(stderr, "round %u: not equal after 60 s\n", round);
			if (t)
				prop_pipe_tell(t - 1, net - 1);
			abort();
		}
		still = equal ? still + 1 : 0;
		rcu_sleep();
		wait_pause(10000);
		rcu_wake();
	}
}

/* ---- steps ---- */

static void
step_pipe(struct seed *s, unsigned k)
{
	switch (seed_below(s, 6)) {
	case 0:
		pipe_up[k] = !pipe_up[k];
		proto_post(
		    pipes[k], pipe_up[k] ? PROTO_START : PROTO_STOP, PR_NONE, NULL);
		break;
	case 1:
		proto_post(pipes[k], PROTO_RESTART, PR_NONE, NULL);
		pipe_up[k] = true;
		break;
	case 2:
		proto_post(pipes[k], PROTO_RELOAD_IN, PR_NONE, NULL);
		break;
	case 3:
		proto_post(pipes[k], PROTO_RELOAD, PR_NONE, NULL);
		break;
	default:
		proto_post(pipes[k], PROTO_DELETE, PR_NONE, NULL);
		pipe_new(k);
		break;
	}
}

static void
prop_pipe_step(struct seed *s, unsigned withdrawals)
{
	uint32_t f = seed_below(s, FEEDERS);
	struct op o = { .first = seed_below(s, NETS),
		.cnt = 1 + seed_below(s, seed_chance(s, 4) ? NETS : 20),
		.step = seed_chance(s, 3) ? 1 + seed_below(s, 40) : 1,
		.med = seed_below(s, VALS) };

	if (seed_chance(s, 100)) {
		step_pipe(s, seed_below(s, PIPES));
		return;
	}
	if (seed_chance(s, 100)) {
		source[f]->up = !source[f]->up;
		memset(source[f]->announced, 0, sizeof(source[f]->announced));
		o.kind = source[f]->up ? OP_UP : OP_DOWN;
		prop_pipe_post(source[f], &o);
		return;
	}
	if (!source[f]->up)
		return;
	o.kind = seed_below(s, 16) < withdrawals ? OP_WITHDRAW : OP_ANNOUNCE;
	for (uint32_t i = 0; i < o.cnt; i++)
		source[f]->announced[(o.first + i * o.step) % NETS] =
		    o.kind == OP_WITHDRAW ? 0 : (uint8_t)(o.med + 1);
	prop_pipe_post(source[f], &o);
}

/* ---- the frame ---- */

static const struct worker_ops control_ops;

static void
make_table(unsigned i)
{
	static const char *const name[] = { "A", "B", "C" };

	cf_table[i] = (struct conf_table){ .name = name[i], .kind = TABLE_IP4 };
	slot[i].name = (char *)(uintptr_t)name[i];
	slot[i].t = table_new(&tern, &cf_table[i]);
	list_add_tail(&control.tables, &slot[i].link);
	tern_table_add(&tern, &slot[i].named, slot[i].name, slot[i].t);
}

static void
prop_pipe_start(unsigned threads)
{
	static struct conf_channel chan[FEEDERS];
	static struct conf_proto cf[FEEDERS];

	signal_block(NULL, 0);
	rcu_join();
	loop_pool_limit(threads);
	worker_start(&control.worker, &control_ops, WORKER_CONTROL, "control");
	tern.store = attr_store_new();
	tern.origins = origins_new();
	tern.seg_class = &bgp_seg_class;
	tern.process.thread_limit = threads;
	tern.control.worker = &control.worker;
	tern.control.ops = &control_plane_ops;
	control.tern = &tern;
	list_init(&control.instances);
	list_init(&control.tables);
	htab_init(&tern.tables.by_name, MEM_CONFIG);
	latch_init(&all_gone);
	control.end.all_gone = &all_gone;
	control.conf = conf;
	for (unsigned i = 0; i < 3; i++)
		tern_worker_start(&tern); /* so that the count tells of no end */
	for (unsigned i = 0; i < TABLES; i++)
		make_table(i);
	for (uint32_t k = 0; k < FEEDERS; k++) {
		struct source *s = (struct source *)proto_make(&cls, &tern, &cf[k]);

		chan[k] = (struct conf_channel){ .name = "ipv4",
			.import = &filter_accept_all,
			.export = &filter_reject_all,
			.preference = 100,
			.table = &cf_table[k % TABLES] };
		cf[k] = (struct conf_proto){
			.name = "source", .class = &conf_cls, .chan = &chan[k]
		};
		source[k] = s;
		s->as = k + 1;
		proto_init(&s->p, &cls, &tern, config_ref_get(conf), &cf[k]);
		s->ch = channel_new(&s->p, &chan[k], &source_ops, NULL);
		proto_launch(&s->p, WORKER_SESSION);
		rcu_sleep();
		while (channel_source_id(s->ch) == NO_FEEDER)
			wait_pause(100);
		rcu_wake();
	}
}

static void
end_control(struct worker *w, TAKE struct msg *m)
{
	free(m);
	worker_stop(w);
}

static void
prop_pipe_wait_workers(uint32_t cnt)
{
	uint64_t until = clock_now_ns() + 60 * NS_PER_S;

	rcu_sleep();
	while (counter32_get(&tern.workers.cnt) > cnt && clock_now_ns() < until)
		wait_pause(1000);
	rcu_wake();
	ASSERT(counter32_get(&tern.workers.cnt) == cnt);
}

static void
prop_pipe_finish(void)
{
	struct op end = { .kind = OP_END };
	struct msg *m = calloc(1, sizeof(*m));

	for (unsigned k = 0; k < PIPES; k++)
		proto_post(pipes[k], PROTO_DELETE, PR_NONE, NULL);
	for (uint32_t k = 0; k < FEEDERS; k++)
		prop_pipe_post(source[k], &end);
	prop_pipe_wait_workers(3 + TABLES);
	for (unsigned i = 0; i < TABLES; i++)
		table_delete(slot[i].t);
	prop_pipe_wait_workers(3);
	m->handle = end_control;
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
	struct seed s = seed_start("prop_pipe");
	struct attr_store_stats st;
	struct filter_rig filters;

	conf = config_ref_new(NULL);
	filter_rig_init(&filters);
	ASSERT(filter_rig_config(
	    &filters, "filter f { if bgp_med = 1 then reject; accept; }"));
	prop_pipe_start(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
	pipe_conf(0, &filter_accept_all);
	pipe_conf(1, sym_find(filters.cfg->symbols, "f")->filter);
	for (unsigned k = 0; k < PIPES; k++)
		pipe_new(k);
	for (uint32_t round = 0; round < seed_rounds(6); round++) {
		for (uint32_t i = 0; i < 800; i++) {
			prop_pipe_step(&s, round % 2 ? 12 : 5);
			if (seed_chance(&s, 40)) {
				rcu_sleep();
				wait_spread(seed_below(&s, 4000));
				rcu_wake();
			}
		}
		wait_equal(round);
	}
	prop_pipe_finish();
	attr_store_stats(tern.store, &st);
	ASSERT(st.sets == 1 && st.wires == 1);
	attr_store_free(tern.store);
	origins_free(tern.origins);
	config_ref_put(conf);
	rcu_drain();
	filter_rig_fini(&filters);
	rcu_leave();
	return 0;
}
