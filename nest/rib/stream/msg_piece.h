/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages on their way from a segment to a socket. */
#ifndef TERN_NEST_MSG_PIECE_H
#define TERN_NEST_MSG_PIECE_H

#include <stdint.h>

struct bump_block;

/* Whole messages, back to back. Those that were made one after the other follow each
 * other in memory, too, so that a session hands them to the kernel as one piece. */
struct msg_piece {
	const uint8_t *data;
	uint32_t len, msg_cnt;
	struct bump_block *block; /* in which they lie, of a bump; NULL: elsewhere */
};

#endif
