/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Framing: a receive buffer of any content, and what a ROUTE-REFRESH in it means. */
#include "lib/base/check.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_refresh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_stream(const uint8_t *data, size_t len, unsigned msg_max)
{
	struct bgp_refresh r;
	struct bgp_msg m;
	struct bgp_err err = BGP_OK;

	for (;;) {
		enum bgp_frame f = bgp_msg_frame(data, len, msg_max, &m, &err);

		if (f == BGP_FRAME_BAD) {
			ASSERT(err.severity == BGP_SEV_RESET && err.code == BGP_E_HEADER);
			return;
		}
		ASSERT(m.len <= msg_max);
		if (f == BGP_FRAME_MORE) {
			ASSERT(!m.len || m.len > len);
			return;
		}
		ASSERT(m.len >= BGP_HDR_LEN && m.len <= len);
		ASSERT(m.body + m.body_len == data + m.len);
		if (m.type == BGP_ROUTE_REFRESH) {
			err = bgp_refresh_decode(&m, true, &r);
			ASSERT(err.severity || r.kind == BGP_REFRESH_IGNORE ||
			       r.fam < FAM_CNT);
			bgp_refresh_decode(&m, false, &r);
		}
		data += m.len;
		len -= m.len;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	check_stream(data, len, BGP_MSG_MAX);
	check_stream(data, len, BGP_MSG_EXT_MAX);
	return 0;
}
