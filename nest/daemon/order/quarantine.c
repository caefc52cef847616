/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quarantine of a new member: the session is up and the import filter judges the
 * routes, but no other session gets the routes, and the member gets no route, until
 * `quarantine release`.
 *
 *      state of an instance   leaves the state
 *      none                   the configuration says `quarantine`: in quarantine
 *      in quarantine          `quarantine release`: released. The option leaves: none
 *      released               another `neighbor as`: in quarantine. Option leaves: none
 *
 * I1  The state belongs to the name, not to the instance: a restart of the session or of
 *     the daemon keeps the state. The state file has a record for each state but none.
 * I2  A member without a record is in quarantine. So a lost state file puts released
 *     members into quarantine again; no member leaves a quarantine by a fault.
 * I3  The instance gets the order before its first start, and before the configuration
 *     that brings the quarantine.
 *
 * Loop: the control worker's. Tested by test/net/test_quarantine.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/json/json.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/control.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

/* quarantine_say - log and post that the quarantine of @in has begun or ended. */
static void
quarantine_say(const struct control *c, const struct instance *in, const char *phase)
{
	struct event *e = event_new(c->tern, EVENT_QUARANTINE);

	log_msg(LOG_C_INFO, "Quarantine of protocol %s: %s", in->name, phase);
	if (!e)
		return;
	json_str(&e->open.json, "protocol", in->name);
	json_str(&e->open.json, "phase", phase);
	event_text(e, "quarantine of %s: %s", in->name, phase);
	event_post(e);
}

void
quarantine_post(struct instance *in)
{
	uint32_t since_s = quarantine_runs(in) ? in->quarantine.since_s : 0;

	if (!in->p || load_relaxed32(&in->p->orders.quarantine) == since_s)
		return;
	store_relaxed32(&in->p->orders.quarantine, since_s);
	if (!in->deleting)
		proto_post_order(in->p, ORDER_QUARANTINE);
}

static void
quarantine_clear(struct instance *in)
{
	mem_free(MEM_CONFIG, in->quarantine.by);
	in->quarantine = (struct instance_quarantine){ 0 };
}

void
quarantine_configured(struct control *c, struct instance *in, const struct conf_proto *cf)
{
	struct instance_quarantine *q = &in->quarantine;
	uint32_t as = cf->class->remote_as ? cf->class->remote_as(cf) : 0;
	struct conf_members all;
	bool wanted = conf_member_quarantine(cf) && !conf_member_range(cf, &all);
	bool ran = quarantine_runs(in);

	if (q->since_s && wanted && as != q->as)
		quarantine_clear(in); /* another member */
	if (wanted && !q->since_s) {
		q->since_s = (uint32_t)(clock_real_ns(clock_now_ns()) / NS_PER_S);
		q->as = as;
		quarantine_say(c, in, "begun");
	} else if (!wanted && q->since_s) {
		quarantine_clear(in);
		if (ran)
			quarantine_say(c, in, "ended");
	}
}

void
quarantine_forget(struct instance *in)
{
	quarantine_clear(in);
}

void
quarantine_release(struct control *c, struct control_req *r, struct instance *in)
{
	struct instance_quarantine *q = &in->quarantine;
	char by[128];

	if (!quarantine_runs(in)) {
		control_answer(r, CLI_NOTHING_TO_DO, "%s: not in quarantine", in->name);
		return;
	}
	q->released_s = (uint32_t)(clock_real_ns(clock_now_ns()) / NS_PER_S);
	mem_free(MEM_CONFIG, q->by);
	q->by = mem_strdup(MEM_CONFIG, control_req_user(by, sizeof(by), r));
	quarantine_post(in);
	quarantine_say(c, in, "released");
	control_answer(r, CLI_RELEASED, "%s: released", in->name);
}

void
quarantine_plan(const struct control *c, const struct config *conf, struct control_req *r)
{
	struct list *n;

	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, struct instance, link);
		const struct conf_proto *cf = config_find_proto(
		    conf, in->host ? in->host->name : in->name);

		if (quarantine_runs(in) && cf && conf_member_quarantine(cf))
			control_answer(r, CLI_READING,
			    "protocol %s: stays in quarantine until `quarantine release "
			    "%s`",
			    in->name, in->name);
	}
}
