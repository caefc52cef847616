/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learn routes from the kernel.
 *
 * The metric of a route is the identifier of its path: the kernel has several routes to a
 * destination if their metrics differ. The table gets all these routes; the lowest metric
 * is best. No state; loop: the instance's. Tested by test/net/test_kernel.py. */
#include "proto/kernel/krt_learn.h"

#include "lib/attr/attr.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_route.h"
#include "sysdep/iface/iface.h"

#include <linux/rtnetlink.h>

bool
krt_learns(const struct rtnl_route *got, uint8_t learn)
{
	switch (got->protocol) {
	case RTPROT_UNSPEC:
	case RTPROT_BIRD:
		return false;
	case RTPROT_REDIRECT:
	case RTPROT_KERNEL:
		return learn == KRT_LEARN_ALL && !prefix_is_bogus(&got->dst);
	default:
		return learn && !prefix_is_bogus(&got->dst);
	}
}

/* krt_learn_put - write the NLRI of @got behind the path identifier. Returns: octets. */
static unsigned
krt_learn_put(
    const struct rtnl_route *got, uint8_t to[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK])
{
	struct nlri n = nlri_of_prefix(&got->dst);

	memset(to, 0, NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK);
	put_be32(to, got->priority);
	return NLRI_ID_LEN + NLRI_BY_KIND((enum nlri_kind)got->dst.fam, nlri_put,
				 to + NLRI_ID_LEN, n.word, n.head);
}

static void
krt_learn_set(
    struct channel *ch, struct arena *a, const struct rtnl_route *got, bool scanned)
{
	const struct tern *t = channel_proto(ch)->tern;
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK];
	unsigned len = krt_learn_put(got, nlri);
	struct attr_set *set = krt_set_of(
	    t->store, a, got, iface_list_get(&t->ifaces), channel_conf(ch)->preference);

	if (set) {
		(scanned ? channel_import_seen : channel_import_attrs)(
		    ch, set, nlri, len);
		attr_set_unref(t->store, set, 1);
	} else if (!scanned) {
		channel_withdraw(ch, nlri, len);
	}
	arena_reset(a);
}

void
krt_learn(struct channel *ch, struct arena *a, const struct rtnl_route *got)
{
	krt_learn_set(ch, a, got, false);
}

void
krt_learn_seen(struct channel *ch, struct arena *a, const struct rtnl_route *got)
{
	krt_learn_set(ch, a, got, true);
}

void
krt_learn_gone(struct channel *ch, const struct rtnl_route *got)
{
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK];

	channel_withdraw(ch, nlri, krt_learn_put(got, nlri));
}

int
krt_rank(const struct route_cand *a, const struct route_cand *b)
{
	uint32_t x = krt_metric_of(a->set), y = krt_metric_of(b->set);

	return x < y ? -1 : x > y;
}
