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
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/net/lpm.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/read_ids.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/os.h"

#define FLUSH_NETS 1024 /* nets between two flushes, plus the rest of a segment */
#define NEVER      UINT64_MAX

/* Owner: its worker; other threads use only constant fields and `read_pos`. Freed at the
 * end of its worker. */
struct match_index {
	struct table_matcher matcher; /* first: table->pub.match points to it */
	struct worker worker;
	struct reader reader;
	struct tern *tern;
	struct table *table; /* constant; used until the worker ends */
	struct lpm *map; /* constant; read by all */
	struct arena arena;
	struct bitmap there;
	uint32_t graces; /* running grace periods that will post to the index */
	bool attached, leaving, stops;
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
match_index_of_worker(struct worker *w)
{
	return container_of(w, struct match_index, worker);
}

static struct match_index *
match_index_of_reader(const struct reader *r)
{
	return (struct match_index *)(uintptr_t)container_of(
	    r, struct match_index, reader);
}

/* match_index_shorter - true: the net of @value is shorter than @len; then *@c is that
 * net. */
static bool
match_index_shorter(
    const struct match_index *x, struct lpm_cover *c, uint32_t value, unsigned len)
{
	unsigned bits = nlri_bits(table_net_ptr(x->table, value - 1)->head);

	if (bits >= len)
		return false;
	*c = (struct lpm_cover){ value, (uint8_t)bits };
	return true;
}

/* index_try_lengths - as index_cover_of, by the hash. */
static struct lpm_cover
index_try_lengths(const struct match_index *x, const struct prefix *p)
{
	const struct table *t = x->table;

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
	(void)cas_acq_rel_ptr(&x->table->pub.match, &mine, NULL); /* pairs: TMATCH */
	log_msg(LOG_C_ERR,
	    "Table %s: the longest match index is full, so ternd does not use the index "
	    "any more",
	    table_name(x->table));
}

static void
match_index_change(struct match_index *x, uint32_t id, bool now)
{
	struct prefix p = net_prefix(x->table, table_net_ptr(x->table, id));
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

/* match_index_take - a segment says that net @id has a route (@has_route) or no route. */
static inline void
match_index_take(struct reader *r, uint32_t id, bool has_route)
{
	struct match_index *x = match_index_of_reader(r);

	r->queued++;
	if (bitmap_test(&x->there, id) == has_route)
		return; /* if the table changed since, a further segment follows */
	if ((net_best(table_net_ptr(x->table, id)) != NULL) == has_route)
		match_index_change(x, id, has_route);
}

/* ---- the reader ---- */

static size_t
match_index_room(struct reader *r)
{
	(void)r;
	return FLUSH_NETS;
}

static void
match_index_take_segment(struct reader *r, struct segment *s, enum read_check check)
{
	reader_ids(r, s, check, match_index_take);
}

static void
match_index_take_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	reader_gone_ids(r, id, cnt, match_index_take);
}

static uint32_t
match_index_holds(const struct reader *r, uint32_t id, uint32_t cnt)
{
	return bitmap_count_range(&match_index_of_reader(r)->there, id, cnt);
}

static void
index_try_end(struct match_index *x)
{
	if (x->stops && !x->graces)
		worker_stop(&x->worker);
}

static void
index_handle_old(struct worker *w, TAKE struct msg *m)
{
	struct match_old *o = container_of(m, struct match_old, msg);
	struct match_index *x = match_index_of_worker(w);

	lpm_old_free(x->map, o->old);
	mem_free(MEM_TABLE, o);
	x->graces--;
	index_try_end(x);
}

static void
index_grace_over(struct rcu_node *n)
{
	struct match_old *o = container_of(n, struct match_old, rcu);

	worker_post(&o->index->worker, &o->msg);
}

static void
match_index_flush(struct reader *r)
{
	struct match_index *x = match_index_of_reader(r);
	struct lpm_old *old = lpm_old_take(x->map);
	struct match_old *o;

	if (!old)
		return;
	o = mem_zalloc(MEM_TABLE, sizeof(*o));
	o->msg.handle = index_handle_old;
	o->index = x;
	o->old = old;
	x->graces++;
	rcu_free_later(&o->rcu, index_grace_over);
}

static const struct reader_ops reader_ops = {
	.room = match_index_room,
	.run = reader_run_none,
	.segment = match_index_take_segment,
	.gone = match_index_take_gone,
	.holds = match_index_holds,
	.flush = match_index_flush,
};

/* ---- life ---- */

static OWNED struct msg *
match_index_msg_new(void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->handle = fn;
	return m;
}

static void
match_index_left(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_TABLE, m);
	match_index_of_worker(w)->stops = true;
	index_try_end(match_index_of_worker(w));
}

static void
index_try_leave(struct match_index *x)
{
	void *mine = x;

	if (!x->leaving || !x->attached)
		return;
	x->attached = false;
	(void)cas_acq_rel_ptr(&x->table->pub.match, &mine, NULL); /* pairs: TMATCH */
	reader_stop(&x->reader);
	reader_detach(&x->reader, match_index_msg_new(match_index_left));
}

static void
match_index_attached(struct worker *w, TAKE struct msg *m)
{
	struct match_index *x = match_index_of_worker(w);

	mem_free(MEM_TABLE, m);
	x->attached = true;
	reader_start(&x->reader);
	reader_all(&x->reader);
	index_try_leave(x);
}

static void
match_index_start(struct worker *w)
{
	reader_attach(
	    &match_index_of_worker(w)->reader, match_index_msg_new(match_index_attached));
}

/* index_publish_read_pos - I2, and I4: publish the index when the map is complete for
 * the first time. */
static void
index_publish_read_pos(struct match_index *x)
{
	uint64_t tail = reader_tail(&x->reader);
	bool fresh;

	if (x->full || !reader_caught_up(&x->reader) ||
	    !reader_has_read(&x->reader, tail))
		return;
	fresh = load_relaxed64(&x->read_pos) == NEVER;
	store_release64(&x->read_pos, tail); /* pairs: MLEVEL */
	if (fresh)
		store_release_ptr(&x->table->pub.match, x); /* pairs: TMATCH */
}

static void
match_index_run(struct worker *w)
{
	struct match_index *x = match_index_of_worker(w);

	reader_wake_more(&x->reader);
	if (x->reader.on) {
		if (reader_run(&x->reader))
			worker_again(w);
		index_publish_read_pos(x);
	}
	reader_listen(&x->reader);
}

static void
match_index_gone(struct worker *w)
{
	struct match_index *x = match_index_of_worker(w);
	struct tern *tern = x->tern;

	reader_fini(&x->reader);
	table_unuse(x->table);
	lpm_free(x->map);
	bitmap_fini(&x->there);
	arena_fini(&x->arena);
	mem_free(MEM_TABLE, x);
	tern_worker_gone(tern);
}

static const struct worker_ops ops = {
	.start = match_index_start,
	.run = match_index_run,
	.gone = match_index_gone,
};

OWNED struct match_index *
match_index_new(struct tern *tern, struct table *t, const char *name)
{
	struct match_index *x = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*x));

	memset(x, 0, sizeof(*x));
	x->matcher.answers = match_index_answers;
	x->tern = tern;
	x->table = t;
	x->map = lpm_new(table_family(t));
	store_relaxed64(&x->read_pos, NEVER);
	table_use(t);
	arena_init(&x->arena, MEM_TABLE, 4096);
	bitmap_init(&x->there, MEM_TABLE);
	reader_init(&x->reader, t, &x->worker, &reader_ops, &x->arena);
	tern_worker_start(tern);
	worker_start(&x->worker, &ops, WORKER_TABLE, name);
	return x;
}

static void
match_index_leave(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_TABLE, m);
	match_index_of_worker(w)->leaving = true;
	index_try_leave(match_index_of_worker(w));
}

void
match_index_delete(TAKE struct match_index *x)
{
	worker_post(&x->worker, match_index_msg_new(match_index_leave));
}
