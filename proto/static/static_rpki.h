/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROA and ASPA maps for filters without a running daemon, filled from the static routes
 * of a configuration. Loop: the thread of main. */
#ifndef TERN_PROTO_STATIC_STATIC_RPKI_H
#define TERN_PROTO_STATIC_STATIC_RPKI_H

#include "nest/conf/config.h"

/* static_rpki_fill - fill the maps of all tables of @c. Import filters are not applied,
 * and disabled instances count. No filter runs yet. static_rpki_drop - free the maps; no
 * filter runs any more. Thread of main, joined to RCU. */
void static_rpki_fill(const struct config *c);
void static_rpki_drop(const struct config *c);

#endif
