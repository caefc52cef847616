/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of commands by readline: words from our table, names from the daemon. Loop:
 * the only thread of ternc. */
#ifndef TERN_CLIENT_COMPLETE_H
#define TERN_CLIENT_COMPLETE_H

#include "client/session.h"

/* complete_init - make readline complete for @s, which stays borrowed. */
void complete_init(struct session *s);

#endif
