/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROUTE-REFRESH: AFI, the subtype octet of RFC 7313, SAFI.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_refresh.h"

#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

/* refresh_bad_length - the error of RFC 7313 if the peer announced enhanced refresh,
 * else "bad message length" (RFC 4271, 6.1). */
static struct bgp_err
refresh_bad_length(const struct bgp_msg *msg, bool enhanced)
{
	struct bgp_err err = bgp_err_make(BGP_SEV_RESET,
	    enhanced ? BGP_E_REFRESH : BGP_E_HEADER, enhanced ? BGP_ER_LEN : BGP_EH_LEN,
	    "ROUTE-REFRESH of bad length");

	err.data = enhanced ? msg->body - BGP_HDR_LEN : msg->body - 3;
	err.data_len = enhanced ? msg->len : 2;
	return err;
}

struct bgp_err
bgp_refresh_decode(const struct bgp_msg *msg, bool enhanced, struct bgp_refresh *out)
{
	struct rbuf r = rbuf_of(msg->body, msg->body_len);
	unsigned afi = rbuf_u16(&r), kind = rbuf_u8(&r), safi = rbuf_u8(&r);

	out->kind = BGP_REFRESH_IGNORE;
	out->fam = FAM_IP4;
	if (!rbuf_done(&r))
		return refresh_bad_length(msg, enhanced);
	if (!enhanced)
		kind = BGP_REFRESH_ASK;
	if (kind > BGP_REFRESH_END || !family_find(&out->fam, afi, safi))
		return BGP_OK;
	out->kind = (uint8_t)kind;
	return BGP_OK;
}

void
bgp_refresh_encode(struct wbuf *w, enum bgp_refresh_kind kind, enum family fam)
{
	uint8_t *start = bgp_msg_start(w, BGP_ROUTE_REFRESH);

	wbuf_u16(w, family_afi(fam));
	wbuf_u8(w, (uint8_t)kind);
	wbuf_u8(w, family_safi(fam));
	bgp_msg_finish(w, start);
}
