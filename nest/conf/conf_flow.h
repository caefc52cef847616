/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow4 { ... } and flow6 { ... }, as values. */
#ifndef TERN_NEST_CONF_FLOW_H
#define TERN_NEST_CONF_FLOW_H

#include "filter/value/fvalue.h"
#include "nest/conf/conf_parse.h"

/* How the grammar writes signs of two characters into an item. */
#define FLOW_NE 'n'
#define FLOW_LE 'l'
#define FLOW_GE 'g'

/* conf_flow - the network that the components @b tell; @kind: NET_FLOW4 or NET_FLOW6.
 * What is wrong is told, and left out. */
struct fvalue conf_flow(struct conf_ctx *c, int kind, struct ct_block *b);

#endif
