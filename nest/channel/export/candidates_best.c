/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategy of an ordinary channel: the peer gets the best path of a net, or no path
 * (candidates.h).
 *
 * Loop: the session's. Tests: test_channel_send.c, prop_spine.c. */
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/table.h"

static bool
best_fits(const struct channel *ch)
{
	(void)ch;
	return true;
}

uint32_t
candidates_net(
    struct channel *ch, uint32_t id, const struct net *n, candidate_fn fn, void *arg)
{
	(void)ch;
	fn(arg, id, n, n ? net_best(n) : NULL);
	return 1;
}

void
candidates_send(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	if (a->verdict == EXPORT_ACCEPT && channel_send_announce(ch, s, n, a))
		return;
	channel_send_withdraw(ch, s, n, a);
}

const struct candidates candidates_best = {
	.gives = GIVES_BEST,
	.fits = best_fits,
	.reader = channel_table_reader,
	.items = candidates_net,
	.send = candidates_send,
};
