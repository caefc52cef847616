/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever brings routes to a table, as the table knows it: how its routes are ordered, what it is told, what is counted. A
 * channel is one; the table knows no channel. */
#ifndef TERN_NEST_SOURCE_H
#define TERN_NEST_SOURCE_H

#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config.h"

struct table_source;

/* A candidate of best-route selection. */
struct route_cand {
	const struct attr_set *set;
	const struct route_source *src;
	uint32_t time_cs; /* when it came, by the table's clock */
};

/* Best-route selection among routes of the same kind of source and of equal preference; table's thread. Constant. */
struct path_order {
	/* rank - a strict order without MED: < 0 if @a is better. */
	int (*rank)(const struct route_cand *a, const struct route_cand *b);
	/* tied - are @a and @b equal in all that comes before MED? @a ranks before @b. */
	bool (*tied)(const struct route_cand *a, const struct route_cand *b);
	/* select - the best of @cnt (2 or more) tied ones, in the order of rank. Returns:
	 * its index. */
	unsigned (*select)(const struct route_cand *c, unsigned cnt);
};

/* What the table counts of a source. Written by the table's thread, read by any. */
struct source_stats {
	struct counter64 imported, filtered, preferred;
	struct counter64 imp_upd_accepted, imp_upd_ignored, imp_wd_accepted,
	    imp_wd_ignored;
};

/* What the table says to a source. Constant. Called in the table's thread; the source lives. */
struct source_ops {
	/* limit - @l was crossed; or count it, if that was told lately. */
	void (*limit)(
	    struct table_source *s, enum limit_kind k, const struct conf_limit *l);
	/* refused - routes that a limit kept out may come now. */
	void (*refused)(struct table_source *s);
	/* slow - it holds too much back, which is from @out_pos on: let go of it, unless it has got on since @progress.
	 * @anyway: also then. */
	void (*slow)(
	    struct table_source *s, uint64_t out_pos, uint64_t progress, bool anyway);
	/* progress - another number whenever it has had room to send, or what it sends to has taken octets. */
	uint64_t (*progress)(const struct table_source *s);
};

#endif
