/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why for NETWORK: the lengths of the networks that contain NETWORK and of
 * which a table or a memory of refused routes knows a route.
 *
 * The least length is that of the longest accepted network: a visitor who may not see
 * refused routes then sees this network, and no line tells whether a longer network was
 * refused.
 *
 * All in one step, under RCU; in the session's loop. Tested by test/net/test_why.py. */
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

/* why_match_len - the length of the longest accepted network of @t that contains @of; 0:
 * none. */
static unsigned
why_match_len(const struct table *t, const struct prefix *of)
{
	const struct net *n = table_match_prefix(t, of);

	return n ? net_prefix(t, n).len : 0;
}

/* why_match_table - note the lengths of the networks of @t that contain @of. */
static void
why_match_table(
    const struct table *t, const struct prefix *of, unsigned least, struct why_lens *out)
{
	struct prefix p;
	struct nlri n;

	for (unsigned len = least; len <= of->len; len++) {
		if (out->known[len] || !table_may_have_len(t, len))
			continue;
		p = prefix_make(of->addr, (uint8_t)len, (enum family)of->fam);
		n = nlri_of_prefix(&p);
		out->known[len] = table_find_nlri(t, &n) != NULL;
	}
}

/* why_match_refused - note the lengths that @m may have. */
static void
why_match_refused(
    const struct reject_memory *m, unsigned least, unsigned most, struct why_lens *out)
{
	for (unsigned len = least; m && len <= most; len++)
		out->known[len] |= reject_has_len(m, len);
}

void
why_match_lens(const struct why *w, const struct table *asked, struct why_lens *out)
{
	const struct tern_view *v = tern_view_get(w->s->tern);
	const struct prefix *of = &w->q.prefix;
	const struct overlay *o = overlay_of(asked);
	unsigned least = why_match_len(asked, of);

	if (o)
		least = (unsigned)max_u64(least, why_match_len(o->base, of));
	*out = (struct why_lens){ .most = of->len };
	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (table_kind(v->table[i]) == w->q.kind)
			why_match_table(v->table[i], of, least, out);
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];

		for (struct channel *ch = proto_first_channel(p); ch;
		     ch = channel_after(p, ch)) {
			if (table_kind(channel_table(ch)) != w->q.kind)
				continue;
			why_match_refused(
			    channel_rejects(ch, false), least, of->len, out);
			why_match_refused(channel_rejects(ch, true), least, of->len, out);
		}
	}
}
