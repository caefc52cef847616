/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal; journal.h has the guarantees. The loop of the writer appends and reclaims;
 * the loop of each reader reads.
 *
 * I1  An entry leaves item[] only when another entry overwrites the slot. A reader
 *     compares the sequence number of the entry with its position. The entry is readable
 *     meanwhile, because RCU delays the freeing of dropped entries.
 * I2  floor never decreases. An entry below floor that every cursor has passed is freed
 *     at once. An entry below floor at which a cursor still stood is dropped, and freed
 *     after a grace period.
 * I3  A cursor that starts sets pos, fences, then reads floor; reclaim sets floor,
 *     fences, then reads pos. Either the cursor sees the new floor and moves up to the
 *     tail, or reclaim sees the cursor and keeps the cursor's entry. Without the two
 *     fences both may see the old value, and the cursor would stand at a freed entry. */
#include "lib/mt/journal.h"
#include "lib/base/wrap.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

#define WAKE_BLOCK 8 /* cursors that are claimed at once */
#define WAKE_FAN   4 /* sleepers that a waker wakes before its other work */
#define TRIM       2048u /* slots of the ring whose pages return together: 16 kB */

#define LIST_MIN 4 /* cursors for which a list has room at first */

/* Cursors are added and removed in place; a list of twice the size replaces a full list.
 * A reader of the list may see a cursor that was just removed, and may see a moved cursor
 * twice. */
struct cursor_list {
	struct rcu_node rcu;
	struct pub32 cnt;
	uint32_t cap;
	struct pubptr c[]; /* struct cursor * */
};

/* A chain of entries to be freed after a grace period. */
struct drop_chain {
	struct rcu_node rcu;
	struct journal_entry *first;
	void (*free_entry)(struct journal_entry *e, void *arg);
	void *arg;
};

/* journal_ring_new - allocate a zeroed ring. A ring of whole steps (VMEM_STEP) has
 * separate pages. */
static struct pubptr *
journal_ring_new(size_t len)
{
	struct pubptr *item;

	if (len % VMEM_STEP)
		return mem_zalloc(MEM_JOURNAL, len);
	item = vmem_reserve(len);
	for (size_t at = 0; at < len; at += VMEM_STEP)
		vmem_open(MEM_JOURNAL, (uint8_t *)item + at, false);
	return item;
}

static void
journal_ring_free(TAKE struct pubptr *item, size_t len)
{
	if (len % VMEM_STEP)
		mem_free(MEM_JOURNAL, item);
	else
		vmem_fini(MEM_JOURNAL, item, len, len);
}

static struct cursor_list *
journal_list_new(uint32_t cap)
{
	struct cursor_list *l = mem_zalloc(
	    MEM_JOURNAL, sizeof(*l) + cap * sizeof(l->c[0]));

	l->cap = cap;
	return l;
}

uint64_t
journal_start(void)
{
	/* The lower halves of positions are used alone (struct dead_item). */
	return wrap_start(0, 32);
}

void
journal_init(struct journal *j, unsigned cap_order, uint64_t soft, uint64_t hard,
    void (*free_entry)(struct journal_entry *e, void *arg), void *arg)
{
	memset(j, 0, sizeof(*j));
	j->mask = (1u << cap_order) - 1;
	j->freed = journal_start();
	j->trimmed = j->freed & ~(uint64_t)(TRIM - 1);
	store_relaxed64(&j->floor, j->freed);
	store_relaxed64(&j->tail, j->freed);
	j->item = journal_ring_new(sizeof(*j->item) << cap_order);
	j->soft_bytes = soft;
	j->hard_bytes = hard;
	j->fan = WAKE_FAN;
	j->free_entry = free_entry;
	j->arg = arg;
	store_relaxed_ptr(&j->cursors, journal_list_new(LIST_MIN));
}

/* journal_uncharge - remove the octets charged to @e from the journal's sum; @e leaves
 * the journal. */
static void
journal_uncharge(struct journal *j, struct journal_entry *e)
{
	uint32_t held = xchg_acq_rel32(&e->held, 0); /* pairs: JHELD */

	if (held > 1)
		counter64_add(&j->held, 0 - (uint64_t)(held - 1));
}

static void
journal_free_range(struct journal *j, uint64_t to)
{
	for (; j->freed < to; j->freed++) {
		struct pubptr *slot = &j->item[j->freed & j->mask];
		struct journal_entry *e = load_relaxed_ptr(slot);

		/* The slots were written long ago and are no longer cached. A prefetched
		 * slot may hold an old pointer or NULL. */
		__builtin_prefetch(load_relaxed_ptr(&j->item[(j->freed + 8) & j->mask]));
		j->bytes -= e->bytes;
		journal_uncharge(j, e);
		store_relaxed_ptr(slot, NULL);
		j->free_entry(e, j->arg);
	}
}

void
journal_fini(struct journal *j)
{
	journal_free_range(j, load_relaxed64(&j->tail));
	mem_free(MEM_JOURNAL, load_relaxed_ptr(&j->cursors));
	journal_ring_free(j->item, ((size_t)j->mask + 1) * sizeof(*j->item));
	memset(j, 0, sizeof(*j));
}

static void
journal_free_list(struct rcu_node *n)
{
	mem_free(MEM_JOURNAL, container_of(n, struct cursor_list, rcu));
}

/* journal_list_put - at place @i. */
static void
journal_list_put(struct cursor_list *l, uint32_t i, struct cursor *c)
{
	c->slot = i;
	store_release_ptr(&l->c[i], c); /* pairs: JLIST */
}

static struct cursor *
journal_list_at(const struct cursor_list *l, uint32_t i)
{
	return load_acquire_ptr(&l->c[i]); /* pairs: JLIST */
}

static uint32_t
journal_list_cnt(const struct cursor_list *l)
{
	return load_acquire32(&l->cnt); /* pairs: JLIST */
}

/* journal_list_resize - Returns: the journal's list, with room for @cap. */
static struct cursor_list *
journal_list_resize(struct journal *j, uint32_t cap)
{
	struct cursor_list *old = load_relaxed_ptr(&j->cursors),
			   *l = journal_list_new(cap);
	uint32_t cnt = load_relaxed32(&old->cnt);

	for (uint32_t i = 0; i < cnt; i++)
		journal_list_put(l, i, journal_list_at(old, i));
	store_relaxed32(&l->cnt, cnt);
	store_release_ptr(&j->cursors, l); /* pairs: JLIST */
	rcu_free_later(&old->rcu, journal_free_list);
	return l;
}

void
journal_add(struct journal *j, struct cursor *c)
{
	struct cursor_list *l = load_relaxed_ptr(&j->cursors);
	uint32_t cnt = load_relaxed32(&l->cnt);

	if (cnt == l->cap)
		l = journal_list_resize(j, 2 * cnt);
	journal_list_put(l, cnt, c);
	store_release32(&l->cnt, cnt + 1); /* pairs: JLIST */
}

void
journal_remove(struct journal *j, struct cursor *c)
{
	struct cursor_list *l = load_relaxed_ptr(&j->cursors);
	uint32_t at = c->slot, last = load_relaxed32(&l->cnt) - 1;
	struct cursor *moved = journal_list_at(l, last);

	ASSERT(at <= last && journal_list_at(l, at) == c);
	journal_list_put(l, at, moved);
	store_release32(&l->cnt, last); /* pairs: JLIST */
	if (l->cap > LIST_MIN && last <= l->cap / 4)
		journal_list_resize(j, l->cap / 2);
	/* The last cursor has moved into the free slot. A round of waking may already
	 * have passed the slot, so wake the moved cursor here (G3). */
	if (at < last)
		moved->wake(moved, false);
}

static void
journal_free_chain(struct rcu_node *n)
{
	struct drop_chain *ch = container_of(n, struct drop_chain, rcu);
	struct journal_entry *e = ch->first, *next;

	for (; e; e = next) {
		next = e->next_free;
		ch->free_entry(e, ch->arg);
	}
	mem_free(MEM_JOURNAL, ch);
}

/* journal_min_pos - the least position of a cursor, at most @tail. Tells those before
 * @hurry to hurry. */
static uint64_t
journal_min_pos(struct journal *j, uint64_t tail, uint64_t hurry)
{
	struct cursor_list *l = load_relaxed_ptr(&j->cursors);
	uint32_t cnt = load_relaxed32(&l->cnt);
	uint64_t min = tail;

	for (uint32_t i = 0; i < cnt; i++) {
		struct cursor *c = load_relaxed_ptr(&l->c[i]);
		uint64_t pos = load_acquire64(&c->pos); /* pairs: JPOS */

		if (pos == CURSOR_IDLE)
			continue;
		if (pos < min)
			min = pos;
		if (pos < hurry && load_relaxed64(&c->hurry) < hurry) {
			store_relaxed64(&c->hurry, hurry);
			c->wake(c, false);
		}
	}
	return min;
}

/* mt_journal_drop - the ceiling is reached: drop the older half of the entries, even if
 * cursors still stand there. */
static void
mt_journal_drop(struct journal *j)
{
	uint64_t tail = load_relaxed64(&j->tail),
		 to = j->freed + (tail - j->freed + 1) / 2;
	struct drop_chain *ch = mem_zalloc(MEM_JOURNAL, sizeof(*ch));

	if (load_relaxed64(&j->floor) < to)
		store_release64(&j->floor, to); /* pairs: JFLOOR */
	ch->free_entry = j->free_entry;
	ch->arg = j->arg;
	for (; j->freed < to; j->freed++) {
		struct pubptr *slot = &j->item[j->freed & j->mask];
		struct journal_entry *e = load_relaxed_ptr(slot);

		j->bytes -= e->bytes;
		journal_uncharge(j, e);
		j->dropped_cnt++;
		store_relaxed_ptr(slot, NULL);
		e->next_free = ch->first;
		ch->first = e;
	}
	rcu_free_later(&ch->rcu, journal_free_chain);
}

/* journal_trim - the journal is empty: all slots are NULL. Return the pages of the slots
 * used since the last trim to the system; the slots read as NULL again. Without trim a
 * slow stream of single changes would fill the pages of every table's ring. */
static void
journal_trim(struct journal *j)
{
	uint64_t end = j->freed & ~(uint64_t)(TRIM - 1), cnt = end - j->trimmed;
	uint32_t cap = j->mask + 1, at = (uint32_t)j->trimmed & j->mask, first;

	if (!cnt || cap * sizeof(*j->item) % VMEM_STEP)
		return;
	if (cnt > cap)
		cnt = cap;
	first = cnt < cap - at ? (uint32_t)cnt : cap - at;
	vmem_release(&j->item[at], first * sizeof(*j->item));
	if (cnt > first)
		vmem_release(j->item, (cnt - first) * sizeof(*j->item));
	j->trimmed = end;
}

uint64_t
journal_reclaim(struct journal *j)
{
	uint64_t tail = load_relaxed64(&j->tail), min, hurry = 0;

	if (j->freed == tail)
		return 0;
	if (journal_bytes(j) > j->soft_bytes || tail - j->freed > j->mask / 2)
		hurry = j->freed + (tail - j->freed) / 2;
	min = journal_min_pos(j, tail, hurry);
	if (min > load_relaxed64(&j->floor)) {
		store_release64(&j->floor, min); /* pairs: JFLOOR */
		fence_seq_cst(); /* I3 */
		min = journal_min_pos(j, min, 0);
	}
	if (min > j->freed)
		journal_free_range(j, min);
	while (journal_bytes(j) > j->hard_bytes && j->freed < tail)
		mt_journal_drop(j);
	if (j->freed == tail)
		journal_trim(j);
	return journal_bytes(j);
}

void
journal_hurry(struct journal *j)
{
	uint64_t tail = load_relaxed64(&j->tail);

	journal_min_pos(j, tail, tail);
}

void
journal_append(struct journal *j, TAKE struct journal_entry *e)
{
	uint64_t tail = load_relaxed64(&j->tail);

	if (unlikely(tail - j->freed > j->mask || journal_bytes(j) > j->hard_bytes)) {
		journal_reclaim(j);
		if (tail - j->freed > j->mask)
			mt_journal_drop(j);
	}
	e->seq = tail;
	store_relaxed32(&e->held, 1);
	j->bytes += e->bytes;
	store_release_ptr(&j->item[tail & j->mask], e); /* pairs: JITEM */
	store_release64(&j->tail, tail + 1); /* pairs: JTAIL */
}

uint64_t
journal_min_out(struct journal *j, struct cursor **slowest)
{
	struct cursor_list *l = load_relaxed_ptr(&j->cursors);
	uint32_t cnt = load_relaxed32(&l->cnt);
	uint64_t min = load_relaxed64(&j->tail);

	*slowest = NULL;
	for (uint32_t i = 0; i < cnt; i++) {
		struct cursor *c = load_relaxed_ptr(&l->c[i]);
		uint64_t out;

		/* out_pos is written before pos leaves CURSOR_IDLE. */
		if (load_acquire64(&c->pos) == CURSOR_IDLE) /* pairs: JPOS */
			continue;
		out = load_acquire64(&c->out_pos); /* pairs: JOUT */
		if (out < min) {
			min = out;
			*slowest = c;
		}
	}
	return min;
}

bool
journal_wake_more(struct journal *j)
{
	struct cursor_list *l = load_acquire_ptr(&j->cursors); /* pairs: JLIST */
	uint32_t at = load_relaxed32(&j->wake_next), woken = 0, cnt = journal_list_cnt(l);

	while (at < cnt && woken < j->fan) {
		uint32_t end = at + WAKE_BLOCK;

		if (!cas_acq_rel32(&j->wake_next, &at, end)) /* pairs: JWAKE */
			continue;
		/* The publication precedes the fence. The reader's half: the loop sets
		 * its sleeping word, fences, and reads the tail again (G3). */
		fence_seq_cst();
		/* The claim may belong to a later round than the list above, so read the
		 * list again. */
		l = load_acquire_ptr(&j->cursors); /* pairs: JLIST */
		cnt = journal_list_cnt(l);
		for (uint32_t i = at; i < end && i < cnt; i++) {
			struct cursor *c = journal_list_at(l, i);

			/* Count only readers that slept: a reader that is awake may have
			 * passed its last look at wake_next and would not continue the
			 * round. */
			if (load_relaxed64(&c->pos) != CURSOR_IDLE &&
			    !load_relaxed32(&c->deaf) && c->wake(c, true))
				woken++;
		}
		at = end;
	}
	return at < cnt;
}

bool
journal_waking(const struct journal *j)
{
	const struct cursor_list *l = load_acquire_ptr(&j->cursors); /* pairs: JLIST */

	return load_relaxed32(&j->wake_next) < journal_list_cnt(l);
}

bool
journal_wake(struct journal *j)
{
	store_release32(&j->wake_next, 0); /* pairs: JWAKE */
	return journal_wake_more(j);
}

void
cursor_init(struct cursor *c, bool (*wake)(struct cursor *c, bool sleeper_only))
{
	memset(c, 0, sizeof(*c));
	c->wake = wake;
	store_relaxed64(&c->pos, CURSOR_IDLE);
}

/* journal_stand_at_tail - I3. Returns: the position. */
static uint64_t
journal_stand_at_tail(struct cursor *c, struct journal *j)
{
	for (;;) {
		uint64_t tail = load_acquire64(&j->tail); /* pairs: JTAIL */

		store_release64(&c->pos, tail); /* pairs: JPOS */
		fence_seq_cst();
		if (load_acquire64(&j->floor) <= tail) { /* pairs: JFLOOR */
			c->read = tail;
			return tail;
		}
	}
}

void
cursor_start(struct cursor *c, struct journal *j)
{
	/* Position 0 precedes every entry, so nothing counts as settled before the
	 * position is found. */
	store_release64(&c->out_pos, 0); /* pairs: JOUT */
	store_relaxed32(&c->deaf, 0);
	store_release64(&c->out_pos, journal_stand_at_tail(c, j)); /* pairs: JOUT */
	store_relaxed64(&c->hurry, 0);
}

void
cursor_deafen(struct cursor *c, bool deaf)
{
	if (deaf == (bool)load_relaxed32(&c->deaf))
		return;
	store_relaxed32(&c->deaf, deaf);
	if (!deaf)
		fence_seq_cst(); /* then the look at the tail (G3) */
}

void
cursor_stop(struct cursor *c)
{
	store_release64(&c->pos, CURSOR_IDLE); /* pairs: JPOS */
}

void *
journal_read(struct journal *j, struct cursor *c)
{
	struct journal_entry *e;

	if (load_acquire64(&j->tail) == c->read) /* pairs: JTAIL */
		return NULL;
	e = load_acquire_ptr(&j->item[c->read & j->mask]); /* pairs: JITEM */
	if (!e || e->seq != c->read ||
	    load_acquire64(&j->floor) > c->read) { /* pairs: JFLOOR */
		/* out_pos stays: the missed changes are not settled */
		journal_stand_at_tail(c, j);
		return JOURNAL_LOST;
	}
	c->read++;
	return e;
}

void
journal_done(struct cursor *c)
{
	store_release64(&c->pos, c->read); /* pairs: JPOS */
}
