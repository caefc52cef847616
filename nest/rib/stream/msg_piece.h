/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages on their way from a segment to a socket. Loop: the session's; a value. */
#ifndef TERN_NEST_RIB_STREAM_MSG_PIECE_H
#define TERN_NEST_RIB_STREAM_MSG_PIECE_H

#include <stdint.h>

struct bump_block;

/* Whole messages, back to back. Messages made in sequence are contiguous in memory, so a
 * session passes them to the kernel as one piece. By value; the octets belong to @block,
 * which lives until its last reference is dropped. */
struct msg_piece {
	const uint8_t *data;
	uint32_t len, msg_cnt;
	/* block of a bump with the octets; NULL: other memory */
	struct bump_block *block;
};

#endif
