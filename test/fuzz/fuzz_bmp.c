/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of BMP messages, as a station gets it: what was read and written again is read
 * as the same. */
#include "lib/base/check.h"
#include "lib/wire/bmp.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint8_t buf[1 << 20];

static void
same_peer(const struct bmp_peer *a, const struct bmp_peer *b)
{
	ASSERT(a->type == b->type && a->flags == b->flags);
	ASSERT(a->distinguisher == b->distinguisher && ip_equal(a->addr, b->addr));
	ASSERT(a->as == b->as && a->router_id == b->router_id);
	ASSERT(a->time_us == b->time_us);
}

/* can_be_written - some that can be read have a flag that contradicts their address, or
 * microseconds beyond a second, which the writer puts right. */
static bool
can_be_written(const uint8_t *msg, const struct bmp_read *r)
{
	bool v6 = !ip_is_none(r->peer.addr) && !ip_is_v4(r->peer.addr);
	const uint8_t *addr = msg + BMP_HEADER_LEN + 10;

	if (get_be32(msg + BMP_HEADER_LEN + 38) >= 1000000)
		return false;
	if (r->peer.type == BMP_PEER_LOC_RIB)
		return ip_is_none(r->peer.addr);
	if (!(msg[BMP_HEADER_LEN + 1] & BMP_FLAG_V) != !v6)
		return false;
	return v6 || (!get_be64(addr) && !get_be32(addr + 8));
}

static void
fuzz_bmp_same_again(const uint8_t *msg, const struct bmp_read *r)
{
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	size_t left = rbuf_left(&r->rest);
	struct bmp_read s;

	if (!r->has_peer || !can_be_written(msg, r))
		return;
	if (r->type == BMP_ROUTE_MONITORING)
		bmp_route_put(&w, &r->peer, r->rest.pos, left);
	else if (r->type == BMP_PEER_DOWN)
		bmp_peer_down_put(
		    &w, &r->peer, (enum bmp_down_reason)r->why, r->rest.pos, left);
	else
		return;
	ASSERT(!w.bad && bmp_read(buf, wbuf_len(&w), &s) == 0);
	ASSERT(s.type == r->type && s.why == r->why);
	ASSERT(rbuf_left(&s.rest) == left);
	ASSERT(!left || !memcmp(s.rest.pos, r->rest.pos, left));
	same_peer(&r->peer, &s.peer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bmp_read r;
	struct rbuf value;
	uint16_t type;
	int one;

	while ((one = bmp_frame(data, len)) > 0 && (size_t)one <= len) {
		int rc = bmp_read(data, (size_t)one, &r);

		ASSERT(rc == 0 || rc == -EPROTO);
		if (!rc)
			fuzz_bmp_same_again(data, &r);
		if (!rc && r.type == BMP_STATISTICS)
			for (uint32_t i = 0; i < r.stat_cnt; i++)
				ASSERT(bmp_tlv_next(&r.rest, &type, &value) == 1);
		data += one;
		len -= (size_t)one;
	}
	ASSERT(one >= 0 || one == -EPROTO);
	return 0;
}
