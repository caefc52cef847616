/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A played session for prop_spine: what leaves its channel is decoded into what the peer
 * holds. Its nets are a small domain, by index. NETS is defined by who includes it. */
#ifndef TERN_TEST_LIB_SPINE_PEER_H
#define TERN_TEST_LIB_SPINE_PEER_H

#include "nest/channel/channel_priv.h"
#include "nest/rib/table_priv.h"
#include "proto/bgp/out/bgp_sink.h"
#include "test/lib/take_update.h"

#define PATH_IDS (1u << 18)

/* med: + 1; 0: it isn't held. */
struct held_path {
	uint32_t net, as, med;
};

struct peer {
	struct proto p; /* first */
	struct channel *ch;
	struct bgp_sink sink;
	uint32_t as;
	bool up, blocked;
	size_t drops; /* octets that it takes though it is blocked */
	/* MED + 1 and source AS of what the peer holds; 0: nothing */
	uint64_t held[NETS];
	/* of one that gets all paths: what each path identifier names */
	bool all;
	struct held_path by_id[PATH_IDS];
	/* what it announces: MED + 1; 0: nothing. The model's side */
	uint64_t told[NETS];
	bool stale[NETS]; /* of these: not told again since */
	uint32_t eor_cnt;
	bool asked; /* a feed is on: it may be told again what it holds */
	struct counter32 ops; /* commands that it has handled */
	struct bgp_params params;
};

static inline struct prefix
spine_peer_net_of(uint32_t i)
{
	return prefix_make(ip4(0x0b000000u + (i << 10)), 22 + i % 3, FAM_IP4);
}

static inline uint32_t
index_of(const struct prefix *p)
{
	return (ip_to_v4(p->addr) - 0x0b000000u) >> 10;
}

/* ---- what comes back ---- */

/* take_path - an identifier names one path of one net until that is withdrawn. */
static inline void
take_path(struct peer *pe, uint32_t id, const struct prefix *p, const struct wire_set *w)
{
	struct held_path now = { index_of(p), w ? w->path_first : 0, 0 }, *was;

	ASSERT(id && id < PATH_IDS);
	was = &pe->by_id[id];
	if (w)
		now.med = wire_med(w) + 1;
	if (was->med)
		ASSERT(was->net == now.net && (!w || was->as == now.as));
	else
		ASSERT(w);
	ASSERT(!pe->sink.adj.table || pe->asked || memcmp(was, &now, sizeof(now)));
	*was = now;
}

static inline void
take_net(void *arg, uint32_t path_id, const struct prefix *p, const struct wire_set *w)
{
	uint64_t now = w ? (uint64_t)(wire_med(w) + 1) << 32 | w->path_first : 0;
	struct peer *pe = arg;

	if (pe->all) {
		take_path(pe, path_id, p, w);
		return;
	}
	ASSERT(!pe->sink.adj.table || pe->asked || pe->held[index_of(p)] != now);
	pe->held[index_of(p)] = now;
}

static inline struct peer *
spine_peer_of(struct bgp_sink *k)
{
	return container_of(k, struct peer, sink);
}

static inline size_t
spine_peer_tx_room(struct bgp_sink *k)
{
	return spine_peer_of(k)->blocked ? spine_peer_of(k)->drops : 4000;
}

static inline void
spine_peer_tx_put(struct bgp_sink *k, const struct msg_piece *m)
{
	struct peer *pe = spine_peer_of(k);

	pe->drops -= pe->drops < m->len ? pe->drops : m->len;
	take_updates(&pe->params, m->data, m->len, take_net, pe);
}

static inline void
tx_flush(struct bgp_sink *k)
{
	(void)k;
}

static inline void
import_ready(struct channel *ch)
{
	(void)ch;
}

static inline void
spine_peer_feed_done(struct bgp_sink *k)
{
	spine_peer_of(k)->eor_cnt++;
	spine_peer_of(k)->asked = spine_peer_of(k)->ch->rd->sweep.all_again;
}

static const struct bgp_out out = {
	.room = spine_peer_tx_room,
	.put = spine_peer_tx_put,
	.flush = tx_flush,
	.end_of_rib = spine_peer_feed_done,
};

static inline void
spine_peer_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	(void)ch, (void)a, (void)k, (void)max;
	abort();
}

static inline bool
spine_peer_refresh(struct channel *ch)
{
	(void)ch;
	return true;
}

static inline void
spine_peer_slow(struct channel *ch)
{
	(void)ch;
	abort();
}

static inline void
spine_peer_detached(struct channel *ch)
{
	proto_gone(channel_proto(ch));
}

static const struct channel_ops ops = {
	.import_ready = import_ready,
	.limit = spine_peer_limit,
	.refresh = spine_peer_refresh,
	.slow = spine_peer_slow,
	.detached = spine_peer_detached,
};

/* ---- what it does ---- */

enum op_kind {
	OP_ANNOUNCE,
	OP_WITHDRAW,
	OP_UP,
	OP_DOWN,
	OP_AWAY,
	OP_STALE,
	OP_SWEEP,
	OP_BLOCK,
	OP_UNBLOCK,
	OP_DROPS,
	OP_REFRESH,
	OP_END
};

struct op {
	struct msg msg;
	struct peer *pe;
	enum op_kind kind;
	uint32_t first, cnt, step, med;
};

static inline void
spine_peer_forget(struct peer *pe)
{
	memset(pe->held, 0, sizeof(pe->held));
	memset(pe->by_id, 0, sizeof(pe->by_id));
}

static inline void
spine_peer_go_up(struct peer *pe)
{
	struct route_source src = { .from = ip4(0x7f000000u + pe->as),
		.peer_as = pe->as };
	struct export_rules rules = { .peer_addr = src.from };
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.ids = pe->all;
	spine_peer_forget(pe);
	pe->up = true;
	pe->asked = true;
	bgp_sink_up(&pe->sink, &cls, &rules);
	channel_up(pe->ch, &src);
}

static inline void
spine_peer_announce(struct peer *pe, const struct op *o)
{
	uint8_t nlri[4096 + 16], data[64], path[6] = { AS_SEQUENCE, 1 }, med[4], nh[4];
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint32_t len = 0;

	for (uint32_t i = 0; i < o->cnt; i++) {
		struct prefix p = spine_peer_net_of((o->first + i * o->step) % NETS);

		len += prefix_put(nlri + len, &p);
	}
	memset(nlri + len, 0, 16);
	if (o->kind == OP_WITHDRAW) {
		channel_withdraw(pe->ch, nlri, len);
		return;
	}
	put_be32(path + 2, pe->as);
	put_be32(med, o->med);
	put_be32(nh, 0x0a000001);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, sizeof(nh));
	wire_item(&w, 0x80, ATTR_MED, med, sizeof(med));
	channel_import(pe->ch, data, (uint32_t)wbuf_len(&w), &local, nlri, len);
}

static inline void
spine_peer_handle_op(struct worker *w, TAKE struct msg *m)
{
	struct op *o = container_of(m, struct op, msg);
	struct peer *pe = o->pe;

	(void)w;
	switch (o->kind) {
	case OP_UP:
		spine_peer_go_up(pe);
		break;
	case OP_DOWN:
		pe->up = false;
		channel_down(pe->ch);
		spine_peer_forget(pe);
		break;
	case OP_AWAY:
		pe->up = false;
		channel_away(pe->ch);
		spine_peer_forget(pe);
		break;
	case OP_STALE:
		channel_stale(pe->ch);
		break;
	case OP_SWEEP:
		channel_sweep(pe->ch);
		break;
	case OP_BLOCK:
		pe->blocked = true;
		break;
	case OP_UNBLOCK:
		pe->blocked = false;
		worker_again(&pe->p.worker);
		break;
	case OP_DROPS:
		pe->drops = o->cnt;
		worker_again(&pe->p.worker);
		break;
	case OP_REFRESH:
		pe->asked = true;
		channel_refresh_out(pe->ch);
		break;
	case OP_END:
		channel_down(pe->ch);
		channel_detach(pe->ch);
		break;
	default:
		spine_peer_announce(pe, o);
		break;
	}
	counter32_add(&pe->ops, 1);
	free(o);
}

/* ---- what a model knows of it ---- */

static inline void
model_tell(struct peer *pe, uint32_t first, uint32_t cnt, uint32_t step, uint64_t v)
{
	for (uint32_t i = 0; i < cnt; i++) {
		pe->told[(first + i * step) % NETS] = v;
		pe->stale[(first + i * step) % NETS] = false;
	}
}

/* model_drop - of all that @pe told, or of what is stale. */
static inline void
spine_peer_model_drop(struct peer *pe, bool all)
{
	for (uint32_t i = 0; i < NETS; i++)
		if (all || pe->stale[i])
			pe->told[i] = pe->stale[i] = 0;
}

static inline void
model_stale(struct peer *pe)
{
	for (uint32_t i = 0; i < NETS; i++)
		pe->stale[i] = pe->told[i];
}

#endif
