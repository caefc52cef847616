/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of the routes that clients with add-path hold.
 *
 * A client must hold a collection of attribute sets for a net; under which identifiers is
 * the server's business. Two collections are compared by sums: each set stands for a
 * random number of 64 bits, the collection for the sum of them, so that a received path
 * costs one subtraction and one addition whatever else the net has. rest[net] is the sum
 * of what must be held less that of what is held. Two different collections of the same
 * sum are as probable as a guessed number of 64 bits.
 *
 * What differs is found by looking at each path, when it has to be told.
 *
 * A path that is announced under a second identifier while the first is still held is
 * there twice, which is wrong until one of them is withdrawn or replaced. A withdrawal of
 * what isn't held is counted: it changes nothing, and no server may send one.
 *
 * I1  rest[net] is 0 just when the client holds every set that it must and no other, each
 *     as often as it must.
 * I2  row.wrong of the board counts nets with another rest, apart from those of which
 *     anything may be held. */
#include "test/load/load_addpath.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include "test/load/load_board.h"

#define SEED 0x6164642d70617468ull

/* The number that a set stands for. */
static inline uint64_t
load_addpath_number_of(uint32_t set)
{
	return set ? hash_u64(SEED, set) : 0;
}

static void
grow_ids(struct load_board *b, uint32_t cap)
{
	struct load_addpath *a = &b->add_path;
	size_t more = cap - a->id_cap;
	uint32_t c;

	a->before = mem_realloc(MEM_OTHER, a->before, cap, sizeof(*a->before));
	for (c = 0; c < b->clients; c++) {
		struct load_addpath_row *r = &a->row[c];

		if (!b->row[c].add_path)
			continue;
		r->held = mem_realloc(MEM_OTHER, r->held, cap, sizeof(*r->held));
		memset(r->held + a->id_cap, 0, more * sizeof(*r->held));
	}
	a->id_cap = cap;
}

void
load_addpath_grow(struct load_board *b, uint32_t cap)
{
	struct load_addpath *a = &b->add_path;
	size_t more = cap - a->net_cap;
	uint32_t c;

	if (!a->row || cap <= a->net_cap)
		return;
	a->last = mem_realloc(MEM_OTHER, a->last, cap, sizeof(*a->last));
	memset(a->last + a->net_cap, 0xff, more * sizeof(*a->last));
	for (c = 0; c < b->clients; c++) {
		struct load_addpath_row *r = &a->row[c];

		if (!b->row[c].add_path)
			continue;
		r->rest = mem_realloc(MEM_OTHER, r->rest, cap, sizeof(*r->rest));
		memset(r->rest + a->net_cap, 0, more * sizeof(*r->rest));
	}
	a->net_cap = cap;
}

void
load_addpath_begin(struct load_board *b, uint32_t first, uint32_t ids)
{
	struct load_addpath *a = &b->add_path;
	uint32_t c;

	load_pathids_init(&a->ids);
	a->row = mem_zalloc(MEM_OTHER, b->clients * sizeof(*a->row));
	for (c = first; c < b->clients; c++)
		b->row[c].add_path = true;
	load_addpath_grow(b, b->net_cap);
	grow_ids(b, ids + ids / 8 + 64);
}

void
load_addpath_fini(struct load_board *b)
{
	struct load_addpath *a = &b->add_path;
	uint32_t c;

	if (!a->row)
		return;
	for (c = 0; c < b->clients; c++) {
		mem_free(MEM_OTHER, a->row[c].held);
		mem_free(MEM_OTHER, a->row[c].rest);
	}
	mem_free(MEM_OTHER, a->row);
	mem_free(MEM_OTHER, a->before);
	mem_free(MEM_OTHER, a->last);
	load_pathids_fini(&a->ids);
}

uint32_t
load_addpath_number(struct load_board *b, uint32_t prev, const struct load_pathid *want)
{
	struct load_addpath *a = &b->add_path;
	uint32_t cnt = a->ids.cnt, net;
	uint32_t nr = load_pathids_after(&a->ids, b->nets, prev, want);

	if (likely(nr < cnt))
		return nr;
	load_board_grow(b);
	if (nr >= a->id_cap)
		grow_ids(b, nr + nr / 2 + 64);
	net = a->ids.at[nr].net;
	a->before[nr] = a->last[net];
	a->last[net] = nr;
	return nr;
}

/* The rest of a net has become @is. */
static inline void
load_addpath_turn(
    struct load_board *b, uint32_t client, uint32_t net, uint64_t is, uint64_t now)
{
	uint64_t *rest = &b->add_path.row[client].rest[net], was = *rest;

	*rest = is;
	if (!was == !is || unlikely(load_board_free(b, client, net)))
		return;
	if (unlikely(net == b->probe) && !is)
		load_board_probe_hit(b, client, now);
	load_board_count(b, client, !is, now);
}

static inline void
load_addpath_receive(
    struct load_board *b, uint32_t client, uint32_t nr, uint32_t set, uint64_t now)
{
	struct load_addpath_row *r = &b->add_path.row[client];
	uint32_t had = r->held[nr], net = b->add_path.ids.at[nr].net;

	if (unlikely(!had && !set) && !r->unknown++)
		r->unknown_first = nr;
	r->held[nr] = set;
	load_addpath_turn(b, client, net,
	    r->rest[net] + load_addpath_number_of(had) - load_addpath_number_of(set),
	    now);
}

void
load_addpath_receive_run(struct load_board *b, uint32_t client, uint32_t first,
    uint32_t cnt, uint32_t set, uint64_t now)
{
	uint32_t end = first + cnt;

	for (; first < end; first++)
		load_addpath_receive(b, client, first, set, now);
}

void
load_addpath_receive_list(struct load_board *b, uint32_t client, const uint32_t *nr,
    uint32_t cnt, uint32_t set, uint64_t now)
{
	uint32_t i;

	for (i = 0; i < cnt; i++)
		load_addpath_receive(b, client, nr[i], set, now);
}

/* The sets for which filters of clients look at control communities. */
static const struct load_sets *
load_addpath_filter_of(const struct load_board *b, const struct load_offer *o)
{
	return b->own_filter && o && o->control ? b->sets : NULL;
}

uint64_t
load_addpath_sum(const struct load_board *b, uint32_t client, uint32_t net)
{
	const struct load_offer *o = load_offers_get(&b->offers, net);
	const struct load_sets *ss = load_addpath_filter_of(b, o);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; o && i < o->cnt; i++)
		sum += load_addpath_number_of(load_path_for(&o->path[i], ss, client));
	return sum;
}

void
load_addpath_want(struct load_board *b, uint32_t client, uint32_t net, uint64_t was,
    uint64_t is, uint64_t now)
{
	load_addpath_turn(
	    b, client, net, b->add_path.row[client].rest[net] + is - was, now);
}

void
load_addpath_forget(struct load_board *b, uint32_t client)
{
	struct load_addpath *a = &b->add_path;

	memset(a->row[client].held, 0, a->ids.cnt * sizeof(uint32_t));
}

uint32_t
load_addpath_count(struct load_board *b, uint32_t client)
{
	const struct load_addpath *a = &b->add_path;
	const uint32_t *held = a->row[client].held;
	uint64_t *rest = a->row[client].rest;
	uint32_t i, wrong = 0;

	for (i = 0; i < b->nets->cnt; i++)
		rest[i] = load_addpath_sum(b, client, i);
	for (i = 0; i < a->ids.cnt; i++)
		rest[a->ids.at[i].net] -= load_addpath_number_of(held[i]);
	for (i = 0; i < b->nets->cnt; i++)
		wrong += rest[i] && !load_board_free(b, client, i);
	return wrong;
}

uint32_t
load_addpath_wanted(const struct load_board *b, uint32_t client, uint32_t net)
{
	const struct load_offer *o = load_offers_get(&b->offers, net);
	const struct load_sets *ss = load_addpath_filter_of(b, o);
	uint32_t i, cnt = 0;

	for (i = 0; o && i < o->cnt; i++)
		cnt += load_path_for(&o->path[i], ss, client) != 0;
	return cnt;
}

/* Take one @set out of the @cnt sets of @want, where 0 is a gap. Returns: was it there?
 */
static bool
take_one(uint32_t *want, uint32_t cnt, uint32_t set)
{
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		if (want[i] != set)
			continue;
		want[i] = 0;
		return true;
	}
	return false;
}

static void
load_addpath_note(uint32_t *list, uint32_t *cnt, uint32_t what)
{
	if (*cnt < LOAD_ADDPATH_SHOWN)
		list[*cnt] = what;
	++*cnt;
}

void
load_addpath_compare(const struct load_board *b, uint32_t client, uint32_t net,
    struct load_addpath_diff *d)
{
	const struct load_addpath *a = &b->add_path;
	const struct load_offer *o = load_offers_get(&b->offers, net);
	const struct load_sets *ss = load_addpath_filter_of(b, o);
	uint32_t cnt = o ? o->cnt : 0, i, nr, set;
	uint32_t *want = mem_alloc(MEM_OTHER, (cnt + 1) * sizeof(*want));

	memset(d, 0, sizeof(*d));
	for (i = 0; i < cnt; i++)
		want[i] = load_path_for(&o->path[i], ss, client);
	nr = net < a->net_cap ? a->last[net] : LOAD_NONE;
	for (; nr != LOAD_NONE; nr = a->before[nr]) {
		set = a->row[client].held[nr];
		if (set && !take_one(want, cnt, set))
			load_addpath_note(d->extra, &d->extra_cnt, nr);
	}
	for (i = 0; i < cnt; i++)
		if (want[i])
			load_addpath_note(d->missing, &d->missing_cnt, want[i]);
	mem_free(MEM_OTHER, want);
}

uint64_t
load_addpath_unknown(const struct load_board *b)
{
	uint64_t sum = 0;
	uint32_t c;

	for (c = 0; b->add_path.row && c < b->clients; c++)
		sum += b->add_path.row[c].unknown;
	return sum;
}
