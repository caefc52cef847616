/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of members in drawn days, long days and pairs of features: malformed attributes,
 * malformed headers, no OPEN in new connections. Each function draws from the seed. */
#ifndef TERN_TEST_SIM_FAULT_H
#define TERN_TEST_SIM_FAULT_H

#include "test/sim/member.h"

/* fault_attribute - add a malformed attribute that the text @attrs does not have: the
 * daemon takes the route as a withdrawal (RFC 7606). */
void fault_attribute(char *attrs, size_t room);
/* fault_header - send a message whose header is malformed, which ends the session
 * (RFC 4271, 6.1). Returns: false: the member has no session. */
bool fault_header(struct member *m);
/* fault_happens - a malformed header; or no OPEN in new connections from now on, or OPENs
 * again. */
void fault_happens(struct member *m);

#endif
