/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of instances: a session came up or went down, with the cause in the words of
 * `show members`. The list of changes gets the state, too. Loop: the instance's. Tested
 * by test/net/test_subscribe.py. */
#include "nest/channel/proto.h"

#include "lib/json/json.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/conf/config.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"

const char *
proto_cause_key(enum member_cause c)
{
	static const char *const key[] = { "fine", "them", "us", "link", "bfd", "limit" };

	return key[c];
}

static enum event_kind
proto_event_kind(const struct proto *p, bool member, bool up)
{
	if (member)
		return up ? EVENT_SESSION_UP : EVENT_SESSION_DOWN;
	if (p->cf->kind == PROTO_RPKI)
		return up ? EVENT_RPKI_UP : EVENT_RPKI_DOWN;
	return up ? EVENT_PROTOCOL_UP : EVENT_PROTOCOL_DOWN;
}

/* proto_event_member - the members of a session. */
static void
proto_event_member(struct event *e, const struct proto_member *m, bool up)
{
	if (m->as)
		json_u64(&e->open.json, "as", m->as);
	json_ip(&e->open.json, "address", m->addr);
	json_str(&e->open.json, "interface", m->iface);
	if (up || !m->cause)
		return;
	json_open(&e->open.json, "cause");
	json_str(&e->open.json, "side", proto_cause_key(m->cause));
	json_str(&e->open.json, "text", m->text);
	json_close(&e->open.json);
}

void
proto_post_state(struct proto *p, uint64_t was_since_ns)
{
	const struct proto_status *st = proto_status_get(p);
	struct proto_member m = { 0 };
	bool up = st->state == PS_UP,
	     member = p->cls->member.describe && p->cls->member.describe(p, &m);
	uint64_t up_ns = st->since_ns - min_u64(st->since_ns, was_since_ns);
	struct event *e = event_new(p->tern, proto_event_kind(p, member, up));
	char ip[IP_STR_MAX];

	if (member)
		proto_changes_state(p->changes, up, &m, up ? 0 : up_ns);
	if (!e)
		return;
	json_str(&e->open.json, "protocol", p->name);
	json_str(&e->open.json, "description", p->cf->description);
	if (!up && up_ns)
		json_seconds(&e->open.json, "up_s", up_ns);
	if (!member) {
		json_str(&e->open.json, "info", st->info[0] ? st->info : NULL);
		event_text(e, "%s is %s%s%s", p->name, up ? "up" : "down",
		    st->info[0] ? ": " : "", st->info);
		event_post(e);
		return;
	}
	proto_event_member(e, &m, up);
	event_text(e, "%s, AS%u, %s%s%s", p->name, m.as, ip_str(ip, m.addr),
	    m.text[0] ? ": " : "", m.text);
	event_post(e);
}
