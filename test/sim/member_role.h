/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP roles of members (RFC 9234; member_role.c). */
#ifndef TERN_TEST_SIM_MEMBER_ROLE_H
#define TERN_TEST_SIM_MEMBER_ROLE_H

#include "test/sim/member.h"

/* role_of - the role that @word names in the daemon's language, or ROLE_NONE. */
enum member_role role_of(const char *word);
const char *role_name(enum member_role r);
/* role_fitting - the only role of a neighbor that fits (RFC 9234, 4.2). */
enum member_role role_fitting(enum member_role r);
/* role_check_peer - the session comes up: fail the run if the daemon took a role that
 * does not fit. */
void role_check_peer(const struct member *m);
/* role_check_route - fail the run if the daemon may not send the route. @otc: the value
 * of the attribute OTC; NULL: the route has no OTC. */
void role_check_route(const struct member *m, const uint32_t *otc);

#endif
