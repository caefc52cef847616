/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watches of next hops (igp.h). The watches of a table share a watcher: a worker with a
 * reader of the table and an index of all watched addresses. So the cost of an irrelevant
 * change does not depend on the number of watches; the watcher searches for the affected
 * watches only after a relevant change.
 *
 * I1  The owner of a watch looks at the table after it cleared `posted` from 1 to 0. The
 *     watcher sets `posted` to 1 after it read a change, which the table has by then. So
 *     either the watcher finds 0 and posts, or the coming look of the owner sees the
 *     change (pairs: IGPPOST).
 * I2  The index has each address once, with the number of watches of the address.
 * I3  `igp` of the table names the watcher, for readers under RCU. A thread that finds
 *     the watcher must count itself to use it. Counting fails after the last watch was
 *     deleted; the thread then makes a new watcher. Each watch counts until it is
 *     deleted.
 *
 * Loop: the watcher's, but for marked functions. Tested by test/net/test_recursive.py,
 * test/net/test_igp.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/rib/index/follower.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"

#include <stdlib.h>

#define IGP_FLUSH_NETS 4096 /* nets between two flushes, plus the rest of a segment */

struct watched {
	struct ip_addr addr;
	uint32_t cnt; /* watches of the address */
};

/* Owner: its worker; other threads use only constant and counted fields. Freed after the
 * reader left the table. */
struct igp_watcher {
	struct follower f;
	struct counter32 watches; /* watches that may still post to the watcher */
	struct list watch; /* struct igp_watch */
	struct watched *addr; /* ascending */
	uint32_t addr_cnt;
	bool affected; /* a watch is */
};

/* Owner: the watcher's worker, but for constant fields. Freed by: watch_answer_gone. */
struct igp_watch {
	struct igp_watcher *watcher; /* constant */
	struct worker *to; /* constant */
	const struct igp_watch_ops *ops; /* constant */
	struct pub32 posted; /* `changed` is under way */
	struct list link;
	struct ip_addr *addr; /* ascending, each once */
	uint32_t addr_cnt;
	bool affected; /* a change since the last flush affects the watch */
};

/* A message to the watcher about a watch. */
struct igp_msg {
	struct msg msg;
	struct igp_watch *watch;
	struct ip_addr *addr;
	uint32_t cnt;
};

/* A message to the worker of a watch. */
struct igp_answer {
	struct msg msg;
	struct igp_watch *watch;
};

static struct igp_watcher *
igp_watch_of_follower(struct follower *f)
{
	return container_of(f, struct igp_watcher, f);
}

static struct igp_watcher *
igp_watch_of_worker(struct worker *w)
{
	return igp_watch_of_follower(follower_of_worker(w));
}

static void
igp_watch_answer(struct igp_watch *x, void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct igp_answer *a = mem_zalloc(MEM_TABLE, sizeof(*a));

	a->msg.handle = fn;
	a->watch = x;
	worker_post(x->to, &a->msg);
}

/* watch_answer_changed, watch_answer_gone - in the worker of the watch. */
static void
watch_answer_changed(struct worker *w, TAKE struct msg *m)
{
	struct igp_answer *a = container_of(m, struct igp_answer, msg);
	struct igp_watch *x = a->watch;

	mem_free(MEM_TABLE, a);
	(void)xchg_acq_rel32(&x->posted, 0); /* pairs: IGPPOST */
	x->ops->changed(w);
}

static void
watch_answer_gone(struct worker *w, TAKE struct msg *m)
{
	struct igp_answer *a = container_of(m, struct igp_answer, msg);
	struct igp_watch *x = a->watch;
	const struct igp_watch_ops *ops = x->ops;

	mem_free(MEM_TABLE, a);
	mem_free(MEM_TABLE, x->addr);
	mem_free(MEM_TABLE, x);
	ops->gone(w);
}

static void
igp_watch_notify(struct igp_watch *x)
{
	if (!xchg_acq_rel32(&x->posted, 1)) /* pairs: IGPPOST */
		igp_watch_answer(x, watch_answer_changed);
}

/* ---- addresses ---- */

static int
watch_addr_order(const void *a, const void *b)
{
	return ip_cmp(*(const struct ip_addr *)a, *(const struct ip_addr *)b);
}

/* igp_watch_sort - ascending, each once. Returns: how many are left. */
static uint32_t
igp_watch_sort(struct ip_addr *a, uint32_t cnt)
{
	uint32_t to = 0;

	if (cnt)
		qsort(a, cnt, sizeof(*a), watch_addr_order);
	for (uint32_t i = 0; i < cnt; i++)
		if (!to || !ip_equal(a[to - 1], a[i]))
			a[to++] = a[i];
	return to;
}

/* igp_watch_steps - true: @a is the next of the @cnt addresses; then step over @a. */
static bool
igp_watch_steps(const struct ip_addr *from, uint32_t *at, uint32_t cnt, struct ip_addr a)
{
	bool is = *at < cnt && ip_equal(from[*at], a);

	*at += is;
	return is;
}

/* watch_set_addr - @x now watches the @cnt addresses @now. One walk merges the lists
 * with the index. */
static void
watch_set_addr(
    struct igp_watcher *l, struct igp_watch *x, TAKE struct ip_addr *now, uint32_t cnt)
{
	struct watched *old = l->addr;
	uint32_t i = 0, k = 0, gone = 0, to = 0, old_cnt = l->addr_cnt;

	l->addr = mem_alloc(MEM_TABLE, (old_cnt + cnt + 1) * sizeof(*l->addr));
	while (i < old_cnt || k < cnt) {
		bool first = k == cnt ||
			     (i < old_cnt && ip_cmp(old[i].addr, now[k]) <= 0);
		struct watched w = { first ? old[i].addr : now[k],
			first ? old[i].cnt : 0 };

		i += first;
		w.cnt -= igp_watch_steps(x->addr, &gone, x->addr_cnt, w.addr);
		w.cnt += igp_watch_steps(now, &k, cnt, w.addr);
		if (w.cnt)
			l->addr[to++] = w;
	}
	l->addr_cnt = to;
	mem_free(MEM_TABLE, old);
	mem_free(MEM_TABLE, x->addr);
	x->addr = now;
	x->addr_cnt = cnt;
}

/* watch_is_watched - does an address of the index lie in @p? */
static bool
watch_is_watched(const struct igp_watcher *l, const struct prefix *p)
{
	uint32_t lo = 0, hi = l->addr_cnt;

	while (lo < hi) { /* the first address not below @p */
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip_cmp(l->addr[mid].addr, p->addr) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->addr_cnt && prefix_has_ip(p, l->addr[lo].addr);
}

/* igp_watch_watches - does an address of @x lie in @p? */
static bool
igp_watch_watches(const struct igp_watch *x, const struct prefix *p)
{
	uint32_t lo = 0, hi = x->addr_cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip_cmp(x->addr[mid], p->addr) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->addr_cnt && prefix_has_ip(p, x->addr[lo]);
}

/* ---- the reader ---- */

/* igp_watch_net - net @id changed in any way. */
static void
igp_watch_net(struct follower *f, uint32_t id, bool has)
{
	struct igp_watcher *l = igp_watch_of_follower(f);
	struct prefix p = net_prefix(f->table, table_net_of(f->table, id));
	struct list *n;

	(void)has;
	f->reader.queued++;
	if (!watch_is_watched(l, &p))
		return;
	l->affected = true;
	list_for_each (n, &l->watch) {
		struct igp_watch *x = container_of(n, struct igp_watch, link);

		x->affected = x->affected || igp_watch_watches(x, &p);
	}
}

/* igp_watch_holds - any net may have been a way. */
static uint32_t
igp_watch_holds(const struct follower *f, uint32_t id, uint32_t cnt)
{
	(void)f, (void)id;
	return cnt;
}

static void
igp_watch_flush(struct follower *f)
{
	struct igp_watcher *l = igp_watch_of_follower(f);
	struct list *n;

	if (!l->affected)
		return;
	l->affected = false;
	list_for_each (n, &l->watch) {
		struct igp_watch *x = container_of(n, struct igp_watch, link);

		if (x->affected)
			igp_watch_notify(x);
		x->affected = false;
	}
}

/* ---- the life of a watcher ---- */

static OWNED struct igp_msg *
igp_watch_msg_new(void (*fn)(struct worker *w, TAKE struct msg *m), struct igp_watch *x)
{
	struct igp_msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->msg.handle = fn;
	m->watch = x;
	return m;
}

static void
watch_msg_free(TAKE struct msg *m)
{
	mem_free(MEM_TABLE, container_of(m, struct igp_msg, msg));
}

static void
igp_watch_unpublish(struct follower *f)
{
	void *mine = igp_watch_of_follower(f);

	(void)cas_acq_rel_ptr(&f->table->pub.igp, &mine, NULL); /* pairs: TIGP */
}

static void
igp_watch_attached(struct follower *f)
{
	struct list *n;

	list_for_each (n, &igp_watch_of_follower(f)->watch) {
		struct igp_watch *x = container_of(n, struct igp_watch, link);

		if (x->addr_cnt)
			igp_watch_notify(x);
	}
}

static void
igp_watch_free(struct follower *f)
{
	struct igp_watcher *l = igp_watch_of_follower(f);

	mem_free(MEM_TABLE, l->addr);
	mem_free(MEM_TABLE, l);
}

static const struct follower_ops igp_follower_ops = {
	.flush_nets = IGP_FLUSH_NETS,
	.net = igp_watch_net,
	.holds = igp_watch_holds,
	.flush = igp_watch_flush,
	.attached = igp_watch_attached,
	.leave = igp_watch_unpublish,
	.free = igp_watch_free,
};

/* watch_watcher_new - make a watcher that counts one watch. */
static struct igp_watcher *
watch_watcher_new(struct tern *tern, struct table *t)
{
	struct igp_watcher *l = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*l));

	memset(l, 0, sizeof(*l));
	counter32_add(&l->watches, 1);
	list_init(&l->watch);
	follower_init(&l->f, tern, t, &igp_follower_ops);
	follower_start(&l->f, table_name(t));
	return l;
}

/* ---- watches ---- */

/* watch_watcher_of - find or make the watcher of @t, and count a watch. */
static struct igp_watcher *
watch_watcher_of(struct tern *tern, struct table *t)
{
	struct igp_watcher *l = load_acquire_ptr(&t->pub.igp); /* pairs: TIGP */

	if (l && counter32_add_unless_zero(&l->watches, 1))
		return l;
	l = watch_watcher_new(tern, t);
	store_release_ptr(&t->pub.igp, l); /* pairs: TIGP */
	return l;
}

static void
igp_watch_join(struct worker *w, TAKE struct msg *m)
{
	struct igp_watch *x = container_of(m, struct igp_msg, msg)->watch;

	watch_msg_free(m);
	list_add_tail(&igp_watch_of_worker(w)->watch, &x->link);
}

OWNED struct igp_watch *
igp_watch_new(struct tern *tern, struct table *t, struct worker *to,
    const struct igp_watch_ops *watch_ops)
{
	struct igp_watch *x = mem_zalloc(MEM_TABLE, sizeof(*x));

	x->watcher = watch_watcher_of(tern, t);
	x->to = to;
	x->ops = watch_ops;
	worker_post(&x->watcher->f.worker, &igp_watch_msg_new(igp_watch_join, x)->msg);
	return x;
}

static void
index_igp_watch_set(struct worker *w, TAKE struct msg *m)
{
	struct igp_msg *im = container_of(m, struct igp_msg, msg);
	struct igp_watcher *l = igp_watch_of_worker(w);
	struct igp_watch *x = im->watch;

	watch_set_addr(l, x, im->addr, igp_watch_sort(im->addr, im->cnt));
	watch_msg_free(m);
	if (l->f.attached)
		igp_watch_notify(x);
}

void
igp_watch_set(struct igp_watch *x, const struct ip_addr *a, uint32_t cnt)
{
	struct igp_msg *m = igp_watch_msg_new(index_igp_watch_set, x);

	m->addr = mem_alloc(MEM_TABLE, (cnt + 1) * sizeof(*a));
	m->cnt = cnt;
	if (cnt)
		memcpy(m->addr, a, cnt * sizeof(*a));
	worker_post(&x->watcher->f.worker, &m->msg);
}

static void
igp_watch_leave(struct worker *w, TAKE struct msg *m)
{
	struct igp_watch *x = container_of(m, struct igp_msg, msg)->watch;
	struct igp_watcher *l = igp_watch_of_worker(w);

	watch_msg_free(m);
	watch_set_addr(l, x, NULL, 0);
	list_del(&x->link);
	igp_watch_answer(x, watch_answer_gone);
	if (counter32_sub_acq_rel(&l->watches, 1) > 1)
		return;
	follower_leave(&l->f);
}

void
igp_watch_delete(TAKE struct igp_watch *x)
{
	worker_post(&x->watcher->f.worker, &igp_watch_msg_new(igp_watch_leave, x)->msg);
}
