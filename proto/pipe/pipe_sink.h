/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half of a pipe: what one channel exports is fed to the table of the other.
 *
 * Loop: the pipe's. */
#ifndef TERN_PROTO_PIPE_SINK_H
#define TERN_PROTO_PIPE_SINK_H

#include "lib/base/bitmap.h"
#include "nest/channel/sink.h"
#include "nest/rib/nlri.h"

#define PIPE_PARCEL 1024 /* octets of NLRI */

/* Single nets that go together: with one set, or (set NULL) that go away. */
struct pipe_parcel {
	struct attr_set *set; /* a reference, while len isn't 0 */
	uint32_t len;
	uint8_t nlri[PIPE_PARCEL + NLRI_SLACK];
};

struct pipe_sink {
	struct sink sink; /* first */
	struct channel *to;
	struct bitmap out; /* nets that the other table was told of */
	struct pipe_parcel put, away;
};

/* pipe_sink_init - what it is given goes to the table of @to. */
void pipe_sink_init(struct pipe_sink *k);
void pipe_sink_fini(struct pipe_sink *k);

#endif
