/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleep and wake-up of a journal's readers (G3 of lib/mt/journal.h): a writer appends and
 * wakes, readers sleep as loops do, a cursor leaves. Idle cursors without a reader stand
 * between the readers, so that a round of waking has several blocks. Each reader that
 * stays reads the last entry; otherwise no thread can run, and the run fails. */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/mt/journal.h"
#include "lib/mt/rcu.h"
#include "test/sim/subturns/subturns.h"

#define READERS 3
#define IDLE    9
#define CURSORS (READERS + IDLE)
#define ENTRIES 4 /* at most */

enum { AWAKE, ASLEEP };

struct sleeper {
	struct cursor c;
	struct pub32 word; /* ASLEEP: about to sleep, or asleep */
	struct sub_permit octet;
	struct pub32 leaves; /* the writer has removed the cursor */
};

static struct journal journal;
static struct sleeper sleeper[CURSORS]; /* the readers come first */
static struct journal_entry *entry;
static uint32_t entries, leaver;

static void
wake_entry_stays(struct journal_entry *e, void *arg)
{
	(void)e;
	(void)arg;
}

static bool
wake_reader(struct cursor *c, bool sleeper_only)
{
	struct sleeper *s = container_of(c, struct sleeper, c);
	uint32_t word = ASLEEP;

	(void)sleeper_only;
	if (load_relaxed32(&s->word) != ASLEEP || !cas_acq_rel32(&s->word, &word, AWAKE))
		return false;
	sub_permit_give(&s->octet);
	return true;
}

static void
wake_writer(void *arg)
{
	(void)arg;
	rcu_join();
	for (uint32_t i = 0; i < entries; i++) {
		entry[i].bytes = 1;
		journal_append(&journal, &entry[i]);
		journal_wake(&journal);
		if (i == entries / 2 && leaver < CURSORS) {
			journal_remove(&journal, &sleeper[leaver].c);
			store_release32(&sleeper[leaver].leaves, 1); /* pairs: LEAVES */
			fence_seq_cst();
			wake_reader(&sleeper[leaver].c, false);
		}
		rcu_quiesce();
	}
	rcu_leave();
}

/* wake_sleeps - as loop_may_sleep. */
static void
wake_sleeps(struct sleeper *s)
{
	uint32_t word = ASLEEP;

	store_relaxed32(&s->word, ASLEEP);
	fence_seq_cst();
	if (!journal_pending(&journal, &s->c) &&
	    !load_acquire32(&s->leaves)) { /* pairs: LEAVES */
		rcu_sleep();
		sub_permit_take(&s->octet);
		rcu_wake();
	} else if (!cas_acq_rel32(&s->word, &word, AWAKE)) {
		sub_permit_take(&s->octet);
	}
}

static void
wake_sleeper(void *arg)
{
	struct sleeper *s = arg;
	uint64_t end = journal_start() + entries;

	rcu_join();
	cursor_start(&s->c, &journal);
	while (s->c.read != end && !load_acquire32(&s->leaves)) { /* pairs: LEAVES */
		journal_wake_more(
		    &journal); /* a running reader first continues the round */
		if (sub_random(4) == 0) {
			cursor_deafen(&s->c, true);
			rcu_quiesce();
			cursor_deafen(&s->c, false);
		}
		while (journal_read(&journal, &s->c))
			;
		journal_done(&s->c);
		rcu_quiesce();
		if (s->c.read != end)
			wake_sleeps(s);
	}
	/* A loop that was woken runs, and continues the round. */
	journal_wake_more(&journal);
	cursor_stop(&s->c);
	rcu_leave();
}

/* wake_place - a cursor for each reader and @idle more, in a drawn order. */
static void
wake_place(uint32_t idle)
{
	uint32_t order[CURSORS], cnt = READERS + idle;

	for (uint32_t i = 0; i < cnt; i++) {
		uint32_t at = (uint32_t)sub_random(i + 1);

		order[i] = order[at];
		order[at] = i;
		cursor_init(&sleeper[i].c, wake_reader);
	}
	for (uint32_t i = 0; i < cnt; i++)
		journal_add(&journal, &sleeper[order[i]].c);
	leaver = (uint32_t)sub_random(cnt + 1);
	if (leaver == cnt)
		leaver = CURSORS; /* nobody leaves */
}

static void
wake_play(void)
{
	static const char *const name[READERS] = { "reader 0", "reader 1", "reader 2" };
	unsigned nr[READERS + 1];

	entries = 1 + (uint32_t)sub_random(ENTRIES);
	entry = mem_zalloc(MEM_JOURNAL, entries * sizeof(*entry));
	journal_init(&journal, 3, 100, 100, wake_entry_stays, NULL);
	journal.fan = 1;
	memset(sleeper, 0, sizeof(sleeper));
	wake_place(sub_random(2) ? 0 : (uint32_t)sub_random(IDLE + 1));
	for (unsigned i = 0; i < READERS; i++)
		nr[i] = sub_thread_new(name[i], wake_sleeper, &sleeper[i]);
	nr[READERS] = sub_thread_new("writer", wake_writer, NULL);
	for (unsigned i = 0; i <= READERS; i++)
		sub_thread_join(nr[i]);
	journal_fini(&journal);
	mem_free(MEM_JOURNAL, entry);
}

extern const struct sub_program prog_wake;
const struct sub_program prog_wake = { "wake",
	"lib/mt/journal.c: readers that sleep, a writer that wakes", wake_play, NULL };
