/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validated ROA payloads (VRPs, RFC 6811) by prefix: a map with one writer that any
 * thread asks.
 *
 * Which calls may run at the same time: roa_map_update and roa_map_free are
 * the writer's; all others may run beside them, in any thread, under RCU.
 * G1  A question sees each bucket of VRPs as it was before or after a batch, never in
 *     between; the VRPs of one prefix always stand in one bucket.
 * Progress: readers wait-free; the writer never waits. */
#ifndef TERN_LIB_NET_ROA_H
#define TERN_LIB_NET_ROA_H

#include "lib/net/prefix.h"

/* RFC 6811, 2: the prefixes that an AS may originate: @net and what is in it, up to
 * max_len bits. */
struct vrp {
	struct prefix net;
	uint8_t max_len; /* net.len to 32 or 128 */
	uint32_t asn; /* 0: nobody (RFC 6483, 4) */
};

/* ROA_UNKNOWN, ... of the filter language. */
enum roa_state { ROA_UNKNOWN = 0, ROA_VALID, ROA_INVALID };

struct roa_map;

/* One change of a batch. */
struct vrp_change {
	struct vrp vrp;
	bool there; /* false: the VRP goes */
};

OWNED struct roa_map *roa_map_new(enum family fam);
/* roa_map_free - no reader is left. */
void roa_map_free(TAKE struct roa_map *m);
/* roa_map_cnt - VRPs in it; any thread. */
uint64_t roa_map_cnt(const struct roa_map *m);

/* vrp_cmp - by prefix, max_len, asn. */
int vrp_cmp(const struct vrp *a, const struct vrp *b);

/* roa_map_update - carry out @cnt changes, which are put in another order; at most one
 * for each VRP. What comes and is there, or goes and isn't, is passed over.
 * Cost: O(cnt log cnt) and a copy of each bucket that is concerned; one call_rcu. */
void roa_map_update(struct roa_map *m, struct vrp_change *c, uint32_t cnt);

/* roa_map_check - RFC 6811, 2: VALID if a VRP that covers @net has @asn (which isn't 0)
 * and max_len for it, INVALID if one covers it at all, else UNKNOWN. A prefix of the
 * other family is UNKNOWN.
 * Cost: one binary search in each of at most four buckets. */
enum roa_state roa_map_check(
    const struct roa_map *m, const struct prefix *net, uint32_t asn);

/* vrp_matches - of @v, which covers @net: may @asn originate it? */
static inline bool
vrp_matches(const struct vrp *v, const struct prefix *net, uint32_t asn)
{
	return v->asn == asn && asn && net->len <= v->max_len;
}

#define ROA_COVER_MAX 256

/* Why roa_map_check answers as it does. */
struct roa_cover {
	enum roa_state state;
	uint32_t cnt; /* VRPs that cover the prefix */
	uint32_t matching; /* of them: they make it valid */
	/* the first ROA_COVER_MAX of them, those that match before others; within these
	 * in no order */
	struct vrp vrp[ROA_COVER_MAX];
};

/* roa_map_cover - @c is written anew. Its parts agree with each other, whatever changes
 * meanwhile.
 * Cost: as roa_map_check, and each VRP that covers @net, twice. */
void roa_map_cover(
    const struct roa_map *m, struct roa_cover *c, const struct prefix *net, uint32_t asn);

#endif
