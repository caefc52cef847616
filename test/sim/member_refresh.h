/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Route refresh of members (RFC 2918, RFC 7313; member_refresh.c). For member.c. */
#ifndef TERN_TEST_SIM_MEMBER_REFRESH_H
#define TERN_TEST_SIM_MEMBER_REFRESH_H

#include "test/sim/member.h"

/* refresh_got - a ROUTE-REFRESH of the daemon. Fails the run when malformed. */
void refresh_got(struct member *m, const uint8_t *p, uint32_t len);
/* refresh_ends - all routes are sent: the End of each refresh that the daemon asked
 * for. */
void refresh_ends(struct member *m);
/* refresh_clear - the session is over. */
void refresh_clear(struct member *m);

#endif
