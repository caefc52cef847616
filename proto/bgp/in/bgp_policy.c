/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of received routes: loops, first AS, next hop (RFC 4271, 6.3 and 9.1.2; RFC
 * 4456, 8), leaks (RFC 9234, 5); and the attributes that a session adds.
 *
 * AS_SETs are refused unless `allow as sets` is given (RFC 9774), as in BIRD since 2.18;
 * earlier versions of BIRD accept AS_SETs.
 *
 * A failed check is no error of the session: the route is treated as withdrawn, because
 * the announcement has replaced the peer's earlier announcement.
 *
 * Any loop: pure functions. */
#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "nest/core/reason.h"
#include "proto/bgp/in/bgp_policy.h"

/* policy_check_members - RFC 5065, 5: the confederation segment that an external peer of
 * the local confederation prepends. The peer's number is the first in the segment; the
 * rest of the path belongs to other ASes. */
static enum reason
policy_check_members(const struct bgp_judge *j, const struct attr_item *it)
{
	if (!it->len || it->val[0] != AS_CONFED_SEQUENCE)
		return REASON_NO_CONFED_SEQUENCE;
	if (j->cf->policy.enforce_first_as && get_be32(it->val + 2) != j->peer_as)
		return REASON_FIRST_AS;
	return REASON_NONE;
}

static enum reason
bgp_policy_check_path(const struct bgp_judge *j, const struct attr_item *it)
{
	const struct bgp_conf *cf = j->cf;
	enum reason why;

	if (as_path_count(it->val, it->len, cf->id.local_as) > cf->policy.allow_local_as)
		return REASON_OWN_AS;
	if (cf->policy.confederation && cf->policy.confederation != cf->id.local_as &&
	    as_path_count(it->val, it->len, cf->policy.confederation) >
		cf->policy.allow_local_as)
		return REASON_OWN_CONFEDERATION;
	if (cf->id.ebgp && bgp_conf_interior(cf)) {
		why = policy_check_members(j, it);
		if (why)
			return why;
	} else if (cf->policy.enforce_first_as && cf->id.ebgp &&
		   as_path_first(it->val, it->len) != j->peer_as) {
		/* RFC 7947, 2.2.2.2: a route server's client doesn't find the server's AS
		 * first. */
		return REASON_FIRST_AS;
	}
	if (!cf->policy.allow_as_sets && as_path_has_set(it->val, it->len))
		return REASON_AS_SET;
	return REASON_NONE;
}

/* bgp_policy_is_ours - RFC 4271, 5.1.3: true if @nh is a local address. A link-local
 * address counts on the session's link alone, because a peer's link-local address may be
 * a local address on another link. In a VRF addresses of other VRFs do not count; there
 * the link decides as well. A peer on the local machine has a local address and may
 * announce this address. */
static bool
bgp_policy_is_ours(const struct bgp_judge *j, struct ip_addr nh)
{
	const struct iface *i;

	if (ip_equal(nh, j->local_ip) || ip_equal(nh, j->other_local) ||
	    (j->link && ip_equal(nh, j->link->ll)))
		return true;
	if (!j->ifaces || ip_equal(nh, j->cf->id.remote_ip))
		return false;
	if (!ip_is_link_local(nh) && !j->cf->id.vrf)
		return iface_owns(j->ifaces, nh);
	i = j->link_if ? iface_by_index(j->ifaces, j->link_if) : NULL;
	return i && iface_has(i, nh);
}

/* bgp_policy_check_next_hop - RFC 4271, 6.3: the next hop must be a possible host and
 * not a local address. If the attribute has two addresses, neither may be local. */
static enum reason
bgp_policy_check_next_hop(const struct bgp_judge *j, const struct attr_item *it)
{
	struct ip_addr nh = it->len == 4 ? ip4(get_be32(it->val)) : ip_get16(it->val);

	if (!ip_is_host(nh) || (it->len != 4 && ip_is_v4(nh)))
		return REASON_BAD_NEXT_HOP;
	if (bgp_policy_is_ours(j, nh) ||
	    (it->len >= 32 && bgp_policy_is_ours(j, ip_get16(it->val + 16))))
		return REASON_OWN_NEXT_HOP;
	/* RFC 2545, 3: a link-local address alone means nothing beyond its link */
	if (j->link ? !bgp_link_has(j->link, nh) : ip_is_link_local(nh))
		return REASON_FAR_NEXT_HOP;
	return REASON_NONE;
}

static bool
policy_has_cluster(const struct attr_item *it, uint32_t id)
{
	for (uint32_t i = 0; i + 4 <= it->len; i += 4)
		if (get_be32(it->val + i) == id)
			return true;
	return false;
}

/* policy_check_otc - RFC 9234, 5, on the way in, 1 and 2. */
static enum reason
policy_check_otc(const struct bgp_judge *j, const struct attr_item *it)
{
	const struct bgp_conf *cf = j->cf;

	if (cf->policy.role == BGP_ROLE_PROVIDER || cf->policy.role == BGP_ROLE_RS_SERVER)
		return REASON_OTC_DOWNSTREAM;
	if (cf->policy.role == BGP_ROLE_PEER && it->len == 4 &&
	    get_be32(it->val) != j->peer_as)
		return REASON_OTC_MISMATCH;
	return REASON_NONE;
}

enum reason
bgp_policy_check(const struct bgp_judge *j, const uint8_t *data, uint32_t len)
{
	uint32_t cluster = j->cf->policy.rr_cluster_id ? j->cf->policy.rr_cluster_id
						       : j->router_id;
	enum reason why = REASON_NONE;
	struct attr_item it;
	uint32_t pos = 0;

	while (!why && attr_item_next(&it, data, len, &pos)) {
		switch (it.code) {
		case ATTR_AS_PATH:
			why = bgp_policy_check_path(j, &it);
			break;
		case ATTR_NEXT_HOP:
			why = bgp_policy_check_next_hop(j, &it);
			break;
		case ATTR_ORIGINATOR_ID:
			if (it.len == 4 && get_be32(it.val) == j->router_id)
				why = REASON_OWN_ORIGINATOR;
			break;
		case ATTR_CLUSTER_LIST:
			if (policy_has_cluster(&it, cluster))
				why = REASON_OWN_CLUSTER;
			break;
		case ATTR_OTC:
			why = policy_check_otc(j, &it);
			break;
		}
	}
	return why;
}

uint32_t
bgp_policy_usable(
    enum family fam, const struct bgp_nlri *nlri, uint8_t *out, uint32_t *dropped)
{
	uint32_t kept = 0, n;

	*dropped = 0;
	for (const uint8_t *p = nlri->p, *end = p + nlri->len; p < end; p += n) {
		const uint8_t *at = p + nlri->id_len;
		uint8_t first = at[0] ? at[1] : 0;
		struct prefix net;

		n = nlri->id_len + prefix_wire_len(at[0]);
		/* nearly all pass here */
		if (first == 0 || first == 127 || first >= 224) {
			prefix_get(&net, at, fam);
			if (prefix_is_bogus(&net)) {
				(*dropped)++;
				continue;
			}
		}
		if (out)
			memcpy(out + kept, p, n);
		kept += n;
	}
	return kept;
}

/* policy_put_missing - copy @data, and add an attribute of 4 octets unless @data has an
 * attribute of @code.
 * Returns: the new length. */
static uint32_t
policy_put_missing(uint8_t *out, const uint8_t *data, uint32_t len, uint8_t flags,
    uint8_t code, uint32_t value)
{
	struct attr_item it;
	uint32_t pos = 0, at = 0;

	/* Items are in ascending order of code: the new item precedes the first item with
	 * a higher code. */
	while (attr_item_next(&it, data, len, &pos) && it.code < code)
		at = pos;
	if (at < len && data[at + 1] == code) {
		memmove(out, data, len);
		return len;
	}
	if (len > at)
		memmove(out + at + 8, data + at, len - at);
	if (at)
		memmove(out, data, at);
	out[at] = flags;
	out[at + 1] = code;
	put_be16(out + at + 2, 4);
	put_be32(out + at + 4, value);
	return len + 8;
}

/* policy_gets_otc - RFC 9234, 5, on the way in, 3: a provider, a peer or a route server
 * may have said nothing. */
static bool
policy_gets_otc(const struct bgp_conf *cf)
{
	return cf->policy.role == BGP_ROLE_CUSTOMER || cf->policy.role == BGP_ROLE_PEER ||
	       cf->policy.role == BGP_ROLE_RS_CLIENT;
}

/* policy_leave_out - the item of @code. Returns: the new length. */
static uint32_t
policy_leave_out(uint8_t *data, uint32_t len, uint8_t code)
{
	struct attr_item it;
	uint32_t pos = 0, at = 0;

	while (attr_item_next(&it, data, len, &pos) && it.code <= code) {
		if (it.code == code) {
			memmove(data + at, data + pos, len - pos);
			return len - (pos - at);
		}
		at = pos;
	}
	return len;
}

uint32_t
bgp_policy_default(
    const struct bgp_judge *j, const uint8_t *data, uint32_t len, uint8_t *out)
{
	len = policy_put_missing(out, data, len, ATTR_F_TRANSITIVE, ATTR_LOCAL_PREF,
	    j->cf->decision.default_local_pref);
	if (policy_gets_otc(j->cf))
		len = policy_put_missing(out, out, len,
		    ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE, ATTR_OTC, j->peer_as);
	return unlikely(j->no_aigp) ? policy_leave_out(out, len, ATTR_AIGP) : len;
}
