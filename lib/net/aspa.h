/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Provider authorizations of ASes (ASPA), and what they say of an AS path: a map with one
 * writer that any thread asks, and the procedures of
 * draft-ietf-sidrops-aspa-verification.
 *
 * Which calls may run at the same time: aspa_map_update and aspa_map_free are the
 * writer's; all others may run beside them, in any thread, under RCU.
 * G1  A walk sees one state of the whole map, before a batch or after it.
 * G2  What a call returns is valid until the caller's next quiescent state.
 * Progress: readers wait-free; the writer never waits. */
#ifndef TERN_LIB_NET_ASPA_H
#define TERN_LIB_NET_ASPA_H

#include "lib/base/check.h"

/* ASPA_UNKNOWN, ... of the filter language. */
enum aspa_state { ASPA_UNKNOWN = 0, ASPA_VALID, ASPA_INVALID };

/* What a customer has attested: the ASes that may pass on its routes upwards. Immutable
 * once it is in a map, which frees it. */
struct aspa {
	uint32_t customer;
	uint32_t cnt; /* never 0; AS 0 alone: it has no provider */
	uint32_t provider[]; /* ascending, each once */
};

struct aspa_map;

/* One change of a batch. */
struct aspa_change {
	uint32_t customer;
	struct aspa *aspa; /* TAKE; NULL: the customer's goes */
};

OWNED struct aspa_map *aspa_map_new(void);
/* aspa_map_free - no reader is left. */
void aspa_map_free(TAKE struct aspa_map *m);
/* aspa_map_cnt - customers in it; any thread. */
uint64_t aspa_map_cnt(const struct aspa_map *m);

/* aspa_new - for aspa_map_update: @provider in any order, maybe repeated. */
OWNED struct aspa *aspa_new(uint32_t customer, const uint32_t *provider, uint32_t cnt);
/* aspa_same - the same providers? */
bool aspa_same(const struct aspa *a, const struct aspa *b);

/* aspa_map_update - carry out @cnt changes, which are put in another order; at most one
 * for each customer. What goes is left out silently if it isn't there.
 * Cost: O(cnt log cnt) and a copy of 12 octets for each customer in the map. */
void aspa_map_update(struct aspa_map *m, struct aspa_change *c, uint32_t cnt);
/* aspa_map_get - NULL: nothing is known of the customer. */
const struct aspa *aspa_map_get(const struct aspa_map *m, uint32_t customer);

/* A path on its way through the check. Storage is the caller's; no quiescent state
 * between aspa_walk_init and aspa_walk_state. */
struct aspa_walk {
	/* private */
	const struct aspa_list *list;
	const struct aspa *last; /* of last_as */
	uint32_t last_as, cnt;
	uint32_t up_not, up_weak, down_not, down_weak; /* see aspa.c */
};

/* aspa_walk_init - @m NULL: nobody has attested anything. */
void aspa_walk_init(struct aspa_walk *w, const struct aspa_map *m);
/* aspa_walk_as - the next AS, from the neighbour towards the origin. Repetitions in a row
 * count once. */
void aspa_walk_as(struct aspa_walk *w, uint32_t as);
/* aspa_walk_attested - by @customer, in what the walk sees. NULL: nothing is known. */
const struct aspa *aspa_walk_attested(const struct aspa_walk *w, uint32_t customer);
/* aspa_has_provider - does @a attest @as? */
bool aspa_has_provider(const struct aspa *a, uint32_t as);
/* aspa_walk_state - the verdict on the ASes so far. @upstream: the path came from a
 * customer, a peer or a client of a route server; else from a provider. An empty path is
 * INVALID. */
enum aspa_state aspa_walk_state(const struct aspa_walk *w, bool upstream);

#endif
