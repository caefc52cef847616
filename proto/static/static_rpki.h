/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What filters find in ROA and ASPA tables where no daemon runs: what static routes of
 * the file bring there. */
#ifndef TERN_PROTO_STATIC_RPKI_H
#define TERN_PROTO_STATIC_RPKI_H

#include "nest/conf/config.h"

/* static_rpki_fill - of all tables of @c; import filters aren't asked, and disabled
 * instances count. Nobody runs filters yet. static_rpki_drop - nobody does any more.
 * Thread of main, joined to RCU. */
void static_rpki_fill(const struct config *c);
void static_rpki_drop(const struct config *c);

#endif
