/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of an image: one route for each attribute set and source, values with
 * references, and a builder without room for all facts. */
#include "proto/image/image_entry.c"
#include "proto/image/image_route.c"

#include "lib/fib/fib_build.h"
#include "lib/mt/rcu.h"
#include "nest/rib/attr/attr_store.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HOPS 65536 /* more than an image can hold */

static struct tern tern;
static struct image_conf conf = { .fields = FIB_WITH_ORIGIN | FIB_WITH_PEER,
	.next_hop = true };
static struct conf_proto cf = { .opt = &conf };
static struct image_proto *im;

static int
test_image_set_up(void **state)
{
	const struct fib_options o = {
		.family = FAM_IP4, .fields = conf.fields, .table = "t"
	};
	const struct fib_entry reject = { .hop_kind = FIB_HOP_REJECT };

	(void)state;
	rcu_join();
	tern.store = attr_store_new();
	im = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*im));
	memset(im, 0, sizeof(*im));
	im->p.tern = &tern;
	im->p.cf = &cf;
	arena_init(&im->arena, MEM_PROTO, 4096);
	image_routes_init(&im->routes);
	im->fib = fib_new(&o);
	return fib_value_get(im->fib, &reject, &im->reject);
}

static int
test_image_tear_down(void **state)
{
	(void)state;
	image_routes_clear(im);
	image_routes_fini(&im->routes);
	fib_free(im->fib);
	arena_fini(&im->arena);
	mem_free(MEM_PROTO, im);
	rcu_quiesce();
	rcu_drain();
	attr_store_free(tern.store);
	rcu_drain();
	rcu_leave();
	return 0;
}

/* test_image_set - a set with next hop number @hop; the caller has a reference. */
static struct attr_set *
test_image_set(uint32_t hop, uint8_t dest)
{
	const struct attr_local local = { .dest = dest, .rts = RTS_BGP };
	uint8_t data[64], val[4];
	struct wbuf w = wbuf_of(data, sizeof(data));

	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	put_be32(val, 0x0a000000 + hop);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, sizeof(val));
	return attr_store_intern(
	    tern.store, data, (uint32_t)wbuf_len(&w), &local, NULL, 0);
}

static struct prefix
test_image_net(uint32_t n)
{
	return prefix_make(ip4(0x14000000 + (n << 8)), 24, FAM_IP4);
}

/* test_image_put - net @n gets the route of @set and @src. */
static struct image_route *
test_image_put(uint32_t n, struct attr_set *set, const struct route_source *src)
{
	struct image_route *r = image_route_get(im, set, src);
	struct prefix p = test_image_net(n);

	image_net_put(im, n, &p, r);
	return r;
}

static struct fib_entry
test_image_entry(uint32_t n)
{
	struct prefix p = test_image_net(n);
	struct fib_entry e;

	fib_value_entry(im->fib, fib_get(im->fib, &p), &e);
	return e;
}

static void
test_sources(void **state)
{
	const struct route_source a = { .is_bgp = true, .peer_as = 65001 };
	const struct route_source b = { .is_bgp = true, .peer_as = 65002 };
	struct attr_set *set = test_image_set(1, DEST_UNICAST);
	struct image_route *r = test_image_put(1, set, &a);
	struct prefix p = test_image_net(1);

	(void)state;
	assert_ptr_equal(test_image_put(2, set, &a), r);
	assert_ptr_not_equal(test_image_put(3, set, &b), r);
	assert_int_equal(r->nets, 2);
	assert_int_equal(im->sink.held, 3);
	assert_int_equal(test_image_entry(1).peer_as, 65001);
	assert_int_equal(test_image_entry(3).peer_as, 65002);
	assert_true(ip_equal(test_image_entry(3).next_hop, ip4(0x0a000001)));
	test_image_put(2, set, &b);
	assert_int_equal(r->nets, 1);
	image_net_drop(im, 1, &p);
	image_net_drop(im, 1, &p); /* no effect */
	assert_int_equal(im->sink.held, 2);
	assert_int_equal(fib_get(im->fib, &p), 0);
	assert_int_equal(htab_cnt(&im->routes.by_key), 1);
	attr_set_unref(tern.store, set, 1);
}

static void
test_kinds(void **state)
{
	static const struct {
		uint8_t dest;
		enum fib_hop_kind kind;
	} want[] = { { DEST_UNICAST, FIB_HOP_IP }, { DEST_BLACKHOLE, FIB_HOP_DROP },
		{ DEST_PROHIBIT, FIB_HOP_REJECT },
		/* a session found no way to the next hop */
		{ DEST_UNREACHABLE, FIB_HOP_IP } };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
		struct attr_set *set = test_image_set(1, want[i].dest);

		test_image_put(i, set, NULL);
		assert_int_equal(test_image_entry(i).hop_kind, want[i].kind);
		attr_set_unref(tern.store, set, 1);
	}
}

/* More next hops than an image can hold: the last routes are rejected, and have their
 * next hops as soon as there is room again. */
static void
test_full(void **state)
{
	char dir[] = "/tmp/tern-image.XXXXXX", path[64];
	struct fib_file file = { .mode = 0600 };
	struct image_route *r = NULL;
	struct prefix p;

	(void)state;
	for (uint32_t i = 0; i < HOPS; i++) {
		struct attr_set *set = test_image_set(i, DEST_UNICAST);

		r = test_image_put(i, set, NULL);
		attr_set_unref(tern.store, set, 1);
	}
	assert_int_equal(test_image_entry(0).hop_kind, FIB_HOP_IP);
	assert_int_equal(test_image_entry(HOPS - 1).hop_kind, FIB_HOP_REJECT);
	assert_true(im->routes.lacking > 0);
	snprintf(path, sizeof(path), "%s/a.fib", mkdtemp(dir));
	file.path = path;
	assert_int_equal(fib_open(im->fib, &file, 1), 0);
	for (uint32_t i = 0; i < 4; i++) { /* a free index waits for readers */
		p = test_image_net(i);
		image_net_drop(im, i, &p);
		assert_int_equal(fib_publish(im->fib, 2 + i), 0);
	}
	im->look.nr++;
	for (uint32_t i = 1; i < im->routes.cnt; i++)
		if (im->routes.at[i] && im->routes.at[i]->lacks)
			(void)image_route_renew(im, im->routes.at[i]);
	assert_int_equal(im->routes.lacking, 0);
	assert_int_equal(r->changed, im->look.nr);
	fib_close(im->fib, true);
	assert_int_equal(rmdir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_sources, test_image_set_up, test_image_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_kinds, test_image_set_up, test_image_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_full, test_image_set_up, test_image_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
