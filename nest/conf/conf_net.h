/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of networks of Ethernet, EVPN and neighbors, for the grammar. The parser's
 * thread calls. */
#ifndef TERN_NEST_CONF_CONF_NET_H
#define TERN_NEST_CONF_CONF_NET_H

#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"

struct conf_ctx;

/* in place of the tag of an EVPN network without a tag */
#define CONF_NET_NO_TAG UINT64_MAX

/* The end of an EVPN network. Owner: the parser's stack. Life: one rule. By value:
 * nothing to free. */
struct net_end {
	struct fvalue first; /* MAC address or byte string; T_VOID: none */
	struct fvalue ip; /* T_VOID: none */
};

/* conf_net_vlan - @num behind @word, which must be `vlan`. */
uint32_t conf_net_vlan(
    struct conf_ctx *c, struct src_pos pos, const char *word, uint32_t num);
/* conf_net_eth - @vlan 0: none. */
struct fvalue conf_net_eth(
    struct conf_ctx *c, struct src_pos pos, struct fvalue mac, uint32_t vlan);
/* conf_net_evpn - @word: ead, mac, imet or es. */
struct fvalue conf_net_evpn(struct conf_ctx *c, struct src_pos pos, const char *word,
    struct fvalue rd, uint64_t tag, const struct net_end *end);
struct fvalue conf_net_neighbor(
    struct conf_ctx *c, struct src_pos pos, struct fvalue ip, uint32_t iface);

#endif
