/* SPDX-License-Identifier: GPL-3.0-or-later */
/* End-of-RIB after policy, of a session that has come up while the station is connected
 * (RFC 7854, 5): when the peer has sent its End-of-RIB, and the station was told all
 * routes that came before it.
 *
 * I1  The way of a session's routes is followed to its end: the ring to the table is
 *     empty (channel_through), then a mark passes through the table's inbox, so that what
 *     was on the ring is published, then the reader has read up to there and has nothing
 *     dirty.
 * I2  A mark is answered before the answer to reader_detach, as both go to the table and
 *     back in order: so its reader is there.
 * I3  A reader that starts later tells End-of-RIB by itself (synced), and needs no mark.
 *
 * Loop: the instance's, but for what is marked. Tested by test/net/test_bmp.py. */
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bmp.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "nest/tern.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"

/* An End-of-RIB on its way. */
struct bmp_end {
	struct msg msg; /* first; to the table and back */
	struct list link; /* of bmp_rib.ends, when it is back */
	struct bmp_rib *rib;
	uint32_t life; /* number */
	uint64_t tail; /* of the journal, when it was back */
};

/* end_back - the mark is back. */
static void
end_back(struct worker *w, TAKE struct msg *m)
{
	struct bmp_end *e = container_of(m, struct bmp_end, msg);
	struct bmp_rib *r = e->rib;

	if (r->leaving || !r->reader.on) { /* I3 */
		mem_free(MEM_PROTO, e);
		return;
	}
	e->tail = reader_tail(&r->reader);
	list_add_tail(&r->ends, &e->link);
	worker_again(w);
}

/* end_passes - table's thread: what came before is published. */
static void
end_passes(struct worker *w, TAKE struct msg *m)
{
	struct bmp_end *e = container_of(m, struct bmp_end, msg);

	(void)w;
	e->msg.handle = end_back;
	worker_post(&e->rib->bmp->p.worker, &e->msg);
}

/* end_begin - routes of @who are in the table of @r. */
static void
end_begin(struct bmp_rib *r, const struct bmp_who *who)
{
	struct bmp_end *e = mem_zalloc(MEM_PROTO, sizeof(*e));

	e->msg.handle = end_passes;
	e->rib = r;
	e->life = who->life->nr;
	worker_post(table_worker(r->table), &e->msg);
}

/* look_at - the channels of @who, whose first one is @ch. Returns: true if routes of
 * some are still on their way to a table. */
static bool
look_at(struct bmp_station *st, struct bmp_who *who, struct channel *ch)
{
	struct bmp_told_who *at = bmp_at(who, st);
	uint8_t wait = 0;

	for (; ch; ch = channel_next(ch)) {
		uint8_t bit = FAM_BIT(channel_family(ch));
		struct bmp_rib *r = bmp_rib_of(st, channel_table(ch));

		if (!(at->ends & bit) || !r || !r->reader.on) /* I3 */
			continue;
		if (channel_through(ch))
			end_begin(r, who);
		else
			wait |= bit;
	}
	at->ends = wait;
	return wait != 0;
}

bool
bmp_ends_look(struct bmp_station *st)
{
	const struct tern_view *v = tern_view_get(st->bmp->p.tern);
	bool more = false;

	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		struct bmp_who *w = bmp_find(st->bmp, v->proto[i]->name);

		if (!w || !bmp_at(w, st)->ends)
			continue;
		if (bmp_is_told(w, st))
			more |= look_at(st, w,
			    load_acquire_ptr(&v->proto[i]->channels)); /* pairs: PCHAN */
		else
			more |= w->life != NULL; /* Peer Up waits for room */
	}
	st->ends_wanted = more;
	return more;
}

static const struct monitor_life *
end_life(const struct bmp_end *e)
{
	struct htab_node *n;

	htab_each_same (n, &e->rib->st->lives, e->life)
		return container_of(n, struct bmp_told_who, node)->told;
	return NULL;
}

static void
end_free(TAKE struct bmp_end *e)
{
	list_del(&e->link);
	mem_free(MEM_PROTO, e);
}

void
bmp_ends_run(struct bmp_rib *r)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &r->ends) {
		struct bmp_end *e = container_of(n, struct bmp_end, link);
		const struct monitor_life *l = end_life(e);
		struct bmp_peer head;

		if (!reader_has_read(&r->reader, e->tail) || !reader_level(&r->reader) ||
		    !bmp_room(r->st))
			return;
		if (l) {
			head = bmp_header(l, BMP_FLAG_POST, bmp_now_us());
			bmp_put_eor(r->st, &head, table_family(r->table));
		}
		end_free(e);
	}
}

void
bmp_ends_drop(struct bmp_rib *r)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &r->ends)
		end_free(container_of(n, struct bmp_end, link));
}
