/* SPDX-License-Identifier: GPL-3.0-or-later */
/* take_update reads received UPDATEs net by net, as a peer does. */
#ifndef TERN_TEST_TAKE_UPDATE_H
#define TERN_TEST_TAKE_UPDATE_H

#include "lib/wire/bgp/bgp_update_dec.h"
#include "test/lib/wire.h"

/* take_id - before the prefix at *@pos, if there is one. */
static inline uint32_t
take_id(const struct bgp_nlri *n, uint32_t *pos)
{
	uint32_t at = *pos;

	*pos += n->id_len;
	return n->id_len ? get_be32(n->p + at) : 0;
}

/* take_updates - whole UPDATEs of IPv4 nets. @net: called for each; @id: its path
 * identifier, if @params say that there are some, else 0; @w: NULL: it is withdrawn. */
static inline void
take_updates(const struct bgp_params *params, const void *buf, size_t len,
    void (*net)(void *arg, uint32_t id, const struct prefix *p, const struct wire_set *w),
    void *arg)
{
	uint8_t blob[BGP_BLOB_CAP(BGP_MSG_MAX)], copy[BGP_MSG_MAX + 16];
	const uint8_t *m = buf;
	struct bgp_update u;
	struct prefix p;
	uint32_t id;

	for (size_t at = 0, one; at < len; at += one) {
		one = get_be16(m + at + 16);
		ASSERT(one >= 19 && at + one <= len && m[at + 18] == 2);
		memset(copy, 0, sizeof(copy));
		memcpy(copy, m + at + 19, one - 19);
		ASSERT(bgp_update_decode(params, copy, one - 19, &u, blob,
			   sizeof(blob)) == BGP_SEV_NONE);
		for (unsigned i = 0; i < u.unreach_cnt; i++)
			for (uint32_t k = 0; k < u.unreach[i].nlri.len;) {
				id = take_id(&u.unreach[i].nlri, &k);
				k += prefix_get(&p, u.unreach[i].nlri.p + k, FAM_IP4);
				net(arg, id, &p, NULL);
			}
		for (unsigned i = 0; i < u.reach_cnt; i++) {
			struct wire_set *w = wire_new(
			    u.reach[i].blob, u.reach[i].blob_len);

			for (uint32_t k = 0; k < u.reach[i].nlri.len;) {
				id = take_id(&u.reach[i].nlri, &k);
				k += prefix_get(&p, u.reach[i].nlri.p + k, FAM_IP4);
				net(arg, id, &p, w);
			}
			free(w);
		}
	}
}

#endif
