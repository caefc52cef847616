/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of a route, for its two printers: text (cmd_route_print.c) and JSON
 * (cmd_route_json.c). All of it is borrowed from the route, under RCU. */
#ifndef TERN_NEST_CMD_ROUTE_FACTS_H
#define TERN_NEST_CMD_ROUTE_FACTS_H

#include "filter/value/fvalue.h"
#include "lib/net/ip.h"
#include <net/if.h>

struct attr_set;
struct config;
struct iface_list;
struct route_scene;
struct route_shown;
struct route_source;

struct route_facts {
	const struct attr_set *set; /* its attributes as they are shown */
	const struct route_source *src;
	struct ip_addr from; /* who sent it, as filters may have said; IP_NONE: nobody */
	struct ip_addr gw; /* the first gateway, or next hop; IP_NONE: none */
	const char *dest; /* "unicast"; "": what the RPKI says leads nowhere */
	const char *source; /* "BGP" */
	const char *scope; /* "univ" */
	bool has_metric;
	uint64_t metric; /* AIGP with the way to the next hop, or that way alone */
	bool stale; /* long-lived: RFC 9494 */
	uint32_t origin_as; /* 0: none */
};

/* route_facts - Returns: false: its source has gone, it isn't shown. */
bool route_facts(
    struct route_facts *f, const struct route_scene *sc, const struct route_shown *r);

/* A way that packets go. */
struct route_way {
	struct ip_addr gw; /* IP_NONE: straight to the interface */
	const char *on; /* its interface, in @hop; NULL: unknown */
	bool has_label, onlink;
	bool several; /* it isn't the only one: @weight tells */
	uint32_t label;
	unsigned weight;
	char ifname[IF_NAMESIZE];
};

/* route_way - the one number @i. Returns: false: there are no more. */
bool route_way(struct route_way *w, const struct route_facts *f,
    const struct iface_list *l, unsigned i);
/* route_own - the next attribute of the language's own that a filter has written; @pos
 * starts at 0. @word: the name of its value, or NULL. Returns: false: no more. */
bool route_own(const struct attr_set *set, unsigned *pos, const char **name,
    uint32_t *value, const char **word);
/* route_custom - the next custom attribute that the configuration declares. */
bool route_custom(const struct attr_set *set, const struct config *c, uint32_t *pos,
    const char **name, struct fvalue *v);

#endif
