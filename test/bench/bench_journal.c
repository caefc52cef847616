/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal and interning: what an entry costs its writer and each reader, and what a
 * set costs that is found or is new.
 *
 * One thread plays writer and readers in turn, a batch of 1,000 entries at a time, so
 * that the numbers are of the code and not of the machine's handing of cache lines;
 * waking is left out. */
#include "lib/mt/journal.h"
#include "lib/mt/rcu.h"
#include "nest/rib/attr/attr_store.h"
#include "test/bench/bench.h"
#include "test/lib/wire.h"

#define ENTRIES 1000
#define READERS 16
#define SETS    20000

struct play {
	struct journal j;
	struct cursor c[READERS];
	struct journal_entry e[ENTRIES];
	unsigned readers;
	uint64_t sink;
};

static void
keep_entry(struct journal_entry *e, void *arg)
{
	(void)e;
	(void)arg;
}

static bool
no_wake(struct cursor *c, bool sleeper_only)
{
	(void)c;
	(void)sleeper_only;
	return false;
}

static void
run_append(void *arg)
{
	struct play *p = arg;

	for (unsigned i = 0; i < ENTRIES; i++)
		journal_append(&p->j, &p->e[i]);
}

static void
run_read(void *arg)
{
	struct play *p = arg;
	struct journal_entry *e;

	for (unsigned k = 0; k < p->readers; k++) {
		while ((e = journal_read(&p->j, &p->c[k])))
			p->sink += e->seq;
		journal_done(&p->c[k]);
	}
}

static void
run_reclaim(void *arg)
{
	struct play *p = arg;

	journal_reclaim(&p->j);
}

static void
bench_journal_run_all(void *arg)
{
	run_append(arg);
	run_read(arg);
	run_reclaim(arg);
}

static void
journal_row(struct play *p, const char *what, struct bench_job j)
{
	struct bench_row r = { .unit = "ns" };
	char name[64];

	j.arg = p;
	j.rounds = 40;
	snprintf(name, sizeof(name), "journal, %u readers: %s", p->readers, what);
	r.name = name;
	bench_time(&r, &j);
	bench_row(&r);
}

static void
bench_journal(unsigned readers)
{
	static struct play p;

	memset(&p, 0, sizeof(p));
	p.readers = readers;
	journal_init(&p.j, 18, 1 << 24, 1 << 25, keep_entry, NULL);
	for (unsigned i = 0; i < ENTRIES; i++)
		p.e[i].bytes = 200;
	for (unsigned i = 0; i < readers; i++) {
		cursor_init(&p.c[i], no_wake);
		journal_add(&p.j, &p.c[i]);
		cursor_start(&p.c[i], &p.j);
		rcu_quiesce();
	}
	journal_row(&p, "append, an entry",
	    (struct bench_job){ .run = run_append,
		.after = run_reclaim,
		.before = run_read,
		.each = ENTRIES });
	run_read(&p);
	run_reclaim(&p);
	journal_row(&p, "read, an entry and reader",
	    (struct bench_job){ .before = run_append,
		.run = run_read,
		.after = run_reclaim,
		.each = (double)ENTRIES * readers });
	journal_row(&p, "append, read by all, reclaim",
	    (struct bench_job){ .run = bench_journal_run_all, .each = ENTRIES });
	for (unsigned i = 0; i < readers; i++) {
		cursor_stop(&p.c[i]);
		journal_remove(&p.j, &p.c[i]);
	}
	journal_fini(&p.j);
	rcu_quiesce();
	rcu_drain();
}

/* ---- interning ---- */

struct intern {
	struct attr_store *store;
	struct wire_set *wire[SETS];
	struct attr_set *set[SETS], *again[SETS];
	uint8_t data[128];
	uint32_t len, as_at;
	uint32_t base; /* tells the sets of one round from those of the next */
};

/* Typical attributes, as bench_codec.c has them. */
static void
make_data(struct intern *in)
{
	static const uint8_t path[14] = { 2, 3, 0, 0, 0xfd, 0xe9 },
			     val[8] = { 10, 0, 0, 1 };
	struct wbuf w = wbuf_of(in->data, sizeof(in->data));

	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	in->as_at = (uint32_t)wbuf_len(&w) + ATTR_HDR_LEN + 6;
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, 4);
	wire_item(&w, 0x80, ATTR_MED, val, 4);
	wire_item(&w, 0x40, ATTR_LOCAL_PREF, val, 4);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, val, 8);
	in->len = (uint32_t)wbuf_len(&w);
}

static void
intern_all(struct intern *in, struct attr_set **set)
{
	struct attr_local local = {
		.preference = 100, .dest = DEST_UNICAST, .rts = RTS_BGP
	};

	for (uint32_t i = 0; i < SETS; i++) {
		put_be32(in->data + in->as_at, in->base + i);
		set[i] = attr_store_intern(in->store, in->data, in->len, &local, NULL, 0);
	}
}

static void
bench_journal_drop_all(struct intern *in, struct attr_set **set)
{
	for (uint32_t i = 0; i < SETS; i++)
		attr_set_unref(in->store, set[i], 1);
}

static void
run_new(void *arg)
{
	struct intern *in = arg;

	intern_all(in, in->set);
}

static void
run_found(void *arg)
{
	struct intern *in = arg;

	intern_all(in, in->again);
}

static void
drop_found(void *arg)
{
	struct intern *in = arg;

	bench_journal_drop_all(in, in->again);
}

static void
run_drop(void *arg)
{
	struct intern *in = arg;

	bench_journal_drop_all(in, in->set);
}

static void
wait_grace(void *arg)
{
	struct intern *in = arg;

	in->base += SETS;
	rcu_quiesce();
	rcu_drain();
	rcu_drain(); /* the wire sets follow their sets */
}

static void
drop_and_wait(void *arg)
{
	run_drop(arg);
	wait_grace(arg);
}

static void
bench_intern(void)
{
	static struct intern in;
	struct bench_job j = { .arg = &in, .rounds = 15, .each = SETS };
	struct bench_row r = { .unit = "ns" };

	in.store = attr_store_new();
	make_data(&in);
	r.name = "interning, a new set (wire and whole)";
	j.run = run_new;
	j.after = drop_and_wait;
	bench_time(&r, &j);
	bench_row(&r);
	r.name = "interning, a set that is there";
	run_new(&in);
	j.run = run_found;
	j.after = drop_found;
	bench_time(&r, &j);
	bench_row(&r);
	run_drop(&in);
	wait_grace(&in);
	r.name = "interning, the last reference dropped";
	j.before = run_new;
	j.run = run_drop;
	j.after = wait_grace;
	bench_time(&r, &j);
	bench_row(&r);
	attr_store_free(in.store);
	rcu_drain();
}

int
main(int argc, char **argv)
{
	bench_start(argc, argv, "journal and interning");
	rcu_join();
	for (unsigned n = 1; n <= READERS; n *= 2)
		bench_journal(n);
	bench_intern();
	rcu_leave();
	return bench_end();
}
