/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table tells a session: that it crosses a limit, that routes which a limit kept out may come now, that it holds
 * too much back.
 *
 * I1  What the table found may be about an incarnation of the session that has gone since, or about a limit that a
 *     configuration has changed since: then it is logged, or not even that.
 *
 * The functions that post are called in the table's thread, the rest runs in the session's. Tests: test_channel.c. */
#include "nest/channel/channel_priv.h"

#include "sysdep/log.h"

struct limit_msg {
	struct msg msg;
	struct channel *ch;
	uint32_t incarnation;
	enum limit_kind kind;
	struct conf_limit limit; /* that was crossed */
};

struct refused_msg {
	struct msg msg;
	struct channel *ch;
	uint32_t incarnation;
};

struct slow_msg {
	struct msg msg;
	struct channel *ch;
	uint64_t out_pos; /* where it stood */
};

static const char *const kind_name[] = {
	[LIMIT_IMPORT] = "import", [LIMIT_RECEIVE] = "receive", [LIMIT_EXPORT] = "export"
};
static const char *const action_name[] = { "off", "warn", "block", "restart", "disable" };

static const struct conf_limit *
limit_of(const struct channel *ch, enum limit_kind k)
{
	return k == LIMIT_IMPORT    ? &ch->cf->import_limit
	       : k == LIMIT_RECEIVE ? &ch->cf->receive_limit
				    : &ch->cf->export_limit;
}

/* limit_hit - by a configuration that has come since, the limit may be another one. */
static void
limit_hit(struct worker *w, TAKE struct msg *m)
{
	struct limit_msg *lm = container_of(m, struct limit_msg, msg);
	struct channel *ch = lm->ch;
	const struct conf_limit *l = limit_of(ch, lm->kind);
	bool stands = l->action != LIMIT_OFF && l->max <= lm->limit.max;
	uint8_t action = stands ? l->action : lm->limit.action;

	(void)w;
	log_msg(LOG_C_WARN, "Protocol %s hits route %s limit (%u), action: %s%s",
	    ch->proto->name, kind_name[lm->kind], lm->limit.max, action_name[action],
	    stands ? "" : " (not any more)");
	if (stands && ch->up && lm->incarnation == ch->incarnation &&
	    (action == LIMIT_RESTART || action == LIMIT_DISABLE))
		ch->ops->limit(
		    ch, (enum limit_action)action, kind_name[lm->kind], lm->limit.max);
	mem_free(MEM_PROTO, lm);
}

static void
post_limit(struct channel *ch, uint32_t incarnation, enum limit_kind k,
    const struct conf_limit *l)
{
	struct limit_msg *lm = mem_zalloc(MEM_PROTO, sizeof(*lm));

	lm->msg.handle = limit_hit;
	lm->ch = ch;
	lm->incarnation = incarnation;
	lm->kind = k;
	lm->limit = *l;
	worker_post(ch->ts.worker, &lm->msg);
}

static uint32_t
incarnation_of(const struct table_source *s)
{
	const struct route_facts *f = load_relaxed_ptr(&s->facts);

	return f ? f->incarnation : 0;
}

void
channel_limit_post(struct table_source *s, enum limit_kind k, const struct conf_limit *l)
{
	post_limit((struct channel *)s, incarnation_of(s), k, l);
}

void
channel_limit_own(struct channel *ch, enum limit_kind k)
{
	post_limit(ch, ch->incarnation, k, limit_of(ch, k));
}

static void
refused(struct worker *w, TAKE struct msg *m)
{
	struct refused_msg *rm = container_of(m, struct refused_msg, msg);
	struct channel *ch = rm->ch;

	(void)w;
	/* The table has nothing of them, also where it keeps routes as they were before policy. */
	if (ch->up && rm->incarnation == ch->incarnation && !ch->ops->refresh(ch))
		proto_log(ch->proto, LOG_C_WARN,
		    "A limit was raised, but the peer can't send again what it kept out");
	mem_free(MEM_PROTO, rm);
}

void
channel_refused_post(struct table_source *s)
{
	struct refused_msg *rm = mem_zalloc(MEM_PROTO, sizeof(*rm));

	rm->msg.handle = refused;
	rm->ch = (struct channel *)s;
	rm->incarnation = incarnation_of(s);
	worker_post(s->worker, &rm->msg);
}

static void
slow(struct worker *w, TAKE struct msg *m)
{
	struct slow_msg *sm = container_of(m, struct slow_msg, msg);
	struct channel *ch = sm->ch;

	(void)w;
	/* One that has moved since, or was started anew, is asked again if need be. */
	if (ch->up && load_relaxed64(&ch->ts.cursor.out_pos) <= sm->out_pos)
		ch->ops->slow(ch);
	mem_free(MEM_PROTO, sm);
}

void
channel_slow_post(struct cursor *c, uint64_t out_pos)
{
	struct channel *ch = channel_of_cursor(c);
	struct slow_msg *sm = mem_zalloc(MEM_PROTO, sizeof(*sm));

	sm->msg.handle = slow;
	sm->ch = ch;
	sm->out_pos = out_pos;
	worker_post(ch->ts.worker, &sm->msg);
}
