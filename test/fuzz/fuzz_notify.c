/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NOTIFICATION: the body. Its text is one clean line. */
#include "lib/base/check.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/wbuf.h"
#include "lib/wire/bgp/bgp_notify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static uint8_t buf[BGP_MSG_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	char text[BGP_NOTIFY_TEXT_MAX];
	struct bgp_notify n;

	if (len > BGP_MSG_EXT_MAX - BGP_HDR_LEN || !bgp_notify_decode(data, len, &n))
		return 0;
	bgp_notify_text(text, &n);
	ASSERT(strlen(text) < BGP_NOTIFY_TEXT_MAX);
	for (const char *p = text; *p; p++)
		ASSERT((unsigned char)*p >= 0x20 && *p != 0x7f);
	bgp_notify_encode(&w, &n);
	ASSERT(!w.bad);
	ASSERT(!memcmp(buf + BGP_HDR_LEN, data, wbuf_len(&w) - BGP_HDR_LEN));
	return 0;
}
