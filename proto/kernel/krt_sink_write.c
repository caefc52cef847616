/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that add, change and remove routes of the kernel (krt_sink.h).
 *
 * One message replaces a changed route, so packets never lack a route. If the kernel
 * refuses the new route, the old route stays. The message replaces any route with the
 * destination and metric of the new route. The replaced route belongs to the sink,
 * because the sink adds a route only if destination and metric are free (NLM_F_EXCL). If
 * a foreign program replaces a route of the sink, the next scan notes that the place is
 * taken and protects the foreign route. If the metric changes, the sink adds the new
 * route before it removes the old route.
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl_route.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/ids.h"
#include "proto/kernel/krt_batch.h"
#include "proto/kernel/krt_failed.h"
#include "proto/kernel/krt_guard.h"
#include "proto/kernel/krt_route.h"
#include "proto/kernel/krt_sink.h"
#include "sysdep/iface/iface.h"

void
krt_sink_make(struct krt_sink *k, struct rtnl_route *r, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src)
{
	r->hop = k->hop;
	krt_route_of(r, w, set, src);
}

void
krt_sink_del(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst)
{
	struct rtnl_route old = { .dst = *dst };

	krt_route_key(&old, w, k->set[id]);
	if (!krt_sink_denied(k))
		krt_batch_del(&k->batch, id, &old);
}

void
krt_sink_leave(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, const struct prefix *dst)
{
	struct rtnl_route old = { .dst = *dst };

	krt_route_key(&old, w, k->set[id]);
	if (!krt_sink_denied(k) && !krt_guard_takes(&k->guard, &old))
		krt_batch_del(&k->batch, id, &old);
}

void
krt_sink_end_guard(struct krt_sink *k)
{
	krt_guard_end(&k->guard, krt_sink_denied(k) ? NULL : &k->batch);
}

/* krt_sink_may_write - note the state of net @id before a write. Returns: false: the
 * daemon lacks permission. */
static bool
krt_sink_may_write(struct krt_sink *k, uint32_t id)
{
	bool denied = krt_sink_denied(k);

	krt_failed_note(&k->failed, id, denied ? REASON_KERNEL_DENIED : REASON_NONE);
	return !denied;
}

void
krt_sink_add(
    struct krt_sink *k, uint32_t id, struct rtnl_route *r, const struct prefix *dst)
{
	r->dst = *dst;
	if (k->guard.left)
		krt_sink_end_guard(k); /* a guard may have the destination of @r */
	if (krt_sink_may_write(k, id))
		krt_batch_add(&k->batch, id, r);
}

/* A route with a previous metric: the fields that a removal message needs. */
struct krt_moved {
	struct prefix dst;
	uint32_t id, priority;
};

static void
krt_sink_move(struct krt_sink *k, uint32_t id, const struct rtnl_route *old)
{
	k->moved = vec_room(
	    MEM_PROTO, k->moved, &k->moved_cap, k->moved_cnt + 1, sizeof(*k->moved));
	k->moved[k->moved_cnt++] = (struct krt_moved){ old->dst, id, old->priority };
}

void
krt_sink_change(
    struct krt_sink *k, uint32_t id, const struct krt_where *w, struct rtnl_route *r)
{
	enum reason why = krt_failed_noted(&k->failed, id);
	struct rtnl_route old = { .dst = r->dst };

	krt_route_key(&old, w, k->set[id]);
	if (!krt_sink_may_write(k, id))
		return;
	if (why == REASON_KERNEL_TAKEN || old.priority != r->priority)
		/* adds beside foreign routes, never over a foreign route */
		krt_batch_add(&k->batch, id, r);
	else
		krt_batch_change(&k->batch, id, r);
	if (old.priority != r->priority)
		krt_sink_move(k, id, &old);
}

/* krt_sink_left - true: the route @m of a previous metric may be removed: the net has
 * another metric now, and the kernel has the new route. *@old is the route to remove. */
static bool
krt_sink_left(const struct krt_sink *k, const struct krt_moved *m,
    const struct krt_where *w, struct rtnl_route *old)
{
	struct rtnl_route now = { .dst = m->dst };

	*old = now;
	if (bitmap_test(&k->out, m->id)) {
		krt_route_key(&now, w, k->set[m->id]);
		if (now.priority == m->priority || krt_failed_is(&k->failed, m->id))
			return false;
	}
	krt_route_key(old, w, attr_store_empty(k->p->tern->store));
	old->priority = m->priority;
	return true;
}

void
krt_sink_flush(struct krt_sink *k)
{
	krt_batch_flush(&k->batch);
	if (k->moved_cnt) {
		struct krt_where w = krt_sink_where(k);

		for (uint32_t i = 0; i < k->moved_cnt; i++) {
			struct rtnl_route old;

			if (krt_sink_left(k, &k->moved[i], &w, &old))
				krt_batch_del(&k->batch, NO_ID, &old);
		}
		krt_batch_flush(&k->batch);
		mem_free(MEM_PROTO, k->moved);
		k->moved = NULL;
		k->moved_cnt = k->moved_cap = 0;
	}
	krt_failed_publish(&k->failed, channel_stats(k->sink.ch)->reason);
}

struct krt_where
krt_sink_where(const struct krt_sink *k)
{
	return (struct krt_where){ .cf = k->p->cf->opt,
		.ifaces = iface_list_get(&k->p->tern->ifaces),
		.table = channel_table(k->sink.ch),
		.fam = channel_family(k->sink.ch) };
}
