/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the listener: single peers in a hash, ranges, which are few, in a list.
 *
 * Loop: the listener's. Tested by test/unit/test_bgp_listen.c and
 * test/net/test_dynamic.py. */
#include "proto/bgp/listen/bgp_entries.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/iface/iface.h"

static struct bgp_entry *
entries_entry_of(struct htab_node *n)
{
	return container_of(n, struct bgp_entry, node);
}

static struct bgp_entry *
entries_range_of(struct list *n)
{
	return container_of(n, struct bgp_entry, link);
}

static uint64_t
bgp_entries_hash_of(const struct bgp_entries *all, struct ip_addr remote)
{
	return hash_u64(hash_u64(all->seed, remote.hi), remote.lo);
}

const char *
bgp_iface_of(const struct iface_source *ifaces, const struct sock_end *remote)
{
	const struct iface *i = NULL;

	if (ip_is_link_local(remote->addr))
		i = iface_by_index(iface_list_get(ifaces), remote->ifindex);
	return i ? i->name : NULL;
}

static bool
bgp_entries_fits(const struct bgp_entries *all, const struct bgp_entry *e,
    const struct bgp_place *p, const struct sock_end *remote, struct ip_addr local)
{
	const char *iface = e->iface ? bgp_iface_of(all->ifaces, remote) : NULL;

	return e->place == p && prefix_has_ip(&e->peer, remote->addr) &&
	       (ip_is_none(e->local) || ip_is_none(local) || /* in a dry run */
		   ip_equal(e->local, local)) &&
	       (!iface || !strcmp(e->iface, iface));
}

/* bgp_entries_better - @e, rather than @best (NULL: anyone). */
static bool
bgp_entries_better(const struct bgp_entry *e, const struct bgp_entry *best)
{
	if (!best || e->peer.len != best->peer.len)
		return !best || e->peer.len > best->peer.len;
	return e->s->enlisted.order < best->s->enlisted.order;
}

struct bgp_entry *
bgp_entries_find(struct bgp_entries *all, const struct bgp_place *p,
    const struct sock_end *remote, struct ip_addr local)
{
	struct bgp_entry *best = NULL;
	struct htab_node *n;

	htab_each_same (n, &all->single, bgp_entries_hash_of(all, remote->addr))
		if (bgp_entries_fits(all, entries_entry_of(n), p, remote, local) &&
		    bgp_entries_better(entries_entry_of(n), best))
			best = entries_entry_of(n);
	return best;
}

struct bgp_entry *
bgp_entries_range(struct bgp_entries *all, const struct bgp_place *p,
    const struct sock_end *remote, struct ip_addr local)
{
	struct bgp_entry *best = NULL;
	struct list *n;

	list_for_each (n, &all->ranges)
		if (bgp_entries_fits(all, entries_range_of(n), p, remote, local) &&
		    bgp_entries_better(entries_range_of(n), best))
			best = entries_range_of(n);
	return best;
}

/* The configured address may have changed meanwhile. If no entry of @remote belongs to
 * @s, the function searches all entries. */
struct bgp_entry *
bgp_entries_of(
    struct bgp_entries *all, struct ip_addr remote, const struct bgp_session *s)
{
	struct htab_node *n;
	struct list *r;

	htab_each_same (n, &all->single, bgp_entries_hash_of(all, remote))
		if (entries_entry_of(n)->s == s)
			return entries_entry_of(n);
	list_for_each (r, &all->ranges)
		if (entries_range_of(r)->s == s)
			return entries_range_of(r);
	for (n = htab_walk(&all->single, NULL); n; n = htab_walk(&all->single, n))
		if (entries_entry_of(n)->s == s)
			return entries_entry_of(n);
	return NULL;
}

void
bgp_entries_each(
    struct bgp_entries *all, void (*fn)(void *arg, struct bgp_entry *e), void *arg)
{
	struct htab_node *n;
	struct list *r;

	for (n = htab_walk(&all->single, NULL); n; n = htab_walk(&all->single, n))
		fn(arg, entries_entry_of(n));
	list_for_each (r, &all->ranges)
		fn(arg, entries_range_of(r));
}

bool
bgp_entries_like(struct bgp_entries *all, const struct bgp_entry *e,
    bool (*fn)(void *arg, struct bgp_entry *x), void *arg)
{
	struct htab_node *n;
	struct list *r;

	htab_each_same (n, &all->single, bgp_entries_hash_of(all, e->peer.addr))
		if (prefix_equal(&entries_entry_of(n)->peer, &e->peer) &&
		    fn(arg, entries_entry_of(n)))
			return true;
	list_for_each (r, &all->ranges)
		if (prefix_equal(&entries_range_of(r)->peer, &e->peer) &&
		    fn(arg, entries_range_of(r)))
			return true;
	return false;
}

void
bgp_entries_add(struct bgp_entries *all, struct bgp_entry *e)
{
	if (e->is_range)
		list_add_tail(&all->ranges, &e->link);
	else
		htab_add(&all->single, &e->node, bgp_entries_hash_of(all, e->peer.addr));
}

void
bgp_entries_del(struct bgp_entries *all, struct bgp_entry *e)
{
	if (e->is_range)
		list_del(&e->link);
	else
		htab_del(&all->single, &e->node);
}

void
bgp_entries_init(struct bgp_entries *all, const struct iface_source *ifaces)
{
	all->ifaces = ifaces;
	list_init(&all->ranges);
	htab_init(&all->single, MEM_PROTO);
	all->seed = hash_seed_random();
}

void
bgp_entries_fini(struct bgp_entries *all)
{
	htab_fini(&all->single);
}
