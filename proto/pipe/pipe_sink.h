/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half of a pipe: the exported routes of one channel are fed to the table of the other
 * channel. Owner: the pipe. Life: embedded in the instance.
 *
 * Loop: the pipe's. */
#ifndef TERN_PROTO_PIPE_SINK_H
#define TERN_PROTO_PIPE_SINK_H

#include "lib/base/bitmap.h"
#include "nest/channel/channel.h"
#include "nest/channel/sink.h"
#include "nest/rib/nlri.h"
#include "sysdep/loop/loop.h"

#define PIPE_PARCEL 1024 /* octets of NLRI */

/* Collected single paths: announced as one route, or (set NULL) withdrawn. */
struct pipe_parcel {
	struct passed what; /* references, while len isn't 0 */
	uint32_t len;
	uint8_t nlri[PIPE_PARCEL + NLRI_SLACK];
};

struct pipe_sink {
	struct sink sink; /* first */
	struct channel *to;
	/* the other table lies over the read table (nest/rib/table/overlay.h) and is told
	 * nothing: the sink counts the routes here */
	bool counts;
	/* called once, when all routes of pipe_sink_pour are posted; NULL: no request */
	void (*poured)(struct pipe_sink *k);
	bool early; /* the next `synced` belongs to another feed */
	struct bitmap out; /* paths announced to the other table */
	uint8_t max_generation;
	struct pipe_parcel put, away;
	struct timer idle; /* runs while the other channel may have a ring */
	uint64_t used_ns; /* time of the last record */
	/* a net that was refused as a loop; the time of the check; the latest net that
	 * was refused since, if any */
	struct nlri suspect;
	struct timer look;
	struct nlri next;
	bool has_next;
	uint64_t told_ns; /* when the log was told of one last; 0: never */
};

/* pipe_sink_init - all of it is 0; to and max_generation are the caller's to set. @w: the
 * pipe's. */
void pipe_sink_init(struct pipe_sink *k, struct worker *w);
void pipe_sink_fini(struct pipe_sink *k);
/* pipe_sink_pour - it doesn't only count any more: the other table is told of all routes,
 * then @poured is called; NULL: the channel is down. */
void pipe_sink_pour(struct pipe_sink *k, void (*poured)(struct pipe_sink *k));
/* pipe_sink_used - the other channel's ring has a record. */
void pipe_sink_used(struct pipe_sink *k);

#endif
