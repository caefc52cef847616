/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of a walk over nets (channel_walk.h). Loop: the channel's. Tested by
 * test/unit/test_channel_recheck.c, test/unit/test_channel_import.c, test/net/test_igp.py
 * and test/net/test_mrt_load.py. */
#include "nest/channel/channel_walk.h"

#include "lib/mem/arena.h"
#include "nest/channel/channel_priv.h"
#include "nest/rib/ids.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

#define STEP_COST  1024
#define ARENA_NETS 64 /* nets between two resets of the arena */

bool
channel_walk_step(struct channel *ch, struct channel_walk *w, const struct table *t,
    bool import, channel_walk_fn fn, void *arg)
{
	uint32_t cost = 0, nets = 0;

	while (w->pos < w->end && cost < STEP_COST && !(import && ch->imp.pend.len)) {
		uint32_t id, one;

		if (w->feeder && !w->id && !(w->pos % CHUNK_NETS))
			w->pos = feeder_next(w->feeder, w->pos);
		if (w->pos >= w->end)
			break;
		id = w->id ? w->id[w->pos] : w->pos;
		one = fn(arg, id, table_net_at(t, id));
		if (one == WALK_STAY)
			break;
		cost += one;
		w->pos++;
		if (!(++nets % ARENA_NETS))
			arena_reset(&ch->work.arena);
	}
	arena_reset(&ch->work.arena);
	return w->pos < w->end;
}
