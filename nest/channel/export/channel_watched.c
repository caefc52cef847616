/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watched nets: nets whose first route the peer does not get (channel_secondary.c).
 *
 * Loop: the session's. Tests: test_channel_secondary.c. */
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/channel_secondary_priv.h"
#include "nest/channel/export/channel_watched_priv.h"
#include "nest/channel/export/sent_set.h"
#include "nest/channel/sink.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"
#include "sysdep/loop/loop.h"

bool
channel_watched(const struct channel_secondary *sec, uint32_t id)
{
	return bitmap_test(&sec->watched, id);
}

void
channel_watch_net(struct channel_secondary *sec, uint32_t id)
{
	if (!bitmap_set(&sec->watched, id))
		return;
	sec->watched_cnt++;
	sec->watched_nr++;
}

void
channel_secondary_watch(struct channel *ch, uint32_t id)
{
	if (!ch->exp.secondary)
		return;
	channel_watch_net(ch->exp.secondary, id);
	sent_set_del(&ch->exp.secondary->sent, id);
}

void
channel_secondary_unwatch(struct channel *ch, uint32_t id)
{
	struct channel_secondary *sec = ch->exp.secondary;

	if (!sec->watched_cnt || !bitmap_clear(&sec->watched, id))
		return;
	sec->watched_cnt--;
	sent_set_del(&sec->sent, id);
}

/* watched_watches_some - most runs lie in one word. */
static inline bool
watched_watches_some(const struct channel_secondary *sec, uint32_t id, uint32_t cnt)
{
	uint32_t w = id / 64, bit = id % 64;

	if (w >= sec->watched.word_cnt)
		return false;
	if (bit + cnt > 64)
		return bitmap_count_range(&sec->watched, id, cnt) > 0;
	return sec->watched.word[w] >> bit & ~0ull >> (64 - cnt);
}

bool
channel_secondary_watches(const struct channel *ch, const struct segment *s)
{
	const struct channel_secondary *sec = ch->exp.secondary;
	const struct seg_run *run = segment_runs(s);

	/* after the policy, a route behind the best may be best */
	if (ch->exp.view->base_rewritten)
		return true;
	for (uint32_t r = 0; sec->watched_cnt && r < s->run_cnt; r++)
		if (watched_watches_some(sec, run[r].id, run[r].cnt))
			return true;
	return false;
}

unsigned
channel_secondary_others(const struct channel *ch, struct segment *const *s,
    unsigned from, unsigned cnt, struct secondary_seen *seen)
{
	const struct channel_secondary *sec = ch->exp.secondary;

	if (!sec->watched_cnt && !ch->exp.view->base_rewritten && !channel_is_over(ch))
		return cnt - from;
	if (seen->nr != sec->watched_nr || seen->end < from)
		seen->end = from;
	while (seen->end < cnt && !channel_secondary_watches(ch, s[seen->end]) &&
	       !(channel_is_over(ch) && channel_own_may(ch, s[seen->end]))) {
		seen->end++;
		if (seen->end + 8 < cnt)
			__builtin_prefetch(s[seen->end + 8]);
	}
	seen->nr = sec->watched_nr;
	return seen->end - from;
}

bool
channel_secondary_watches_net(const struct channel *ch, uint32_t id)
{
	return ch->exp.secondary &&
	       (ch->exp.view->base_rewritten || channel_watched(ch->exp.secondary, id));
}

void
channel_secondary_gone(struct channel *ch, const struct segment *s)
{
	if (!channel_secondary_watches(ch, s))
		return;
	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);)
		channel_secondary_unwatch(ch, n.id);
}

bool
channel_secondary_concerned(const struct channel *ch, const struct segment *s)
{
	if (!ch->exp.secondary)
		return false;
	return channel_secondary_watches(ch, s) ||
	       (!(s->form & SEG_BEHIND) &&
		   (!s->batch || !batch_after(s->batch, ch->exp.secondary->looked)));
}

bool
channel_secondary_held(
    const struct channel *ch, uint32_t id, const struct export_answer *a)
{
	const struct channel_secondary *sec = ch->exp.secondary;

	return channel_watched(sec, id) && !reader_is_dirty(ch->rd, id) &&
	       channel_holds(ch->rd, id, 1) && !ch->exp.view->rules->by_source &&
	       sent_set_is(&sec->sent, id, a->set->wire, a->way);
}
