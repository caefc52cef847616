/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places where the listener listens: an address, a port and, for a link-local address, an
 * interface. Private: for bgp_listen.c. All in the listener's worker. Owner: the
 * listener. Life: struct bgp_places is embedded in the listener; a place is freed after
 * its last user has left. */
#ifndef TERN_PROTO_BGP_LISTEN_BGP_PLACE_H
#define TERN_PROTO_BGP_LISTEN_BGP_PLACE_H

#include "lib/base/list.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_opt.h"
#include "sysdep/os/os_fd.h"

#define PLACE_RETRY_NS (5 * NS_PER_S) /* retry of a place that cannot be opened */
/* interval of log lines about a lasting failure */
#define PLACE_SAY_NS (600 * NS_PER_S)

/* All places. Owner: the listener, which embeds the struct and frees each place after the
 * last user. */
struct bgp_places {
	struct list list;
	struct worker *worker;
	const struct iface_source *ifaces;
	bool none; /* in a dry run: no sockets are opened */
	/* callback of all sockets, as of sock_listen_open */
	void (*accepted)(struct sock_listen *l, struct os_fd fd,
	    const struct sock_end *remote, const struct sock_end *local);
};

/* One listening socket. */
struct bgp_place {
	struct sock_listen sock;
	struct list link;
	struct bgp_places *all;
	struct sock_end end;
	/* of a link-local address; NULL: another address. end.ifindex is the interface's
	 * number */
	char *iface;
	char *vrf; /* VRF of the socket; NULL: none */
	uint32_t vrf_index; /* number of the VRF when the socket was opened */
	bool free_bind;
	/* the logged error; 0: open, or no error was logged */
	int err;
	uint64_t said_ns; /* time of the log line */
	unsigned users;
	bool tried; /* the place was closed in the present round of listen_again */
};

/* bgp_place_get - the place of @end, @iface and @vrf that has users; else a place without
 * users that is not open. */
struct bgp_place *bgp_place_get(struct bgp_places *all, const struct sock_end *end,
    TAKE char *iface, TAKE char *vrf, bool free_bind);
/* bgp_place_open - open the place's socket. Returns: true: look at the place again after
 * PLACE_RETRY_NS, because the socket cannot be opened or the interface may change
 * (bgp_place_renew). @moving: do not log an address that tern itself uses, because places
 * of the earlier configuration may still be open. */
bool bgp_place_open(struct bgp_place *p, bool moving);
/* bgp_place_renew - close the socket if the interface has gone, or another interface has
 * the name. */
void bgp_place_renew(struct bgp_place *p);
/* bgp_place_key - set the password of @peer in the kernel; NULL: none. bgp_place_keys -
 * replace the TCP-AO keys @from by @to; either may be NULL. Both return 0 or negative
 * errno. */
MUST_CHECK int bgp_place_key(
    struct bgp_place *p, const struct prefix *peer, const char *key);
MUST_CHECK int bgp_place_keys(struct bgp_place *p, const struct prefix *peer,
    const struct sock_ao *from, const struct sock_ao *to);
/* bgp_places_fini - free the places; no place has users. */
void bgp_places_fini(struct bgp_places *all);

#endif
