/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory model: C11's, without loads that return the value of a later store.
 *
 * A place is an aligned word of 8 or 4 octets. Its history has the last DEPTH messages in
 * modification order, which is the order of execution. A message has the value, the clock
 * that an acquire of the message takes (`rel`), and for each thread the time at which the
 * thread first wrote or read this message or a later message (`seen`).
 *
 * I1  Memory always has the newest value of each place, so code without instrumentation
 *     reads and writes as usual. A plain load of an older value puts the older value into
 *     memory until model_settle.
 * I2  A load of thread T may return message i if no message behind i was seen, by any
 *     thread, at a time that precedes T's present operation: coherence in all four forms.
 * I3  A fence of order seq_cst joins the thread's clock and the clock of all such fences,
 *     in both directions. Of two fences the later one sees what the earlier one saw.
 * I4  A value in memory that no message has comes from code without instrumentation. The
 *     history begins anew with this value.
 * I5  A store without release continues the release sequence of the same thread (C17,
 *     5.1.2.4); a read-modify-write continues the sequence of each thread.
 *
 * The model is weaker than x86 and close to ARMv8: stores become visible late and in any
 * order, loads return old values, and dependencies order nothing but the accesses of one
 * thread to one place. */
#include "test/sim/subturns/model.h"

#include <string.h>

#define DEPTH     8
#define CELLS     16384 /* a power of two */
#define WHOLE     0
#define WORD_MASK ((uintptr_t)7)

struct message {
	uint64_t value;
	struct sub_clock rel;
	uint32_t seen[SUB_THREADS];
	uint8_t head; /* thread of the release sequence, from 1 on; 0: none */
};

struct history {
	uint32_t cnt; /* messages so far; the last DEPTH of them are here */
	struct message msg[DEPTH];
};

/* The places of one aligned word of 8 octets. Owner: this file. Life: a run. */
struct cell {
	uintptr_t key; /* address */
	uint32_t run; /* another number: the cell is free */
	bool halves; /* two places of 4 octets */
	struct history place[2];
};

struct thread_state {
	struct sub_clock clock;
	struct sub_clock acquired; /* by loads without acquire, for a later fence */
	struct sub_clock released; /* at the last release fence */
};

/* A plain access that began. */
struct plain {
	enum { PLAIN_NONE, PLAIN_WRITE, PLAIN_OLD } kind;
	unsigned me;
	uintptr_t at;
	size_t size;
	uint64_t newest, old; /* of PLAIN_OLD */
};

static struct cell cell[CELLS];
static uint32_t run;
static unsigned cell_cnt;
static struct thread_state thread[SUB_THREADS];
static struct sub_clock fences;
static struct plain plain;

void
model_reset(void)
{
	run++;
	cell_cnt = 0;
	memset(thread, 0, sizeof(thread));
	memset(&fences, 0, sizeof(fences));
	plain.kind = PLAIN_NONE;
}

void
model_clock_join(struct sub_clock *c, const struct sub_clock *with)
{
	for (unsigned i = 0; i < SUB_THREADS; i++)
		if (with->at[i] > c->at[i])
			c->at[i] = with->at[i];
}

void
model_release(unsigned me, struct sub_clock *c)
{
	thread[me].clock.at[me]++;
	model_clock_join(c, &thread[me].clock);
}

void
model_acquire(unsigned me, const struct sub_clock *c)
{
	model_clock_join(&thread[me].clock, c);
}

/* ---- memory as it is ---- */

static uint64_t
model_peek(uintptr_t at, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, (const void *)at, size);
	return v;
}

static void
model_poke(uintptr_t at, unsigned size, uint64_t v)
{
	memcpy((void *)at, &v, size);
}

/* ---- cells ---- */

static void
history_begin(struct history *h, uint64_t value)
{
	h->cnt = 1;
	memset(&h->msg[0], 0, sizeof(h->msg[0]));
	h->msg[0].value = value;
}

static struct message *
history_at(struct history *h, uint32_t i)
{
	return &h->msg[i % DEPTH];
}

static struct message *
history_push(struct history *h, uint64_t value)
{
	struct message *m = history_at(h, h->cnt++);

	memset(m, 0, sizeof(*m));
	m->value = value;
	return m;
}

/* cell_split - from now on two places of 4 octets, with the same messages. */
static void
cell_split(struct cell *c)
{
	struct history *lo = &c->place[0], *hi = &c->place[1];

	c->halves = true;
	*hi = *lo;
	for (unsigned i = 0; i < DEPTH; i++) {
		lo->msg[i].value &= UINT32_MAX;
		hi->msg[i].value >>= 32;
	}
}

static struct cell *
cell_of(uintptr_t at)
{
	uintptr_t key = at & ~WORD_MASK;
	uint32_t i = (uint32_t)((key >> 3) * 0x9e3779b1u) & (CELLS - 1);

	for (; cell[i].run == run; i = (i + 1) & (CELLS - 1))
		if (cell[i].key == key)
			return &cell[i];
	if (++cell_cnt > CELLS / 2)
		sub_fail("the program uses more than %d words", CELLS / 2);
	cell[i].key = key;
	cell[i].run = run;
	cell[i].halves = false;
	history_begin(&cell[i].place[WHOLE], model_peek(key, 8));
	return &cell[i];
}

/* model_place - the place with the @size octets at @at; *@first and *@width: its
 * octets. An atomic word of 8 octets is one place. */
static struct history *
model_place(uintptr_t at, unsigned size, bool atomic, uintptr_t *first, unsigned *width)
{
	struct cell *c = cell_of(at);
	struct history *h;
	uint64_t now;

	if (size < 8 && !c->halves)
		cell_split(c);
	if (size == 8 && c->halves && atomic) {
		c->halves = false;
		history_begin(&c->place[WHOLE], model_peek(c->key, 8));
	}
	*width = c->halves ? 4 : 8;
	*first = at & ~(uintptr_t)(*width - 1);
	h = &c->place[*first != c->key];
	now = model_peek(*first, *width);
	if (now != history_at(h, h->cnt - 1)->value) /* I4 */
		history_begin(h, now);
	return h;
}

/* ---- loads ---- */

/* history_floor - the first message that @me may read (I2). */
static uint32_t
history_floor(const struct history *h, unsigned me)
{
	const struct sub_clock *c = &thread[me].clock;
	uint32_t low = h->cnt > DEPTH ? h->cnt - DEPTH : 0;

	for (uint32_t i = h->cnt - 1; i > low; i--)
		for (unsigned t = 0; t < SUB_THREADS; t++) {
			uint32_t seen = h->msg[i % DEPTH].seen[t];

			if (seen && seen <= c->at[t])
				return i;
		}
	return low;
}

/* history_pick - the message that a load returns. */
static uint32_t
history_pick(const struct history *h, unsigned me)
{
	uint32_t last = h->cnt - 1, low;

	if (!last || !sub_draws_old())
		return last;
	low = history_floor(h, me);
	return low == last ? last : low + (uint32_t)sub_random(last - low);
}

static bool
order_acquires(int order)
{
	return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool
order_releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
	       order == __ATOMIC_SEQ_CST;
}

static void
message_see(struct message *m, unsigned me, int order)
{
	struct thread_state *t = &thread[me];

	if (!m->seen[me])
		m->seen[me] = t->clock.at[me];
	model_clock_join(order_acquires(order) ? &t->clock : &t->acquired, &m->rel);
}

uint64_t
model_load(unsigned me, uintptr_t at, unsigned size, int order)
{
	uintptr_t first;
	unsigned width;
	struct history *h = model_place(at, size, true, &first, &width);
	struct message *m;
	uint32_t i;
	uint64_t v;

	if (order == __ATOMIC_SEQ_CST)
		model_fence(me, order);
	thread[me].clock.at[me]++;
	i = history_pick(h, me);
	m = history_at(h, i);
	message_see(m, me, order);
	v = m->value >> 8 * (at - first);
	if (size < 8)
		v &= (UINT64_C(1) << 8 * size) - 1;
	if (i != h->cnt - 1 && sub_traces())
		sub_note("reads the value before %u later ones", h->cnt - 1 - i);
	return v;
}

/* ---- stores ---- */

static void
message_release(
    struct message *m, const struct message *before, bool rmw, unsigned me, int order)
{
	const struct thread_state *t = &thread[me];

	m->seen[me] = t->clock.at[me];
	m->rel = t->released;
	if (rmw || before->head == me + 1) { /* I5 */
		model_clock_join(&m->rel, &before->rel);
		m->head = before->head;
	}
	if (order_releases(order)) {
		model_clock_join(&m->rel, &t->clock);
		m->head = (uint8_t)(me + 1);
	}
}

static void
store_value(unsigned me, uintptr_t at, unsigned size, uint64_t value, bool rmw, int order)
{
	uintptr_t first;
	unsigned width;
	struct history *h = model_place(at, size, true, &first, &width);
	struct message before = *history_at(h, h->cnt - 1);

	thread[me].clock.at[me]++;
	model_poke(at, size, value);
	message_release(
	    history_push(h, model_peek(first, width)), &before, rmw, me, order);
}

void
model_store(unsigned me, uintptr_t at, unsigned size, uint64_t value, int order)
{
	store_value(me, at, size, value, false, order);
	if (order == __ATOMIC_SEQ_CST)
		model_fence(me, order);
}

uint64_t
model_newest(unsigned me, uintptr_t at, unsigned size, int order)
{
	uintptr_t first;
	unsigned width;
	struct history *h = model_place(at, size, true, &first, &width);

	if (order == __ATOMIC_SEQ_CST)
		model_fence(me, order);
	thread[me].clock.at[me]++;
	message_see(history_at(h, h->cnt - 1), me, order);
	return model_peek(at, size);
}

void
model_replace(unsigned me, uintptr_t at, unsigned size, uint64_t value, int order)
{
	store_value(me, at, size, value, true, order);
	if (order == __ATOMIC_SEQ_CST)
		model_fence(me, order);
}

void
model_fence(unsigned me, int order)
{
	struct thread_state *t = &thread[me];

	t->clock.at[me]++;
	if (order_acquires(order))
		model_clock_join(&t->clock, &t->acquired);
	if (order == __ATOMIC_SEQ_CST) { /* I3 */
		model_clock_join(&t->clock, &fences);
		fences = t->clock;
	}
	if (order_releases(order))
		t->released = t->clock;
}

/* ---- plain accesses ---- */

/* plain_note - the plain store has taken effect. */
static void
plain_note(void)
{
	unsigned width;

	for (uintptr_t at = plain.at, end = at + plain.size, first; at < end;
	     at = first + width) {
		struct cell *c = cell_of(at);
		struct history *h;
		struct message *m;

		width = c->halves ? 4 : 8;
		first = at & ~(uintptr_t)(width - 1);
		h = &c->place[first != c->key];
		m = history_push(h, model_peek(first, width));
		m->seen[plain.me] = thread[plain.me].clock.at[plain.me];
	}
}

void
model_settle(void)
{
	if (plain.kind == PLAIN_WRITE)
		plain_note();
	else if (plain.kind == PLAIN_OLD &&
		 model_peek(plain.at, (unsigned)plain.size) == plain.old)
		model_poke(plain.at, (unsigned)plain.size, plain.newest);
	plain.kind = PLAIN_NONE;
}

void
model_plain_write(unsigned me, uintptr_t at, size_t size)
{
	uintptr_t first;
	unsigned width;

	/* Note the value before the store. */
	for (uintptr_t a = at; a < at + size; a = first + width)
		model_place(a, at + size - a < 8 || (a & WORD_MASK) ? 4 : 8, false,
		    &first, &width);
	thread[me].clock.at[me]++;
	plain = (struct plain){ .kind = PLAIN_WRITE, .me = me, .at = at, .size = size };
}

void
model_plain_read(unsigned me, uintptr_t at, size_t size)
{
	uintptr_t first;
	unsigned width;
	struct history *h;
	struct message *m;
	uint32_t i;

	if (size > 8 || (at & (size - 1)))
		return; /* the newest values */
	h = model_place(at, (unsigned)size, false, &first, &width);
	if (size > width)
		return;
	thread[me].clock.at[me]++;
	i = history_pick(h, me);
	m = history_at(h, i);
	if (!m->seen[me])
		m->seen[me] = thread[me].clock.at[me];
	if (i == h->cnt - 1)
		return;
	plain = (struct plain){ .kind = PLAIN_OLD, .me = me, .at = first, .size = width };
	plain.newest = model_peek(first, width);
	plain.old = m->value;
	model_poke(first, width, m->value);
	if (sub_traces())
		sub_note("reads the value before %u later ones", h->cnt - 1 - i);
}
