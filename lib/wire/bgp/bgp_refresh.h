/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROUTE-REFRESH (RFC 2918) and its enhanced form (RFC 7313). Pure functions; any
 * thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_REFRESH_H
#define TERN_LIB_WIRE_BGP_BGP_REFRESH_H

#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"

enum bgp_refresh_kind {
	BGP_REFRESH_ASK = 0,
	BGP_REFRESH_BEGIN = 1, /* BoRR */
	BGP_REFRESH_END = 2, /* EoRR */
	BGP_REFRESH_IGNORE = 255 /* unknown subtype or family: nothing to do */
};

/* A ROUTE-REFRESH. Owner: the caller. Life: by value. */
struct bgp_refresh {
	uint8_t kind; /* enum bgp_refresh_kind */
	uint8_t fam; /* enum family; undefined with IGNORE */
};

/* bgp_refresh_decode - decode the framed ROUTE-REFRESH @msg. @enhanced: RFC 7313 was
 * negotiated; false: the subtype is ignored. Returns: BGP_OK, or a RESET. The RESET's
 * data is the whole message (RFC 7313, 5), or the length (RFC 4271, 6.1) without
 * @enhanced. */
struct bgp_err bgp_refresh_decode(
    const struct bgp_msg *msg, bool enhanced, struct bgp_refresh *out);
void bgp_refresh_encode(struct wbuf *w, enum bgp_refresh_kind kind, enum family fam);

#endif
