/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages by which routes come into the kernel, change and leave (krt_sink.h).
 *
 * A route that changes is replaced by one message, so that packets never lack the route;
 * if the kernel refuses the new route the old one stays. The message replaces whichever
 * route has destination and metric. Ours was put there on the condition that no other is
 * there. A route that somebody else puts in the place of ours is safe from the next scan
 * on, which notes that the place is taken. If the metric changes, the new route is put
 * there before the old one goes.
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
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/reason.h"
#include "nest/tern.h"
#include "proto/kernel/krt_batch.h"
#include "proto/kernel/krt_failed.h"
#include "proto/kernel/krt_guard.h"
#include "proto/kernel/krt_route.h"
#include "proto/kernel/krt_sink.h"

#define NO_NET UINT32_MAX

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

/* krt_sink_may_write - net @id is to be there: can it be tried? */
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
		krt_sink_end_guard(k); /* it may be in the way of @r */
	if (krt_sink_may_write(k, id))
		krt_batch_add(&k->batch, id, r);
}

/* What is needed to take one away. */
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
		krt_batch_add(&k->batch, id, r); /* beside what others have there */
	else
		krt_batch_change(&k->batch, id, r);
	if (old.priority != r->priority)
		krt_sink_move(k, id, &old);
}

/* krt_sink_left - is @m, of an older metric, not what its net has now, and is the new
 * route there? */
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
				krt_batch_del(&k->batch, NO_NET, &old);
		}
		krt_batch_flush(&k->batch);
		mem_free(MEM_PROTO, k->moved);
		k->moved = NULL;
		k->moved_cnt = k->moved_cap = 0;
	}
	krt_failed_publish(&k->failed, channel_stats(k->sink.ch)->reason);
}
