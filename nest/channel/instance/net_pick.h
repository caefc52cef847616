/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets chosen by a command: `reload ... partial SET`. The set belongs to an expression
 * compiled for the command, or to a configuration.
 *
 * Immutable, counted; any thread. Freed with the last reference. */
#ifndef TERN_NEST_CHANNEL_INSTANCE_NET_PICK_H
#define TERN_NEST_CHANNEL_INSTANCE_NET_PICK_H

#include "lib/base/base.h"
#include "lib/net/prefix.h"

struct cli_expr;
struct config_ref;
struct fset;
struct net;
struct net_pick;
struct table;

/* net_pick_new - the nets in @set, which belongs to @x or to @conf. */
OWNED struct net_pick *net_pick_new(
    TAKE struct cli_expr *x, TAKE struct config_ref *conf, const struct fset *set);
OWNED struct net_pick *net_pick_ref(struct net_pick *np);
/* net_pick_unref - @np may be NULL. */
void net_pick_unref(TAKE struct net_pick *np);
bool net_pick_has(const struct net_pick *np, const struct prefix *p);
/* net_pick_matches - true: @n of @t is chosen; nets other than prefixes never are. */
bool net_pick_matches(
    const struct net_pick *np, const struct table *t, const struct net *n);

#endif
