/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients with add-path: whatever identifiers the server chooses, all that a client must
 * hold is right; one path that is missing, one too many, one under two identifiers or a
 * wrong withdrawal is told. Covers load_addpath.c, load_pathid.c and load_offer.c. */
#include "test/load/load_addpath.c"
#include "test/lib/load_rig.h"

#include <errno.h>

#define CLIENTS 4

struct fixture {
	struct load_rig rig;
	struct load_run *r;
	uint32_t net; /* which three clients announce at least */
	uint32_t who; /* does not */
	const struct load_offer *o;
};

static void
test_load_addpath_set_up(struct fixture *f)
{
	static const char *const argv[] = { "ternload", "--clients", "4", "--nets", "60",
		"--ratio", "2.5", "--quiet", "--plain", "--add-paths", "tx" };
	uint32_t c, i;

	load_rig_up(&f->rig, argv, ARRAY_LEN(argv));
	f->r = &f->rig.run;
	for (c = 0; c < CLIENTS; c++) {
		f->r->client[c].ids_in = f->r->client[c].as4 = true;
		f->r->client[c].seen = &f->r->seen[3];
	}
	for (f->net = 0; f->net < f->r->nets.cnt; f->net++) {
		f->o = load_offers_get(&f->r->board.offers, f->net);
		if (f->o && f->o->cnt == 3)
			break;
	}
	assert_true(f->net < f->r->nets.cnt);
	f->who = 0 + 1 + 2 + 3;
	for (i = 0; i < 3; i++)
		f->who -= f->o->path[i].src;
}

static void
test_load_addpath_tear_down(struct fixture *f)
{
	load_rig_down(&f->rig);
}

/* One UPDATE: @client gets @set of @net under @id, or a withdrawal (0). */
static void
test_load_addpath_update(
    struct fixture *f, uint32_t client, uint32_t net, uint32_t id, uint32_t set)
{
	const struct load_net *n = &f->r->nets.net[net];
	uint8_t m[MSG_MAX + MSG_SLACK];
	unsigned at = MSG_HEADER + 2, len, mp_at;

	if (set)
		at = attr_put_update(m, f->r->sets.set[set].canon, true, FAM_IP4, &mp_at);
	put_be32(m + at, id);
	len = at + 4 + msg_put_prefix(m + at + 4, n->hi, n->lo, n->key & 0xff);
	if (set) {
		len = attr_finish_update(m, len, at, mp_at);
	} else {
		put_be16(m + MSG_HEADER, (uint16_t)(len - at));
		put_be16(m + len, 0);
		len = msg_put_header(m, len + 2, MSG_UPDATE);
	}
	assert_int_equal(load_update_take(f->r, &f->r->client[client], m, len), 0);
}

/* All that @client must hold, under identifiers that depend on @seed. */
static void
test_load_addpath_update_all(struct fixture *f, uint32_t client, uint32_t seed)
{
	uint32_t n, i;

	for (n = 0; n < f->r->nets.cnt; n++) {
		const struct load_offer *o = load_offers_get(&f->r->board.offers, n);

		for (i = 0; o && i < o->cnt; i++)
			if (o->path[i].src != client)
				test_load_addpath_update(f, client, n,
				    seed + (i ^ (seed & 1)), o->path[i].set);
	}
}

static enum load_diff
test_load_addpath_diff(const struct fixture *f)
{
	return load_board_diff(&f->r->board, f->who, f->net);
}

static void
test_right(void **state)
{
	struct fixture f;
	uint32_t c;

	(void)state;
	test_load_addpath_set_up(&f);
	assert_int_equal(f.r->board.complete_cnt, 0);
	for (c = 0; c < CLIENTS; c++) {
		test_load_addpath_update_all(&f, c, 1000 * c);
		assert_int_equal(f.r->board.complete_cnt, c + 1);
	}
	test_load_addpath_update_all(&f, 0, 0); /* as for a refresh */
	assert_int_equal(f.r->board.complete_cnt, CLIENTS);
	assert_int_equal(load_addpath_unknown(&f.r->board), 0);
	load_board_reset(&f.r->board, 2, 1);
	assert_int_equal(f.r->board.complete_cnt, CLIENTS - 1);
	test_load_addpath_update_all(&f, 2, 7); /* a new session, other identifiers */
	assert_int_equal(f.r->board.complete_cnt, CLIENTS);
	test_load_addpath_tear_down(&f);
}

static void
test_missing(void **state)
{
	struct load_addpath_diff d;
	struct fixture f;

	(void)state;
	test_load_addpath_set_up(&f);
	assert_int_equal(load_board_wanted(&f.r->board, f.who, f.net), 3);
	test_load_addpath_update(&f, f.who, f.net, 5, f.o->path[0].set);
	test_load_addpath_update(&f, f.who, f.net, 0, f.o->path[2].set);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_MISSING);
	load_addpath_compare(&f.r->board, f.who, f.net, &d);
	assert_int_equal(d.missing_cnt, 1);
	assert_int_equal(d.missing[0], f.o->path[1].set);
	assert_int_equal(d.extra_cnt, 0);
	test_load_addpath_update(&f, f.who, f.net, 9, f.o->path[1].set);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_NONE);
	test_load_addpath_tear_down(&f);
}

/* Its own path. */
static void
test_extra(void **state)
{
	struct load_addpath_diff d;
	struct fixture f;
	uint32_t own;

	(void)state;
	test_load_addpath_set_up(&f);
	own = f.o->path[0].src;
	test_load_addpath_update_all(&f, own, 0);
	assert_int_equal(f.r->board.complete_cnt, 1);
	test_load_addpath_update(&f, own, f.net, 77, f.o->path[0].set);
	assert_int_equal(f.r->board.complete_cnt, 0);
	assert_int_equal(load_board_diff(&f.r->board, own, f.net), DIFF_EXTRA);
	load_addpath_compare(&f.r->board, own, f.net, &d);
	assert_int_equal(d.missing_cnt, 0);
	assert_int_equal(d.extra_cnt, 1);
	assert_int_equal(f.r->board.add_path.ids.at[d.extra[0]].id, 77);
	test_load_addpath_update(&f, own, f.net, 77, 0);
	assert_int_equal(f.r->board.complete_cnt, 1);
	test_load_addpath_tear_down(&f);
}

/* One path under two identifiers is one too many; it moves from one to the other if the
 * first is withdrawn or gets another path. */
static void
test_double(void **state)
{
	struct fixture f;

	(void)state;
	test_load_addpath_set_up(&f);
	test_load_addpath_update_all(&f, f.who, 0);
	test_load_addpath_update(&f, f.who, f.net, 50, f.o->path[1].set);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_EXTRA);
	test_load_addpath_update(&f, f.who, f.net, 1, 0);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_NONE);
	test_load_addpath_update(&f, f.who, f.net, 0, f.o->path[1].set);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_WRONG);
	test_load_addpath_update(&f, f.who, f.net, 50, f.o->path[0].set);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_NONE);
	assert_int_equal(load_addpath_unknown(&f.r->board), 0);
	test_load_addpath_tear_down(&f);
}

/* The route of path 1 goes. */
static void
test_wrong_id(void **state)
{
	uint32_t first, gone, c;
	struct fixture f;

	(void)state;
	test_load_addpath_set_up(&f);
	test_load_addpath_update_all(&f, f.who, 0);
	first = f.o->path[0].set;
	c = f.o->path[1].src;
	gone = load_model_route(&f.r->model, c, f.net);
	load_model_set(&f.r->model, gone, 0, 1);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_EXTRA);
	test_load_addpath_update(&f, f.who, f.net, 0, 0);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_WRONG);
	test_load_addpath_update(&f, f.who, f.net, 1, 0);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_MISSING);
	test_load_addpath_update(&f, f.who, f.net, 0, first);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_NONE);
	test_load_addpath_tear_down(&f);
}

static void
test_unknown(void **state)
{
	struct fixture f;

	(void)state;
	test_load_addpath_set_up(&f);
	test_load_addpath_update_all(&f, f.who, 0);
	test_load_addpath_update(&f, f.who, f.net, 3, 0);
	assert_int_equal(test_load_addpath_diff(&f), DIFF_NONE);
	assert_int_equal(load_addpath_unknown(&f.r->board), 1);
	test_load_addpath_update(&f, f.who, f.net, 4, f.o->path[0].set);
	test_load_addpath_update(&f, f.who, f.net, 4, 0);
	assert_int_equal(load_addpath_unknown(&f.r->board), 1);
	test_load_addpath_update(&f, f.who, f.net, 4, 0); /* once is enough */
	assert_int_equal(load_addpath_unknown(&f.r->board), 2);
	assert_int_equal(
	    f.r->board.add_path.ids.at[f.r->board.add_path.row[f.who].unknown_first].id,
	    3);
	test_load_addpath_tear_down(&f);
}

/* A net that counts no more, and one that is waited for. */
static void
test_loose_and_probe(void **state)
{
	struct fixture f;

	(void)state;
	test_load_addpath_set_up(&f);
	test_load_addpath_update_all(&f, f.who, 0);
	load_board_probe(&f.r->board, f.net);
	load_board_loosen(&f.r->board, f.net, 1);
	test_load_addpath_update(&f, f.who, f.net, 0, 0);
	assert_int_equal(f.r->board.complete_cnt, 1);
	load_board_loosen(&f.r->board, LOAD_NONE, 1);
	assert_int_equal(f.r->board.complete_cnt, 0);
	load_board_probe(&f.r->board, f.net);
	assert_int_equal(f.r->board.probe_left, CLIENTS);
	f.r->now = 9;
	test_load_addpath_update(&f, f.who, f.net, 8, f.o->path[0].set);
	assert_int_equal(f.r->board.probe_left, CLIENTS - 1);
	assert_int_equal(f.r->board.row[f.who].probe_ns, 9);
	test_load_addpath_tear_down(&f);
}

/* An identifier without a prefix, or half of one. */
static void
test_cut(void **state)
{
	struct fixture f;
	uint8_t m[64] = { 0 };
	unsigned len;

	(void)state;
	test_load_addpath_set_up(&f);
	for (len = 1; len < 7; len++) {
		put_be16(m + MSG_HEADER, (uint16_t)len);
		memcpy(m + MSG_HEADER + 2, "\0\0\0\1\x10\x0b\x0c", len);
		put_be16(m + MSG_HEADER + 2 + len, 0);
		msg_put_header(m, MSG_HEADER + 4 + len, MSG_UPDATE);
		assert_int_equal(
		    load_update_take(f.r, &f.r->client[0], m, MSG_HEADER + 4 + len),
		    -EPROTO);
	}
	test_load_addpath_tear_down(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_right),
	cmocka_unit_test(test_missing),
	cmocka_unit_test(test_extra),
	cmocka_unit_test(test_double),
	cmocka_unit_test(test_wrong_id),
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_loose_and_probe),
	cmocka_unit_test(test_cut),
};

UNIT_MAIN(tests)
