/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Peers of another router, and the channels of an instance that takes their routes: an
 * UPDATE of such a peer goes to the peer's source in the channel of its family
 * (many_sources.h).
 *
 * The UPDATE was judged by the other router: all attributes are accepted, even attributes
 * that only internal peers may send, and AS paths of any length.
 *
 * Owner: the instance's worker. */
#ifndef TERN_NEST_CHANNEL_IMPORT_MANY_PEERS_H
#define TERN_NEST_CHANNEL_IMPORT_MANY_PEERS_H

#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "nest/channel/import/many_sources.h"
#include "nest/foreign/foreign_update.h"

struct conf_proto;
struct proto;

/* The channels of an instance. Embedded in the instance, which owns it; lives from
 * many_peers_make until many_peers_free. */
struct many_peers {
	struct proto *p;
	struct many_sources fam[FAM_CNT]; /* ch NULL: no channel of the family */
	uint32_t cnt; /* peers */
	struct foreign_reader reader; /* private */
};

/* A peer. Owner: the caller of many_peer_new. Lives until many_peer_drop, or until
 * many_peer_free when the channels go down. */
struct many_peer {
	struct many_peers *of;
	struct many_source *src[FAM_CNT]; /* NULL: not in that channel */
};

/* many_peers_make - in cls->make: make the channels of @cf. many_peers_free - in
 * cls->free. */
void many_peers_make(struct many_peers *m, struct proto *p, const struct conf_proto *cf);
void many_peers_free(struct many_peers *m);
/* many_peers_up, many_peers_down - for all channels; no peer exists. */
void many_peers_up(struct many_peers *m);
void many_peers_down(struct many_peers *m);
/* many_peers_ready - may UPDATEs be given? After false, p->cls->run is called when
 * possible. */
bool many_peers_ready(struct many_peers *m);
/* many_peers_reload - pass the routes through the policy again. Returns: false: all
 * routes must be brought again. */
bool many_peers_reload(struct many_peers *m);
/* many_peers_step - in cls->run. Returns: true: call again now. */
bool many_peers_step(struct many_peers *m);

/* many_peer_new - @src, @name: as many_new. Returns: NULL: no number is left.
 * many_peer_drop - withdraw the routes of the peer, and free it. */
OWNED struct many_peer *many_peer_new(
    struct many_peers *m, const struct route_source *src, const char *name);
void many_peer_drop(TAKE struct many_peer *p);
/* many_peer_free - free without withdrawals: the channels are down, or are about to
 * be. */
void many_peer_free(TAKE struct many_peer *p);

/* many_peer_update - import an UPDATE. Returns: BGP_OK, or a fault; with WITHDRAW the
 * routes are withdrawn, with RESET nothing is done. */
struct bgp_err many_peer_update(struct many_peer *p, const struct foreign_update *u);

#endif
