/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATEs of other routers' sessions.
 *
 * Loop: the owner's. Tested by test_foreign_stream.c, test/net/test_mrt_load.py,
 * test_bmp_station.py, test_shadow.py. */
#include "nest/foreign/foreign_update.h"

#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"

struct bgp_err
foreign_update_read(
    struct foreign_reader *r, const struct foreign_update *u, struct bgp_update *out)
{
	struct bgp_params params = { .fam = FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6),
		.as4 = u->as4,
		.ext_msg = true,
		.ibgp = true,
		.confed = true,
		.aigp = true,
		.ext_next_hop = true,
		.ids = u->ids };
	size_t need = BGP_BLOB_CAP(u->len + 64);

	if (r->blob_cap < need) {
		r->blob = mem_realloc(MEM_PROTO, r->blob, need, 1);
		r->blob_cap = need;
	}
	bgp_update_decode(&params, u->body, u->len, out, r->blob, r->blob_cap);
	return out->err;
}

bool
foreign_update_of(struct foreign_update *u, const uint8_t *msg, size_t len)
{
	if (len < BGP_HDR_LEN || get_be16(msg + 16) != len || msg[18] != BGP_UPDATE)
		return false;
	u->body = msg + BGP_HDR_LEN;
	u->len = len - BGP_HDR_LEN;
	return true;
}

void
foreign_reader_fini(struct foreign_reader *r)
{
	mem_free(MEM_PROTO, r->blob);
	*r = (struct foreign_reader){ 0 };
}
