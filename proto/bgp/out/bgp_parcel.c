/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single nets into messages that only this session sends, for nets that cannot be sent as
 * a whole segment: nets with a newer segment, nets that are not dirty, filters that read
 * the net, withdrawals with only some bits set.
 *
 * I1  Bits change when a net is put into a parcel, so the rest of the callback sees the
 *     new bits. All parcels are sent before another message is queued (sink.h, G2).
 *
 * Loop: the session's. Tested by test/prop/prop_spine.c and
 * test/unit/test_channel_send.c. */
#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sink.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/msg_piece.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "proto/bgp/out/adj_out.h"
#include "proto/bgp/out/bgp_rules.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/msg_cache.h"
#include "proto/bgp/out/session_class.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define UNSENT_NS (60 * NS_PER_S) /* between two lines in the log, of all sessions */

void
bgp_log_unsent(struct bgp_sink *k, const struct session_class *cls,
    const struct wire_set *w, const uint8_t *nlri, uint32_t len)
{
	struct channel *ch = k->sink.ch;
	enum family fam = channel_family(ch);
	enum reason why = bgp_class_has_hop(&cls->bgp, fam, w)
			      ? REASON_TOO_LONG
			      : bgp_rules_no_hop(&cls->bgp, fam, w);
	struct bgp_unsent *u = class_registry_unsent(
	    channel_proto(ch)->tern->session_classes);
	uint64_t now = loop_now_ns(&channel_proto(ch)->worker);
	uint64_t said = load_relaxed64(&u->said_ns), cnt = 0;
	uint32_t ids = k->sink.all ? NLRI_ID_LEN : 0;
	char net[PREFIX_STR_MAX], more[64] = "";
	struct prefix p;

	k->sink.reason = (uint8_t)why;
	if (k->quiet)
		return;
	for (uint32_t pos = 0; pos < len; cnt++)
		pos += ids + prefix_wire_len(nlri[pos + ids]);
	add_relaxed64(&u->cnt, cnt);
	if ((said && now < said + UNSENT_NS) ||
	    /* one session logs for all sessions */
	    !cas_acq_rel64(&u->said_ns, &said, now))
		return;
	cnt = xchg_acq_rel64(&u->cnt, 0);
	if (cnt > 1)
		snprintf(more, sizeof(more), " (and %" PRIu64 " more so far)", cnt - 1);
	prefix_get(&p, nlri + ids, fam);
	log_msg(LOG_C_ERR, "%s: %s isn't sent: %s%s", channel_proto(ch)->name,
	    prefix_str(net, &p), reason_text(why), more);
}

#define HOP_LOG_NS (60 * NS_PER_S) /* between two lines in the log about one reason */

void
bgp_log_refused(struct sink *sink, const uint8_t *nlri, const struct export_answer *a)
{
	struct bgp_sink *k = container_of(sink, struct bgp_sink, sink);
	const struct proto *p = channel_proto(sink->ch);
	bool own = a->reason == REASON_PEER_NEXT_HOP;
	uint64_t now = loop_now_ns(&p->worker), *said = &k->hop_log_ns[own];
	char hop[IP_STR_MAX], net[PREFIX_STR_MAX];
	struct prefix prefix;

	if (k->quiet || (!own && a->reason != REASON_UNMAPPED_NEXT_HOP))
		return;
	if (*said && now - *said < HOP_LOG_NS)
		return;
	*said = now;
	prefix_get(&prefix, nlri, channel_family(sink->ch));
	prefix_str(net, &prefix);
	if (own)
		log_msg(LOG_C_INFO, "%s: %s isn't sent to its own next hop %s", p->name,
		    net, ip_str(hop, k->rules.peer_addr));
	else
		log_msg(LOG_C_WARN,
		    "%s: %s isn't sent: the next hop map has no entry for the next hop "
		    "%s",
		    p->name, net, ip_str(hop, wire_next_hop(a->set->wire)));
}

/* ---- one parcel ---- */

/* bgp_parcel_failed - the announcement cannot be encoded: the peer will not hold the
 * nets. The NLRI of the nets that the peer held until now remain, to be withdrawn. */
static void
bgp_parcel_failed(struct bgp_sink *k, struct parcel *p)
{
	struct channel_stats *st = channel_stats(k->sink.ch);
	uint32_t ids = k->sink.all ? NLRI_ID_LEN : 0, at = 0, kept = 0;

	bgp_log_unsent(k, p->cls, p->wire, p->nlri, p->len);
	for (uint32_t i = 0; i < p->net_cnt; i++) {
		uint32_t len = ids + prefix_wire_len(p->nlri[at + ids]);

		adj_out_gone(&k->adj, p->net[i].id, 1);
		if (p->net[i].held) {
			memmove(p->nlri + kept, p->nlri + at, len);
			kept += len;
		}
		at += len;
	}
	p->len = kept;
	k->sink.held = k->adj.out_cnt;
	counter64_bump(&st->exp_upd_accepted, -(uint64_t)p->net_cnt);
	counter64_bump(&st->exp_upd_rejected, p->net_cnt);
	counter64_bump(&st->reason[k->sink.reason], p->net_cnt);
}

static void
bgp_parcel_send(struct bgp_sink *k, struct parcel *p)
{
	const struct session_class *cls = p->wire ? p->cls : k->classes.cls;
	struct table *t = channel_from(k->sink.ch);
	struct arena *a = k->sink.arena;
	struct msg_piece m;
	bool ok;

	if (!p->used)
		return;
	ok = p->len && msg_build(t, cls, p->wire, p->nlri, p->len, a, &m);
	if (!ok && p->len && p->wire) {
		bgp_parcel_failed(k, p);
		ok = p->len && msg_build(t, cls, NULL, p->nlri, p->len, a, &m);
	}
	if (ok) {
		counter64_bump(&channel_stats(k->sink.ch)->messages_built, m.msg_cnt);
		bgp_put(k, &m);
	}
	if (p->wire)
		wire_set_unref(table_store(t), p->wire);
	*p = (struct parcel){ 0 };
}

/* parcel_room - room in the array @p for @need items of @size octets, and 16 spare
 * octets, until the end of the callback. */
static void *
parcel_room(struct bgp_sink *k, void *p, uint32_t *cap, uint32_t need, size_t size)
{
	uint32_t old = *cap;
	void *fresh;

	if (need <= old)
		return p;
	*cap = (uint32_t)max_u64(2 * (uint64_t)old, max_u64(need, 64));
	fresh = arena_alloc(k->sink.arena, *cap * size + 16);
	if (old)
		memcpy(fresh, p, old * size);
	return fresh;
}

static void
bgp_parcel_add(struct bgp_sink *k, struct parcel *p, const uint8_t *nlri, uint32_t len)
{
	p->used = true;
	p->nlri = parcel_room(k, p->nlri, &p->cap, p->len + len, 1);
	memcpy(p->nlri + p->len, nlri, len);
	p->len += len;
}

/* parcel_note - net @id is about to be announced in @p. */
static void
parcel_note(struct bgp_sink *k, struct parcel *p, uint32_t id)
{
	p->net = parcel_room(k, p->net, &p->net_cap, p->net_cnt + 1, sizeof(*p->net));
	p->net[p->net_cnt++] = (struct parcel_net){ id, bitmap_test(&k->adj.out, id) };
}

/* ---- all of them ---- */

/* bgp_parcel_parcels - there are some from now on, until they are sent. */
static struct parcel *
bgp_parcel_parcels(struct bgp_sink *k)
{
	if (!k->parcel) {
		k->parcel = arena_alloc(
		    k->sink.arena, (1 + BGP_PARCELS) * sizeof(*k->parcel));
		memset(k->parcel, 0, (1 + BGP_PARCELS) * sizeof(*k->parcel));
	}
	return k->parcel;
}

bool
bgp_parcel_withdraw(struct bgp_sink *k, uint32_t id, const uint8_t *nlri, uint32_t len)
{
	if (!bitmap_test(&k->adj.out, id))
		return false;
	bgp_parcel_add(k, &bgp_parcel_parcels(k)[0], nlri, len);
	adj_out_gone(&k->adj, id, 1);
	return true;
}

/* bgp_parcel_fits - can @wire be sent with the longest of prefixes? */
static bool
bgp_parcel_fits(
    const struct bgp_sink *k, const struct session_class *cls, struct wire_set *wire)
{
	struct table *t = channel_from(k->sink.ch);
	uint8_t nlri[NLRI_ID_LEN + PREFIX_WIRE_MAX + NLRI_SLACK] = { 0 };
	uint8_t bits = table_family(t) == FAM_IP4 ? 32 : 128;
	uint32_t ids = k->sink.all ? NLRI_ID_LEN : 0;
	struct msg_piece m;

	nlri[ids] = bits;
	return msg_build(
	    t, cls, wire, nlri, ids + prefix_wire_len(bits), k->sink.arena, &m);
}

/* parcel_of - where announcements of @wire and @cls are collected; makes place for them.
 * Returns: NULL: the prefixes can't be sent. */
static struct parcel *
parcel_of(struct bgp_sink *k, const struct session_class *cls, struct wire_set *wire)
{
	struct parcel *p = bgp_parcel_parcels(k);
	unsigned i;

	for (i = 1; i <= BGP_PARCELS && p[i].used; i++)
		if (p[i].wire == wire && p[i].cls == cls)
			break;
	if (i > BGP_PARCELS) {
		i = 1 + k->parcel_next++ % BGP_PARCELS;
		bgp_parcel_send(k, &p[i]);
	}
	if (p[i].used)
		return &p[i];
	if (k->sink.no_promise && !bgp_parcel_fits(k, cls, wire))
		return NULL;
	p[i].wire = wire_set_ref(wire);
	p[i].cls = cls;
	return &p[i];
}

bool
bgp_parcel_announce(struct bgp_sink *k, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	const struct session_class *cls = bgp_class_for(k, s, a);
	struct parcel *p = parcel_of(k, cls, a->set->wire);

	if (!p) {
		bgp_log_unsent(k, cls, a->set->wire, n->nlri, n->nlri_len);
		return false;
	}
	bgp_parcel_add(k, p, n->nlri, n->nlri_len);
	for (struct seg_nets w = seg_nets_of(n->run, n->run_cnt); seg_nets_next(&w);)
		parcel_note(k, p, w.id);
	return true;
}

void
bgp_parcels_send(struct bgp_sink *k)
{
	for (unsigned i = 0; k->parcel && i <= BGP_PARCELS; i++)
		bgp_parcel_send(k, &k->parcel[i]);
	k->parcel = NULL;
}

void
bgp_refused_add(struct bgp_sink *k, const uint8_t *nlri, uint32_t len)
{
	bgp_parcel_add(k, &k->refused, nlri, len);
	k->sink.queued += len;
}

void
bgp_refused_send(struct bgp_sink *k)
{
	bgp_parcel_send(k, &k->refused);
}
