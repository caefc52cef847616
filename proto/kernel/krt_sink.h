/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sink of a channel that exports to the kernel, with a record of the exported routes.
 *
 * The sink keeps the attribute set of each net that the sink has put into the kernel. So
 * a scan can compute each wanted route without running filters. Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_KRT_SINK_H
#define TERN_PROTO_KERNEL_KRT_SINK_H

#include "lib/base/bitmap.h"
#include "lib/mt/atomic.h"
#include "lib/wire/rtnl_route.h"
#include "nest/channel/export/sink.h"
#include "proto/kernel/krt_batch.h"
#include "proto/kernel/krt_failed.h"
#include "proto/kernel/krt_guard.h"
#include "proto/kernel/krt_route.h"

#include <stdint.h>

struct krt_moved;
struct proto;

/* Owner: the instance that embeds the sink. Life: the instance's. Freed by:
 * krt_sink_fini. */
struct krt_sink {
	struct sink sink; /* first */
	struct proto *p;
	struct krt_batch batch;
	struct krt_guard guard; /* for routes that the channel withdraws */
	/* by net id; with a reference; NULL: the net is not exported */
	struct attr_set **set;
	uint32_t cap;
	struct bitmap out; /* nets that the kernel should have */
	struct krt_failed failed; /* nets of `out` that the kernel refused */
	/* routes with the previous metric, for nets whose metric changed; removed as soon
	 * as the kernel has the new route. MEM_PROTO */
	struct krt_moved *moved;
	uint32_t moved_cnt, moved_cap;
	/* nets of `out` that the present scan found or that changed since */
	struct bitmap seen;
	/* next hops of a merged route; 0: routes are not merged. Constant */
	uint32_t merge;
	uint32_t at; /* krt_sink_repair, krt_sink_remove: the next net */
	/* 1: the daemon lacks permission to change routes and writes none */
	struct pub32 denied;
	bool stopped; /* the sink accepts no routes */
	bool repairing; /* a repair writes routes that the last scan did not find */
	bool knows_all; /* `synced` was called */
	/* refused routes since the last log line */
	uint32_t refused;
	uint64_t logged_ns;
	struct rtnl_hop hop[RTNL_HOPS_MAX]; /* of the route under construction */
	/* scan_me - the kernel refused a route; a scan may repair the difference. */
	void (*scan_me)(struct krt_sink *k);
};

/* krt_sink_init - @k is zeroed; the caller sets scan_me. */
void krt_sink_init(struct krt_sink *k, struct proto *p);
void krt_sink_fini(struct krt_sink *k);
/* krt_sink_start - the worker of the sink has a loop. */
void krt_sink_start(struct krt_sink *k);
/* krt_sink_open - called before channel_up. Returns: 0 or negative errno. */
int krt_sink_open(struct krt_sink *k);
/* krt_sink_close - called after the channel is down. */
void krt_sink_close(struct krt_sink *k);
/* krt_sink_look - test the permission to change routes. A changed answer is logged. */
void krt_sink_look(struct krt_sink *k);

/* krt_sink_scan - a scan begins: mark all nets as not seen.
 * krt_sink_see - the scan found a route with our protocol number: keep, repair or remove
 * the route.
 * krt_sink_seen - the scan is complete; krt_sink_repair then adds nets that were not
 * seen.
 * krt_sink_repair - one step of the repair. Returns: true: more steps are needed.
 * krt_sink_remove - one step of the removal of all routes; @leave: only forget the
 * routes.
 * Returns: true: more steps are needed. */
void krt_sink_scan(struct krt_sink *k);
void krt_sink_see(struct krt_sink *k, const struct rtnl_route *got);
void krt_sink_seen(struct krt_sink *k);
bool krt_sink_repair(struct krt_sink *k);
bool krt_sink_remove(struct krt_sink *k, bool leave);

/* For the files of the sink.
 *
 * krt_sink_denied - true: the daemon lacks permission to change routes.
 * krt_sink_forget - net @id is no longer exported: drop its set. */
static inline bool
krt_sink_denied(const struct krt_sink *k)
{
	return load_relaxed32(&k->denied);
}

void krt_sink_forget(struct krt_sink *k, uint32_t id);

/* ---- krt_sink_write.c ---- */

/* krt_sink_where - context for krt_route_of. */
struct krt_where krt_sink_where(const struct krt_sink *k);
/* krt_sink_make - fill @r, except for the destination, with the route of @set. */
void krt_sink_make(struct krt_sink *k, struct rtnl_route *r, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src);
/* krt_sink_add - net @id is new in the kernel: write @r to destination @dst.
 * krt_sink_change - net @id is in the kernel: replace its route by @r, to r->dst.
 * krt_sink_del - remove the route of net @id.
 * krt_sink_leave - krt_sink_del for a net withdrawn by the channel, possibly a net of
 * many; the route may stay as a guard. */
void krt_sink_add(
    struct krt_sink *k, uint32_t id, struct rtnl_route *r, const struct prefix *dst);
void krt_sink_change(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, struct rtnl_route *r);
void krt_sink_del(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst);
void krt_sink_leave(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst);
/* krt_sink_end_guard - remove the routes of the guards. */
void krt_sink_end_guard(struct krt_sink *k);
/* krt_sink_flush - write the batch and publish failures. */
void krt_sink_flush(struct krt_sink *k);

#endif
