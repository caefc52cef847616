/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a cache's data to the channels: the changes of an answer, additions first, then
 * removals, so that no route lacks its VRP while one VRP replaces another.
 *
 * I1  While changes are left, nothing is read from the cache (rpki_data, I4).
 * I2  One call carries the octets of several VRPs: one record of the ring, and one
 *     look-up of the attributes. Each customer has different attributes and needs a call.
 * I3  No change is announced while an answer is collected. A reload waits for the
 *     answer's end.
 *
 * Loop: the instance's. */
#include "lib/mem/arena.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_priv.h"

#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/json/json.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/aspa_set.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

#define STEP_RECORDS 4096 /* between two looks at the other work */

/* The contents of one call. */
struct batch {
	struct rpki_proto *s;
	struct rpki_chan *rc;
	bool there;
	uint32_t len;
	uint8_t nlri[REC_NLRI_MAX + NLRI_MAX + NLRI_SLACK];
};

/* rpki_feed_make_set - the attribute set of @list, with a reference. @list: NULL: of
 * VRPs. */
static OWNED struct attr_set *
rpki_feed_make_set(
    struct rpki_proto *s, struct rpki_chan *rc, const struct rpki_list *list)
{
	struct attr_store *store = s->p.tern->store;
	struct attr_set *set = NULL;
	struct attr_edit e;

	attr_edit_init(&e, &s->feed.arena, attr_store_empty(store));
	e.local = (struct attr_local){ .preference = channel_conf(rc->ch)->preference,
		.igp_metric = UINT32_MAX,
		.dest = DEST_UNICAST,
		.rts = RTS_RPKI };
	if (!list || !aspa_set_providers(&e, list->as, list->cnt))
		set = attr_store_edit(store, &e);
	arena_reset(&s->feed.arena);
	return set;
}

static void
rpki_feed_forget_set(struct rpki_proto *s, struct rpki_chan *rc)
{
	if (rc->vrp_set)
		attr_set_unref(s->p.tern->store, rc->vrp_set, 1);
	rc->vrp_set = NULL;
}

void
rpki_feed_forget(struct rpki_proto *s)
{
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		rpki_feed_forget_set(s, &s->chan[i]);
}

static void
rpki_feed_flush(struct batch *b)
{
	struct rpki_chan *rc = b->rc;

	if (!b->len)
		return;
	memset(b->nlri + b->len, 0, NLRI_SLACK);
	channel_import_part(rc->ch);
	if (!b->there) {
		channel_withdraw(rc->ch, b->nlri, b->len);
	} else {
		if (!rc->vrp_set)
			rc->vrp_set = rpki_feed_make_set(b->s, rc, NULL);
		channel_import_attrs(rc->ch, rc->vrp_set, b->nlri, b->len);
	}
	b->len = 0;
}

/* feed_announce_customer - announce a customer with the attributes of its list. */
static void
feed_announce_customer(struct batch *b, const struct rpki_change *c)
{
	struct attr_set *set = rpki_feed_make_set(b->s, b->rc, c->list);

	memset(b->nlri + b->len, 0, NLRI_SLACK);
	channel_import_part(b->rc->ch);
	if (set) {
		channel_import_attrs(b->rc->ch, set, b->nlri, b->len);
		attr_set_unref(b->s->p.tern->store, set, 1);
	} else {
		proto_log(&b->s->p, LOG_C_ERR, "AS%u has too many providers",
		    nlri_vrp(NLRI_ASPA, c->nlri.word, c->nlri.head).asn);
		channel_withdraw(b->rc->ch, b->nlri, b->len);
	}
	b->len = 0;
}

static void
rpki_feed_announce(struct batch *b, const struct rpki_change *c)
{
	enum nlri_kind kind = table_kind(channel_table(b->rc->ch));

	if (b->len && (b->there != c->there || b->len > REC_NLRI_MAX - NLRI_MAX))
		rpki_feed_flush(b);
	b->there = c->there;
	b->len += NLRI_BY_KIND(
	    kind, nlri_put, b->nlri + b->len, c->nlri.word, c->nlri.head);
	b->s->feed.added += c->there;
	b->s->feed.removed += !c->there;
	if (c->list)
		feed_announce_customer(b, c);
}

/* feed_chan - Returns: false: the table takes no more now, or the step is long enough. */
static bool
feed_chan(struct rpki_proto *s, struct rpki_chan *rc, uint32_t *left)
{
	struct batch b = { .s = s, .rc = rc };
	struct rpki_change c;

	if ((rpki_data_busy(&rc->data) || rc->again) && proto_life_is_up(&s->p) &&
	    !channel_import_ready(rc->ch))
		return false; /* import_ready */
	for (;;) {
		if (!rpki_data_busy(&rc->data)) {
			if (!rc->again)
				return true;
			rc->again = false;
			rpki_data_again(&rc->data);
		}
		while (b.len <= REC_NLRI_MAX - NLRI_MAX &&
		       rpki_data_next(&rc->data, &c, left)) {
			rpki_feed_announce(&b, &c);
			if (c.list && !channel_import_ready(rc->ch))
				break;
		}
		rpki_feed_flush(&b);
		if (proto_life_is_up(&s->p) && !channel_import_ready(rc->ch))
			return false; /* import_ready */
		if (rpki_data_busy(&rc->data) && !*left) {
			timer_set(&s->timers.more, 0);
			return false;
		}
	}
}

/* rpki_feed_event - the data of the cache has changed. */
static void
rpki_feed_event(const struct rpki_proto *s)
{
	struct event *e = event_new(s->p.tern, EVENT_RPKI_DATA);

	if (!e)
		return;
	json_str(&e->open.json, "protocol", s->p.name);
	json_u64(&e->open.json, "added", s->feed.added);
	json_u64(&e->open.json, "removed", s->feed.removed);
	json_u64(&e->open.json, "records", rpki_records(s));
	json_u64(&e->open.json, "serial", s->cache.serial);
	event_text(e, "%s: %u added, %u removed, %u in all", s->p.name, s->feed.added,
	    s->feed.removed, rpki_records(s));
	event_post(e);
}

static void
rpki_feed_fed(struct rpki_proto *s)
{
	s->feed.on = false;
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch &&
		    (s->feed.announced_all || s->feed.added || s->feed.removed))
			channel_import_whole(s->chan[i].ch);
	if (s->feed.announced_all && (s->feed.added || s->feed.removed)) {
		proto_log(&s->p, LOG_C_INFO,
		    "%u added, %u removed, %u in all (session id %u, serial %u)",
		    s->feed.added, s->feed.removed, rpki_records(s), s->cache.session,
		    s->cache.serial);
		rpki_feed_event(s);
	}
	s->feed.announced_all = false;
	s->feed.added = s->feed.removed = 0;
	timer_cancel(&s->timers.more);
	link_want(s, true);
	proto_settled(&s->p);
	rpki_try_gone(s);
}

void
rpki_feed(struct rpki_proto *s)
{
	uint32_t left = STEP_RECORDS;

	if (s->state == RPKI_RUNNING) /* I3 */
		return;
	if (!s->feed.on) {
		s->feed.on = true;
		link_want(s, false);
	}
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch && !feed_chan(s, &s->chan[i], &left))
			return;
	rpki_feed_fed(s);
}

void
rpki_feed_stop(struct rpki_proto *s)
{
	for (unsigned i = 0; i < RPKI_TABLES; i++) {
		struct rpki_chan *rc = &s->chan[i];

		rc->again = false;
		rpki_feed_forget_set(s, rc);
		rpki_data_clear(&rc->data);
	}
	s->feed.announced_all = false;
	s->feed.added = s->feed.removed = 0;
	rpki_feed(s);
}
