/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of BMP: for the files of this folder only.
 *
 * All of an instance is its worker's. What sessions tell lies in the inbox of its
 * monitor; from there UPDATEs go into the queue of each station. What a table knows is
 * read by readers (nest/rib/read.h), a set of them for each station, so that a station
 * that lags needs no queue for it.
 *
 *      sessions -> monitor inbox -> bmp_who (up, down)      -> Peer Up, Peer Down
 *                                -> bmp_station.queue       -> pre-policy, live;
 *                                                              Adj-RIB-Out, both
 *      tables   -> bmp_walk  (kept sets before policy)      -> pre-policy, as it stands
 *               -> bmp_rib   (all paths)                    -> post-policy
 *               -> bmp_rib   (best routes)                  -> Loc-RIB */
#ifndef TERN_PROTO_BMP_PRIV_H
#define TERN_PROTO_BMP_PRIV_H

#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/base/json.h"
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

/* How far a station is with the routes of a peer as they came. */
enum bmp_pre {
	BMP_PRE_OFF, /* it isn't to have them */
	BMP_PRE_WAIT, /* the next walk brings what there is */
	BMP_PRE_WALK, /* a walk is on; what has come since it began waits behind it */
	BMP_PRE_LIVE
};

/* Which Adj-RIB-Out: after policy, and before it. */
enum bmp_out { BMP_OUT_POST, BMP_OUT_PRE, BMP_OUT_CNT };

/* The same with what its peer holds, or is offered. */
enum bmp_sent {
	BMP_SENT_OFF, /* it has nothing, and needs nothing */
	BMP_SENT_WAIT, /* the session is asked for all when it is told up */
	BMP_SENT_ALL, /* all is coming, and what is sent meanwhile */
	BMP_SENT_LIVE
};

/* What a station was told of a session. */
struct bmp_told_who {
	struct htab_node node; /* of bmp_station.lives, by the life's number, with told */
	struct monitor_life *told; /* for which Peer Up was sent; a reference; or NULL */
	uint32_t epoch; /* what was queued in an older one isn't sent */
	uint8_t pre; /* enum bmp_pre */
	struct bmp_told_out {
		uint8_t sent; /* enum bmp_sent; of the life that there is, told or not */
		uint32_t epoch; /* as epoch, of what is sent */
	} out[BMP_OUT_CNT];
	uint8_t unsettled; /* with WALK: FAM_BIT of families whose table lags behind */
	bool whole; /* all its UPDATEs since it came up are queued */
	bool reset; /* some were lost: the station is to forget it, and get all anew */
	bool skipped; /* a reader had routes of it while it wasn't up there */
	/* FAM_BIT: End-of-RIB has come, and routes before it are on their way to the
	 * table (bmp_end.c) */
	uint8_t ends;
	/* number of the life that was told before the present one: what is still noted as
	 * told for it may be there again; 0: none */
	uint32_t before;
};

/* A monitored session, up or down. */
struct bmp_who {
	struct htab_node node; /* of bmp_proto.whos */
	struct list link; /* of bmp_proto.all */
	struct monitor_life *life; /* a reference; NULL: it is down */
	char name[MONITOR_NAME];
	bool is_there; /* whos_sweep: its instance is */
	uint32_t items; /* of it, in the queues of all stations */
	uint8_t why; /* enum bmp_down_reason, of the last life */
	struct monitor_octets *last; /* and what goes with it; a reference; or NULL */
	struct bmp_told_who at[BMP_STATIONS];
};

/* An UPDATE that waits for a station. */
struct bmp_item {
	struct bmp_who *who;
	struct monitor_life *life; /* a reference */
	struct monitor_octets *octets; /* a reference */
	uint64_t time_us;
	uint32_t epoch;
	uint8_t kind; /* MON_UPDATE, MON_MIRROR, MON_OUT, MON_OFFER */
};

/* What stands at a path's id in a reader of all paths. */
struct bmp_told_path {
	uint32_t life; /* of its session; 0: it wasn't told */
	uint32_t rid; /* the identifier that it was told with */
	uint32_t src; /* number of the session in the table */
};

/* A reader of one table for one station. freed by: when it has left its table. */
struct bmp_rib {
	struct reader reader;
	struct list link; /* of bmp_station.ribs, until it leaves */
	struct bmp_proto *bmp;
	struct bmp_station *st;
	struct table *table; /* used */
	struct arena arena;
	bool post; /* routes after policy, of sessions; else a Loc-RIB */
	bool attached, leaving;
	bool up; /* Loc-RIB: Peer Up was sent, as: */
	uint32_t as, router_id;
	struct list ends; /* struct bmp_end: of sessions, to be told when all is read */
	/* by id: of paths, or of nets */
	struct bmp_told_path *path;
	uint32_t path_cap;
	struct bitmap there;
};

/* The walk over tables for routes as they came. */
struct bmp_walk {
	bool on, settled;
	struct table **table; /* used. MEM_PROTO */
	uint32_t table_cnt, table_cap, at;
	uint32_t pos; /* next net */
};

/* owner: the instance's worker, but for what is marked. */
struct bmp_station {
	struct bmp_proto *bmp;
	unsigned nr;
	struct sock_tcp sock;
	struct timer retry;
	bool up; /* connected, and Initiation is out */
	bool changed; /* whos have come, gone or been reset */
	bool said; /* the log has it that it isn't there */
	bool walk_wanted; /* some are BMP_PRE_WAIT */
	bool out_wanted; /* some are BMP_SENT_WAIT */
	uint64_t took_ns; /* when it last took octets */
	/* octets for the socket. MEM_PROTO */
	uint8_t *out;
	uint32_t out_pos, out_len, out_cap; /* from out_pos to out_len */
	/* UPDATEs that wait: a ring. MEM_PROTO */
	struct bmp_item *item;
	uint32_t item_head, item_cnt, item_cap;
	struct htab lives; /* struct bmp_told_who */
	bool all_wanted; /* bmp_ribs_all is due */
	bool skipped; /* a route of a session that it doesn't know of wasn't told */
	bool ends_wanted; /* some have bmp_told_who.ends */
	/* bmp_ribs_again is due for these lives. MEM_PROTO */
	uint32_t *again;
	uint32_t again_cnt, again_cap;
	uint64_t item_octets;
	struct list ribs;
	struct bmp_walk walk;
	uint64_t view_nr; /* for which ribs were last looked at */
	uint64_t stats_ns; /* when the next report is due */
	/* shown; any thread reads */
	struct counter64 sent_octets, sent_msgs, resyncs, connects;
	struct pub32 is_up;
	/* a table's: the station holds too much up */
	struct pub32 slow;
};

struct bmp_proto {
	struct proto p; /* first */
	struct bmp_in *in; /* it is a station, and nothing else here counts; or NULL */
	struct monitor *mon; /* NULL: not enabled */
	struct htab whos;
	struct list all; /* struct bmp_who */
	struct timer tick;
	struct timer soon; /* a walk waits for its tables */
	struct bmp_station st[BMP_STATIONS];
	unsigned st_cnt; /* of the present run */
	uint32_t leaving; /* ribs that their tables still know */
	struct pub32 known; /* sessions in `all`; any thread reads */
	bool enabled, disabled, deleting;
	uint64_t view_nr; /* for which whos were last looked at */
	bool sweeps; /* some of them are to be forgotten, but can't be yet */
	char hostname[256];
};

static inline const struct bmp_conf *
bmp_conf_of(const struct bmp_proto *b)
{
	return b->p.cf->opt;
}

static inline struct bmp_told_who *
bmp_at(struct bmp_who *w, const struct bmp_station *st)
{
	return &w->at[st->nr];
}

/* bmp_is_told - does the station know the present life of @w? */
static inline bool
bmp_is_told(const struct bmp_who *w, const struct bmp_station *st)
{
	return w->life && w->at[st->nr].told == w->life;
}

/* ---- bmp.c ---- */

/* bmp_drain - take what sessions have told. */
void bmp_drain(struct bmp_proto *b);
struct bmp_who *bmp_find(const struct bmp_proto *b, const char *name);
/* bmp_note - status and info column. */
void bmp_note(struct bmp_proto *b);
/* bmp_gone - a rib has left its table. */
void bmp_gone(struct bmp_proto *b);

/* ---- bmp_out.c: octets for a station ---- */

/* bmp_room - octets that a station takes now; 0: none, or it isn't there. */
size_t bmp_room(const struct bmp_station *st);
/* bmp_out - a writer for @cap octets of messages; then bmp_out_end. */
struct wbuf bmp_out(struct bmp_station *st, size_t cap);
void bmp_out_end(struct bmp_station *st, const struct wbuf *w, unsigned msgs);
/* bmp_header - of a session's messages. */
struct bmp_peer bmp_header(
    const struct monitor_life *l, unsigned flags, uint64_t time_us);
/* bmp_class - how UPDATEs about @l's routes are encoded: @post, or as it sends them. */
void bmp_class(
    struct bgp_class *c, const struct monitor_life *l, enum family fam, bool post);
/* bmp_put_routes - Route Monitoring of @nlri with @w (NULL: withdrawn), in as many
 * messages as it takes. */
void bmp_put_routes(struct bmp_station *st, const struct bmp_peer *head,
    struct bgp_class *c, enum family fam, const struct wire_set *w,
    const struct bgp_nlri *n);
void bmp_put_eor(struct bmp_station *st, const struct bmp_peer *head, enum family fam);
void bmp_put_up(struct bmp_station *st, const struct monitor_life *l);
void bmp_put_down(struct bmp_station *st, const struct bmp_peer *head, unsigned why,
    const struct monitor_octets *o);
void bmp_put_item(struct bmp_station *st, const struct bmp_item *it);
uint64_t bmp_now_us(void);

/* ---- bmp_station.c ---- */

void bmp_station_start(struct bmp_station *st, struct bmp_proto *b, unsigned nr);
/* bmp_station_stop - @say: Termination is sent before. */
void bmp_station_stop(struct bmp_station *st, bool say);
/* bmp_station_take - an UPDATE of @w's session; bmp_station_who - it has come, gone or
 * lost UPDATEs. */
void bmp_station_take(
    struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e);
void bmp_station_who(
    struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e);
/* bmp_station_kept - octets of UPDATEs that wait for it; 0: it doesn't take any. */
uint64_t bmp_station_kept(const struct bmp_station *st, uint64_t now_ns);
/* bmp_reconcile - Peer Up and Peer Down that are due. */
void bmp_reconcile(struct bmp_station *st);
/* bmp_station_run - a turn. Returns: true if there is more to do now. */
bool bmp_station_run(struct bmp_station *st);
/* bmp_station_tick - once a second. */
void bmp_station_tick(struct bmp_station *st);

/* ---- bmp_walk.c ---- */

void bmp_walk_begin(struct bmp_station *st);
/* bmp_walk_step - Returns: true if there is more to do now. */
bool bmp_walk_step(struct bmp_station *st);
void bmp_walk_end(struct bmp_station *st);

/* ---- bmp_rib.c ---- */

extern const struct reader_ops bmp_rib_ops;
/* bmp_loc_up, bmp_loc_down - Peer Up and Down of a Loc-RIB. bmp_loc_moved - was the peer
 * told with another AS or router id than the router has now? Under RCU. */
void bmp_loc_up(struct bmp_rib *r);
void bmp_loc_down(struct bmp_rib *r);
bool bmp_loc_moved(const struct bmp_rib *r);

/* ---- bmp_end.c: End-of-RIB after policy, of a session that came up later ---- */

/* bmp_ends_look - which sessions' routes are in their tables? Returns: true if some are
 * not. */
bool bmp_ends_look(struct bmp_station *st);
/* bmp_ends_run - End-of-RIBs before which @r has told all. bmp_ends_drop - of what is
 * waiting nothing is told. */
void bmp_ends_run(struct bmp_rib *r);
void bmp_ends_drop(struct bmp_rib *r);

/* ---- bmp_ribs.c ---- */

/* bmp_rib_of - the reader after policy of @t; NULL: there is none. */
struct bmp_rib *bmp_rib_of(const struct bmp_station *st, const struct table *t);

/* bmp_ribs_look - readers for the tables that there are. */
void bmp_ribs_look(struct bmp_station *st);
/* bmp_ribs_start - the station is there; _stop - it isn't; _leave - for good. */
void bmp_ribs_start(struct bmp_station *st);
void bmp_ribs_stop(struct bmp_station *st);
void bmp_ribs_leave(struct bmp_station *st);
bool bmp_ribs_run(struct bmp_station *st);
void bmp_ribs_listen(struct bmp_station *st);
/* bmp_ribs_all - all is to be sent again. bmp_ribs_again - what was told for the lives
 * in st->again. */
void bmp_ribs_all(struct bmp_station *st);
void bmp_ribs_again(struct bmp_station *st);

/* ---- bmp_stats.c ---- */

void bmp_stats_put(struct bmp_station *st);
void bmp_show(const struct proto *p, const struct time_format *tf, struct strbuf *out);
void bmp_json(const struct proto *p, struct json *j);

#endif
