/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pacing of reports that a path behind the best path of a net changed (SEG_BEHIND).
 *
 * A reader that may not have the best path walks the further paths to the first allowed
 * path. A net with few paths is published at once. In a net with thousands of paths, the
 * walks of all such readers take longer than the change, and a peer that changes its
 * paths one after the other would keep all readers busy. So an indexed net is published
 * at most once in about twice the time of all walks: at once if it was quiet, else at the
 * end of the time, with all changes until then.
 *
 * I1  Waiting nets stand in lists, one for each pace, so each list is in order of time.
 * I2  A change of the best path is published at once, in every net.
 *
 * The table's loop. */
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/stream.h"
#include "nest/rib/table/path_index.h"
#include "nest/rib/table_priv.h"
#include "sysdep/os/clock.h"

#define LOOK_NS 512 /* two looks of a reader at a path, with the filter */

void
table_behind_init(struct table *t)
{
	for (unsigned i = 0; i < BEHIND_PACES; i++)
		list_init(&t->behind.waits[i]);
}

/* behind_pace_of - number of the pace: 2^pace ms, at most a second. */
static unsigned
behind_pace_of(const struct table *t, const struct path_index *ix)
{
	uint64_t ns = (uint64_t)ix->cnt * t->behind.readers * LOOK_NS;
	unsigned pace = 0;

	while (pace < BEHIND_PACES - 1 && ns > NS_PER_MS << pace)
		pace++;
	return pace;
}

/* table_behind_notify - publish as a change of this batch, unless the net has no best
 * path. */
static void
table_behind_notify(struct table *t, struct path_index *ix)
{
	struct net *n = table_net_ptr(t, ix->net);
	const struct path *best = near_load_relaxed(&n->best);

	list_del(&ix->waits);
	t->behind.cnt--;
	ix->notified_ns = t->time.now_ns;
	if (best)
		stream_note(&t->best,
		    (struct change){ .id = ix->net,
			.old_src = path_feeder(best),
			.old_set = best->set },
		    &n->batch, load_relaxed32(&t->batch), false);
}

bool
table_behind_later(struct table *t, struct path_index *ix)
{
	unsigned pace;

	if (!t->behind.readers)
		return false;
	if (!list_empty(&ix->waits))
		return true;
	pace = behind_pace_of(t, ix);
	if (t->time.now_ns - ix->notified_ns >= NS_PER_MS << pace) {
		ix->notified_ns = t->time.now_ns;
		return false;
	}
	ix->due_ns = t->time.now_ns + (NS_PER_MS << pace);
	list_add_tail(&t->behind.waits[pace], &ix->waits);
	t->behind.cnt++;
	return true;
}

void
table_behind_end(struct table *t, struct path_index *ix)
{
	if (!list_empty(&ix->waits))
		table_behind_notify(t, ix);
}

/* table_behind_first - the head of a list; NULL: empty. */
static struct path_index *
table_behind_first(const struct list *l)
{
	return list_empty(l) ? NULL : container_of(l->next, struct path_index, waits);
}

uint64_t
table_behind_step(struct table *t, uint64_t now_ns)
{
	uint64_t due_ns = 0;
	struct path_index *ix;

	for (unsigned i = 0; i < BEHIND_PACES; i++) {
		while ((ix = table_behind_first(&t->behind.waits[i])) &&
		       ix->due_ns <= now_ns)
			table_behind_notify(t, ix);
		if (ix && (!due_ns || ix->due_ns < due_ns))
			due_ns = ix->due_ns;
	}
	return due_ns;
}
