/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export routes to the kernel (krt_sink.h): the changes from the channel.
 * krt_sink_write.c makes the messages.
 *
 * I1  set[id] is not NULL if and only if `out` has the bit of id.
 * I2  The next scan repairs each failure: the scan compares the kernel's routes with
 *     `set` and adds missing routes.
 * I3  `failed` has the nets whose route of `set` the kernel refused at the last try; the
 *     kernel may still have an older route of the net.
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "proto/kernel/krt_sink.h"

#include "lib/attr/attr.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_failed.h"
#include "proto/kernel/krt_guard.h"
#include "proto/kernel/krt_merge.h"
#include "proto/kernel/krt_route.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"

#include <errno.h>
#include <stdio.h>

/* least interval between log lines about refused routes */
#define LOG_NS (60 * NS_PER_S)

static struct krt_sink *
krt_sink_of(const struct sink *k)
{
	return container_of((struct sink *)(uintptr_t)k, struct krt_sink, sink);
}

static const struct kernel_conf *
krt_sink_conf_of(const struct krt_sink *k)
{
	return k->p->cf->opt;
}

/* ---- exported nets ---- */

void
krt_sink_forget(struct krt_sink *k, uint32_t id)
{
	attr_set_unref(k->p->tern->store, k->set[id], 1);
	k->set[id] = NULL;
	krt_failed_note(&k->failed, id, REASON_NONE);
	bitmap_clear(&k->out, id);
	k->sink.held--;
}

static void
krt_sink_remember(struct krt_sink *k, uint32_t id, struct attr_set *set)
{
	k->set = vec_zeroed(MEM_PROTO, k->set, &k->cap, id + 1, sizeof(*k->set));
	attr_set_ref(set, 1);
	if (k->set[id])
		attr_set_unref(k->p->tern->store, k->set[id], 1);
	k->set[id] = set;
	k->sink.held += bitmap_set(&k->out, id);
}

/* ---- refused routes ---- */

static void
sink_net_text(const struct krt_sink *k, uint32_t id, char to[PREFIX_STR_MAX])
{
	const struct table *t = channel_table(k->sink.ch);
	struct prefix p;

	if (id == NO_ID) {
		snprintf(to, PREFIX_STR_MAX, "of a withdrawn route");
		return;
	}
	p = net_prefix(t, table_net_of(t, id));
	prefix_str(to, &p);
}

/* krt_sink_log - log a refused route, at most every LOG_NS. */
static void
krt_sink_log(struct krt_sink *k, uint32_t id, int err)
{
	char net[PREFIX_STR_MAX];

	k->refused++;
	if (!log_due(&k->logged_ns, loop_now_ns(&k->p->worker), LOG_NS))
		return;
	sink_net_text(k, id, net);
	if (err == -EEXIST)
		proto_log(k->p, LOG_C_WARN,
		    "Network %s isn't exported: the kernel has a route of another "
		    "program with the same metric",
		    net);
	else
		proto_log(k->p, LOG_C_WARN,
		    "The kernel refuses network %s: %s (%u since the last such line)",
		    net, strerror(-err), k->refused);
	k->refused = 0;
}

static void
krt_sink_deny(struct krt_sink *k)
{
	if (krt_sink_denied(k))
		return;
	store_relaxed32(&k->denied, 1);
	proto_log(k->p, LOG_C_ERR,
	    "Not permitted to change the kernel's routes (CAP_NET_ADMIN): no route is "
	    "exported");
}

static void
krt_sink_failed(void *arg, const struct krt_item *it, int err)
{
	struct krt_sink *k = arg;

	if (!it->del && it->id != NO_ID)
		krt_failed_note(&k->failed, it->id,
		    err == -EPERM    ? REASON_KERNEL_DENIED
		    : err == -EEXIST ? REASON_KERNEL_TAKEN
				     : REASON_KERNEL_REFUSED);
	if (err == -EPERM)
		krt_sink_deny(k);
	else if (it->del && (err == -ESRCH || err == -ENOENT || err == -ENODEV))
		return; /* the route is already gone */
	else if (err == -EEXIST && !k->repairing)
		k->scan_me(k); /* ours, from before; or another's: the scan knows */
	else
		krt_sink_log(k, it->id, err);
}

static void
krt_sink_lost(void *arg, int err)
{
	struct krt_sink *k = arg;

	if (log_due(&k->logged_ns, loop_now_ns(&k->p->worker), LOG_NS))
		proto_log(k->p, LOG_C_WARN,
		    "Routes may not have reached the kernel: %s; the daemon compares all "
		    "routes",
		    strerror(-err));
	k->scan_me(k);
}

static const struct krt_batch_ops batch_ops = { .failed = krt_sink_failed,
	.lost = krt_sink_lost };

void
krt_sink_look(struct krt_sink *k)
{
	int err = krt_batch_may(&k->batch);

	if (err == -EPERM)
		krt_sink_deny(k);
	else if (!err && krt_sink_denied(k)) {
		store_relaxed32(&k->denied, 0);
		proto_log(k->p, LOG_C_INFO, "Permitted to change the kernel's routes");
	}
}

/* ---- changes from the channel ---- */

static struct prefix
krt_sink_next_net(const struct krt_where *w, const uint8_t **pos)
{
	struct nlri n;

	*pos += NLRI_BY_KIND((enum nlri_kind)w->fam, nlri_get, &n, *pos);
	return nlri_prefix((enum nlri_kind)w->fam, n.word, n.head);
}

static size_t
krt_sink_room(struct sink *sink)
{
	const struct krt_sink *k = krt_sink_of(sink);

	return k->stopped ? 0 : KRT_BATCH_OCTETS / 2;
}

static const struct route_source *
krt_sink_source_of(const struct segment *s)
{
	return s->facts ? &s->facts->src : NULL;
}

/* krt_sink_put - export net @id by route @r, made from @set. */
static void
krt_sink_put(struct krt_sink *k, uint32_t id, const struct krt_where *w,
    const struct prefix *dst, struct rtnl_route *r, struct attr_set *set)
{
	bool there = bitmap_test(&k->out, id);

	if (there && k->set[id] == set)
		return;
	r->dst = *dst;
	if (there)
		krt_sink_change(k, id, w, r);
	else
		krt_sink_add(k, id, r, dst);
	krt_sink_remember(k, id, set);
	bitmap_set(&k->seen, id);
	k->sink.queued += 64;
}

/* sink_put_merged - export net @id by the merged route of @s and the equally good
 * routes. */
static void
sink_put_merged(struct krt_sink *k, uint32_t id, const struct krt_where *w,
    const struct prefix *dst, const struct segment *s, struct attr_set *set)
{
	const struct krt_merging m = { .ch = k->sink.ch,
		.arena = k->sink.arena,
		.w = w,
		.limit = k->merge,
		.best = s->set,
		.from = s->facts };
	struct attr_set *merged = krt_merge(&m, table_net_of(w->table, id), set);
	struct rtnl_route r;

	krt_sink_make(k, &r, w, merged ? merged : set, krt_sink_source_of(s));
	krt_sink_put(k, id, w, dst, &r, merged ? merged : set);
	if (merged)
		attr_set_unref(k->p->tern->store, merged, 1);
}

static enum sink_took
krt_sink_announce(struct sink *sink, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	struct krt_sink *k = krt_sink_of(sink);
	struct sink_nets nets = n ? *n : sink_nets_all(s);
	struct krt_where w = krt_sink_where(k);
	struct rtnl_route r;

	krt_sink_make(k, &r, &w, a->set, krt_sink_source_of(s));
	for (struct seg_nets i = seg_nets_of(nets.run, nets.run_cnt);
	     seg_nets_next(&i);) {
		struct prefix dst = krt_sink_next_net(&w, &nets.nlri);

		if (sink->merges)
			sink_put_merged(k, i.id, &w, &dst, s, a->set);
		else
			krt_sink_put(k, i.id, &w, &dst, &r, a->set);
	}
	return SINK_TAKEN;
}

static uint32_t
krt_sink_withdraw(struct sink *sink, struct segment *s, const struct sink_nets *n)
{
	struct krt_sink *k = krt_sink_of(sink);
	struct sink_nets nets = n ? *n : sink_nets_all(s);
	struct krt_where w = krt_sink_where(k);
	uint32_t held = 0;

	for (struct seg_nets i = seg_nets_of(nets.run, nets.run_cnt);
	     sink->held && seg_nets_next(&i);) {
		struct prefix dst = krt_sink_next_net(&w, &nets.nlri);

		if (!bitmap_test(&k->out, i.id))
			continue;
		krt_sink_leave(k, i.id, &w, &dst);
		krt_sink_forget(k, i.id);
		held++;
		sink->queued += 48;
	}
	return held;
}

/* sink_merged_of - the merged set for a reader in any thread; w.cf stays NULL because the
 * configuration belongs to the worker. */
static OWNED struct attr_set *
sink_merged_of(const struct sink *sink, struct filter_thread *ft, struct arena *a,
    const struct net *n, struct attr_set *set)
{
	const struct krt_sink *k = krt_sink_of(sink);
	const struct krt_where w = { .ifaces = iface_list_get(&k->p->tern->ifaces),
		.table = channel_table(sink->ch),
		.fam = channel_family(sink->ch) };
	const struct path *best = net_best(n);
	const struct krt_merging m = { .ch = sink->ch,
		.ft = ft,
		.arena = a,
		.w = &w,
		.limit = k->merge,
		.best = best ? path_set(best) : NULL,
		.from = best ? path_origin_of(w.table, best) : NULL };

	return krt_merge(&m, n, set);
}

static void
krt_sink_parts_done(struct sink *sink)
{
	(void)sink;
}

static void
kernel_krt_sink_flush(struct sink *sink)
{
	struct krt_sink *k = krt_sink_of(sink);

	krt_sink_flush(k);
	if (k->guard.cnt)
		timer_set(&k->guard.timer, loop_now_ns(&k->p->worker) + KRT_GUARD_NS);
	if (sink->queued)
		counter64_set(&channel_stats(sink->ch)->last_tx_ns, clock_now_ns());
	sink->queued = 0;
}

static void
krt_sink_synced(struct sink *sink)
{
	struct krt_sink *k = krt_sink_of(sink);

	k->knows_all = true;
	k->scan_me(k);
}

static uint32_t
krt_sink_holds(const struct sink *sink, uint32_t id, uint32_t cnt)
{
	return bitmap_count_range(&krt_sink_of(sink)->out, id, cnt);
}

static enum reason
krt_sink_failure(const struct sink *sink, uint32_t id)
{
	return krt_failed_get(&krt_sink_of(sink)->failed, id);
}

static uint32_t
krt_sink_failures(const struct sink *sink)
{
	return krt_failed_cnt(&krt_sink_of(sink)->failed);
}

static void
krt_sink_down(struct sink *sink)
{
	struct krt_sink *k = krt_sink_of(sink);
	uint32_t id = 0;

	while ((id = bitmap_next(&k->out, id)) != NO_ID)
		krt_sink_forget(k, id);
	krt_failed_publish(&k->failed, channel_stats(k->sink.ch)->reason);
	k->moved_cnt = 0;
	bitmap_clear_all(&k->out);
	bitmap_clear_all(&k->seen);
	k->at = 0;
	k->knows_all = false;
	sink->held = 0;
	sink->queued = 0;
}

static const struct sink_written_ops written = {
	.merged = sink_merged_of,
	.failure = krt_sink_failure,
	.failures = krt_sink_failures,
};

static const struct sink_ops ops = {
	.room = krt_sink_room,
	.announce = krt_sink_announce,
	.withdraw = krt_sink_withdraw,
	.parts_done = krt_sink_parts_done,
	.flush = kernel_krt_sink_flush,
	.synced = krt_sink_synced,
	.holds = krt_sink_holds,
	.down = krt_sink_down,
	.written = &written,
};

/* ---- life ---- */

void
krt_sink_init(struct krt_sink *k, struct proto *p)
{
	k->sink.ops = &ops;
	k->p = p;
	k->stopped = true;
	k->batch.fd = OS_FD_NONE;
	bitmap_init(&k->out, MEM_PROTO);
	bitmap_init(&k->seen, MEM_PROTO);
}

void
krt_sink_fini(struct krt_sink *k)
{
	krt_batch_close(&k->batch);
	krt_guard_fini(&k->guard);
	bitmap_fini(&k->out);
	bitmap_fini(&k->seen);
	krt_failed_fini(&k->failed);
	mem_free(MEM_PROTO, k->moved);
	mem_free(MEM_PROTO, k->set);
}

static void
sink_guard_fires(struct timer *t)
{
	struct krt_sink *k = container_of(t, struct krt_sink, guard.timer);

	krt_sink_end_guard(k);
	krt_batch_flush(&k->batch);
}

void
krt_sink_start(struct krt_sink *k)
{
	timer_init(&k->guard.timer, &k->p->worker, sink_guard_fires);
}

int
krt_sink_open(struct krt_sink *k)
{
	int rc = krt_batch_open(&k->batch, krt_sink_conf_of(k)->rx_buffer, &batch_ops, k);

	if (rc)
		return rc;
	k->stopped = false;
	k->at = 0;
	store_relaxed32(&k->denied, 0);
	krt_sink_look(k);
	return 0;
}

void
krt_sink_close(struct krt_sink *k)
{
	k->stopped = true;
	timer_cancel(&k->guard.timer);
	krt_sink_end_guard(k);
	krt_batch_flush(&k->batch);
	krt_batch_close(&k->batch);
}
