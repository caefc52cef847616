/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graceful restart of the daemon (nest/core/recovery.h): channels that recovery waits
 * for. Loop: the control worker's. */
#ifndef TERN_NEST_DAEMON_RECOVERY_H
#define TERN_NEST_DAEMON_RECOVERY_H

#include "lib/net/prefix.h"

struct tern;

/* recovery_join - register a new instance. @waits: 1 << family, if the peer may announce
 * the end of its routes in the family; @keeps: 1 << family, if we ask the peer to keep
 * our routes in the family. Control worker (cls->make). Returns: the families of @waits
 * that recovery waits for; the instance calls recovery_through for each. */
uint8_t recovery_join(struct tern *t, uint8_t waits, uint8_t keeps);
/* recovery_through - stop waiting for a channel of @f. Any thread; the channel's table
 * has published the peer's routes. */
void recovery_through(struct tern *t, enum family f);

#endif
