/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A BGP peer as the sink of a channel (nest/channel/export/sink.h). Decided routes become
 * UPDATE messages, shared with all sessions of the class. One bit a net records the
 * routes that the peer holds (Adj-RIB-Out); an export table, if configured, records the
 * announcements (adj_out.h).
 *
 * The session sets the encoding (bgp_sink_up, bgp_sink_set_class ...) and the destination
 * of messages (struct bgp_out). Owner: the session, in its worker; any thread may call
 * the rules. Life: embedded in the session.
 *
 * Tests: test_bgp_rules.c, test_channel_send.c, test_msg_cache.c, prop_spine.c. */
#ifndef TERN_PROTO_BGP_OUT_BGP_SINK_H
#define TERN_PROTO_BGP_OUT_BGP_SINK_H

#include "lib/mt/atomic.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/stream/msg_piece.h"
#include "proto/bgp/out/adj_out.h"
#include "proto/bgp/out/bgp_rules.h"
#include "proto/bgp/out/session_class.h"

struct bgp_sink;
struct tern;

/* The destination of messages. Constant; in the session's worker. */
struct bgp_out {
	/* room - octets that put accepts now; 0: octets wait for the socket. */
	size_t (*room)(struct bgp_sink *k);
	/* put - queue @m. The octets are borrowed until the next flush returns; a queue
	 * that needs the octets longer holds their block. */
	void (*put)(struct bgp_sink *k, const struct msg_piece *m);
	/* flush - write the queued messages, or keep the octets that the socket does not
	 * accept. */
	void (*flush)(struct bgp_sink *k);
	/* end_of_rib - a feed or a refresh is complete. */
	void (*end_of_rib)(struct bgp_sink *k);
};

/* A net of a parcel. By value, in the arena of the callback. */
struct parcel_net {
	uint32_t id;
	bool held; /* the peer held a route of the net before */
};

/* NLRI collected for one message (or more), in the arena of the callback. */
struct parcel {
	struct wire_set *wire; /* counted; NULL: withdrawals */
	const struct session_class *cls;
	uint8_t *nlri;
	uint32_t len, cap;
	struct parcel_net *net; /* of announcements: the nets, whose bits are set */
	uint32_t net_cnt, net_cap;
	bool used;
};

/* most collected sets during announcements of single nets */
#define BGP_PARCELS 8

/* The encodings of messages, by the origin of a route. Each class is interned. */
struct bgp_classes {
	const struct session_class *cls; /* NULL: the session is down */
	const struct session_class *ibgp; /* of routes from internal peers */
	/* routes from internal peers carry the ORIGINATOR_ID of their source */
	bool reflect;
	struct session_class from; /* then: ibgp for the source of one segment */
	/* of routes whose next hop stays while the next hops of other routes change; or
	 * NULL */
	const struct session_class *hop;
};

/* Owner: its session. Life: embedded in the session, one per family. */
struct bgp_sink {
	struct sink sink; /* first */
	const struct bgp_out *out;
	struct adj_out adj;
	/* destination of renamed routes; NULL: nothing was renamed yet */
	struct adj_out *next;
	struct pubptr shown; /* adj.table, for other threads */
	/* the export table is younger than the session: the table is complete when the
	 * channel no longer feeds */
	bool fills;
	struct bgp_classes classes;
	struct export_rules rules;
	/* withdrawals of refused nets, of one batch; sent before a message that may
	 * announce such a net again */
	struct parcel refused;
	uint32_t refused_batch;
	/* collected nets, 1 + BGP_PARCELS in the arena: the first parcel is for
	 * withdrawals; or NULL */
	struct parcel *parcel;
	unsigned parcel_next;
	/* time of the last log line about a route whose next hop the peer cannot use, and
	 * about a route that leads to the peer itself */
	uint64_t hop_log_ns[2];
	bool quiet; /* log no unsendable routes: another sink logs the routes. Constant */
};

extern const struct sink_ops bgp_sink_ops;

/* bgp_sink_init - before channel_new; @can_all: a session may take all paths of a net
 * (RFC 7911). bgp_sink_fini - after the channel is gone. bgp_sink_keep_table - an
 * export table is kept. If the channel is up, channel_refresh_out follows.
 * bgp_sink_drop_table - none is kept any more; while the channel is down. */
void bgp_sink_init(struct bgp_sink *k, const struct bgp_out *out, bool can_all);
void bgp_sink_keep_table(struct bgp_sink *k, const struct tern *t);
void bgp_sink_drop_table(struct bgp_sink *k);
void bgp_sink_fini(struct bgp_sink *k);

/* bgp_sink_up - before channel_up: set the encoding (copied, interned) and the rules that
 * keep routes from the peer. channel_down ends the sink. */
void bgp_sink_up(
    struct bgp_sink *k, const struct bgp_class *cls, const struct export_rules *r);
/* bgp_sink_set_class - before channel_reconf: change the encoding; no effect if the class
 * is equal. bgp_sink_set_rules - before channel_reconf: change the rules. If only the
 * treatment of well-known communities or the next hop map differs, the option belongs to
 * the export policy, and channel_reconf decides the routes anew. */
void bgp_sink_set_class(struct bgp_sink *k, const struct bgp_class *cls);
void bgp_sink_set_rules(struct bgp_sink *k, const struct export_rules *r);
/* bgp_sink_set_class_ibgp - after bgp_sink_up or bgp_sink_set_class: the class for routes
 * from internal peers. @reflect: ORIGINATOR_ID is the router id of the route's source. */
void bgp_sink_set_class_ibgp(
    struct bgp_sink *k, const struct bgp_class *cls, bool reflect);
/* bgp_sink_set_class_hop - after bgp_sink_up or bgp_sink_set_class, and before
 * channel_reconf: the class of routes from the sources @out_self_hop (HOP_*, as in
 * export_rules) whose next hop stays: an export filter has assigned it, or the peer
 * reaches it directly (RFC 4271, 5.1.3), since their source is a session on the same
 * interface, their gateway is on the link, or their source isn't direct and the next hop
 * is on the link. NULL: @out_self_hop is 0. */
void bgp_sink_set_class_hop(
    struct bgp_sink *k, const struct bgp_class *cls, uint8_t self_hop);

/* bgp_sink_like - give @k, instead of the calls above, encoding and rules of @of, which
 * is up. */
void bgp_sink_like(struct bgp_sink *k, const struct bgp_sink *of);

/* ---- bgp_parcel.c; for bgp_sink.c ---- */

/* bgp_put - queue @m at the session. */
static inline void
bgp_put(struct bgp_sink *k, const struct msg_piece *m)
{
	k->out->put(k, m);
	k->sink.queued += m->len;
	counter64_bump(&channel_stats(k->sink.ch)->messages_sent, m->msg_cnt);
}

/* bgp_class_for - the encoding of the announcements of @s that @a decides. */
static inline const struct session_class *
bgp_class_for(struct bgp_sink *k, const struct segment *s, const struct export_answer *a)
{
	struct bgp_classes *l = &k->classes;

	if (unlikely(a->way & BGP_WAY_HOP_STAYS))
		return l->hop;
	if (likely(!(s->marks & SEG_IBGP)))
		return l->cls;
	if (!l->reflect)
		return l->ibgp;
	session_class_from(&l->from, l->ibgp, s->facts->src.peer_router_id);
	return &l->from;
}

/* bgp_log_unsent - log, at a limited rate, that the nets of @nlri cannot be announced to
 * the peer with the attributes of @w, and the reason. */
void bgp_log_unsent(struct bgp_sink *k, const struct session_class *cls,
    const struct wire_set *w, const uint8_t *nlri, uint32_t len);
/* bgp_log_refused - sink_policy_ops.refused: log that the net is not sent, because the
 * peer would be its own next hop, or cannot use the next hop. */
void bgp_log_refused(
    struct sink *sink, const uint8_t *nlri, const struct export_answer *a);
/* bgp_parcel_announce - add one net to the parcel of its set. Returns: false: the net
 * cannot be announced (checked only with sink.no_promise). bgp_parcel_withdraw - withdraw
 * the net if the peer holds the net. Returns: true: the peer held the net. */
bool bgp_parcel_announce(struct bgp_sink *k, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a);
bool bgp_parcel_withdraw(
    struct bgp_sink *k, uint32_t id, const uint8_t *nlri, uint32_t len);
/* bgp_parcels_send - what was collected. */
void bgp_parcels_send(struct bgp_sink *k);
/* bgp_refused_add - withdraw one net together with other nets of the batch;
 * bgp_refused_send - send all these withdrawals. */
void bgp_refused_add(struct bgp_sink *k, const uint8_t *nlri, uint32_t len);
void bgp_refused_send(struct bgp_sink *k);

#endif
