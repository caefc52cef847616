/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NLRI as octets (RFC 4271, 4.3; RFC 4760, 5). A run of NLRI stays what it is from the
 * socket to the sockets: checked once, walked by prefix_get, copied out.
 *
 * Where it was negotiated each prefix has a path identifier before it (RFC 7911, 3). A
 * run says so by id_len, the octets before each prefix: NLRI_ID_LEN, or 0. */
#ifndef TERN_LIB_WIRE_BGP_NLRI_H
#define TERN_LIB_WIRE_BGP_NLRI_H

#include "lib/net/prefix.h"

#define NLRI_ID_LEN 4

/* Prefixes of one family, in octets of a message. */
struct bgp_nlri {
	const uint8_t *p;
	uint32_t len; /* octets */
	uint32_t cnt; /* prefixes */
	uint8_t id_len;
};

/* nlri_check - are @len octets whole prefixes with lengths that @fam allows (RFC
 * 7606, 5.3)? Cost:    under 1 ns a prefix where most have 3 octets of IPv4. Returns: how
 * many prefixes, or -EINVAL. */
MUST_CHECK int nlri_check(enum family fam, const uint8_t *p, size_t len);
/* nlri_fit - octets of as many whole prefixes as fit into @room. @p has passed
 * nlri_check. Cost: O(1) if all fit. */
size_t nlri_fit(enum family fam, const uint8_t *p, size_t len, size_t room);
/* nlri_check_ids, nlri_fit_ids - the same of prefixes with path identifiers. Cost of
 * nlri_check_ids: some ns a prefix. */
MUST_CHECK int nlri_check_ids(enum family fam, const uint8_t *p, size_t len);
size_t nlri_fit_ids(const uint8_t *p, size_t len, size_t room);

#endif
