/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scanned routes with our protocol number, and the removal of all exported routes
 * (krt_sink.h).
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "lib/base/bitmap.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl_route.h"
#include "nest/channel/channel.h"
#include "nest/core/reason.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "proto/kernel/krt_batch.h"
#include "proto/kernel/krt_failed.h"
#include "proto/kernel/krt_route.h"
#include "proto/kernel/krt_sink.h"

#define STEP_NETS 500 /* nets of one repair or removal step */

void
krt_sink_scan(struct krt_sink *k)
{
	bitmap_clear_all(&k->seen);
	k->at = 0;
}

/* krt_sink_scan_mend - the kernel's route of net @id, with our destination and metric,
 * differs from @want: replace the route. */
static void
krt_sink_scan_mend(struct krt_sink *k, uint32_t id, struct rtnl_route *want)
{
	krt_failed_note(
	    &k->failed, id, krt_sink_denied(k) ? REASON_KERNEL_DENIED : REASON_NONE);
	if (!krt_sink_denied(k))
		krt_batch_change(&k->batch, id, want);
}

void
krt_sink_see(struct krt_sink *k, const struct rtnl_route *got)
{
	const struct table *t = channel_table(k->sink.ch);
	struct nlri key = nlri_of_prefix(&got->dst);
	const struct net *n = table_find_nlri(t, &key);
	const struct path *p = n ? net_best(n) : NULL;
	uint32_t id = n ? net_id(t, n) : 0;
	struct krt_where w = krt_sink_where(k);
	struct rtnl_route want;

	if (!n || !bitmap_test(&k->out, id)) {
		if (!krt_sink_denied(k))
			krt_batch_del(&k->batch, NO_ID, got);
		return;
	}
	krt_sink_make(k, &want, &w, k->set[id], p ? path_facts(t, p) : NULL);
	want.dst = got->dst;
	if (got->priority != want.priority) {
		/* an older route of ours stays until the kernel accepts the new route */
		if (!krt_sink_denied(k) && !krt_failed_is(&k->failed, id))
			krt_batch_del(&k->batch, NO_ID, got);
		return;
	}
	if (!bitmap_test(&k->seen, id) && !krt_route_same(&want, got))
		krt_sink_scan_mend(k, id, &want);
	else
		krt_failed_note(&k->failed, id, REASON_NONE);
	bitmap_set(&k->seen, id);
}

void
krt_sink_seen(struct krt_sink *k)
{
	krt_sink_flush(k);
	k->at = 0;
}

/* scan_next_missing - the first net of `out` from k->at on that the scan did not see. */
static uint32_t
scan_next_missing(const struct krt_sink *k)
{
	uint32_t id = bitmap_next(&k->out, k->at);

	while (id != UINT32_MAX && bitmap_test(&k->seen, id))
		id = bitmap_next(&k->out, id + 1);
	return id;
}

bool
krt_sink_repair(struct krt_sink *k)
{
	const struct table *t = channel_table(k->sink.ch);
	struct krt_where w = krt_sink_where(k);
	uint32_t id = UINT32_MAX;

	if (krt_sink_denied(k))
		return false;
	krt_sink_flush(k);
	k->repairing = true;
	for (unsigned i = 0; i < STEP_NETS; i++) {
		const struct net *n;
		const struct path *p;
		struct rtnl_route r;
		struct prefix dst;

		id = scan_next_missing(k);
		if (id == UINT32_MAX)
			break;
		n = table_net_of(t, id);
		p = net_best(n);
		dst = net_prefix(t, n);
		krt_sink_make(k, &r, &w, k->set[id], p ? path_facts(t, p) : NULL);
		krt_sink_add(k, id, &r, &dst);
		k->at = id + 1;
	}
	krt_sink_flush(k);
	k->repairing = false;
	return id != UINT32_MAX;
}

/* Remove the last net first. Most feeds add nets in the order of their addresses, and
 * removal in that order is slow: at each removal the kernel (fib_trie.c, update_suffix)
 * searches a node of its trie for the first remaining route, past all removed routes.
 * Removal of a million routes took 15 s in address order and takes 4 s from the last
 * net. */
bool
krt_sink_remove(struct krt_sink *k, bool leave)
{
	const struct table *t = channel_table(k->sink.ch);
	struct krt_where w = krt_sink_where(k);
	uint32_t id = NO_ID;

	for (unsigned i = 0; i < STEP_NETS; i++) {
		struct prefix dst;

		id = bitmap_prev(&k->out, k->at);
		if (id == NO_ID)
			break;
		dst = net_prefix(t, table_net_of(t, id));
		if (!leave)
			krt_sink_del(k, id, &w, &dst);
		krt_sink_forget(k, id);
		k->at = id;
	}
	krt_sink_flush(k);
	return id != NO_ID;
}
