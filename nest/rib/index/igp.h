/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How addresses are reached by the routes of an IP table: what recursive next hops are
 * resolved by, and who is told when the answer may have changed.
 *
 * Whoever asks reads the table itself, when he likes. A watch is given addresses, and
 * tells of a change when a net has changed in which one of them lies. All watches of a
 * table share a reader of it, in a worker of its own: what changes elsewhere costs one
 * binary search, however many there are.
 *
 * G1  Once igp_watch_set was answered by a message, another one follows each change
 *     that could give one of the addresses another answer, until the next
 *     igp_watch_set.
 * G2  One message is under way at a time: it stands for all changes before it is
 *     taken. */
#ifndef TERN_NEST_IGP_H
#define TERN_NEST_IGP_H

#include "filter/run/hop.h"
#include "lib/base/check.h"
#include "lib/net/ip.h"

struct iface_list;
struct igp_watch;
struct table;
struct tern;
struct worker;

/* What an address is reached by. */
struct igp_way {
	uint8_t dest; /* enum route_dest: UNREACHABLE if nothing leads there */
	uint16_t cnt; /* of DEST_UNICAST: hops, in order; else 0 */
	/* how far it is, by the route that leads there, or says that nothing does;
	 * UINT32_MAX: unknown; 0: there is none (as BIRD compares them) */
	uint32_t metric;
	struct hop hop[HOPS_MAX];
};

/* igp_resolve - by the longest match among nets of @t that have a best route: that one's
 * hops; where it has no gateway the address itself is one on the interface. A route that
 * is recursive itself doesn't count as a way, and an address of ours isn't reached.
 * Under RCU. */
void igp_resolve(const struct table *t, struct igp_way *out, struct ip_addr a,
    const struct iface_list *ifaces);

struct igp_watch_ops {
	/* changed, gone - in the worker that the watch was made for. gone: nothing comes
	 * any more, and the watch isn't there. */
	void (*changed)(struct worker *w);
	void (*gone)(struct worker *w);
};

/* igp_watch_new - of @t, an IP table that the caller uses, for @to, which lives until
 * `gone`. In @to. */
OWNED struct igp_watch *igp_watch_new(struct tern *tern, struct table *t,
    struct worker *to, const struct igp_watch_ops *ops);
/* The following ones are called in the worker that the watch was made for.
 * igp_watch_set - the addresses, in place of those before. */
void igp_watch_set(struct igp_watch *x, const struct ip_addr *a, uint32_t cnt);
/* igp_watch_delete - `gone` follows. */
void igp_watch_delete(TAKE struct igp_watch *x);

#endif
