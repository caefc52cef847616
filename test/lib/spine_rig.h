/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table with played sessions, for tests: real workers, but nothing runs in a session
 * unless the test says so.
 *
 * rig_start makes the store, one IPv4 table and PEERS sessions whose workers have no
 * `run` and no `ready`: the journal is read only by rig_export. rig_in calls a function
 * in a worker's thread and waits. Nets are numbers (rig_net); what a peer holds is
 * decoded from the messages that its channel puts. */
#ifndef TERN_TEST_LIB_SPINE_RIG_H
#define TERN_TEST_LIB_SPINE_RIG_H

#include "filter/lang/compile.h"
#include "nest/channel/channel_priv.h"
#include "nest/rib/table_priv.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/daemon/control_priv.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/msg_cache.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/latch.h"
#include "sysdep/log/log.h"
#include "test/lib/rig_call.h"
#include "test/lib/take_update.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <stdio.h>

#ifndef RIG_PEERS
#define RIG_PEERS 4
#endif
#define RIG_NETS 4096
#ifndef RIG_CAN_ALL /* do sinks take all paths of a net, if their class has ids? */
#define RIG_CAN_ALL false
#endif

struct rig_peer {
	struct proto p; /* first */
	struct channel *ch;
	struct bgp_sink sink;
	uint32_t as;
	size_t room; /* what its sink has room for; 0: blocked */
	bool fills; /* what is put takes room away, until somebody sets it anew */
	uint64_t held[RIG_NETS]; /* MED + 1 and first AS of the path; 0: nothing */
	uint32_t eor_cnt, msg_cnt, refresh_cnt, limit_cnt, slow_cnt, ready_cnt, octets;
	bool count_only; /* messages are counted, not decoded; nets may be any */
	struct bgp_params params;
};

static struct {
	struct tern tern;
	struct control control;
	struct table_slot slot;
	struct config_ref *conf;
	struct conf_table cf_table;
	struct conf_channel cf_chan[RIG_PEERS];
	struct conf_proto cf_proto[RIG_PEERS];
	struct rig_peer *peer[RIG_PEERS];
	struct latch all_gone;
} rig;

/* Bit k: peer k has `secondary`; set before rig_start. */
static unsigned rig_secondary;
/* Likewise: it has an export table. */
static unsigned rig_tables;

static inline struct table *
rig_table(void)
{
	return rig.slot.t;
}

/* rig_settle - until the table has taken all records and published. */
static inline void
rig_settle(void)
{
	uint64_t until = rig_until();

	for (unsigned quiet = 0; quiet < 3;) {
		bool busy = load_relaxed_ptr(&rig_table()->feeders.active) != NULL;

		for (unsigned i = 0; i < RIG_PEERS; i++)
			busy |= !ring_empty(&rig.peer[i]->ch->ts.ring) ||
				load_relaxed32(&rig.peer[i]->ch->ts.queue.queued);
		rig_in(&rig_table()->worker, rig_nothing, NULL);
		quiet = busy ? 0 : quiet + 1;
		assert_true(clock_now_ns() < until);
	}
}

/* ---- nets and messages ---- */

static inline struct prefix
rig_net(uint32_t i)
{
	return prefix_make(ip4(0x0b000000u + (i << 8)), 24, FAM_IP4);
}

static inline uint32_t
rig_net_index(const struct prefix *p)
{
	return (ip_to_v4(p->addr) - 0x0b000000u) >> 8;
}

static inline uint32_t
rig_nlri(uint8_t *nlri, uint32_t first, uint32_t cnt)
{
	uint32_t len = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		struct prefix p = rig_net(first + i);

		len += prefix_put(nlri + len, &p);
	}
	memset(nlri + len, 0, 16);
	return len;
}

/* rig_attrs - ORIGIN, AS_PATH of one AS, NEXT_HOP, MED. Returns: octets. */
static inline uint32_t
rig_attrs(uint8_t data[64], uint32_t as, uint32_t med)
{
	uint8_t path[6] = { AS_SEQUENCE, 1 }, val[4];
	struct wbuf w = wbuf_of(data, 64);

	put_be32(path + 2, as);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	put_be32(val, 0x0a000001);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, 4);
	put_be32(val, med);
	wire_item(&w, 0x80, ATTR_MED, val, 4);
	return (uint32_t)wbuf_len(&w);
}

static inline uint64_t
rig_holds(uint32_t as, uint32_t med)
{
	return (uint64_t)(med + 1) << 32 | as;
}

/* ---- what a session's class does ---- */

static inline struct rig_peer *
rig_peer_of(struct channel *ch)
{
	return (struct rig_peer *)channel_proto(ch);
}

static inline struct rig_peer *
rig_peer_of_sink(struct bgp_sink *k)
{
	return container_of(k, struct rig_peer, sink);
}

static inline size_t
rig_tx_room(struct bgp_sink *k)
{
	return rig_peer_of_sink(k)->room;
}

static inline void
rig_take_net(
    void *arg, uint32_t path_id, const struct prefix *p, const struct wire_set *w)
{
	struct rig_peer *pe = arg;

	(void)path_id;
	pe->held[rig_net_index(p)] = w ? rig_holds(w->path_first, wire_med(w)) : 0;
}

static inline void
rig_tx_put(struct bgp_sink *k, const struct msg_piece *m)
{
	struct rig_peer *pe = rig_peer_of_sink(k);

	pe->msg_cnt += m->msg_cnt;
	pe->octets += m->len;
	if (pe->fills)
		pe->room -= pe->room < m->len ? pe->room : m->len;
	if (!pe->count_only)
		take_updates(&pe->params, m->data, m->len, rig_take_net, pe);
}

static inline void
rig_tx_flush(struct bgp_sink *k)
{
	(void)k;
}

static inline void
rig_import_ready(struct channel *ch)
{
	rig_peer_of(ch)->ready_cnt++;
}

static inline void
rig_feed_done(struct bgp_sink *k)
{
	rig_peer_of_sink(k)->eor_cnt++;
}

static const struct bgp_out rig_out = {
	.room = rig_tx_room,
	.put = rig_tx_put,
	.flush = rig_tx_flush,
	.end_of_rib = rig_feed_done,
};

static inline void
rig_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	(void)a, (void)k, (void)max;
	rig_peer_of(ch)->limit_cnt++;
}

static inline bool
rig_refresh(struct channel *ch)
{
	rig_peer_of(ch)->refresh_cnt++;
	return true;
}

static inline void
rig_slow(struct channel *ch)
{
	rig_peer_of(ch)->slow_cnt++;
}

static inline void
rig_detached(struct channel *ch)
{
	worker_stop(&channel_proto(ch)->worker);
}

static const struct channel_ops rig_channel_ops = {
	.import_ready = rig_import_ready,
	.limit = rig_limit,
	.refresh = rig_refresh,
	.slow = rig_slow,
	.detached = rig_detached,
};

/* Best is the lowest MED, then the lowest source. */
static inline int
rig_rank(const struct route_cand *a, const struct route_cand *b)
{
	return (wire_med(a->set->wire) > wire_med(b->set->wire)) -
	       (wire_med(a->set->wire) < wire_med(b->set->wire));
}

static const struct conf_class rig_conf_class = { .keyword = "fake", .name = "Fake" };
/* A benchmark puts another decision here before rig_start. */
static struct proto_class rig_class = {
	.conf = &rig_conf_class,
	.order.rank = rig_rank,
};

/* ---- what sessions do; each waits until it is done ---- */

/* What a session is when it comes up. */
struct rig_as {
	struct rig_peer *pe;
	const struct route_source *src;
	const struct export_rules *rules; /* NULL: the peer's address alone */
	const struct bgp_class *cls; /* NULL: what bgp_class_init says */
};

static inline void
rig_do_up_as(void *arg)
{
	const struct rig_as *as = arg;
	struct rig_peer *pe = as->pe;
	struct export_rules rules = { .peer_addr = as->src->from };
	struct bgp_class cls;

	bgp_class_init(&cls);
	memset(pe->held, 0, sizeof(pe->held));
	bgp_sink_up(container_of(pe->ch->sink, struct bgp_sink, sink),
	    as->cls ? as->cls : &cls, as->rules ? as->rules : &rules);
	channel_up(pe->ch, as->src);
}

static inline void
rig_do_up(void *arg)
{
	struct rig_peer *pe = arg;
	struct route_source src = { .from = ip4(0x7f000000u + pe->as),
		.peer_as = pe->as,
		.is_bgp = true,
		.is_ebgp = true };
	struct export_rules rules = { .peer_addr = src.from,
		.interpret_communities = true };

	rig_do_up_as(&(struct rig_as){ pe, &src, &rules, NULL });
}

static inline void
rig_do_down(void *arg)
{
	struct rig_peer *pe = arg;

	channel_down(pe->ch);
}

static inline void
rig_do_detach(void *arg)
{
	struct rig_peer *pe = arg;

	if (!pe->ch->life.detaching)
		channel_detach(pe->ch);
}

/* One turn's worth until nothing more is to be done. */
static inline void
rig_do_export(void *arg)
{
	struct rig_peer *pe = arg;

	channel_step(pe->ch);
	while (channel_export_run(pe->ch))
		;
}

struct rig_route {
	struct rig_peer *pe;
	uint32_t first, cnt, as, med;
};

static inline void
rig_do_announce(void *arg)
{
	struct rig_route *r = arg;
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint8_t data[64], nlri[RIG_NETS * 4 + 16];
	uint32_t len = rig_nlri(nlri, r->first, r->cnt);

	channel_import(
	    r->pe->ch, data, rig_attrs(data, r->as, r->med), &local, nlri, len);
}

static inline void
rig_do_withdraw(void *arg)
{
	struct rig_route *r = arg;
	uint8_t nlri[RIG_NETS * 4 + 16];

	channel_withdraw(r->pe->ch, nlri, rig_nlri(nlri, r->first, r->cnt));
}

static inline void
spine_rig_up(unsigned k)
{
	rig_in(&rig.peer[k]->p.worker, rig_do_up, rig.peer[k]);
	rig_settle();
}

/* rig_up_as - the same, as somebody else. */
static inline void
rig_up_as(unsigned k, const struct route_source *src, const struct export_rules *rules,
    const struct bgp_class *cls)
{
	struct rig_as as = { rig.peer[k], src, rules, cls };

	rig_in(&as.pe->p.worker, rig_do_up_as, &as);
	rig_settle();
}

static inline void
spine_rig_down(unsigned k)
{
	rig_in(&rig.peer[k]->p.worker, rig_do_down, rig.peer[k]);
	rig_settle();
}

static inline void
rig_export(unsigned k)
{
	rig_in(&rig.peer[k]->p.worker, rig_do_export, rig.peer[k]);
}

/* rig_announce - nets @first to @first + @cnt - 1 from peer @k, with a path of @as and
 * @med. */
static inline void
rig_announce(unsigned k, uint32_t first, uint32_t cnt, uint32_t as, uint32_t med)
{
	struct rig_route r = { rig.peer[k], first, cnt, as, med };

	rig_in(&rig.peer[k]->p.worker, rig_do_announce, &r);
	rig_settle();
}

static inline void
rig_withdraw(unsigned k, uint32_t first, uint32_t cnt)
{
	struct rig_route r = { rig.peer[k], first, cnt, 0, 0 };

	rig_in(&rig.peer[k]->p.worker, rig_do_withdraw, &r);
	rig_settle();
}

/* ---- start and end ---- */

/* rig_log_to - what is logged goes to @path; log_stop ends it. */
static inline void
rig_log_to(const char *path)
{
	struct log_sink sink = {
		.target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path
	};
	const char *bad;

	log_start();
	assert_int_equal(log_configure(&sink, 1, &time_iso_long, &bad), 0);
}

static inline void
rig_hush(void)
{
	rig_log_to("/dev/null");
}

static inline void
rig_worker_gone(struct worker *w)
{
	struct proto *p = container_of(w, struct proto, worker);

	mem_free(MEM_PROTO, load_relaxed_ptr(&p->status));
	config_ref_put(p->conf);
	channel_free(((struct rig_peer *)p)->ch);
	bgp_sink_fini(&((struct rig_peer *)p)->sink);
	mem_free(MEM_PROTO, (char *)(uintptr_t)p->name);
	free(p);
	tern_worker_gone(&rig.tern);
}

/* rig_session_run - as the run of an instance: commands that waited for tables. */
static void
rig_session_run(struct worker *w)
{
	proto_carry_out(container_of(w, struct proto, worker));
}

static const struct worker_ops rig_session_ops = { .run = rig_session_run,
	.gone = rig_worker_gone };
static const struct worker_ops rig_control_ops;

/* rig_peer_new - with the configuration of peer @k; its worker isn't there yet. */
static inline struct rig_peer *
rig_peer_new(unsigned k)
{
	struct rig_peer *pe = calloc(1, sizeof(*pe));

	rig.cf_chan[k] = (struct conf_channel){ .name = "ipv4",
		.import = &filter_accept_all,
		.export = &filter_accept_all,
		.preference = 100,
		.table = &rig.cf_table };
	rig.cf_proto[k] = (struct conf_proto){
		.name = "peer", .class = &rig_conf_class, .chan = &rig.cf_chan[k]
	};
	pe->as = k + 1;
	pe->room = 4000;
	pe->params = (struct bgp_params){ .local_as = 65000,
		.peer_as = 1,
		.fam = FAM_BIT(FAM_IP4),
		.as4 = true,
		.rs_client = true };
	proto_init(
	    &pe->p, &rig_class, &rig.tern, config_ref_get(rig.conf), &rig.cf_proto[k]);
	bgp_sink_init(&pe->sink, &rig_out, RIG_CAN_ALL);
	if (rig_tables & 1u << k)
		bgp_sink_keep_table(&pe->sink, &rig.tern);
	pe->ch = channel_new(&pe->p, &rig.cf_chan[k], &rig_channel_ops, &pe->sink.sink);
	if (rig_secondary & 1u << k)
		channel_secondary(pe->ch);
	return pe;
}

static inline void
rig_peer_launch(struct rig_peer *pe)
{
	tern_worker_start(&rig.tern);
	worker_start(&pe->p.worker, &rig_session_ops, WORKER_SESSION, "peer");
	channel_attach(pe->ch);
}

static inline int
rig_start(void **state)
{
	(void)state;
	memset(&rig, 0, sizeof(rig));
	rcu_join();
	loop_pool_limit(0);
	rig.conf = config_ref_new(NULL);
	rig.tern.store = attr_store_new();
	rig.tern.origins = origins_new();
	rig.tern.session_classes = class_registry_new();
	rig.tern.seg_class = &bgp_seg_class;
	rig.tern.control.worker = &rig.control.worker;
	rig.tern.control.ops = &control_plane_ops;
	rig.control.tern = &rig.tern;
	rig.control.conf = rig.conf;
	list_init(&rig.control.instances);
	list_init(&rig.control.tables);
	latch_init(&rig.all_gone);
	rig.control.end.all_gone = &rig.all_gone;
	worker_start(&rig.control.worker, &rig_control_ops, WORKER_CONTROL, "control");
	rig.cf_table = (struct conf_table){ .name = "master4", .kind = TABLE_IP4 };
	rig.slot.name = (char *)(uintptr_t)rig.cf_table.name;
	for (unsigned i = 0; i < 3; i++)
		tern_worker_start(&rig.tern); /* so that the count tells of no end */
	rig.slot.t = table_new(&rig.tern, &rig.cf_table);
	list_add_tail(&rig.control.tables, &rig.slot.link);
	htab_init(&rig.tern.tables.by_name, MEM_CONFIG);
	tern_table_add(&rig.tern, &rig.slot.named, rig.slot.name, rig.slot.t);
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		rig.peer[k] = rig_peer_new(k);
		rig_peer_launch(rig.peer[k]);
	}
	rig_settle();
	return 0;
}

static inline void
rig_wait_workers(uint32_t cnt)
{
	uint64_t until = rig_until();

	rcu_sleep();
	while (counter32_get(&rig.tern.workers.cnt) > cnt && clock_now_ns() < until)
		wait_pause(500);
	rcu_wake();
	assert_int_equal(counter32_get(&rig.tern.workers.cnt), cnt);
}

static inline void
rig_end_control(struct worker *w, TAKE struct msg *m)
{
	free(m);
	worker_stop(w);
}

/* rig_finish - down, detached, gone; no reference may be left. */
static inline int
rig_finish(void **state)
{
	struct attr_store_stats st;
	struct msg *m = calloc(1, sizeof(*m));

	(void)state;
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		rig_in(&rig.peer[k]->p.worker, rig_do_down, rig.peer[k]);
		rig_in(&rig.peer[k]->p.worker, rig_do_detach, rig.peer[k]);
	}
	rig_wait_workers(4);
	table_delete(rig.slot.t);
	rig_wait_workers(3);
	m->handle = rig_end_control;
	worker_post(&rig.control.worker, m);
	rcu_sleep();
	loop_pool_fini();
	rcu_wake();
	htab_fini(&rig.tern.tables.by_name);
	config_ref_put(rig.conf);
	rcu_drain();
	attr_store_stats(rig.tern.store, &st);
	assert_int_equal(st.sets, 1);
	assert_int_equal(st.wires, 1);
	class_registry_free(rig.tern.session_classes);
	channel_spares_free(&rig.tern);
	attr_store_free(rig.tern.store);
	origins_free(rig.tern.origins);
	rcu_drain();
	rcu_leave();
	return 0;
}

#define RIG_TEST(fn) cmocka_unit_test_setup_teardown(fn, rig_start, rig_finish)

#endif
