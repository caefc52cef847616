/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of the spine's rig: reload of peer 0, and what the table has of a net. */
#ifndef TERN_TEST_LIB_RELOAD_RIG_H
#define TERN_TEST_LIB_RELOAD_RIG_H

#include "nest/rib/ids.h"
#include "test/lib/spine_rig.h"
#include "test/lib/table_find.h"
#include "test/lib/wait.h"

/* rig_path - the first path of net @i; NULL: there is no such net. */
static inline const struct path *
rig_path(uint32_t i)
{
	struct prefix p = rig_net(i);
	const struct net *n = rig_find(rig_table(), &p);

	return n ? net_first(n) : NULL;
}

static inline void
rig_do_reload(void *arg)
{
	bool *possible = arg;

	*possible = channel_reload_in(rig.peer[0]->ch);
}

/* rig_flush - until the ring has taken all. */
static inline void
rig_flush(struct channel *ch)
{
	while (!channel_flush_pending(ch)) {
		rcu_quiesce();
		wait_pause(200);
	}
}

static inline void
rig_reload_steps(void *arg)
{
	struct channel *ch = rig.peer[0]->ch;

	(void)arg;
	while (ch->imp.reload_pos != NO_ID) {
		channel_reload_step(ch);
		rig_flush(ch);
	}
}

/* rig_reload - peer 0's paths go through its import filter again, all at once.
 * Returns: false: they aren't kept. */
static inline bool
rig_reload(void)
{
	bool possible;

	rig_in(&rig.peer[0]->p.worker, rig_do_reload, &possible);
	rig_settle();
	rig_in(&rig.peer[0]->p.worker, rig_reload_steps, NULL);
	rig_settle();
	return possible;
}

#endif
