/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OPEN: the body. What is accepted must come back unchanged. */
#include "lib/base/check.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t buf[BGP_OPEN_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct bgp_open o, back;
	struct bgp_err err = bgp_open_decode(data, len, &o);

	if (err.severity) {
		ASSERT(err.severity == BGP_SEV_RESET && err.code == BGP_E_OPEN);
		ASSERT(err.data_len == 0 || err.data);
		return 0;
	}
	ASSERT(o.as && o.router_id && o.hold_time != 1 && o.hold_time != 2);
	bgp_open_encode(&w, &o, true);
	ASSERT(!w.bad);
	err = bgp_open_decode(buf + BGP_HDR_LEN, wbuf_len(&w) - BGP_HDR_LEN, &back);
	ASSERT(!err.severity);
	ASSERT(back.as == o.as && back.hold_time == o.hold_time);
	ASSERT(back.router_id == o.router_id);
	/* What only the decoder says of the list itself doesn't come back. */
	o.caps.present = back.caps.present;
	o.caps.mp = back.caps.mp;
	o.caps.role_clash = back.caps.role_clash;
	o.caps.unknown_cnt = back.caps.unknown_cnt;
	o.caps.gr.forward &= o.caps.gr.fam;
	ASSERT(!memcmp(&back.caps, &o.caps, sizeof(o.caps)));
	return 0;
}
