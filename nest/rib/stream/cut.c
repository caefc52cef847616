/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Make and share cuts. Runs in readers' threads, under RCU.
 *
 * A cut shows all batches that were done before its nets were read (`done`), and maybe
 * parts of later batches. A reader that needs only batches up to `done` may use the cut;
 * while the chunk has no newer batch, every reader may. A partial cut (a selection of
 * nets, or a set was dying during the making) is correct for its reader, but is not
 * shared. */
#include "nest/rib/stream/cut.h"
#include "lib/base/vec.h"
#include "lib/base/wrap.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/rib/ids.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"

#define RETRIES  3
#define FEW_NETS (CHUNK_NETS / 16) /* with fewer nets the caller gets a private cut */

static void
cut_drop_segments(struct cut *c)
{
	while (c->seg_cnt)
		segment_free(c->stream->table, c->seg[--c->seg_cnt]);
}

static void
cut_free(struct rcu_node *n)
{
	mem_free(MEM_JOURNAL, container_of(n, struct cut, rcu));
}

/* The segments are freed at once: without a reference no thread reads them. A thread may
 * still read the count. Sessions that lag behind a busy table make cuts faster than grace
 * periods end. */
void
cut_put(TAKE struct cut *c)
{
	if (counter32_sub_acq_rel(&c->refs, 1) != 1)
		return;
	cut_drop_segments(c);
	mem_free(MEM_JOURNAL, c->seg);
	rcu_free_later(&c->rcu, cut_free);
}

static void
cut_emit(void *arg, TAKE struct segment *s)
{
	struct cut *c = arg;

	c->seg = vec_room(
	    MEM_JOURNAL, c->seg, &c->seg_cap, c->seg_cnt + 1, sizeof(*c->seg));
	c->seg[c->seg_cnt++] = s;
}

/* cut_collect - write the nets of the chunk (only nets in @mask) with a best route to
 * @item.
 * Returns: number of items. */
static uint32_t
cut_collect(struct cut *c, const uint64_t *mask, struct seg_item *item)
{
	uint32_t first = c->chunk << CHUNK_ORDER, cnt = 0,
		 limit = stream_limit(c->stream);

	for (uint32_t w = 0; w < CHUNK_NETS / 64; w++) {
		uint64_t bits = mask ? mask[w] : ~0ull;

		c->present[w] = 0;
		for (; bits; bits &= bits - 1) {
			uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
			const struct path *p;

			if (first + i >= limit)
				return cnt;
			p = stream_path(c->stream, first + i);
			if (!p)
				continue;
			c->present[w] |= 1ull << (i % 64);
			item[cnt++] = (struct seg_item){
				.id = first + i,
				.src = path_feeder(p),
				.old_src = NO_FEEDER,
				.origin = path_origin(p),
				.set = p->set,
			};
		}
	}
	return cnt;
}

static struct cut *
cut_make(
    struct stream *st, uint32_t chunk, const uint64_t *mask, struct arena *a, bool *whole)
{
	struct table *t = st->table;
	struct cut *c = mem_zalloc(MEM_JOURNAL, sizeof(*c));
	struct seg_item *item = arena_alloc(a, CHUNK_NETS * sizeof(*item));

	*whole = false;
	c->stream = st;
	c->chunk = chunk;
	counter32_add(&c->refs, 1);
	for (unsigned tries = 0; tries < RETRIES && !*whole; tries++) {
		cut_drop_segments(c);
		c->done = load_acquire32(&t->done); /* pairs: TDONE */
		*whole = segment_group(
		    st, &t->out.cut, a, item, cut_collect(c, mask, item), 0, cut_emit, c);
	}
	c->batch = load_acquire32(&t->batch); /* pairs: TBATCH */
	*whole &= !mask;
	counter64_add(&t->st.cuts_built, 1);
	return c;
}

/* cut_share - publish @c as the cut of its chunk. */
static void
cut_share(struct stream *st, struct cut *c)
{
	struct cut *old;

	counter32_add(&c->refs, 1);
	old = xchg_acq_rel_ptr(&stream_chunk(st, c->chunk)->cut, c); /* pairs: CCUT */
	if (old) {
		cut_put(old);
		return;
	}
	counter32_add(&st->cuts_live, 1);
	/* the table starts the timer that drops unused cuts */
	worker_wake(&st->table->worker);
}

/* cut_serves - true: @c shows all batches up to @since, or the present state. */
static bool
cut_serves(const struct cut *c, const struct net_chunk *nc, uint32_t since)
{
	uint32_t ver = load_acquire32(&nc->ver); /* pairs: CVER */

	return !serial_after(since, c->done) || !serial_after(ver, c->done);
}

struct cut *
cut_get(struct stream *st, uint32_t chunk, const uint64_t *mask, uint32_t since,
    struct arena *a)
{
	struct net_chunk *nc = stream_chunk(st, chunk);
	struct cut *c = load_acquire_ptr(&nc->cut); /* pairs: CCUT */
	uint32_t wanted = 0;
	bool whole;

	if (c && cut_serves(c, nc, since) && counter32_add_unless_zero(&c->refs, 1)) {
		store_relaxed32(&c->used, 1);
		counter64_add(&st->table->st.cuts_shared, 1);
		return c;
	}
	for (uint32_t w = 0; mask && w < CHUNK_NETS / 64 && wanted < FEW_NETS; w++)
		wanted += (uint32_t)__builtin_popcountll(mask[w]);
	c = cut_make(st, chunk, wanted < FEW_NETS ? mask : NULL, a, &whole);
	if (whole) {
		store_relaxed32(&c->used, 1);
		cut_share(st, c);
	}
	return c;
}

bool
stream_cuts_expire(struct stream *st)
{
	uint32_t limit = load_relaxed32(&st->ids.limit), dropped = 0;

	for (uint32_t k = 0; k << CHUNK_ORDER < limit; k++) {
		struct pubptr *at = &stream_chunk(st, k)->cut;
		struct cut *c = load_acquire_ptr(at); /* pairs: CCUT */
		void *expect = c;

		if (!c)
			continue;
		if (load_relaxed32(&c->used)) {
			store_relaxed32(&c->used, 0);
		} else if (cas_acq_rel_ptr(at, &expect, NULL)) { /* pairs: CCUT */
			cut_put(c);
			dropped++;
		}
	}
	/* Includes cuts that sessions replaced meanwhile. */
	return counter32_sub_acq_rel(&st->cuts_live, dropped) != dropped;
}

void
stream_cuts_free(struct stream *st)
{
	for (uint32_t k = 0; k << CHUNK_ORDER < load_relaxed32(&st->ids.limit); k++) {
		struct cut *c = load_relaxed_ptr(&stream_chunk(st, k)->cut);

		if (c)
			cut_put(c);
	}
}
