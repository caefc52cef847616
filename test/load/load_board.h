/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every client holds now, compared with what it must hold. */
#ifndef TERN_TEST_LOAD_BOARD_H
#define TERN_TEST_LOAD_BOARD_H

#include "test/load/load_net.h"
#include "test/load/load_set.h"

/* owner: the run; lives: for the run. */
struct load_board {
	struct load_nets *nets;
	struct load_sets *sets;
	uint32_t clients;
	bool own_filter; /* each client's export filter obeys control communities */
	bool lenient; /* whose own route is best may hold anything for that net */
	uint32_t complete_cnt;
	uint64_t broken_ns; /* when a client last stopped being complete */
	uint32_t loose; /* a net of which anything may be held; LOAD_NONE: none */
	uint32_t probe; /* a net that is waited for by itself; LOAD_NONE: none */
	uint32_t probe_left; /* clients that don't hold it yet as they must */
	struct load_board_row *row; /* one a client */
	/* private */
	bool bulk; /* rows are not kept up to date: load_board_recount follows */
	uint32_t net_cap;
};

struct load_board_row {
	uint32_t *held; /* set by net number; 0: nothing */
	uint32_t wrong; /* nets that are not as they must be */
	uint64_t complete_ns; /* when wrong last became 0; 0: never */
	uint64_t probe_ns; /* when the probe became right; 0: not yet, 1: it was before */
	uint64_t prefixes; /* announced prefixes received */
	uint64_t withdrawn;
};

enum load_diff { DIFF_NONE, DIFF_MISSING, DIFF_EXTRA, DIFF_WRONG, DIFF_CNT };

void load_board_init(struct load_board *b, struct load_nets *nets, struct load_sets *sets,
    uint32_t clients, bool own_filter);
void load_board_fini(struct load_board *b);
/* load_board_grow - make room for nets that were added. */
void load_board_grow(struct load_board *b);
/* load_board_want - from now on all clients but @src must hold set @want for @net. */
void load_board_want(
    struct load_board *b, uint32_t net, uint32_t want, uint32_t src, uint64_t now);
/* load_board_bulk - many load_board_want follow; load_board_recount ends it, a row at a
 * time. */
void load_board_bulk(struct load_board *b);
void load_board_recount(struct load_board *b, uint64_t now);
/* load_board_wrong - nets of all clients that are not as they must be. */
uint64_t load_board_wrong(const struct load_board *b);
/* load_board_reset - @client's session ended: it holds nothing. */
void load_board_reset(struct load_board *b, uint32_t client, uint64_t now);
/* load_board_diff - how @client stands with @net. */
enum load_diff load_board_diff(const struct load_board *b, uint32_t client, uint32_t net);
/* load_board_turn - @client has become complete or has ceased to be. */
void load_board_turn(struct load_board *b, uint32_t client, bool complete, uint64_t now);

/* load_board_loosen - from now on anything may be held of @net (LOAD_NONE: of none). */
void load_board_loosen(struct load_board *b, uint32_t net, uint64_t now);
/* load_board_probe - wait for @net by itself, whatever else is wrong. */
void load_board_probe(struct load_board *b, uint32_t net);
void load_board_probe_hit(struct load_board *b, uint32_t client, uint64_t now);

/* load_board_free - may @client hold anything of @net? */
static inline bool
load_board_free(const struct load_board *b, uint32_t client, uint32_t net)
{
	return net == b->loose || (b->lenient && b->nets->net[net].want_src == client);
}

static inline uint32_t
load_board_expected(const struct load_board *b, uint32_t client, uint32_t net)
{
	const struct load_net *n = &b->nets->net[net];

	if (unlikely(load_board_free(b, client, net)))
		return b->row[client].held[net];
	if (n->want_src == client)
		return 0;
	if (unlikely(b->own_filter) && n->want && b->sets->set[n->want].control)
		return load_set_for(b->sets, n->want, client);
	return n->want;
}

/* load_board_receive - @client was sent set @set for @net (0: withdrawn). Cost: two cache
 * lines. */
static inline void
load_board_receive(
    struct load_board *b, uint32_t client, uint32_t net, uint32_t set, uint64_t now)
{
	struct load_board_row *r = &b->row[client];
	uint32_t want, had;

	if (unlikely(net >= b->net_cap))
		load_board_grow(b);
	want = load_board_expected(b, client, net);
	had = r->held[net];
	r->held[net] = set;
	if (unlikely(load_board_free(b, client, net)))
		return;
	if (unlikely(net == b->probe) && set == want)
		load_board_probe_hit(b, client, now);
	if ((had == want) == (set == want))
		return;
	if (had == want) {
		if (r->wrong++ == 0)
			load_board_turn(b, client, false, now);
	} else if (--r->wrong == 0) {
		load_board_turn(b, client, true, now);
	}
}

#endif
