/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records on their way to the table.
 *
 * I1  Records leave in the order of their making: new records follow pending records. The
 *     protocol does not call channel_import while records are pending, so at most the
 *     records of one UPDATE are pending.
 *
 * Runs in the session's thread. Tested by test/unit/test_channel_import.c and
 * test/unit/test_reader_early.c. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/ring.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_override_priv.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

static uint32_t
records_rec_len(const struct rec *r)
{
	return (uint32_t)sizeof(*r) + r->nlri_len + REC_SLACK;
}

static void
records_fill_rec(struct channel *ch, void *to, const struct rec *r, const uint8_t *nlri)
{
	struct rec *rec = to;

	*rec = *r;
	if (r->nlri_len)
		memcpy(rec->nlri, nlri, r->nlri_len);
	memset(rec->nlri + r->nlri_len, 0, REC_SLACK);
	if (channel_is_over(ch) && r->type == REC_ANNOUNCE)
		channel_own_note(ch, rec);
}

void
channel_post_rec(struct channel *ch, const struct rec *r, const uint8_t *nlri)
{
	struct pending *pd = &ch->imp.pend;
	uint32_t len = records_rec_len(r), need = (len + 7 + 8) & ~7u;
	void *to;

	proto_changes_await(ch->proto->changes);
	if (!pd->len && (to = ring_reserve(&ch->ts.ring, len))) {
		records_fill_rec(ch, to, r, nlri);
		ring_commit(&ch->ts.ring);
		feeder_activate(&ch->ts);
		return;
	}
	store_relaxed32(&ch->ts.queue.behind, 1);
	pd->buf = vec_room(MEM_PROTO, pd->buf, &pd->cap, pd->len + need, 1);
	*(uint64_t *)(void *)(pd->buf + pd->len) = len;
	records_fill_rec(ch, pd->buf + pd->len + 8, r, nlri);
	pd->len += need;
}

bool
channel_flush_pending(struct channel *ch)
{
	struct pending *pd = &ch->imp.pend;

	if (!pd->len)
		return true;
	while (pd->pos < pd->len) {
		uint32_t len = (uint32_t) * (uint64_t *)(void *)(pd->buf + pd->pos);
		void *to = ring_reserve(&ch->ts.ring, len);

		if (!to)
			return false;
		memcpy(to, pd->buf + pd->pos + 8, len);
		ring_commit(&ch->ts.ring);
		feeder_activate(&ch->ts);
		pd->pos += (len + 7 + 8) & ~7u;
	}
	mem_free(MEM_PROTO, pd->buf);
	*pd = (struct pending){ 0 };
	store_release32(&ch->ts.queue.behind, 0); /* pairs: FBEHIND */
	return true;
}

bool
channel_import_ready(struct channel *ch)
{
	if (!ch->imp.pend.len && !ch->rpki.held_in)
		return true;
	ch->imp.was_blocked = true;
	return false;
}

void
channel_mark(struct channel *ch, TAKE struct table_mark *m)
{
	channel_post_rec(ch, &(struct rec){ .type = REC_MARK, .mark = m }, NULL);
}

bool
channel_table_has(const struct channel *ch, const uint8_t *nlri,
    const struct attr_set *set, bool accepted)
{
	uint32_t rid = ch->imp.id_len ? get_be32(nlri) : 0;
	const struct path *p;
	const struct net *n;
	struct nlri k;

	NLRI_BY_KIND(ch->kind, nlri_get, &k, nlri + ch->imp.id_len);
	n = table_find_nlri(ch->table, &k);
	for (p = n ? net_first(n) : NULL; p; p = path_next(p))
		if (path_src(p) == load_relaxed32(&ch->ts.id) && path_rid(p) == rid &&
		    path_live(ch->table, p))
			return path_filtered(p) == !accepted && path_set(p) == set;
	return !accepted && !channel_notes_pre(ch);
}

void
channel_post_limits(struct channel *ch)
{
	struct rec rec = { .type = REC_LIMITS };

	ch->imp.limit = ch->cf->limit.import;
	channel_override_limit(ch, &ch->imp.limit);
	rec.limit[0] = ch->imp.limit;
	rec.limit[1] = ch->cf->limit.receive;
	rec.prefix_cnt = ch->cf->limit.net;
	channel_post_rec(ch, &rec, NULL);
}
