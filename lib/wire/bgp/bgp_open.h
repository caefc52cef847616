/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OPEN (RFC 4271, 4.2 and 6.2; RFC 5492; RFC 9072). Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_OPEN_H
#define TERN_LIB_WIRE_BGP_BGP_OPEN_H

#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"

#define BGP_OPEN_MAX 512 /* octets that bgp_open_encode writes at most */

/* An OPEN message. Owner: the caller. Life: by value. */
struct bgp_open {
	uint32_t as; /* the announced 4-octet AS, else the AS of the fixed part */
	uint16_t hold_time; /* seconds: 0 or 3 to 65535 */
	uint32_t router_id; /* host order; not 0 */
	struct bgp_caps caps;
};

/* bgp_open_decode - check and read the body of an OPEN. The caller checks the properties
 * of the session: the AS (BGP_EO_PEER_AS), the peer's identifier against the local
 * identifier (BGP_EO_ID), roles.
 * Returns: BGP_OK or a RESET with the NOTIFICATION to send. */
struct bgp_err bgp_open_decode(const uint8_t *body, size_t len, struct bgp_open *out);
/* bgp_open_encode - write a whole message. @with_caps false: no optional parameters (the
 * fallback for a peer that refused capabilities). The fixed part has AS_TRANS if @o->as
 * needs more than 16 bits; capabilities beyond 255 octets use RFC 9072. */
void bgp_open_encode(struct wbuf *w, const struct bgp_open *o, bool with_caps);

#endif
