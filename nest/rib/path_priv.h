/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A path in memory. Only files of nest/rib include the header. table_priv.h, I4 says
 * which fields change. Owner: the table. Freed a grace period after unlinking. Loop: the
 * table's writes; any thread reads under RCU. */
#ifndef TERN_NEST_RIB_PATH_PRIV_H
#define TERN_NEST_RIB_PATH_PRIV_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "nest/rib/source.h"

struct attr_set;

#define PATH_ID_BITS 24

#define PATH_PRE 0x02 /* pre[0] exists */
/* struct path_ext follows the path and, if present, pre[0] */
#define PATH_EXT     0x04
#define PATH_OVERDUE 0x08 /* the set is seg_class.overdue's (overdue.c) */

/* Fields of a few paths. Owner and life: those of the path. */
struct path_ext {
	uint32_t rid; /* path identifier received (RFC 7911, 3) */
	/* id of an origin other than the feeder's present origin; 0: the feeder's */
	uint32_t origin;
};

/* A route of a net: one path for each (feeder, received path identifier). The fields of a
 * path are complete before the path is linked. The path id is the dense number of (net,
 * feeder, received path identifier), used by add-path. The epoch says whether a path is
 * stale.
 *
 * Code learns the source of a route from path_facts only, so an origin of a path affects
 * no other code. */
struct path {
	struct near next;
	uint32_t time_lo; /* of path_time_cs */
	struct pub32 from; /* feeder and its epoch: path_feeder, path_epoch */
	uint32_t id : PATH_ID_BITS;
	uint32_t flags : 5;
	uint32_t time_hi : 3; /* of path_time_cs */
	struct attr_set *set; /* counted; after import policy, also of a filtered path */
	struct attr_set *pre[]; /* counted; before import policy; with PATH_PRE */
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct path) == 24, "the number of paths is the number of routes");
_Static_assert(sizeof(struct path_ext) == sizeof(struct attr_set *),
    "a path's size is known by the number of its extras");

/* path_time_cs - arrival time, in hundredths of a second since table->base_ns: 35 bits,
 * 10 years. Later arrivals get the greatest time. */
#define PATH_TIME_MAX ((1ull << 35) - 1)
static inline uint64_t
path_time_cs(const struct path *p)
{
	return (uint64_t)p->time_hi << 32 | p->time_lo;
}

/* path_feeder - number of the feeder. path_epoch - epoch of the feeder. Any thread. */
static inline uint32_t
path_feeder(const struct path *p)
{
	return load_relaxed32(&p->from) & (FEEDER_MAX - 1);
}

static inline uint32_t
path_epoch(const struct path *p)
{
	return load_relaxed32(&p->from) >> FEEDER_BITS;
}

/* path_from - the value of `from` for a feeder and an epoch. */
static inline uint32_t
path_from(uint32_t feeder, uint32_t epoch)
{
	return feeder | epoch << FEEDER_BITS;
}

/* path_ext - with PATH_EXT */
static inline struct path_ext *
path_ext(const struct path *p)
{
	const uint8_t *at = (const uint8_t *)p + sizeof(*p);

	return (struct path_ext *)(uintptr_t)(p->flags & PATH_PRE ? at + sizeof(p->pre[0])
								  : at);
}

/* path_rid_of - as path_rid. */
static inline uint32_t
path_rid_of(const struct path *p)
{
	return unlikely(p->flags & PATH_EXT) ? path_ext(p)->rid : 0;
}

/* path_is_of - true: the path has feeder number @feeder and path identifier @rid. */
static inline bool
path_is_of(const struct path *p, uint32_t feeder, uint32_t rid)
{
	return path_feeder(p) == feeder && path_rid_of(p) == rid;
}

/* path_origin - id of the origin; 0: the feeder's present origin. */
static inline uint32_t
path_origin(const struct path *p)
{
	return unlikely(p->flags & PATH_EXT) ? path_ext(p)->origin : 0;
}

#endif
