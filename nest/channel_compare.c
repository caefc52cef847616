/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a change of the export filter: which nets does it make a difference to?
 *
 * A clean net whose best route gets the same answer from the old and the new filter sends nothing. The
 * walk goes through the table in steps, in the session's thread, under RCU; nets with one set from one
 * source, which mostly stand together, are asked about once if neither filter reads the prefix.
 *
 * I1  The view is the new one from the start: what the journal brings meanwhile is decided by it, and a
 *     net that the walk finds alike has either been sent so, or has a segment that is still to be read.
 * I2  A second change before the walk is through makes all nets beyond its position dirty: these have
 *     not been compared with what the peer holds. */
#include "nest/channel_priv.h"

#define STEP_NETS 4096 /* a turn, where one answer serves many */
#define STEP_RUNS 512 /* answers that a turn may ask for */

static void
free_view(struct rcu_node *n)
{
	struct export_view *v = container_of(n, struct export_view, rcu);

	config_ref_put(v->conf);
	mem_free(MEM_PROTO, v);
}

void
channel_view_free(TAKE struct export_view *v)
{
	rcu_free_later(&v->rcu, free_view);
}

void
channel_compare_stop(struct channel *ch)
{
	if (ch->before)
		channel_view_free(ch->before);
	ch->before = NULL;
}

void
channel_compare_start(struct channel *ch, TAKE struct export_view *old)
{
	uint32_t limit = table_id_limit(ch->table);

	if (ch->before && ch->before_pos < limit)
		adj_out_dirty(&ch->adj, ch->before_pos, limit - ch->before_pos);
	channel_compare_stop(ch);
	ch->before = old;
	ch->before_pos = 0;
}

bool
channel_compare_step(struct channel *ch)
{
	uint32_t limit, asked = 0, end, last_src = NO_SOURCE;
	const struct attr_set *last_set = NULL;
	bool by_net, same = true;

	if (!ch->before)
		return false;
	limit = table_id_limit(ch->table);
	end = ch->before_pos + STEP_NETS < limit ? ch->before_pos + STEP_NETS : limit;
	by_net = (filter_may_read(ch->before->filter) |
		     filter_may_read(ch->view->filter)) &
		 (FILTER_READ_NET | FILTER_READ_TABLE | FILTER_READ_VOLATILE);
	for (; ch->before_pos < end && asked < STEP_RUNS; ch->before_pos++) {
		const struct net *n = table_net_ptr(ch->table, ch->before_pos);
		const struct path *p = net_best(n);
		struct prefix net;

		if (!p || bitmap_test(&ch->adj.dirty, ch->before_pos))
			continue;
		if (by_net || p->set != last_set || p->src != last_src) {
			net = net_prefix(ch->table, n);
			same = export_same(ch, ch->before, p->set, p->src, &net);
			asked++;
		}
		last_set = p->set;
		last_src = p->src;
		if (!same)
			adj_out_dirty(&ch->adj, ch->before_pos, 1);
	}
	if (ch->before_pos >= limit)
		channel_compare_stop(ch);
	return ch->before != NULL;
}
