/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol image. Only files of this folder include the header.
 *
 *      image.c         life and commands
 *      image_sink.c    changes of the table become changes of the builder
 *      image_route.c   each route (attribute set and source) once, with its values
 *      image_entry.c   from a route to the facts of an entry
 *      image_file.c    publication, heartbeat, faults of the file
 *      image_look.c    routes whose entries change without a change of the table: next
 *                      hops, interfaces, ROAs
 *      image_show.c    lines and objects of `show protocols all`
 *
 * Loop: the instance's. */
#ifndef TERN_PROTO_IMAGE_IMAGE_PRIV_H
#define TERN_PROTO_IMAGE_IMAGE_PRIV_H

#include "lib/base/bitmap.h"
#include "lib/base/check.h"
#include "lib/base/htab.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_format.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/rib/index/rpki_index.h"
#include "proto/image/image_conf.h"
#include "sysdep/loop/loop.h"

struct igp_watch;
struct image_judge;
struct image_proto;

#define IMAGE_STATES  4 /* values of enum fib_rpki */
#define IMAGE_IDX_MAX (UINT32_MAX >> 2)

/* A route that at least one net of the image has. Owner: the instance. Life: until the
 * last net has another route. Freed by: image_route_drop, image_routes_clear. */
struct image_route {
	struct htab_node node;
	struct attr_set *set; /* with a reference */
	uint32_t peer_as, link_if; /* of the source; 0: unknown */
	uint32_t idx; /* in image_routes.at */
	uint32_t nets;
	uint32_t changed; /* number of the look that changed a value */
	bool resolved; /* the next hop depends on routes of the table */
	/* a bit for each enum fib_rpki whose value lacks facts: the builder was full */
	uint8_t lacks;
	/* by enum fib_rpki, with a reference of the builder; 0: no net needed the value
	 * yet */
	uint64_t value[IMAGE_STATES];
};

/* The routes of an instance. Owner: the instance. Life: embedded, as the instance. */
struct image_routes {
	struct htab by_key;
	struct image_route **at; /* by number; NULL: free. at[0] is not used */
	uint32_t cnt, cap; /* of at */
	uint32_t *spare; /* free numbers */
	uint32_t spare_cnt, spare_cap;
	/* by net id: the number of the route << 2 | enum fib_rpki; 0: not in the image */
	uint32_t *net;
	uint32_t net_cap;
	struct bitmap there; /* ids with an entry in net */
	struct htab hops; /* struct image_hop: next hops that the table resolves */
	bool hops_changed;
	uint32_t lacking; /* values that lack facts */
};

/* An address that the table resolves for at least one route. Owner: the instance. Life:
 * until no route needs the address. Freed by: the release of the last such route. */
struct image_hop {
	struct htab_node node;
	struct ip_addr addr;
	uint32_t routes;
};

/* What a look visits: bits. */
#define LOOK_RESOLVED 1u /* routes whose next hop the table resolves */
#define LOOK_ROUTES   2u /* all routes */
#define LOOK_NETS     4u /* each net asks the ROA table again */
#define LOOK_LACKING  8u /* routes whose values lack facts */

/* A second look at routes and nets whose entries may differ now. image_look.c. Owner: the
 * instance. Life: embedded, as the instance. */
struct image_look {
	struct timer timer; /* next step */
	uint32_t nr; /* number of the newest look */
	uint32_t on; /* LOOK_* of the running look; 0: no look runs */
	uint32_t next; /* LOOK_* of the next look */
	uint32_t route, net; /* next numbers of the running look */
	bool changed; /* the running look changed a value */
	struct igp_watch *watch; /* NULL: no next hop needs the table */
	struct image_judge *judge; /* the subscription to a ROA table; NULL: none */
	struct rpki_index *roa; /* of `judge`, which holds the index; NULL: none */
	uint32_t going; /* watches and subscriptions that end */
	/* done - entries changed, or a look ended. ended - nothing is under way any more.
	 * Constant */
	void (*done)(struct image_proto *s);
	void (*ended)(struct image_proto *s);
};

/* Why an image is not up to date. */
enum image_fault {
	IMAGE_OK,
	IMAGE_FAULT_BUSY, /* another process writes the file */
	IMAGE_FAULT_FOREIGN, /* the file is no image */
	IMAGE_FAULT_OPEN, /* the file cannot be made */
	IMAGE_FAULT_WRITE, /* the image cannot be published */
};

/* Numbers for other threads. Written by the instance, read by any thread. Owner: the
 * instance. Life: embedded, as the instance. */
struct image_shown {
	struct pub32 fault; /* enum image_fault << 16 | errno */
	struct pub32 waits; /* 1: the first publication waits for the table */
	struct counter64 behind_ns; /* oldest change not yet published; 0: none */
	struct counter64 generation, prefixes, hops, origins, attrs;
	struct counter64 image_octets, side_octets, idle_octets, holes, waiting_octets,
	    builder_octets;
	struct counter64 published, rebuilt, chunks_written, octets_written, chunks_moved,
	    failed, last_ns, lacking, reopened;
};

/* The file of an image. image_file.c. Owner: the instance. Life: embedded, as the
 * instance. */
struct image_file {
	struct timer publish; /* the next publication, or the next try */
	struct timer beat;
	char *path; /* MEM_PROTO; NULL: the instance was never up */
	bool open;
	bool synced; /* the channel gave all routes of the start */
	bool published; /* the present file has a complete image */
	bool packs; /* the timer @publish waits for a step of compaction only */
	uint64_t synced_ns;
	uint64_t busy_ns; /* since when another writer has the file; 0: no other writer */
	uint64_t logged_ns;
};

/* Owner: the worker of the instance. Life: from make to free of the class in image.c. */
struct image_proto {
	struct proto p; /* first */
	struct channel *ch;
	struct sink sink;
	struct fib *fib; /* NULL: the instance is down */
	uint64_t reject; /* value of the last resort, with a reference */
	struct image_routes routes;
	struct image_look look;
	struct image_file file;
	struct image_shown shown;
	struct arena arena; /* for one callback */
	bool leaving; /* the instance ends when image_look_busy is false */
};

static inline struct image_proto *
image_of(const struct proto *p)
{
	return (struct image_proto *)(uintptr_t)p;
}

static inline struct image_proto *
image_of_worker(const struct worker *w)
{
	return image_of(
	    container_of((struct worker *)(uintptr_t)w, struct proto, worker));
}

static inline const struct image_conf *
image_conf_of(const struct image_proto *s)
{
	return s->p.cf->opt;
}

static inline bool
image_judges(const struct image_proto *s)
{
	return image_conf_of(s)->fields & FIB_WITH_RPKI;
}

/* ---- image_sink.c ---- */

extern const struct sink_ops image_sink_ops;

/* ---- image_entry.c ---- */

/* image_entry_of - fill @e with the facts of a route; arrays lie in s->arena. *@resolved:
 * the next hop depends on routes of the table. Under RCU. */
void image_entry_of(struct image_proto *s, struct fib_entry *e,
    const struct image_route *r, enum fib_rpki state, bool *resolved);
/* image_entry_judge - the RPKI state of net @p with route @r. Under RCU. */
enum fib_rpki image_entry_judge(
    const struct image_proto *s, const struct image_route *r, const struct prefix *p);

/* ---- image_route.c ---- */

void image_routes_init(struct image_routes *t);
/* image_routes_fini - image_routes_clear was called. */
void image_routes_fini(struct image_routes *t);
/* image_routes_clear - forget all nets and routes; their values die with the builder. */
void image_routes_clear(struct image_proto *s);
/* image_route_get - the route of @set and @src (NULL: unknown). A new route has no net
 * yet: image_route_drop frees a route that no net took. */
struct image_route *image_route_get(
    struct image_proto *s, struct attr_set *set, const struct route_source *src);
void image_route_drop(struct image_proto *s, struct image_route *r);
/* image_route_value - the value of @r for @state, which the route holds. Under RCU. */
uint64_t image_route_value(
    struct image_proto *s, struct image_route *r, enum fib_rpki state);
/* image_route_renew - make the values of @r again. Returns: true: a value changed. */
bool image_route_renew(struct image_proto *s, struct image_route *r);
/* image_net_put, image_net_drop - net @id, prefix @p, has route @r, or leaves the
 * image. */
void image_net_put(
    struct image_proto *s, uint32_t id, const struct prefix *p, struct image_route *r);
void image_net_drop(struct image_proto *s, uint32_t id, const struct prefix *p);
/* image_net_renew - put the present value of net @id into the builder. @judge: ask the
 * ROA table again. */
void image_net_renew(struct image_proto *s, uint32_t id, bool judge);

/* ---- image_look.c ---- */

void image_look_start(struct image_proto *s);
/* image_look_update - ask the ROA table of the configuration. image_look_end - watch
 * nothing; image_look_busy becomes false later, and then look.ended is called. */
void image_look_update(struct image_proto *s);
void image_look_end(struct image_proto *s);
bool image_look_busy(const struct image_proto *s);
/* image_look_hops - tell the watcher which next hops the table resolves. */
void image_look_hops(struct image_proto *s);
/* image_look_again - look soon at what LOOK_* @what says. */
void image_look_again(struct image_proto *s, uint32_t what);
/* image_look_waits - true: the ROA table has no data yet. */
static inline bool
image_look_waits(const struct image_proto *s)
{
	return s->look.roa && rpki_index_waits(s->look.roa);
}

/* ---- image_file.c ---- */

void image_file_start(struct image_proto *s);
/* image_file_up - the builder is new and empty. */
void image_file_up(struct image_proto *s);
void image_file_free(struct image_proto *s);
/* image_file_changed - the builder changed: publish soon. image_file_synced - the builder
 * has all routes of the start. */
void image_file_changed(struct image_proto *s);
void image_file_synced(struct image_proto *s);
/* image_file_close - stop writing. @remove: remove the file, too. */
void image_file_close(struct image_proto *s, bool remove);
/* image_file_moved - the configuration may have another name for the file. */
void image_file_moved(struct image_proto *s);
/* image_file_sweep - remove an image that an earlier life of the instance left at @path,
 * unless `persist` keeps the image. */
void image_file_sweep(struct image_proto *s, const char *path);

/* ---- image_show.c ---- */

/* image_publish - proto_life_ops.publish: up, once the file has a complete image. */
void image_publish(struct proto *p);

/* image_shown_update - after a change of the builder's numbers. */
void image_shown_update(struct image_proto *s);
/* image_trouble_text - append a present fault of @p. Any thread, under RCU. */
void image_trouble_text(const struct proto *p, struct strbuf *out);
void image_reply(const struct proto *p, struct reply *r);

#endif
