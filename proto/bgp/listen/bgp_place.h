/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places where the listener listens: an address, a port and, of a link-local address, an
 * interface. Private: for bgp_listen.c. All in the listener's worker. */
#ifndef TERN_BGP_PLACE_H
#define TERN_BGP_PLACE_H

#include "lib/base/list.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_opt.h"

#define PLACE_RETRY_NS (5 * NS_PER_S) /* of one that can't be had */
#define PLACE_SAY_NS   (600 * NS_PER_S) /* what still fails is logged once more */

struct bgp_places {
	struct list list;
	struct worker *worker;
	const struct iface_source *ifaces;
	bool none; /* in a dry run: there are no sockets */
	/* of all their sockets, as sock_listen_open's */
	void (*accepted)(struct sock_listen *l, int fd, const struct sock_end *remote,
	    const struct sock_end *local);
};

/* One listening socket. */
struct bgp_place {
	struct sock_listen sock;
	struct list link;
	struct bgp_places *all;
	struct sock_end end;
	/* of a link-local address, NULL: of another; end.ifindex is its number */
	char *iface;
	char *vrf; /* its socket is in this one; NULL: in none */
	uint32_t vrf_index; /* its number when it was opened */
	bool free_bind;
	/* why it can't be had, as was logged; 0: it is open, or nothing was logged */
	int err;
	uint64_t said_ns; /* when that was logged */
	unsigned users;
	bool tried; /* it was closed when all were last gone through (places_again) */
};

/* bgp_place_get - the one of @end, @iface and @vrf that has users; else one that has
 * none, and isn't open. */
struct bgp_place *bgp_place_get(struct bgp_places *all, const struct sock_end *end,
    TAKE char *iface, TAKE char *vrf, bool free_bind);
/* bgp_place_open - Returns: whether it is to be looked at again in PLACE_RETRY_NS: it
 * can't be had, or is one of an interface, which may come and go (bgp_place_renew).
 * @moving: nobody is told that we are in our own way, since places of the configuration
 * before may still be open. */
bool bgp_place_open(struct bgp_place *p, bool moving);
/* bgp_place_renew - close it if its interface has gone, or is another one of the same
 * name. */
void bgp_place_renew(struct bgp_place *p);
/* bgp_place_key - tell the kernel the password of @peer; NULL: none. bgp_place_keys -
 * likewise the keys of TCP-AO, @to in place of @from, of which either may be NULL. Return
 * 0 or negative errno. */
MUST_CHECK int bgp_place_key(
    struct bgp_place *p, const struct prefix *peer, const char *key);
MUST_CHECK int bgp_place_keys(struct bgp_place *p, const struct prefix *peer,
    const struct sock_ao *from, const struct sock_ao *to);
/* bgp_places_fini - none has users. */
void bgp_places_fini(struct bgp_places *all);

#endif
