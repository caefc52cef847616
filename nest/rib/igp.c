/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursive next hops (igp.h).
 *
 * I1  Whoever watches looks after `posted` went from 1 to 0. The watch sets it to 1 after
 *     it has read of a change, which is in the table by then. So either it finds 0 and
 *     posts, or the look that is still to come sees the change (pairs: IGPPOST).
 *
 * Loop: the watch's own, but for igp_resolve. Tested by test/net/test_recursive.py. */
#include "nest/rib/igp.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/run/links.h"
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/rib/read.h"
#include "nest/rib/segment.h"
#include "nest/rib/table.h"
#include "nest/tern.h"
#include "sysdep/iface.h"
#include "sysdep/loop.h"

#include <stdlib.h>

#define FLUSH_NETS 4096 /* between two flushes, or those of one segment more */

/* ---- an answer ---- */

/* first_hops - those of a route: its own, or the next hop of one from a session on a
 * link. Returns: how many. */
static unsigned
first_hops(const struct attr_set *set, const struct route_source *src, struct hop *to)
{
	struct ip_addr gw = wire_next_hop(set->wire);
	unsigned cnt = 0;

	while (cnt < HOPS_MAX && hop_of(set, cnt, &to[cnt]))
		cnt++;
	if (cnt || !src || !src->link_if || ip_is_none(gw))
		return cnt;
	to[0] = hop_make(gw, src->link_if, NULL);
	return 1;
}

static bool
has(const struct iface *i, struct ip_addr a)
{
	for (uint32_t k = 0; k < i->addr_cnt; k++)
		if (ip_equal(i->addr[k].own, a))
			return true;
	return false;
}

/* settle - what the hop of a route makes of @h, a way to @a. Returns: false: packets
 * can't go there. */
static bool
settle(struct hop *h, struct ip_addr a, const struct iface_list *ifaces)
{
	const struct iface *i = h->ifindex ? iface_by_index(ifaces, h->ifindex)
					   : links_gateway(ifaces, h->gw);

	if (ip_is_none(h->gw)) {
		if (i && has(i, a))
			return false; /* it is ours */
		h->gw = a;
	}
	if (i) {
		h->ifindex = i->index;
		memset(h->ifname, 0, sizeof(h->ifname));
		memcpy(h->ifname, i->name, strlen(i->name));
	}
	return true;
}

/* metric_of - what a route says of itself; a network of our interfaces is here. */
static uint32_t
metric_of(const struct attr_set *set)
{
	uint64_t metric;

	if (set->local.igp_metric == UINT32_MAX && set->local.rts == RTS_DEVICE)
		return 0;
	if (set->local.rts != RTS_BGP)
		return set->local.igp_metric;
	if (!aigp_of(set->wire, &metric))
		return UINT32_MAX;
	metric = aigp_total(set, metric);
	return metric < UINT32_MAX ? (uint32_t)metric : UINT32_MAX;
}

void
igp_resolve(const struct table *t, struct igp_way *out, struct ip_addr a,
    const struct iface_list *ifaces)
{
	const struct net *n = table_match(t, a);
	const struct path *p = n ? net_best(n) : NULL;
	const struct attr_set *set = p ? path_set(p) : NULL;
	struct custom_item it;
	unsigned cnt, to = 0;

	out->dest = DEST_UNREACHABLE;
	out->cnt = 0;
	out->metric = 0;
	if (!set || (set->local.custom_words && custom_find(set, CUSTOM_RECURSIVE, &it)))
		return;
	if (set->local.dest != DEST_UNICAST) {
		out->dest = set->local.dest;
		out->metric = metric_of(set);
		return;
	}
	cnt = first_hops(set, path_facts(t, p), out->hop);
	for (unsigned i = 0; i < cnt; i++)
		if (settle(&out->hop[i], a, ifaces))
			out->hop[to++] = out->hop[i];
	out->cnt = (uint16_t)hops_sort(out->hop, to);
	if (!out->cnt)
		return;
	out->dest = DEST_UNICAST;
	out->metric = metric_of(set);
}

/* ---- a watch ---- */

/* owner: its worker, but for what is constant; freed by: `answer_gone`. */
struct igp_watch {
	struct worker worker;
	struct reader reader;
	struct tern *tern;
	struct table *table; /* constant; used until the worker ends */
	struct worker *to; /* constant */
	const struct igp_watch_ops *ops;
	struct pub32 posted; /* `changed` is under way */
	struct arena arena;
	struct ip_addr *addr; /* ascending */
	uint32_t addr_cnt;
	bool attached, leaving, hit;
};

/* Addresses on their way; and other messages to the watch, which have none. */
struct igp_msg {
	struct msg msg;
	struct ip_addr *addr;
	uint32_t cnt;
};

/* What goes back. */
struct igp_answer {
	struct msg msg;
	struct igp_watch *watch;
};

static struct igp_watch *
of_worker(struct worker *w)
{
	return container_of(w, struct igp_watch, worker);
}

static struct igp_watch *
of_reader(const struct reader *r)
{
	return (struct igp_watch *)(uintptr_t)container_of(r, struct igp_watch, reader);
}

static void
answer(struct igp_watch *x, void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct igp_answer *a = mem_zalloc(MEM_TABLE, sizeof(*a));

	a->msg.handle = fn;
	a->watch = x;
	worker_post(x->to, &a->msg);
}

static void
answer_changed(struct worker *w, TAKE struct msg *m)
{
	struct igp_answer *a = container_of(m, struct igp_answer, msg);
	struct igp_watch *x = a->watch;

	mem_free(MEM_TABLE, a);
	(void)xchg_acq_rel32(&x->posted, 0); /* pairs: IGPPOST */
	x->ops->changed(w);
}

static void
tell(struct igp_watch *x)
{
	if (!x->leaving && !xchg_acq_rel32(&x->posted, 1)) /* pairs: IGPPOST */
		answer(x, answer_changed);
}

/* ---- its reader ---- */

static size_t
room(struct reader *r)
{
	(void)r;
	return FLUSH_NETS;
}

static unsigned
run_of(struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen)
{
	(void)r, (void)s, (void)cnt, (void)seen;
	return 0; /* one by one */
}

/* concerns - does an address lie in net @id? */
static bool
concerns(const struct igp_watch *x, uint32_t id)
{
	const struct net *n = table_net_of(x->table, id);
	struct prefix p = net_prefix(x->table, n);
	uint32_t lo = 0, hi = x->addr_cnt;

	while (lo < hi) { /* the first that isn't below it */
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip_cmp(x->addr[mid], p.addr) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->addr_cnt && prefix_has_ip(&p, x->addr[lo]);
}

static void
take(struct igp_watch *x, uint32_t id)
{
	reader_clean(&x->reader, id, 1);
	x->hit = x->hit || concerns(x, id);
	x->reader.queued++;
}

static void
take_segment(struct reader *r, struct segment *s, enum read_check check)
{
	const struct seg_run *run = segment_runs(s);

	for (uint32_t k = 0; k < s->run_cnt; k++)
		for (uint32_t id = run[k].id; id < run[k].id + run[k].cnt; id++)
			if (reader_passes(r, s, id, check))
				take(of_reader(r), id);
}

static void
take_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		take(of_reader(r), id[i]);
}

/* holds - any net may have been a way. */
static uint32_t
holds(const struct reader *r, uint32_t id, uint32_t cnt)
{
	(void)r, (void)id;
	return cnt;
}

static void
flush(struct reader *r)
{
	struct igp_watch *x = of_reader(r);

	if (!x->hit)
		return;
	x->hit = false;
	tell(x);
}

static const struct reader_ops reader_ops = {
	.room = room,
	.run = run_of,
	.segment = take_segment,
	.gone = take_gone,
	.holds = holds,
	.flush = flush,
};

/* ---- its life ---- */

static OWNED struct igp_msg *
msg_new(void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct igp_msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->msg.handle = fn;
	return m;
}

static void
msg_free(TAKE struct msg *m)
{
	mem_free(MEM_TABLE, container_of(m, struct igp_msg, msg));
}

static void
left(struct worker *w, TAKE struct msg *m)
{
	msg_free(m);
	worker_stop(w);
}

static void
try_stop(struct igp_watch *x)
{
	if (!x->leaving || !x->attached)
		return;
	x->attached = false;
	reader_stop(&x->reader);
	reader_detach(&x->reader, &msg_new(left)->msg);
}

static void
attached(struct worker *w, TAKE struct msg *m)
{
	struct igp_watch *x = of_worker(w);

	msg_free(m);
	x->attached = true;
	reader_start(&x->reader);
	if (x->addr_cnt)
		tell(x);
	try_stop(x);
}

static void
start(struct worker *w)
{
	reader_attach(&of_worker(w)->reader, &msg_new(attached)->msg);
}

static void
run(struct worker *w)
{
	struct igp_watch *x = of_worker(w);

	reader_wake_more(&x->reader);
	if (x->reader.on && reader_run(&x->reader))
		worker_again(w);
	reader_listen(&x->reader);
}

static void
answer_gone(struct worker *w, TAKE struct msg *m)
{
	struct igp_answer *a = container_of(m, struct igp_answer, msg);
	struct igp_watch *x = a->watch;
	const struct igp_watch_ops *ops = x->ops;

	mem_free(MEM_TABLE, a);
	mem_free(MEM_TABLE, x->addr);
	arena_fini(&x->arena);
	mem_free(MEM_TABLE, x);
	ops->gone(w);
}

static void
gone(struct worker *w)
{
	struct igp_watch *x = of_worker(w);
	struct tern *tern = x->tern;

	reader_fini(&x->reader);
	table_unuse(x->table);
	answer(x, answer_gone);
	tern_worker_gone(tern);
}

static const struct worker_ops ops = {
	.start = start,
	.run = run,
	.gone = gone,
};

OWNED struct igp_watch *
igp_watch_new(struct tern *tern, struct table *t, struct worker *to,
    const struct igp_watch_ops *watch_ops, const char *name)
{
	struct igp_watch *x = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*x));

	memset(x, 0, sizeof(*x));
	x->tern = tern;
	x->table = t;
	x->to = to;
	x->ops = watch_ops;
	table_use(t);
	arena_init(&x->arena, MEM_TABLE, 4096);
	reader_init(&x->reader, t, &x->worker, &reader_ops, &x->arena);
	tern_worker_start(tern);
	worker_start(&x->worker, &ops, WORKER_TABLE, name);
	return x;
}

static int
addr_order(const void *a, const void *b)
{
	return ip_cmp(*(const struct ip_addr *)a, *(const struct ip_addr *)b);
}

static void
set(struct worker *w, TAKE struct msg *m)
{
	struct igp_msg *im = container_of(m, struct igp_msg, msg);
	struct igp_watch *x = of_worker(w);

	mem_free(MEM_TABLE, x->addr);
	x->addr = im->addr;
	x->addr_cnt = im->cnt;
	msg_free(m);
	if (x->addr_cnt)
		qsort(x->addr, x->addr_cnt, sizeof(*x->addr), addr_order);
	if (x->attached)
		tell(x);
}

void
igp_watch_set(struct igp_watch *x, const struct ip_addr *a, uint32_t cnt)
{
	struct igp_msg *m = msg_new(set);

	m->addr = mem_alloc(MEM_TABLE, (cnt + 1) * sizeof(*a));
	m->cnt = cnt;
	if (cnt)
		memcpy(m->addr, a, cnt * sizeof(*a));
	worker_post(&x->worker, &m->msg);
}

static void
leave(struct worker *w, TAKE struct msg *m)
{
	struct igp_watch *x = of_worker(w);

	msg_free(m);
	x->leaving = true;
	try_stop(x);
}

void
igp_watch_delete(TAKE struct igp_watch *x)
{
	worker_post(&x->worker, &msg_new(leave)->msg);
}
