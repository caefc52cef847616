/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Early nets: a lagging reader tells nets that changed alone (nest/rib/stream/express.h)
 * before it continues with the journal or dirty nets. Runs in the owner's thread.
 *
 * The reader sends the present state of the net, read from the table. So the reader is
 * ahead of the journal with this net, and remembers the net until it has read the
 * segments between:
 *
 * I1  The told state of a net in r->early is no older than batch `seen`: segments up to
 *     `seen` have no news of the net.
 * I2  The told state may have parts of batches up to `upto`, and a batch may have
 *     reverted a part: segments up to `upto` are checked net by net, and no segment is
 *     skipped as a mere change of the source.
 * I3  Sources that change nets all the time get only a share of the room: after
 *     EARLY_OCTETS the journal, or the dirty nets, have a turn. */
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/express.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"

#define EARLY_MAX    32 /* remembered nets */
#define EARLY_TURN   16 /* nets sent early in a turn */
#define EARLY_OCTETS 16384 /* sent early before the backlog has its turn */
#define LAG_SEGMENTS 64 /* with fewer unread segments, a change need not be early */

struct early_net {
	uint32_t id, seen, upto;
};

/* Owner: a lagging reader; freed when the reader has caught up. */
struct early {
	uint32_t cnt;
	uint32_t last; /* newest `upto` */
	uint64_t words; /* bit i: a net in a 64-bit word with number i modulo 64 */
	struct early_net net[EARLY_MAX];
};

static uint64_t
early_word_bit(uint32_t id)
{
	return 1ull << (id / 64 % 64);
}

void
reader_early_drop(struct reader *r)
{
	mem_free(MEM_PROTO, r->early.nets);
	r->early.nets = NULL;
}

void
reader_early_start(struct reader *r)
{
	reader_early_drop(r);
	r->early.pos = express_tail(&r->st->express);
	r->early.octets = 0;
}

void
reader_early_forget(struct reader *r)
{
	if (reader_has_done(r, r->early.nets->last))
		reader_early_drop(r);
}

static struct early_net *
reader_early_find(struct early *e, uint32_t id)
{
	for (uint32_t i = 0; e && i < e->cnt; i++)
		if (e->net[i].id == id)
			return &e->net[i];
	return NULL;
}

bool
reader_early_told(const struct reader *r, uint32_t id, uint32_t batch)
{
	const struct early_net *n = reader_early_find(r->early.nets, id);

	return n && !batch_after(batch, n->seen);
}

bool
reader_early_touches(struct reader *r, const struct segment *s)
{
	struct early *e = r->early.nets;
	const struct seg_run *run = segment_runs(s);

	if (batch_after(s->batch, e->last)) {
		reader_early_drop(r);
		return false;
	}
	for (uint32_t k = 0; k < s->run_cnt; k++) {
		if (run[k].cnt <= 64 &&
		    !(e->words & (early_word_bit(run[k].id) |
				     early_word_bit(run[k].id + run[k].cnt - 1))))
			continue;
		for (uint32_t i = 0; i < e->cnt; i++)
			if (e->net[i].id - run[k].id < run[k].cnt &&
			    !batch_after(s->batch, e->net[i].upto))
				return true;
	}
	return false;
}

/* early_forget_read - forget nets without unread segments; @next: the next segment, or
 * NULL. */
static void
early_forget_read(struct early *e, const struct segment *next)
{
	uint32_t cnt = 0;

	e->words = 0;
	for (uint32_t i = 0; i < e->cnt; i++) {
		if (next && batch_after(next->batch, e->net[i].upto))
			continue;
		e->net[cnt++] = e->net[i];
		e->words |= early_word_bit(e->net[i].id);
	}
	e->cnt = cnt;
}

/* early_place_for - where net @id is remembered. NULL: no more can be. */
static struct early_net *
early_place_for(struct reader *r, uint32_t id, const struct segment *next)
{
	struct early *e = r->early.nets;
	struct early_net *n = reader_early_find(e, id);

	if (n)
		return n;
	if (!e)
		e = r->early.nets = mem_zalloc(MEM_PROTO, sizeof(*e));
	if (e->cnt == EARLY_MAX)
		early_forget_read(e, next);
	return e->cnt < EARLY_MAX ? &e->net[e->cnt] : NULL;
}

static void
reader_early_remember(
    struct early *e, struct early_net *n, uint32_t id, uint32_t seen, uint32_t upto)
{
	if (n == &e->net[e->cnt])
		e->cnt++;
	if (e->cnt == 1 || batch_after(upto, e->last))
		e->last = upto;
	e->words |= early_word_bit(id);
	*n = (struct early_net){ id, seen, upto };
}

static void
reader_early_emit(void *arg, TAKE struct segment *s)
{
	*(struct segment **)arg = s;
}

/* early_send_state - tell the present state of net @id. Returns: false: the net is
 * changing, and a segment will follow. */
static bool
early_send_state(struct reader *r, uint32_t id)
{
	struct table *t = r->table;
	const struct path *p = stream_path(r->st, id);
	struct seg_item item = { .id = id, .old_src = NO_FEEDER };
	struct segment *s = NULL;

	if (!p) {
		reader_ops_of(r)->gone(r, &id, 1);
		return true;
	}
	item.src = path_feeder(p);
	item.origin = path_origin(p);
	item.set = p->set;
	if (!segment_group(
		r->st, &t->out.cut, r->arena, &item, 1, 0, reader_early_emit, &s))
		return false;
	reader_ops_of(r)->segment(r, s, READ_ONCE);
	segment_free(t, s);
	return true;
}

/* early_send - net @id; @next: the next segment to be read. Returns: false: no more nets
 * can be remembered. */
static bool
early_send(struct reader *r, uint32_t id, const struct segment *next)
{
	struct early_net *n = early_place_for(r, id, next);
	uint32_t seen;

	if (!n)
		return false;
	seen = load_acquire32(&r->table->done); /* pairs: TDONE */
	if (early_send_state(r, id)) {
		uint32_t upto = load_acquire32(&r->table->batch); /* pairs: TBATCH */

		reader_early_remember(r->early.nets, n, id, seen, upto);
	}
	return true;
}

/* reader_early_lags - true: the backlog is so long that a single change should not
 * wait. */
static bool
reader_early_lags(const struct reader *r, uint64_t tail)
{
	return r->dirty_cnt || tail - r->cursor.read > LAG_SEGMENTS;
}

void
reader_early_send(struct reader *r)
{
	const struct express *x = &r->st->express;
	const struct journal *j = &r->st->journal;
	uint64_t end = express_tail(x), tail;
	const struct segment *next;
	uint32_t id, batch, cnt = 0;

	if (likely(end == r->early.pos))
		return;
	tail = load_acquire64(&j->tail); /* pairs: JTAIL */
	if (!reader_early_lags(r, tail)) {
		r->early.pos = end;
		return;
	}
	next = journal_ahead(j, &r->cursor, 0, tail);
	while (r->early.pos < end && cnt < EARLY_TURN &&
	       r->early.octets + r->queued < EARLY_OCTETS) {
		uint64_t pos = r->early.pos;

		express_get(x, &pos, end, &id, &batch);
		if (id < stream_limit(r->st) && !reader_early_told(r, id, batch) &&
		    (bitmap_test(&r->dirty, id) ||
			(next && !batch_after(next->batch, batch)))) {
			if (!early_send(r, id, next))
				break;
			cnt++;
		}
		r->early.pos = pos;
	}
	r->early.cnt += cnt;
	r->early.octets += r->queued;
}
