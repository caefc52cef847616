/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The station side of BMP. Routers connect to the instance. The routes that a router
 * reports become routes of the channels of the instance; each RIB of each peer is a
 * source (nest/channel/import/many_peers.h).
 *
 * Owner of the structs: the worker of the instance. Other threads read only fields with
 * atomic types. Life: struct bmp_in until bmp_in_free, struct bmp_router until
 * bmp_router_free, struct bmp_heard until router_heard_free in bmp_router.c. */
#ifndef TERN_PROTO_BMP_BMP_IN_PRIV_H
#define TERN_PROTO_BMP_BMP_IN_PRIV_H

#include "lib/attr/route.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/channel/import/many_peers.h"
#include "nest/foreign/foreign_bmp.h"
#include "nest/foreign/foreign_stream.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/os/os_fd.h"

struct bmp_conf;
struct conf_proto;
struct proto;
struct proto_cmd;
struct reply;

#define BMP_ROUTER_NAME 32

/* Kinds of log lines that a remote host can cause. Each kind has a rate limit. */
enum bmp_say {
	BMP_SAY_STRANGER, /* a connection without Initiation, or a refused connection */
	BMP_SAY_ROUTER, /* a connection after its Initiation */
	BMP_SAY_CNT
};

/* A peer of a router, and the reported RIBs of the peer. Freed by: router_heard_free. */
struct bmp_heard {
	struct foreign_peer peer;
	struct route_source src;
	char table[BMP_ROUTER_NAME]; /* name of the table; only for a Loc-RIB */
	/* NULL: the router reported no route of the RIB */
	struct many_peer *rib[FOREIGN_RIBS];
	/* when the peer expires, after its router disconnected; 0: never */
	uint64_t until_ns;
};

/* A connected router, or the kept state of a disconnected router. Freed by:
 * bmp_router_free. */
struct bmp_router {
	struct list link; /* of bmp_in.routers */
	struct bmp_in *in;
	struct foreign_bmp bmp; /* the connection, and peers of type struct bmp_heard */
	struct ip_addr addr;
	/* sysName of the router; "": no Initiation yet, or the sysName is no valid
	 * name */
	char sys_name[BMP_ROUTER_NAME];
	char name[BMP_ROUTER_NAME];
	uint64_t since_ns;
	uint64_t bad; /* malformed routes of the present connection */
};

/* A router in the answer of `show`. Immutable. Freed with its struct bmp_in_rows, a grace
 * period after the replacement of the rows. */
struct bmp_in_row {
	char name[BMP_ROUTER_NAME];
	struct ip_addr addr;
	bool up;
	uint32_t peers;
	uint64_t msgs, bad;
};

/* Rows for `show`. Owner: the worker of the instance, which frees the rows a grace period
 * after their replacement. */
struct bmp_in_rows {
	struct rcu_node rcu;
	uint32_t cnt;
	struct bmp_in_row at[];
};

/* The station. Owner: the worker of the instance. Freed by: bmp_in_free. */
struct bmp_in {
	struct proto *p;
	struct many_peers to;
	struct sock_listen listen;
	bool listens;
	struct list routers; /* struct bmp_router */
	uint32_t router_cnt, heard_cnt; /* members of routers, and peers of all members */
	bool full_said; /* the log has a line about too many peers */
	struct log_rate said[BMP_SAY_CNT];
	struct timer look;
	struct pubptr rows; /* struct bmp_in_rows * (pairs: BMPROWS) */
};

/* ---- bmp_in.c ---- */

/* bmp_in_make ... - the functions of the protocol class for an instance that is a
 * station. */
OWNED struct bmp_in *bmp_in_make(struct proto *p, const struct conf_proto *cf);
void bmp_in_start(struct bmp_in *in);
bool bmp_in_run(struct bmp_in *in);
void bmp_in_up(struct bmp_in *in);
void bmp_in_down(struct bmp_in *in);
void bmp_in_reload(struct bmp_in *in);
void bmp_in_free(TAKE struct bmp_in *in);
void bmp_in_reply(const struct bmp_in *in, struct reply *r);
/* bmp_in_note - publish the routers, and the state and info columns of the instance, if
 * the instance is up. */
void bmp_in_note(struct bmp_in *in);
/* bmp_in_all_anew - routers connect again, and send all routes. */
void bmp_in_all_anew(struct bmp_in *in);

/* ---- bmp_in_say.c ---- */

/* bmp_in_may_log - ask the rate limit of @what. Returns: true: the caller may write the
 * line. The log later states the number of suppressed lines. */
bool bmp_in_may_log(struct bmp_in *in, enum bmp_say what);
/* bmp_in_say_rest - write the number of suppressed lines if the period of @what is
 * over. */
void bmp_in_say_rest(struct bmp_in *in, enum bmp_say what, uint64_t now_ns);

/* ---- bmp_router.c ---- */

static inline bool
bmp_router_is_open(const struct bmp_router *r)
{
	return foreign_stream_is_open(&r->bmp.stream);
}

/* bmp_router_new - a router connected from @addr through @fd. */
void bmp_router_new(struct bmp_in *in, TAKE struct os_fd fd, struct ip_addr addr);
/* bmp_router_lost - the connection ends. The routes of the router stay until they expire.
 * @why: for the log. */
void bmp_router_lost(struct bmp_router *r, const char *why);
/* bmp_router_expire - free expired peers of a disconnected router. Returns: false: no
 * peer is left. */
bool bmp_router_expire(struct bmp_router *r, uint64_t now_ns);
/* bmp_router_free - must not run in a callback of the connection. @down: the channels go
 * down and remove the routes of the router themselves. */
void bmp_router_free(TAKE struct bmp_router *r, bool down);
/* bmp_router_go_on - the channels accept routes again: continue reading. */
void bmp_router_go_on(struct bmp_router *r);

#endif
