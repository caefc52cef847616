/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/journal.c without sleep: a writer appends and reclaims, readers start, read and
 * stop. A reader sees the entries in order and with their content (G1), and no entry that
 * is free (G2): the heap fails the run when a reader touches a freed entry. */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/mt/journal.h"
#include "lib/mt/rcu.h"
#include "test/sim/subturns/subturns.h"

#define READERS 2
#define ENTRIES 12 /* at most */

struct entry {
	struct journal_entry e;
	uint64_t number;
};

struct reader {
	struct cursor c;
	uint32_t rounds; /* from start to stop */
};

static struct journal journal;
static struct reader reader[READERS];
static uint32_t entries, each; /* each: entries between two reclaims */

static void
journal_entry_free(struct journal_entry *e, void *arg)
{
	(void)arg;
	mem_free(MEM_JOURNAL, container_of(e, struct entry, e));
}

static bool
journal_wakes_nobody(struct cursor *c, bool sleeper_only)
{
	(void)c;
	(void)sleeper_only;
	return false;
}

static void
journal_writer(void *arg)
{
	(void)arg;
	rcu_join();
	for (uint32_t i = 0; i < entries; i++) {
		struct entry *e = mem_alloc(MEM_JOURNAL, sizeof(*e));

		e->e.bytes = 1;
		e->number = journal_start() + i;
		journal_append(&journal, &e->e);
		if (i % each == 0) {
			journal_reclaim(&journal);
			rcu_quiesce();
		}
	}
	rcu_leave();
}

/* journal_reads - entries from the position on, as a callback of a loop does. */
static void
journal_reads(struct reader *r, uint64_t *next, unsigned cnt)
{
	while (cnt--) {
		const struct entry *e = journal_read(&journal, &r->c);

		if (!e)
			break;
		if (e == JOURNAL_LOST) {
			*next = r->c.read;
			continue;
		}
		if (e->e.seq != *next || e->number != *next)
			sub_fail("reads entry %llu with the content %llu instead of %llu",
			    (unsigned long long)e->e.seq, (unsigned long long)e->number,
			    (unsigned long long)*next);
		++*next;
	}
	journal_done(&r->c);
}

static void
journal_reader(void *arg)
{
	struct reader *r = arg;

	rcu_join();
	for (uint32_t round = 0; round < r->rounds; round++) {
		uint64_t next;

		cursor_start(&r->c, &journal);
		next = r->c.read;
		for (uint64_t turns = 1 + sub_random(4); turns; turns--) {
			journal_reads(r, &next, 1 + (unsigned)sub_random(4));
			rcu_quiesce();
		}
		cursor_stop(&r->c);
		rcu_quiesce();
	}
	rcu_leave();
}

static void
journal_play(void)
{
	unsigned nr[READERS + 1];
	bool drops = !sub_random(3);

	entries = 3 + (uint32_t)sub_random(ENTRIES - 3);
	each = 1 + (uint32_t)sub_random(3);
	journal_init(&journal, 2 + (unsigned)sub_random(2), drops ? 2 : 100,
	    drops ? 4 : 100, journal_entry_free, NULL);
	for (unsigned i = 0; i < READERS; i++) {
		reader[i].rounds = 1 + (uint32_t)sub_random(3);
		cursor_init(&reader[i].c, journal_wakes_nobody);
		journal_add(&journal, &reader[i].c);
		nr[i] = sub_thread_new(
		    i ? "reader 1" : "reader 0", journal_reader, &reader[i]);
	}
	nr[READERS] = sub_thread_new("writer", journal_writer, NULL);
	for (unsigned i = 0; i <= READERS; i++)
		sub_thread_join(nr[i]);
	journal_fini(&journal);
}

static void
journal_judge(void)
{
	if (sub_heap_left())
		sub_fail("%u blocks are never freed", sub_heap_left());
}

extern const struct sub_program prog_journal;
const struct sub_program prog_journal = { "journal",
	"lib/mt/journal.c: a writer that reclaims, two readers", journal_play,
	journal_judge };
