/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a segment: shared by class and set, the bound on what is kept, what can't be encoded. */
#include "nest/msg_cache.c"
#include "test/lib/spine_rig.h"

static struct segment *seg;
static struct arena arena;

static void
take(void *arg, TAKE struct segment *s)
{
	(void)arg;
	assert_null(seg);
	seg = s;
}

static int
set_up(void **state)
{
	struct seg_item item[20];

	rig_start(state);
	arena_init(&arena, MEM_OTHER, 4096);
	rig_up(0);
	rig_announce(0, 0, 20, 1, 3);
	for (uint32_t i = 0; i < 20; i++) {
		const struct path *p = net_best(table_net_ptr(rig_table(), i));

		item[i] = (struct seg_item){
			.id = i, .src = p->src, .old_src = NO_SOURCE, .set = p->set
		};
	}
	seg = NULL;
	assert_true(segment_group(
	    rig_table(), &rig_table()->seg_mem, &arena, item, 20, 1, take, NULL));
	return 0;
}

static int
tear_down(void **state)
{
	segment_free(rig.tern.store, seg);
	arena_fini(&arena);
	return rig_finish(state);
}

static const struct session_class *
class_of(uint32_t local_as)
{
	struct bgp_class c;

	bgp_class_init(&c);
	c.prepend_as = local_as;
	return session_class_get(&rig.tern.session_classes, &c);
}

static void
test_classes(void **state)
{
	(void)state;
	assert_ptr_equal(class_of(1), class_of(1));
	assert_ptr_not_equal(class_of(1), class_of(2));
}

static void
test_shared(void **state)
{
	const struct msg_variant *a, *b, *w;
	bool built = false;

	(void)state;
	a = msg_cache_get(rig_table(), seg, class_of(1), seg->set->wire, &arena, &built);
	assert_true(built);
	assert_non_null(a);
	assert_int_equal(a->msg_cnt, 1);
	assert_int_equal(get_be16(a->data + 16), a->len);
	built = false;
	b = msg_cache_get(rig_table(), seg, class_of(1), seg->set->wire, &arena, &built);
	assert_false(built);
	assert_ptr_equal(a, b);
	w = msg_cache_get(rig_table(), seg, class_of(1), NULL, &arena, &built);
	assert_true(built);
	assert_ptr_not_equal(a, w);
	assert_int_equal(get_be16(w->data + 19), seg->nlri_len); /* withdrawn routes */
	assert_int_equal(
	    counter32_get(&seg->set->wire->refs), 2); /* the set's, and a's */
}

/* Four variants are kept; further classes make their own each time. */
static void
test_bound(void **state)
{
	const struct msg_variant *v[SEG_VARIANTS + 1];
	bool built;

	(void)state;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i <= SEG_VARIANTS; i++) {
			const struct msg_variant *m;

			built = false;
			m = msg_cache_get(rig_table(), seg, class_of(100 + i),
			    seg->set->wire, &arena, &built);
			assert_non_null(m);
			assert_int_equal(built, !round || i == SEG_VARIANTS);
			if (round && i < SEG_VARIANTS)
				assert_ptr_equal(m, v[i]);
			v[i] = m;
		}
}

/* Attributes beyond the longest message: said once a class, and remembered. */
static void
test_too_long(void **state)
{
	static uint8_t data[WIRE_BLOB_MAX];
	struct wbuf w = wbuf_of(data, sizeof(data));
	static uint8_t big[6000];
	struct wire_set *ws;
	bool built = false;

	(void)state;
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, "", 0);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, "\12\0\0\1", 4);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, big, 6000);
	assert_true(wbuf_len(&w) < sizeof(data));
	ws = attr_store_wire(rig.tern.store, data, (uint32_t)wbuf_len(&w));
	rig_hush();
	assert_null(msg_build(
	    rig_table(), class_of(1), ws, segment_nlri(seg), seg->nlri_len, &arena));
	assert_null(msg_cache_get(rig_table(), seg, class_of(1), ws, &arena, &built));
	assert_true(built);
	built = false;
	assert_null(msg_cache_get(rig_table(), seg, class_of(1), ws, &arena, &built));
	assert_false(built);
	log_stop();
	wire_set_unref(rig.tern.store, ws);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_classes),
	TEST(test_shared),
	TEST(test_bound),
	TEST(test_too_long),
};

UNIT_MAIN(tests)
