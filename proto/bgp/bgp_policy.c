/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of received routes: loops, first AS, next hop (RFC 4271, 6.3 and 9.1.2; RFC
 * 4456, 8).
 *
 * AS_SETs are taken, as BIRD 2 does, though RFC 9774 would have them refused: operators'
 * filters look at them (`bgp_path.last` is 0 then).
 *
 * A route that fails isn't an error of the session: it is treated as withdrawn, since the
 * peer has replaced what it said before.
 *
 * Any loop: pure functions. */
#include "proto/bgp/bgp_policy.h"
#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"

static const char *
check_path(const struct bgp_conf *cf, const struct attr_item *it)
{
	if (as_path_count(it->val, it->len, cf->local_as) > cf->allow_local_as)
		return "own AS in the path";
	/* RFC 7947, 2.2.2.2: a route server's client doesn't find the server's AS first.
	 */
	if (cf->enforce_first_as && cf->ebgp &&
	    as_path_first(it->val, it->len) != cf->remote_as)
		return "first AS isn't the peer's";
	return NULL;
}

/* check_next_hop - RFC 4271, 6.3: not our own address, and one that can be a next hop. */
static const char *
check_next_hop(const struct bgp_judge *j, const struct attr_item *it)
{
	struct ip_addr nh = it->len == 4 ? ip4(get_be32(it->val)) : ip_get16(it->val);

	if (!ip_is_host(nh))
		return "bad next hop";
	if (ip_equal(nh, j->local_ip))
		return "next hop is our own address";
	return NULL;
}

static bool
has_cluster(const struct attr_item *it, uint32_t id)
{
	for (uint32_t i = 0; i + 4 <= it->len; i += 4)
		if (get_be32(it->val + i) == id)
			return true;
	return false;
}

const char *
bgp_policy_check(const struct bgp_judge *j, const uint8_t *data, uint32_t len)
{
	uint32_t cluster = j->cf->rr_cluster_id ? j->cf->rr_cluster_id : j->router_id;
	const char *why = NULL;
	struct attr_item it;
	uint32_t pos = 0;

	while (!why && attr_item_next(&it, data, len, &pos)) {
		switch (it.code) {
		case ATTR_AS_PATH:
			why = check_path(j->cf, &it);
			break;
		case ATTR_NEXT_HOP:
			why = check_next_hop(j, &it);
			break;
		case ATTR_ORIGINATOR_ID:
			if (it.len == 4 && get_be32(it.val) == j->router_id)
				why = "we are the originator";
			break;
		case ATTR_CLUSTER_LIST:
			if (has_cluster(&it, cluster))
				why = "own cluster in the list";
			break;
		}
	}
	return why;
}

uint32_t
bgp_policy_default(
    const struct bgp_conf *cf, const uint8_t *data, uint32_t len, uint8_t *out)
{
	struct attr_item it;
	uint32_t pos = 0, at = 0;

	/* Items stand in ascending order of code: it goes before the first that is
	 * higher. */
	while (attr_item_next(&it, data, len, &pos) && it.code < ATTR_LOCAL_PREF)
		at = pos;
	if (at < len && data[at + 1] == ATTR_LOCAL_PREF) {
		memcpy(out, data, len);
		return len;
	}
	if (at)
		memcpy(out, data, at);
	out[at] = ATTR_F_TRANSITIVE;
	out[at + 1] = ATTR_LOCAL_PREF;
	put_be16(out + at + 2, 4);
	put_be32(out + at + 4, cf->default_local_pref);
	if (len > at)
		memcpy(out + at + 8, data + at, len - at);
	return len + 8;
}
