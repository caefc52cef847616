/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drain of an instance: its publication for readers, its end, its texts. drain.c has
 * the commands and the looks at the tables.
 *
 * Loop: the control worker's. Tested by test/net/test_drain.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/mem/mem.h"
#include "nest/channel/proto.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <bsd/string.h>
#include <time.h>

#define DRAIN_FIRST_NS NS_PER_S /* until the first look at the tables */
#define DRAIN_MESSAGE  "Maintenance: the session was drained"

bool
drain_runs(const struct instance *in)
{
	return in->drain.since_s && !in->drain.done;
}

const char *
drain_text(const struct instance *in)
{
	return in->drain.message ? in->drain.message : DRAIN_MESSAGE;
}

void
drain_publish(const struct instance *in)
{
	struct proto_drain *d = NULL;

	if (!in->p)
		return;
	if (in->drain.since_s) {
		d = mem_zalloc(MEM_PROTO, sizeof(*d));
		d->done = in->drain.done;
		d->since_s = in->drain.since_s;
		d->until_s = in->drain.until_s;
		d->left = in->drain.left;
		strlcpy(d->by, in->drain.by ? in->drain.by : "", sizeof(d->by));
		strlcpy(d->message, drain_text(in), sizeof(d->message));
	}
	proto_drain_publish(in->p, d);
}

void
drain_forget(struct control *c, struct instance *in)
{
	if (!in->drain.since_s)
		return;
	c->drains.cnt -= drain_runs(in);
	mem_free(MEM_CONFIG, in->drain.message);
	mem_free(MEM_CONFIG, in->drain.by);
	in->drain = (struct instance_drain){ 0 };
	drain_publish(in);
}

void
drain_watch(struct control *c)
{
	c->drains.cnt++;
	if (!timer_active(&c->drains.timer) && !c->drains.looks)
		timer_set(&c->drains.timer, loop_now_ns(&c->worker) + DRAIN_FIRST_NS);
}

void
drain_time_text(char text[DRAIN_TIME_MAX], uint32_t at_s)
{
	struct tm tm;

	clock_local(&tm, at_s);
	strftime(text, DRAIN_TIME_MAX, "%F %T", &tm);
}
