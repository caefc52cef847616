/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks with more fields than a prefix: VPNs, ROAs, flow specifications, MPLS ... A
 * value of type prefix that is neither an IPv4 nor an IPv6 prefix points to a struct
 * fnet (filter/value/fvalue.h). Pure functions; any thread. */
#ifndef TERN_FILTER_RUN_NET_H
#define TERN_FILTER_RUN_NET_H

#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"

/* NET_* of the language. */
enum net_kind {
	NET_IP4 = 1,
	NET_IP6,
	NET_VPN4,
	NET_VPN6,
	NET_ROA4,
	NET_ROA6,
	NET_FLOW4,
	NET_FLOW6,
	NET_IP6_SADR,
	NET_MPLS,
	NET_ASPA,
	NET_ETH,
	NET_EVPN,
	NET_NEIGHBOR
};

/* NET_EVPN_* of the language (RFC 7432, 7). */
enum net_evpn { NET_EVPN_EAD = 1, NET_EVPN_MAC, NET_EVPN_IMET, NET_EVPN_ES };

#define NET_ESI_LEN 10 /* octets of an Ethernet segment identifier */

/* Owner: none, the network is immutable. Life: as long as the value. Compared octet by
 * octet, so unused fields of a kind are zero. By value: nothing to free. */
struct fnet {
	uint32_t size; /* of all, flow included */
	uint8_t kind; /* enum net_kind */
	uint8_t fam; /* of addr: enum family */
	uint8_t len; /* of all fields, flow included */
	/* SADR, FLOW: of src; ROA: greatest length; EVPN: enum net_evpn */
	uint8_t len2;
	/* ROA, ASPA: AS; MPLS: label; ETH: VLAN; EVPN: tag; NEIGHBOR: interface */
	uint32_t num;
	uint32_t rd[2];
	uint32_t flow_len;
	/* SADR, FLOW: destination; EVPN: of the host or router, if fam is no FAM_CNT */
	struct ip_addr addr;
	/* ETH, EVPN: MAC address, in the low 48 bits, or ESI, in the first 10 octets */
	struct ip_addr src;
	uint8_t flow[]; /* components (RFC 8955, 4.2; filter/run/flow.h) */
};

/* fvalue_net - a copy of @n, with @flow_len octets of @flow, in @a. */
struct fvalue fvalue_net(
    struct arena *a, const struct fnet *n, const void *flow, uint32_t flow_len);
static inline bool
fvalue_is_net(const struct fvalue *v)
{
	return v->fam == FVALUE_NET;
}

/* fvalue_of_net - it isn't copied. */
static inline struct fvalue
fvalue_of_net(const struct fnet *n)
{
	return (struct fvalue){
		.type = T_PREFIX, .fam = FVALUE_NET, .plen = n->len, .net = n
	};
}
/* fnet_of_vrp - *@n becomes @v, or, if @aspa, its AS, as a network. */
void fnet_of_vrp(struct fnet *n, const struct vrp *v, bool aspa);

/* fvalue_kind - of a value of type prefix. */
enum net_kind fvalue_kind(const struct fvalue *v);
/* fnet_esi - the NET_ESI_LEN octets of the segment of @n into @out. */
void fnet_esi(uint8_t *out, const struct fnet *n);
/* fvalue_place - the prefix of the network in the address space, without the other
 * fields. MPLS and similar kinds: length 0 and family FAM_CNT. */
struct prefix fvalue_place(const struct fvalue *v);
/* fvalue_set_key - turn @v into the key for a set of prefixes: for VPNs and ROAs the
 * prefix.
 * Returns: false: no set contains such a network. */
bool fvalue_set_key(struct fvalue *v);
int fnet_cmp(const struct fnet *a, const struct fnet *b);
void fnet_print(struct strbuf *b, const struct fnet *n);

#endif
