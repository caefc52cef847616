/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Post-policy End-of-RIB of a session that came up while the station is connected (RFC
 * 7854, 5). The instance sends End-of-RIB after the peer sent End-of-RIB and the station
 * got all earlier routes.
 *
 * I1  The instance follows the routes of a session through three stages: the ring to the
 *     table is empty (channel_through); a mark passes through the inbox of the table, so
 *     the routes of the ring are published; the reader reaches the journal tail of the
 *     mark and has no dirty net.
 * I2  The answer to a mark arrives before the answer to reader_detach, because both
 *     messages pass the table and return in order. So the reader of an answered mark
 *     exists.
 * I3  A reader that starts after the End-of-RIB of the peer sends End-of-RIB by itself
 *     (synced) and needs no mark.
 *
 * Loop: the instance's, but for marked functions. Tested by test/net/test_bmp.py. */
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bmp.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"

/* An End-of-RIB that waits for the routes before it. */
struct bmp_end {
	struct msg msg; /* first; to the table and back */
	struct list link; /* of bmp_rib.ends, after the answer */
	struct bmp_rib *rib;
	uint32_t life; /* number */
	uint64_t tail; /* of the journal, at the time of the answer */
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

/* end_passes - table's thread: the table has published all routes before the mark. */
static void
end_passes(struct worker *w, TAKE struct msg *m)
{
	struct bmp_end *e = container_of(m, struct bmp_end, msg);

	(void)w;
	e->msg.handle = end_back;
	worker_post(&e->rib->bmp->p.worker, &e->msg);
}

/* end_begin - the routes of @who are in the table of @r: send a mark to the table. */
static void
end_begin(struct bmp_rib *r, const struct bmp_who *who)
{
	struct bmp_end *e = mem_zalloc(MEM_PROTO, sizeof(*e));

	e->msg.handle = end_passes;
	e->rib = r;
	e->life = who->life->nr;
	worker_post(table_worker(r->table), &e->msg);
}

/* bmp_end_look - look at the channels of @who, beginning with @ch. Returns: true: routes
 * of some channel have not reached the table. */
static bool
bmp_end_look(struct bmp_station *st, struct bmp_who *who, struct channel *ch)
{
	struct bmp_reported_who *at = bmp_at(who, st);
	uint8_t wait = 0;

	for (; ch; ch = channel_next(ch)) {
		uint8_t bit = FAM_BIT(channel_family(ch));
		struct bmp_rib *r = bmp_rib_find(st, channel_table(ch), true);

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
		if (bmp_is_reported(w, st))
			more |= bmp_end_look(st, w,
			    load_acquire_ptr(&v->proto[i]->channels)); /* pairs: PCHAN */
		else
			more |= w->life != NULL; /* Peer Up waits for room */
	}
	st->wanted.ends = more;
	return more;
}

static const struct monitor_life *
end_life(const struct bmp_end *e)
{
	struct htab_node *n;

	htab_each_same (n, &e->rib->st->lives, e->life)
		return container_of(n, struct bmp_reported_who, node)->reported;
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

		if (!reader_has_read(&r->reader, e->tail) ||
		    !reader_caught_up(&r->reader) || !bmp_room(r->st))
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
