/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many sources that bring their routes by one channel: the peers of a dump, the RIBs that
 * another router tells of. Each has facts of its own (an origin, nest/rib/source.h), so
 * routes are chosen, shown, filtered and passed through pipes as if each came by itself.
 *
 * To the table they are paths of one feeder, told apart by their path identifiers: those
 * are numbers that are given here.
 *
 * Owner: the worker of the channel's instance. */
#ifndef TERN_NEST_MANY_SOURCES_H
#define TERN_NEST_MANY_SOURCES_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/source.h"

struct attr_local;
struct channel;
struct many_sources;

/* One of them. owner: struct many_sources; freed by: many_drop, when its routes have been
 * withdrawn; many_clear. */
struct many_source {
	struct list link;
	struct many_sources *of;
	struct origin *origin; /* a reference */
	struct htab by_id; /* struct, by the path identifiers that it says */
	bool going;
	uint64_t announced, withdrawn; /* prefixes, so far */
};

/* Those of a channel. */
struct many_sources {
	struct channel *ch;
	uint32_t cnt; /* those that aren't going */
	/* private */
	struct list all; /* struct many_source */
	struct list going, walked; /* withdrawn by the next walk, by this one */
	struct many_source **owner; /* by number: whose it is. MEM_PROTO */
	uint32_t owner_cnt, owner_cap;
	uint32_t *spare; /* numbers that are free. MEM_PROTO */
	uint32_t spare_cnt, spare_cap;
	uint8_t *buf; /* MEM_PROTO */
	uint32_t buf_cap;
	uint32_t pos; /* of the walk: next net */
	uint32_t nr; /* counts marks, and what makes one void */
	bool marked, walking;
};

/* many_init - for @ch, which has been made and is down; its nets get identifiers.
 * many_fini - it is down for good. */
void many_init(struct many_sources *m, struct channel *ch);
void many_fini(struct many_sources *m);

/* many_new - a source that says @src of itself; @name: how it is called (cut to 63
 * octets). The channel is up. Returns: NULL: there is no number left. */
struct many_source *many_new(
    struct many_sources *m, const struct route_source *src, const char *name);
/* many_drop - it is gone, and its routes are going: many_step. */
void many_drop(TAKE struct many_source *s);
/* many_clear - the channel has just been taken down: all are gone. */
void many_clear(struct many_sources *m);

/* What goes with announced prefixes, as for channel_import. */
struct many_attrs {
	const uint8_t *data;
	uint32_t len;
	const struct attr_local *local;
};

/* many_announce, many_withdraw - @n: checked prefixes of the channel's family, with or
 * without identifiers, and 16 readable octets behind. */
void many_announce(
    struct many_source *s, const struct many_attrs *a, const struct bgp_nlri *n);
void many_withdraw(struct many_source *s, const struct bgp_nlri *n);

/* many_step - withdraw a part of what those had that are going. In the instance's run,
 * and when the channel takes routes again. Returns: is there more to do now? */
bool many_step(struct many_sources *m);

#endif
