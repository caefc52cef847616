/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `secondary`: a peer that may not have the best route of a net gets the next one that it
 * may have (nest/rib/path_walk.h).
 *
 * The channel follows the journal of best routes as all others do. Only where it refuses
 * one, or its sink does, it looks at the net as it is now, under RCU, and from then on it
 * watches the net: when another path of it changes, the table tells of that (SEG_BEHIND),
 * and the channel looks again.
 *
 * I1  A net is watched if its first route was refused when it was last looked at. What
 *     isn't watched, nor dirty, has been sent its best route as the segments that were
 *     read say, or a limit keeps it back.
 * I2  A look may see more than what was read of the journal, also the middle of a batch.
 *     A segment follows for all that it may have seen, and none of these is passed over:
 *     one in which only the source changed is of a batch up to `looked`; one that says
 *     that the best stays is of a batch in which there was no other best.
 * I3  What was sent of a watched net is remembered, so that what doesn't change it sends
 *     nothing. Nothing is known of other nets: one that begins to be watched is sent
 *     again, also if it is the same. Where the sink knows of all nets what was sent, it
 *     is asked instead, and nothing is remembered here.
 *
 * Loop: the session's, but for what `show route` asks. Tests: test_channel_second.c,
 * prop_spine.c. */
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/base/mem.h"
#include "nest/channel/channel.h"
#include "nest/channel/sent_set.h"
#include "nest/channel/sink.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/path_walk.h"
#include "nest/rib/read.h"
#include "nest/rib/segment.h"
#include "nest/rib/table.h"
#include "sysdep/loop.h"

void
channel_secondary(struct channel *ch)
{
	struct channel_second *sec = mem_zalloc(MEM_PROTO, sizeof(*sec));

	bitmap_init(&sec->watched, MEM_PROTO);
	sec->sent.store = table_store(ch->table);
	ch->secondary = sec;
	ch->best.r.wants_behind = true;
	ch->sink->no_promise = true;
}

void
channel_second_drop(struct channel *ch)
{
	if (!ch->second)
		return;
	bitmap_clear_all(&ch->second->watched);
	ch->second->watched_cnt = 0;
	sent_set_clear(&ch->second->sent);
}

void
channel_second_free(struct channel *ch)
{
	struct channel_second *sec = ch->secondary;

	if (!sec)
		return;
	bitmap_fini(&sec->watched);
	sent_set_clear(&sec->sent);
	mem_free(MEM_PROTO, sec);
}

/* ---- who is watched ---- */

static bool
watches(const struct channel_second *sec, uint32_t id)
{
	return bitmap_test(&sec->watched, id);
}

static void
watch(struct channel_second *sec, uint32_t id)
{
	if (!bitmap_set(&sec->watched, id))
		return;
	sec->watched_cnt++;
	sec->watched_nr++;
}

void
channel_second_unwatch(struct channel *ch, uint32_t id)
{
	struct channel_second *sec = ch->second;

	if (!sec->watched_cnt || !bitmap_clear(&sec->watched, id))
		return;
	sec->watched_cnt--;
	sent_set_del(&sec->sent, id);
}

/* watches_some - most runs lie in one word. */
static inline bool
watches_some(const struct channel_second *sec, uint32_t id, uint32_t cnt)
{
	uint32_t w = id / 64, bit = id % 64;

	if (w >= sec->watched.word_cnt)
		return false;
	if (bit + cnt > 64)
		return bitmap_count_range(&sec->watched, id, cnt) > 0;
	return sec->watched.word[w] >> bit & ~0ull >> (64 - cnt);
}

bool
channel_second_watches(const struct channel *ch, const struct segment *s)
{
	const struct channel_second *sec = ch->second;
	const struct seg_run *run = segment_runs(s);

	for (uint32_t r = 0; sec->watched_cnt && r < s->run_cnt; r++)
		if (watches_some(sec, run[r].id, run[r].cnt))
			return true;
	return false;
}

unsigned
channel_second_others(const struct channel *ch, struct segment *const *s, unsigned from,
    unsigned cnt, struct second_seen *seen)
{
	const struct channel_second *sec = ch->second;

	if (!sec->watched_cnt)
		return cnt - from;
	if (seen->nr != sec->watched_nr || seen->end < from)
		seen->end = from;
	while (seen->end < cnt && !channel_second_watches(ch, s[seen->end]))
		seen->end++;
	seen->nr = sec->watched_nr;
	return seen->end - from;
}

bool
channel_second_watches_net(const struct channel *ch, uint32_t id)
{
	return ch->second && watches(ch->second, id);
}

void
channel_second_gone(struct channel *ch, const struct segment *s)
{
	const struct seg_run *run = segment_runs(s);

	if (!channel_second_watches(ch, s))
		return;
	for (uint32_t r = 0; r < s->run_cnt; r++)
		for (uint32_t i = 0; i < run[r].cnt; i++)
			channel_second_unwatch(ch, run[r].id + i);
}

bool
channel_second_concerned(const struct channel *ch, const struct segment *s)
{
	if (!ch->second)
		return false;
	return channel_second_watches(ch, s) ||
	       (!(s->form & SEG_BEHIND) && !batch_after(s->batch, ch->second->looked));
}

bool
channel_second_held(const struct channel *ch, uint32_t id, const struct export_answer *a)
{
	const struct channel_second *sec = ch->second;

	return watches(sec, id) && !reader_is_dirty(ch->rd, id) &&
	       ch->sink->ops->holds(ch->sink, id, 1) && !ch->exp.view->rules->by_source &&
	       sent_set_is(&sec->sent, id, a->set->wire, a->way);
}

/* ---- a look at a net ---- */

/* may_recall - does the answer about a route hold for other nets, too? */
static bool
may_recall(const struct channel *ch)
{
	return !ch->exp.view->only_in &&
	       !(filter_may_read(ch->exp.view->filter) &
		   (FILTER_READ_NET | FILTER_READ_TABLE | FILTER_READ_VOLATILE));
}

static struct second_memo *
memo_of(struct channel_second *sec, const struct segment *s)
{
	for (unsigned i = 0; i < ARRAY_LEN(sec->memo); i++)
		if (sec->memo[i].set == s->set && sec->memo[i].facts == s->facts)
			return &sec->memo[i];
	return NULL;
}

static void
forget_one(struct channel *ch, struct second_memo *m)
{
	if (m->set)
		export_answer_done(ch->table, &m->answer);
	m->set = NULL;
}

void
channel_second_forget(struct channel *ch)
{
	for (unsigned i = 0; i < ARRAY_LEN(ch->second->memo); i++)
		forget_one(ch, &ch->second->memo[i]);
}

/* decide - about l->seg. The answer is borrowed until channel_second_forget. */
static const struct export_answer *
decide(struct channel *ch, struct second_look *l)
{
	struct channel_second *sec = ch->second;
	struct second_memo *m = may_recall(ch) ? memo_of(sec, &l->seg) : NULL;
	struct route_view r = { .what = NULL };
	struct fnet what;

	if (m)
		return &m->answer;
	m = &sec->memo[sec->memo_next++ % ARRAY_LEN(sec->memo)];
	forget_one(ch, m);
	net_view(ch->table, l->net, &r, &what);
	export_decide(ch, &l->seg, &r, &m->answer);
	m->set = l->seg.set;
	m->facts = l->seg.facts;
	return &m->answer;
}

void
channel_second_start(
    struct channel *ch, struct second_look *l, uint32_t id, const struct segment *refused)
{
	l->id = id;
	l->net = table_net_of(ch->table, id);
	path_walk_start(&l->walk, ch->table, l->net);
	l->refused = refused;
	l->first = true;
	l->is_first = false;
}

const struct export_answer *
channel_second_next(struct channel *ch, struct second_look *l)
{
	const struct path *p;

	while ((p = path_walk_next(&l->walk))) {
		const struct segment *no = l->first ? l->refused : NULL;
		const struct export_answer *a;

		l->is_first = l->first && p == l->walk.best;
		l->first = false;
		if (no && path_set(p) == no->set && path_src(p) == no->src)
			continue;
		path_as_segment(
		    &l->seg, ch->table, p, l->id, l->refused ? l->refused->batch : 0);
		if (!l->seg.facts)
			continue;
		a = decide(ch, l);
		if (a->verdict == EXPORT_ACCEPT)
			return a;
		if (l->refused)
			channel_count_refused(ch, a, 1);
	}
	l->is_first = false;
	return NULL;
}

void
channel_second_end(
    struct channel *ch, const struct second_look *l, const struct export_answer *sent)
{
	struct channel_second *sec = ch->second;

	sec->looked = table_batch(ch->table);
	if (l->is_first || !l->walk.best) {
		channel_second_unwatch(ch, l->id);
		return;
	}
	watch(sec, l->id);
	if (ch->sink->knows)
		return;
	if (sent)
		sent_set_put(&sec->sent, l->id, sent->set->wire, sent->way);
	else
		sent_set_del(&sec->sent, l->id);
}

/* is_said - is @a, about the route that was found, what the peer was told last? Without
 * an export table that is only known of nets that are watched. */
static bool
is_said(struct channel *ch, const struct second_look *l, const struct export_answer *a)
{
	struct seg_run one = { l->id, 1 };

	if (ch->sink->knows)
		return ch->sink->ops->holds_same(ch->sink, &l->seg, &one, 1, a);
	return l->is_first || sent_set_is(&ch->second->sent, l->id, a->set->wire, a->way);
}

bool
channel_second_differs(struct channel *ch, uint32_t id)
{
	const struct channel_second *sec = ch->second;
	bool holds = ch->sink->ops->holds(ch->sink, id, 1), differs;
	const struct export_answer *a;
	struct second_look l;

	channel_second_start(ch, &l, id, NULL);
	a = channel_second_next(ch, &l);
	if (watches(sec, id) != (l.walk.best && !l.is_first) || holds != (a != NULL))
		differs = true;
	else
		differs = a && !is_said(ch, &l, a);
	channel_second_forget(ch);
	return differs;
}

/* ---- what others ask ---- */

bool
channel_gives_before(const struct channel *ch, struct filter_thread *ft, struct arena *a,
    const struct net *n, const struct path *p)
{
	struct table *t = ch->table;
	struct attr_set *out;
	struct path_walk w;
	const struct path *q;

	path_walk_start(&w, t, n);
	while ((q = path_walk_next(&w)) && q != p) {
		struct route_view r = {
			.src = path_facts(t, q), .set = path_set(q), .feeder = path_src(q)
		};
		struct fnet what;

		net_view(t, n, &r, &what);
		if (channel_would_export(ch, ft, a, &r, &out) != 1)
			continue;
		attr_set_unref(table_store(t), out, 1);
		return true;
	}
	return false;
}
