/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops: the way of a route's packets, one hop or several (CUSTOM_HOPS).
 *
 * In an edited set hops are values. In an interned set hops are objects, each once in the
 * daemon, counted by the sets that have the hop (nest/rib/attr/hop_store.h): a hop's
 * address is its id. A reader gets a copy in either case.
 *
 * A hop stores an interface by number and by the name at the time of the hop's creation.
 * A later change of the name does not change the hop. The protocol that announced the
 * route announces the route again, as protocol direct does. An interface that a filter
 * has assigned keeps the old name until the route passes the filter again. Hops with
 * different names are different objects, but hop_cmp, which orders hops, compares the
 * number alone.
 *
 * The interface of a gateway without an interface is looked up at each use
 * (filter/run/links.h).
 *
 * Loop: the thread that owns the edit; any thread may read the hops of an interned
 * set. */
#ifndef TERN_FILTER_RUN_HOP_H
#define TERN_FILTER_RUN_HOP_H

#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/check.h"
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"

#include <net/if.h>

#define HOP_WEIGHT_MAX 256
#define HOPS_MAX       256 /* of a route */

/* All fields of a hop; compared and hashed as octets. Owner: the holder. Life: by value.
 * Nothing to free. */
struct hop {
	struct ip_addr gw; /* IP_NONE: no gateway, packets go to the interface */
	uint32_t ifindex; /* 0: look up the interface */
	uint16_t weight; /* among several hops: 1 to HOP_WEIGHT_MAX */
	uint8_t onlink; /* the gateway is on the link, whatever its subnets are */
	uint8_t zero;
	char ifname[IF_NAMESIZE]; /* filled up with zeros */
};

/* An interned hop. Owner: none, the hop is immutable. Life: until the count is 0 and a
 * grace period has passed. Freed by: hop_store. */
struct hop_node {
	struct rchash_node node; /* private to hop_store; holds the reference count */
	struct hop hop;
	struct rcu_node rcu; /* private */
};

/* What the custom attribute consists of: its type. */
enum hop_form { HOPS_VALUES = 1, HOPS_INTERNED };

/* hop_make - by interface @index, which is called @name (NULL: to be looked up), of
 * weight 1. */
struct hop hop_make(struct ip_addr gw, uint32_t index, const char *name);
/* hops_sort - sort, and remove repetitions; the first of equal hops stays. Returns:
 * number of hops left. Cost: O(cnt) for sorted hops. */
unsigned hops_sort(struct hop *h, unsigned cnt);

/* hops_set - set the @cnt hops @h. Returns: 0, -ENOSPC or -E2BIG. */
MUST_CHECK int hops_set(struct attr_edit *e, const struct hop *h, unsigned cnt);
MUST_CHECK int hops_unset(struct attr_edit *e);
/* hop_set_iface - set one hop without a gateway: interface @index of name @name. Returns:
 * 0, -ENOSPC or -E2BIG. */
MUST_CHECK int hop_set_iface(struct attr_edit *e, uint32_t index, const char *name);
/* hop_of, hop_in - hop number @i of a route. Returns: false: the route has fewer hops; no
 * hops at all, if neither protocol nor filter has set hops. */
bool hop_of(const struct attr_set *set, unsigned i, struct hop *out);
bool hop_in(const struct attr_edit *e, unsigned i, struct hop *out);

#endif
