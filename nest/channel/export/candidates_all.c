/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategy for a peer that receives all paths (RFC 7911): each path is a candidate
 * and has an id, so the items of the reader are paths (candidates.h).
 *
 * Loop: the session's. Tests: test_channel_recheck.c, test_add_path_out.py. */
#include "lib/mem/arena.h"
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/rib/table.h"

#define ARENA_PATHS 64 /* paths between two resets of the arena */

static bool
all_fits(const struct channel *ch)
{
	return ch->sink && ch->sink->all;
}

static struct reader *
all_reader(struct channel *ch)
{
	return &ch->all->r;
}

static uint32_t
all_items(
    struct channel *ch, uint32_t id, const struct net *n, candidate_fn fn, void *arg)
{
	uint32_t cnt = 1;

	(void)id;
	for (const struct path *p = n ? net_first(n) : NULL; p; p = path_next(p)) {
		if (path_id(p))
			fn(arg, path_id(p), n, p);
		if (!(cnt++ % ARENA_PATHS))
			arena_reset(&ch->work.arena);
	}
	return cnt;
}

const struct candidates candidates_all = {
	.gives = GIVES_ALL,
	.fits = all_fits,
	.reader = all_reader,
	.items = all_items,
	.send = candidates_send,
};
