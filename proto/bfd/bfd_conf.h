/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol bfd`. Owner: the configuration. Life: the arena of the
 * configuration; immutable after parsing. Loop: the thread that parses. */
#ifndef TERN_PROTO_BFD_BFD_CONF_H
#define TERN_PROTO_BFD_BFD_CONF_H

#include "lib/net/ip.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/iface/iface_pattern.h"

/* One `interface`. Immutable after parsing; lives as its configuration. */
struct bfd_iface_conf {
	const struct iface_pattern *pattern;
	const struct bfd_opts *opts; /* NULL: no options */
	const struct bfd_iface_conf *next; /* in the order of the file */
};

/* One `neighbor`. */
struct bfd_neighbor_conf {
	struct ip_addr peer, local; /* local IP_NONE: chosen by the interface */
	const char *ifname; /* NULL: any */
	bool multihop;
	const struct bfd_neighbor_conf *next;
};

/* The options of an instance. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct bfd_conf {
	uint32_t takes; /* BFD_TAKES_*; 0: not configured */
	bool strict_bind, zero_checksum;
	const struct bfd_iface_conf *iface; /* NULL: all */
	const struct bfd_opts *multihop;
	const struct bfd_neighbor_conf *neighbor;
	/* the text of iface, multihop and neighbor, with the keys, for comparison */
	const char *text;
};

extern const struct conf_class bfd_conf_class;

/* bfd_conf_opts - the configured options for sessions on @i with the local address
 * @local; NULL: none. Pure. */
const struct bfd_opts *bfd_conf_opts(
    const struct bfd_conf *b, const struct iface *i, struct ip_addr local);
/* bfd_conf_takes - BFD_TAKES_* of an instance. Pure. */
unsigned bfd_conf_takes(const struct bfd_conf *b);

#endif
