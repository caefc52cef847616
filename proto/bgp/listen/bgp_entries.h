/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instances that the listener knows, by the addresses of their peers. For
 * bgp_listen.c. All in the listener's worker. */
#ifndef TERN_PROTO_BGP_LISTEN_BGP_ENTRIES_H
#define TERN_PROTO_BGP_LISTEN_BGP_ENTRIES_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/sock/sock_opt.h"

struct bgp_place;
struct bgp_session;
struct iface_source;
struct sock_ao;

/* One instance at one socket. Owner: the listener. Life: from bgp_entries_add to
 * bgp_entries_del. */
struct bgp_entry {
	/* by the peer's address, if the peer is a single address */
	struct htab_node node;
	struct list link; /* in `ranges`, if the peer is a range */
	struct bgp_place *place;
	struct bgp_session *s;
	struct prefix peer; /* a single address, or a range */
	bool is_range;
	bool by_iface; /* of a range: the peer's interface is compared */
	char *iface; /* of a link-local peer; NULL: any */
	struct ip_addr local; /* IP_NONE: any */
	char *key; /* TCP MD5; NULL: none */
	struct sock_ao *ao; /* keys of TCP-AO; NULL: none */
	uint8_t min_ttl; /* of the peer's packets (RFC 5082); 0: any */
	int key_err; /* 0: the kernel checks the key; else the error of the kernel */
};

/* Owner: the listener. Life: embedded in the listener, until bgp_entries_fini. */
struct bgp_entries {
	const struct iface_source *ifaces;
	/* private */
	struct htab single; /* of single peers */
	struct list ranges; /* entries with ranges */
	uint64_t seed;
};

void bgp_entries_init(struct bgp_entries *all, const struct iface_source *ifaces);
void bgp_entries_fini(struct bgp_entries *all);
void bgp_entries_add(struct bgp_entries *all, struct bgp_entry *e);
void bgp_entries_del(struct bgp_entries *all, struct bgp_entry *e);
/* bgp_entries_find - the entry for a connection at @p. If several entries have the peer,
 * the instance that was created first wins; instances may have joined in any order.
 * bgp_entries_range - among ranges the longest range wins, then the first instance. NULL:
 * none. */
struct bgp_entry *bgp_entries_find(struct bgp_entries *all, const struct bgp_place *p,
    const struct sock_end *remote, struct ip_addr local);
struct bgp_entry *bgp_entries_range(struct bgp_entries *all, const struct bgp_place *p,
    const struct sock_end *remote, struct ip_addr local);
/* bgp_entries_of - the entry of @s; NULL: none. @remote: the likely address. */
struct bgp_entry *bgp_entries_of(
    struct bgp_entries *all, struct ip_addr remote, const struct bgp_session *s);
/* bgp_entries_each - call @fn for every entry, in any order; @fn neither adds nor deletes
 * entries. */
void bgp_entries_each(
    struct bgp_entries *all, void (*fn)(void *arg, struct bgp_entry *e), void *arg);
/* bgp_entries_like - call @fn for entries with the peers of @e, including @e, until @fn
 * returns true. Returns: true: @fn returned true. */
bool bgp_entries_like(struct bgp_entries *all, const struct bgp_entry *e,
    bool (*fn)(void *arg, struct bgp_entry *x), void *arg);
/* bgp_iface_of - the interface of a link-local peer; NULL: none. */
const char *bgp_iface_of(
    const struct iface_source *ifaces, const struct sock_end *remote);

#endif
