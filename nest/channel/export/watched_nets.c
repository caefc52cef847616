/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watched nets (watched_nets.h): when another path of a watched net changes, the table
 * publishes the change (SEG_BEHIND), and the channel searches again.
 *
 * I1  A net is watched if its first candidate was refused at the last search. For a net
 *     neither watched nor dirty, the best route of the read segments was sent, or a limit
 *     keeps the net back.
 * I2  A search may see more than the read part of the journal, even the middle of a
 *     batch. Segments follow for everything that the search may have seen, and the
 *     channel skips none of them: a segment with a mere change of the source belongs to a
 *     batch up to `looked`; a SEG_BEHIND segment belongs to a batch without another best
 *     route.
 * I3  The sent route of a watched net is remembered, so an unchanged route is not sent
 *     again. The channel remembers nothing of unwatched nets: a newly watched net is sent
 *     again even if unchanged. A sink with an export table is queried instead.
 * I4  A net is also watched if an own route of an overlay precedes the first candidate: a
 *     route behind the first may eliminate the own route by MED (candidates_overlay.c).
 *
 * Loop: the session's. Tests: test_channel_secondary.c. */
#include "nest/channel/export/watched_nets.h"

#include "lib/mem/mem.h"
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel_priv.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"

void
watched_new(struct channel *ch)
{
	struct watched_nets *w = mem_zalloc(MEM_PROTO, sizeof(*w));

	bitmap_init(&w->net, MEM_PROTO);
	w->sent.store = table_store(ch->table);
	ch->exp.watch_kept = w;
	ch->best.r.wants.behind = true;
	ch->sink->no_promise = true;
}

void
watched_free(struct channel *ch)
{
	struct watched_nets *w = ch->exp.watch_kept;

	if (!w)
		return;
	bitmap_fini(&w->net);
	sent_set_clear(&w->sent);
	mem_free(MEM_PROTO, w);
}

void
watched_clear(struct channel *ch)
{
	struct watched_nets *w = ch->exp.watch;

	if (!w)
		return;
	bitmap_clear_all(&w->net);
	w->cnt = 0;
	sent_set_clear(&w->sent);
}

bool
watched_has(const struct watched_nets *w, uint32_t id)
{
	return bitmap_test(&w->net, id);
}

void
watched_add(struct watched_nets *w, uint32_t id)
{
	if (!bitmap_set(&w->net, id))
		return;
	w->cnt++;
	w->nr++;
}

void
watched_withhold(struct watched_nets *w, uint32_t id)
{
	watched_add(w, id);
	sent_set_del(&w->sent, id);
}

void
watched_drop(struct watched_nets *w, uint32_t id)
{
	if (!w->cnt || !bitmap_clear(&w->net, id))
		return;
	w->cnt--;
	sent_set_del(&w->sent, id);
}

/* watched_in_range - most runs lie in one word. */
static inline bool
watched_in_range(const struct watched_nets *w, const struct seg_run *run)
{
	uint32_t at = run->id / 64, bit = run->id % 64;

	if (at >= w->net.word_cnt)
		return false;
	if (bit + run->cnt > 64)
		return bitmap_count_range(&w->net, run->id, run->cnt) > 0;
	return w->net.word[at] >> bit & ~0ull >> (64 - run->cnt);
}

void
watched_drop_runs(struct watched_nets *w, const struct seg_run *run, uint32_t run_cnt)
{
	for (uint32_t r = 0; w->cnt && r < run_cnt; r++)
		if (watched_in_range(w, &run[r]))
			for (uint32_t i = 0; i < run[r].cnt; i++)
				watched_drop(w, run[r].id + i);
}

bool
watched_held(const struct channel *ch, uint32_t id, const struct export_answer *a)
{
	const struct watched_nets *w = ch->exp.watch;

	return watched_has(w, id) && !reader_is_dirty(ch->rd, id) &&
	       channel_holds(ch->rd, id, 1) && !ch->exp.view->rules->by_source &&
	       sent_set_is(&w->sent, id, a->set->wire, a->way);
}

bool
watched_some(const struct channel *ch, const struct segment *s)
{
	const struct watched_nets *w = ch->exp.watch;
	const struct seg_run *run = segment_runs(s);

	if (!w)
		return false;
	/* after the policy, a route behind the best may be best */
	if (ch->exp.view->base_rewritten)
		return true;
	for (uint32_t r = 0; w->cnt && r < s->run_cnt; r++)
		if (watched_in_range(w, &run[r]))
			return true;
	return false;
}

bool
watched_net(const struct channel *ch, uint32_t id)
{
	return ch->exp.watch &&
	       (ch->exp.view->base_rewritten || watched_has(ch->exp.watch, id));
}

bool
watched_concerns(const struct channel *ch, const struct segment *s)
{
	if (!ch->exp.watch)
		return false;
	return watched_some(ch, s) ||
	       (!(s->form & SEG_BEHIND) &&
		   (!s->batch || !batch_after(s->batch, ch->exp.watch->looked)));
}

unsigned
watched_free_of(const struct channel *ch, struct segment *const *s, unsigned from,
    unsigned cnt, struct watched_seen *seen)
{
	const struct watched_nets *w = ch->exp.watch;
	const struct candidates *c = ch->exp.cand;

	if (!w || (!w->cnt && !ch->exp.view->base_rewritten && !c->special))
		return cnt - from;
	if (seen->nr != w->nr || seen->end < from)
		seen->end = from;
	while (seen->end < cnt && !watched_some(ch, s[seen->end]) &&
	       !(c->special && c->special(ch, s[seen->end]))) {
		seen->end++;
		if (seen->end + 8 < cnt)
			__builtin_prefetch(s[seen->end + 8]);
	}
	seen->nr = w->nr;
	return seen->end - from;
}
