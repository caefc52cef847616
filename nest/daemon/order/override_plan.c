/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides and configurations: the sessions that an override is about, and conflicts of
 * an override with a file.
 *
 * Loop: the control worker's. Tested by test/net/test_override.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/control.h"
#include "nest/core/override.h"

bool
control_override_meets(const struct override *o, const struct instance *in)
{
	struct proto_member m = { 0 };

	if (!in->p || in->cf->kind != PROTO_BGP)
		return false;
	if (o->proto)
		return override_concerns(o, in->name, 0);
	return in->p->cls->member.describe && in->p->cls->member.describe(in->p, &m) &&
	       override_concerns(o, in->name, m.as);
}

/* override_plan_limits - the limits of @conf that @o replaces. */
static void
override_plan_limits(const struct override *o, const struct instance *in,
    const struct config *conf, struct control_req *r)
{
	const struct conf_proto *cf = config_find_proto(conf, in->name);

	for (const struct conf_channel *ch = cf ? cf->chan : NULL; ch; ch = ch->next)
		if (ch->limit.import.action != LIMIT_OFF &&
		    ch->limit.import.max != o->limit)
			control_answer(r, CLI_READING,
			    "override %u: import limit %u in place of %u of %s.%s", o->id,
			    o->limit, ch->limit.import.max, in->name, ch->name);
}

/* override_plan_one - Returns: number of the sessions of @conf that @o is about. */
static uint32_t
override_plan_one(const struct control *c, const struct override *o,
    const struct config *conf, struct control_req *r)
{
	uint32_t cnt = 0;
	struct list *n;

	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, struct instance, link);
		const char *name = in->host ? in->host->name : in->name;

		if (!config_find_proto(conf, name) || !control_override_meets(o, in))
			continue;
		cnt++;
		if (o->kind == OVERRIDE_LIMIT)
			override_plan_limits(o, in, conf, r);
	}
	if (!cnt && o->proto && config_find_proto(conf, o->proto))
		cnt++;
	return cnt;
}

void
control_overrides_plan(
    const struct control *c, const struct config *conf, struct control_req *r)
{
	const struct overrides *s = c->saved.overrides.set;
	char until[DRAIN_TIME_MAX];
	struct strbuf b;

	for (uint32_t i = 0; s && i < s->cnt; i++) {
		const struct override *o = &s->at[i];

		strbuf_init(&b);
		override_print(&b, o);
		drain_time_text(until, o->until_s);
		control_answer(r, CLI_READING, "override %u stays until %s: %s: %s",
		    o->id, until, b.s, o->reason);
		if (!override_plan_one(c, o, conf, r))
			control_answer(r, CLI_READING,
			    "Warning: override %u has no effect: the configuration has "
			    "no "
			    "such session",
			    o->id);
		strbuf_fini(&b);
	}
}
