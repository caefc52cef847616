/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The board compares the present routes of every client with the required routes.
 *
 * Nothing is compared at the end: every row counts the nets that are wrong, so the
 * moment at which the last client becomes complete is known when its last message is
 * read.
 *
 * Daemons tend to send the same prefixes in the same order to all clients. Columns are
 * numbered in the order in which nets were first received by anybody, so that most of
 * what is received walks a row, and the cells of what must be held, from left to right;
 * by net number each prefix was a miss of the cache. Fetching columns of later messages
 * ahead gains nothing measurable beyond that.
 *
 * I1  row.wrong is the number of nets with held != expected; a net that nobody knew is
 *     right.
 * I2  complete_cnt is the number of rows without a wrong net.
 * I3  cell[col] says of routes_net_of[col] what the net itself says; it is odd where a
 *     client other than want_src need not hold just that, or where the net is a probe.
 *     With `secondary` want_src is where the best path comes from that is passed on.
 * I4  What was never received has no column, and nobody holds it. */
#include "test/load/load_board.h"

#include "lib/mem/vmem.h"

void
load_board_init(struct load_board *b, struct load_nets *nets, struct load_sets *sets,
    uint32_t clients, bool own_filter)
{
	memset(b, 0, sizeof(*b));
	b->nets = nets;
	b->sets = sets;
	b->clients = clients;
	b->own_filter = own_filter;
	b->complete_cnt = clients; /* of no nets */
	b->loose = b->probe = LOAD_NONE;
	b->row = mem_zalloc(MEM_OTHER, clients * sizeof(*b->row));
	load_board_grow(b);
}

void
load_board_fini(struct load_board *b)
{
	if (b->big)
		vmem_fini(MEM_OTHER, b->big, b->big_len, b->big_len);
	load_addpath_fini(b);
	load_offers_fini(&b->offers);
	mem_free(MEM_OTHER, b->was);
	mem_free(MEM_OTHER, b->row);
	mem_free(MEM_OTHER, b->col);
	mem_free(MEM_OTHER, b->net_of);
	mem_free(MEM_OTHER, b->moved);
}

void
load_board_turn(struct load_board *b, uint32_t client, bool complete, uint64_t now)
{
	if (complete) {
		b->complete_cnt++;
		b->row[client].complete_ns = now;
	} else {
		b->complete_cnt--;
		b->broken_ns = now;
	}
}

#define PAGE 4096

/* Huge pages spare most of what a miss of the cache costs when 1,000 clients have their
 * turn one after the other: 200 MB of rows are 50,000 small pages. */
static uint8_t *
big_new(size_t len)
{
	uint8_t *p = vmem_reserve(len);
	size_t at;

	for (at = 0; at < len; at += VMEM_STEP)
		vmem_open(MEM_OTHER, p + at, true);
	for (at = 0; at < len; at += PAGE) /* here, and not while times are taken */
		p[at] = 0;
	return p;
}

/* Move rows and cells to where there is room for @cap columns. */
static void
move_rows(struct load_board *b, uint32_t cap)
{
	size_t row = cap * sizeof(*b->row->held), cells = cap * sizeof(*b->cell);
	size_t len = (b->clients * row + cells + VMEM_STEP - 1) &
		     ~(size_t)(VMEM_STEP - 1);
	uint8_t *big = big_new(len);
	uint32_t c;

	for (c = 0; c < b->clients; c++) {
		uint32_t *held = (uint32_t *)(big + c * row);

		if (b->big)
			memcpy(held, b->row[c].held, b->col_cnt * sizeof(*held));
		b->row[c].held = held;
	}
	if (b->big)
		memcpy(big + b->clients * row, b->cell, b->col_cnt * sizeof(*b->cell));
	b->cell = (struct load_cell *)(big + b->clients * row);
	if (b->big)
		vmem_fini(MEM_OTHER, b->big, b->big_len, b->big_len);
	b->big = big;
	b->big_len = len;
}

/* New nets are wanted by nobody and held by nobody, hence right. */
void
load_board_grow(struct load_board *b)
{
	uint32_t cap = (b->nets->cnt + b->nets->cnt / 16 + 64) & ~15u;

	if (b->nets->cnt <= b->net_cap)
		return;
	move_rows(b, cap);
	b->col = mem_realloc(MEM_OTHER, b->col, cap, sizeof(*b->col));
	memset(b->col + b->net_cap, 0xff, (cap - b->net_cap) * sizeof(*b->col));
	b->net_of = mem_realloc(MEM_OTHER, b->net_of, cap, sizeof(*b->net_of));
	b->moved = mem_realloc(MEM_OTHER, b->moved, cap, 1);
	memset(b->moved + b->net_cap, 0, cap - b->net_cap);
	b->net_cap = cap;
	load_addpath_grow(b, cap);
}

/* Do filters of clients look closely at a path of @net? */
static bool
has_control(const struct load_board *b, uint32_t net)
{
	const struct load_offer *o = load_offers_get(&b->offers, net);
	uint32_t want = b->nets->net[net].want;

	if (!b->own_filter)
		return false;
	return (b->secondary && o && o->control) || (want && b->sets->set[want].control);
}

/* Make @net's cell say what @net says now (I3). */
static void
copy_cell(struct load_board *b, uint32_t net)
{
	uint32_t col = net < b->net_cap ? b->col[net] : LOAD_NONE;
	const struct load_net *n = &b->nets->net[net];
	bool odd;

	if (col == LOAD_NONE)
		return;
	odd = net == b->loose || net == b->probe || has_control(b, net);
	b->cell[col].want = n->want | (odd ? LOAD_CELL_ODD : 0);
	b->cell[col].src = n->want_src;
}

uint32_t
load_board_column(struct load_board *b, uint32_t net)
{
	if (unlikely(net >= b->net_cap))
		load_board_grow(b);
	if (unlikely(b->col[net] == LOAD_NONE)) {
		b->col[net] = b->col_cnt;
		b->net_of[b->col_cnt++] = net;
		copy_cell(b, net);
	}
	return b->col[net];
}

/* What the cell alone doesn't tell. */
static void
receive_odd(
    struct load_board *b, uint32_t client, uint32_t col, uint32_t set, uint64_t now)
{
	uint32_t net = b->net_of[col], want = load_board_expected(b, client, net);
	uint32_t *held = &b->row[client].held[col], had = *held;

	*held = set;
	b->row[client].lacked += !set && had && want && !b->moved[net];
	if (load_board_free(b, client, net))
		return;
	if (net == b->probe && set == want)
		load_board_probe_hit(b, client, now);
	if ((had == want) != (set == want))
		load_board_count(b, client, set == want, now);
}

static inline void
load_board_receive_set(
    struct load_board *b, uint32_t client, uint32_t col, uint32_t set, uint64_t now)
{
	struct load_cell cell = b->cell[col];
	uint32_t *held = &b->row[client].held[col], had = *held;

	if (unlikely(cell.src == client || cell.want & LOAD_CELL_ODD)) {
		receive_odd(b, client, col, set, now);
		return;
	}
	*held = set;
	if (unlikely(!set && had && cell.want))
		b->row[client].lacked += !b->moved[b->net_of[col]];
	if ((had == cell.want) != (set == cell.want))
		load_board_count(b, client, set == cell.want, now);
}

void
load_board_receive(
    struct load_board *b, uint32_t client, uint32_t net, uint32_t set, uint64_t now)
{
	load_board_receive_set(b, client, load_board_column(b, net), set, now);
}

void
load_board_receive_run(struct load_board *b, uint32_t client, uint32_t first,
    uint32_t cnt, uint32_t set, uint64_t now)
{
	uint32_t end = first + cnt;

	for (; first < end; first++)
		load_board_receive_set(b, client, first, set, now);
}

void
load_board_receive_list(struct load_board *b, uint32_t client, const uint32_t *col,
    uint32_t cnt, uint32_t set, uint64_t now)
{
	uint32_t i;

	for (i = 0; i < cnt; i++)
		load_board_receive_set(b, client, col[i], set, now);
}

/* load_board_expected for each of two states of a net, cheaply for the many clients to
 * whom control communities mean nothing. */
void
load_board_want(
    struct load_board *b, uint32_t net, uint32_t want, uint32_t src, uint64_t now)
{
	struct load_net *n = &b->nets->net[net];
	uint32_t c, was, is, held;

	load_board_grow(b);
	if (n->want == want && (n->want_src == src || !want))
		return;
	for (c = 0; c < b->clients && !b->bulk; c++) {
		struct load_net old = *n;

		was = load_board_expected(b, c, net);
		n->want = want;
		n->want_src = src;
		is = load_board_expected(b, c, net);
		*n = old;
		held = load_board_held(b, c, net);
		if ((held == was) != (held == is))
			load_board_count(b, c, held == is, now);
	}
	n->want = want;
	n->want_src = src;
	b->moved[net] |= !b->bulk;
	copy_cell(b, net);
}

/* What stands for all that @client must hold of @net. */
static uint64_t
goal_of(const struct load_board *b, uint32_t client, uint32_t net)
{
	return b->row[client].add_path ? load_addpath_sum(b, client, net)
				       : load_board_expected(b, client, net);
}

/* It was @was. */
static void
count_goal(
    struct load_board *b, uint32_t client, uint32_t net, uint64_t was, uint64_t now)
{
	uint64_t is = goal_of(b, client, net);
	uint32_t held;

	if (b->row[client].add_path) {
		load_addpath_want(b, client, net, was, is, now);
		return;
	}
	held = load_board_held(b, client, net);
	if ((held == was) != (held == is))
		load_board_count(b, client, held == is, now);
}

void
load_board_offer(
    struct load_board *b, uint32_t net, const struct load_goal *g, uint64_t now)
{
	struct load_net *n = &b->nets->net[net];
	uint32_t c;

	load_board_grow(b);
	load_offers_grow(&b->offers, b->net_cap);
	if (!b->was)
		b->was = mem_alloc(MEM_OTHER, b->clients * sizeof(*b->was));
	for (c = 0; c < b->clients && !b->bulk; c++)
		b->was[c] = goal_of(b, c, net);
	load_offers_put(&b->offers, b->sets, net, g->path, g->cnt);
	n->want = g->want;
	n->want_src = g->src;
	for (c = 0; c < b->clients && !b->bulk; c++)
		count_goal(b, c, net, b->was[c], now);
	b->moved[net] |= !b->bulk;
	copy_cell(b, net);
}

uint32_t
load_board_second(const struct load_board *b, uint32_t client, uint32_t net)
{
	return load_offer_first(load_offers_get(&b->offers, net),
	    b->own_filter ? b->sets : NULL, client, b->own_ends);
}

void
load_board_bulk(struct load_board *b)
{
	b->bulk = true;
}

/* Nets of @client that are not as they must be. */
static uint32_t
count_row(struct load_board *b, uint32_t client)
{
	const uint32_t *held = b->row[client].held;
	uint32_t col, net, wrong = 0;

	if (b->row[client].add_path)
		return load_addpath_count(b, client);
	for (col = 0; col < b->col_cnt; col++) {
		struct load_cell cell = b->cell[col];

		if (cell.src == client || cell.want & LOAD_CELL_ODD)
			cell.want = load_board_expected(b, client, b->net_of[col]);
		wrong += held[col] != cell.want;
	}
	for (net = 0; net < b->nets->cnt && b->col_cnt < b->nets->cnt; net++)
		if (b->col[net] == LOAD_NONE)
			wrong += load_board_expected(b, client, net) != 0;
	return wrong;
}

/* Count @client's row anew. */
static void
load_board_recount_client(struct load_board *b, uint32_t client, uint64_t now)
{
	struct load_board_row *r = &b->row[client];
	bool was = r->wrong == 0;

	r->wrong = count_row(b, client);
	if (was != (r->wrong == 0))
		load_board_turn(b, client, !was, now);
}

void
load_board_recount(struct load_board *b, uint64_t now)
{
	uint32_t c;

	b->bulk = false;
	load_board_grow(b);
	for (c = 0; c < b->clients; c++)
		load_board_recount_client(b, c, now);
}

uint64_t
load_board_wrong(const struct load_board *b)
{
	uint64_t sum = 0;
	uint32_t c;

	for (c = 0; c < b->clients; c++)
		sum += b->row[c].wrong;
	return sum;
}

void
load_board_reset(struct load_board *b, uint32_t client, uint64_t now)
{
	struct load_board_row *r = &b->row[client];

	load_board_grow(b);
	memset(r->held, 0, b->col_cnt * sizeof(*r->held));
	if (r->add_path)
		load_addpath_forget(b, client);
	load_board_recount_client(b, client, now);
}

/* Count @net as wrong or no more where it is. */
static void
load_board_count_net(struct load_board *b, uint32_t net, uint32_t by, uint64_t now)
{
	uint32_t c;
	bool was;

	for (c = 0; c < b->clients && net < b->nets->cnt; c++) {
		if (load_board_diff(b, c, net) == DIFF_NONE)
			continue;
		was = b->row[c].wrong == 0;
		b->row[c].wrong += by;
		if (was != (b->row[c].wrong == 0))
			load_board_turn(b, c, !was, now);
	}
}

void
load_board_loosen(struct load_board *b, uint32_t net, uint64_t now)
{
	uint32_t before = b->loose;

	load_board_grow(b);
	b->loose = LOAD_NONE;
	load_board_count_net(b, before, 1, now);
	load_board_count_net(b, net, (uint32_t)-1, now);
	b->loose = net;
	if (before < b->nets->cnt)
		copy_cell(b, before);
	if (net < b->nets->cnt)
		copy_cell(b, net);
}

void
load_board_probe(struct load_board *b, uint32_t net)
{
	uint32_t c, before = b->probe;

	b->probe = net;
	b->probe_left = 0;
	if (before < b->nets->cnt)
		copy_cell(b, before);
	if (net < b->nets->cnt)
		copy_cell(b, net);
	for (c = 0; c < b->clients && net != LOAD_NONE; c++) {
		bool wrong = load_board_diff(b, c, net) != DIFF_NONE;

		b->row[c].probe_ns = !wrong;
		b->probe_left += wrong;
	}
}

void
load_board_probe_hit(struct load_board *b, uint32_t client, uint64_t now)
{
	if (b->row[client].probe_ns)
		return;
	b->row[client].probe_ns = now;
	b->probe_left--;
}

uint32_t
load_board_wanted(const struct load_board *b, uint32_t client, uint32_t net)
{
	if (b->row[client].add_path)
		return load_addpath_wanted(b, client, net);
	return load_board_expected(b, client, net) != 0;
}

static enum load_diff
diff_of_paths(const struct load_board *b, uint32_t client, uint32_t net)
{
	struct load_addpath_diff d;

	if (net >= b->add_path.net_cap || !b->add_path.row[client].rest[net] ||
	    load_board_free(b, client, net))
		return DIFF_NONE;
	load_addpath_compare(b, client, net, &d);
	return !d.extra_cnt ? DIFF_MISSING : !d.missing_cnt ? DIFF_EXTRA : DIFF_WRONG;
}

enum load_diff
load_board_diff(const struct load_board *b, uint32_t client, uint32_t net)
{
	uint32_t want, held;

	if (b->row[client].add_path)
		return diff_of_paths(b, client, net);
	want = load_board_expected(b, client, net);
	held = load_board_held(b, client, net);
	if (want == held)
		return DIFF_NONE;
	return !held ? DIFF_MISSING : !want ? DIFF_EXTRA : DIFF_WRONG;
}
