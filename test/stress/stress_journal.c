/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal: one writer, threads that each read by several cursors, some of them too
 * slow.
 *
 * What is checked: each cursor sees the entries in order, each once, or is told that it
 * was cut off (G1); what was read is whole until journal_done (G2); after a wake and a
 * pause of the writer all cursors reach the tail, also while cursors are added and
 * removed (G3); all entries are freed once. The ceiling is low, so that cuts happen.
 * Prints nothing; aborts on a failure. Argument: seconds (2). */
#include "lib/mt/journal.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "test/lib/seed.h"
#include "test/lib/wait.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#define THREADS 5
#define CURSORS 9 /* of a thread */
#define ALIVE   0x600d600d600d600dull
#define HOLD    24 /* entries looked at again before journal_done */

struct entry {
	struct journal_entry je;
	uint64_t magic, number, inverse;
};

struct reader;

struct place {
	struct cursor cursor; /* first */
	struct reader *reader;
	uint64_t next; /* number that must come; UINT64_MAX: any */
	struct pub32 running; /* cursor_start was called */
	struct pub32 added,
	    remove; /* writer: in the list; reader: asks to be taken out */
	uint64_t lost;
};

struct reader {
	struct place place[CURSORS];
	struct pub32 asleep;
	sem_t wake;
	struct seed seed;
	pthread_t thread;
};

static struct journal journal;
static struct reader readers[THREADS];
static struct pub32 ending, pausing;
static struct counter64 freed, seen, cuts;

static void
stress_journal_die(const char *what)
{
	fprintf(stderr, "stress_journal: %s\n", what);
	abort();
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
stress_journal_free_entry(struct journal_entry *je, void *arg)
{
	struct entry *e = container_of(je, struct entry, je);

	(void)arg;
	if (e->magic != ALIVE)
		stress_journal_die("an entry is freed twice");
	e->magic = 0;
	counter64_add(&freed, 1);
	mem_free(MEM_JOURNAL, e);
}

static bool
stress_journal_wake(struct cursor *c, bool sleeper_only)
{
	struct reader *r = ((struct place *)c)->reader;

	(void)sleeper_only;
	if (!load_relaxed32(&r->asleep) || !xchg_acq_rel32(&r->asleep, 0))
		return false;
	sem_post(&r->wake);
	return true;
}

static void
stress_journal_check(const struct entry *e)
{
	if (e->magic != ALIVE || e->number != ~e->inverse)
		stress_journal_die("an entry isn't whole");
}

/* take - some entries by one cursor, as a session does in a callback. */
static void
stress_journal_take(struct reader *r, struct place *p)
{
	const struct entry *held[HOLD];
	uint32_t cnt = 0, max = 1 + seed_below(&r->seed, 200);
	void *e;

	while (cnt < max && (e = journal_read(&journal, &p->cursor))) {
		if (e == JOURNAL_LOST) {
			p->next = UINT64_MAX;
			p->lost++;
			continue;
		}
		held[cnt % HOLD] = container_of(e, struct entry, je);
		stress_journal_check(held[cnt % HOLD]);
		if (p->next != UINT64_MAX && held[cnt % HOLD]->number != p->next)
			stress_journal_die("entries out of order, or one is missing");
		p->next = held[cnt % HOLD]->number + 1;
		if (seed_chance(&r->seed, 4))
			journal_charge(&journal, e, 1 + seed_below(&r->seed, 300));
		cnt++;
	}
	for (uint32_t i = 0; i < cnt && i < HOLD; i++)
		stress_journal_check(held[i]);
	counter64_add(&seen, cnt);
	journal_done(&p->cursor);
	if (load_relaxed64(&p->cursor.out_pos) < p->cursor.read)
		store_release64(&p->cursor.out_pos, p->cursor.read);
}

static bool
stress_journal_pending(struct reader *r)
{
	for (unsigned i = 0; i < CURSORS; i++)
		if (load_relaxed32(&r->place[i].running) &&
		    journal_pending(&journal, &r->place[i].cursor))
			return true;
	return false;
}

/* come_and_go - a cursor stops, is taken out and comes back. While the writer pauses all
 * stay. */
static void
come_and_go(struct reader *r, struct place *p)
{
	if (load_relaxed32(&p->running)) {
		if (seed_chance(&r->seed, 300) && !load_acquire32(&pausing)) {
			store_relaxed32(&p->running, 0);
			cursor_stop(&p->cursor);
			store_release32(&p->remove, seed_below(&r->seed, 2));
		}
	} else if (load_acquire32(&p->added) && !load_relaxed32(&p->remove)) {
		cursor_start(&p->cursor, &journal);
		p->next = UINT64_MAX;
		store_relaxed32(&p->running, 1);
	}
}

static void *
stress_journal_read_all(void *arg)
{
	struct reader *r = arg;
	struct timespec until;

	rcu_join();
	while (!load_acquire32(&ending)) {
		journal_wake_more(&journal);
		for (unsigned i = 0; i < CURSORS; i++) {
			struct place *p = &r->place[i];

			come_and_go(r, p);
			if (load_relaxed32(&p->running))
				stress_journal_take(r, p);
		}
		rcu_quiesce();
		if (seed_chance(&r->seed, 400) && !load_acquire32(&pausing)) {
			rcu_sleep();
			wait_spread(
			    seed_below(&r->seed, 4000)); /* long enough to be cut off */
			rcu_wake();
		}
		store_relaxed32(&r->asleep, 1);
		fence_seq_cst();
		if (stress_journal_pending(r) || load_acquire32(&ending)) {
			if (!xchg_acq_rel32(&r->asleep, 0))
				sem_wait(&r->wake); /* it is being posted */
			continue;
		}
		rcu_sleep();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 20;
		if (sem_timedwait(&r->wake, &until))
			stress_journal_die("nobody woke a reader");
		rcu_wake();
	}
	for (unsigned i = 0; i < CURSORS; i++) {
		cursor_stop(&r->place[i].cursor);
		counter64_add(&cuts, r->place[i].lost);
	}
	rcu_leave();
	return NULL;
}

/* ---- the writer ---- */

static bool
all_at_tail(void)
{
	uint64_t tail = load_relaxed64(&journal.tail);

	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < CURSORS; k++) {
			uint64_t pos = load_acquire64(&readers[i].place[k].cursor.pos);

			if (pos != CURSOR_IDLE && pos != tail)
				return false;
		}
	return true;
}

/* change_list - put in who is out, take out who asked for it. */
static void
change_list(bool add)
{
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < CURSORS; k++) {
			struct place *p = &readers[i].place[k];

			if (load_acquire32(&p->remove)) {
				journal_remove(&journal, &p->cursor);
				store_relaxed32(&p->added, 0);
				store_release32(&p->remove, 0);
			} else if (add && !load_relaxed32(&p->added)) {
				journal_add(&journal, &p->cursor);
				store_release32(&p->added, 1);
			}
		}
}

static void
stress_journal_batch(struct seed *s, uint64_t *number)
{
	for (uint32_t n = 1 + seed_below(s, 60); n; n--) {
		struct entry *e = mem_zalloc(MEM_JOURNAL, sizeof(*e));

		e->magic = ALIVE;
		e->number = (*number)++;
		e->inverse = ~e->number;
		e->je.bytes = 64 + seed_below(s, 400);
		journal_append(&journal, &e->je);
	}
	journal_wake(&journal);
}

static void
pause_and_look(void)
{
	uint64_t until = now_ms() + 20000;

	store_release32(&pausing, 1);
	change_list(false); /* in the middle of a round of waking */
	rcu_sleep();
	while (!all_at_tail()) {
		if (now_ms() > until)
			stress_journal_die(
			    "a cursor stays behind while the writer pauses: a wake-up is "
			    "lost");
		wait_pause(50);
	}
	rcu_wake();
	store_release32(&pausing, 0);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_journal");
	uint64_t number = 0,
		 until = now_ms() +
			 1000 * (argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(2));

	rcu_join();
	journal_init(&journal, 9, 40000, 80000, stress_journal_free_entry, NULL);
	for (unsigned i = 0; i < THREADS; i++) {
		struct reader *r = &readers[i];

		sem_init(&r->wake, 0, 0);
		r->seed.state = seed_u64(&s);
		for (unsigned k = 0; k < CURSORS; k++) {
			r->place[k].reader = r;
			cursor_init(&r->place[k].cursor, stress_journal_wake);
		}
	}
	change_list(true);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(
			&readers[i].thread, NULL, stress_journal_read_all, &readers[i]))
			stress_journal_die("no thread");
	while (now_ms() < until) {
		struct cursor *slowest;

		stress_journal_batch(&s, &number);
		if (seed_chance(&s, 4))
			journal_reclaim(&journal);
		if (seed_chance(&s, 20)) {
			if (journal_min_out(&journal, &slowest) >
			    load_relaxed64(&journal.tail))
				stress_journal_die("a position beyond the tail");
			journal_hurry(&journal);
		}
		if (seed_chance(&s, 10))
			pause_and_look();
		if (seed_chance(&s, 10))
			change_list(true);
		rcu_quiesce();
	}
	store_release32(&ending, 1);
	for (unsigned i = 0; i < THREADS; i++) {
		store_relaxed32(&readers[i].asleep, 0);
		sem_post(&readers[i].wake);
	}
	rcu_sleep();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(readers[i].thread, NULL);
	rcu_wake();
	journal_reclaim(&journal);
	if (journal_bytes(&journal))
		stress_journal_die("nobody reads, and octets are left");
	journal_fini(&journal);
	rcu_drain();
	if (counter64_get(&freed) != number)
		stress_journal_die("not all entries were freed");
	if (!counter64_get(&seen) || !counter64_get(&cuts))
		stress_journal_die(
		    "nothing was read, or nobody was cut off: the test tests nothing");
	rcu_leave();
	return 0;
}
