/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding of UPDATE: a wire set and a class of sessions give attribute octets (made
 * once, then cached by the caller); attribute octets and stored NLRI give messages. Pure
 * functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_UPDATE_ENC_H
#define TERN_LIB_WIRE_BGP_BGP_UPDATE_ENC_H

#include "lib/attr/attr.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/wbuf.h"

#define BGP_EOR_MAX 30 /* octets of an End-of-RIB message at most */

/* Encoded attributes of a set for (class, family): octets without pointers, to be kept
 * and copied: u8 nh_len | next hop of MP_REACH (nh_len octets; 0: classic NLRI, without
 * MP_REACH) | path attributes without MP_REACH
 */

/* bgp_attr_bound - octets that bgp_attr_encode writes at most. */
static inline size_t
bgp_attr_bound(const struct wire_set *w)
{
	return 2 * (size_t)w->len + 192;
}

/* bgp_class_has_hop - true if @w has a sendable next hop; if false, bgp_attr_encode
 * returns -EINVAL. */
bool bgp_class_has_hop(
    const struct bgp_class *c, enum family fam, const struct wire_set *w);
/* bgp_class_lacks_extended - true if the next hop of @w is an IPv6 address, and the class
 * has no extended next hops (RFC 8950): a cause of a false bgp_class_has_hop. */
bool bgp_class_lacks_extended(
    const struct bgp_class *c, enum family fam, const struct wire_set *w);
/* bgp_attr_encode - append @w's encoded attributes for (@c, @fam) to @out. Returns:
 * length; -EINVAL: no sendable next hop; -ENOBUFS: @out is full (and bad); -E2BIG: an
 * attribute grew beyond 65,535 octets. */
MUST_CHECK int bgp_attr_encode(const struct bgp_class *c, enum family fam,
    const struct wire_set *w, struct wbuf *out);

/* bgp_update_bound - upper bound of the octets that bgp_update_pack writes. @enc_len: 0
 * for withdrawals. */
size_t bgp_update_bound(
    const struct bgp_class *c, enum family fam, size_t enc_len, size_t nlri_len);
/* The parts of UPDATEs. Owner: the caller. Life: on the stack; the pointers are
 * borrowed. */
struct bgp_update_parts {
	enum family fam;
	const uint8_t *enc; /* of bgp_attr_encode for the same class; NULL: withdrawals */
	size_t enc_len;
	/* have passed nlri_check (nlri_check_ids for a class with ids); at least one
	 * prefix */
	const uint8_t *nlri;
	size_t nlri_len;
};

/* bgp_update_pack - append messages to @out, each as full as the class allows.
 * Cost:    the cost of memcpy if one message holds all; else additionally a walk over the
 *   prefixes.
 * Returns: number of messages; -EMSGSIZE: the attributes leave no room for a prefix;
 * -ENOBUFS: @out is too small (and bad). */
MUST_CHECK int bgp_update_pack(
    const struct bgp_class *c, const struct bgp_update_parts *u, struct wbuf *out);
/* bgp_update_build - bgp_attr_encode and bgp_update_pack in one call, for callers without
 * a cache. @w NULL: withdrawals. @out needs bgp_update_build_bound octets. Returns: as
 * the two functions. */
MUST_CHECK int bgp_update_build(const struct bgp_class *c, enum family fam,
    const struct wire_set *w, const uint8_t *nlri, size_t nlri_len, struct wbuf *out);
size_t bgp_update_build_bound(const struct bgp_class *c, enum family fam,
    const struct wire_set *w, size_t nlri_len);
/* bgp_eor_put - End-of-RIB (RFC 4724, 2): one message. */
void bgp_eor_put(struct wbuf *out, enum family fam);

#endif
