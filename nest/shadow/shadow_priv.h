/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a shadow work on together.
 *
 *   feeds (shadow_mrt.c, shadow_bmp.c)
 *     |  OPEN, UPDATEs of members            |  what the live server sends
 *   member (shadow_member.c) --socketpair--> session of ours -> table -> session of ours
 *     |  what is fed                         |  what comes back: what we would send
 *   RIBs (shadow_rib.c): of each member and net what is fed, sent, would be sent
 *
 * Loop: the shadow's. */
#ifndef TERN_NEST_SHADOW_PRIV_H
#define TERN_NEST_SHADOW_PRIV_H

#include "lib/attr/attr.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/foreign/foreign_mrt.h"
#include "nest/foreign/foreign_update.h"
#include "nest/shadow/shadow.h"
#include "nest/tern.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/sock/sock_opt.h"

struct bgp_open;

/* What is told by members, by the live server, by our sessions. */
enum shadow_side { SHADOW_FED, SHADOW_LIVE, SHADOW_OURS, SHADOW_SIDES };

struct shadow_net {
	struct htab_node node; /* of shadow.nets */
	struct prefix net;
	uint32_t id; /* dense: place of its cell in each member's */
	uint32_t uses; /* sets in cells */
};

struct shadow_cell {
	struct wire_set *side[SHADOW_SIDES]; /* references; NULL: no route */
};

/* A net that we would tell a member otherwise. */
struct shadow_diff {
	struct htab_node node; /* of shadow_member.diffs, by the net's id */
	struct shadow_net *net;
	uint64_t since_ns; /* when one side last told something new of it */
};

/* Octets that wait, or are not whole yet. MEM_OTHER */
struct shadow_octets {
	uint8_t *at;
	uint32_t pos, len, cap; /* from pos to len */
};

/* owner: the shadow; freed at its end. */
struct shadow_member {
	struct list link; /* of shadow.members */
	struct htab_node node; /* of shadow.by_addr */
	struct shadow *of;
	struct ip_addr remote, local; /* local NONE: not known */
	uint32_t as;
	bool fed_up, live_seen, paths, is_full;
	/* FAM_BIT: the live server hasn't told all routes that it sends, by End-of-RIB */
	uint8_t live_due;
	/* of the messages that are recorded, where its OPEN isn't */
	bool made_as4;
	uint8_t made_ids;
	/* its OPEN as it was recorded; NULL: one is made. MEM_OTHER */
	uint8_t *open;
	uint32_t open_len;
	/* our session */
	struct sock_tcp sock;
	struct shadow_octets in, out;
	bool agreed, up; /* OPENs have passed; KEEPALIVEs as well */
	bool as4; /* agreed: 4-octet AS numbers */
	uint8_t ids_in,
	    ids_out; /* agreed: FAM_BIT: path identifiers to, from the session */
	uint8_t fams; /* agreed: FAM_BIT */
	uint32_t keep_s; /* so often a KEEPALIVE; 0: never */
	uint64_t keep_at_ns, retry_at_ns, stuck_ns;
	bool told; /* what is fed has been told to the session, up to tell_pos */
	uint32_t tell_pos;
	char why[SHADOW_TEXT];
	/* RIBs */
	struct shadow_cell *cell; /* by net id. MEM_OTHER */
	uint32_t cell_cap;
	uint32_t cnt[SHADOW_SIDES];
	struct htab diffs;
};

enum shadow_feed_kind { SHADOW_MRT, SHADOW_MRT_OUT, SHADOW_BMP };

struct shadow_feed {
	struct list link; /* of shadow.feeds */
	struct shadow *of;
	enum shadow_feed_kind kind;
	char *file; /* MEM_OTHER; of BMP NULL */
	struct sock_end listen_at;
	struct sock_listen listen;
	struct list routers; /* of shadow_bmp.c */
	struct log_rate said; /* of them */
	struct foreign_mrt mrt;
	uint64_t said_ns;
	uint64_t told_ns, lag_ns; /* when it last told something; how old that was */
};

struct shadow {
	struct tern_part part;
	struct worker worker;
	struct tern *tern;
	shadow_offer_fn offer;
	struct list feeds, members;
	struct htab by_addr, nets;
	struct shadow_net **net; /* by id; NULL: free. MEM_OTHER */
	uint32_t net_cnt, net_cap;
	uint32_t *free_id; /* MEM_OTHER */
	uint32_t free_cnt, free_cap;
	uint32_t full; /* members for whom too much waits: nothing is read meanwhile */
	struct timer look;
	struct foreign_reader reader;
};

/* ---- shadow.c ---- */

/* shadow_now - monotonic. */
static inline uint64_t
shadow_now(const struct shadow *sh)
{
	return loop_now_ns((struct worker *)(uintptr_t)&sh->worker);
}

void shadow_octets_put(struct shadow_octets *o, const void *p, size_t len);
/* shadow_octets_room - behind what is there; SHADOW_SLACK more can be read.
 * shadow_octets_got - so many were written there. */
uint8_t *shadow_octets_room(struct shadow_octets *o, uint32_t len);
void shadow_octets_got(struct shadow_octets *o, uint32_t len);
void shadow_octets_free(struct shadow_octets *o);

#define SHADOW_SLACK FOREIGN_SLACK
#define SHADOW_READ  65536

/* shadow_member_get - the member at @remote, made if there is none. */
struct shadow_member *shadow_member_get(
    struct shadow *sh, struct ip_addr remote, struct ip_addr local, uint32_t as);

/* ---- shadow_rib.c ---- */

/* shadow_rib_update - @side says @u of @m. *@eor: FAM_BIT, if it is an End-of-RIB.
 * Returns: NULL, or why it can't be read. */
const char *shadow_rib_update(struct shadow_member *m, enum shadow_side side,
    const struct foreign_update *u, uint8_t *eor);
/* shadow_rib_clear - all that @side has said of @m is gone. */
void shadow_rib_clear(struct shadow_member *m, enum shadow_side side);
/* shadow_rib_live - is it told what the live server sends to @m? */
void shadow_rib_live(struct shadow_member *m, bool seen);
/* shadow_rib_explained - is there a fed route from which @w of @n may come? */
bool shadow_rib_explained(
    struct shadow *sh, const struct shadow_net *n, const struct wire_set *w);
void shadow_rib_free(struct shadow *sh);

/* ---- shadow_member.c ---- */

void shadow_member_init(struct shadow_member *m);
/* shadow_member_open - the feed has its OPEN (a whole message): its session comes up. */
void shadow_member_open(struct shadow_member *m, const uint8_t *msg, size_t len);
/* shadow_member_message - what it has said, a whole message behind which FOREIGN_SLACK
 * octets can be read; @as4, @ids as of foreign_update. Returns: as shadow_rib_update. */
const char *shadow_member_message(
    struct shadow_member *m, const uint8_t *msg, size_t len, bool as4, uint8_t ids);
/* shadow_member_live - what the live server has said to it, likewise. */
const char *shadow_member_live(
    struct shadow_member *m, const uint8_t *msg, size_t len, bool as4, uint8_t ids);
/* shadow_member_down - by the feed its session is over. @msg: a NOTIFICATION that it has
 * sent; NULL: none. shadow_member_live_down - what the live server has sent is void. */
void shadow_member_down(struct shadow_member *m, const uint8_t *msg, size_t len);
void shadow_member_live_down(struct shadow_member *m);
/* shadow_member_look - once a second. */
void shadow_member_look(struct shadow_member *m, uint64_t now_ns);
/* shadow_member_close - our session ends; what is fed stays, for the next one. */
void shadow_member_close(struct shadow_member *m, const char *why);

/* ---- feeds ---- */

/* ..._start - Loop: the shadow's. ..._go_on - members have room again. */
void shadow_mrt_start(struct shadow_feed *f);
void shadow_mrt_go_on(struct shadow_feed *f);
void shadow_mrt_stop(struct shadow_feed *f);
void shadow_bmp_start(struct shadow_feed *f);
void shadow_bmp_go_on(struct shadow_feed *f);
void shadow_bmp_stop(struct shadow_feed *f);
/* shadow_feed_bad - something of it can't be read; told at a bounded rate. */
void shadow_feed_bad(struct shadow_feed *f, const char *what, const char *why);
/* shadow_feed_told - something of @time_us after 1970 (0: not known). */
void shadow_feed_told(struct shadow_feed *f, uint64_t time_us);

#endif
