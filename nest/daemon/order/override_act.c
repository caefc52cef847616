/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands `override add`, `override remove` and `override extend`: sets of
 * overrides, their records in the state file, and their ends.
 *
 * I1  Each change makes a new set, publishes the set for readers, and sends the set to
 *     all instances of BGP. The reply comes when the instances have carried out the
 *     change.
 * I2  A number is not used again, not even after a restart of the daemon.
 * I3  A record of the state file that is no override is logged and stays in the file.
 *
 * Loop: the control worker's. Tested by test/net/test_override.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/json/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/control.h"
#include "nest/core/override.h"
#include "nest/daemon/state.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERRIDE  "override"
#define COUNTER   "counter"
#define DEFAULT_S 86400u

static uint32_t
override_act_now_s(void)
{
	return (uint32_t)(clock_real_ns(clock_now_ns()) / NS_PER_S);
}

/* ---- events and log ---- */

/* override_act_say - log and post that @o was changed: @what. */
static void
override_act_say(const struct control *c, const struct override *o, const char *what)
{
	struct event *e = event_new(c->tern, EVENT_OVERRIDE);
	struct strbuf b;

	strbuf_init(&b);
	override_print(&b, o);
	log_msg(LOG_C_INFO, "Override %u %s: %s: %s", o->id, what, b.s, o->reason);
	if (!strcmp(what, "ended") && log_takes(LOG_C_AUDIT))
		log_msg(LOG_C_AUDIT, "timeout override %u ended: %s: %s", o->id, b.s,
		    o->reason);
	if (e) {
		json_u64(&e->open.json, "override", o->id);
		json_str(&e->open.json, "change", what);
		json_str(&e->open.json, "what", b.s);
		json_u64(&e->open.json, "until_unix_s", o->until_s);
		json_str(&e->open.json, "reason", o->reason);
		event_text(e, "override %u %s: %s: %s", o->id, what, b.s, o->reason);
		event_post(e);
	}
	strbuf_fini(&b);
}

/* ---- the set ---- */

/* override_act_find - NULL: no override has the number @id. */
static const struct override *
override_act_find(const struct control *c, uint32_t id)
{
	const struct overrides *s = c->saved.overrides.set;

	for (uint32_t i = 0; s && i < s->cnt; i++)
		if (s->at[i].id == id)
			return &s->at[i];
	return NULL;
}

/* override_act_timer - set the timer to the next end. */
static void
override_act_timer(struct control *c)
{
	const struct overrides *s = c->saved.overrides.set;
	uint32_t next = UINT32_MAX, now = override_act_now_s();

	for (uint32_t i = 0; s && i < s->cnt; i++)
		next = (uint32_t)min_u64(next, s->at[i].until_s);
	if (next == UINT32_MAX)
		timer_cancel(&c->saved.overrides.end);
	else
		timer_set(&c->saved.overrides.end,
		    loop_now_ns(&c->worker) + (next > now ? next - now : 0) * NS_PER_S +
			NS_PER_S / 10);
}

/* override_act_publish - @s (TAKE; NULL: none) replaces the set. */
static void
override_act_publish(struct control *c, TAKE struct overrides *s)
{
	struct overrides *old = c->saved.overrides.set;
	struct list *n;

	c->saved.overrides.set = s;
	store_release_ptr(&c->tern->overrides, s); /* pairs: TOVERRIDE */
	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (in->p && !in->deleting && in->cf->kind == PROTO_BGP)
			proto_post_overrides(in->p, s ? overrides_ref(s) : NULL);
	}
	overrides_unref(old);
	override_act_timer(c);
}

/* override_act_copy - a copy of the set without override @id, with room for @more. */
static OWNED struct overrides *
override_act_copy(const struct control *c, uint32_t without, uint32_t more)
{
	const struct overrides *old = c->saved.overrides.set;
	struct overrides *s = overrides_new((old ? old->cnt : 0) + more);
	uint32_t cnt = 0;

	for (uint32_t i = 0; old && i < old->cnt; i++)
		if (old->at[i].id != without)
			override_copy(&s->at[cnt++], &old->at[i]);
	s->cnt = cnt + more;
	return s;
}

/* ---- records ---- */

static void
override_act_field(struct state_rec *r, const char *key, uint32_t v)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", v);
	state_set(r, key, number);
}

static void
override_act_note(struct control *c, const struct override *o)
{
	char name[16], net[PREFIX_STR_MAX];
	struct state_rec *r;

	snprintf(name, sizeof(name), "%u", o->id);
	r = state_add(&c->saved.state, OVERRIDE, name);
	state_set(r, "kind", override_kind_key(o->kind));
	if (o->has_net)
		state_set(r, "network", prefix_str(net, &o->net));
	if (o->longer)
		state_set(r, "longer", "1");
	if (o->kind == OVERRIDE_LIMIT)
		override_act_field(r, "limit", o->limit);
	if (o->proto)
		state_set(r, "protocol", o->proto);
	else
		override_act_field(r, "as", o->as);
	override_act_field(r, "since", o->since_s);
	override_act_field(r, "until", o->until_s);
	state_set(r, "reason", o->reason);
	state_set(r, "by", o->by);
	r = state_add(&c->saved.state, COUNTER, OVERRIDE);
	override_act_field(r, "last", c->saved.overrides.last_id);
	c->saved.dirty = true;
}

static void
override_act_unnote(struct control *c, uint32_t id)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", id);
	c->saved.dirty |= state_drop(&c->saved.state, OVERRIDE, name);
}

/* override_act_number - the number of a field. Returns: false: none. */
static bool
override_act_number(const struct state_rec *r, const char *key, uint32_t *out)
{
	const char *text = state_get(r, key);
	char *end;
	unsigned long v;

	if (!text || !*text)
		return false;
	v = strtoul(text, &end, 10);
	*out = (uint32_t)v;
	return !*end && v <= UINT32_MAX;
}

/* override_act_read - Returns: false: the record is no override. */
static bool
override_act_read(struct override *o, const struct state_rec *r)
{
	const char *kind = state_get(r, "kind"), *net = state_get(r, "network");
	const char *proto = state_get(r, "protocol"), *reason = state_get(r, "reason");
	const char *by = state_get(r, "by");
	char *end;

	*o = (struct override){ .id = (uint32_t)strtoul(r->name, &end, 10) };
	if (!o->id || *end || !kind || !reason)
		return false;
	o->kind = override_kind_of(kind);
	o->has_net = net != NULL;
	o->longer = state_get(r, "longer") != NULL;
	if (o->kind == OVERRIDE_KINDS || (net && prefix_parse(&o->net, net)) ||
	    (!net && o->kind != OVERRIDE_LIMIT && o->kind != OVERRIDE_NO_EXPORT) ||
	    (o->kind == OVERRIDE_LIMIT && !override_act_number(r, "limit", &o->limit)) ||
	    (!proto && !override_act_number(r, "as", &o->as)) ||
	    !override_act_number(r, "since", &o->since_s) ||
	    !override_act_number(r, "until", &o->until_s))
		return false;
	o->proto = proto ? mem_strdup(MEM_CONFIG, proto) : NULL;
	o->reason = mem_strdup(MEM_CONFIG, reason);
	o->by = by ? mem_strdup(MEM_CONFIG, by) : NULL;
	override_finish(o);
	return true;
}

static void override_act_ends(struct timer *tm);

/* override_act_load_one - the record @r becomes @o. Returns: false: the record is no
 * override. */
static bool
override_act_load_one(struct control *c, struct override *o, const struct state_rec *r)
{
	if (!override_act_read(o, r)) {
		log_msg(LOG_C_ERR,
		    "State file %s: the record override \"%s\" isn't an override; the "
		    "record is left out",
		    c->saved.path, r->name);
		return false;
	}
	if (o->id > c->saved.overrides.last_id)
		c->saved.overrides.last_id = o->id;
	return true;
}

/* override_act_load - the records that are overrides. Ended overrides leave the file with
 * the next write. */
static OWNED struct overrides *
override_act_load(struct control *c)
{
	struct overrides *s = overrides_new(OVERRIDES_MAX);
	const struct state *st = &c->saved.state;
	struct override *o = s->at;
	uint32_t i = 0;

	while (i < st->cnt && o < s->at + OVERRIDES_MAX) {
		const struct state_rec *r = &st->rec[i++];

		if (strcmp(r->kind, OVERRIDE) != 0 || !override_act_load_one(c, o, r))
			continue;
		if (o->until_s > override_act_now_s()) {
			o++;
			continue;
		}
		override_act_say(c, o, "ended");
		override_act_unnote(c, o->id);
		override_fini(o);
		*o = (struct override){ 0 };
		i--; /* the record has left the list */
	}
	s->cnt = (uint32_t)(o - s->at);
	return s;
}

static bool
override_act_any(const struct state *st)
{
	for (uint32_t i = 0; i < st->cnt; i++)
		if (!strcmp(st->rec[i].kind, OVERRIDE))
			return true;
	return false;
}

void
control_overrides_load(struct control *c)
{
	const struct state_rec *r = state_find(&c->saved.state, COUNTER, OVERRIDE);
	struct overrides *s;

	timer_init(&c->saved.overrides.end, &c->worker, override_act_ends);
	if (r)
		(void)override_act_number(r, "last", &c->saved.overrides.last_id);
	if (!override_act_any(&c->saved.state))
		return;
	s = override_act_load(c);
	if (s->cnt)
		override_act_publish(c, s);
	else
		overrides_unref(s);
}

void
control_overrides_fini(struct control *c)
{
	store_release_ptr(&c->tern->overrides, NULL); /* pairs: TOVERRIDE */
	overrides_unref(c->saved.overrides.set);
	c->saved.overrides.set = NULL;
}

/* ---- the end of the time ---- */

/* override_act_drop - end the override @o of the set: @what. */
static void
override_act_drop(struct control *c, const struct override *o, const char *what)
{
	struct overrides *s = override_act_copy(c, o->id, 0);

	override_act_say(c, o, what);
	override_act_unnote(c, o->id);
	if (!s->cnt) {
		overrides_unref(s);
		s = NULL;
	}
	override_act_publish(c, s);
}

static void
override_act_ends(struct timer *tm)
{
	struct control *c = container_of(tm, struct control, saved.overrides.end);
	uint32_t now = override_act_now_s(), i = 0;

	while (c->saved.overrides.set && i < c->saved.overrides.set->cnt) {
		const struct override *o = &c->saved.overrides.set->at[i];

		if (o->until_s <= now)
			override_act_drop(c, o, "ended");
		else
			i++;
	}
	override_act_timer(c);
	control_state_save(c, NULL);
}

/* ---- commands ---- */

/* override_act_lacks - @in, about which @o is, cannot bring the routes again that its
 * import filter has refused. */
static bool
override_act_lacks(const struct override *o, const struct instance *in)
{
	const struct proto_status *st = proto_status_get(in->p);

	return o->kind == OVERRIDE_ACCEPT && st->state == PS_UP && st->cant_reload;
}

/* override_act_sessions - answer how many sessions @o is about, and wait for the
 * sessions. */
static void
override_act_sessions(struct control *c, struct control_req *r, const struct override *o)
{
	uint32_t cnt = 0;
	struct list *n;

	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (!control_override_meets(o, in))
			continue;
		cnt++;
		if (override_act_lacks(o, in))
			control_answer(r, CLI_READING,
			    "Warning: %s keeps no routes before policy and has no route "
			    "refresh: the override applies to later announcements",
			    in->name);
		control_wait_for(c, r, in);
	}
	if (!cnt)
		control_answer(r, CLI_READING,
		    "Warning: override %u has no effect now: no such session", o->id);
}

/* override_act_conflicts - warn about overrides of the opposite kind for a network of
 * @o. */
static void
override_act_conflicts(
    const struct control *c, struct control_req *r, const struct override *o)
{
	const struct overrides *s = c->saved.overrides.set;

	for (uint32_t i = 0; i < s->cnt; i++) {
		const struct override *b = &s->at[i];
		bool opposite = (o->kind == OVERRIDE_BLOCK &&
				    b->kind == OVERRIDE_ACCEPT) ||
				(o->kind == OVERRIDE_ACCEPT && b->kind == OVERRIDE_BLOCK);

		if (b->id == o->id ||
		    (o->proto ? !b->proto || strcmp(o->proto, b->proto) != 0
			      : b->proto || o->as != b->as))
			continue;
		if (opposite &&
		    (override_covers(b, &o->net) || override_covers(o, &b->net)))
			control_answer(r, CLI_READING,
			    "Warning: override %u conflicts with override %u: the block "
			    "precedes",
			    o->id, b->id);
		if (o->kind == OVERRIDE_LIMIT && b->kind == OVERRIDE_LIMIT)
			control_answer(r, CLI_READING,
			    "Warning: override %u has no effect: override %u is a limit "
			    "of "
			    "the same sessions",
			    o->id, b->id);
	}
}

static void
override_act_add(struct control *c, struct control_req *r)
{
	uint32_t last = c->saved.overrides.set ? c->saved.overrides.set->cnt : 0;
	char by[128], until[DRAIN_TIME_MAX];
	const struct override *o;
	struct overrides *s;
	struct override *to;
	struct strbuf b;

	if (last == OVERRIDES_MAX) {
		control_answer(r, CLI_FAILED, "No more than %u overrides", OVERRIDES_MAX);
		return;
	}
	s = override_act_copy(c, 0, 1);
	to = &s->at[last];
	override_copy(to, r->override);
	to->id = ++c->saved.overrides.last_id;
	to->since_s = override_act_now_s();
	to->until_s = to->since_s + (r->timeout_s ? r->timeout_s : DEFAULT_S);
	to->by = mem_strdup(MEM_CONFIG, control_req_user(by, sizeof(by), r));
	override_finish(to);
	override_act_publish(c, s);
	o = to;
	override_act_note(c, o);
	override_act_say(c, o, "added");
	strbuf_init(&b);
	override_print(&b, o);
	drain_time_text(until, o->until_s);
	control_answer(r, CLI_OVERRIDDEN, "override %u until %s: %s", o->id, until, b.s);
	strbuf_fini(&b);
	override_act_conflicts(c, r, o);
	override_act_sessions(c, r, o);
}

static void
override_act_extend(struct control *c, struct control_req *r, uint32_t id)
{
	struct overrides *s = override_act_copy(c, 0, 0);
	char until[DRAIN_TIME_MAX];

	for (uint32_t i = 0; i < s->cnt; i++)
		if (s->at[i].id == id) {
			s->at[i].until_s = override_act_now_s() + r->timeout_s;
			override_finish(&s->at[i]);
		}
	override_act_publish(c, s);
	override_act_note(c, override_act_find(c, id));
	override_act_say(c, override_act_find(c, id), "extended");
	drain_time_text(until, override_act_find(c, id)->until_s);
	control_answer(r, CLI_OVERRIDDEN, "override %u until %s", id, until);
}

void
control_overrides_act(struct control *c, TAKE struct control_req *r)
{
	uint32_t id = r->override->id;
	const struct override *o = override_act_find(c, id);
	struct override was = { 0 };

	if (r->kind == CTL_OVERRIDE_ADD) {
		override_act_add(c, r);
	} else if (!o) {
		control_answer(r, CLI_FAILED, "No override %u", id);
	} else if (r->kind == CTL_OVERRIDE_EXTEND) {
		override_act_extend(c, r, id);
	} else {
		override_copy(&was, o);
		override_act_drop(c, o, "removed");
		control_answer(r, CLI_OVERRIDDEN, "override %u removed", id);
		override_act_sessions(c, r, &was);
		override_fini(&was);
	}
	control_state_save(c, r);
	if (r->wait) /* answered when the sessions have carried out the change */
		return;
	if (!r->answer.cnt || r->answer.line[r->answer.cnt - 1].code != CLI_FAILED)
		control_answer(r, CLI_DONE, "%s", "");
	control_answered(r);
}
