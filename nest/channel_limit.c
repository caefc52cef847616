/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table tells a session: that it crosses a limit, that it holds too much back.
 *
 * The functions that post are called in the table's thread, the rest runs in the session's. Tests: test_channel.c. */
#include "nest/channel_priv.h"

#include "sysdep/log.h"

/* What the table found may be about an incarnation of the session that has gone since. */
struct limit_msg {
	struct msg msg;
	struct channel *ch;
	uint32_t incarnation;
	enum limit_action action;
	const char *what;
	uint32_t max;
};

struct slow_msg {
	struct msg msg;
	struct channel *ch;
	uint64_t out_pos; /* where it stood */
};

static const char *const action_name[] = { "off", "warn", "block", "restart", "disable" };

static void
limit_hit(struct worker *w, TAKE struct msg *m)
{
	struct limit_msg *lm = container_of(m, struct limit_msg, msg);
	struct channel *ch = lm->ch;

	(void)w;
	log_msg(LOG_C_WARN, "Protocol %s hits route %s limit (%u), action: %s",
	    ch->proto->name, lm->what, lm->max, action_name[lm->action]);
	if (ch->up && lm->incarnation == ch->incarnation &&
	    (lm->action == LIMIT_RESTART || lm->action == LIMIT_DISABLE))
		ch->ops->limit(ch, lm->action, lm->what, lm->max);
	mem_free(MEM_PROTO, lm);
}

static void
post_limit(struct channel *ch, uint32_t incarnation, enum limit_action a,
    const char *what, uint32_t max)
{
	struct limit_msg *lm = mem_zalloc(MEM_PROTO, sizeof(*lm));

	lm->msg.handle = limit_hit;
	lm->ch = ch;
	lm->incarnation = incarnation;
	lm->action = a;
	lm->what = what;
	lm->max = max;
	worker_post(ch->ts.worker, &lm->msg);
}

void
channel_limit_post(
    struct table_source *s, enum limit_action a, const char *what, uint32_t max)
{
	const struct route_facts *f = load_relaxed_ptr(&s->facts);

	post_limit((struct channel *)s, f ? f->incarnation : 0, a, what, max);
}

void
channel_limit_own(struct channel *ch, enum limit_action a, const char *what, uint32_t max)
{
	post_limit(ch, ch->incarnation, a, what, max);
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
