/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP messages: header and framing (RFC 4271, 4.1 and 6.1). Pure functions; any
 * thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_MSG_H
#define TERN_LIB_WIRE_BGP_BGP_MSG_H

#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/wbuf.h"

#define BGP_HDR_LEN 19

enum bgp_msg_type {
	BGP_OPEN = 1,
	BGP_UPDATE,
	BGP_NOTIFICATION,
	BGP_KEEPALIVE,
	BGP_ROUTE_REFRESH
};

/* One message in a receive buffer. Owner: the caller. Life: on the stack; `body` points
 * into the buffer. */
struct bgp_msg {
	uint8_t type; /* enum bgp_msg_type */
	/* of the whole message: the next message follows after `len` octets */
	uint16_t len;
	uint16_t body_len; /* without the header */
	const uint8_t *body; /* points into the buffer */
};

enum bgp_frame { BGP_FRAME_MORE, BGP_FRAME_DONE, BGP_FRAME_BAD };

/* bgp_msg_frame - find the first message of @len octets at @buf. @msg_max: BGP_MSG_MAX,
 * or BGP_MSG_EXT_MAX if RFC 8654 was negotiated (OPEN and KEEPALIVE stay short). A bad
 * header is an error as soon as the header is complete.
 * Returns: MORE: read on; @msg->len is the length of the message, or 0 before the header
 * is complete. DONE: @msg is filled. BAD: @err (severity RESET) has data that points into
 * @buf. */
enum bgp_frame bgp_msg_frame(const uint8_t *buf, size_t len, unsigned msg_max,
    struct bgp_msg *msg, struct bgp_err *err);
/* bgp_msg_start - write a header, whose length bgp_msg_finish fills in. Returns: where
 * the message starts, for bgp_msg_finish; NULL: no room (@w is bad). */
uint8_t *bgp_msg_start(struct wbuf *w, enum bgp_msg_type type);
void bgp_msg_finish(struct wbuf *w, uint8_t *start);
/* bgp_keepalive_put - a whole KEEPALIVE: BGP_HDR_LEN octets. */
void bgp_keepalive_put(struct wbuf *w);

#endif
