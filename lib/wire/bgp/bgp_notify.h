/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NOTIFICATION (RFC 4271, 4.5) and the shutdown communication (RFC 9003). Pure
 * functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_NOTIFY_H
#define TERN_LIB_WIRE_BGP_BGP_NOTIFY_H

#include "lib/base/check.h"
#include "lib/net/prefix.h"

struct wbuf;

#define BGP_NOTIFY_TEXT_MAX 640 /* longest text including the NUL */
#define BGP_SHUTDOWN_MAX    255 /* octets of a shutdown communication */
#define BGP_LIMIT_DATA      7 /* octets of the data of a prefix limit */

/* A NOTIFICATION. Owner: the caller. Life: by value; `data` points into the message. */
struct bgp_notify {
	uint8_t code, subcode;
	uint16_t data_len;
	const uint8_t *data; /* points into the message */
};

/* bgp_notify_decode - @body of a framed NOTIFICATION (at least 2 octets). Returns: false
 * if shorter. */
bool bgp_notify_decode(const uint8_t *body, size_t len, struct bgp_notify *out);
/* bgp_notify_encode - a whole message; data is truncated to fit into 4,096 octets. */
void bgp_notify_encode(struct wbuf *w, const struct bgp_notify *n);
/* bgp_notify_wrap - make @n the data of a Hard Reset (RFC 8538, 3). @to: room for the
 * data, 2 + n->data_len octets; the result points to @to. */
struct bgp_notify bgp_notify_wrap(uint8_t *to, const struct bgp_notify *n);
/* bgp_notify_unwrap - if *@n is a Hard Reset with data, replace *@n by the NOTIFICATION
 * in the data. Returns: true: *@n was a Hard Reset; without data *@n stays unchanged. */
bool bgp_notify_unwrap(struct bgp_notify *n);
/* bgp_shutdown_put - write @text as data of Cease 2 or 4 to @to (BGP_SHUTDOWN_MAX + 1
 * octets), truncated after a whole character, with "?" for octets that are no UTF-8 (RFC
 * 9003, 2). Returns: octets; 0: no text. */
uint16_t bgp_shutdown_put(uint8_t *to, const char *text);
/* bgp_limit_put - write family and number of prefixes as data of Cease 1 (RFC 4486, 4) to
 * @to (BGP_LIMIT_DATA octets). Returns: octets. */
uint8_t bgp_limit_put(uint8_t *to, enum family fam, uint32_t max);
/* bgp_text_clean - copy a peer's @text in a form that may be shown: "?" replaces control
 * characters and octets that are no UTF-8. @size: over strlen(@text). Returns: @to. */
char *bgp_text_clean(char *to, size_t size, const char *text);
/* bgp_notify_text - "Bad peer AS: 65001", "Administrative shutdown: \"see you\"",
 * "Maximum number of prefixes reached: 1000 (ipv4)", "Hard reset: Peer de-configured",
 * other data in hex. Control
 * characters of a peer's text become "?", broken UTF-8 as well. Returns: @buf. */
char *bgp_notify_text(char buf[BGP_NOTIFY_TEXT_MAX], const struct bgp_notify *n);

#endif
