/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads flow4 { ... } and flow6 { ... } as values of the filter language. Loop: the
 * thread that parses. */
#ifndef TERN_NEST_CONF_CONF_FLOW_H
#define TERN_NEST_CONF_CONF_FLOW_H

#include "filter/value/fvalue.h"
#include "nest/conf/conf_parse.h"

/* The lexer's signs of two characters, as characters of an item. */
#define FLOW_NE 'n'
#define FLOW_LE 'l'
#define FLOW_GE 'g'

/* conf_flow - make a network of the components in @b; @kind: NET_FLOW4 or NET_FLOW6.
 * Reports a wrong component, and leaves the component out. */
struct fvalue conf_flow(struct conf_ctx *c, int kind, struct ct_block *b);

#endif
