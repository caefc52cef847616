/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other side of BMP: an instance that is a station. Routers connect to it, and what
 * they tell of their peers becomes routes of its channels, each RIB of each peer a source
 * of its own (nest/channel/import/many_peers.h).
 *
 * Owner: the instance's worker, but for what is marked. */
#ifndef TERN_PROTO_BMP_IN_PRIV_H
#define TERN_PROTO_BMP_IN_PRIV_H

#include "lib/attr/route.h"
#include "lib/base/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/channel/import/many_peers.h"
#include "nest/foreign/foreign_bmp.h"
#include "nest/foreign/foreign_stream.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"

struct bmp_conf;
struct conf_proto;
struct proto;
struct proto_cmd;

#define BMP_ROUTER_NAME 32

/* Lines of the log that others can cause, each kind with a bound of its own. */
enum bmp_say {
	BMP_SAY_STRANGER, /* a connection that has not begun, or was refused */
	BMP_SAY_ROUTER, /* a connection whose Initiation has come */
	BMP_SAY_CNT
};

/* What a router has told of a peer. */
struct bmp_heard {
	struct foreign_peer peer;
	struct route_source src;
	char table[BMP_ROUTER_NAME]; /* of a Loc-RIB */
	struct many_peer *rib[FOREIGN_RIBS]; /* NULL: nothing was told of it */
	uint64_t until_ns; /* when it goes, since its router is gone; 0: it doesn't */
};

/* A router: one that is connected, or what is kept of it. */
struct bmp_router {
	struct list link; /* of bmp_in.routers */
	struct bmp_in *in;
	struct foreign_bmp bmp; /* its connection, and peers: struct bmp_heard */
	struct ip_addr addr;
	char said[BMP_ROUTER_NAME]; /* its sysName; "": none yet, or not fit for a name */
	char name[BMP_ROUTER_NAME];
	uint64_t since_ns;
	uint64_t bad; /* routes that can't be read, in this connection */
};

/* For `show`: of a router. Immutable; replaced whole. */
struct bmp_in_row {
	char name[BMP_ROUTER_NAME];
	struct ip_addr addr;
	bool up;
	uint32_t peers;
	uint64_t msgs, bad;
};

struct bmp_in_rows {
	struct rcu_node rcu;
	uint32_t cnt;
	struct bmp_in_row at[];
};

struct bmp_in {
	struct proto *p;
	struct many_peers to;
	struct sock_listen listen;
	bool on; /* told to be up */
	bool listens;
	struct list routers; /* struct bmp_router */
	uint32_t router_cnt, heard_cnt; /* those, and all their peers */
	bool full_said; /* the log has it that there are too many peers */
	struct log_rate said[BMP_SAY_CNT];
	struct timer look;
	struct pubptr rows; /* struct bmp_in_rows * (pairs: BMPROWS) */
};

/* ---- bmp_in.c ---- */

/* bmp_in_make ... - in those of the class, for an instance that is a station. */
OWNED struct bmp_in *bmp_in_make(struct proto *p, const struct conf_proto *cf);
void bmp_in_start(struct bmp_in *in);
bool bmp_in_run(struct bmp_in *in);
void bmp_in_command(struct bmp_in *in, struct proto_cmd *cmd);
void bmp_in_free(TAKE struct bmp_in *in);
void bmp_in_show(const struct bmp_in *in, struct strbuf *out);
void bmp_in_json(const struct bmp_in *in, struct json *j);

/* bmp_in_may_log - a line of this kind is due: may the caller log it? The log has the
 * number of the others later. */
bool bmp_in_may_log(struct bmp_in *in, enum bmp_say what);

/* ---- bmp_router.c ---- */

static inline bool
bmp_router_is_open(const struct bmp_router *r)
{
	return foreign_stream_is_open(&r->bmp.stream);
}

/* bmp_router_new - @fd is its connection. */
void bmp_router_new(struct bmp_in *in, TAKE int fd, struct ip_addr addr);
/* bmp_router_lost - its connection ends; what it has told stays for a while. @why: for
 * the log. */
void bmp_router_lost(struct bmp_router *r, const char *why);
/* bmp_router_expire - peers whose time is over. Returns: false: nothing is left of it. */
bool bmp_router_expire(struct bmp_router *r, uint64_t now_ns);
/* bmp_router_free - not in a callback of its connection. @down: the channels are going
 * down, and its routes with them. */
void bmp_router_free(TAKE struct bmp_router *r, bool down);
/* bmp_router_go_on - the channels may take routes again. */
void bmp_router_go_on(struct bmp_router *r);

#endif
