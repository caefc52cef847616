/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a table to a session: the session crosses a limit; routes that a limit kept
 * out may enter; the session holds too many ids back.
 *
 * I1  A message may concern an earlier incarnation of the session, or a limit that a
 *     configuration changed since: the session only logs the message, or ignores it.
 * I2  A peer may cross its limit at any rate. The finding thread counts each crossing and
 *     posts one message; further crossings are only counted until SAY_NS passed without a
 *     crossing. The first crossing is logged at once, further crossings once in SAY_NS,
 *     in one line. A crossing on which the session acts is always posted: the first of
 *     its incarnation or of its limit (logged).
 *
 * The table's thread calls the posting functions, the rest runs in the session's thread.
 * Tests: test_channel.c, test_channel_limit.c. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"

#include "lib/json/json.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_rejects_priv.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/import/kept_set.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define SAY_S  60u /* least interval between log lines about one limit */
#define SAY_NS (SAY_S * NS_PER_S)

struct limit_msg {
	struct msg msg;
	struct channel *ch;
	uint32_t incarnation;
	uint32_t nr;
	enum limit_kind kind;
	struct conf_limit limit; /* the crossed limit */
	bool away; /* crossed by stale routes of an absent peer */
};

struct refused_msg {
	struct msg msg;
	struct channel *ch;
	uint32_t incarnation;
	bool kept; /* the table has the routes */
};

struct slow_msg {
	struct msg msg;
	struct channel *ch;
	const struct reader *r;
	uint64_t out_pos, progress; /* state of the reader at the look */
	bool anyway; /* ignore progress */
};

static const char *const kind_name[] = {
	[LIMIT_IMPORT] = "import", [LIMIT_RECEIVE] = "receive", [LIMIT_EXPORT] = "export"
};
static const char *const action_name[] = { "off", "warn", "block", "restart", "disable" };

static const struct conf_limit *
limit_of(const struct channel *ch, enum limit_kind k)
{
	return k == LIMIT_IMPORT    ? &ch->imp.limit
	       : k == LIMIT_RECEIVE ? &ch->cf->limit.receive
				    : &ch->cf->limit.export;
}

static unsigned
channel_limit_kind_of(const struct limit_said *s)
{
	return (unsigned)(s - s->ch->log.limit);
}

static uint32_t
limit_left_out(const struct limit_said *s)
{
	return counter32_get(&s->ch->ts.limit.count[channel_limit_kind_of(s)].crossed) -
	       s->cnt;
}

/* limit_be_quiet - the next crossing must be posted. Returns: number of crossings
 * counted before the store was visible. The fence stands between the store and the read,
 * as in channel_limit_post: otherwise each thread could miss the other's store, and a
 * crossing would be neither posted nor logged. */
static uint32_t
limit_be_quiet(struct limit_said *s)
{
	store_release32(&s->ch->ts.limit_quiet[channel_limit_kind_of(s)],
	    s->heard); /* pairs: LQUIET */
	fence_seq_cst();
	return limit_left_out(s);
}

static void
channel_limit_say_more(struct timer *tm)
{
	struct limit_said *s = container_of(tm, struct limit_said, timer);
	struct channel *ch = s->ch;
	uint32_t cnt = limit_left_out(s);

	if (!cnt)
		cnt = limit_be_quiet(s);
	if (!cnt)
		return;
	log_msg(LOG_C_WARN,
	    "Protocol %s hit route %s limit (%u) %u more time%s within %u s",
	    ch->proto->name, kind_name[channel_limit_kind_of(s)], s->limit.max, cnt,
	    cnt > 1 ? "s" : "", SAY_S);
	s->cnt += cnt;
	timer_set(tm, loop_now_ns(&ch->proto->worker) + SAY_NS);
}

void
channel_limit_init(struct channel *ch)
{
	for (unsigned k = 0; k < LIMIT_KINDS; k++) {
		ch->log.limit[k].ch = ch;
		timer_init(
		    &ch->log.limit[k].timer, &ch->proto->worker, channel_limit_say_more);
	}
}

void
channel_limit_fini(struct channel *ch)
{
	for (unsigned k = 0; k < LIMIT_KINDS; k++)
		timer_cancel(&ch->log.limit[k].timer);
}

/* channel_limit_may_log - true: log the crossing of @lm now. Notes the crossing as
 * logged. */
static bool
channel_limit_may_log(struct limit_said *s, const struct limit_msg *lm, bool acts)
{
	bool quiet = !timer_active(&s->timer);

	s->heard = lm->nr;
	if (!quiet && !acts && s->limit.max == lm->limit.max &&
	    s->limit.action == lm->limit.action)
		return false;
	s->limit = lm->limit;
	s->cnt += limit_left_out(s) > 0;
	if (quiet)
		timer_set(&s->timer, loop_now_ns(&s->ch->proto->worker) + SAY_NS);
	return true;
}

static void
limit_event(const struct channel *ch, const struct limit_msg *lm, const char *action)
{
	struct event *e = event_new(ch->proto->tern, EVENT_LIMIT);

	if (!e)
		return;
	json_str(&e->open.json, "protocol", ch->proto->name);
	json_str(&e->open.json, "channel", channel_name(ch));
	json_str(&e->open.json, "limit", kind_name[lm->kind]);
	json_u64(&e->open.json, "max", lm->limit.max);
	json_str(&e->open.json, "action", action);
	event_text(e, "%s.%s hits its %s limit (%u), action: %s", ch->proto->name,
	    channel_name(ch), kind_name[lm->kind], lm->limit.max, action);
	event_post(e);
}

/* limit_hit - a crossing was posted. A later configuration may have changed the limit. */
static void
limit_hit(struct worker *w, TAKE struct msg *m)
{
	struct limit_msg *lm = container_of(m, struct limit_msg, msg);
	struct channel *ch = lm->ch;
	const struct conf_limit *l = limit_of(ch, lm->kind);
	bool stands = l->action != LIMIT_OFF && l->max <= lm->limit.max;
	uint8_t action = stands ? l->action : lm->limit.action;
	bool is_now = (lm->away ? ch->life.away : ch->life.up) &&
		      lm->incarnation == ch->life.incarnation;
	bool acts = stands && is_now &&
		    (action == LIMIT_RESTART || action == LIMIT_DISABLE);

	(void)w;
	if (channel_limit_may_log(&ch->log.limit[lm->kind], lm, acts)) {
		limit_event(ch, lm, action_name[action]);
		log_msg(LOG_C_WARN, "Protocol %s hits route %s limit (%u), action: %s%s",
		    ch->proto->name, kind_name[lm->kind], lm->limit.max,
		    action_name[action], stands ? "" : " (not any more)");
	}
	if (acts)
		ch->ops->limit(ch, (enum limit_action)action, lm->kind, lm->limit.max);
	else if (stands && is_now && lm->away && action == LIMIT_BLOCK &&
		 !channel_keeps_pre(ch)) /* else a reload is under way */
		channel_stale_lost(ch, "A route limit has changed");
	mem_free(MEM_PROTO, lm);
}

static void
channel_limit_post(struct channel *ch, uint32_t incarnation, enum limit_kind k,
    const struct conf_limit *l)
{
	struct limit_count *cnt = &ch->ts.limit.count[k];
	struct limit_msg *lm;

	counter32_add(&cnt->crossed, 1);
	fence_seq_cst(); /* the count before the look: limit_be_quiet */
	if (cnt->logged &&
	    load_acquire32(&ch->ts.limit_quiet[k]) != cnt->posted) /* pairs: LQUIET */
		return;
	cnt->logged = true;
	lm = mem_zalloc(MEM_PROTO, sizeof(*lm));
	lm->nr = ++cnt->posted;
	lm->msg.handle = limit_hit;
	lm->ch = ch;
	lm->incarnation = incarnation;
	lm->kind = k;
	lm->limit = *l;
	/* called by the table for the other kinds */
	lm->away = k != LIMIT_EXPORT && !ch->ts.up;
	worker_post(ch->ts.worker, &lm->msg);
}

static uint32_t
limit_incarnation_of(const struct feeder *s)
{
	const struct origin *f = load_relaxed_ptr(&s->facts);

	return f ? f->incarnation : 0;
}

static void
limit_post(struct feeder *s, enum limit_kind k, const struct conf_limit *l)
{
	channel_limit_post((struct channel *)s, limit_incarnation_of(s), k, l);
}

void
channel_limit_export(struct channel *ch)
{
	channel_limit_post(ch, ch->life.incarnation, LIMIT_EXPORT, &ch->cf->limit.export);
}

void
channel_limit_renew(struct channel *ch)
{
	ch->exp.limit_hit = false;
	if (ch->cf->limit.export.action != LIMIT_BLOCK)
		kept_set_clear(&ch->exp.kept);
	ch->ts.limit.count[LIMIT_EXPORT].logged = false;
}

static void
channel_limit_refused(struct worker *w, TAKE struct msg *m)
{
	struct refused_msg *rm = container_of(m, struct refused_msg, msg);
	struct channel *ch = rm->ch;

	(void)w;
	/* The table lacks routes that a limit kept out, even if it keeps routes before
	 * policy; exception: `import keep filtered` with `action block`. */
	if (ch->life.up && rm->incarnation == ch->life.incarnation &&
	    !(rm->kept ? channel_reload_in(ch) : channel_ask_now(ch)))
		proto_log(ch->proto, LOG_C_WARN,
		    "A limit was raised, but the peer can't send the blocked routes "
		    "again");
	mem_free(MEM_PROTO, rm);
}

static void
limit_refused_post(struct feeder *s, bool kept)
{
	struct refused_msg *rm = mem_zalloc(MEM_PROTO, sizeof(*rm));

	rm->msg.handle = channel_limit_refused;
	rm->ch = (struct channel *)s;
	rm->incarnation = limit_incarnation_of(s);
	rm->kept = kept;
	worker_post(s->worker, &rm->msg);
}

uint64_t
channel_progress(const struct reader *r)
{
	const struct channel *ch = channel_of(r);

	/* Both only grow. */
	return counter64_get(&r->turns) + counter64_get(&ch->stats.last_tx_ns);
}

/* limit_stands_still - true: the peer blocks the session. A session with room and without
 * progress had no processor time. */
static bool
limit_stands_still(struct channel *ch, const struct slow_msg *sm)
{
	return channel_progress(ch->rd) == sm->progress && !ch->sink->ops->room(ch->sink);
}

static void
channel_limit_slow(struct worker *w, TAKE struct msg *m)
{
	struct slow_msg *sm = container_of(m, struct slow_msg, msg);
	struct channel *ch = sm->ch;

	(void)w;
	/* A session that moved or restarted since is judged again later; so is a session
	 * that must wait. */
	if (ch->life.up && !ch->rpki.held_out && !ch->life.recovering &&
	    !ch->ground.waits && sm->r == ch->rd &&
	    load_relaxed64(&ch->rd->cursor.out_pos) <= sm->out_pos &&
	    (sm->anyway || limit_stands_still(ch, sm)))
		ch->ops->slow(ch);
	mem_free(MEM_PROTO, sm);
}

void
channel_slow_post(struct reader *r, uint64_t out_pos, uint64_t at, bool anyway)
{
	struct channel *ch = channel_of(r);
	struct slow_msg *sm = mem_zalloc(MEM_PROTO, sizeof(*sm));

	sm->msg.handle = channel_limit_slow;
	sm->ch = ch;
	sm->r = r;
	sm->out_pos = out_pos;
	sm->progress = at;
	sm->anyway = anyway;
	worker_post(r->worker, &sm->msg);
}

/* ---- routes kept out of the table ---- */

static void
limit_kept_out(struct feeder *s, enum reason r, const struct nlri *n, uint32_t rid)
{
	struct channel *ch = (struct channel *)s;

	counter64_bump(&ch->stats.reason[r], 1);
	channel_note_kept_out(ch, r, n, rid);
}

static void
limit_kept_in(struct feeder *s, const struct nlri *n, uint32_t rid)
{
	channel_forget_kept_out((struct channel *)s, n, rid);
}

static void
limit_count_none(struct feeder *s)
{
	struct channel *ch = (struct channel *)s;

	for (unsigned r = 0; r < REASON_CNT; r++)
		if (reason_stage((enum reason)r) == REASON_AT_LIMIT)
			counter64_set(&ch->stats.reason[r], 0);
	channel_forget_kept_out(ch, NULL, 0);
}

const struct feeder_ops channel_feeder_ops = {
	.limit = limit_post,
	.refused = limit_refused_post,
	.kept_out = limit_kept_out,
	.kept_in = limit_kept_in,
	.anew = limit_count_none,
};
