/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of UPDATE: a message becomes ranges of NLRI and canonical attribute octets
 * (lib/attr/attr.h), with the error handling of RFC 7606. Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_UPDATE_DEC_H
#define TERN_LIB_WIRE_BGP_BGP_UPDATE_DEC_H

#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_params.h"

/* Room for canonical octets that is always enough for a message of @msg_max octets. */
#define BGP_BLOB_CAP(msg_max) (4 * (size_t)(msg_max) + 2048)

/* Prefixes that share a set. blob: canonical octets in the caller's buffer; NULL:
 * treat-as-withdraw. Owner: the caller. Life: by value, while message and buffer are
 * valid. */
struct bgp_reach {
	uint8_t fam; /* enum family */
	struct bgp_nlri nlri;
	const uint8_t *blob;
	uint32_t blob_len;
};

/* Withdrawn prefixes. Owner: the caller. Life: by value, while the message is valid. */
struct bgp_unreach {
	uint8_t fam;
	struct bgp_nlri nlri;
};

/* A decoded UPDATE; all pointers point into the message or the caller's buffer. Owner:
 * the caller. Life: on the stack, while message and buffer are valid. */
struct bgp_update {
	struct bgp_err err; /* the strongest finding; of equals the first */
	uint8_t unreach_cnt, reach_cnt;
	/* FAM_BIT of the family whose End-of-RIB the message is (RFC 4724, 2); 0: none */
	uint8_t eor;
	uint8_t discard_cnt; /* attributes left out because of an error */
	/* Nonempty ranges of negotiated families; entries beyond the counts are not
	 * written. Process unreach before reach. Two ranges may have one family (classic
	 * NLRI and MP). */
	struct bgp_unreach unreach[2];
	struct bgp_reach reach[2];
};

/* bgp_update_decode - check and split the body of an UPDATE.
 *
 * @body must have 16 readable octets behind its end (prefix_get reads ahead). @blob of
 * @blob_cap octets (BGP_BLOB_CAP) receives the canonical octets of each reach; two
 * reaches with equal next hops share the octets.
 *
 * Attributes in a blob:
 * - NEXT_HOP is the next hop of MP_REACH for NLRI from MP_REACH.
 * - AS4_PATH and AS4_AGGREGATOR are merged.
 * - LOCAL_PREF (unless allowed), ORIGINATOR_ID and CLUSTER_LIST of eBGP are left out, and
 *   so is AIGP unless allowed.
 * - Unknown transitive attributes are kept with PARTIAL set; unknown non-transitive
 *   attributes are left out.
 * The session checks AS loops, the first AS, the rules of OTC and the next hop's address.
 *
 * Returns: @out->err.severity:
 *   NONE, ATTR_DISCARD  unreach and reach are valid (log ATTR_DISCARD)
 *   WITHDRAW            unreach and reach are valid; withdraw the prefixes of reach too:
 *                       the blob is NULL
 *   RESET               only @out->err is valid
 * A family that was not negotiated is skipped without a finding. */
enum bgp_severity bgp_update_decode(const struct bgp_params *params, const uint8_t *body,
    size_t len, struct bgp_update *out, uint8_t *blob, size_t blob_cap);

#endif
