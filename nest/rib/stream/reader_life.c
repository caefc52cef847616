/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a reader: init, attach to the table, start, stop, detach.
 *
 * No reference survives the teardown: the cursor is idle when the reader detaches; the
 * table takes the reader off its lists and answers after a grace period.
 *
 * Attach and detach run in the table's worker, the rest in the owner's. Tests:
 * test_reader.c. */
#include "nest/rib/read.h"

#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/rib/stream.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"

static void
reader_life_pause_ends(struct timer *tm)
{
	worker_again(container_of(tm, struct reader, sweep.pause)->worker);
}

static bool
reader_life_wake(struct cursor *c, bool sleeper_only)
{
	struct worker *w = container_of(c, struct reader, cursor)->worker;

	return sleeper_only ? worker_wake_sleeper(w) : worker_wake(w);
}

void
reader_init(struct reader *r, struct table *t, struct worker *w,
    const struct reader_ops *ops, struct arena *arena)
{
	*r = (struct reader){ .table = t, .st = &t->best, .worker = w, .arena = arena };
	reader_set_ops(r, ops);
	cursor_init(&r->cursor, reader_life_wake);
	bitmap_init(&r->dirty, MEM_PROTO);
	timer_init(&r->sweep.pause, w, reader_life_pause_ends);
	list_init(&r->link);
}

void
reader_fini(struct reader *r)
{
	bitmap_fini(&r->dirty);
	reader_shown_drop(r);
}

void
reader_start(struct reader *r)
{
	r->on = true;
	cursor_start(&r->cursor, &r->st->journal);
	reader_early_start(r);
	r->shown.ahead = r->sweep.on = r->busy = false;
	r->sweep.all_on = r->sweep.all_new = r->sweep.all_again = false;
	r->sweep.owed = 0;
	r->behind = 0;
	/* The reader listens only after a run: a publisher wakes sleeping readers only;
	 * awake readers look at the tail themselves. */
	worker_again(r->worker);
}

void
reader_stop(struct reader *r)
{
	r->on = r->busy = false;
	cursor_stop(&r->cursor);
	timer_cancel(&r->sweep.pause);
	reader_early_drop(r);
	reader_shown_drop(r);
	bitmap_clear_all(&r->dirty);
	r->dirty_cnt = 0;
	r->sweep.all_on = r->sweep.all_new = r->sweep.all_again = r->sweep.on =
	    r->shown.ahead = false;
}

void
reader_wake_more(struct reader *r)
{
	/* With a thread for each reader, woken readers continue the round, and this
	 * reader runs further readers in leases. */
	if (journal_wake_more(&r->st->journal) && table_lends(r->table))
		worker_again(r->worker);
}

void
reader_listen(struct reader *r)
{
	bool deaf = !r->on || !reader_ops_of(r)->room(r);

	/* The order matters. The loop compares the journal's tail with the watch after
	 * this function: the comparison finds segments that the table published while
	 * the cursor was deaf. */
	cursor_deafen(&r->cursor, deaf);
	tail_watch_seen(&r->tail, deaf ? TAIL_IGNORED : r->cursor.read);
}

uint64_t
reader_tail(const struct reader *r)
{
	return load_acquire64(&r->st->journal.tail); /* pairs: JTAIL */
}

bool
reader_has_read(const struct reader *r, uint64_t tail)
{
	return !r->on || (int64_t)(r->cursor.read - tail) >= 0;
}

uint32_t
reader_limit(const struct reader *r)
{
	return stream_limit(r->st);
}

const struct net *
reader_net(const struct reader *r, uint32_t id)
{
	return stream_net(r->st, id);
}

const struct path *
reader_path(const struct reader *r, uint32_t id)
{
	return stream_path(r->st, id);
}

void
reader_idle(struct reader *r)
{
	reader_early_idle(r);
	if (r->shown.ahead)
		reader_shown_idle(r);
	if (!r->dirty_cnt)
		bitmap_clear_all(&r->dirty);
}

/* ---- at the table ---- */

struct attach_msg {
	struct msg msg;
	struct reader *reader;
	struct stream *st; /* stream to follow */
	struct list link; /* of stream.waiting */
	struct msg *done;
};

/* reader_life_attached - back in the owner's worker. */
static void
reader_life_attached(struct worker *w, TAKE struct msg *m)
{
	struct attach_msg *am = container_of(m, struct attach_msg, msg);
	struct msg *done = am->done;

	am->reader->st = am->st;
	tail_watch_add(&am->reader->tail, w, &am->st->journal.tail, &am->st->news);
	mem_free(MEM_TABLE, am);
	done->handle(w, done);
}

static void
reader_life_to_table(struct reader *r,
    void (*handle)(struct worker *w, TAKE struct msg *m), TAKE struct msg *done)
{
	struct attach_msg *am = mem_zalloc(MEM_TABLE, sizeof(*am));

	am->msg.handle = handle;
	am->reader = r;
	am->done = done;
	worker_post(&r->table->worker, &am->msg);
}

static void
life_attach_to(TAKE struct attach_msg *am)
{
	struct table *t = am->st->table;

	list_add_tail(&am->st->readers, &am->reader->link);
	am->st->reader_cnt++;
	t->behind.readers += am->reader->wants.behind;
	journal_add(&am->st->journal, &am->reader->cursor);
	am->msg.handle = reader_life_attached;
	worker_post(am->reader->worker, &am->msg);
}

static void
reader_life_attach(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);
	struct attach_msg *am = container_of(m, struct attach_msg, msg);

	am->st = am->reader->wants.all ? table_all(t, am->reader->wants.shunned)
				       : &t->best;
	if (am->st == &t->best || !table_all_takes(t)) {
		life_attach_to(am);
		return;
	}
	list_add_tail(&am->st->waiting, &am->link);
	worker_again(w);
}

void
readers_attach_waiting(struct stream *st)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &st->waiting) {
		list_del(n);
		life_attach_to(container_of(n, struct attach_msg, link));
	}
}

void
reader_attach(struct reader *r, TAKE struct msg *done)
{
	/* From now on other threads find the cursor and wake the worker. */
	ASSERT(r->worker->loop);
	reader_life_to_table(r, reader_life_attach, done);
}

struct reader_end {
	struct table_grace grace;
	struct worker *owner;
	struct msg *done;
};

/* reader_life_release - nobody wakes the reader any more. */
static void
reader_life_release(struct table *t, TAKE struct table_grace *g)
{
	struct reader_end *e = container_of(g, struct reader_end, grace);

	(void)t;
	worker_post(e->owner, e->done);
	mem_free(MEM_TABLE, e);
}

static void
reader_life_detach(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);
	struct attach_msg *am = container_of(m, struct attach_msg, msg);
	struct reader *r = am->reader;
	struct reader_end *e = mem_zalloc(MEM_TABLE, sizeof(*e));

	list_del(&r->link);
	r->st->reader_cnt--;
	t->behind.readers -= r->wants.behind;
	journal_remove(&r->st->journal, &r->cursor);
	if (r->st == t->all)
		table_all_left(t);
	e->owner = r->worker;
	e->done = am->done;
	table_grace(t, &e->grace, reader_life_release);
	mem_free(MEM_TABLE, am);
}

void
reader_detach(struct reader *r, TAKE struct msg *done)
{
	ASSERT(!r->on);
	tail_watch_del(&r->tail);
	reader_life_to_table(r, reader_life_detach, done);
}
