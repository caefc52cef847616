/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listener, as the files see it that belong to it. */
#ifndef TERN_PROTO_BGP_BGP_LISTEN_PRIV_H
#define TERN_PROTO_BGP_BGP_LISTEN_PRIV_H

#include "lib/mt/atomic.h"
#include "proto/bgp/listen/bgp_entries.h"
#include "proto/bgp/listen/bgp_place.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_opt.h"

struct tern;

struct bgp_listener {
	struct worker worker;
	struct tern *tern;
	struct counter32 refs;
	struct bgp_places places;
	struct bgp_entries entries;
	struct timer retry;
	uint64_t second_ns; /* when the present second of log lines began */
	uint32_t second_cnt; /* connections in it that weren't wanted */
	uint64_t order; /* control worker's: instances that have been made */
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
void bgp_listen_give(struct bgp_listener *l, struct bgp_entry *e, TAKE int fd,
    const struct sock_end *remote, const struct sock_end *local);
/* bgp_listen_unwanted - log a connection at @p that nobody takes. @e: its peer, whose
 * password isn't checked; NULL: a stranger. */
void bgp_listen_unwanted(struct bgp_listener *l, const struct bgp_entry *e,
    const struct bgp_place *p, const struct sock_end *remote,
    const struct sock_end *local);

#endif
