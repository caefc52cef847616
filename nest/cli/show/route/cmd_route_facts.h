/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about a route for the printer (cmd_route_print.c).
 *
 * Owner: the printer, on the stack. Life: one step; the pointers are borrowed from the
 * route, under RCU.
 *
 * Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_ROUTE_FACTS_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_ROUTE_FACTS_H

#include "filter/value/fvalue.h"
#include "lib/net/ip.h"
#include <net/if.h>

struct attr_set;
struct config;
struct iface_list;
struct route_scene;
struct route_shown;
struct route_source;

/* Facts about a route. Owner: the printer, on the stack: nothing to free. */
struct route_facts {
	const struct attr_set *set; /* the shown set */
	const struct route_source *src;
	struct ip_addr from; /* sender, possibly set by filters; IP_NONE: none */
	struct ip_addr gw; /* first gateway, or next hop; IP_NONE: none */
	const char *dest; /* "unicast"; "": an RPKI object */
	const char *source; /* "BGP" */
	const char *scope; /* "univ" */
	bool has_metric;
	uint64_t metric; /* AIGP plus the metric to the next hop, or only that metric */
	bool stale; /* long-lived: RFC 9494 */
	uint32_t origin_as; /* 0: none */
};

/* route_facts - Returns: false: the source is gone; do not show the route. */
bool route_facts(
    struct route_facts *f, const struct route_scene *sc, const struct route_shown *r);

/* A hop of a route. */
struct route_way {
	struct ip_addr gw; /* IP_NONE: to the interface without a gateway */
	const char *on; /* name of the interface, in ifname; NULL: unknown */
	bool has_label, onlink;
	bool several; /* the route has several hops: @weight is valid */
	uint32_t label;
	unsigned weight;
	char ifname[IF_NAMESIZE];
};

/* route_way - hop number @i. Returns: false: no such hop. */
bool route_way(struct route_way *w, const struct route_facts *f,
    const struct iface_list *l, unsigned i);
/* route_reserved - the next attribute of the language written by a filter; @pos starts at
 * 0. @word: name of its value, or NULL. Returns: false: end. */
bool route_reserved(const struct attr_set *set, unsigned *pos, const char **name,
    uint32_t *value, const char **word);
/* route_custom - the next custom attribute declared by the configuration. */
bool route_custom(const struct attr_set *set, const struct config *c, uint32_t *pos,
    const char **name, struct fvalue *v);

#endif
