/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path counters of the table and of feeders. The table's loop. Tests: test_table_best.c,
 * test_feeder.c. */
#include "lib/mt/atomic.h"
#include "nest/conf/config.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table/feeder_out.h"
#include "nest/rib/table/hop_nets.h"
#include "nest/rib/table_priv.h"

/* count_stale - @s got or lost a stale path. */
static void
count_stale(struct feeder *s, const struct path *p, int add)
{
	s->stale_cnt += (uint32_t)add;
	if (p->flags & PATH_FILTERED)
		s->stale_filtered += (uint32_t)add;
	counter64_set(&s->stats->stale, s->stale_cnt);
	counter64_set(&s->stats->stale_filtered, s->stale_filtered);
}

uint64_t
feeder_counted(const struct feeder_stats *st, enum limit_kind k)
{
	uint64_t stale = counter64_get(&st->stale), now = counter64_get(&st->imported);

	if (k == LIMIT_RECEIVE)
		now += counter64_get(&st->filtered);
	else
		stale -= min_u64(stale, counter64_get(&st->stale_filtered));
	return now - min_u64(now, stale);
}

void
table_path_count(struct table *t, uint32_t id, const struct path *p, int add)
{
	struct feeder *s = table_own_feeder(t, path_feeder(p));
	struct pub32 *chunk = feeder_chunk(s, id);

	store_relaxed32(chunk, load_relaxed32(chunk) + (uint32_t)add);
	s->path_cnt += (uint32_t)add;
	if (unlikely(s->hop_nets) && !(p->flags & PATH_FILTERED))
		hop_nets_count(s->hop_nets, p->set, id, add);
	counter64_bump(&t->st.paths, (uint64_t)add);
	if (p->flags & PATH_FILTERED)
		counter64_bump(&t->st.filtered, (uint64_t)add);
	if (!epochs_live(feeder_epochs(s), path_epoch(p)))
		return;
	if (unlikely(path_epoch(p) != s->epoch))
		count_stale(s, p, add);
	s->live_cnt += (uint32_t)add;
	if (p->flags & PATH_FILTERED) {
		s->live_filtered += (uint32_t)add;
		counter64_set(&s->stats->filtered, s->live_filtered);
	} else {
		counter64_set(&s->stats->imported, s->live_cnt - s->live_filtered);
	}
}

void
table_path_freshen(struct feeder *s, struct path *p)
{
	if (path_epoch(p) == s->epoch)
		return;
	count_stale(s, p, -1);
	store_relaxed32(&p->from, path_from(path_feeder(p), s->epoch));
}

void
table_path_kill(struct feeder *s, struct path *p)
{
	uint32_t dead = (s->epoch - s->kept - 1) & EPOCH_MASK;

	if (path_epoch(p) != s->epoch)
		count_stale(s, p, -1);
	s->live_cnt--;
	s->live_filtered -= (p->flags & PATH_FILTERED) != 0;
	counter64_set(&s->stats->filtered, s->live_filtered);
	counter64_set(&s->stats->imported, s->live_cnt - s->live_filtered);
	store_relaxed32(&p->from, path_from(path_feeder(p), dead));
}
