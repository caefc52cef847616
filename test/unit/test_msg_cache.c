/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a segment: shared by class and set, the bound on what is kept, what can't
 * be encoded. */
#include "proto/bgp/out/msg_cache.c"
#include "proto/bgp/out/session_class.c"
#include "nest/rib/attr/export_memo.h"
#include "test/lib/spine_rig.h"

static struct segment *seg;
static struct arena arena;

static void
test_msg_cache_take(void *arg, TAKE struct segment *s)
{
	(void)arg;
	assert_null(seg);
	seg = s;
}

static int
test_msg_cache_set_up(void **state)
{
	struct seg_item item[20];

	rig_start(state);
	arena_init(&arena, MEM_OTHER, 4096);
	spine_rig_up(0);
	rig_announce(0, 0, 20, 1, 3);
	for (uint32_t i = 0; i < 20; i++) {
		const struct path *p = net_best(table_net_ptr(rig_table(), i));

		item[i] = (struct seg_item){ .id = i,
			.src = path_feeder(p),
			.old_src = NO_FEEDER,
			.set = p->set };
	}
	seg = NULL;
	assert_true(segment_group(&rig_table()->best, &rig_table()->out.seg, &arena, item,
	    20, 1, test_msg_cache_take, NULL));
	return 0;
}

static const struct session_class *held[64];
static unsigned held_cnt;

/* class_of - held until the test's end. */
static const struct session_class *
class_of(uint32_t local_as)
{
	struct bgp_class c;

	bgp_class_init(&c);
	c.prepend_as = local_as;
	held[held_cnt] = session_class_get(rig.tern.session_classes, &c);
	return held[held_cnt++];
}

static void
drop_classes(void)
{
	while (held_cnt)
		session_class_put(rig.tern.session_classes, held[--held_cnt]);
	rcu_sleep();
	rcu_drain();
	rcu_wake();
}

static int
test_msg_cache_tear_down(void **state)
{
	drop_classes();
	segment_free(rig_table(), seg);
	arena_fini(&arena);
	return rig_finish(state);
}

static void
test_shared(void **state)
{
	struct msg_piece a, b, w;
	bool built = false;

	(void)state;
	assert_true(msg_cache_get(
	    rig_table(), seg, class_of(1), seg->set->wire, &arena, &a, &built));
	assert_true(built);
	assert_true(segment_quick(seg, class_of(1)));
	assert_int_equal(a.msg_cnt, 1);
	assert_int_equal(get_be16(a.data + 16), a.len);
	built = false;
	assert_true(msg_cache_get(
	    rig_table(), seg, class_of(1), seg->set->wire, &arena, &b, &built));
	assert_false(built);
	assert_ptr_equal(a.data, b.data);
	assert_true(
	    msg_cache_get(rig_table(), seg, class_of(1), NULL, &arena, &w, &built));
	assert_true(built);
	assert_ptr_not_equal(a.data, w.data);
	assert_int_equal(get_be16(w.data + 19), seg->nlri_len); /* withdrawn routes */
	built = false;
	assert_true(
	    msg_cache_get(rig_table(), seg, class_of(1), NULL, &arena, &b, &built));
	assert_false(built);
	assert_ptr_equal(b.data, w.data);
}

/* get - the octets for @cls; *@built: whether they were made now. */
static const uint8_t *
test_msg_cache_get(const struct session_class *cls, bool *built)
{
	struct msg_piece m;

	*built = false;
	assert_true(
	    msg_cache_get(rig_table(), seg, cls, seg->set->wire, &arena, &m, built));
	return m.data;
}

/* A class that has gone isn't taken for another one that lies at its address. */
static void
test_class_gone(void **state)
{
	const uint8_t *data;
	bool built;

	(void)state;
	for (uint32_t k = 1; k <= 4; k++) {
		data = test_msg_cache_get(class_of(k), &built);
		assert_true(built);
		assert_ptr_equal(test_msg_cache_get(class_of(k), &built), data);
		assert_false(built);
		drop_classes();
		assert_int_equal(rchash_count(&rig.tern.session_classes->classes), 1);
	}
}

/* The originator of a reflected route makes another message, but no class. */
static void
test_originator(void **state)
{
	const struct session_class *base = class_of(1);
	uint64_t cnt = rchash_count(&rig.tern.session_classes->classes);
	struct session_class from[3];
	const uint8_t *data[3];
	bool built;

	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		session_class_from(&from[k], base, k + 7);
		data[k] = test_msg_cache_get(&from[k], &built);
		assert_true(built);
	}
	for (uint32_t k = 0; k < 3; k++) {
		assert_ptr_equal(test_msg_cache_get(&from[k], &built), data[k]);
		assert_false(built);
	}
	assert_int_equal(rchash_count(&rig.tern.session_classes->classes), cnt);
}

/* One in the segment and four variants are kept; further classes make their own each
 * time. */
static void
test_bound(void **state)
{
	const uint8_t *data[SEG_VARIANTS + 2];
	bool built;

	(void)state;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i <= SEG_VARIANTS + 1; i++) {
			struct msg_piece m;

			built = false;
			assert_true(msg_cache_get(rig_table(), seg, class_of(100 + i),
			    seg->set->wire, &arena, &m, &built));
			assert_int_equal(built, !round || i == SEG_VARIANTS + 1);
			if (round && i <= SEG_VARIANTS)
				assert_ptr_equal(m.data, data[i]);
			data[i] = m.data;
		}
}

/* While one session fills the place in the segment, another makes a variant; both stay
 * good. */
static void
test_claimed(void **state)
{
	struct msg_piece a, b;
	bool built = false;

	(void)state;
	store_release64(&seg->quick_key, SEG_CLAIMED); /* pairs: SQUICK */
	assert_true(msg_cache_get(
	    rig_table(), seg, class_of(1), seg->set->wire, &arena, &a, &built));
	assert_true(built);
	assert_false(segment_quick(seg, class_of(1)));
	assert_int_equal(
	    counter32_get(&seg->set->wire->node.refs), 2); /* the set's, and a's */
	built = false;
	assert_true(msg_cache_get(
	    rig_table(), seg, class_of(1), seg->set->wire, &arena, &b, &built));
	assert_false(built);
	assert_ptr_equal(a.data, b.data);
}

/* Attributes beyond the longest message: said once a class, and remembered. */
static void
test_too_long(void **state)
{
	static uint8_t data[WIRE_BLOB_MAX];
	struct wbuf w = wbuf_of(data, sizeof(data));
	static uint8_t big[6000];
	struct wire_set *ws;
	struct msg_piece m;
	bool built = false;

	(void)state;
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, "", 0);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, "\12\0\0\1", 4);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, big, 6000);
	assert_true(wbuf_len(&w) < sizeof(data));
	ws = attr_store_wire(rig.tern.store, data, (uint32_t)wbuf_len(&w));
	rig_hush();
	assert_false(msg_build(
	    rig_table(), class_of(1), ws, segment_nlri(seg), seg->nlri_len, &arena, &m));
	assert_false(
	    msg_cache_get(rig_table(), seg, class_of(1), ws, &arena, &m, &built));
	assert_true(built);
	built = false;
	assert_false(
	    msg_cache_get(rig_table(), seg, class_of(1), ws, &arena, &m, &built));
	assert_false(built);
	log_stop();
	wire_set_unref(rig.tern.store, ws);
}

/* ---- the journal's ceiling ---- */

#define CEILING   (128u << 10)
#define ROUNDS    600
#define CLASS_CNT (SEG_VARIANTS + 1)

static void
set_ceiling(void *arg)
{
	(void)arg;
	rig_table()->best.journal.soft_bytes = CEILING / 2;
	rig_table()->best.journal.hard_bytes = CEILING;
}

struct all_read {
	const struct session_class *cls[CLASS_CNT];
	uint32_t octets; /* of a segment with all that hangs on it, at least */
};

/* source_read_all - as a session that has messages of every class made for each segment,
 * and two filters asked. */
static void
test_msg_cache_read_all(void *arg)
{
	struct channel *ch = rig.peer[2]->ch;
	struct table *t = rig_table();
	const struct filter *filter[EXPORT_MEMOS] = { &filter_accept_all,
		&filter_reject_all };
	struct all_read *a = arg;
	struct msg_piece m;
	struct segment *s;
	bool built;

	while ((s = journal_read(&t->best.journal, &ch->rd->cursor))) {
		assert_ptr_not_equal(s, JOURNAL_LOST);
		a->octets = s->je.bytes;
		for (unsigned i = 0; i < EXPORT_MEMOS; i++) {
			struct export_memo memo = { .by = filter[i],
				.conf = rig.conf,
				.verdict = FILTER_ACCEPT,
				.set = s->set };

			segment_charge(
			    t, s, export_memo_put(t->store, &s->memo, s->wire, &memo));
			a->octets += sizeof(struct export_memo);
		}
		for (unsigned i = 0; i < CLASS_CNT; i++) {
			assert_true(msg_cache_get(
			    t, s, a->cls[i], s->wire, &ch->work.arena, &m, &built));
			a->octets += m.len;
		}
	}
	journal_done(&ch->rd->cursor);
}

/* While a session stands still, what others hang on segments stays as long as these: the
 * ceiling is for both. */
static void
test_ceiling(void **state)
{
	struct journal *j = &rig_table()->best.journal;
	struct all_read a = { .octets = 0 };

	(void)state;
	for (unsigned i = 0; i < CLASS_CNT; i++)
		a.cls[i] = class_of(200 + i);
	rig_in(&rig_table()->worker, set_ceiling, NULL);
	spine_rig_up(1); /* and never reads */
	spine_rig_up(2);
	for (uint32_t k = 0; k < ROUNDS; k++) {
		rig_announce(0, 0, 20, 1, 100 + k);
		rig_in(&rig.peer[2]->p.worker, test_msg_cache_read_all, &a);
		assert_true((load_relaxed64(&j->tail) - j->freed) * a.octets <
			    CEILING + 2 * a.octets);
	}
	assert_true(j->dropped_cnt > 0);
	assert_true(journal_bytes(j) > CEILING / 4);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_msg_cache_set_up, test_msg_cache_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_shared),
	TEST(test_class_gone),
	TEST(test_originator),
	TEST(test_bound),
	TEST(test_claimed),
	TEST(test_too_long),
	TEST(test_ceiling),
};

UNIT_MAIN(tests)
