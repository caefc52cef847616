/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OPEN: a fixed part of 10 octets and optional parameters, of which only Capabilities is
 * in use. Parameters have one octet of length, or two with the extended form (RFC 9072),
 * which a first parameter announces of type 255.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_open.h"

#include "lib/attr/as_path.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#define BGP_VERSION   4
#define PARAM_CAPS    2
#define PARAM_EXT     255
#define PARAM_HDR     2
#define PARAM_EXT_HDR 3

static struct bgp_err
open_bad(unsigned subcode, const char *text)
{
	return bgp_err_make(BGP_SEV_RESET, BGP_E_OPEN, subcode, text);
}

/* All parameters in @r, whose lengths have @len_size octets. */
static struct bgp_err
open_dec_params(struct rbuf *r, unsigned len_size, struct bgp_caps *caps)
{
	while (rbuf_left(r)) {
		const uint8_t *start = r->pos;
		unsigned type = rbuf_u8(r);
		unsigned len = len_size == 1 ? rbuf_u8(r) : rbuf_u16(r);
		struct rbuf val = rbuf_sub(r, len);
		struct bgp_err err;

		if (!rbuf_ok(r))
			return open_bad(
			    BGP_EO_UNSPECIFIC, "optional parameter leaves OPEN");
		if (type != PARAM_CAPS) {
			err = open_bad(BGP_EO_PARAM, "unknown optional parameter");
			err.data = start;
			err.data_len = (uint16_t)(r->pos - start);
			return err;
		}
		err = bgp_caps_decode(&val, caps);
		if (err.severity)
			return err;
	}
	return BGP_OK;
}

static struct bgp_err
open_check_fixed(unsigned version, unsigned as, unsigned hold, uint32_t id)
{
	static const uint8_t version_data[2] = { 0, BGP_VERSION };
	struct bgp_err err;

	if (version != BGP_VERSION) {
		err = open_bad(BGP_EO_VERSION, "version is not 4");
		err.data = version_data;
		err.data_len = sizeof(version_data);
		return err;
	}
	if (!as) /* RFC 7607, 2 */
		return open_bad(BGP_EO_PEER_AS, "AS number is 0");
	if (hold == 1 || hold == 2)
		return open_bad(BGP_EO_HOLD_TIME, "hold time is 1 or 2");
	if (!id) /* RFC 6286, 2.1 */
		return open_bad(BGP_EO_ID, "BGP identifier is 0");
	return BGP_OK;
}

struct bgp_err
bgp_open_decode(const uint8_t *body, size_t len, struct bgp_open *out)
{
	struct rbuf r = rbuf_of(body, len), params;
	unsigned version = rbuf_u8(&r), as = rbuf_u16(&r), hold = rbuf_u16(&r);
	uint32_t id = rbuf_u32(&r);
	unsigned opt_len = rbuf_u8(&r), len_size = 1;
	struct bgp_err err;

	memset(out, 0, sizeof(*out));
	bgp_caps_init(&out->caps);
	if (!rbuf_ok(&r))
		return open_bad(BGP_EO_UNSPECIFIC, "OPEN is too short");
	err = open_check_fixed(version, as, hold, id);
	if (err.severity)
		return err;
	/* RFC 9072, 2: the octet of length only must not be 0. */
	if (opt_len && rbuf_left(&r) >= 3 && r.pos[0] == PARAM_EXT) {
		rbuf_u8(&r);
		opt_len = rbuf_u16(&r);
		len_size = 2;
	}
	params = rbuf_sub(&r, opt_len);
	if (!rbuf_done(&r))
		return open_bad(
		    BGP_EO_UNSPECIFIC, "length of optional parameters is wrong");
	err = open_dec_params(&params, len_size, &out->caps);
	if (err.severity)
		return err;
	out->as = out->caps.as4 ? out->caps.as : as;
	out->hold_time = (uint16_t)hold;
	out->router_id = id;
	return BGP_OK;
}

static void
open_enc_params(struct wbuf *w, const struct bgp_caps *caps)
{
	uint8_t val[BGP_OPEN_MAX];
	struct wbuf v = wbuf_of(val, sizeof(val));
	size_t len;

	bgp_caps_encode(&v, caps);
	len = wbuf_len(&v);
	if (!len) {
		wbuf_u8(w, 0);
	} else if (len + PARAM_HDR <= UINT8_MAX) {
		wbuf_u8(w, (uint8_t)(len + PARAM_HDR));
		wbuf_u8(w, PARAM_CAPS);
		wbuf_u8(w, (uint8_t)len);
	} else {
		wbuf_u8(w, PARAM_EXT);
		wbuf_u8(w, PARAM_EXT);
		wbuf_u16(w, (uint16_t)(len + PARAM_EXT_HDR));
		wbuf_u8(w, PARAM_CAPS);
		wbuf_u16(w, (uint16_t)len);
	}
	wbuf_bytes(w, val, len);
}

void
bgp_open_encode(struct wbuf *w, const struct bgp_open *o, bool with_caps)
{
	uint8_t *start = bgp_msg_start(w, BGP_OPEN);

	wbuf_u8(w, BGP_VERSION);
	wbuf_u16(w, (uint16_t)(o->as > UINT16_MAX ? AS_TRANS : o->as));
	wbuf_u16(w, o->hold_time);
	wbuf_u32(w, o->router_id);
	if (with_caps)
		open_enc_params(w, &o->caps);
	else
		wbuf_u8(w, 0);
	bgp_msg_finish(w, start);
}
