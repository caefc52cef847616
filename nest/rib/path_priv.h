/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A path as it lies in memory: for the files of nest/rib only. Who may write what of it
 * when: table_priv.h, I4. */
#ifndef TERN_NEST_PATH_PRIV_H
#define TERN_NEST_PATH_PRIV_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "nest/rib/source.h"

struct attr_set;

#define PATH_ID_BITS 24

#define PATH_PRE 0x02 /* pre[0] is there */
/* struct path_ext stands behind it, and behind pre[0] if that is there */
#define PATH_EXT  0x04
#define PATH_LONG 0x08 /* its set got LLGR_STALE here (long_lived.c) */

/* What few paths have. */
struct path_ext {
	uint32_t rid; /* path identifier received (RFC 7911, 3) */
	/* number of one that isn't its feeder's present one; 0: it is */
	uint32_t origin;
};

/* A route of a net, of which there is one for each (feeder, identifier received). What it
 * says of itself is complete when it is linked. Its id is the dense number of
 * (net, feeder, identifier received), by which add-path names it; whether it is stale is
 * said by its epoch.
 *
 * Where routes come from is asked by path_facts alone, so that an origin of the path's
 * own changes nothing else. */
struct path {
	struct near next;
	uint32_t time_lo; /* of path_time_cs */
	struct pub32 from; /* feeder, and which of its epochs: path_feeder, path_epoch */
	uint32_t id : PATH_ID_BITS;
	uint32_t flags : 5;
	uint32_t time_hi : 3; /* of path_time_cs */
	struct attr_set *set; /* counted; as policy left it, also if it refused it */
	struct attr_set *pre[]; /* counted; with PATH_PRE */
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct path) == 24, "there are as many paths as routes");
_Static_assert(sizeof(struct path_ext) == sizeof(struct attr_set *),
    "a path's size is known by the number of its extras");

/* path_time_cs - when it came, in hundredths of a second since table->base_ns: 35 bits,
 * 10 years. The table's clock stands still then. */
#define PATH_TIME_MAX ((1ull << 35) - 1)
static inline uint64_t
path_time_cs(const struct path *p)
{
	return (uint64_t)p->time_hi << 32 | p->time_lo;
}

/* path_feeder - whose it is; path_epoch - and of which epoch. Any thread. */
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

/* path_from - what a path of that feeder and epoch has in `from`. */
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

/* path_is_of - is it what the feeder of number @feeder calls @rid? */
static inline bool
path_is_of(const struct path *p, uint32_t feeder, uint32_t rid)
{
	return path_feeder(p) == feeder && path_rid_of(p) == rid;
}

/* path_origin - the number; 0: its feeder's present one. */
static inline uint32_t
path_origin(const struct path *p)
{
	return unlikely(p->flags & PATH_EXT) ? path_ext(p)->origin : 0;
}

#endif
