/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers: when the peer asks for all again, how often that is done, and that nothing is
 * left out; and one that is no channel. */
#include "nest/rib/stream/cut.h"
static struct cut *cut_get_late(struct stream *st, uint32_t chunk, const uint64_t *mask,
    uint32_t since, struct arena *a);
#define cut_get cut_get_late
#include "nest/rib/stream/reader.c"
#undef cut_get
#include "test/lib/seed.h"
#include "test/lib/spine_rig.h"

#define GROUPS 8 /* of nets that share a message */
#define NETS   (GROUPS * 10)

/* announce_groups - each has attributes of its own, so that a sweep takes a turn for each
 * while tx_room says 1. */
static void
announce_groups(void)
{
	spine_rig_up(0);
	for (unsigned g = 0; g < GROUPS; g++)
		rig_announce(0, g * 10, 10, 9, g);
}

static void
test_reader_ask(void *arg)
{
	channel_refresh_out(((struct rig_peer *)arg)->ch);
}

static void
test_reader_one_run(void *arg)
{
	channel_export_run(((struct rig_peer *)arg)->ch);
}

static void
export_once(struct rig_peer *pe)
{
	rig_in(&pe->p.worker, test_reader_one_run, pe);
}

static uint32_t
test_reader_held_cnt(const struct rig_peer *pe)
{
	uint32_t cnt = 0;

	for (unsigned i = 0; i < NETS; i++)
		cnt += pe->held[i] == rig_holds(9, i / 10);
	return cnt;
}

static bool set_again, other_sweep; /* as seen in the session's thread */

/* The bit stands for the work of setting all of them. */
static void
ask_twice(void *arg)
{
	struct rig_peer *pe = arg;

	channel_refresh_out(pe->ch);
	pe->ch->rd->dirty_cnt -= bitmap_clear(&pe->ch->rd->dirty, 3);
	channel_refresh_out(pe->ch);
	set_again = bitmap_test(&pe->ch->rd->dirty, 3);
	reader_dirty(pe->ch->rd, 3, 1);
}

/* What has passed nothing yet answers further requests, too. */
static void
test_together(void **state)
{
	struct rig_peer *pe = rig.peer[1];

	(void)state;
	announce_groups();
	spine_rig_up(1);
	rig_export(1);
	assert_int_equal(test_reader_held_cnt(pe), NETS);
	pe->eor_cnt = pe->msg_cnt = 0;
	rig_in(&pe->p.worker, ask_twice, pe);
	assert_false(set_again);
	rig_in(&pe->p.worker, test_reader_ask, pe);
	rig_export(1);
	assert_int_equal(pe->eor_cnt, 1);
	assert_int_equal(pe->msg_cnt, GROUPS);
}

/* A peer that asks at each turn gets one sweep after the other, each to its end. */
static void
test_flood(void **state)
{
	struct rig_peer *pe = rig.peer[1];
	unsigned asked = 0;

	(void)state;
	announce_groups();
	spine_rig_up(1);
	pe->room = 1;
	for (; asked < 100 && pe->eor_cnt < 3; asked++) {
		rig_in(&pe->p.worker, test_reader_ask, pe);
		export_once(pe);
	}
	assert_true(asked < 100);
	assert_in_range(pe->msg_cnt, 3 * GROUPS, 4 * GROUPS);
	assert_int_equal(load_relaxed64(&pe->ch->rd->cursor.out_pos),
	    pe->ch->rd->cursor.read); /* a flood holds no net ids back */
}

/* A request in the middle of a sweep is done after it: End-of-RIB comes for both, and all
 * nets come once more. */
static void
test_meanwhile(void **state)
{
	struct rig_peer *pe = rig.peer[1];

	(void)state;
	announce_groups();
	spine_rig_up(1);
	pe->room = 1;
	export_once(pe);
	assert_in_range(test_reader_held_cnt(pe), 10, NETS - 10);
	memset(pe->held, 0, sizeof(pe->held)); /* what came before doesn't count */
	rig_in(&pe->p.worker, test_reader_ask, pe);
	rig_in(&pe->p.worker, test_reader_ask, pe);
	while (!pe->eor_cnt)
		export_once(pe);
	assert_true(test_reader_held_cnt(pe) < NETS);
	rig_export(1);
	assert_int_equal(test_reader_held_cnt(pe), NETS);
	assert_int_equal(pe->eor_cnt, 2);
	assert_int_equal(pe->msg_cnt, 2 * GROUPS);
	export_once(pe);
	assert_int_equal(pe->eor_cnt, 2);
}

static void
dirty_sweep(void *arg)
{
	struct rig_peer *pe = arg;

	reader_dirty(pe->ch->rd, 0, NETS);
	channel_export_run(pe->ch);
	other_sweep = pe->ch->rd->sweep.on && !pe->ch->rd->sweep.all_on;
	channel_refresh_out(pe->ch);
}

/* Nor does one stop a sweep that is on for another reason; and what is remembered goes
 * with the session. */
static void
test_other_sweep(void **state)
{
	struct rig_peer *pe = rig.peer[1];

	(void)state;
	announce_groups();
	spine_rig_up(1);
	rig_export(1);
	pe->eor_cnt = pe->msg_cnt = 0;
	pe->room = 1;
	rig_in(&pe->p.worker, dirty_sweep, pe);
	assert_true(other_sweep);
	rig_export(1);
	assert_int_equal(pe->eor_cnt, 1);
	assert_int_equal(pe->msg_cnt, 2 * GROUPS);
	rig_in(&pe->p.worker, dirty_sweep, pe);
	assert_true(other_sweep);
	spine_rig_down(1);
	pe->eor_cnt = pe->msg_cnt = 0;
	spine_rig_up(1);
	rig_export(1);
	assert_int_equal(pe->eor_cnt, 1);
	assert_int_equal(pe->msg_cnt, GROUPS);
}

/* ---- a reader that is no channel ---- */

/* What it was told of each net: the set's MED + 1; 0: it has none. */
struct mirror {
	struct reader rd;
	struct arena arena;
	size_t room;
	uint32_t refused; /* of the first nets it takes no route */
	uint64_t med[NETS];
	unsigned synced, cut_off;
	uint32_t told, gone; /* nets */
	sem_t done;
};

static struct mirror *
mirror_of(const struct reader *r)
{
	return container_of((struct reader *)(uintptr_t)r, struct mirror, rd);
}

static size_t
m_room(struct reader *r)
{
	return mirror_of(r)->room;
}

static void
m_segment(struct reader *r, struct segment *s, enum read_check check)
{
	const struct seg_run *run = segment_runs(s);
	struct mirror *m = mirror_of(r);

	for (uint32_t k = 0; k < s->run_cnt; k++)
		for (uint32_t id = run[k].id; id < run[k].id + run[k].cnt; id++) {
			if (!reader_passes(r, s, id, check))
				continue;
			m->med[id] = s->set && id >= m->refused
					 ? 1 + (uint64_t)wire_med(s->wire)
					 : 0;
			reader_clean(r, id, 1);
			m->told++;
		}
	r->queued++;
}

static unsigned
m_run(struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen)
{
	unsigned i;

	(void)seen;
	for (i = 0; i < cnt && r->queued < r->limit; i++)
		m_segment(r, s[i], READ_ALL);
	return i;
}

static void
m_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	struct mirror *m = mirror_of(r);

	for (uint32_t i = 0; i < cnt; i++) {
		m->med[id[i]] = 0;
		reader_clean(r, id[i], 1);
	}
	m->gone += cnt;
}

static uint32_t
m_holds(const struct reader *r, uint32_t id, uint32_t cnt)
{
	uint32_t held = 0;

	for (uint32_t i = id; i < id + cnt; i++)
		held += mirror_of(r)->med[i] > 0;
	return held;
}

static void
m_flush(struct reader *r)
{
	(void)r;
}

static void
m_synced(struct reader *r)
{
	mirror_of(r)->synced++;
}

static void
m_slow(struct reader *r, uint64_t out_pos, uint64_t progress, bool anyway)
{
	(void)out_pos, (void)progress, (void)anyway;
	mirror_of(r)->cut_off++;
}

static uint64_t
m_progress(const struct reader *r)
{
	return counter64_get(&r->turns);
}

static const struct reader_ops mirror_ops = {
	.room = m_room,
	.run = m_run,
	.segment = m_segment,
	.gone = m_gone,
	.holds = m_holds,
	.flush = m_flush,
	.synced = m_synced,
	.slow = m_slow,
	.progress = m_progress,
};

struct mirror_msg {
	struct msg msg;
	struct mirror *m;
};

static void
m_done(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	sem_post(&container_of(m, struct mirror_msg, msg)->m->done);
	free(m);
}

static OWNED struct msg *
m_msg(struct mirror *m)
{
	struct mirror_msg *d = calloc(1, sizeof(*d));

	d->msg.handle = m_done;
	d->m = m;
	return &d->msg;
}

static void
m_attach(void *arg)
{
	struct mirror *m = arg;

	reader_attach(&m->rd, m_msg(m));
}

static void
m_start(void *arg)
{
	struct mirror *m = arg;

	m->rd.worker->again = false;
	reader_start(&m->rd);
	ASSERT(m->rd.worker->again); /* else it wouldn't listen */
	reader_all(&m->rd);
}

static void
m_stop(void *arg)
{
	struct mirror *m = arg;

	reader_stop(&m->rd);
	reader_detach(&m->rd, m_msg(m));
}

static void
m_one(void *arg)
{
	reader_run(&((struct mirror *)arg)->rd);
}

static void
m_wait(struct mirror *m)
{
	rcu_sleep();
	while (sem_wait(&m->done))
		;
	rcu_wake();
}

/* Beside a session, in a worker of another one. */
static struct worker *
m_worker(void)
{
	return &rig.peer[3]->p.worker;
}

static struct mirror *
mirror_new(void)
{
	struct mirror *m = calloc(1, sizeof(*m));

	sem_init(&m->done, 0, 0);
	arena_init(&m->arena, MEM_OTHER, 4096);
	reader_init(&m->rd, rig_table(), m_worker(), &mirror_ops, &m->arena);
	m->room = 1u << 20;
	rig_in(m_worker(), m_attach, m);
	m_wait(m);
	rig_in(m_worker(), m_start, m);
	return m;
}

static void
mirror_free(struct mirror *m)
{
	rig_in(m_worker(), m_stop, m);
	m_wait(m);
	reader_fini(&m->rd);
	arena_fini(&m->arena);
	sem_destroy(&m->done);
	free(m);
}

static void
m_rest(void *arg)
{
	struct mirror *m = arg;

	while (reader_run(&m->rd))
		;
}

static void
m_sweep(void *arg)
{
	struct mirror *m = arg;

	reader_set_limit(&m->rd, m->room);
	while (!reader_sweep(&m->rd))
		;
}

/* Whatever comes, and however often there is no room: in the end it knows what the table
 * holds. */
static void
test_mirror(void **state)
{
	struct seed s = seed_start("test_mirror");
	struct arena a;
	struct mirror *m;

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, NETS / 2, 9, 3);
	arena_init(&a, MEM_OTHER, 4096);
	m = mirror_new();
	for (unsigned i = 0; i < 400; i++) {
		uint32_t first = seed_below(&s, NETS), k = seed_below(&s, 2),
			 cnt = 1 + seed_below(&s, NETS - first);

		if (seed_below(&s, 3))
			rig_announce(k, first, cnt, 9, seed_below(&s, 5));
		else
			rig_withdraw(k, first, cnt);
		if (!seed_below(&s, 4)) /* others leave cuts behind */
			cut_put(cut_get(&rig_table()->best, 0, NULL,
			    load_relaxed32(&rig_table()->done), &a));
		arena_reset(&a);
		m->room = seed_below(&s, 3) ? 1 + seed_below(&s, 6) : 0;
		if (!seed_below(&s, 5))
			rig_in(m_worker(), m_one, m);
		if (!seed_below(&s, 40)) { /* as the table does when it wants its room */
			store_release64(&m->rd.cursor.hurry, UINT64_MAX);
			m->room = 0;
			rig_in(m_worker(), m_one, m);
			store_release64(&m->rd.cursor.hurry, 0);
		}
	}
	m->room = 1u << 20;
	rig_in(m_worker(), m_rest, m);
	for (uint32_t id = 0; id < NETS; id++) {
		const struct net *n = table_net_at(rig_table(), id);
		const struct path *p = n ? net_best(n) : NULL;

		assert_int_equal(
		    m->med[id], p ? 1 + (uint64_t)wire_med(path_set(p)->wire) : 0);
	}
	assert_int_equal(m->synced, 1);
	assert_int_equal(load_relaxed64(&m->rd.cursor.out_pos), m->rd.cursor.read);
	arena_fini(&a);
	mirror_free(m);
}

/* Segments of nets that were all told from a cut, as they were then or later, are left
 * out whole. */
static void
test_shown(void **state)
{
	struct mirror *m;

	(void)state;
	spine_rig_up(0);
	for (unsigned g = 0; g < GROUPS; g++)
		rig_announce(0, g * 10, 10, 9, g);
	m = mirror_new();
	for (unsigned i = 0; i < 20; i++) /* behind the cursor, before the cut */
		rig_announce(0, 0, 10, 9, 20 + i);
	/* as after a journal that had no end for long: dirty nets come first */
	rig_in(m_worker(), m_sweep, m);
	assert_int_equal(m->told, NETS);
	rig_in(m_worker(), m_rest, m);
	assert_int_equal(m->told, NETS);
	assert_int_equal(m->med[5], 1 + 39);
	rig_announce(0, 0, 10, 9, 50);
	rig_in(m_worker(), m_rest, m);
	assert_int_equal(m->told, NETS + 10);
	mirror_free(m);
}

static void
m_first(void *arg)
{
	struct mirror *m = arg;
	struct journal_entry *e = journal_read(&m->rd.table->best.journal, &m->rd.cursor);

	reader_dirty_segment(&m->rd, container_of(e, struct segment, je));
	journal_done(&m->rd.cursor);
}

static void
m_dirty(void *arg)
{
	reader_dirty(&((struct mirror *)arg)->rd, 0, NETS);
}

/* Nets were told and refused, then they are wanted: a withdrawal that is older than that
 * leaves them dirty, since what came after it counts as told. */
static void
test_old_withdrawal(void **state)
{
	struct mirror *m;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, NETS, 9, 1);
	m = mirror_new();
	rig_in(m_worker(), m_rest, m);
	m->refused = 10;
	rig_announce(0, 0, 10, 9, 2);
	rig_in(m_worker(), m_rest, m);
	rig_withdraw(0, 0, 10);
	rig_announce(0, 0, 10, 9, 3);
	rig_in(m_worker(), m_dirty, m);
	rig_in(m_worker(), m_sweep, m);
	m->refused = 0;
	rig_in(m_worker(), m_dirty, m);
	rig_in(m_worker(), m_first, m);
	rig_in(m_worker(), m_rest, m);
	for (uint32_t id = 0; id < 10; id++)
		assert_int_equal(m->med[id], 1 + 3);
	mirror_free(m);
}

static void (*before_cut)(
    void); /* once, between a reader's count of dirty nets and its cut */

static struct cut *
cut_get_late(struct stream *st, uint32_t chunk, const uint64_t *mask, uint32_t since,
    struct arena *a)
{
	void (*fn)(void) = before_cut;

	before_cut = NULL;
	if (fn)
		fn();
	return cut_get(st, chunk, mask, since, a);
}

static void
another_net(void)
{
	rig_announce(1, 10, 1, 9, 7);
}

/* A net that comes when the dirty ones have been counted isn't in the cut, though of a
 * batch that this shows: the chunk doesn't count as told whole, and the net's segment is
 * read. */
static void
test_not_whole(void **state)
{
	struct mirror *m;

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 10, 9, 3);
	m = mirror_new();
	before_cut = another_net;
	rig_in(m_worker(), m_sweep, m);
	assert_null(before_cut);
	assert_int_equal(m->told, 10);
	rig_in(m_worker(), m_rest, m);
	assert_int_equal(m->med[10], 1 + 7);
	mirror_free(m);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_old_withdrawal),
	RIG_TEST(test_together),
	RIG_TEST(test_flood),
	RIG_TEST(test_meanwhile),
	RIG_TEST(test_other_sweep),
	RIG_TEST(test_mirror),
	RIG_TEST(test_shown),
	RIG_TEST(test_not_whole),
};

UNIT_MAIN(tests)
