/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expected MAC addresses of a LAN, from a file of the configuration
 * (`lan macs "FILE"`).
 *
 * A line of the file has an IP address, blanks, a MAC address. A `#` begins a comment. An
 * address may occur with several MAC addresses: each of them is right.
 *
 * Immutable; any thread. Owner: the configuration. Lives: in the configuration's arena,
 * until config_free. */
#ifndef TERN_NEST_CONF_FILE_LAN_MACS_H
#define TERN_NEST_CONF_FILE_LAN_MACS_H

#include "lib/base/check.h"
#include "lib/net/ip.h"

struct arena;
struct diag;

#define MAC_LEN     6
#define MAC_STR_MAX 18

struct lan_macs;

/* An entry. Owner: its struct lan_macs. */
struct lan_mac {
	struct ip_addr addr;
	uint8_t mac[MAC_LEN];
};

/* lan_macs_parse - read the entries of @text, the content of the file @path, into @a.
 * Errors go to @d, with file, line and column. Returns: NULL after an error. */
struct lan_macs *lan_macs_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d);
/* lan_macs_cnt - the number of entries. lan_macs_at - entry @i, in the order of the
 * addresses. */
uint32_t lan_macs_cnt(const struct lan_macs *m);
const struct lan_mac *lan_macs_at(const struct lan_macs *m, uint32_t i);
/* lan_macs_index - the first entry of @addr. Returns: false: no entry has @addr. */
bool lan_macs_index(const struct lan_macs *m, struct ip_addr addr, uint32_t *i);
/* lan_macs_find - the first MAC address of @addr; NULL: no entry has @addr. */
const uint8_t *lan_macs_find(const struct lan_macs *m, struct ip_addr addr);
/* lan_macs_has - true: an entry has @addr and @mac. */
bool lan_macs_has(
    const struct lan_macs *m, struct ip_addr addr, const uint8_t mac[MAC_LEN]);
/* lan_macs_owner - an address with the MAC address @mac; IP_NONE: no entry has @mac. */
struct ip_addr lan_macs_owner(const struct lan_macs *m, const uint8_t mac[MAC_LEN]);
/* lan_mac_str - "02:00:00:00:00:01" in @out. Returns: @out. */
const char *lan_mac_str(char out[MAC_STR_MAX], const uint8_t mac[MAC_LEN]);

#endif
