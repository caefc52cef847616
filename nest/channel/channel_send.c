/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a segment to messages for one peer. Runs in the session's thread.
 *
 * The quick way: one decision, the shared messages of the session's class, bits set by
 * ranges. Whatever isn't whole (nets that have a newer segment, nets that aren't dirty,
 * filters that look at the prefix, withdrawals of which only some bits are set) goes net
 * by net into messages of the session's own.
 *
 * I1  Bits are changed when a message is queued: what follows in the same callback sees
 * them. */
#include "nest/channel/channel_priv.h"

#include "sysdep/clock.h"
#include "sysdep/log.h"
#include <inttypes.h>
#include <stdio.h>

#define GROUPS                                                                           \
	8 /* sets that are collected at a time when a filter decides net by net   \
		  */

/* sent, unsent - the peer is being told that nets have a route, or none. */
static inline void
sent(struct channel *ch, uint32_t id, uint32_t cnt)
{
	adj_out_sent(&ch->adj, id, cnt);
	reader_clean(&ch->rd, id, cnt);
}

static inline void
unsent(struct channel *ch, uint32_t id, uint32_t cnt)
{
	adj_out_gone(&ch->adj, id, cnt);
	reader_clean(&ch->rd, id, cnt);
}

static void
put(struct channel *ch, const struct msg_piece *m)
{
	ch->ops->tx_put(ch, m);
	ch->rd.queued += m->len;
	counter64_bump(&ch->stats.messages_sent, m->msg_cnt);
}

static void
count_refused(struct channel *ch, const struct export_answer *a, uint32_t cnt)
{
	counter64_bump(
	    a->ruled ? &ch->stats.exp_upd_rejected : &ch->stats.exp_upd_filtered, cnt);
}

/* class_for - what announcements of @s look like that @a is about. */
static const struct session_class *
class_for(struct channel *ch, const struct segment *s, const struct export_answer *a)
{
	if (unlikely(a->hop_stays))
		return ch->cls_hop;
	if (likely(!(s->marks & SEG_IBGP)))
		return ch->cls;
	if (!ch->reflect)
		return ch->cls_ibgp;
	session_class_from(&ch->cls_from, ch->cls_ibgp, s->facts->src.peer_router_id);
	return &ch->cls_from;
}

#define UNSENT_NS (60 * NS_PER_S) /* between two lines in the log, of all sessions */

/* tell_unsent - the nets of @nlri can't be announced to the peer; say so now and then. */
static void
tell_unsent(struct channel *ch, const uint8_t *nlri, uint32_t len)
{
	struct table *t = ch->table;
	uint64_t now = loop_now_ns(&ch->proto->worker);
	uint64_t said = load_relaxed64(&t->unsent_ns), cnt = 0;
	char net[PREFIX_STR_MAX], more[64] = "";
	struct prefix p;

	for (uint32_t pos = 0; pos < len; pos += prefix_wire_len(nlri[pos]))
		cnt++;
	add_relaxed64(&t->unsent, cnt);
	if ((said && now < said + UNSENT_NS) ||
	    !cas_acq_rel64(&t->unsent_ns, &said, now)) /* one session tells for all */
		return;
	cnt = xchg_acq_rel64(&t->unsent, 0);
	if (cnt > 1)
		snprintf(more, sizeof(more), " (and %" PRIu64 " more so far)", cnt - 1);
	prefix_get(&p, nlri, ch->fam);
	log_msg(LOG_C_ERR,
	    "%s: %s isn't sent: its attributes are too long for a message, or no address "
	    "of ours can be its next hop%s",
	    ch->proto->name, prefix_str(net, &p), more);
}

#define OWN_HOP_NS (60 * NS_PER_S) /* between two lines in the log */

/* tell_own_hop - the net at @nlri isn't sent to the peer, which would be its next hop itself; say so now and
 * then. */
static void
tell_own_hop(struct channel *ch, const uint8_t *nlri)
{
	uint64_t now = loop_now_ns(&ch->proto->worker);
	char hop[IP_STR_MAX], net[PREFIX_STR_MAX];
	struct prefix p;

	if (ch->own_hop_ns && now - ch->own_hop_ns < OWN_HOP_NS)
		return;
	ch->own_hop_ns = now;
	prefix_get(&p, nlri, ch->fam);
	log_msg(LOG_C_INFO, "%s: %s isn't sent to its own next hop %s", ch->proto->name,
	    prefix_str(net, &p), ip_str(hop, ch->view->rules.peer_addr));
}

/* ---- net by net ---- */

/* own: parcel[0] is for withdrawals. */
struct parcels {
	struct channel *ch;
	const struct segment *seg; /* NULL: only withdrawals */
	struct parcel p[GROUPS + 1];
	unsigned cnt;
};

/* parcel_failed - it can't be encoded: the peer won't hold its nets. */
static void
parcel_failed(struct channel *ch, const struct parcel *p)
{
	tell_unsent(ch, p->nlri, p->len);
	for (uint32_t i = 0; i < p->id_cnt; i++)
		unsent(ch, p->id[i], 1);
	counter64_bump(&ch->stats.exp_upd_accepted, -(uint64_t)p->id_cnt);
	counter64_bump(&ch->stats.exp_upd_rejected, p->id_cnt);
}

static void
parcel_send(struct channel *ch, struct parcel *p)
{
	const struct session_class *cls = p->wire ? p->cls : ch->cls;
	struct msg_piece m;
	bool ok;

	if (!p->used)
		return;
	ok = p->len &&
	     msg_build(ch->table, cls, p->wire, p->nlri, p->len, &ch->arena, &m);
	if (!ok && p->len && p->wire) { /* what the peer held until now must go */
		parcel_failed(ch, p);
		ok = msg_build(ch->table, cls, NULL, p->nlri, p->len, &ch->arena, &m);
	}
	if (ok) {
		counter64_bump(&ch->stats.messages_built, m.msg_cnt);
		put(ch, &m);
	}
	if (p->wire)
		wire_set_unref(ch->table->store, p->wire);
	*p = (struct parcel){ 0 };
}

static void
parcel_add(struct channel *ch, struct parcel *p, const uint8_t *nlri, uint32_t len)
{
	if (p->len + len > p->cap) {
		uint32_t cap = p->cap ? 2 * p->cap : 256;
		uint8_t *fresh = arena_alloc(&ch->arena, cap + 16);

		if (p->len)
			memcpy(fresh, p->nlri, p->len);
		p->nlri = fresh;
		p->cap = cap;
	}
	memcpy(p->nlri + p->len, nlri, len);
	p->len += len;
}

/* parcel_note - net @id is announced in @p. */
static void
parcel_note(struct channel *ch, struct parcel *p, uint32_t id)
{
	if (p->id_cnt == p->id_cap) {
		uint32_t cap = p->id_cap ? 2 * p->id_cap : 64;
		uint32_t *fresh = arena_alloc(&ch->arena, cap * sizeof(*fresh));

		if (p->id_cnt)
			memcpy(fresh, p->id, p->id_cnt * sizeof(*fresh));
		p->id = fresh;
		p->id_cap = cap;
	}
	p->id[p->id_cnt++] = id;
}

static void
parcels_withdraw(struct parcels *ps, uint32_t id, const uint8_t *nlri, uint32_t len)
{
	struct channel *ch = ps->ch;

	if (bitmap_test(&ch->adj.out, id)) {
		ps->p[0].used = true;
		parcel_add(ch, &ps->p[0], nlri, len);
		counter64_bump(&ch->stats.exp_wd_accepted, 1);
	}
	unsent(ch, id, 1);
}

/* limit_blocks - does `export limit N action block` keep one more net from the peer? */
static bool
limit_blocks(const struct channel *ch, uint32_t id)
{
	const struct conf_limit *l = &ch->cf->export_limit;

	return l->action == LIMIT_BLOCK && ch->adj.out_cnt >= l->max &&
	       !bitmap_test(&ch->adj.out, id);
}

/* crosses - would all of @s take the channel beyond its export limit? */
static bool
crosses(const struct channel *ch, const struct segment *s)
{
	const struct conf_limit *l = &ch->cf->export_limit;

	return l->action == LIMIT_BLOCK && ch->adj.out_cnt + s->nets.cnt > l->max;
}

static void
parcels_announce(struct parcels *ps, uint32_t id, const struct export_answer *a,
    const uint8_t *nlri, uint32_t len)
{
	struct channel *ch = ps->ch;
	const struct session_class *cls = class_for(ch, ps->seg, a);
	struct wire_set *wire = a->set->wire;
	unsigned i;

	for (i = 1; i <= GROUPS && ps->p[i].used; i++)
		if (ps->p[i].wire == wire && ps->p[i].cls == cls)
			break;
	if (i > GROUPS) {
		i = 1 + ps->cnt++ % GROUPS;
		parcel_send(ch, &ps->p[i]);
	}
	if (!ps->p[i].used) {
		ps->p[i].used = true;
		ps->p[i].wire = wire_set_ref(wire);
		ps->p[i].cls = cls;
	}
	parcel_add(ch, &ps->p[i], nlri, len);
	parcel_note(ch, &ps->p[i], id);
	sent(ch, id, 1);
	counter64_bump(&ch->stats.exp_upd_accepted, 1);
}

static void
parcels_send(struct parcels *ps)
{
	for (unsigned i = 0; i <= GROUPS; i++)
		parcel_send(ps->ch, &ps->p[i]);
}

static void
send_net(struct parcels *ps, uint32_t id, const struct export_answer *a,
    const uint8_t *nlri, uint32_t len)
{
	struct channel *ch = ps->ch;
	bool blocked = a->verdict == EXPORT_ACCEPT && limit_blocks(ch, id);

	ch->blocked |= blocked;
	if (unlikely(ch->traces))
		channel_trace_export(ch, id, nlri, ps->seg->set ? a : NULL, blocked);
	if (a->verdict == EXPORT_ACCEPT && !blocked)
		parcels_announce(ps, id, a, nlri, len);
	else
		parcels_withdraw(ps, id, nlri, len);
}

/* by_net - those nets of @s that are news. @whole: the answer for all of them, or one with
 * PER_NET. */
static void
by_net(struct channel *ch, struct segment *s, const struct export_answer *whole,
    enum read_check check)
{
	struct parcels ps = { .ch = ch, .seg = s };
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);

	for (uint32_t r = 0; r < s->run_cnt; r++)
		for (uint32_t id = run[r].id, end = id + run[r].cnt; id < end; id++) {
			uint32_t len = prefix_wire_len(pos[0]);
			const uint8_t *nlri = pos;
			struct export_answer a = *whole;
			struct prefix net;

			pos += len;
			if (!reader_passes(&ch->rd, s, id, check))
				continue;
			if (whole->verdict == EXPORT_PER_NET) {
				prefix_get(&net, nlri, ch->fam);
				export_decide(ch, s, &net, &a);
				if (a.own_hop)
					tell_own_hop(ch, nlri);
			}
			send_net(&ps, id, &a, nlri, len);
			if (s->set && a.verdict != EXPORT_ACCEPT)
				count_refused(ch, &a, 1);
			if (whole->verdict == EXPORT_PER_NET)
				export_answer_done(ch, &a);
		}
	parcels_send(&ps);
}

/* ---- whole segments ---- */

static void
announce_whole(struct channel *ch, struct segment *s, const struct msg_piece *m)
{
	const struct seg_run *run = segment_runs(s);

	for (uint32_t r = 0; r < s->run_cnt; r++)
		sent(ch, run[r].id, run[r].cnt);
	counter64_bump(&ch->stats.exp_upd_accepted, s->nets.cnt);
	put(ch, m);
}

void
channel_send_away(struct channel *ch)
{
	parcel_send(ch, &ch->away);
}

/* collect_away - @s was refused: its nets whose bit is set are withdrawn together with those of other
 * segments of the same batch, in which no net occurs twice. (Mostly it is the peer's own route that
 * became best: nobody else needs that message.) */
static void
collect_away(struct channel *ch, struct segment *s)
{
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);

	ch->away_batch = s->batch;
	for (uint32_t r = 0; r < s->run_cnt; r++)
		for (uint32_t i = 0; i < run[r].cnt; i++) {
			uint32_t len = prefix_wire_len(pos[0]);

			if (bitmap_test(&ch->adj.out, run[r].id + i)) {
				ch->away.used = true;
				parcel_add(ch, &ch->away, pos, len);
				ch->rd.queued += len;
				counter64_bump(&ch->stats.exp_wd_accepted, 1);
			}
			pos += len;
		}
}

static void
withdraw_whole(struct channel *ch, struct segment *s)
{
	static const struct export_answer no = { .verdict = EXPORT_REJECT };
	const struct seg_run *run = segment_runs(s);
	uint32_t set = 0;
	bool built = false;
	struct msg_piece m;

	for (uint32_t r = 0; r < s->run_cnt && ch->adj.out_cnt; r++)
		set += bitmap_count_range(&ch->adj.out, run[r].id, run[r].cnt);
	if (set && s->set) {
		collect_away(ch, s);
	} else if (set && set < s->nets.cnt) {
		by_net(ch, s, &no, READ_ALL);
		return;
	} else if (set) {
		bool ok = msg_cache_get(
		    ch->table, s, ch->cls, NULL, &ch->arena, &m, &built);

		if (built && ok)
			counter64_bump(&ch->stats.messages_built, m.msg_cnt);
		counter64_bump(&ch->stats.exp_wd_accepted, set);
		if (ok)
			put(ch, &m);
	}
	for (uint32_t r = 0; r < s->run_cnt; r++)
		unsent(ch, run[r].id, run[r].cnt);
}

/* send_whole - all nets of @s, as @a says. */
static void
send_whole(struct channel *ch, struct segment *s, const struct export_answer *a)
{
	bool built = false, ok = false;
	struct msg_piece m;

	if (a->verdict == EXPORT_ACCEPT) {
		ok = msg_cache_get(ch->table, s, class_for(ch, s, a),
		    a->set == s->set ? s->wire : a->set->wire, &ch->arena, &m, &built);
		if (built && ok)
			counter64_bump(&ch->stats.messages_built, m.msg_cnt);
		if (!ok)
			tell_unsent(ch, segment_nlri(s), s->nlri_len);
	}
	if (ok) {
		announce_whole(ch, s, &m);
	} else {
		if (a->verdict == EXPORT_ACCEPT) /* as parcel_failed */
			counter64_bump(&ch->stats.exp_upd_rejected, s->nets.cnt);
		else if (s->set)
			count_refused(ch, a, s->nets.cnt);
		withdraw_whole(ch, s);
	}
}

static void
answer_for(struct channel *ch, struct segment *s, struct export_answer *a)
{
	if (unlikely(!s->set)) {
		counter64_bump(&ch->stats.exp_wd_received, s->nets.cnt);
		*a = (struct export_answer){ .verdict = EXPORT_REJECT };
		return;
	}
	counter64_bump(&ch->stats.exp_upd_received, s->nets.cnt);
	export_decide(ch, s, NULL, a);
	if (a->own_hop)
		tell_own_hop(ch, segment_nlri(s));
}

/* concerns - a segment in which only the source changed concerns the two sources, filters
 * that read facts of the source, and peers whose next hop depends on them. */
static bool
concerns(const struct channel *ch, const struct segment *s)
{
	return s->old_src == NO_SOURCE || ch->before || s->old_src == ch->view->src ||
	       s->src == ch->view->src || ch->view->rules.to_ibgp ||
	       ch->cls_ibgp != ch->cls || ch->view->rules.own_hop ||
	       (filter_may_read(ch->view->filter) & FILTER_READ_SOURCE);
}

/* A stretch of the journal that goes out as it is: messages that lie side by side and aren't put yet, and
 * what is still to be counted. */
struct plain_run {
	struct msg_piece msg;
	uint32_t segments, nets, messages;
};

static void
plain_put(struct channel *ch, struct plain_run *p)
{
	if (!p->msg.len)
		return;
	ch->ops->tx_put(ch, &p->msg);
	p->messages += p->msg.msg_cnt;
	p->msg = (struct msg_piece){ 0 };
}

/* send_plain - @s, if that is all there is to it: one line of the cache. Returns: whether it was. */
static inline bool
send_plain(struct channel *ch, const struct segment *s, struct plain_run *p)
{
	const struct export_view *v = ch->view;
	const struct seg_run *run;

	if ((s->form & v->plain) != SEG_PLAIN || s->src == v->src ||
	    s->hop_key == v->hop_key || !segment_quick(s, ch->cls))
		return false;
	if (ch->away.used && ch->away_batch != s->batch)
		return false; /* a net of it may come back in this one */
	if (p->msg.data + p->msg.len != s->quick_data) {
		plain_put(ch, p);
		p->msg.data = s->quick_data;
		p->msg.block = s->quick_block; /* between two blocks' octets is a head */
	}
	p->msg.len += s->quick_len;
	p->msg.msg_cnt += s->quick_cnt;
	ch->rd.queued += s->quick_len;
	run = segment_runs(s);
	if (likely(s->form & SEG_ONE_RUN))
		sent(ch, run->id, run->cnt);
	else
		for (uint32_t r = 0; r < s->run_cnt; r++)
			sent(ch, run[r].id, run[r].cnt);
	p->segments++;
	p->nets += s->nets.cnt;
	return true;
}

static void
plain_done(struct channel *ch, struct plain_run *p)
{
	plain_put(ch, p);
	if (!p->segments)
		return;
	counter64_bump(&ch->stats.segments, p->segments);
	counter64_bump(&ch->stats.decisions, p->segments);
	counter64_bump(&ch->stats.exp_upd_received, p->nets);
	counter64_bump(&ch->stats.exp_upd_accepted, p->nets);
	counter64_bump(&ch->stats.messages_sent, p->messages);
}

void
channel_send_segment(struct channel *ch, struct segment *s, enum read_check check)
{
	struct export_answer a;

	counter64_bump(&ch->stats.segments, 1);
	if (ch->away.used && ch->away_batch != s->batch)
		channel_send_away(ch); /* a net of it may come back in this one */
	if (check == READ_ALL && !concerns(ch, s))
		return;
	answer_for(ch, s, &a);
	if (check != READ_ALL || a.verdict == EXPORT_PER_NET || ch->traces ||
	    crosses(ch, s))
		by_net(ch, s, &a, check);
	else
		send_whole(ch, s, &a);
	export_answer_done(ch, &a);
}

/* fetch_ahead - the journal is read by all at about the same time, but each thread's cache has to get it: ask
 * for the next segments, and for the bits of their nets, before they are needed. */
static void
fetch_ahead(
    const struct channel *ch, const struct segment *far, const struct segment *near)
{
	if (far) {
		__builtin_prefetch(far);
		if (!ch->view->plain)
			__builtin_prefetch((const char *)far + CACHE_LINE);
	}
	if (near)
		adj_out_fetch(&ch->adj, near->nets.id);
}

unsigned
channel_send_run(
    struct channel *ch, struct segment *const *s, unsigned cnt, unsigned seen)
{
	struct plain_run plain = { 0 };
	unsigned i;

	for (i = 0; i < cnt && ch->rd.queued < ch->rd.limit; i++) {
		fetch_ahead(
		    ch, i + 8 < seen ? s[i + 8] : NULL, i + 4 < seen ? s[i + 4] : NULL);
		if (likely(!ch->traces) && send_plain(ch, s[i], &plain))
			continue;
		plain_put(ch, &plain);
		channel_send_segment(ch, s[i], READ_ALL);
	}
	plain_done(ch, &plain);
	return i;
}

/* withdraw_net - net @id, which the table has no route for any more. */
static void
withdraw_net(struct parcels *ps, uint32_t id)
{
	struct channel *ch = ps->ch;
	uint8_t nlri[PREFIX_WIRE_MAX];
	uint32_t len = 0;

	if (bitmap_test(&ch->adj.out, id)) {
		struct prefix p = net_prefix(ch->table, table_net_ptr(ch->table, id));

		len = prefix_put(nlri, &p);
		if (unlikely(ch->traces))
			channel_trace_export(ch, id, nlri, NULL, false);
	}
	parcels_withdraw(ps, id, nlri, len);
}

void
channel_send_gone(struct channel *ch, const uint32_t *id, uint32_t cnt)
{
	struct parcels ps = { .ch = ch };

	for (uint32_t i = 0; i < cnt; i++)
		withdraw_net(&ps, id[i]);
	parcels_send(&ps);
}
