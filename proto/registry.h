/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all protocols of the daemon. Loop: any thread. */
#ifndef TERN_PROTO_REGISTRY_H
#define TERN_PROTO_REGISTRY_H

#include "lib/base/base.h"

struct conf_class;
struct proto_class;

/* Ends with NULL. */
extern const struct proto_class *const proto_classes[];

/* registry_conf_classes - the classes of configuration of all protocols, behind them
 * NULL. Returns: an array (MEM_CONFIG). */
OWNED const struct conf_class **registry_conf_classes(void);

#endif
