/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walks of `show members`.
 *
 * I1  Between two steps the walk keeps a net id or a bucket, and the number of the table
 *     or the identity of the memory. If the channel has another table or memory by then,
 *     the walk of the channel begins anew.
 * I2  A stamp covers all facts behind the counts: the changes of the table, the routes of
 *     the channel, the configuration, and the changes of the RPKI tables that the filter
 *     of a pipe may ask. Counts by a pipe with an older configuration than the command
 *     have the stamp 0, which no later command accepts.
 * I3  A command walks a table with several peers once, for all its peers. A range of
 *     neighbors is several peers.
 * I4  The count of refused routes looks at the clock after each bucket with routes, and
 *     begins anew for each channel, also if a channel has left with its instance before
 *     the count was complete.
 *
 * Loop: the session's, under RCU. Tested by test/net/test_filtered.py. */
#include "filter/filter.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_counts.h"
#include "nest/channel/channel_tally.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/member/cmd_members_tally.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/core/tern.h"

#define LOOK_WORK 64 /* buckets or nets between two looks at the clock */

struct members_counts {
	uint64_t piped, tagged;
};

void
members_tally_init(struct members_tally *t, struct cli_session *s)
{
	*t = (struct members_tally){ 0 };
	filtered_index_init(&t->index, s->conf->conf);
	t->ft = filter_thread_new(&s->tern->ifaces);
	arena_init(&t->arena, MEM_OTHER, 4096);
}

void
members_tally_fini(struct members_tally *t)
{
	filtered_index_fini(&t->index);
	if (t->ft)
		filter_thread_free(t->ft);
	arena_fini(&t->arena);
	mem_free(MEM_OTHER, t->count);
	mem_free(MEM_OTHER, t->walked);
}

/* ---- stamps ---- */

static uint64_t
tally_changes_of(const struct table *t)
{
	struct table_stats st;

	table_stats(t, &st);
	return st.changes;
}

static uint64_t
tally_stamp_channel(const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	uint64_t h = hash_u64(1, table_number(channel_table(ch)));

	h = hash_u64(h, tally_changes_of(channel_table(ch)));
	h = hash_u64(h, counter64_get(&st->in.imported));
	return hash_u64(h, counter64_get(&st->in.filtered)) | 1;
}

static uint64_t
tally_stamp_table(const struct members_tally *t, const struct channel *ch,
    const struct tern_view *v, bool has_pipe)
{
	uint64_t h = tally_stamp_channel(ch);

	h = hash_bytes(h, t->index.conf->digest, strlen(t->index.conf->digest));
	for (uint32_t i = 0; has_pipe && i < v->rpki_cnt; i++)
		h = hash_u64(h, tally_changes_of(rpki_index_table(v->rpki[i])));
	return h | 1;
}

static bool
tally_is_fresh(const struct channel *ch, enum channel_tally_kind k, uint64_t stamp)
{
	struct channel_counts c;

	return channel_tally(ch, k, &c) && c.stamp == stamp;
}

/* ---- refused routes outside the table ---- */

/* tally_count_bucket - Returns: true: the bucket has routes. */
static bool
tally_count_bucket(
    struct members_tally *t, const struct channel *ch, const struct reject_memory *m)
{
	const struct reject *r = NULL;
	bool some = false;

	while ((r = reject_in(m, t->bucket, r))) {
		some = true;
		t->rejects[filtered_unkept(ch, r)]++;
	}
	return some;
}

/* tally_rejects - I4. */
static bool
tally_rejects(struct members_tally *t, struct cli_session *s, const struct channel *ch)
{
	const struct reject_memory *m = channel_rejects(ch, false);
	uint64_t stamp;

	if (!m)
		return true;
	stamp = hash_u64(tally_stamp_channel(ch), reject_changes(m)) | 1;
	if (t->memory != m) {
		if (tally_is_fresh(ch, TALLY_REJECTS, stamp))
			return true;
		t->memory = m;
		t->stamp = stamp;
		memset(t->rejects, 0, sizeof(t->rejects));
		t->bucket = 0;
	}
	while (t->bucket < REJECT_BUCKETS) {
		bool some = tally_count_bucket(t, ch, m);

		t->bucket++;
		if ((some || !(t->bucket % LOOK_WORK)) && !cli_go_on(s))
			return false;
	}
	channel_tally_put(ch, TALLY_REJECTS,
	    &(struct channel_counts){ .stamp = t->stamp,
		.n = { t->rejects[FILTERED_IMPORT], t->rejects[FILTERED_CHECK] } });
	return true;
}

/* ---- a table ---- */

static struct members_counts *
tally_counts_of(struct members_tally *t, uint32_t src)
{
	uint32_t was = t->count_cnt;

	if (src >= t->count_cnt) {
		t->count = vec_room(
		    MEM_OTHER, t->count, &t->count_cap, src + 1, sizeof(*t->count));
		t->count_cnt = src + 1;
		memset(&t->count[was], 0, (t->count_cnt - was) * sizeof(*t->count));
	}
	return &t->count[src];
}

static void
tally_count_net(
    struct members_tally *t, const struct filtered_look *l, const struct net *n)
{
	struct filtered f;

	for (const struct path *p = net_first(n); p; p = path_next(p)) {
		switch (filtered_get(l, n, p, &f)) {
		case FILTERED_PIPE:
			tally_counts_of(t, path_src(p))->piped++;
			break;
		case FILTERED_TAGGED:
			tally_counts_of(t, path_src(p))->tagged++;
			break;
		default:
			break;
		}
	}
}

static void
tally_put(struct members_tally *t, const struct channel *ch, uint64_t stamp)
{
	uint32_t src = channel_source_id(ch);
	struct members_counts none = { 0 };
	const struct members_counts *c = src < t->count_cnt ? &t->count[src] : &none;

	channel_tally_put(ch, TALLY_TABLE,
	    &(struct channel_counts){ .stamp = stamp, .n = { c->piped, c->tagged } });
}

/* tally_none - replace old counts by zeros: the channel has no routes to count. */
static void
tally_none(const struct channel *ch)
{
	struct channel_counts c;

	if (channel_tally(ch, TALLY_TABLE, &c) && (c.n[0] || c.n[1]))
		channel_tally_put(ch, TALLY_TABLE, &(struct channel_counts){ 0 });
}

/* tally_all - count the routes of all members of the table of @ch. */
static void
tally_all(
    struct members_tally *t, const struct filtered_look *l, const struct channel *ch)
{
	const struct tern_view *v = l->view;
	const struct table *table = l->table;
	bool same = t->stamp == tally_stamp_table(t, ch, v, l->pipe);

	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];

		for (struct channel *c = p->cls->member.describe ? proto_first_channel(p)
								 : NULL;
		     c; c = channel_after(p, c))
			if (channel_table(c) == table)
				tally_put(
				    t, c, same ? tally_stamp_table(t, c, v, l->pipe) : 0);
	}
}

static bool
tally_was_walked(const struct members_tally *t, uint64_t table_nr)
{
	for (uint32_t i = 0; i < t->walked_cnt; i++)
		if (t->walked[i] == table_nr)
			return true;
	return false;
}

static void
tally_walk_ends(struct members_tally *t, const struct filtered_look *l,
    const struct channel *ch, const struct filtered_table *ft)
{
	t->walks = false;
	t->pos = 0;
	if (ft->peers < 2) {
		tally_put(t, ch, t->stamp);
		return;
	}
	t->walked = vec_room(
	    MEM_OTHER, t->walked, &t->walked_cap, t->walked_cnt + 1, sizeof(*t->walked));
	t->walked[t->walked_cnt++] = t->table_nr;
	tally_all(t, l, ch);
}

static bool
tally_walk(struct members_tally *t, struct cli_session *s, const struct filtered_look *l)
{
	uint32_t limit = table_id_limit(l->table);

	for (; t->pos < limit; t->pos++) {
		const struct net *n = table_net_at(l->table, t->pos);

		if ((l->pipe || !(t->pos % LOOK_WORK)) && t->pos && !cli_go_on(s))
			return false;
		if (n)
			tally_count_net(t, l, n);
	}
	return true;
}

static bool
tally_table(struct members_tally *t, struct cli_session *s, const struct channel *ch)
{
	const struct tern_view *v = tern_view_get(s->tern);
	const struct table *table = channel_table(ch);
	const struct filtered_table *ft = filtered_table_of(&t->index, table);
	struct filtered_look l = { .conf = t->index.conf,
		.view = v,
		.table = table,
		.ft = t->ft,
		.arena = &t->arena };
	uint64_t stamp;
	bool adopted;

	if (!ft || (!ft->pipe && !t->index.conf->comm.filtered.cnt)) {
		tally_none(ch);
		return true;
	}
	l.pipe = filtered_pipe(&t->index, v, table, &adopted);
	if (!t->walks || t->table_nr != table_number(table)) {
		stamp = tally_stamp_table(t, ch, v, l.pipe);
		if (tally_is_fresh(ch, TALLY_TABLE, stamp) ||
		    (ft->peers > 1 && tally_was_walked(t, table_number(table))))
			return true;
		t->walks = true;
		t->walk_cnt++;
		t->table_nr = table_number(table);
		t->stamp = adopted ? stamp : 0;
		t->pos = t->count_cnt = 0;
	}
	if (!tally_walk(t, s, &l))
		return false;
	tally_walk_ends(t, &l, ch, ft);
	return true;
}

/* ---- a member ---- */

bool
members_tally_proto(struct members_tally *t, struct cli_session *s, const struct proto *p)
{
	unsigned i = 0;

	for (struct channel *ch = proto_first_channel(p); ch;
	     ch = channel_after(p, ch), i++) {
		if (i < t->chan)
			continue;
		if (channel_source_id(ch) == NO_FEEDER) { /* also between two steps */
			t->rejects_done = false;
			continue;
		}
		if (!t->rejects_done && !tally_rejects(t, s, ch))
			return false;
		t->rejects_done = true;
		t->memory = NULL;
		if (!tally_table(t, s, ch))
			return false;
		t->rejects_done = false;
		t->chan = i + 1;
	}
	t->chan = 0;
	t->rejects_done = false;
	t->memory = NULL;
	return true;
}

void
members_tally_skip(struct members_tally *t)
{
	t->chan = t->pos = 0;
	t->memory = NULL;
	t->rejects_done = t->walks = false;
}

void
members_tally_get(const struct channel *ch, uint64_t by[FILTERED_WAYS])
{
	struct channel_counts c = { 0 };

	channel_tally(ch, TALLY_TABLE, &c);
	by[FILTERED_PIPE] = c.n[0];
	by[FILTERED_TAGGED] = c.n[1];
	c = (struct channel_counts){ 0 };
	channel_tally(ch, TALLY_REJECTS, &c);
	by[FILTERED_IMPORT] = c.n[0];
	by[FILTERED_CHECK] = c.n[1];
}
