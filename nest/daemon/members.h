/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances that are made for members of a range (conf_member.h). Loop: the control
 * worker's. */
#ifndef TERN_NEST_DAEMON_MEMBERS_H
#define TERN_NEST_DAEMON_MEMBERS_H

#include "lib/base/check.h"

struct proto_guest;
struct tern;

/* tern_guest - find or make an instance for @g, whose host's `guests` counts it; it is
 * turned away if there can't be one. Any thread. */
void tern_guest(struct tern *t, TAKE struct proto_guest *g);

#endif
