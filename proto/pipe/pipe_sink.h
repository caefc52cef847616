/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half of a pipe: feeds the exported routes of a channel to the opposite channel's table.
 * Owner: the pipe. Life: embedded in the instance.
 *
 * Loop: the pipe's. */
#ifndef TERN_PROTO_PIPE_PIPE_SINK_H
#define TERN_PROTO_PIPE_PIPE_SINK_H

#include "lib/base/bitmap.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/nlri.h"
#include "sysdep/loop/loop.h"

#define PIPE_PARCEL 1024 /* octets of NLRI */

/* Collected single paths: announced as a route, or (set NULL) withdrawn. */
struct pipe_parcel {
	struct passed what; /* references, while len isn't 0 */
	uint32_t len;
	uint8_t nlri[PIPE_PARCEL + NLRI_SLACK];
};

/* One direction of a pipe. Owner: the pipe; embedded in the instance, freed with the
 * instance. */
struct pipe_sink {
	struct sink sink; /* first */
	struct channel *to;
	/* the opposite table is an overlay (nest/rib/table/overlay.h) and gets no routes:
	 * the sink counts the routes here */
	bool counts;
	/* called once, when all routes of pipe_sink_pour are posted; NULL: no request */
	void (*poured)(struct pipe_sink *k);
	bool early; /* the next `synced` belongs to another feed */
	struct bitmap out; /* paths announced to the opposite table */
	uint8_t max_generation;
	struct pipe_parcel put, withdrawn;
	struct timer idle; /* runs while the opposite channel may have a ring */
	uint64_t used_ns; /* time of the last record */
	/* a net refused as a loop; the time of the check; the net refused last since, if
	 * any */
	struct nlri suspect;
	struct timer look;
	struct nlri next;
	bool has_next;
	uint64_t logged_ns; /* time of the last log line about a loop; 0: never */
};

/* pipe_sink_init - @k is all zeros; the caller sets to and max_generation. @w: the
 * pipe's. */
void pipe_sink_init(struct pipe_sink *k, struct worker *w);
void pipe_sink_fini(struct pipe_sink *k);
/* pipe_sink_pour - stop mere counting: feed all routes to the opposite table, then call
 * @poured; NULL: the channel is down. */
void pipe_sink_pour(struct pipe_sink *k, void (*poured)(struct pipe_sink *k));
/* pipe_sink_used - the opposite channel's ring has a record. */
void pipe_sink_used(struct pipe_sink *k);

#endif
