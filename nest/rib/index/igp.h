/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolution of addresses by the routes of an IP table, for recursive next hops, and
 * watches that report changed answers.
 *
 * igp_resolve reads the table; any thread may call it at any time. A watch has addresses,
 * and reports a change when a net that contains one of the addresses changed. All watches
 * of a table share a reader of the table in a worker. A change of a net without watched
 * addresses costs one binary search, however many watches exist.
 *
 * G1  After igp_watch_set was answered by a message, a further message follows each
 *     change that could change the answer for one of the addresses, until the next
 *     igp_watch_set.
 * G2  At most one message is under way at a time; the message covers all changes until
 *     the receiver handles it.
 *
 * Owner of a watch: the worker that made it. Life: from igp_watch_new until `gone`. Owner
 * of struct igp_way: the caller. */
#ifndef TERN_NEST_RIB_INDEX_IGP_H
#define TERN_NEST_RIB_INDEX_IGP_H

#include "filter/run/hop.h"
#include "lib/base/check.h"
#include "lib/net/ip.h"

struct iface_list;
struct igp_watch;
struct table;
struct tern;
struct worker;

/* The answer for an address. By value: nothing to free. */
struct igp_way {
	uint8_t dest; /* enum route_dest; UNREACHABLE if no route leads to the address */
	uint16_t cnt; /* of DEST_UNICAST: hops, in order; else 0 */
	/* metric of the matching route, even of an unreachable route; UINT32_MAX:
	 * unknown; 0: no matching route (BIRD's comparison) */
	uint32_t metric;
	struct hop hop[HOPS_MAX];
};

/* igp_resolve - resolve @a by the longest match among nets of @t with a best route, and
 * take the hops of that route. A hop without gateway becomes a hop to @a on the
 * interface. A recursive route gives no hops, and a local address is unreachable. Under
 * RCU. */
void igp_resolve(const struct table *t, struct igp_way *out, struct ip_addr a,
    const struct iface_list *ifaces);

/* The calls to the owner of a watch. Constant: nothing to free. */
struct igp_watch_ops {
	/* changed, gone - in the worker of the watch. gone: no further message follows,
	 * and the watch is freed. */
	void (*changed)(struct worker *w);
	void (*gone)(struct worker *w);
};

/* igp_watch_new - make a watch of @t, an IP table that the caller uses, for the worker
 * @to, which lives until `gone`. In @to. */
OWNED struct igp_watch *igp_watch_new(struct tern *tern, struct table *t,
    struct worker *to, const struct igp_watch_ops *ops);
/* The following functions are called in the worker of the watch.
 * igp_watch_set - replace the watched addresses. */
void igp_watch_set(struct igp_watch *x, const struct ip_addr *a, uint32_t cnt);
/* igp_watch_delete - `gone` follows. */
void igp_watch_delete(TAKE struct igp_watch *x);

#endif
