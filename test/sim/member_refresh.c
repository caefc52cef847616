/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Route refresh of members (RFC 2918), with marks of its begin and its end (RFC 7313) if
 * both sides have the capability.
 *
 * I1  m->again has the keys of received routes that the daemon has not repeated since the
 *     begin of the daemon's refresh. The routes that are left at the end go.
 * I2  The end of the member's own refresh follows all routes that wait to be sent.
 *
 * The member's task runs all functions but member_refresh. Tested by the story
 * enhanced_refresh. */
#include "test/sim/member_refresh.h"

#include "test/sim/codec.h"
#include "test/sim/member_told.h"
#include "test/sim/script.h"
#include "test/sim/sim.h"

#include <string.h>

enum { REFRESH_ASKS, REFRESH_BEGINS, REFRESH_ENDS };

static void
refresh_put(struct member *m, bool v6, uint8_t subtype)
{
	uint8_t buf[32];

	memcpy(buf + 19, "\0\1\0\1", 4);
	buf[20] += v6;
	buf[21] = subtype;
	member_send_raw(m, buf, codec_header(buf, BGP_REFRESH, 23));
}

void
member_refresh(struct member *m)
{
	script_step("%s refreshes", m->name);
	m->refreshes = 0;
	refresh_put(m, false, REFRESH_ASKS);
	if (m->ipv6)
		refresh_put(m, true, REFRESH_ASKS);
}

/* refresh_mark - I1. */
static void
refresh_mark(struct member *m, bool v6)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&m->received, &at)))
		if (r->key.v6 == v6)
			rib_put(&m->again, &r->key, r->attrs);
}

static void
refresh_sweep(struct member *m, bool v6)
{
	const struct rib_route *r;
	struct rib stays = { 0 };
	uint32_t at = 0;

	while ((r = rib_next(&m->again, &at)))
		if (r->key.v6 != v6)
			rib_put(&stays, &r->key, r->attrs);
		else if (rib_drop(&m->received, &r->key))
			m->changed_ns = sim_now();
	rib_clear(&m->again);
	m->again = stays;
	m->refreshes++;
}

void
refresh_got(struct member *m, const uint8_t *p, uint32_t len)
{
	bool v6 = len == 4 && codec_get16(p) == 2;

	if (len != 4 || p[3] != 1 || (p[2] && !m->uses_enhanced_refresh))
		sim_fail("%s got a malformed ROUTE-REFRESH", m->name);
	switch (p[2]) {
	case REFRESH_ASKS:
		if (m->uses_enhanced_refresh)
			refresh_put(m, v6, REFRESH_BEGINS);
		m->refresh_due[v6] = m->uses_enhanced_refresh;
		member_send_all(m);
		break;
	case REFRESH_BEGINS:
		refresh_mark(m, v6);
		break;
	case REFRESH_ENDS:
		refresh_sweep(m, v6);
		break;
	default:
		sim_fail("%s got a ROUTE-REFRESH of subtype %u", m->name, p[2]);
	}
}

void
refresh_ends(struct member *m)
{
	for (unsigned v6 = 0; v6 < 2; v6++) {
		if (m->refresh_due[v6]) {
			refresh_put(m, v6, REFRESH_ENDS);
			told_again(m, v6);
		}
		m->refresh_due[v6] = false;
	}
}

void
refresh_clear(struct member *m)
{
	rib_clear(&m->again);
	m->refresh_due[0] = m->refresh_due[1] = false;
}
