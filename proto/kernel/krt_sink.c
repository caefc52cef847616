/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes into the kernel (krt_sink.h).
 *
 * A route that changes is taken away and put there anew, by two messages of one write:
 * the kernel's own way to replace one takes whichever has the destination and metric,
 * also that of somebody else. What is taken away has our protocol, or stays.
 *
 * I1  set[id] isn't NULL where the bit of id in `out` is set, and nowhere else.
 * I2  Whatever fails is mended by the next scan: what the kernel has is compared with
 *     set, and what it lacks is put there again.
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "proto/kernel/krt_sink.h"

#include "lib/attr/attr.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/segment.h"
#include "nest/rib/table.h"
#include "nest/tern.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_merge.h"
#include "proto/kernel/krt_route.h"
#include "sysdep/clock.h"
#include "sysdep/iface.h"
#include "sysdep/log.h"
#include "sysdep/log_class.h"
#include "sysdep/loop.h"

#include <errno.h>
#include <stdio.h>

#define STEP_NETS 500 /* of a repair in one go */
#define NO_NET    UINT32_MAX
#define TELL_NS   (60 * NS_PER_S) /* between lines about routes that are refused */

static struct krt_sink *
sink_of(const struct sink *k)
{
	return container_of((struct sink *)(uintptr_t)k, struct krt_sink, sink);
}

static const struct kernel_conf *
conf_of(const struct krt_sink *k)
{
	return k->p->cf->opt;
}

static struct krt_where
where(const struct krt_sink *k)
{
	return (struct krt_where){ .cf = conf_of(k),
		.ifaces = iface_list_get(&k->p->tern->ifaces),
		.table = channel_table(k->sink.ch),
		.fam = channel_family(k->sink.ch) };
}

static bool
denied(const struct krt_sink *k)
{
	return load_relaxed32(&k->denied);
}

/* ---- what is there ---- */

static void
forget(struct krt_sink *k, uint32_t id)
{
	attr_set_unref(k->p->tern->store, k->set[id], 1);
	k->set[id] = NULL;
	bitmap_clear(&k->out, id);
	k->sink.held--;
}

static void
remember(struct krt_sink *k, uint32_t id, struct attr_set *set)
{
	uint32_t cap = k->cap;

	if (id >= cap) {
		cap = id + id / 2 + 1024;
		k->set = mem_realloc(MEM_PROTO, k->set, cap * sizeof(struct attr_set *));
		memset(k->set + k->cap, 0, (cap - k->cap) * sizeof(struct attr_set *));
		k->cap = cap;
	}
	attr_set_ref(set, 1);
	if (k->set[id])
		attr_set_unref(k->p->tern->store, k->set[id], 1);
	k->set[id] = set;
	k->sink.held += bitmap_set(&k->out, id);
}

/* ---- what is refused ---- */

static void
net_text(const struct krt_sink *k, uint32_t id, char to[PREFIX_STR_MAX])
{
	const struct table *t = channel_table(k->sink.ch);
	struct prefix p;

	if (id == NO_NET) {
		snprintf(to, PREFIX_STR_MAX, "that isn't exported any more");
		return;
	}
	p = net_prefix(t, table_net_of(t, id));
	prefix_str(to, &p);
}

/* tell - of a route that was refused, now and then. */
static void
tell(struct krt_sink *k, uint32_t id, int err)
{
	char net[PREFIX_STR_MAX];

	k->refused++;
	if (!log_due(&k->told_ns, loop_now_ns(&k->p->worker), TELL_NS))
		return;
	net_text(k, id, net);
	if (err == -EEXIST)
		proto_log(k->p, LOG_C_WARN,
		    "Network %s isn't exported: somebody else has put a route of the "
		    "same metric into the kernel",
		    net);
	else
		proto_log(k->p, LOG_C_WARN,
		    "The kernel refuses network %s: %s (%u since the last such line)",
		    net, strerror(-err), k->refused);
	k->refused = 0;
}

static void
deny(struct krt_sink *k)
{
	if (denied(k))
		return;
	store_relaxed32(&k->denied, 1);
	proto_log(k->p, LOG_C_ERR,
	    "Not permitted to change the kernel's routes (CAP_NET_ADMIN): nothing is "
	    "exported to it");
}

static void
failed(void *arg, const struct krt_item *it, int err)
{
	struct krt_sink *k = arg;

	if (err == -EPERM)
		deny(k);
	else if (it->del && (err == -ESRCH || err == -ENOENT || err == -ENODEV))
		return; /* others have taken it away */
	else if (err == -EEXIST && !k->repairing)
		k->scan_me(k); /* ours, from before; or another's: the scan knows */
	else
		tell(k, it->id, err);
}

static void
lost(void *arg, int err)
{
	struct krt_sink *k = arg;

	if (log_due(&k->told_ns, loop_now_ns(&k->p->worker), TELL_NS))
		proto_log(k->p, LOG_C_WARN,
		    "Routes may not have reached the kernel: %s; they are compared",
		    strerror(-err));
	k->scan_me(k);
}

static const struct krt_batch_ops batch_ops = { .failed = failed, .lost = lost };

void
krt_sink_look(struct krt_sink *k)
{
	int err = krt_batch_may(&k->batch);

	if (err == -EPERM)
		deny(k);
	else if (!err && denied(k)) {
		store_relaxed32(&k->denied, 0);
		proto_log(k->p, LOG_C_INFO, "Permitted to change the kernel's routes");
	}
}

/* ---- messages ---- */

/* make - the route of @set in @r. */
static void
make(struct krt_sink *k, struct rtnl_route *r, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src)
{
	r->hop = k->hop;
	krt_route_of(r, w, set, src);
}

/* del - the route of net @id, @dst, which is there by our doing. */
static void
del(struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst)
{
	struct rtnl_route old = { .dst = *dst };

	krt_route_key(&old, w, k->set[id]);
	if (!denied(k))
		krt_batch_del(&k->batch, id, &old);
}

static void
add(struct krt_sink *k, uint32_t id, struct rtnl_route *r, const struct prefix *dst)
{
	r->dst = *dst;
	if (!denied(k))
		krt_batch_add(&k->batch, id, r);
}

static struct prefix
next_net(const struct krt_where *w, const uint8_t **pos)
{
	struct nlri n;

	*pos += NLRI_BY_KIND((enum nlri_kind)w->fam, nlri_get, &n, *pos);
	return nlri_prefix((enum nlri_kind)w->fam, n.word, n.head);
}

/* ---- what the channel gives ---- */

static size_t
room(struct sink *sink)
{
	const struct krt_sink *k = sink_of(sink);

	return k->stopped ? 0 : KRT_BATCH_OCTETS / 2;
}

static const struct route_source *
source_of(const struct segment *s)
{
	return s->facts ? &s->facts->src : NULL;
}

/* put - net @id goes by @r, which is made of @set. */
static void
put(struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst,
    struct rtnl_route *r, struct attr_set *set)
{
	bool there = bitmap_test(&k->out, id);

	if (there && k->set[id] == set)
		return;
	if (there)
		del(k, id, w, dst);
	add(k, id, r, dst);
	remember(k, id, set);
	bitmap_set(&k->seen, id);
	k->sink.queued += 64;
}

/* put_merged - net @id goes by the route of @s and those that are as good. */
static void
put_merged(struct krt_sink *k, uint32_t id, const struct krt_where *w,
    const struct prefix *dst, const struct segment *s, struct attr_set *set)
{
	const struct net *n = table_net_of(w->table, id);
	struct attr_set *merged = krt_merge(k->sink.ch, k->sink.arena, w, n, s, set);
	struct rtnl_route r;

	make(k, &r, w, merged ? merged : set, source_of(s));
	put(k, id, w, dst, &r, merged ? merged : set);
	if (merged)
		attr_set_unref(k->p->tern->store, merged, 1);
}

static enum sink_took
announce(struct sink *sink, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	struct krt_sink *k = sink_of(sink);
	const struct seg_run *run = n ? n->run : segment_runs(s);
	uint32_t cnt = n ? n->run_cnt : s->run_cnt;
	const uint8_t *pos = n ? n->nlri : segment_nlri(s);
	struct krt_where w = where(k);
	struct rtnl_route r;

	make(k, &r, &w, a->set, source_of(s));
	for (uint32_t i = 0; i < cnt; i++)
		for (uint32_t id = run[i].id; id < run[i].id + run[i].cnt; id++) {
			struct prefix dst = next_net(&w, &pos);

			if (sink->merges)
				put_merged(k, id, &w, &dst, s, a->set);
			else
				put(k, id, &w, &dst, &r, a->set);
		}
	return SINK_TAKEN;
}

static uint32_t
withdraw(struct sink *sink, struct segment *s, const struct sink_nets *n)
{
	struct krt_sink *k = sink_of(sink);
	const struct seg_run *run = n ? n->run : segment_runs(s);
	uint32_t cnt = n ? n->run_cnt : s->run_cnt, held = 0;
	const uint8_t *pos = n ? n->nlri : segment_nlri(s);
	struct krt_where w = where(k);

	for (uint32_t i = 0; i < cnt && sink->held; i++)
		for (uint32_t id = run[i].id; id < run[i].id + run[i].cnt; id++) {
			struct prefix dst = next_net(&w, &pos);

			if (!bitmap_test(&k->out, id))
				continue;
			del(k, id, &w, &dst);
			forget(k, id);
			held++;
			sink->queued += 48;
		}
	return held;
}

static void
parts_done(struct sink *sink)
{
	(void)sink;
}

static void
flush(struct sink *sink)
{
	struct krt_sink *k = sink_of(sink);

	krt_batch_flush(&k->batch);
	if (sink->queued)
		counter64_set(&channel_stats(sink->ch)->last_tx_ns, clock_now_ns());
	sink->queued = 0;
}

static void
synced(struct sink *sink)
{
	struct krt_sink *k = sink_of(sink);

	k->all_told = true;
	k->scan_me(k);
}

static uint32_t
holds(const struct sink *sink, uint32_t id, uint32_t cnt)
{
	return bitmap_count_range(&sink_of(sink)->out, id, cnt);
}

static void
down(struct sink *sink)
{
	struct krt_sink *k = sink_of(sink);
	uint32_t id = 0;

	while ((id = bitmap_next(&k->out, id)) != NO_NET)
		forget(k, id);
	bitmap_clear_all(&k->out);
	bitmap_clear_all(&k->seen);
	k->at = 0;
	k->all_told = false;
	sink->held = 0;
	sink->queued = 0;
}

static struct sink_rules *
rules(const struct sink *sink)
{
	(void)sink;
	return mem_zalloc(MEM_PROTO, sizeof(struct sink_rules));
}

/* Communities are about peers. */
static bool
allows(const struct sink_rules *r, uint8_t marks)
{
	(void)r;
	(void)marks;
	return true;
}

static void
settle(
    const struct sink_rules *r, const struct export_question *q, struct export_answer *a)
{
	(void)r;
	(void)q;
	(void)a;
}

static const struct sink_ops ops = {
	.room = room,
	.announce = announce,
	.withdraw = withdraw,
	.parts_done = parts_done,
	.flush = flush,
	.synced = synced,
	.holds = holds,
	.down = down,
	.rules = rules,
	.allows = allows,
	.settle = settle,
};

/* ---- scans ---- */

void
krt_sink_scan(struct krt_sink *k)
{
	bitmap_clear_all(&k->seen);
	k->at = 0;
}

/* mend - @got of net @id, whose destination and metric are those of ours, differs. */
static void
mend(struct krt_sink *k, uint32_t id, struct rtnl_route *want,
    const struct rtnl_route *got)
{
	if (denied(k))
		return;
	krt_batch_del(&k->batch, id, got);
	krt_batch_add(&k->batch, id, want);
}

void
krt_sink_see(struct krt_sink *k, const struct rtnl_route *got)
{
	const struct table *t = channel_table(k->sink.ch);
	struct nlri key = nlri_of_prefix(&got->dst);
	const struct net *n = table_find_nlri(t, &key);
	const struct path *p = n ? net_best(n) : NULL;
	uint32_t id = n ? net_id(t, n) : 0;
	struct krt_where w = where(k);
	struct rtnl_route want;

	if (!n || !bitmap_test(&k->out, id)) {
		if (!denied(k))
			krt_batch_del(&k->batch, NO_NET, got);
		return;
	}
	make(k, &want, &w, k->set[id], p ? path_facts(t, p) : NULL);
	want.dst = got->dst;
	if (got->priority != want.priority) {
		if (!denied(k))
			krt_batch_del(&k->batch, NO_NET, got);
		return;
	}
	if (!bitmap_test(&k->seen, id) && !krt_route_same(&want, got))
		mend(k, id, &want, got);
	bitmap_set(&k->seen, id);
}

void
krt_sink_seen(struct krt_sink *k)
{
	krt_batch_flush(&k->batch);
	k->at = 0;
}

/* next_missing - the first net from k->at on that is to be there and wasn't seen. */
static uint32_t
next_missing(const struct krt_sink *k)
{
	uint32_t id = bitmap_next(&k->out, k->at);

	while (id != UINT32_MAX && bitmap_test(&k->seen, id))
		id = bitmap_next(&k->out, id + 1);
	return id;
}

bool
krt_sink_repair(struct krt_sink *k)
{
	const struct table *t = channel_table(k->sink.ch);
	struct krt_where w = where(k);
	uint32_t id = UINT32_MAX;

	if (denied(k))
		return false;
	krt_batch_flush(&k->batch);
	k->repairing = true;
	for (unsigned i = 0; i < STEP_NETS; i++) {
		const struct net *n;
		const struct path *p;
		struct rtnl_route r;
		struct prefix dst;

		id = next_missing(k);
		if (id == UINT32_MAX)
			break;
		n = table_net_of(t, id);
		p = net_best(n);
		dst = net_prefix(t, n);
		make(k, &r, &w, k->set[id], p ? path_facts(t, p) : NULL);
		add(k, id, &r, &dst);
		k->at = id + 1;
	}
	krt_batch_flush(&k->batch);
	k->repairing = false;
	return id != UINT32_MAX;
}

/* The last net goes first. Nets that came in the order of their addresses, as most feeds
 * have them, must not leave in that order: the kernel (fib_trie.c, update_suffix) looks
 * at each removal for the first route that a node of its trie still has, past all that
 * have gone. A million took 15 s that way, and takes 4 s this way. */
bool
krt_sink_remove(struct krt_sink *k, bool leave)
{
	const struct table *t = channel_table(k->sink.ch);
	struct krt_where w = where(k);
	uint32_t id = NO_NET;

	for (unsigned i = 0; i < STEP_NETS; i++) {
		struct prefix dst;

		id = bitmap_prev(&k->out, k->at);
		if (id == NO_NET)
			break;
		dst = net_prefix(t, table_net_of(t, id));
		if (!leave)
			del(k, id, &w, &dst);
		forget(k, id);
		k->at = id;
	}
	krt_batch_flush(&k->batch);
	return id != NO_NET;
}

/* ---- life ---- */

void
krt_sink_init(struct krt_sink *k, struct proto *p)
{
	k->sink.ops = &ops;
	k->p = p;
	k->stopped = true;
	k->batch.fd = -1;
	bitmap_init(&k->out, MEM_PROTO);
	bitmap_init(&k->seen, MEM_PROTO);
}

void
krt_sink_fini(struct krt_sink *k)
{
	krt_batch_close(&k->batch);
	bitmap_fini(&k->out);
	bitmap_fini(&k->seen);
	mem_free(MEM_PROTO, k->set);
}

int
krt_sink_open(struct krt_sink *k)
{
	int rc = krt_batch_open(&k->batch, conf_of(k)->rx_buffer, &batch_ops, k);

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
	krt_batch_close(&k->batch);
}
