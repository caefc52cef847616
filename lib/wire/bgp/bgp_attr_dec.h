/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes of one UPDATE: each is checked, kept as a pointer, then written as
 * canonical octets. Used by bgp_update_dec only. Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_ATTR_DEC_H
#define TERN_LIB_WIRE_BGP_BGP_ATTR_DEC_H

#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/rbuf.h"

/* MP_REACH or MP_UNREACH; all pointers point into the message. The other fields are set
 * only if `there` is true. Owner: the struct bgp_attrs. Life: embedded. */
struct bgp_mp {
	bool there;
	bool known; /* the family was negotiated */
	uint8_t fam;
	uint8_t nh_len; /* 4, 16 or 32 */
	const uint8_t *nh;
	const uint8_t *nlri; /* not yet checked */
	uint32_t nlri_len;
};

/* Owner: bgp_update_decode. Life: one call, on the stack. bgp_attrs_read sets the fields
 * and the used part of item[]. */
struct bgp_attrs {
	const struct bgp_params *params;
	struct bgp_err err; /* the strongest finding */
	uint8_t discard_cnt;
	bool framing; /* the list could not be read to its end */
	uint64_t seen[4]; /* codes that occurred */
	struct bgp_mp reach, unreach;
	const uint8_t *next_hop; /* of NEXT_HOP: 4 octets; NULL: none */
	const uint8_t *as4_path, *as4_aggr;
	uint16_t as4_path_len;
	uint32_t blob_max; /* octets that the blob needs at most, without NEXT_HOP */
	struct attr_item *end; /* of the items */
	/* in order of code from item[1]; without NEXT_HOP and without attributes that are
	 * merged */
	struct attr_item item[257];
};

/* bgp_attrs_read - read and check all attributes in @r. Findings are in @a->err; with
 * RESET the rest of @a is undefined. */
void bgp_attrs_read(struct bgp_attrs *a, const struct bgp_params *params, struct rbuf r);
/* bgp_attrs_write - write canonical octets with @nh (of @nh_len octets) as NEXT_HOP. The
 * merge of AS_PATH uses the rest of @blob as scratch. @nh_pos: position of NEXT_HOP's
 * item.
 * Returns: length; 0: the octets exceed @cap or WIRE_BLOB_MAX. */
uint32_t bgp_attrs_write(const struct bgp_attrs *a, const uint8_t *nh, unsigned nh_len,
    uint8_t *blob, size_t cap, uint32_t *nh_pos);

static inline bool
bgp_attrs_has(const struct bgp_attrs *a, uint8_t code)
{
	return a->seen[code >> 6] >> (code & 63) & 1;
}

/* bgp_attrs_other - true if the UPDATE has attributes besides MP_UNREACH. */
static inline bool
bgp_attrs_other(const struct bgp_attrs *a)
{
	uint64_t first = a->seen[0] & ~(1ull << ATTR_MP_UNREACH);

	return (first | a->seen[1] | a->seen[2] | a->seen[3]) || a->framing;
}

/* bgp_err_note - note a finding: of several the strongest, of equals the first (RFC 7606,
 * 3 h). */
static inline void
bgp_err_note(struct bgp_err *have, const struct bgp_err *found)
{
	if (found->severity > have->severity)
		*have = *found;
}

#endif
