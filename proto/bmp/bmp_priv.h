/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of BMP that reports to stations. Only files of this folder include the
 * header.
 *
 * Sessions post events to the inbox of the monitor. The instance moves UPDATEs from the
 * inbox to the queue of each station. Readers (nest/rib/read.h) read the tables. Each
 * station has its own set of readers, so a lagging station needs no queue for routes of
 * tables.
 *
 *      sessions -> monitor inbox -> bmp_who (up, down)      -> Peer Up, Peer Down
 *                                -> bmp_station.queue       -> pre-policy, live;
 *                                                              Adj-RIB-Out, both
 *      tables   -> bmp_walk  (kept sets before policy)      -> pre-policy, initial state
 *               -> bmp_rib   (all paths)                    -> post-policy
 *               -> bmp_rib   (best routes)                  -> Loc-RIB
 *
 * Owner of all structs: the worker of the instance; other threads read only fields marked
 * so.
 * Life: struct bmp_proto until the class frees the instance; stations are embedded in
 * it. */
#ifndef TERN_PROTO_BMP_BMP_PRIV_H
#define TERN_PROTO_BMP_BMP_PRIV_H

#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/proto.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/read.h"
#include "proto/bmp/bmp.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"

struct bmp_in;
struct bmp_proto;
struct bmp_station;
struct table;

/* State of the pre-policy routes of one session at a station. */
enum bmp_pre {
	BMP_PRE_OFF, /* the station does not get the routes */
	BMP_PRE_WAIT, /* the next walk sends the present routes */
	BMP_PRE_WALK, /* a walk runs; UPDATEs since its start wait in the queue */
	BMP_PRE_LIVE
};

/* Which Adj-RIB-Out: after policy, and before it. */
enum bmp_out { BMP_OUT_POST, BMP_OUT_PRE, BMP_OUT_CNT };

/* State of an Adj-RIB-Out of one session at a station. */
enum bmp_sent {
	BMP_SENT_OFF, /* the station has no route of the RIB and gets none */
	BMP_SENT_WAIT, /* ask the session for all routes after Peer Up */
	BMP_SENT_ALL, /* the session is sending all routes, mixed with new UPDATEs */
	BMP_SENT_LIVE
};

/* What a station was sent about a session. Embedded in struct bmp_who, by value. */
struct bmp_reported_who {
	/* in bmp_station.lives while reported is set; key: number of the life */
	struct htab_node node;
	/* the life announced by Peer Up; a reference; or NULL */
	struct monitor_life *reported;
	uint32_t epoch; /* queued UPDATEs with an older epoch are dropped */
	uint8_t pre; /* enum bmp_pre */
	struct bmp_reported_out {
		uint8_t sent; /* enum bmp_sent; of the present life, announced or not */
		uint32_t epoch; /* epoch of queued UPDATEs of the Adj-RIB-Out */
	} out[BMP_OUT_CNT];
	uint8_t unsettled; /* with WALK: FAM_BIT of families whose table lags behind */
	bool whole; /* the queue has every UPDATE since the session came up */
	bool reset; /* UPDATEs were lost: send Peer Down, Peer Up and all routes */
	bool skipped; /* a reader left out routes of the session before Peer Up */
	/* FAM_BIT: the peer sent End-of-RIB, but earlier routes have not yet reached the
	 * table (bmp_end.c) */
	uint8_t ends;
	/* number of the life announced before the present life. Readers may still have
	 * entries of the life, and the routes may still be in the table. 0: none */
	uint32_t before;
};

/* A monitored session, up or down. Freed by: bmp_who_free, when no station and no queue
 * uses it. */
struct bmp_who {
	struct htab_node node; /* of bmp_proto.whos */
	struct list link; /* of bmp_proto.all */
	struct monitor_life *life; /* a reference; NULL: the session is down */
	char name[MONITOR_NAME];
	bool is_there; /* bmp_whos_sweep: the instance of the session exists */
	uint32_t items; /* UPDATEs of the session in the queues of all stations */
	uint8_t why; /* enum bmp_down_reason, of the last life */
	/* data of the last Peer Down; a reference; or NULL */
	struct monitor_octets *last;
	struct bmp_reported_who at[BMP_STATIONS];
};

/* An UPDATE in the queue of a station. By value in bmp_queue.item. */
struct bmp_item {
	struct bmp_who *who;
	struct monitor_life *life; /* a reference */
	struct monitor_octets *octets; /* a reference */
	uint64_t time_us;
	uint32_t epoch;
	uint8_t kind; /* MON_UPDATE, MON_MIRROR, MON_OUT, MON_OFFER */
};

/* A route at the station, by id of the path, for a reader of all paths. */
struct bmp_reported_path {
	uint32_t life; /* number of the session's life; 0: the path was not sent */
	uint32_t rid; /* the path identifier sent to the station */
	uint32_t src; /* number of the session in the table */
};

/* A reader of one table for one station. Freed when the reader has left its table. */
struct bmp_rib {
	struct reader reader;
	struct list link; /* of bmp_station.ribs, until the reader leaves */
	struct bmp_proto *bmp;
	struct bmp_station *st;
	struct table *table; /* with a use count, so the table lives */
	struct arena arena;
	bool post; /* routes after policy, of sessions; else a Loc-RIB */
	bool attached, leaving;
	bool up; /* Loc-RIB: Peer Up was sent, with as and router_id: */
	uint32_t as, router_id;
	/* struct bmp_end: End-of-RIBs to send when the reader is up to date */
	struct list ends;
	/* post-policy: path by path id; Loc-RIB: there by net id */
	struct bmp_reported_path *path;
	uint32_t path_cap;
	struct bitmap there;
};

/* The walk over tables for pre-policy routes. Embedded in struct bmp_station. */
struct bmp_walk {
	bool on, settled;
	struct table **table; /* each with a use count. MEM_PROTO */
	uint32_t table_cnt, table_cap, at;
	uint32_t pos; /* next net */
};

/* Octets for the socket. bmp_out.c. Owner: the instance's worker. Life: embedded in
 * struct bmp_station. */
struct bmp_octets {
	uint8_t *at; /* MEM_PROTO */
	uint32_t pos, len, cap; /* from pos to len */
};

/* Ring of queued UPDATEs. bmp_reported.c. Owner: the instance's worker. Life: embedded
 * in struct bmp_station. */
struct bmp_queue {
	struct bmp_item *item; /* MEM_PROTO */
	uint32_t head, cnt, cap;
	uint64_t octets;
};

/* Lives for which bmp_ribs_again is due. bmp_reported.c. Owner: the instance's worker.
 * Life: embedded in struct bmp_station. */
struct bmp_again {
	uint32_t *life; /* MEM_PROTO */
	uint32_t cnt, cap;
};

/* Work that is due in the next turn. bmp_station.c. Owner: the instance's worker. Life:
 * embedded in struct bmp_station. */
struct bmp_wanted {
	bool walk; /* some sessions are BMP_PRE_WAIT */
	bool out; /* some sessions are BMP_SENT_WAIT */
	bool all; /* bmp_ribs_all is due */
	bool ends; /* some sessions have bmp_reported_who.ends set */
};

/* Counters for `show`; any thread reads. bmp_stats.c. Owner: the instance's worker.
 * Life: embedded in struct bmp_station. */
struct bmp_counts {
	struct counter64 sent_octets, sent_msgs, resyncs, connects;
	struct pub32 is_up;
};

/* A configured station. Embedded in struct bmp_proto. Other threads read the counters;
 * tables write slow. */
struct bmp_station {
	struct bmp_proto *bmp;
	unsigned nr;
	struct sock_tcp sock;
	struct timer retry;
	bool up; /* connected, and Initiation was sent */
	bool changed; /* sessions came up, went down or were reset */
	bool said; /* the log has a line that the station is unreachable */
	bool skipped; /* a reader left out a route of an unknown session */
	struct bmp_wanted wanted;
	uint64_t took_ns; /* when the station last accepted octets */
	struct bmp_octets out;
	struct bmp_queue queue;
	struct htab lives; /* struct bmp_reported_who */
	struct bmp_again again;
	struct list ribs;
	struct bmp_walk walk;
	uint64_t view_nr; /* the view of the last bmp_ribs_look */
	uint64_t stats_ns; /* when the next report is due */
	struct bmp_counts counts;
	/* written by a table: the station keeps too many segments alive */
	struct pub32 slow;
};

/* An instance. Owner: the worker of the instance. Freed by: the class of the protocol. */
struct bmp_proto {
	struct proto p; /* first */
	/* the instance is a station, and the other fields are unused; or NULL */
	struct bmp_in *in;
	struct monitor *mon; /* NULL: not enabled */
	struct htab whos;
	struct list all; /* struct bmp_who */
	struct timer tick;
	struct timer soon; /* retry a walk whose tables lag behind */
	struct bmp_station st[BMP_STATIONS];
	unsigned st_cnt; /* of the present run */
	uint32_t leaving; /* readers that have not yet left their tables */
	struct pub32 known; /* sessions in `all`; any thread reads */
	bool deleting; /* the instance ends when no reader is left */
	uint64_t view_nr; /* the view of the last bmp_whos_sweep */
	bool sweeps; /* bmp_whos_sweep has to free sessions that are still in use */
	char hostname[256];
};

static inline const struct bmp_conf *
bmp_conf_of(const struct bmp_proto *b)
{
	return b->p.cf->opt;
}

static inline struct bmp_reported_who *
bmp_at(struct bmp_who *w, const struct bmp_station *st)
{
	return &w->at[st->nr];
}

/* bmp_is_reported - true: the station was sent Peer Up of the present life of @w. */
static inline bool
bmp_is_reported(const struct bmp_who *w, const struct bmp_station *st)
{
	return w->life && w->at[st->nr].reported == w->life;
}

/* ---- bmp_who.c ---- */

/* bmp_drain - process the events of sessions in the inbox of the monitor. */
void bmp_drain(struct bmp_proto *b);
/* bmp_find - the monitored session @name; NULL: none. */
struct bmp_who *bmp_find(const struct bmp_proto *b, const char *name);
/* bmp_who_free - @w is down; no station and no queue refers to @w. */
void bmp_who_free(struct bmp_proto *b, TAKE struct bmp_who *w);

/* ---- bmp_out.c: octets for a station ---- */

/* bmp_room - number of octets that may be written for the station now; 0: the buffer is
 * full or the station is not connected. */
size_t bmp_room(const struct bmp_station *st);
/* bmp_out - a writer for @cap octets of messages. The caller then calls bmp_out_end. */
struct wbuf bmp_out(struct bmp_station *st, size_t cap);
void bmp_out_end(struct bmp_station *st, const struct wbuf *w, unsigned msgs);
/* bmp_header - the per-peer header of messages about a session. */
struct bmp_peer bmp_header(
    const struct monitor_life *l, unsigned flags, uint64_t time_us);
/* bmp_class - the encoding of UPDATEs with routes of @l. @post: after policy; else as the
 * peer sends UPDATEs. */
void bmp_class(
    struct bgp_class *c, const struct monitor_life *l, enum family fam, bool post);
/* bmp_put_routes - write Route Monitoring messages for the prefixes @n with @w (NULL:
 * withdrawn). */
void bmp_put_routes(struct bmp_station *st, const struct bmp_peer *head,
    struct bgp_class *c, enum family fam, const struct wire_set *w,
    const struct bgp_nlri *n);
void bmp_put_eor(struct bmp_station *st, const struct bmp_peer *head, enum family fam);
void bmp_put_up(struct bmp_station *st, const struct monitor_life *l);
void bmp_put_down(struct bmp_station *st, const struct bmp_peer *head, unsigned why,
    const struct monitor_octets *o);
void bmp_put_item(struct bmp_station *st, const struct bmp_item *it);
uint64_t bmp_now_us(void);

/* ---- bmp_reported.c ---- */

/* bmp_station_take - queue an UPDATE of the session @w, if the station needs the UPDATE.
 * bmp_station_who - note that the session @w came up, went down or lost UPDATEs. */
void bmp_station_take(
    struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e);
void bmp_station_who(
    struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e);
/* bmp_items_send - write queued UPDATEs into the buffer. Returns: true: call again
 * soon. bmp_items_clear - drop the queue. */
bool bmp_items_send(struct bmp_station *st);
void bmp_items_clear(struct bmp_station *st);
/* bmp_reconcile - send Peer Up and Peer Down of all changed sessions. bmp_forget_all -
 * the station knows no session. */
void bmp_reconcile(struct bmp_station *st);
void bmp_forget_all(struct bmp_station *st);

/* ---- bmp_station.c ---- */

void bmp_station_start(struct bmp_station *st, struct bmp_proto *b, unsigned nr);
/* bmp_station_stop - close the connection. @terminate: send Termination first. */
void bmp_station_stop(struct bmp_station *st, bool terminate);
/* bmp_station_kept - octets of queued UPDATEs; 0: the station accepts no octets. */
uint64_t bmp_station_kept(const struct bmp_station *st, uint64_t now_ns);
/* bmp_station_run - one turn of the station. Returns: true: call again soon. */
bool bmp_station_run(struct bmp_station *st);
/* bmp_station_tick - once a second. */
void bmp_station_tick(struct bmp_station *st);

/* ---- bmp_walk.c ---- */

void bmp_walk_begin(struct bmp_station *st);
/* bmp_walk_step - one bounded step of the walk. Returns: true: call again soon. */
bool bmp_walk_step(struct bmp_station *st);
void bmp_walk_end(struct bmp_station *st);

/* ---- bmp_rib.c ---- */

extern const struct reader_ops bmp_rib_ops;
/* bmp_loc_up, bmp_loc_down - send Peer Up or Peer Down of a Loc-RIB. bmp_loc_moved -
 * true: AS or router id of this router changed since Peer Up. Under RCU. */
void bmp_loc_up(struct bmp_rib *r);
void bmp_loc_down(struct bmp_rib *r);
bool bmp_loc_moved(const struct bmp_rib *r);

/* bmp_rib_find - the reader of @t: @post: of routes after policy; else of the Loc-RIB.
 * NULL: none. */
struct bmp_rib *bmp_rib_find(
    const struct bmp_station *st, const struct table *t, bool post);

/* ---- bmp_end.c: End-of-RIB after policy, of a session that came up later ---- */

/* bmp_ends_look - send a mark to the table for each session whose routes reached the
 * table.
 * Returns: true: the routes of some sessions have not reached their tables. */
bool bmp_ends_look(struct bmp_station *st);
/* bmp_ends_run - send each End-of-RIB whose preceding routes @r has sent. bmp_ends_drop -
 * free the waiting End-of-RIBs without sending. */
void bmp_ends_run(struct bmp_rib *r);
void bmp_ends_drop(struct bmp_rib *r);

/* ---- bmp_ribs.c ---- */

/* bmp_ribs_look - make readers for new tables, and detach readers of tables that are
 * gone. */
void bmp_ribs_look(struct bmp_station *st);
/* bmp_ribs_start - the station connected. bmp_ribs_stop - the station disconnected.
 * bmp_ribs_leave - the instance ends: all readers leave their tables. */
void bmp_ribs_start(struct bmp_station *st);
void bmp_ribs_stop(struct bmp_station *st);
void bmp_ribs_leave(struct bmp_station *st);
bool bmp_ribs_run(struct bmp_station *st);
void bmp_ribs_listen(struct bmp_station *st);
/* bmp_ribs_all - send all routes again. bmp_ribs_again - send the routes of the lives in
 * st->again again. */
void bmp_ribs_all(struct bmp_station *st);
void bmp_ribs_again(struct bmp_station *st);
/* bmp_try_gone - end the deleted instance if all readers have left their tables. */
void bmp_try_gone(struct bmp_proto *b);

/* ---- bmp_stats.c ---- */

void bmp_stats_put(struct bmp_station *st);
/* bmp_note - update the state and info columns of the instance, which is up. */
void bmp_note(struct bmp_proto *b);
void bmp_reply(const struct proto *p, struct reply *r);

#endif
