/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops: where packets of a route go, one or several (CUSTOM_HOPS).
 *
 * While a set is edited its hops are values. In an interned set they are objects, each
 * once in the daemon, counted by the sets that have it (nest/rib/attr/hop_store.h): a
 * hop's address is its id. Whoever reads gets a copy, and needn't know which of both it
 * is.
 *
 * An interface is kept by number and by the name that it had when the hop was made. When
 * it gets another name the hop stays as it is. Whoever brought the route brings it anew,
 * as protocol direct does. An interface that a filter has assigned keeps the old name
 * until the route passes the filter again. Hops with another name are other objects, but
 * hop_cmp, which orders them, looks at the number alone.
 *
 * A gateway without an interface is looked up when somebody asks (filter/run/links.h). */
#ifndef TERN_FILTER_HOP_H
#define TERN_FILTER_HOP_H

#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/check.h"
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"

#include <net/if.h>

#define HOP_WEIGHT_MAX 256
#define HOPS_MAX       256 /* of a route */

/* All that a hop is; compared and hashed as octets. What a later hop has beside it, as a
 * metric and labels, has its place here. */
struct hop {
	struct ip_addr gw; /* IP_NONE: there is none, packets go to the interface */
	uint32_t ifindex; /* 0: to be looked up */
	uint16_t weight; /* of several: 1 to HOP_WEIGHT_MAX */
	uint8_t onlink; /* the gateway is on the link, whatever its subnets are */
	uint8_t zero;
	char ifname[IF_NAMESIZE]; /* filled up with zeros */
};

/* An interned hop. owner: nobody, immutable; lives: while counted; freed by: hop_store, a
 * grace period later. */
struct hop_node {
	struct rchash_node node; /* private to hop_store, which counts in it */
	struct hop hop;
	struct rcu_node rcu; /* private */
};

/* What the custom attribute consists of: its type. */
enum hop_form { HOPS_VALUES = 1, HOPS_INTERNED };

/* hop_make - by interface @index, which is called @name (NULL: to be looked up), of
 * weight 1. */
struct hop hop_make(struct ip_addr gw, uint32_t index, const char *name);
/* hop_cmp - the order of a route's hops, which is that of bird2: the heaviest first, then
 * by gateway and interface. 0: packets go the same way. */
int hop_cmp(const struct hop *a, const struct hop *b);
/* hops_sort - into that order, each once: of those that are the same the first one.
 * Returns: how many are left. Cost: O(cnt), if they are in order. */
unsigned hops_sort(struct hop *h, unsigned cnt);

/* hops_set - @h, @cnt of them, are where packets go. Returns: 0, -ENOSPC or -E2BIG. */
MUST_CHECK int hops_set(struct attr_edit *e, const struct hop *h, unsigned cnt);
MUST_CHECK int hops_unset(struct attr_edit *e);
/* hop_set_iface - packets leave by interface @index, which is called @name, without a
 * gateway. Returns: 0, -ENOSPC or -E2BIG. */
MUST_CHECK int hop_set_iface(struct attr_edit *e, uint32_t index, const char *name);
/* hop_of, hop_in - the hop number @i of a route. Returns: false: it has fewer; none at
 * all, if nobody has said where its packets go. */
bool hop_of(const struct attr_set *set, unsigned i, struct hop *out);
bool hop_in(const struct attr_edit *e, unsigned i, struct hop *out);

#endif
