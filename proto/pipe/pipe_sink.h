/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half of a pipe: what one channel exports is fed to the table of the other.
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

/* Single paths that go together: as one route, or (set NULL) that go away. */
struct pipe_parcel {
	struct passed what; /* references, while len isn't 0 */
	uint32_t len;
	uint8_t nlri[PIPE_PARCEL + NLRI_SLACK];
};

struct pipe_sink {
	struct sink sink; /* first */
	struct channel *to;
	/* its table lies over what is read (nest/rib/table/overlay.h), so it is told
	 * nothing: what it has of that is counted here */
	bool counts;
	/* called once, when all that was asked for by pipe_sink_pour is on its way; NULL:
	 * nothing was */
	void (*poured)(struct pipe_sink *k);
	bool early; /* the next `synced` is of another feed */
	struct bitmap out; /* paths that the other table was told of */
	uint8_t max_generation;
	struct pipe_parcel put, away;
	struct timer idle; /* runs while the other channel may have a ring */
	uint64_t used_ns; /* when something was put there last */
	/* a net that was refused, as it has come round; when it is looked at again; the
	 * latest that was refused since then, if there is one */
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
