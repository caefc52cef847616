/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to report when an instance has carried out its commands.
 *
 * I1  Commands are carried out in order, so the request follows them. Their effects may
 *     continue: routes pass the import filter again in steps, or the class is busy. The
 *     request waits in p->acks until all effects are complete.
 * I2  Then marks follow the records of the channels, and return to the asker through the
 *     tables after publication. So a later look at the tables, or a request to their
 *     readers, sees all effects.
 * I3  Each request returns, even from an instance that ends (proto_gone).
 *
 * The end of a run (proto_run.c) checks for completion; completion at another time calls
 * worker_again, or proto_settled.
 *
 * Loop: the instance's, but for wait_ack_marked. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/proto.h"
#include "nest/rib/ids.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

/* A mark after the records of one channel; first to the table. */
struct ack_mark {
	struct table_mark mark;
	struct proto_ack *ack;
};

static void
wait_ack_marked(struct worker *w, TAKE struct msg *m)
{
	struct ack_mark *am = container_of(m, struct ack_mark, mark.msg);
	struct proto_ack *a = am->ack;

	(void)w;
	mem_free(MEM_PROTO, am);
	if (!--a->left)
		a->taken(a);
}

/* wait_ack_published - in the table's worker. */
static void
wait_ack_published(struct worker *w, TAKE struct msg *m)
{
	struct ack_mark *am = container_of(m, struct ack_mark, mark.msg);

	(void)w;
	am->mark.msg.handle = wait_ack_marked;
	am->mark.to = am->ack->to;
	table_marked(&am->mark);
}

/* wait_ack_mark - @t: the table to pass; NULL: none. */
static OWNED struct table_mark *
wait_ack_mark(struct proto_ack *a, struct table *t)
{
	struct ack_mark *am = mem_zalloc(MEM_PROTO, sizeof(*am));

	am->mark.msg.handle = t ? wait_ack_published : wait_ack_marked;
	am->mark.to = t ? table_worker(t) : a->to;
	am->ack = a;
	return &am->mark;
}

/* wait_send_mark - send @m after the records of @ch, or at once if the table has all
 * records (an empty ring would keep its memory) or the channel is being detached. */
static void
wait_send_mark(struct channel *ch, TAKE struct table_mark *m)
{
	if (ch->life.detaching || feeder_through(&ch->ts))
		table_marked(m);
	else
		channel_mark(ch, m);
}

/* wait_send_marks - a mark for each channel, and a mark at once. After the last mark, @a
 * belongs to the asker. */
static void
wait_send_marks(struct proto *p, TAKE struct proto_ack *a)
{
	/* a stopped instance has no channels */
	struct channel *first = p->end.stopped ? NULL : load_relaxed_ptr(&p->channels),
		       *ch;

	a->left = 1;
	for (ch = first; ch; ch = channel_next(ch))
		a->left++;
	for (ch = first; ch; ch = channel_next(ch))
		wait_send_mark(ch, wait_ack_mark(a, channel_table(ch)));
	table_marked(wait_ack_mark(a, NULL));
}

static bool
proto_wait_reloads(const struct channel *ch)
{
	return ch->imp.reload_waits || ch->imp.reload_pos != NO_ID || ch->imp.part_cnt;
}

/* proto_wait_busy - true: an effect of a command is incomplete. */
static bool
proto_wait_busy(const struct proto *p)
{
	const struct channel *ch = load_relaxed_ptr(&p->channels);

	if (p->end.stopped)
		return false;
	for (; ch; ch = channel_next(ch))
		if (ch->life.detaching || proto_wait_reloads(ch))
			return true;
	if (p->life.state == LIFE_CLOSING)
		return true;
	return p->cls->busy && p->cls->busy(p);
}

void
proto_settled(struct proto *p)
{
	struct proto_ack *a;

	if (!p->cmd.acks || proto_wait_busy(p))
		return;
	while ((a = p->cmd.acks)) {
		p->cmd.acks = a->next;
		wait_send_marks(p, a);
	}
}

void
proto_acknowledge(struct proto *p, TAKE struct proto_ack *a)
{
	struct channel *ch = p->end.stopped ? NULL : load_relaxed_ptr(&p->channels);

	for (; ch; ch = channel_next(ch))
		if (ch->sink)
			ch->life.ask_tail = reader_tail(ch->rd);
	a->next = p->cmd.acks;
	p->cmd.acks = a;
	proto_settled(p);
}
