/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a table, and the rounds of its worker.
 *
 * A round of the worker: read a batch of records, walk a step over dead paths, publish,
 * wake readers, and now and then free segments that all readers have passed.
 *
 * End: the control worker calls table_delete when no thread can find the table anew. The
 * worker stops when the last channel was freed (a detached channel still reads the
 * journal, and `show` the name), no source, no cursor and no walk is left, and the grace
 * periods that would post to the worker are over. Tested by test/prop/prop_spine.c and
 * test/net/test_churn.py. */
#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/base/wrap.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/mt/journal.h"
#include "lib/mt/near.h"
#include "lib/mt/rcu.h"
#include "lib/mt/slab.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/feeder_out.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table/table_age.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os.h"

/* Nets and removed paths a round, and the rest of the last net's: 2 ms or less
 * (doc/performance.md) */
#define WALK_STEP   16384
#define WALK_AHEAD  12 /* nets whose paths are prefetched; even */
#define TICK_NS     (50 * NS_PER_MS)
#define BUMP_LEN    65536 /* octets of a block for segments, or for contiguous messages */
#define CUT_KEEP_NS NS_PER_S /* an unused cut is dropped after this time */

/* table_wake - wake the readers after a publishing turn, or continue a round. A table
 * with other work runs no readers in leases. Returns: true: continue in the next turn. */
static bool
table_wake(struct table *t, bool quiet)
{
	bool few = quiet, more = false;
	struct stream *st;

	table_each_stream (st, t)
		few &= stream_few(st);
	if (!few)
		worker_lends_nobody(&t->worker);
	table_each_stream (st, t)
		more |= stream_wake(st, t->work.used, quiet);
	return more;
}

/* ---- rounds ---- */

/* table_walk_next - go to the next chunk in turn, so that a chunk requested repeatedly
 * does not delay the remaining chunks. Returns: false: no chunk is left. */
static bool
table_walk_next(struct table *t)
{
	struct table_walk *w = &t->walk;
	uint32_t chunk = bitmap_next(&w->chunks, w->end >> CHUNK_ORDER);
	uint32_t limit = load_relaxed32(&t->best.ids.limit);

	if (chunk == UINT32_MAX)
		chunk = bitmap_next(&w->chunks, 0);
	if (chunk == UINT32_MAX) {
		w->trims = false;
		return false;
	}
	bitmap_clear(&w->chunks, chunk);
	w->chunk_cnt--;
	w->pos = chunk << CHUNK_ORDER;
	w->end = w->pos + CHUNK_NETS < limit ? w->pos + CHUNK_NETS : limit;
	return true;
}

/* Prefetched paths of the next nets of the walk. */
struct walk_ahead {
	const struct path *at[WALK_AHEAD];
};

/* table_look_ahead - prefetch the first path of the net WALK_AHEAD - 1 nets ahead, and
 * one further path of each nearer net: paths lie anywhere in memory. */
static void
table_look_ahead(const struct table *t, struct walk_ahead *a)
{
	uint32_t far = t->walk.pos + WALK_AHEAD - 1;

	for (uint32_t i = t->walk.pos + 1; i < far; i += 2) {
		const struct path **p = &a->at[i % WALK_AHEAD];

		if (!*p)
			continue;
		*p = near_load_relaxed(&(*p)->next);
		__builtin_prefetch(*p);
	}
	a->at[far % WALK_AHEAD] = far < t->walk.end
				      ? near_load_relaxed(&table_net_ptr(t, far)->paths)
				      : NULL;
	__builtin_prefetch(a->at[far % WALK_AHEAD]);
}

static void
table_walk_step(struct table *t)
{
	struct table_walk *w = &t->walk;
	struct walk_ahead ahead = { 0 };

	for (uint32_t n = 0; n < WALK_STEP; n++) {
		uint32_t gone = t->work.retired_cnt;

		if (w->pos >= w->end && !table_walk_next(t))
			return;
		table_look_ahead(t, &ahead);
		if (unlikely(w->trims))
			feeder_limit_enforce(t, table_net_ptr(t, w->pos));
		table_prune(t, table_net_ptr(t, w->pos), w->pos);
		if (unlikely(t->feeders.overdue_cnt))
			table_overdue(t, table_net_ptr(t, w->pos), w->pos);
		w->pos++;
		n += t->work.retired_cnt - gone; /* a net may have many */
	}
}

/* table_holds - true: segments or dead items wait for readers. */
static bool
table_holds(struct table *t)
{
	struct stream *st;

	table_each_stream (st, t)
		if (stream_holds(st))
			return true;
	return false;
}

static void
table_keep_ticking(struct table *t)
{
	if (table_holds(t) && !timer_active(&t->time.tick))
		timer_set(&t->time.tick, loop_now_ns(&t->worker) + TICK_NS);
}

/* table_reclaim - Returns: is more to be done at once? */
static bool
table_reclaim(struct table *t)
{
	struct stream *st;

	table_each_stream (st, t)
		stream_reclaim(st);
	t->work.releases = table_release_dead(t);
	if (!table_holds(t)) {
		bump_trim(&t->out.seg);
		bump_trim(&t->out.cut);
		bump_trim(&t->out.head);
		bump_trim(&t->out.msg);
	}
	table_keep_ticking(t);
	return t->work.releases;
}

/* table_has_grown - true: a journal is long enough for a look at freeable segments. */
static bool
table_has_grown(struct table *t)
{
	struct stream *st;

	table_each_stream (st, t)
		if (stream_grown(st))
			return true;
	return false;
}

static void
table_tick(struct timer *tm)
{
	struct table *t = container_of(tm, struct table, time.tick);

	if (table_reclaim(t) || t->life.deleting)
		worker_again(&t->worker);
}

static void
table_cuts_fired(struct timer *tm)
{
	struct table *t = container_of(tm, struct table, time.cut);
	struct stream *st;
	bool left = false;

	table_each_stream (st, t)
		left |= stream_cuts_expire(st);
	if (left)
		timer_set(&t->time.cut, loop_now_ns(&t->worker) + CUT_KEEP_NS);
}

static bool
table_cuts_live(struct table *t)
{
	struct stream *st;

	table_each_stream (st, t)
		if (counter32_get(&st->cuts_live))
			return true;
	return false;
}

/* table_is_read - is anybody attached, or does an id wait for somebody? */
static bool
table_is_read(struct table *t)
{
	struct stream *st;

	table_each_stream (st, t)
		if (st->reader_cnt || st->dead.cnt)
			return true;
	return false;
}

static void
table_try_stop(struct table *t)
{
	if (t->life.deleting && !counter32_get(&t->life.users) && !t->life.graces &&
	    !t->work.over && !t->feeders.cnt && !table_is_read(t) &&
	    list_empty(&t->feeders.detaching) && !table_walk_is_on(t))
		worker_stop(&t->worker);
}

static void
table_behind_fired(struct timer *tm)
{
	worker_again(&container_of(tm, struct table, behind.timer)->worker);
}

static void
rib_table_behind_step(struct table *t)
{
	uint64_t due_ns = t->behind.cnt ? table_behind_step(t, loop_now_ns(&t->worker))
					: 0;

	if (unlikely(due_ns))
		timer_set(&t->behind.timer, due_ns);
}

static void
table_run(struct worker *w)
{
	struct table *t = container_of(w, struct table, worker);
	uint64_t cpu = clock_thread_cpu_ns();
	bool more, ages;

	/* Only a batch with changes uses up its number. */
	if (t->work.used)
		store_release32(&t->batch, /* pairs: TBATCH */
		    serial_next(load_relaxed32(&t->batch)));
	ages = unlikely(table_age_is_due(t)) && table_age(t);
	if (table_all_takes(t) && table_all_step(t))
		readers_attach_waiting(t->all);
	more = table_take_records(t);
	rib_table_behind_step(t);
	if (table_walk_is_on(t))
		table_walk_step(t);
	counter64_bump(&t->st.batches, 1);
	t->work.used = table_batch_end(t);
	more |= ages || table_walk_is_on(t) || table_all_takes(t);
	more |= table_wake(t, !more);
	more |= table_free_step(t);
	if (!list_empty(&t->feeders.detaching))
		feeders_check(t);
	if (table_has_grown(t) || t->work.releases)
		more |= table_reclaim(t);
	else
		table_keep_ticking(t);
	counter64_bump(&t->st.cpu_ns, clock_thread_cpu_ns() - cpu);
	if (more || table_walk_is_on(t))
		worker_again(w);
	else
		table_try_stop(t);
	if (table_cuts_live(t) && !timer_active(&t->time.cut))
		timer_set(&t->time.cut, loop_now_ns(w) + CUT_KEEP_NS);
}

static void
table_gone(struct worker *w)
{
	struct table *t = container_of(w, struct table, worker);
	struct tern *tern = t->tern;

	if (table_traces(t, DEBUG_STATES))
		table_trace_state(t, "gone");
	table_overlay_drop(t);
	stream_cuts_free(&t->best);
	stream_fini(&t->best);
	table_all_free(t);
	table_nets_fini(t);
	table_hash_fini(t);
	arena_fini(&t->work.scratch);
	bump_fini(&t->out.seg);
	bump_fini(&t->out.cut);
	bump_fini(&t->out.head);
	bump_fini(&t->out.msg);
	mem_free(MEM_TABLE, t->work.retired);
	mem_free(MEM_TABLE, t->paths.origins.cnt);
	feeders_fini(t);
	mem_free(MEM_TABLE, t->name);
	mem_free(MEM_TABLE, t);
	tern_worker_gone(tern);
}

static const struct worker_ops table_ops = {
	.run = table_run,
	.gone = table_gone,
};

/* table_bump_of - init @b, in the messages' file if configured: for sendfile, and because
 * blocks of the file return to the system as soon as they are unused. */
static void
table_bump_of(const struct tern *tern, struct bump *b, uint32_t align)
{
	if (tern->messages.file)
		bump_init_pages(b, MEM_JOURNAL, align, &tern->messages.pages);
	else
		bump_init(b, MEM_JOURNAL, BUMP_LEN, align);
}

struct table *
table_new(struct tern *tern, const struct conf_table *cf)
{
	struct table *t = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->tern = tern;
	t->store = tern->store;
	t->name = mem_strdup(MEM_TABLE, cf->name);
	t->nr = counter64_get(&tern->tables.numbers) + 1;
	counter64_bump(&tern->tables.numbers, 1);
	t->kind = (enum nlri_kind)cf->kind;
	store_relaxed32(&t->debug, cf->debug);
	if (table_traces(t, DEBUG_STATES))
		table_trace_state(t, "made");
	/* the base of path times; may precede the clock's 0 */
	t->base_ns = clock_coarse_ns() - wrap_start(0, 32) * TABLE_CS_NS;
	table_age_init(t);
	table_nets_init(t);
	table_hash_init(t);
	feeders_init(t);
	stream_init(&t->best, t);
	arena_init(&t->work.scratch, MEM_TABLE, SCRATCH_SIZE);
	table_bump_of(tern, &t->out.seg, 32);
	table_bump_of(tern, &t->out.cut, 32);
	table_bump_of(tern, &t->out.head, 8);
	table_bump_of(tern, &t->out.msg, 1);
	timer_init(&t->time.tick, &t->worker, table_tick);
	timer_init(&t->time.cut, &t->worker, table_cuts_fired);
	timer_init(&t->behind.timer, &t->worker, table_behind_fired);
	tern_worker_start(tern);
	worker_start(&t->worker, &table_ops, WORKER_TABLE, t->name);
	return t;
}

static void
table_on_delete(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);

	mem_free(MEM_TABLE, m);
	t->life.deleting = true;
	table_reclaim(t);
	worker_again(w);
}

void
table_delete(TAKE struct table *t)
{
	struct msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->handle = table_on_delete;
	worker_post(&t->worker, m);
}

void
table_stats(const struct table *t, struct table_stats *st)
{
	*st = (struct table_stats){
		.nets = counter64_get(&t->st.nets),
		.paths = counter64_get(&t->st.paths),
		.filtered = counter64_get(&t->st.filtered),
		.batches = counter64_get(&t->st.batches),
		.changes = counter64_get(&t->st.changes),
		.segments = counter64_get(&t->st.segments),
		.segment_nets = counter64_get(&t->st.segment_nets),
		.withdraw_segments = counter64_get(&t->st.withdraws),
		.journal_bytes = counter64_get(&t->st.journal_bytes),
		.journal_dropped = counter64_get(&t->st.dropped),
		.wake_rounds = counter64_get(&t->st.wake_rounds),
		.cuts_built = counter64_get(&t->st.cuts_built),
		.cuts_shared = counter64_get(&t->st.cuts_shared),
		.waiting_ids = counter64_get(&t->st.waiting),
		.id_limit = stream_limit(&t->best),
		.cpu_ns = counter64_get(&t->st.cpu_ns),
	};
}

/* ---- memory ---- */

static uint64_t
table_resident(const void *p, size_t len)
{
	return len ? os_resident(p, len) : 0;
}

static uint64_t
table_octets_untouched(const void *p, size_t len)
{
	size_t in = table_resident(p, len);

	return in < len ? len - in : 0;
}

static size_t
table_journal_len(const struct stream *st)
{
	return ((size_t)st->journal.mask + 1) * sizeof(*st->journal.item);
}

static uint64_t
table_stream_untouched(const struct stream *st, uint64_t *journal)
{
	*journal += table_octets_untouched(st->journal.item, table_journal_len(st));
	return table_octets_untouched(st->chunk, CHUNK_MAX * sizeof(*st->chunk)) +
	       table_octets_untouched(st->slot, load_relaxed64(&st->slot_open));
}

/* table_paths_untouched - blocks of paths count whole. */
static uint64_t
table_paths_untouched(const struct table *t)
{
	const struct slab_region *r = &t->paths.mem;
	size_t in = table_resident(r->base, slab_region_extent(r));
	uint64_t noted = load_relaxed64(&r->noted);

	return in < noted ? noted - in : 0;
}

uint64_t
table_untouched(const struct table *t, uint64_t *journal)
{
	const struct stream *all = load_acquire_ptr(&t->pub.all); /* pairs: TALL */
	uint64_t sum = table_octets_untouched(t->net.at, load_relaxed64(&t->net_open));
	const void *scratch = load_relaxed_ptr(&t->pub.scratch);

	*journal = 0;
	sum += table_paths_untouched(t);
	sum += scratch ? table_octets_untouched(scratch, SCRATCH_SIZE) : 0;
	sum += table_stream_untouched(&t->best, journal);
	return all ? sum + table_stream_untouched(all, journal) : sum;
}

static void
table_stream_memory(const struct stream *st, struct table_memory *m)
{
	m->journals += table_resident(st->journal.item, table_journal_len(st));
	m->streams += table_resident(st->chunk, CHUNK_MAX * sizeof(*st->chunk)) +
		      table_resident(st->slot, load_relaxed64(&st->slot_open));
}

void
table_memory(const struct table *t, struct table_memory *m)
{
	const struct stream *all = load_acquire_ptr(&t->pub.all); /* pairs: TALL */
	const struct slab_region *r = &t->paths.mem;

	*m = (struct table_memory){ .journals = counter64_get(&t->st.journal_bytes) };
	m->networks = table_resident(t->net.at, load_relaxed64(&t->net_open)) +
		      table_hash_octets(t);
	m->paths = table_resident(r->base, slab_region_extent(r));
	table_stream_memory(&t->best, m);
	if (all)
		table_stream_memory(all, m);
}
