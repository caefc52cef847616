/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP roles of members (RFC 9234): a member knows what a daemon with a role may send, and
 * fails the run after anything else.
 *
 * I1  Nothing is checked unless both sides announced a role.
 * I2  The member adds no OTC: the story says which routes have OTC, so that a member may
 *     also leak.
 *
 * Tested by the stories roles and roles_refused. */
#include "test/sim/member_role.h"

#include "test/sim/sim.h"

#include <string.h>

static const char *const role_word[] = { "none", "provider", "rs_server", "rs_client",
	"customer", "peer" };

enum member_role
role_of(const char *word)
{
	for (unsigned r = ROLE_PROVIDER; r <= ROLE_PEER; r++)
		if (!strcmp(word, role_word[r]))
			return (enum member_role)r;
	return ROLE_NONE;
}

const char *
role_name(enum member_role r)
{
	return role_word[r];
}

enum member_role
role_fitting(enum member_role r)
{
	static const enum member_role fits[] = { ROLE_NONE, ROLE_CUSTOMER, ROLE_RS_CLIENT,
		ROLE_RS_SERVER, ROLE_PROVIDER, ROLE_PEER };

	return fits[r];
}

void
role_check_peer(const struct member *m)
{
	if (m->role && m->peer_role && role_fitting(m->role) != m->peer_role)
		sim_fail("%s is %s, and the daemon, which is %s, takes the session",
		    m->name, role_word[m->role], role_word[m->peer_role]);
}

/* RFC 9234, 5, on the way out of the daemon. */
void
role_check_route(const struct member *m, const uint32_t *otc)
{
	if (!m->role || !m->peer_role)
		return;
	switch (m->role) {
	case ROLE_PROVIDER:
	case ROLE_RS_SERVER:
		if (otc)
			sim_fail("%s got a route that leaks: OTC %u, and %s is %s",
			    m->name, *otc, m->name, role_word[m->role]);
		break;
	case ROLE_PEER:
		if (otc && *otc != m->peer_as)
			sim_fail("%s got a route that leaks: OTC %u from the peer %u",
			    m->name, *otc, m->peer_as);
		/* fall through */
	default:
		if (!otc)
			sim_fail("%s is %s and got a route without OTC", m->name,
			    role_word[m->role]);
	}
}
