/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of `mrtdump` for a session: received messages, and the states of both
 * connections.
 *
 * Loop: the session's. Tested by test/net/test_mrtdump.py. */
#include "lib/attr/attr_def.h"
#include "lib/base/base.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/mrt.h"
#include "nest/mrt/mrt_log.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"

static struct mrt_session
bgp_mrt_ends_of(const struct bgp_conn *c)
{
	const struct bgp_conf *cf = session_conf(c->s);
	bool open = c->state >= BGP_OPENCONFIRM;
	struct ip_addr local = conn_has_socket(c) ? c->local_ip : cf->id.local_ip;
	bool same = ip_is_none(local) || ip_is_v4(local) == ip_is_v4(cf->id.remote_ip);

	return (struct mrt_session){
		.peer_as = open ? c->theirs.as : cf->id.remote_as,
		.local_as = c->ours.as ? c->ours.as : cf->id.local_as,
		.peer = cf->id.remote_ip,
		.local = same ? local : IP_NONE,
		.ifindex = (uint16_t)c->link.ifindex,
		.as4 = open ? c->terms.params.as4 : true,
	};
}

/* bgp_mrt_mp_family - FAM_BIT of the family of MP_REACH or MP_UNREACH among the
 * attributes @p; 0: none, or an unknown family. */
static uint8_t
bgp_mrt_mp_family(const uint8_t *p, unsigned len)
{
	while (len >= 3) {
		bool ext = p[0] & ATTR_F_EXTLEN;
		unsigned head = ext ? 4 : 3, n;
		uint8_t fam;

		if (len < head)
			break;
		n = ext ? get_be16(p + 2) : p[2];
		if (len - head < n)
			break;
		if ((p[1] == ATTR_MP_REACH || p[1] == ATTR_MP_UNREACH) && n >= 3)
			return family_find(&fam, get_be16(p + head), p[head + 2])
				   ? FAM_BIT(fam)
				   : 0;
		p += head + n;
		len -= head + n;
	}
	return 0;
}

/* mrt_has_ids - true if the prefixes of an UPDATE have path identifiers. If only some
 * families have path identifiers, the family of the UPDATE decides. */
static bool
mrt_has_ids(const struct bgp_conn *c, const struct bgp_msg *m)
{
	uint8_t ids = c->terms.params.ids, fams = c->terms.params.fam;
	unsigned withdrawn, attrs;

	if (m->type != BGP_UPDATE || c->state != BGP_ESTABLISHED || !(ids & fams))
		return false;
	if ((ids & fams) == fams || m->body_len < 4)
		return true;
	withdrawn = get_be16(m->body);
	if (withdrawn + 4 > m->body_len)
		return false;
	attrs = get_be16(m->body + 2 + withdrawn);
	if (withdrawn || attrs + withdrawn + 4 < m->body_len) /* classic NLRI: IPv4 */
		return ids & FAM_BIT(FAM_IP4);
	return ids & bgp_mrt_mp_family(m->body + 2 + withdrawn + 2, attrs);
}

void
bgp_mrt_message(const struct bgp_conn *c, const struct bgp_msg *m, const uint8_t *octets)
{
	struct mrt_session ends = bgp_mrt_ends_of(c);

	mrt_log_message(c->s->p.tern, &ends, mrt_has_ids(c, m), octets, m->len);
}

void
bgp_mrt_state(const struct bgp_conn *c, unsigned old_state)
{
	struct mrt_session ends = bgp_mrt_ends_of(c);

	/* enum bgp_state counts as RFC 6396, 4.4.1 does */
	mrt_log_state(c->s->p.tern, &ends, old_state, c->state);
}
