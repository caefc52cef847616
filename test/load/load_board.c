/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every client holds now, compared with what it must hold.
 *
 * Nothing is compared at the end: every row counts the nets that are wrong, so the moment
 * at which the last client becomes complete is known when its last message is read.
 *
 * I1  row.wrong is the number of nets with held != expected; a net that nobody knew is
 * right. I2  complete_cnt is the number of rows without a wrong net. */
#include "test/load/load_board.h"

#include "lib/base/mem.h"

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
	uint32_t c;

	for (c = 0; c < b->clients; c++)
		mem_free(MEM_OTHER, b->row[c].held);
	mem_free(MEM_OTHER, b->row);
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

/* New nets are wanted by nobody and held by nobody, hence right. */
void
load_board_grow(struct load_board *b)
{
	uint32_t cap = b->nets->cnt + b->nets->cnt / 16 + 64, c;
	uint32_t fresh = cap - b->net_cap;

	if (b->nets->cnt <= b->net_cap)
		return;
	for (c = 0; c < b->clients; c++) {
		struct load_board_row *r = &b->row[c];

		r->held = mem_realloc(MEM_OTHER, r->held, cap * sizeof(*r->held));
		memset(r->held + b->net_cap, 0, fresh * sizeof(*r->held));
	}
	b->net_cap = cap;
}

/* load_board_expected for each of two states of a net, cheaply for the many clients to
 * whom control communities mean nothing. */
void
load_board_want(
    struct load_board *b, uint32_t net, uint32_t want, uint32_t src, uint64_t now)
{
	struct load_net *n = &b->nets->net[net];
	uint32_t c, was, is;

	load_board_grow(b);
	if (n->want == want && (n->want_src == src || !want))
		return;
	for (c = 0; c < b->clients && !b->bulk; c++) {
		struct load_board_row *r = &b->row[c];
		struct load_net old = *n;

		was = load_board_expected(b, c, net);
		n->want = want;
		n->want_src = src;
		is = load_board_expected(b, c, net);
		*n = old;
		if ((r->held[net] == was) == (r->held[net] == is))
			continue;
		if (r->held[net] == was) {
			if (r->wrong++ == 0)
				load_board_turn(b, c, false, now);
		} else if (--r->wrong == 0) {
			load_board_turn(b, c, true, now);
		}
	}
	n->want = want;
	n->want_src = src;
}

void
load_board_bulk(struct load_board *b)
{
	b->bulk = true;
}

void
load_board_recount(struct load_board *b, uint64_t now)
{
	uint32_t c, n, wrong;

	b->bulk = false;
	load_board_grow(b);
	for (c = 0; c < b->clients; c++) {
		struct load_board_row *r = &b->row[c];
		bool was = r->wrong == 0;

		wrong = 0;
		for (n = 0; n < b->nets->cnt; n++)
			wrong += r->held[n] != load_board_expected(b, c, n);
		r->wrong = wrong;
		if (was != (wrong == 0))
			load_board_turn(b, c, wrong == 0, now);
	}
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
	bool was = r->wrong == 0;
	uint32_t net;

	load_board_grow(b);
	r->wrong = 0;
	memset(r->held, 0, b->nets->cnt * sizeof(*r->held));
	for (net = 0; net < b->nets->cnt; net++)
		r->wrong += load_board_expected(b, client, net) != 0;
	if (was != (r->wrong == 0))
		load_board_turn(b, client, !was, now);
}

/* Count @net as wrong or no more where it is. */
static void
count_net(struct load_board *b, uint32_t net, uint32_t by, uint64_t now)
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
	count_net(b, before, 1, now);
	count_net(b, net, (uint32_t)-1, now);
	b->loose = net;
}

void
load_board_probe(struct load_board *b, uint32_t net)
{
	uint32_t c;

	b->probe = net;
	b->probe_left = 0;
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

enum load_diff
load_board_diff(const struct load_board *b, uint32_t client, uint32_t net)
{
	uint32_t want = load_board_expected(b, client, net);
	uint32_t held = net < b->net_cap ? b->row[client].held[net] : 0;

	if (want == held)
		return DIFF_NONE;
	return !held ? DIFF_MISSING : !want ? DIFF_EXTRA : DIFF_WRONG;
}
