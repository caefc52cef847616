/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Provider authorizations of ASes (ASPA) and the verification of AS paths: a map with one
 * writer and readers in any thread, and the procedures of
 * draft-ietf-sidrops-aspa-verification.
 *
 * Which calls may run at the same time: only the writer calls aspa_map_update and
 * aspa_map_free; all other calls may run meanwhile, in any thread, under RCU.
 * G1  A walk sees one state of the whole map, before a batch or after the batch.
 * G2  A returned pointer is valid until the caller's next quiescent state.
 * Progress: readers wait-free; the writer never waits. */
#ifndef TERN_LIB_NET_ASPA_H
#define TERN_LIB_NET_ASPA_H

#include "lib/base/check.h"

/* ASPA_UNKNOWN, ... of the filter language. */
enum aspa_state { ASPA_UNKNOWN = 0, ASPA_VALID, ASPA_INVALID };

/* The attestation of a customer: the ASes that may propagate the customer's routes
 * upwards. Immutable in a map. Owner: the map. Life: until replaced, and a grace period.
 * Freed by: the map. */
struct aspa {
	uint32_t customer;
	uint32_t cnt; /* never 0; AS 0 alone: the customer has no provider */
	uint32_t provider[]; /* ascending, each once */
};

struct aspa_map;

/* One change of a batch. Owner: the writer. Life: until aspa_map_update returns. */
struct aspa_change {
	uint32_t customer;
	struct aspa *aspa; /* TAKE; NULL: delete the customer's attestation */
};

OWNED struct aspa_map *aspa_map_new(void);
/* aspa_map_free - no reader is left. */
void aspa_map_free(TAKE struct aspa_map *m);
/* aspa_map_cnt - number of customers in the map; any thread. */
uint64_t aspa_map_cnt(const struct aspa_map *m);

/* aspa_new - allocate an attestation for aspa_map_update. @provider: any order,
 * repetitions allowed. */
OWNED struct aspa *aspa_new(uint32_t customer, const uint32_t *provider, uint32_t cnt);
/* aspa_same - true if both have the same providers. */
bool aspa_same(const struct aspa *a, const struct aspa *b);

/* aspa_map_update - apply @cnt changes, at most one for each customer; the array is
 * reordered. The deletion of an unknown customer is ignored.
 * Cost: O(cnt log cnt) and a copy of 12 octets for each customer in the map. */
void aspa_map_update(struct aspa_map *m, struct aspa_change *c, uint32_t cnt);
/* aspa_map_get - the attestation of @customer; NULL: none. */
const struct aspa *aspa_map_get(const struct aspa_map *m, uint32_t customer);

/* State of the verification of one path. Owner: the caller. Life: on the stack; no
 * quiescent state between aspa_walk_init and aspa_walk_state. */
struct aspa_walk {
	/* private */
	const struct aspa_list *list;
	const struct aspa *last; /* the attestation of last_as */
	uint32_t last_as, cnt;
	uint32_t up_not, up_weak, down_not, down_weak; /* see aspa.c */
};

/* aspa_walk_init - start a walk. @m NULL: no attestations. */
void aspa_walk_init(struct aspa_walk *w, const struct aspa_map *m);
/* aspa_walk_as - add the next AS, from the neighbour towards the origin. Repetitions in a
 * row count once. */
void aspa_walk_as(struct aspa_walk *w, uint32_t as);
/* aspa_walk_attested - the attestation of @customer in the state of the walk; NULL:
 * none. */
const struct aspa *aspa_walk_attested(const struct aspa_walk *w, uint32_t customer);
/* aspa_has_provider - does @a attest @as? */
bool aspa_has_provider(const struct aspa *a, uint32_t as);
/* aspa_walk_state - verify the ASes so far. @upstream: a customer, a peer or a client of
 * a route server sent the path; false: a provider sent the path. An empty path is
 * INVALID. */
enum aspa_state aspa_walk_state(const struct aspa_walk *w, bool upstream);

#endif
