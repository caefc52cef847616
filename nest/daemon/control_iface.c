/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker that follows interfaces, and reports to instances.
 *
 * An instance compares the number of the list in each round
 * (nest/channel/instance/proto_run.c). So a report of a change only wakes the instances
 * that use the interface.
 *
 * A view and a list may be published at the same time, and a new instance of the view may
 * have looked at the old list. Each publisher fences, then reads the opposite publisher's
 * object. So either this worker finds the new instance, or the publisher of the view sees
 * the new list and wakes all instances.
 *
 * Loop: the interface worker's for reports; control_ifaces_start and
 * control_ifaces_viewed in the control worker. Tested by test/net/test_interface.py,
 * test_links.py. */
#include "lib/mt/atomic.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/daemon/control_priv.h"
#include "sysdep/iface/iface.h"

static void
control_iface_changed(
    struct iface_source *s, const struct iface_list *old, const struct iface_list *now)
{
	const struct tern_view *v;

	fence_seq_cst(); /* the list, then the view */
	v = tern_view_get(container_of(s, struct tern, ifaces));
	for (uint32_t i = 0; v && i < v->proto_cnt; i++) {
		struct proto *p = v->proto[i];

		if (p->cls->ifaces &&
		    (!p->cls->plan.concerned || p->cls->plan.concerned(p, old, now)))
			proto_wake(p);
	}
}

void
control_ifaces_viewed(struct control *c, const struct tern_view *v)
{
	uint32_t nr;

	fence_seq_cst(); /* the view, then the list */
	nr = load_acquire32(&c->tern->ifaces.nr); /* pairs: IFACENR */
	if (nr == c->ifaces_nr)
		return;
	c->ifaces_nr = nr;
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (v->proto[i]->cls->ifaces)
			proto_wake(v->proto[i]);
}

static void
control_iface_gone(struct iface_source *s)
{
	tern_last_worker_gone(container_of(s, struct tern, ifaces));
}

void
control_ifaces_start(struct tern *t)
{
	static const struct iface_source_ops ops = { .changed = control_iface_changed,
		.gone = control_iface_gone };

	iface_source_start(&t->ifaces, &ops);
}
