/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changed overrides and the paths of a channel that keeps no routes before policy
 * (channel_override.c, I1).
 *
 * Loop: the session's. Tested by test/net/test_override.py. */
#include "nest/channel/channel_override_priv.h"

#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel_priv.h"
#include "nest/core/override.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

void
channel_override_path(
    struct channel *ch, const struct net *n, const struct path *p, struct attr_set *set)
{
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK] = { 0 };
	unsigned id_len = ch->imp.id_len;
	struct nlri k = net_nlri(ch->table, n);
	struct prefix net = net_prefix(ch->table, n);
	const struct override *o = ch->imp.overrides ? channel_override_import(ch, &net)
						     : NULL;
	bool blocks = channel_override_blocks(ch, o);
	struct rec rec = { .type = REC_ANNOUNCE,
		.flags = (uint8_t)(REC_MOVE | REC_FLIP | (id_len ? REC_IDS : 0) |
				   (blocks ? PATH_FILTERED : 0)),
		.prefix_cnt = 1 };

	if (path_filtered(p) == blocks)
		return;
	if (id_len)
		put_be32(nlri, path_rid(p));
	rec.nlri_len = (uint16_t)(id_len + NLRI_BY_KIND(ch->kind, nlri_put, nlri + id_len,
					       k.word, k.head));
	rec.set = attr_set_ref(set, 1);
	rec.pre = attr_set_ref(set, 1);
	channel_post_rec(ch, &rec, nlri);
}
