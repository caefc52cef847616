/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hop maps: the IPv4 address and the IPv6 address of each router of a LAN, from a
 * file of the configuration (`next hop map "FILE"`).
 *
 * A line of the file has an IPv4 address, blanks, an IPv6 address. A `#` begins a
 * comment. No address occurs twice, so an address has a single counterpart.
 *
 * Immutable; any thread. Owner: the configuration. Lives: in the configuration's arena,
 * until config_free. */
#ifndef TERN_PROTO_BGP_CONF_HOP_MAP_H
#define TERN_PROTO_BGP_CONF_HOP_MAP_H

#include "lib/base/check.h"
#include "lib/net/ip.h"

struct arena;
struct diag;

struct hop_map;

/* hop_map_parse - read the entries of @text, the content of the file @path, into @a.
 * Errors go to @d, with file, line and column. Returns: NULL after an error. */
struct hop_map *hop_map_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d);
/* hop_map_other - the other address of the router with the address @addr. @m: NULL: no
 * map. Returns: IP_NONE: no entry has @addr. */
struct ip_addr hop_map_other(const struct hop_map *m, struct ip_addr addr);
/* hop_map_same - do both maps have equal entries? NULL: no map. */
bool hop_map_same(const struct hop_map *a, const struct hop_map *b);
/* hop_map_hash - two numbers of the entries, for a comparison of configurations; 0: @m is
 * NULL. */
void hop_map_hash(const struct hop_map *m, uint64_t out[2]);

#endif
