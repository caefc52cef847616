/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE, inwards: octets of a message to ranges of NLRI and canonical attribute octets
 * (lib/attr/attr.h), with the error handling of RFC 7606. */
#ifndef TERN_LIB_WIRE_BGP_UPDATE_DEC_H
#define TERN_LIB_WIRE_BGP_UPDATE_DEC_H

#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_params.h"

/* Room for canonical octets that is always enough for a message of @msg_max octets. */
#define BGP_BLOB_CAP(msg_max) (4 * (size_t)(msg_max) + 2048)

/* Prefixes that share a set. blob: canonical octets in the caller's buffer, NULL if the
 * update is to be treated as withdraw. */
struct bgp_reach {
	uint8_t fam; /* enum family */
	struct bgp_nlri nlri;
	const uint8_t *blob;
	uint32_t blob_len;
};

struct bgp_unreach {
	uint8_t fam;
	struct bgp_nlri nlri;
};

/* All pointers point into the message or the caller's buffer. */
struct bgp_update {
	struct bgp_err err; /* the strongest finding; of equals the first */
	uint8_t unreach_cnt, reach_cnt;
	uint8_t eor; /* FAM_BIT of a family: this is its End-of-RIB (RFC 4724, 2) */
	uint8_t discard_cnt; /* attributes left out because of an error */
	/* Only what isn't empty and whose family was negotiated, and nothing is written
	 * behind it; withdrawals are to be done first. There may be two of one family
	 * (plain IPv4 and MP). */
	struct bgp_unreach unreach[2];
	struct bgp_reach reach[2];
};

/* bgp_update_decode - check and split the body of an UPDATE.
 *
 * @body must have 16 readable octets behind its end (prefix_get reads ahead). @blob of
 * @blob_cap octets (BGP_BLOB_CAP) takes the canonical octets of each reach; two with the
 * same next hop share.
 *
 * Attributes in a blob: NEXT_HOP is that of MP_REACH where the NLRI came there; AS4_PATH
 * and AS4_AGGREGATOR are merged; LOCAL_PREF (unless allowed), ORIGINATOR_ID and
 * CLUSTER_LIST of eBGP are left out, as is AIGP where not allowed; of attributes unknown
 * to tern the transitive ones are kept, with PARTIAL set; the others are left out. Own-AS
 * loops, first AS, OTC's rules and whether the next hop is a good address are the
 * session's to judge.
 *
 * Returns: @out->err.severity:
 *   NONE, ATTR_DISCARD  unreach and reach stand (log the latter)
 *   WITHDRAW            as well, but withdraw the prefixes of reach too: their blob is
 * NULL RESET               only @out->err stands A family that wasn't negotiated is left
 * out without a finding. */
enum bgp_severity bgp_update_decode(const struct bgp_params *params, const uint8_t *body,
    size_t len, struct bgp_update *out, uint8_t *blob, size_t blob_cap);

#endif
