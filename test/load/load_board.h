/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The board compares the present routes of every client with the required routes. */
#ifndef TERN_TEST_LOAD_BOARD_H
#define TERN_TEST_LOAD_BOARD_H

#include "test/load/load_addpath.h"
#include "test/load/load_offer.h"

#define LOAD_CELL_ODD 0x80000000u

/* What clients must hold of a column, as receiving needs it.
 * owner: a load_board. */
struct load_cell {
	/* the net's; with LOAD_CELL_ODD if it has to be looked at closely */
	uint32_t want;
	uint32_t src; /* the net's want_src */
};

/* owner: the run; lives: for the run. */
struct load_board {
	struct load_nets *nets;
	struct load_sets *sets;
	uint32_t clients;
	bool own_filter; /* each client's export filter obeys control communities */
	bool lenient; /* whose own route is best may hold anything for that net */
	uint32_t complete_cnt;
	uint64_t broken_ns; /* when a client last stopped being complete */
	bool
	    secondary; /* who may not have the best path gets the next that it may have */
	bool own_ends; /* with secondary: but none behind a path of its own */
	struct load_offers offers; /* kept if load_board_offer is used */
	struct load_addpath add_path; /* for clients with add-path */
	uint32_t loose; /* a net of which anything may be held; LOAD_NONE: none */
	uint32_t probe; /* a net that is waited for by itself; LOAD_NONE: none */
	uint32_t probe_left; /* clients that don't hold it yet as they must */
	struct load_board_row *row; /* one a client */
	/* by net: what must be held of it has changed since the start */
	uint8_t *moved;
	/* private */
	bool bulk; /* rows are not kept up to date: load_board_recount follows */
	uint32_t net_cap; /* room for so many nets, and columns */
	uint8_t *big; /* rows one after the other, then cells; in huge pages */
	size_t big_len;
	uint32_t *col; /* column by net; LOAD_NONE: nobody ever received it */
	uint32_t *net_of; /* net by column */
	struct load_cell *cell; /* by column */
	uint32_t col_cnt; /* so many have been given out */
	uint64_t *was; /* one a client, scratch */
};

struct load_board_row {
	uint32_t *held; /* set by column; 0: nothing */
	uint32_t wrong; /* nets that are not as they must be */
	bool add_path; /* it holds several paths a net: load_addpath.h, not held */
	uint64_t complete_ns; /* when wrong last became 0; 0: never */
	uint64_t probe_ns; /* when the probe became right; 0: not yet, 1: it was before */
	uint64_t prefixes; /* announced prefixes received */
	uint64_t withdrawn;
	/* nets that it lost by withdrawal, though it must hold something of them, and
	 * always had to: nothing that clients announce was the reason */
	uint64_t lacked;
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
/* What clients must hold of a net. */
struct load_goal {
	uint32_t want, src; /* of clients with one path: as for load_board_want */
	uint32_t cnt;
	const struct load_path *path; /* that are passed on, best first */
};

/* load_board_offer - likewise, where more than the best path counts. */
void load_board_offer(
    struct load_board *b, uint32_t net, const struct load_goal *g, uint64_t now);
/* load_board_bulk - many load_board_want or load_board_offer follow; load_board_recount
 * ends it, a row at a time. */
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

/* load_board_column - the column of @net, made if nobody received it before; it never
 * changes. */
uint32_t load_board_column(struct load_board *b, uint32_t net);
/* load_board_receive - @client was sent set @set for @net (0: withdrawn). */
void load_board_receive(
    struct load_board *b, uint32_t client, uint32_t net, uint32_t set, uint64_t now);
/* load_board_receive_run - likewise for @cnt columns that follow each other.
 * Cost: what reading and writing 12 octets a column costs, in order. */
void load_board_receive_run(struct load_board *b, uint32_t client, uint32_t first,
    uint32_t cnt, uint32_t set, uint64_t now);
/* load_board_receive_list - likewise for @cnt columns in this order. */
void load_board_receive_list(struct load_board *b, uint32_t client, const uint32_t *col,
    uint32_t cnt, uint32_t set, uint64_t now);

/* load_board_wanted - how many paths @client must hold of @net. */
uint32_t load_board_wanted(const struct load_board *b, uint32_t client, uint32_t net);

/* load_board_count - a net of @client that was right or not has become right (@is) or
 * not. */
static inline void
load_board_count(struct load_board *b, uint32_t client, bool is, uint64_t now)
{
	struct load_board_row *r = &b->row[client];

	if (!is) {
		if (r->wrong++ == 0)
			load_board_turn(b, client, false, now);
	} else if (--r->wrong == 0) {
		load_board_turn(b, client, true, now);
	}
}

/* load_board_held - what @client, without add-path, holds of @net. */
static inline uint32_t
load_board_held(const struct load_board *b, uint32_t client, uint32_t net)
{
	uint32_t col = net < b->net_cap ? b->col[net] : LOAD_NONE;

	return col == LOAD_NONE ? 0 : b->row[client].held[col];
}

/* load_board_free - may @client hold anything of @net? */
static inline bool
load_board_free(const struct load_board *b, uint32_t client, uint32_t net)
{
	return net == b->loose || (b->lenient && b->nets->net[net].want_src == client);
}

/* load_board_second - the first path of @net that @client may have. */
uint32_t load_board_second(const struct load_board *b, uint32_t client, uint32_t net);

/* load_board_expected - what @client, without add-path, must hold of @net. */
static inline uint32_t
load_board_expected(const struct load_board *b, uint32_t client, uint32_t net)
{
	const struct load_net *n = &b->nets->net[net];

	if (unlikely(load_board_free(b, client, net)))
		return load_board_held(b, client, net);
	if (unlikely(b->secondary))
		return load_board_second(b, client, net);
	if (n->want_src == client)
		return 0;
	if (unlikely(b->own_filter) && n->want && b->sets->set[n->want].control)
		return load_set_for(b->sets, n->want, client);
	return n->want;
}

#endif
