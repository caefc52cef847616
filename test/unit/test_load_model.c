/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's decision rule by rule, and the board's counts against counting anew. */
#include "test/load/load_model.c"
#include "test/lib/unit.h"
#include "test/load/load_rng.h"

#define CLIENTS 4

struct fixture {
	struct load_nets nets;
	struct load_sets sets;
	struct load_board board;
	struct load_model model;
	struct model_client client[CLIENTS];
	uint32_t net;
};

static void
test_load_model_set_up(struct fixture *f, bool own_filter)
{
	static const struct load_policy policy = { 65000, false, true, 100000, 0,
		{ 0, 0 } };
	uint32_t c;

	load_nets_init(&f->nets);
	load_sets_init(&f->sets, &policy);
	for (c = 0; c < CLIENTS; c++)
		f->client[c] = (struct model_client){ 100 + c, 50 - c, ip4(c + 1), true };
	load_board_init(&f->board, &f->nets, &f->sets, CLIENTS, own_filter);
	load_model_init(&f->model, &f->nets, &f->sets, &f->board, f->client, CLIENTS);
	f->net = load_nets_add(&f->nets, 11ull << 56, 0, load_key(FAM_IP4, 8));
}

static void
test_load_model_tear_down(struct fixture *f)
{
	load_model_fini(&f->model);
	load_board_fini(&f->board);
	load_sets_fini(&f->sets);
	load_nets_fini(&f->nets);
}

struct attrs {
	uint8_t origin, path_cnt;
	uint32_t first, med, community;
};

/* @not_to: AS of the client that doesn't get it; 0: all do */
static uint32_t
make_not_to(struct fixture *f, struct attrs a, uint32_t not_to)
{
	struct attr_canon c = { 0 };
	uint8_t v[512];
	unsigned i;

	attr_canon_add(&c, AF_TRANSITIVE, A_ORIGIN, &a.origin, 1);
	v[0] = 2;
	v[1] = a.path_cnt;
	for (i = 0; i < a.path_cnt; i++)
		put_be32(v + 2 + 4 * i, i ? 7 : a.first);
	attr_canon_add(&c, AF_TRANSITIVE, A_AS_PATH, v, 2 + 4u * a.path_cnt);
	put_be32(v, a.med);
	attr_canon_add(&c, AF_OPTIONAL, A_MED, v, 4);
	put_be32(v, a.community);
	if (a.community)
		attr_canon_add(&c, AF_OPTIONAL | AF_TRANSITIVE, A_COMMUNITY, v, 4);
	put_be32(v, 65000);
	put_be32(v + 4, ASK_NOT_TO);
	put_be32(v + 8, not_to);
	if (not_to)
		attr_canon_add(&c, AF_OPTIONAL | AF_TRANSITIVE, A_LARGE_COMMUNITY, v, 12);
	return load_set_intern(&f->sets, (struct span){ c.octet, c.len });
}

static uint32_t
test_load_model_make(struct fixture *f, struct attrs a)
{
	return make_not_to(f, a, 0);
}

static void
test_load_model_announce(struct fixture *f, uint32_t client, struct attrs a)
{
	uint32_t r = load_model_route(&f->model, client, f->net);

	load_model_set(&f->model, r, test_load_model_make(f, a), 1);
}

static uint32_t
test_load_model_winner(struct fixture *f)
{
	uint32_t r = load_model_best(&f->model, f->net);

	return r == LOAD_NONE ? LOAD_NONE : f->model.route[r].client;
}

static void
test_rules(void **state)
{
	struct fixture f;

	(void)state;
	test_load_model_set_up(&f, false);
	assert_int_equal(test_load_model_winner(&f), LOAD_NONE);
	/* Each line is worse by one rule, so what was announced before it still wins. */
	test_load_model_announce(&f, 1, (struct attrs){ 0, 3, 100, 0, 0 });
	test_load_model_announce(
	    &f, 0, (struct attrs){ 0, 3, 101, 0, 0 }); /* identifier 50, not 49 */
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_announce(&f, 2, (struct attrs){ 1, 3, 102, 0, 0 }); /* origin */
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_announce(&f, 2, (struct attrs){ 0, 4, 102, 0, 0 }); /* path */
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_announce(
	    &f, 2, (struct attrs){ 0, 1, 102, 0, 65000u << 16 | 1 }); /* preference */
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_announce(&f, 2, (struct attrs){ 0, 65, 102, 0, 0 }); /* refused */
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_announce(
	    &f, 3, (struct attrs){ 0, 3, 100, 5, 0 }); /* MED, same neighbour AS */
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_announce(
	    &f, 3, (struct attrs){ 0, 3, 103, 5, 0 }); /* another: identifier 47 */
	assert_int_equal(test_load_model_winner(&f), 3);
	load_model_client(&f.model, 3, false, 1);
	assert_int_equal(test_load_model_winner(&f), 1);
	f.client[0].router_id = f.client[1].router_id; /* then the address */
	assert_int_equal(test_load_model_winner(&f), 0);
	test_load_model_tear_down(&f);
}

/* A beaten route still beats others by its MED (RFC 4271, 9.1.2.2 c). */
static void
test_med(void **state)
{
	struct fixture f;

	(void)state;
	test_load_model_set_up(&f, false);
	test_load_model_announce(&f, 3, (struct attrs){ 0, 2, 9, 30, 0 });
	test_load_model_announce(&f, 2, (struct attrs){ 0, 2, 9, 20, 0 });
	test_load_model_announce(&f, 1, (struct attrs){ 0, 2, 9, 10, 0 });
	test_load_model_announce(&f, 0, (struct attrs){ 0, 2, 8, 90, 0 });
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_tear_down(&f);
}

static void
test_refused_nets(void **state)
{
	struct fixture f;

	(void)state;
	test_load_model_set_up(&f, false);
	f.net = load_nets_add(
	    &f.nets, 10ull << 56 | 1ull << 48, 0, load_key(FAM_IP4, 16));
	test_load_model_announce(&f, 1, (struct attrs){ 0, 3, 100, 0, 0 });
	assert_int_equal(test_load_model_winner(&f), LOAD_NONE);
	f.net = load_nets_add(&f.nets, 0x0a01ull << 48, 0, load_key(FAM_IP6, 16));
	test_load_model_announce(&f, 1, (struct attrs){ 0, 3, 100, 0, 0 });
	assert_int_equal(test_load_model_winner(&f), 1);
	test_load_model_tear_down(&f);
}

/* All in the order in which they would be chosen; who may not have the first gets the
 * next that it may have. */
static void
test_second(void **state)
{
	const uint32_t *order;
	struct fixture f;
	uint32_t out[CLIENTS], c, i;

	(void)state;
	test_load_model_set_up(&f, true);
	f.board.secondary = f.model.all_paths = true;
	assert_int_equal(load_model_order(&f.model, f.net, &order), 0);
	test_load_model_announce(&f, 3, (struct attrs){ 0, 4, 103, 0, 0 });
	test_load_model_announce(&f, 0, (struct attrs){ 0, 4, 100, 0, 0 });
	test_load_model_announce(&f, 2, (struct attrs){ 0, 2, 102, 0, 0 });
	test_load_model_announce(&f, 1, (struct attrs){ 1, 2, 101, 0, 0 });
	assert_int_equal(load_model_order(&f.model, f.net, &order), CLIENTS);
	for (i = 0; i < CLIENTS; i++) { /* paths, origins, identifiers */
		static const uint32_t best[CLIENTS] = { 2, 1, 3, 0 };

		assert_int_equal(f.model.route[order[i]].client, best[i]);
		out[i] = load_set_judge(&f.sets, f.model.route[order[i]].set)->out;
	}
	for (c = 0; c < CLIENTS; c++)
		assert_int_equal(
		    load_board_expected(&f.board, c, f.net), out[c == 2 ? 1 : 0]);
	f.board.own_ends = true; /* his own one comes before what others have */
	assert_int_equal(load_board_expected(&f.board, 2, f.net), 0);
	assert_int_equal(load_board_expected(&f.board, 1, f.net), out[0]);
	f.board.own_ends = false;
	/* Client 2 may not have the second, either. */
	i = load_model_route(&f.model, 1, f.net);
	load_model_set(
	    &f.model, i, make_not_to(&f, (struct attrs){ 1, 2, 101, 0, 0 }, 100002), 1);
	assert_int_equal(load_board_expected(&f.board, 2, f.net), out[2]);
	/* Nobody but 2 is told of the first; what isn't for export is passed over. */
	load_model_set(&f.model, load_model_route(&f.model, 2, f.net),
	    test_load_model_make(&f, (struct attrs){ 0, 2, 102, 0, 0xffffff01 }), 1);
	assert_int_equal(load_board_expected(&f.board, 1, f.net), out[2]);
	assert_int_equal(load_board_expected(&f.board, 3, f.net), f.nets.net[f.net].want);
	assert_int_equal(f.nets.net[f.net].want_src, 1);
	assert_int_equal(load_board_diff(&f.board, 2, f.net), DIFF_MISSING);
	load_board_receive(&f.board, 2, f.net, out[3], 2);
	assert_int_equal(load_board_diff(&f.board, 2, f.net), DIFF_WRONG);
	load_board_receive(&f.board, 2, f.net, out[2], 2);
	assert_int_equal(load_board_diff(&f.board, 2, f.net), DIFF_NONE);
	load_model_client(&f.model, 3, false, 1);
	assert_int_equal(load_board_expected(&f.board, 2, f.net), out[3]);
	test_load_model_tear_down(&f);
}

/* Random changes, then every count against one made from scratch. */
static void
test_board(void **state)
{
	struct load_rng g = { 5 };
	struct fixture f;
	uint32_t sets[8], i, c, n, wrong, complete;

	(void)state;
	test_load_model_set_up(&f, true);
	for (n = 0; n < 40; n++)
		load_nets_add(&f.nets, (uint64_t)(20 + n) << 56, 0, load_key(FAM_IP4, 8));
	for (i = 0; i < 8; i++) {
		sets[i] = make_not_to(
		    &f, (struct attrs){ 0, 2, i, 0, 0 }, i & 1 ? 100000 + i / 2 : 0);
		load_set_judge(&f.sets, sets[i]);
	}
	for (i = 0; i < 20000; i++) {
		n = load_rng_below(&g, f.nets.cnt);
		c = load_rng_below(&g, CLIENTS);
		if (load_rng_chance(&g, 0.3))
			load_board_want(&f.board, n, sets[load_rng_below(&g, 8)], c, i);
		else if (load_rng_chance(&g, 0.01))
			load_board_reset(&f.board, c, i);
		else if (load_rng_chance(&g, 0.05))
			load_board_loosen(
			    &f.board, load_rng_chance(&g, 0.5) ? n : LOAD_NONE, i);
		else if (load_rng_chance(&g, 0.001))
			load_nets_add(
			    &f.nets, (uint64_t)i << 44, 0, load_key(FAM_IP4, 20));
		else
			load_board_receive(
			    &f.board, c, n, load_board_expected(&f.board, c, n), i);
		complete = 0;
		for (c = 0; i % 64 == 0 && c < CLIENTS; c++) {
			wrong = 0;
			for (n = 0; n < f.nets.cnt && n < f.board.net_cap; n++)
				wrong += load_board_diff(&f.board, c, n) != DIFF_NONE;
			assert_int_equal(f.board.row[c].wrong, wrong);
			complete += !wrong;
		}
		if (i % 64 == 0)
			assert_int_equal(f.board.complete_cnt, complete);
	}
	complete = f.board.complete_cnt;
	load_board_bulk(&f.board);
	load_board_recount(&f.board, i);
	assert_int_equal(f.board.complete_cnt, complete);
	test_load_model_tear_down(&f);
}

/* What is waited for by itself, while other nets are wrong. */
static void
test_probe(void **state)
{
	struct fixture f;
	uint32_t other;

	(void)state;
	test_load_model_set_up(&f, false);
	other = load_nets_add(&f.nets, 12ull << 56, 0, load_key(FAM_IP4, 8));
	test_load_model_announce(&f, 1, (struct attrs){ 0, 3, 100, 0, 0 });
	load_board_want(&f.board, other, 1, 2, 1);
	load_board_receive(&f.board, 3, f.net, f.nets.net[f.net].want, 4);
	load_board_probe(&f.board, f.net);
	assert_int_equal(f.board.probe_left, 2); /* not client 1, nor 3 */
	load_board_receive(&f.board, 0, f.net, 99, 5);
	load_board_receive(&f.board, 0, f.net, f.nets.net[f.net].want, 6);
	load_board_receive(&f.board, 0, f.net, f.nets.net[f.net].want, 7);
	assert_int_equal(f.board.probe_left, 1);
	assert_int_equal(f.board.row[0].probe_ns, 6);
	assert_int_equal(f.board.row[3].probe_ns, 1);
	load_board_receive(&f.board, 2, f.net, f.nets.net[f.net].want, 8);
	assert_int_equal(f.board.probe_left, 0);
	assert_int_equal(f.board.row[2].probe_ns, 8);
	test_load_model_tear_down(&f);
}

/* A client's list of prefixes that hasn't one: its route is none. */
static void
test_refused_route(void **state)
{
	struct fixture f;
	uint32_t r;

	(void)state;
	test_load_model_set_up(&f, false);
	test_load_model_announce(&f, 1, (struct attrs){ 0, 3, 100, 0, 0 });
	test_load_model_announce(&f, 2, (struct attrs){ 0, 4, 100, 0, 0 });
	r = load_model_route(&f.model, 1, f.net);
	f.model.route[r].refused = true;
	load_model_decide_all(&f.model, 1);
	assert_int_equal(test_load_model_winner(&f), 2);
	assert_int_equal(f.nets.net[f.net].want_src, 2);
	test_load_model_tear_down(&f);
}

static void
test_diff(void **state)
{
	struct fixture f;

	(void)state;
	test_load_model_set_up(&f, false);
	test_load_model_announce(&f, 1, (struct attrs){ 0, 3, 100, 0, 0 });
	assert_int_equal(load_board_diff(&f.board, 0, f.net), DIFF_MISSING);
	assert_int_equal(load_board_diff(&f.board, 1, f.net), DIFF_NONE);
	load_board_receive(&f.board, 1, f.net, 1, 2);
	assert_int_equal(load_board_diff(&f.board, 1, f.net), DIFF_EXTRA);
	load_board_receive(&f.board, 0, f.net, f.nets.net[f.net].want, 2);
	assert_int_equal(load_board_diff(&f.board, 0, f.net), DIFF_NONE);
	load_board_receive(&f.board, 0, f.net,
	    test_load_model_make(&f, (struct attrs){ 2, 3, 1, 0, 0 }), 2);
	assert_int_equal(load_board_diff(&f.board, 0, f.net), DIFF_WRONG);
	assert_int_equal(load_board_wrong(&f.board), 4);
	test_load_model_tear_down(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_med),
	cmocka_unit_test(test_refused_nets),
	cmocka_unit_test(test_board),
	cmocka_unit_test(test_diff),
	cmocka_unit_test(test_probe),
	cmocka_unit_test(test_refused_route),
	cmocka_unit_test(test_second),
};

UNIT_MAIN(tests)
