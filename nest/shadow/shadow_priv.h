/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common state of a shadow's files.
 *
 *   feeds (shadow_mrt.c, shadow_bmp.c)
 *     |  OPEN, UPDATEs of members            |  announcements of the live server
 *   member (shadow_member.c) --socketpair--> own session -> table -> own session
 *     |  fed routes                          |  returned routes: own announcements
 *   RIBs (shadow_rib.c): fed, live and own routes of each member and net
 *
 * Loop: the shadow's. Owner of all structs: the shadow. Life: until the shadow's end
 * frees them, unless stated. */
#ifndef TERN_NEST_SHADOW_SHADOW_PRIV_H
#define TERN_NEST_SHADOW_SHADOW_PRIV_H

#include "lib/attr/attr.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/core/tern.h"
#include "nest/foreign/foreign_mrt.h"
#include "nest/foreign/foreign_update.h"
#include "nest/shadow/shadow.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/sock/sock_opt.h"

struct bgp_open;

/* Sources of routes: members, the live server, the shadow's own sessions. */
enum shadow_side { SHADOW_FED, SHADOW_LIVE, SHADOW_OURS, SHADOW_SIDES };

/* A net. Owner: the shadow; freed at the shadow's end. */
struct shadow_net {
	struct htab_node node; /* of shadow.nets */
	struct prefix net;
	uint32_t id; /* dense: index of its cell in each member's array */
	uint32_t uses; /* sets in cells */
};

/* The routes of one member and net. Owner: the shadow; freed at the shadow's end. */
struct shadow_cell {
	struct wire_set *side[SHADOW_SIDES]; /* references; NULL: no route */
};

/* A net with different announcements to a member. */
struct shadow_diff {
	struct htab_node node; /* of shadow_ribs.diffs, by the net's id */
	struct shadow_net *net;
	uint64_t since_ns; /* time of the last announcement of any side */
};

/* Octets that wait, or form an incomplete message. MEM_OTHER */
struct shadow_octets {
	uint8_t *at;
	uint32_t pos, len, cap; /* from pos to len */
};

/* The recorded session of the live server. shadow_member.c. Owner: the shadow's worker.
 * Life: embedded in struct shadow_member. */
struct shadow_live {
	bool fed_up, seen;
	/* FAM_BIT: the live server has not announced all routes: its End-of-RIB is due */
	uint8_t due;
	/* form of recorded messages without a recorded OPEN */
	bool made_as4;
	uint8_t made_ids;
	/* the recorded OPEN; NULL: an OPEN is made. MEM_OTHER */
	uint8_t *open;
	uint32_t open_len;
};

/* Terms of the shadow's session: agreed by the OPENs. shadow_member.c. Owner: the
 * shadow's worker. Life: embedded in struct shadow_member. */
struct shadow_terms {
	bool as4; /* 4-octet AS numbers */
	uint8_t ids_in, ids_out; /* FAM_BIT: path identifiers to, from the session */
	uint8_t fams; /* FAM_BIT */
	uint32_t keep_s; /* interval of KEEPALIVEs; 0: never */
};

/* The shadow's session. shadow_member.c. Owner: the shadow's worker. Life: embedded in
 * struct shadow_member. */
struct shadow_session {
	struct sock_tcp sock;
	struct shadow_octets in, out;
	bool agreed, up; /* OPENs were exchanged; KEEPALIVEs too */
	uint64_t keep_at_ns, retry_at_ns, stuck_ns;
	bool announced; /* the session has all fed routes, or those before announce_pos */
	uint32_t announce_pos;
	char why[SHADOW_TEXT];
};

/* Routes that the two servers announced to the member. shadow_rib.c. Owner: the shadow's
 * worker. Life: embedded in struct shadow_member. */
struct shadow_ribs {
	struct shadow_cell *cell; /* by net id. MEM_OTHER */
	uint32_t cell_cap;
	uint32_t cnt[SHADOW_SIDES];
	struct htab diffs;
};

/* A member of the live server. */
struct shadow_member {
	struct list link; /* of shadow.members */
	struct htab_node node; /* of shadow.by_addr */
	struct shadow *of;
	struct ip_addr remote, local; /* local NONE: unknown */
	uint32_t as;
	bool paths, is_full;
	struct shadow_live live;
	struct shadow_session session;
	struct shadow_terms terms;
	struct shadow_ribs rib;
};

enum shadow_feed_kind { SHADOW_MRT, SHADOW_MRT_OUT, SHADOW_BMP, SHADOW_SNAPSHOT };

/* A feed. Owner: the shadow; freed at the shadow's end. */
struct shadow_feed {
	struct list link; /* of shadow.feeds */
	struct shadow *of;
	enum shadow_feed_kind kind;
	char *file; /* MEM_OTHER; NULL for BMP */
	struct sock_end listen_at;
	struct sock_listen listen;
	struct list routers; /* connections, in shadow_bmp.c */
	struct log_rate said; /* rate of log lines about connections */
	struct foreign_mrt mrt;
	bool ended; /* of a snapshot: nothing is left to read */
	char why[SHADOW_TEXT]; /* the first fault of a snapshot; "": none */
	uint64_t said_ns;
	uint64_t record_ns, lag_ns; /* time of the last record; age of that record */
};

/* A shadow. Owner: its worker; freed at the shadow's end. */
struct shadow {
	struct tern_part part;
	struct worker worker;
	struct tern *tern;
	shadow_inject_fn inject;
	struct list feeds, members;
	struct htab by_addr, nets;
	struct shadow_net **net; /* by id; NULL: free. MEM_OTHER */
	uint32_t net_cnt, net_cap;
	uint32_t *free_id; /* MEM_OTHER */
	uint32_t free_cnt, free_cap;
	/* members with too many waiting octets: meanwhile no feed is read */
	uint32_t full;
	struct timer look;
	struct foreign_reader reader;
};

/* shadow_now - monotonic. */
static inline uint64_t
shadow_now(const struct shadow *sh)
{
	return loop_now_ns((struct worker *)(uintptr_t)&sh->worker);
}

/* ---- shadow_octets.c ---- */

void shadow_octets_put(struct shadow_octets *o, const void *p, size_t len);
/* shadow_octets_room - room for @len octets behind the contents; SHADOW_SLACK further
 * octets are readable. shadow_octets_got - @len octets were written to the room. */
uint8_t *shadow_octets_room(struct shadow_octets *o, uint32_t len);
void shadow_octets_got(struct shadow_octets *o, uint32_t len);
void shadow_octets_free(struct shadow_octets *o);

#define SHADOW_SLACK FOREIGN_SLACK
#define SHADOW_READ  65536

/* ---- shadow_rib.c ---- */

/* shadow_rib_update - apply the UPDATE @u of @side for @m. *@eor: FAM_BIT of an
 * End-of-RIB.
 * Returns: NULL, or why @u is malformed. */
const char *shadow_rib_update(struct shadow_member *m, enum shadow_side side,
    const struct foreign_update *u, uint8_t *eor);
/* shadow_rib_clear - remove all routes of @side for @m. */
void shadow_rib_clear(struct shadow_member *m, enum shadow_side side);
/* shadow_rib_live - @seen: a feed reports the live server's announcements to @m. */
void shadow_rib_live(struct shadow_member *m, bool seen);
/* shadow_rib_explained - true: a fed route may be the source of @w for @n. */
bool shadow_rib_explained(
    struct shadow *sh, const struct shadow_net *n, const struct wire_set *w);
void shadow_rib_free(struct shadow *sh);

/* ---- shadow_member.c ---- */

/* shadow_member_get - find or make the member at @remote. */
struct shadow_member *shadow_member_get(
    struct shadow *sh, struct ip_addr remote, struct ip_addr local, uint32_t as);
/* shadow_member_open - the feed has the member's OPEN (a whole message): start a
 * session. */
void shadow_member_open(struct shadow_member *m, const uint8_t *msg, size_t len);
/* shadow_member_up - the feed has the member, without an OPEN: start a session. */
void shadow_member_up(struct shadow_member *m);
/* shadow_member_message - a whole message of the member, with FOREIGN_SLACK readable
 * octets behind; @as4, @ids as of foreign_update. Returns: as shadow_rib_update. */
const char *shadow_member_message(
    struct shadow_member *m, const uint8_t *msg, size_t len, bool as4, uint8_t ids);
/* shadow_member_live - a whole message of the live server to the member; arguments as
 * shadow_member_message. */
const char *shadow_member_live(
    struct shadow_member *m, const uint8_t *msg, size_t len, bool as4, uint8_t ids);
/* shadow_member_down - the feed reports the end of the session. @msg: a NOTIFICATION of
 * the member; NULL: none. shadow_member_live_down - void the live server's
 * announcements. */
void shadow_member_down(struct shadow_member *m, const uint8_t *msg, size_t len);
void shadow_member_live_down(struct shadow_member *m);
/* shadow_member_look - once a second. */
void shadow_member_look(struct shadow_member *m, uint64_t now_ns);
/* shadow_member_close - end the shadow's session; fed routes stay for the next
 * session. */
void shadow_member_close(struct shadow_member *m, const char *why);

/* ---- feeds: shadow_mrt.c, shadow_bmp.c, shadow_feed.c ---- */

/* ..._start - Loop: the shadow's. ..._go_on - members have room again. */
void shadow_mrt_start(struct shadow_feed *f);
void shadow_mrt_go_on(struct shadow_feed *f);
void shadow_mrt_stop(struct shadow_feed *f);
void shadow_bmp_start(struct shadow_feed *f);
void shadow_bmp_go_on(struct shadow_feed *f);
void shadow_bmp_stop(struct shadow_feed *f);
/* shadow_feed_bad - log a malformed part of a feed, at a bounded rate. */
void shadow_feed_bad(struct shadow_feed *f, const char *what, const char *why);
/* shadow_feed_progress - a record of @time_us since 1970 (0: unknown) was handled. */
void shadow_feed_progress(struct shadow_feed *f, uint64_t time_us);

#endif
