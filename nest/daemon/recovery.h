/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our own graceful restart (nest/core/recovery.h): who is waited for. */
#ifndef TERN_NEST_DAEMON_RECOVERY_H
#define TERN_NEST_DAEMON_RECOVERY_H

#include "lib/net/prefix.h"

struct tern;

/* recovery_join - an instance is being made. @waits: 1 << family of those of which its
 * peer may tell it all that it has; @keeps: of those of which the peer is asked to keep
 * what it has of us. Control worker (cls->make). Returns: those of @waits that are waited
 * for: recovery_through is to follow for each of them. */
uint8_t recovery_join(struct tern *t, uint8_t waits, uint8_t keeps);
/* recovery_through - one channel of @f is waited for no more. Any thread; what its peer
 * told is published in its table. */
void recovery_through(struct tern *t, enum family f);

#endif
