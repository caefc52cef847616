/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validated ROA payloads (VRPs, RFC 6811) by prefix: a map with one writer and readers in
 * any thread.
 *
 * Which calls may run at the same time: only the writer calls roa_map_update and
 * roa_map_free; all other calls may run meanwhile, in any thread, under RCU.
 * G1  A reader sees each bucket of VRPs before or after a batch, never in between; the
 *     VRPs of one prefix always stand in one bucket.
 * Progress: readers wait-free; the writer never waits. */
#ifndef TERN_LIB_NET_ROA_H
#define TERN_LIB_NET_ROA_H

#include "lib/net/prefix.h"

/* A VRP (RFC 6811, 2): an AS may originate @net and prefixes inside @net of up to max_len
 * bits. Owner: the holder. Life: by value. */
struct vrp {
	struct prefix net;
	uint8_t max_len; /* net.len to 32 or 128 */
	uint32_t asn; /* 0: nobody (RFC 6483, 4) */
};

/* ROA_UNKNOWN, ... of the filter language. */
enum roa_state { ROA_UNKNOWN = 0, ROA_VALID, ROA_INVALID };

struct roa_map;

/* One change of a batch. Owner: the writer. Life: until roa_map_update returns. */
struct vrp_change {
	struct vrp vrp;
	bool there; /* true: add the VRP; false: delete the VRP */
};

OWNED struct roa_map *roa_map_new(enum family fam);
/* roa_map_free - no reader is left. */
void roa_map_free(TAKE struct roa_map *m);
/* roa_map_cnt - number of VRPs in the map; any thread. */
uint64_t roa_map_cnt(const struct roa_map *m);

/* vrp_cmp - compare by prefix, max_len, asn. */
int vrp_cmp(const struct vrp *a, const struct vrp *b);

/* roa_map_update - apply @cnt changes, at most one for each VRP; the array is reordered.
 * The addition of a known VRP and the deletion of an unknown VRP are ignored.
 * Cost: O(cnt log cnt) and a copy of each affected bucket; one call_rcu. */
void roa_map_update(struct roa_map *m, struct vrp_change *c, uint32_t cnt);

/* roa_map_check - RFC 6811, 2: VALID if a VRP that covers @net has @asn (other than 0)
 * and a sufficient max_len, INVALID if only other VRPs cover @net, else UNKNOWN. A prefix
 * of the other family is UNKNOWN.
 * Cost: one binary search in each of at most four buckets. */
enum roa_state roa_map_check(
    const struct roa_map *m, const struct prefix *net, uint32_t asn);

/* vrp_matches - true if @v, which covers @net, lets @asn originate @net. */
static inline bool
vrp_matches(const struct vrp *v, const struct prefix *net, uint32_t asn)
{
	return v->asn == asn && asn && net->len <= v->max_len;
}

#define ROA_COVER_MAX 256

/* The reasons for the result of roa_map_check. Owner: the caller. Life: on the stack. */
struct roa_cover {
	enum roa_state state;
	uint32_t cnt; /* VRPs that cover the prefix */
	uint32_t matching; /* covering VRPs that make the prefix valid */
	/* the first ROA_COVER_MAX covering VRPs, matching VRPs before other VRPs;
	 * otherwise unsorted */
	struct vrp vrp[ROA_COVER_MAX];
};

/* roa_map_cover - fill @c. The fields of @c agree with each other even if the map changes
 * meanwhile.
 * Cost: as roa_map_check, and each VRP that covers @net, twice. */
void roa_map_cover(
    const struct roa_map *m, struct roa_cover *c, const struct prefix *net, uint32_t asn);

#endif
