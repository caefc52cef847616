/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker and the reader of a follower (follower.h). Loop: the follower's. Tested by
 * test/unit/test_match_index.c, test/unit/test_rpki_index.c and test/net/test_igp.py. */
#include "nest/rib/index/follower.h"

#include "lib/mem/mem.h"
#include "nest/core/tern.h"
#include "nest/rib/stream/read_ids.h"
#include "nest/rib/table.h"

static struct follower *
follower_of_reader(const struct reader *r)
{
	return (struct follower *)(uintptr_t)container_of(r, struct follower, reader);
}

OWNED struct msg *
follower_msg(void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->handle = fn;
	return m;
}

void
follower_msg_free(TAKE struct msg *m)
{
	mem_free(MEM_TABLE, m);
}

/* ---- the reader ---- */

static size_t
follower_room(struct reader *r)
{
	return follower_of_reader(r)->ops->flush_nets;
}

static void
follower_net(struct reader *r, uint32_t id, bool has)
{
	struct follower *f = follower_of_reader(r);

	f->ops->net(f, id, has);
}

static void
follower_segment(struct reader *r, struct segment *s, enum read_check check)
{
	reader_ids(r, s, check, follower_net);
}

static void
follower_nets_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	reader_gone_ids(r, id, cnt, follower_net);
}

static uint32_t
follower_holds(const struct reader *r, uint32_t id, uint32_t cnt)
{
	const struct follower *f = follower_of_reader(r);

	return f->ops->holds(f, id, cnt);
}

static void
follower_flush(struct reader *r)
{
	struct follower *f = follower_of_reader(r);

	f->ops->flush(f);
}

static const struct reader_ops reader_ops = {
	.room = follower_room,
	.run = reader_run_none,
	.segment = follower_segment,
	.gone = follower_nets_gone,
	.holds = follower_holds,
	.flush = follower_flush,
};

/* ---- life ---- */

static void
follower_try_end(struct follower *f)
{
	if (f->left && !f->graces)
		worker_stop(&f->worker);
}

static void
follower_left(struct worker *w, TAKE struct msg *m)
{
	struct follower *f = follower_of_worker(w);

	follower_msg_free(m);
	f->left = true;
	follower_try_end(f);
}

void
follower_leave(struct follower *f)
{
	f->asked = true;
	if (!f->attached || f->leaving)
		return;
	f->leaving = true;
	f->ops->leave(f);
	reader_stop(&f->reader);
	reader_detach(&f->reader, follower_msg(follower_left));
}

void
follower_grace_begin(struct follower *f)
{
	f->graces++;
}

void
follower_grace_end(struct follower *f)
{
	f->graces--;
	follower_try_end(f);
}

static void
follower_attached(struct worker *w, TAKE struct msg *m)
{
	struct follower *f = follower_of_worker(w);

	follower_msg_free(m);
	f->attached = true;
	reader_start(&f->reader);
	f->ops->attached(f);
	if (f->asked)
		follower_leave(f);
}

static void
follower_begin(struct worker *w)
{
	struct follower *f = follower_of_worker(w);

	if (f->ops->start)
		f->ops->start(f);
	reader_attach(&f->reader, follower_msg(follower_attached));
}

static void
follower_run(struct worker *w)
{
	struct follower *f = follower_of_worker(w);
	bool idle;

	reader_wake_more(&f->reader);
	idle = !f->reader.on || !reader_run(&f->reader);
	if (!idle)
		worker_again(w);
	if (f->ops->run)
		f->ops->run(f, idle);
	reader_listen(&f->reader);
}

static void
follower_gone(struct worker *w)
{
	struct follower *f = follower_of_worker(w);
	struct tern *tern = f->tern;

	reader_fini(&f->reader);
	table_unuse(f->table);
	arena_fini(&f->arena);
	f->ops->free(f);
	tern_worker_gone(tern);
}

static const struct worker_ops worker_ops = {
	.start = follower_begin,
	.run = follower_run,
	.gone = follower_gone,
};

void
follower_init(struct follower *f, struct tern *tern, struct table *t,
    const struct follower_ops *ops)
{
	f->ops = ops;
	f->tern = tern;
	f->table = t;
	table_use(t);
	arena_init(&f->arena, MEM_TABLE, 4096);
	reader_init(&f->reader, t, &f->worker, &reader_ops, &f->arena);
}

void
follower_start(struct follower *f, const char *name)
{
	tern_worker_start(f->tern);
	worker_start(&f->worker, &worker_ops, WORKER_TABLE, name);
}
