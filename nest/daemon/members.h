/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances that are made for members of a range (conf_member.h). Loop: the control
 * worker's. */
#ifndef TERN_NEST_DAEMON_MEMBERS_H
#define TERN_NEST_DAEMON_MEMBERS_H

#include "lib/base/check.h"

struct proto_guest;
struct tern;

/* tern_guest - find or make an instance for the connection @g, which the `guests` of its
 * host counts. Without an instance the connection is closed. Any thread. */
void tern_guest(struct tern *t, TAKE struct proto_guest *g);

#endif
