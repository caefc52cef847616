/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NLRI as octets (RFC 4271, 4.3; RFC 4760, 5). A run of NLRI keeps its form from the
 * receiving socket to the sending sockets: checked once, read by prefix_get, copied out.
 *
 * If path identifiers were negotiated, an identifier precedes each prefix (RFC 7911, 3).
 * The field id_len of a run holds the octets before each prefix: NLRI_ID_LEN, or 0.
 *
 * Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_NLRI_H
#define TERN_LIB_WIRE_BGP_BGP_NLRI_H

#include "lib/net/prefix.h"

#define NLRI_ID_LEN 4

/* Prefixes of one family, in octets of a message. Owner: the caller. Life: by value,
 * while the message is valid. */
struct bgp_nlri {
	const uint8_t *p;
	uint32_t len; /* octets */
	uint32_t cnt; /* prefixes */
	uint8_t id_len;
};

/* nlri_check - check that @len octets are whole prefixes with lengths that @fam allows
 * (RFC 7606, 5.3).
 * Cost:    under 1 ns a prefix if most prefixes have 3 octets of IPv4.
 * Returns: number of prefixes, or -EINVAL. */
MUST_CHECK int nlri_check(enum family fam, const uint8_t *p, size_t len);
/* nlri_fit - octets of the whole prefixes that fit into @room. @p has passed nlri_check.
 * Cost: O(1) if all fit. */
size_t nlri_fit(enum family fam, const uint8_t *p, size_t len, size_t room);
/* nlri_check_ids, nlri_fit_ids - the same of prefixes with path identifiers. Cost of
 * nlri_check_ids: some ns a prefix. */
MUST_CHECK int nlri_check_ids(enum family fam, const uint8_t *p, size_t len);
size_t nlri_fit_ids(const uint8_t *p, size_t len, size_t room);

#endif
