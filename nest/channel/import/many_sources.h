/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many sources in one channel: the peers of a dump, or the RIBs that another router
 * reports. Each source has its own facts (an origin, nest/rib/source.h), so routes are
 * selected, shown, filtered and passed through pipes as if each source had a channel.
 *
 * In the table they are paths of one feeder with different path identifiers: numbers
 * assigned here.
 *
 * Owner: the worker of the channel's instance. */
#ifndef TERN_NEST_CHANNEL_IMPORT_MANY_SOURCES_H
#define TERN_NEST_CHANNEL_IMPORT_MANY_SOURCES_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/source.h"

struct attr_local;
struct channel;
struct many_sources;

/* A source. Owner: struct many_sources. Freed after many_drop, when its routes are
 * withdrawn; or by many_clear. */
struct many_source {
	struct list link;
	struct many_sources *of;
	struct origin *origin; /* a reference */
	struct htab by_id; /* by received path identifier */
	bool going;
	uint64_t announced, withdrawn; /* prefixes in total */
};

/* The sources of a channel. Embedded in its user, which owns it; lives from many_init
 * until many_fini. */
struct many_sources {
	struct channel *ch;
	uint32_t cnt; /* sources that are not going */
	/* private */
	struct list all; /* struct many_source */
	struct list going, walked; /* withdrawn by the next walk, by the present walk */
	struct many_source **owner; /* source by number. MEM_PROTO */
	uint32_t owner_cnt, owner_cap;
	uint32_t *spare; /* free numbers. MEM_PROTO */
	uint32_t spare_cnt, spare_cap;
	uint8_t *buf; /* MEM_PROTO */
	uint32_t buf_cap;
	uint32_t pos; /* next net of the walk */
	uint32_t nr; /* counts marks and cancellations of marks */
	bool marked, walking;
};

/* many_init - for @ch, which is down; its nets get identifiers. many_fini - @ch is down
 * for good. */
void many_init(struct many_sources *m, struct channel *ch);
void many_fini(struct many_sources *m);

/* many_new - a source with facts @src and name @name (truncated to 63 octets). The
 * channel is up. Returns: NULL: no number is left. */
struct many_source *many_new(
    struct many_sources *m, const struct route_source *src, const char *name);
/* many_drop - end @s; many_step withdraws its routes. */
void many_drop(TAKE struct many_source *s);
/* many_clear - the channel went down: end all sources. */
void many_clear(struct many_sources *m);

/* Attributes of an announcement, as for channel_import. Owner: the caller; lives for the
 * call. By value: nothing to free. */
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

/* many_step - withdraw a bounded number of routes of ended sources. In the instance's
 * run, and when the channel accepts routes again. Returns: true: call again now. */
bool many_step(struct many_sources *m);

#endif
