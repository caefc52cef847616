/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of BGP messages: 16 octets of ones, length, type. A bad header is refused as
 * soon as the header is complete, so a session does not wait for the rest of up to 65,535
 * octets.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"

#define MARKER_LEN 16

static const struct {
	uint16_t min, max; /* octets with header; max 0: as long as a message may be */
	const char *text;
} msg_len[] = {
	[BGP_OPEN] = { 29, BGP_MSG_MAX, "OPEN of bad length" },
	[BGP_UPDATE] = { 23, 0, "UPDATE of bad length" },
	[BGP_NOTIFICATION] = { 21, 0, "NOTIFICATION of bad length" },
	[BGP_KEEPALIVE] = { 19, 19, "KEEPALIVE of bad length" },
	[BGP_ROUTE_REFRESH] = { 19, 0, "ROUTE-REFRESH of bad length" }, /* RFC 7313, 5 */
};

static enum bgp_frame
bgp_msg_bad(struct bgp_err *err, unsigned subcode, const uint8_t *data, unsigned data_len,
    const char *text)
{
	*err = bgp_err_make(BGP_SEV_RESET, BGP_E_HEADER, subcode, text);
	err->data = data;
	err->data_len = (uint16_t)data_len;
	return BGP_FRAME_BAD;
}

static bool
msg_marker_ok(const uint8_t *p)
{
	return (get_be64(p) & get_be64(p + 8)) == ~0ull;
}

enum bgp_frame
bgp_msg_frame(const uint8_t *buf, size_t len, unsigned msg_max, struct bgp_msg *msg,
    struct bgp_err *err)
{
	unsigned msg_length, type, max;

	msg->len = 0;
	if (len < BGP_HDR_LEN)
		return BGP_FRAME_MORE;
	if (!msg_marker_ok(buf))
		return bgp_msg_bad(err, BGP_EH_SYNC, NULL, 0, "marker is not all ones");
	msg_length = get_be16(buf + MARKER_LEN);
	type = buf[18];
	if (msg_length < BGP_HDR_LEN || msg_length > msg_max)
		return bgp_msg_bad(
		    err, BGP_EH_LEN, buf + MARKER_LEN, 2, "message of bad length");
	if (type < BGP_OPEN || type > BGP_ROUTE_REFRESH)
		return bgp_msg_bad(
		    err, BGP_EH_TYPE, buf + 18, 1, "message of unknown type");
	max = msg_len[type].max ? msg_len[type].max : msg_max;
	if (msg_length < msg_len[type].min || msg_length > max)
		return bgp_msg_bad(
		    err, BGP_EH_LEN, buf + MARKER_LEN, 2, msg_len[type].text);
	msg->type = (uint8_t)type;
	msg->len = (uint16_t)msg_length;
	msg->body = buf + BGP_HDR_LEN;
	msg->body_len = (uint16_t)(msg_length - BGP_HDR_LEN);
	return len < msg_length ? BGP_FRAME_MORE : BGP_FRAME_DONE;
}

uint8_t *
bgp_msg_start(struct wbuf *w, enum bgp_msg_type type)
{
	uint8_t *p = wbuf_skip(w, BGP_HDR_LEN);

	if (!p)
		return NULL;
	memset(p, 0xff, MARKER_LEN);
	put_be16(p + MARKER_LEN, 0);
	p[18] = (uint8_t)type;
	return p;
}

void
bgp_msg_finish(struct wbuf *w, uint8_t *start)
{
	if (start)
		put_be16(start + MARKER_LEN, (uint16_t)(w->pos - start));
}

void
bgp_keepalive_put(struct wbuf *w)
{
	bgp_msg_finish(w, bgp_msg_start(w, BGP_KEEPALIVE));
}
