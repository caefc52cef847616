/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who listens: the instances that the listener knows, by their peers' addresses. For
 * bgp_listen.c. */
#ifndef TERN_PROTO_BGP_BGP_ENTRIES_H
#define TERN_PROTO_BGP_BGP_ENTRIES_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/sock/sock_opt.h"

struct bgp_place;
struct bgp_session;
struct iface_source;
struct sock_ao;

/* One instance at one socket. */
struct bgp_entry {
	struct htab_node node; /* by the peer's address, if it is one */
	struct list link; /* in ranges, if it is a range */
	struct bgp_place *place;
	struct bgp_session *s;
	struct prefix peer; /* one address, or those of a range */
	bool is_range;
	bool by_iface; /* of a range: the peer's interface matters */
	char *iface; /* of a link-local peer; NULL: any */
	struct ip_addr local; /* IP_NONE: any */
	char *key; /* TCP MD5; NULL: none */
	struct sock_ao *ao; /* keys of TCP-AO; NULL: none */
	int key_err; /* the kernel doesn't check it, and why; 0: it does */
};

/* owner: the listener. */
struct bgp_entries {
	const struct iface_source *ifaces;
	/* private */
	struct htab single; /* of single peers */
	struct list ranges; /* the others */
	uint64_t seed;
};

void bgp_entries_init(struct bgp_entries *all, const struct iface_source *ifaces);
void bgp_entries_fini(struct bgp_entries *all);
void bgp_entries_add(struct bgp_entries *all, struct bgp_entry *e);
void bgp_entries_del(struct bgp_entries *all, struct bgp_entry *e);
/* bgp_entries_find - who is there for a connection at @p: of several that want the same
 * peer the one that was made first; they may have joined in any order. bgp_entries_range
 * - of ranges, the longest, and then likewise. NULL: nobody. */
struct bgp_entry *bgp_entries_find(struct bgp_entries *all, const struct bgp_place *p,
    const struct sock_end *remote, struct ip_addr local);
struct bgp_entry *bgp_entries_range(struct bgp_entries *all, const struct bgp_place *p,
    const struct sock_end *remote, struct ip_addr local);
/* bgp_entries_of - that of @s; NULL: there is none. @remote: where it is likely. */
struct bgp_entry *bgp_entries_of(
    struct bgp_entries *all, struct ip_addr remote, const struct bgp_session *s);
/* bgp_entries_each - all, in any order; @fn adds and deletes none. */
void bgp_entries_each(
    struct bgp_entries *all, void (*fn)(void *arg, struct bgp_entry *e), void *arg);
/* bgp_entries_like - those with the peers of @e, which may be one of them, until @fn says
 * true. Returns: it has. */
bool bgp_entries_like(struct bgp_entries *all, const struct bgp_entry *e,
    bool (*fn)(void *arg, struct bgp_entry *x), void *arg);
/* bgp_iface_of - the name of the interface that a link-local peer is on; NULL: none. */
const char *bgp_iface_of(
    const struct iface_source *ifaces, const struct sock_end *remote);

#endif
