/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches (match_index.h).
 *
 * A segment names the nets that may have changed. The index reads from the table, under
 * RCU, whether a net has a best route; if the table is newer than the segment, a further
 * segment follows and changes nothing. The index ignores a change from one best route to
 * another.
 *
 * I1  `there` says of each net id whether the map has the prefix of the net, with value
 *     id + 1. The table does not reuse an id before the reader has passed the withdrawal
 *     (out_pos), and the reader passes only after the map dropped the prefix.
 * I2  `read_pos` is a journal position; the map has all changes up to it. The index
 *     writes `read_pos` only while no net is dirty. So a thread that reads the tail, and
 *     then an equal read_pos, finds the published state or a newer state in the map
 *     (pairs: MLEVEL).
 * I3  The index finds the net around a net (struct lpm_cover) in the map itself: an
 *     address in the net or just beside it normally matches nothing longer than the net.
 *     Otherwise the index tries the lengths of the table; the hash has every net of
 *     `there`.
 * I4  table->pub.match names the index from the first time when the map was complete
 *     until the reader leaves. An old index that is still ending does not clear the
 *     pointer to its successor.
 *
 * Loop: the index's own. Tests: test_match_index.c, prop_match.c, stress_match.c,
 * test/net/test_match.py. */
#include "nest/rib/index/match_index.h"

#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/net/lpm.h"
#include "nest/rib/index/follower.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/stream.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/os.h"

#define MATCH_FLUSH_NETS 1024 /* nets between two flushes, plus the rest of a segment */
#define NEVER            UINT64_MAX

/* Owner: its worker; other threads use only constant fields and `read_pos`. Freed at the
 * end of its worker. */
struct match_index {
	struct table_matcher matcher; /* first: table->pub.match points to it */
	struct follower f;
	struct lpm *map; /* constant; read by all */
	struct bitmap there;
	bool full; /* the map has no room, and look-ups ignore the index */
	_Alignas(CACHE_LINE) struct pub64 read_pos;
	struct counter64 nets;
};

/* Replaced memory of the map during a grace period. */
struct match_old {
	struct rcu_node rcu;
	struct msg msg;
	struct match_index *index;
	struct lpm_old *old;
};

/* ---- asking ---- */

static const struct match_index *
match_index_of(const struct table *t)
{
	return load_acquire_ptr(&t->pub.match); /* pairs: TMATCH */
}

/* index_best_of - the net of @value; NULL: without a best route now. */
static inline const struct net *
index_best_of(const struct table *t, uint32_t value)
{
	const struct net *n = table_net_ptr(t, value - 1);

	return net_best(n) ? n : NULL;
}

bool
match_index_answers(const struct table *t, const struct net **n, const struct prefix *p)
{
	const struct match_index *x = match_index_of(t);
	uint64_t tail;
	uint32_t value;

	if (!x)
		return false;
	tail = load_acquire64(&t->best.journal.tail); /* pairs: JTAIL */
	if (load_acquire64(&x->read_pos) != tail) /* pairs: MLEVEL */
		return false;
	value = lpm_find(x->map, p->addr);
	*n = value ? index_best_of(t, value) : NULL;
	/* a net without a route now, or longer than @p: the table must search */
	return !value || (*n && nlri_bits((*n)->head) <= p->len);
}

bool
match_index_stats(const struct table *t, struct match_stats *st)
{
	const struct match_index *x = match_index_of(t);
	uint64_t read_pos, tail;
	const void *array;
	size_t len, nodes;

	if (!x)
		return false;
	read_pos = load_acquire64(&x->read_pos); /* pairs: MLEVEL */
	tail = load_acquire64(&t->best.journal.tail); /* pairs: JTAIL */
	array = lpm_mem(x->map, &len, &nodes);
	st->nets = counter64_get(&x->nets);
	st->behind = tail - read_pos;
	st->open = VMEM_STEP + nodes;
	st->octets = os_resident(array, len) + nodes;
	return true;
}

/* ---- the map ---- */

static struct match_index *
match_index_of_follower(const struct follower *f)
{
	return (struct match_index *)(uintptr_t)container_of(f, struct match_index, f);
}

/* match_index_shorter - true: the net of @value is shorter than @len; then *@c is that
 * net. */
static bool
match_index_shorter(
    const struct match_index *x, struct lpm_cover *c, uint32_t value, unsigned len)
{
	unsigned bits = nlri_bits(table_net_ptr(x->f.table, value - 1)->head);

	if (bits >= len)
		return false;
	*c = (struct lpm_cover){ value, (uint8_t)bits };
	return true;
}

/* index_try_lengths - as index_cover_of, by the hash. */
static struct lpm_cover
index_try_lengths(const struct match_index *x, const struct prefix *p)
{
	const struct table *t = x->f.table;

	for (int len = p->len - 1; len >= 0; len--) {
		struct prefix q;
		struct nlri k;
		uint32_t id;

		if (!table_has_len(t, (unsigned)len))
			continue;
		q = prefix_make(p->addr, (unsigned)len, (enum family)p->fam);
		k = nlri_of_prefix(&q);
		if (table_net_find(t, &k, &id) && bitmap_test(&x->there, id))
			return (struct lpm_cover){ id + 1, (uint8_t)len };
	}
	return (struct lpm_cover){ 0 };
}

/* match_index_neighbour - the first address of the neighbour of @p: the other half of the
 * prefix one bit shorter. */
static struct ip_addr
match_index_neighbour(const struct prefix *p)
{
	unsigned bit = family_bits((enum family)p->fam) - p->len;
	struct ip_addr a = p->addr;

	if (bit < 64)
		a.lo ^= 1ull << bit;
	else
		a.hi ^= 1ull << (bit - 64);
	return a;
}

/* index_cover_of - the longest net of the map that contains @p and differs from @p. I3.
 */
static struct lpm_cover
index_cover_of(const struct match_index *x, const struct prefix *p, bool is_there)
{
	struct lpm_cover c = { 0 };
	uint32_t value;

	if (!p->len)
		return c;
	if (!is_there) {
		value = lpm_find(x->map, p->addr);
		if (!value || match_index_shorter(x, &c, value, p->len))
			return c;
	}
	/* a net that contains the neighbour also contains @p */
	value = lpm_find(x->map, match_index_neighbour(p));
	if (!value || match_index_shorter(x, &c, value, p->len))
		return c;
	return index_try_lengths(x, p);
}

/* index_give_up - the map has no room. */
static void
index_give_up(struct match_index *x)
{
	void *mine = x;

	x->full = true;
	(void)cas_acq_rel_ptr(&x->f.table->pub.match, &mine, NULL); /* pairs: TMATCH */
	log_msg(LOG_C_ERR,
	    "Table %s: the longest match index is full, so ternd does not use the index "
	    "any more",
	    table_name(x->f.table));
}

static void
match_index_change(struct match_index *x, uint32_t id, bool now)
{
	struct prefix p = net_prefix(x->f.table, table_net_ptr(x->f.table, id));
	struct lpm_cover c;

	if (unlikely(x->full))
		return;
	if (now && unlikely(!lpm_has_room(x->map))) {
		index_give_up(x);
		return;
	}
	c = index_cover_of(x, &p, !now);
	if (now) {
		bitmap_set(&x->there, id);
		lpm_put(x->map, &p, id + 1, c);
	} else {
		bitmap_clear(&x->there, id);
		lpm_drop(x->map, &p, id + 1, c);
	}
	counter64_bump(&x->nets, now ? 1 : (uint64_t)-1);
}

/* match_index_net - a segment says that net @id has a route (@has_route) or no route. */
static void
match_index_net(struct follower *f, uint32_t id, bool has_route)
{
	struct match_index *x = match_index_of_follower(f);

	f->reader.queued++;
	if (bitmap_test(&x->there, id) == has_route)
		return; /* if the table changed since, a further segment follows */
	if ((net_best(table_net_ptr(x->f.table, id)) != NULL) == has_route)
		match_index_change(x, id, has_route);
}

static uint32_t
match_index_holds(const struct follower *f, uint32_t id, uint32_t cnt)
{
	return bitmap_count_range(&match_index_of_follower(f)->there, id, cnt);
}

static void
index_handle_old(struct worker *w, TAKE struct msg *m)
{
	struct match_old *o = container_of(m, struct match_old, msg);
	struct follower *f = follower_of_worker(w);

	lpm_old_free(match_index_of_follower(f)->map, o->old);
	mem_free(MEM_TABLE, o);
	follower_grace_end(f);
}

static void
index_grace_over(struct rcu_node *n)
{
	struct match_old *o = container_of(n, struct match_old, rcu);

	worker_post(&o->index->f.worker, &o->msg);
}

static void
match_index_flush(struct follower *f)
{
	struct match_index *x = match_index_of_follower(f);
	struct lpm_old *old = lpm_old_take(x->map);
	struct match_old *o;

	if (!old)
		return;
	o = mem_zalloc(MEM_TABLE, sizeof(*o));
	o->msg.handle = index_handle_old;
	o->index = x;
	o->old = old;
	follower_grace_begin(f);
	rcu_free_later(&o->rcu, index_grace_over);
}

/* ---- life ---- */

static void
match_index_attached(struct follower *f)
{
	reader_all(&f->reader);
}

static void
match_index_unpublish(struct follower *f)
{
	void *mine = match_index_of_follower(f);

	(void)cas_acq_rel_ptr(&f->table->pub.match, &mine, NULL); /* pairs: TMATCH */
}

/* index_publish_read_pos - I2, and I4: publish the index when the map is complete for
 * the first time. */
static void
index_publish_read_pos(struct match_index *x)
{
	uint64_t tail = reader_tail(&x->f.reader);
	bool fresh;

	if (x->full || !reader_caught_up(&x->f.reader) ||
	    !reader_has_read(&x->f.reader, tail))
		return;
	fresh = load_relaxed64(&x->read_pos) == NEVER;
	store_release64(&x->read_pos, tail); /* pairs: MLEVEL */
	if (fresh)
		store_release_ptr(&x->f.table->pub.match, x); /* pairs: TMATCH */
}

static void
match_index_run(struct follower *f, bool idle)
{
	(void)idle;
	if (f->reader.on)
		index_publish_read_pos(match_index_of_follower(f));
}

static void
match_index_free(struct follower *f)
{
	struct match_index *x = match_index_of_follower(f);

	lpm_free(x->map);
	bitmap_fini(&x->there);
	mem_free(MEM_TABLE, x);
}

static const struct follower_ops match_follower_ops = {
	.flush_nets = MATCH_FLUSH_NETS,
	.net = match_index_net,
	.holds = match_index_holds,
	.flush = match_index_flush,
	.attached = match_index_attached,
	.run = match_index_run,
	.leave = match_index_unpublish,
	.free = match_index_free,
};

OWNED struct match_index *
match_index_new(struct tern *tern, struct table *t, const char *name)
{
	struct match_index *x = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*x));

	memset(x, 0, sizeof(*x));
	x->matcher.answers = match_index_answers;
	x->map = lpm_new(table_family(t));
	store_relaxed64(&x->read_pos, NEVER);
	bitmap_init(&x->there, MEM_TABLE);
	follower_init(&x->f, tern, t, &match_follower_ops);
	follower_start(&x->f, name);
	return x;
}

static void
match_index_leave(struct worker *w, TAKE struct msg *m)
{
	follower_msg_free(m);
	follower_leave(follower_of_worker(w));
}

void
match_index_delete(TAKE struct match_index *x)
{
	worker_post(&x->f.worker, follower_msg(match_index_leave));
}
