/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Peers of others, and the channels of an instance that takes their routes: what an
 * UPDATE of such a peer says goes to the source that the peer is in the channel of its
 * family (many_sources.h).
 *
 * What these peers say isn't judged as a neighbor's is: all attributes are taken, also
 * those that only internal peers may send, and no path is too long.
 *
 * Owner: the instance's worker. */
#ifndef TERN_NEST_MANY_PEERS_H
#define TERN_NEST_MANY_PEERS_H

#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "nest/channel/import/many_sources.h"
#include "nest/foreign/foreign_update.h"

struct conf_proto;
struct proto;

/* The channels of an instance. owner: the instance, in which it is embedded. */
struct many_peers {
	struct proto *p;
	struct many_sources fam[FAM_CNT]; /* ch NULL: it has no such channel */
	uint32_t cnt; /* peers */
	struct foreign_reader reader; /* private */
};

/* owner: whoever has it of many_peer_new, until many_peer_drop; when the channels are
 * taken down he just frees it. */
struct many_peer {
	struct many_peers *of;
	struct many_source *src[FAM_CNT]; /* NULL: not in that channel */
};

/* many_peers_make - in cls->make: channels for those of @cf. many_peers_free - in
 * cls->free. */
void many_peers_make(struct many_peers *m, struct proto *p, const struct conf_proto *cf);
void many_peers_free(struct many_peers *m);
/* many_peers_up, many_peers_down - the channels; all peers have been forgotten. */
void many_peers_up(struct many_peers *m);
void many_peers_down(struct many_peers *m);
/* many_peers_ready - may UPDATEs be given? If not, p->cls->run is called when. */
bool many_peers_ready(struct many_peers *m);
/* many_peers_reconf - as channel_reconf, of all of them; proto_adopt_conf is done here.
 * Returns: false: all routes have to be brought anew. */
struct proto_cmd;
bool many_peers_reconf(struct many_peers *m, struct proto_cmd *cmd);
/* many_peers_reload - pass the routes through the policy again. Returns: false: likewise.
 */
bool many_peers_reload(struct many_peers *m);
/* many_peers_step - in cls->run. Returns: is there more to do now? */
bool many_peers_step(struct many_peers *m);

/* many_peer_new - @src, @name: as many_new. Returns: NULL: there is no number left.
 * many_peer_drop - its routes go. */
OWNED struct many_peer *many_peer_new(
    struct many_peers *m, const struct route_source *src, const char *name);
void many_peer_drop(TAKE struct many_peer *p);
/* many_peer_free - the channels are down, or are about to be. */
void many_peer_free(TAKE struct many_peer *p);

/* many_peer_update - Returns: BGP_OK, or what was found; with WITHDRAW routes are
 * withdrawn, with RESET nothing is done. */
struct bgp_err many_peer_update(struct many_peer *p, const struct foreign_update *u);

#endif
