/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grouping nets into segments: groups by set and source, runs of ids, NLRI in order,
 * marks. */
#include "nest/rib/stream/segment.c"
#include "proto/bgp/out/bgp_rules.h"
#include "test/lib/seed.h"
#include "test/lib/spine_rig.h"

#define MAX 64

static struct segment *got[MAX];
static unsigned got_cnt;

static void
test_segment_take(void *arg, TAKE struct segment *s)
{
	(void)arg;
	assert_true(got_cnt < MAX);
	got[got_cnt++] = s;
}

static void
test_segment_free_all(void)
{
	while (got_cnt)
		segment_free(rig_table(), got[--got_cnt]);
}

/* check - the segment has @net_cnt nets in ascending runs, and their prefixes in that
 * order. */
static void
test_segment_check(const struct segment *s, uint32_t net_cnt)
{
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);
	struct seg_nets walk = segment_nets(s);
	uint32_t cnt = 0;

	for (uint32_t r = 0; r < s->run_cnt; r++) {
		if (r)
			assert_true(run[r].id > run[r - 1].id + run[r - 1].cnt);
		for (uint32_t i = 0; i < run[r].cnt; i++, cnt++) {
			struct prefix want = net_prefix(rig_table(),
					  table_net_ptr(rig_table(), run[r].id + i)),
				      p;

			pos += prefix_get(&p, pos, FAM_IP4);
			assert_true(prefix_equal(&p, &want));
			assert_true(seg_nets_next(&walk));
			assert_int_equal(walk.id, run[r].id + i);
		}
	}
	assert_false(seg_nets_next(&walk));
	assert_int_equal(pos - segment_nlri(s), s->nlri_len);
	assert_int_equal(cnt, net_cnt);
	assert_int_equal(s->nets.cnt, net_cnt);
}

static void
test_groups(void **state)
{
	struct seg_item item[40];
	struct arena a;
	uint32_t nets = 0;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 40, 1, 1);
	rig_announce(0, 40, 40, 1, 2);
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t id = (i * 37) % 80; /* out of order */
		const struct path *p = net_best(table_net_ptr(rig_table(), id));

		item[i] = (struct seg_item){ .id = id,
			.src = i % 5 ? path_feeder(p) : NO_FEEDER,
			.old_src = NO_FEEDER,
			.set = i % 5 ? p->set : NULL };
	}
	arena_init(&a, MEM_OTHER, 4096);
	assert_true(segment_group(&rig_table()->best, &rig_table()->out.seg, &a, item, 40,
	    77, test_segment_take, NULL));
	assert_int_equal(got_cnt, 3); /* two sets, and withdrawals */
	for (unsigned i = 0; i < got_cnt; i++) {
		nets += got[i]->nets.cnt;
		test_segment_check(got[i], got[i]->nets.cnt);
		assert_int_equal(got[i]->batch, 77);
		if (!got[i]->set) {
			assert_int_equal(got[i]->nets.cnt, 8);
			assert_int_equal(got[i]->src, NO_FEEDER);
		}
	}
	assert_int_equal(nets, 40);
	test_segment_free_all();
	arena_fini(&a);
}

static void
test_runs(void **state)
{
	static const uint32_t ids[] = { 5, 6, 7, 9, 20, 21 };
	struct seg_item item[6];
	struct arena a;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 30, 1, 1);
	arena_init(&a, MEM_OTHER, 4096);
	assert_true(segment_group(&rig_table()->best, &rig_table()->out.seg, &a, item, 0,
	    1, test_segment_take, NULL));
	assert_int_equal(got_cnt, 0);
	for (uint32_t i = 0; i < 6; i++)
		item[i] = (struct seg_item){
			.id = ids[5 - i], .src = NO_FEEDER, .old_src = NO_FEEDER
		};
	assert_true(segment_group(&rig_table()->best, &rig_table()->out.seg, &a, item, 6,
	    1, test_segment_take, NULL));
	assert_int_equal(got_cnt, 1);
	test_segment_check(got[0], 6);
	assert_int_equal(got[0]->run_cnt, 3);
	assert_int_equal(segment_runs(got[0])[0].id, 5);
	assert_int_equal(segment_runs(got[0])[0].cnt, 3);
	assert_int_equal(segment_runs(got[0])[2].cnt, 2);
	test_segment_free_all();
	arena_fini(&a);
}

/* is_plain - of a segment with the best set of net 0, without the next hop, with an
 * attribute of our own. */
static bool
is_plain(bool no_hop, bool custom)
{
	const struct path *p = net_best(table_net_ptr(rig_table(), 0));
	struct attr_edit e;
	struct arena a;
	struct seg_item item = { .src = path_feeder(p), .old_src = NO_FEEDER };
	bool plain;

	arena_init(&a, MEM_OTHER, 4096);
	attr_edit_init(&e, &a, p->set);
	if (no_hop)
		assert_int_equal(attr_edit_unset(&e, ATTR_NEXT_HOP), 0);
	if (custom)
		assert_int_equal(attr_edit_set_custom(&e, 300, 1, "12345678", 8), 0);
	item.set = attr_store_edit(rig.tern.store, &e);
	assert_true(segment_group(&rig_table()->best, &rig_table()->out.seg, &a, &item, 1,
	    1, test_segment_take, NULL));
	assert_int_equal(got_cnt, 1);
	plain = got[0]->form & SEG_UNIFORM;
	test_segment_free_all();
	attr_set_unref(rig.tern.store, item.set, 1);
	arena_fini(&a);
	return plain;
}

/* Peers of one class may be told different things of a route without a next hop: its
 * gateway, or ourselves. */
static void
test_plain(void **state)
{
	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 1, 1, 1);
	assert_true(is_plain(false, false));
	assert_true(is_plain(false, true));
	assert_true(is_plain(true, false));
	assert_false(is_plain(true, true));
}

/* A segment says which lists of communities its set has. */
static void
test_lists(void **state)
{
	static const struct {
		uint8_t code, len, lists;
	} list[] = { { ATTR_COMMUNITY, 4, 1 << COMM_STD },
		{ ATTR_EXT_COMMUNITY, 8, 1 << COMM_EXT },
		{ ATTR_LARGE_COMMUNITY, 12, 1 << COMM_LARGE } };
	static const uint8_t octets[12];
	const struct path *p;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 1, 1, 1);
	p = net_best(table_net_ptr(rig_table(), 0));
	assert_int_equal(segment_lists(p->set), 0);
	for (unsigned i = 0; i < ARRAY_LEN(list); i++) {
		struct seg_item item = { .src = path_feeder(p), .old_src = NO_FEEDER };
		struct attr_edit e;
		struct arena a;

		arena_init(&a, MEM_OTHER, 4096);
		attr_edit_init(&e, &a, p->set);
		assert_int_equal(attr_edit_set(&e, list[i].code, attr_flags(list[i].code),
				     octets, list[i].len),
		    0);
		item.set = attr_store_edit(rig.tern.store, &e);
		assert_true(segment_group(&rig_table()->best, &rig_table()->out.seg, &a,
		    &item, 1, 1, test_segment_take, NULL));
		assert_int_equal(got[0]->form & SEG_LISTS, list[i].lists << SEG_LISTS_AT);
		test_segment_free_all();
		attr_set_unref(rig.tern.store, item.set, 1);
		arena_fini(&a);
	}
}

/* Nets of a set that is dying are left out, and it is said. */
static void
test_dying(void **state)
{
	uint8_t data[64];
	struct attr_local local = { .preference = 1 };
	struct seg_item item[2] = { 0 };
	struct wire_set *w;
	struct attr_set *set;
	struct arena a;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 2, 1, 1);
	w = attr_store_wire(rig.tern.store, data, rig_attrs(data, 5, 5));
	set = attr_store_set(rig.tern.store, w, &local, NULL, 0);
	wire_set_unref(rig.tern.store, w);
	item[0] = (struct seg_item){
		.id = 0, .src = 0, .old_src = NO_FEEDER, .set = set
	};
	item[1] = (struct seg_item){ .id = 1, .src = NO_FEEDER, .old_src = NO_FEEDER };
	attr_set_unref(rig.tern.store, set, 1); /* readable: we are online */
	arena_init(&a, MEM_OTHER, 4096);
	assert_false(segment_group(&rig_table()->best, &rig_table()->out.seg, &a, item, 2,
	    1, test_segment_take, NULL));
	assert_int_equal(got_cnt, 1);
	assert_null(got[0]->set);
	test_segment_free_all();
	arena_fini(&a);
}

static uint8_t
marks_of(const uint32_t *comm, unsigned cnt, const struct route_source *src)
{
	uint8_t data[64], val[16];
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct attr_local local = { 0 };
	struct wire_set *ws;
	struct attr_set *set;
	uint8_t marks;

	for (unsigned i = 0; i < cnt; i++)
		put_be32(val + 4 * i, comm[i]);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	if (cnt)
		wire_item(&w, 0xc0, ATTR_COMMUNITY, val, 4 * cnt);
	ws = attr_store_wire(rig.tern.store, data, (uint32_t)wbuf_len(&w));
	set = attr_store_set(rig.tern.store, ws, &local, NULL, 0);
	marks = bgp_rules_marks(set, src);
	attr_set_unref(rig.tern.store, set, 1);
	wire_set_unref(rig.tern.store, ws);
	return marks;
}

static void
test_marks(void **state)
{
	static const struct route_source ebgp = { .is_bgp = true, .is_ebgp = true };
	static const struct route_source ibgp = { .is_bgp = true };
	static const struct route_source client = { .is_bgp = true, .rr_client = true };

	(void)state;
	assert_int_equal(marks_of(NULL, 0, NULL), 0);
	assert_int_equal(marks_of((uint32_t[]){ 0xffffff01 }, 1, &ebgp), SEG_NO_EXPORT);
	assert_int_equal(
	    marks_of((uint32_t[]){ 0xffffff02 }, 1, &ebgp), SEG_NO_ADVERTISE);
	assert_int_equal(
	    marks_of((uint32_t[]){ 0xffffff03 }, 1, &ebgp), SEG_NO_SUBCONFED);
	assert_int_equal(marks_of((uint32_t[]){ 7, 0xffffff02, 0xffffff01 }, 3, &ebgp),
	    SEG_NO_ADVERTISE | SEG_NO_EXPORT);
	assert_int_equal(marks_of((uint32_t[]){ 0xffffff00, 0xffffff04 }, 2, &ebgp), 0);
	assert_int_equal(marks_of(NULL, 0, &ibgp), SEG_IBGP | SEG_INTERNAL);
	assert_int_equal(marks_of(NULL, 0, &client), SEG_IBGP);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_groups),
	RIG_TEST(test_runs),
	RIG_TEST(test_plain),
	RIG_TEST(test_lists),
	RIG_TEST(test_dying),
	RIG_TEST(test_marks),
};

UNIT_MAIN(tests)
