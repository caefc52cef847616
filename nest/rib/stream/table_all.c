/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream of all paths: made for the first reader that asks, and updated from then on
 * (stream.h). The table's loop.
 *
 * A selectable path has an id; a filtered path has none (0). A replacing path inherits
 * the id, so that peers replace the old route. A removed path is published as a
 * withdrawal, and its id waits until all readers of the stream have told the withdrawal.
 * If no id is left, a path is in the table, but not in the stream.
 *
 * A pipe ignores the paths that it brought itself, and a table filled by pipes has mostly
 * such paths: while all readers belong to one feeder, the paths of that feeder are left
 * out (shunned). Another reader brings them in.
 *
 * Existing paths enter the stream as news, a bounded number of nets a batch. Afterwards
 * the table attaches the asking reader, whose feed is then complete. After the last
 * reader has left, the stream is idle: new paths get no ids, and existing paths lose
 * their ids, a bounded number of nets a batch; the memory is freed when all ids are free.
 *
 * I1  slot[id].path is the path with the id, or 0. So a path whose id moved to another
 *     path is removed without a withdrawal. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "nest/rib/ids.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define FULL_NS   (60 * NS_PER_S) /* between two lines in the log */
#define TAKE_STEP 4096 /* nets and paths a batch, and the rest of the last net's */
#define TAKEN     UINT32_MAX

/* table_all_put - set the slot of p->id to @p. */
static void
table_all_put(struct stream *st, const struct path *p)
{
	store_release32(
	    &st->slot[p->id].path, table_place(st->table, p)); /* pairs: PSLOT */
}

static void
table_all_note(struct stream *st, uint32_t id)
{
	stream_note(st, (struct change){ .id = id, .old_src = NO_FEEDER },
	    &st->slot[id].batch, load_relaxed32(&st->table->batch), true);
}

/* table_all_log_full - now and then. */
static void
table_all_log_full(struct stream *st)
{
	uint64_t now = loop_now_ns(&st->table->worker);

	if (st->full_ns && now - st->full_ns < FULL_NS)
		return;
	st->full_ns = now;
	log_msg(LOG_C_ERR,
	    "Table %s has no number left for a route: receivers of all routes of a "
	    "network miss some routes",
	    st->table->name);
}

/* all_id_for - a new id for a path of net @net. Returns: 0: no id is left. */
static uint32_t
all_id_for(struct stream *st, uint32_t net)
{
	uint32_t id = stream_id_new(st);

	if (id == NO_ID) {
		table_all_log_full(st);
		return 0;
	}
	store_relaxed32(&st->slot[id].net, net);
	return id;
}

/* table_all_wanted - true: @p needs an id. */
static bool
table_all_wanted(const struct stream *st, const struct path *p)
{
	return !st->idle && !(p->flags & PATH_FILTERED) && path_feeder(p) != st->shunned;
}

void
table_path_publish(struct table *t, uint32_t net, struct path *p, const struct path *old)
{
	struct stream *st = t->all;

	if (!table_all_wanted(st, p))
		return;
	p->id = old && old->id ? old->id : all_id_for(st, net);
	if (!p->id)
		return;
	table_all_note(st, p->id);
	table_all_put(st, p);
}

void
table_path_unpublish(struct table *t, const struct path *p)
{
	struct stream *st = t->all;
	struct path_slot *slot;

	if (likely(!st) || !p->id)
		return;
	slot = &st->slot[p->id];
	if (load_relaxed32(&slot->path) != table_place(t, p)) /* I1 */
		return;
	table_all_note(st, p->id);
	store_release32(&slot->path, 0); /* pairs: PSLOT */
	stream_dead_put(st, p->id);
}

/* all_slots_max - octets of address space for the slots of all ids. */
static size_t
all_slots_max(void)
{
	size_t len = ((size_t)NET_ID_MAX + 1) * sizeof(struct path_slot);

	return (len + VMEM_STEP - 1) / VMEM_STEP * VMEM_STEP;
}

/* table_all_take_net - give ids to the paths of net @net that need an id. Other threads
 * read the flags, which share a word with the id and do not change (I4 of table_priv.h).
 * Returns: number of paths. */
__attribute__((no_sanitize("thread"))) static uint32_t
table_all_take_net(struct stream *st, uint32_t net)
{
	struct path *p = near_load_relaxed(&table_net_ptr(st->table, net)->paths);
	uint32_t cnt = 0;

	for (; p; p = near_load_relaxed(&p->next), cnt++) {
		if (p->id || !table_all_wanted(st, p))
			continue;
		p->id = all_id_for(st, net);
		if (!p->id)
			continue;
		table_all_note(st, p->id);
		table_all_put(st, p);
	}
	return cnt;
}

/* all_leave_net - the paths of net @net lose their ids; as table_all_take_net. */
__attribute__((no_sanitize("thread"))) static uint32_t
all_leave_net(struct stream *st, uint32_t net)
{
	struct path *p = near_load_relaxed(&table_net_ptr(st->table, net)->paths);
	uint32_t cnt = 0;

	for (; p; p = near_load_relaxed(&p->next), cnt++) {
		table_path_unpublish(st->table, p);
		p->id = 0;
	}
	return cnt;
}

static struct stream *
table_all_make(struct table *t, const struct feeder *shunned)
{
	struct stream *st = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*st));

	memset(st, 0, sizeof(*st));
	st->slot = vmem_reserve(all_slots_max());
	stream_init(st, t);
	st->shunned = shunned ? load_relaxed32(&shunned->id) : NO_FEEDER;
	list_init(&st->waiting);
	stream_id_new(st); /* id 0: none */
	t->all = st;
	store_release_ptr(&t->pub.all, st); /* pairs: TALL */
	return st;
}

struct stream *
table_all(struct table *t, const struct feeder *shunned)
{
	struct stream *st = t->all;

	if (!st)
		return table_all_make(t, shunned);
	if (st->idle) {
		bool none = st->take_pos == TAKEN || (shunned && !shunned->cnt.paths);

		st->idle = false;
		st->shunned = shunned && none ? load_relaxed32(&shunned->id) : NO_FEEDER;
		st->take_pos = 0;
	} else if (st->shunned != NO_FEEDER &&
		   (!shunned || st->shunned != load_relaxed32(&shunned->id))) {
		st->shunned = NO_FEEDER;
		st->take_pos = 0;
	}
	return st;
}

void
table_all_left(struct table *t)
{
	struct stream *st = t->all;

	if (st->reader_cnt || !list_empty(&st->waiting))
		return;
	st->idle = true;
	st->take_pos = 0;
	worker_again(&t->worker);
}

void
table_all_trim(struct table *t)
{
	if (t->all->idle && stream_empty(t->all))
		stream_trim(t->all);
}

bool
table_all_step(struct table *t)
{
	struct stream *st = t->all;
	uint32_t limit = load_relaxed32(&t->best.ids.limit);

	for (uint32_t n = 0; n < TAKE_STEP && st->take_pos < limit; n++)
		n += st->idle ? all_leave_net(st, st->take_pos++)
			      : table_all_take_net(st, st->take_pos++);
	stream_note_single(st, false);
	if (st->take_pos < limit)
		return false;
	st->take_pos = TAKEN;
	return true;
}

void
table_all_forget(struct table *t, uint32_t feeder)
{
	if (t->all && t->all->shunned == feeder)
		t->all->shunned = NO_FEEDER;
}

void
table_all_free(struct table *t)
{
	struct stream *st = t->all;

	if (!st)
		return;
	stream_cuts_free(st);
	stream_fini(st);
	vmem_fini(MEM_TABLE, st->slot, all_slots_max(), load_relaxed64(&st->slot_open));
	mem_free(MEM_TABLE, st);
}
