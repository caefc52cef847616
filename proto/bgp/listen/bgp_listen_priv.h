/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listener, for the files of the listener. Loop: the listener's. */
#ifndef TERN_PROTO_BGP_LISTEN_BGP_LISTEN_PRIV_H
#define TERN_PROTO_BGP_LISTEN_BGP_LISTEN_PRIV_H

#include "lib/mt/atomic.h"
#include "proto/bgp/listen/bgp_entries.h"
#include "proto/bgp/listen/bgp_place.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_opt.h"
#include "sysdep/os/os_fd.h"

struct tern;

/* Owner: the listener's worker. Life: until the last reference is put and the worker has
 * ended. Freed by: the listener's worker at its end. */
struct bgp_listener {
	struct worker worker;
	struct tern *tern;
	struct counter32 refs;
	struct bgp_places places;
	struct bgp_entries entries;
	struct timer retry;
	uint64_t second_ns; /* start of the present second of log lines */
	uint32_t second_cnt; /* unwanted connections in the second */
	uint64_t order; /* private to the control worker: number of created instances */
};

static inline struct bgp_listener *
listener_of(struct worker *w)
{
	return container_of(w, struct bgp_listener, worker);
}

/* bgp_listen_find - who is there for a connection at @p; NULL: nobody. */
struct bgp_entry *bgp_listen_find(struct bgp_listener *l, const struct bgp_place *p,
    const struct sock_end *remote, const struct sock_end *local);
/* bgp_listen_give - @fd to @e. */
void bgp_listen_give(struct bgp_listener *l, struct bgp_entry *e, TAKE struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local);
/* bgp_listen_may_log - is there room for a line about a refused connection? */
bool bgp_listen_may_log(struct bgp_listener *l);
/* bgp_listen_is_near - does the accepted connection @fd come from no farther away than
 * the ttl security of @e permits? Returns: false: from farther away, or possibly so;
 * logged. */
bool bgp_listen_is_near(struct bgp_listener *l, const struct bgp_entry *e,
    struct os_fd fd, const struct sock_end *remote);
/* bgp_listen_unwanted - log a connection at @p that is refused. @e: NULL if no instance
 * waits for the peer; else the entry of the peer, refused because the kernel did not take
 * the entry's password and would accept any peer. */
void bgp_listen_unwanted(struct bgp_listener *l, const struct bgp_entry *e,
    const struct bgp_place *p, const struct sock_end *remote,
    const struct sock_end *local);

#endif
