/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From decided routes to the kernel's, and what of them is there.
 *
 * For each net that is in the kernel by our doing the sink has its set. So a scan can
 * tell what each route should be, without a look at filters. Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_SINK_H
#define TERN_PROTO_KERNEL_SINK_H

#include "lib/base/bitmap.h"
#include "lib/mt/atomic.h"
#include "lib/wire/rtnl_route.h"
#include "nest/channel/sink.h"
#include "proto/kernel/krt_batch.h"
#include "proto/kernel/krt_failed.h"
#include "proto/kernel/krt_guard.h"
#include "proto/kernel/krt_route.h"

#include <stdint.h>

struct krt_moved;
struct proto;

/* owner: its instance, in which it is embedded. */
struct krt_sink {
	struct sink sink; /* first */
	struct proto *p;
	struct krt_batch batch;
	struct krt_guard guard; /* of what the channel withdraws */
	struct attr_set **set; /* by net id; counted; NULL: it isn't there */
	uint32_t cap;
	struct bitmap out; /* nets that are to be there */
	struct krt_failed failed; /* of those: what the kernel has not taken */
	/* of nets whose metric has changed: the routes of the old one, which go when the
	 * kernel has taken the new ones. MEM_PROTO */
	struct krt_moved *moved;
	uint32_t moved_cnt, moved_cap;
	struct bitmap seen; /* of those: seen in the present scan, or changed since */
	uint32_t merge; /* hops of a merged route; 0: none are merged. Constant */
	uint32_t at; /* krt_sink_repair, krt_sink_remove: the next net */
	struct pub32 denied; /* 1: we may not change routes: nothing is written */
	bool stopped; /* takes no more */
	bool repairing; /* what is written is what a scan has missed */
	bool all_told; /* `synced` was called */
	/* routes that the kernel has refused, and that the log wasn't told of yet */
	uint32_t refused;
	uint64_t told_ns;
	struct rtnl_hop hop[RTNL_HOPS_MAX]; /* of the route that is being made */
	/* scan_me - something was refused that a scan may mend. */
	void (*scan_me)(struct krt_sink *k);
};

/* krt_sink_init - all of it is 0; scan_me is the caller's to set. */
void krt_sink_init(struct krt_sink *k, struct proto *p);
void krt_sink_fini(struct krt_sink *k);
/* krt_sink_start - its worker has a loop. */
void krt_sink_start(struct krt_sink *k);
/* krt_sink_open - before channel_up. Returns: 0 or negative errno. */
int krt_sink_open(struct krt_sink *k);
/* krt_sink_close - when the channel is down. */
void krt_sink_close(struct krt_sink *k);
/* krt_sink_look - may we change routes? Says so in the log if that is another answer than
 * before. */
void krt_sink_look(struct krt_sink *k);

/* krt_sink_scan - nothing has been seen. krt_sink_see - a route with our protocol is in
 * the kernel: it is left alone, mended, or taken away. krt_sink_seen - that were all:
 * krt_sink_repair puts back what wasn't seen.
 * krt_sink_repair, krt_sink_remove (all goes, or is left there for good) - a part of it.
 * Returns: is there more? */
void krt_sink_scan(struct krt_sink *k);
void krt_sink_see(struct krt_sink *k, const struct rtnl_route *got);
void krt_sink_seen(struct krt_sink *k);
bool krt_sink_repair(struct krt_sink *k);
bool krt_sink_remove(struct krt_sink *k, bool leave);

/* For the files of the sink.
 *
 * krt_sink_denied - we may not change routes. krt_sink_where - where they go.
 * krt_sink_forget - net @id isn't to be there any more. */
bool krt_sink_denied(const struct krt_sink *k);
struct krt_where krt_sink_where(const struct krt_sink *k);
void krt_sink_forget(struct krt_sink *k, uint32_t id);

/* ---- krt_sink_write.c ---- */

/* krt_sink_make - the route of @set, in @r but for its destination. */
void krt_sink_make(struct krt_sink *k, struct rtnl_route *r, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src);
/* krt_sink_add - net @id goes to the kernel as @r, to @dst. krt_sink_change - the same of
 * a net that is there, to r->dst. krt_sink_del - what is there of net @id goes.
 * krt_sink_leave - the same, the channel has withdrawn it, maybe as one of many. */
void krt_sink_add(
    struct krt_sink *k, uint32_t id, struct rtnl_route *r, const struct prefix *dst);
void krt_sink_change(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, struct rtnl_route *r);
void krt_sink_del(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst);
void krt_sink_leave(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst);
/* krt_sink_end_guard - what was kept back leaves, too. */
void krt_sink_end_guard(struct krt_sink *k);
/* krt_sink_flush - what waits is written, and failures are published. */
void krt_sink_flush(struct krt_sink *k);

#endif
