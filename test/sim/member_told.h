/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that a member has sent to the daemon (member_told.c). */
#ifndef TERN_TEST_SIM_MEMBER_TOLD_H
#define TERN_TEST_SIM_MEMBER_TOLD_H

#include "test/sim/member.h"

/* told_put - the route leaves as part of an UPDATE. */
void told_put(struct member *m, const struct pending *p);
/* told_again - the member ends its refresh of a family (RFC 7313): the daemon drops
 * routes that the member has not repeated. */
void told_again(struct member *m, bool v6);
/* told_clear - the session ends; @keeps: the daemon may keep the routes. */
void told_clear(struct member *m, bool keeps);

#endif
