/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes and encodes the capabilities of an OPEN message (RFC 5492). Pure functions; any
 * thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_CAP_H
#define TERN_LIB_WIRE_BGP_BGP_CAP_H

#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

enum bgp_cap_code {
	BGP_CAP_MP = 1, /* RFC 4760 */
	BGP_CAP_REFRESH = 2, /* RFC 2918 */
	BGP_CAP_EXT_NEXT_HOP = 5, /* RFC 8950 */
	BGP_CAP_EXT_MSG = 6, /* RFC 8654 */
	BGP_CAP_ROLE = 9, /* RFC 9234 */
	BGP_CAP_GR = 64, /* RFC 4724, 8538 */
	BGP_CAP_AS4 = 65, /* RFC 6793 */
	BGP_CAP_ADD_PATH = 69, /* RFC 7911 */
	BGP_CAP_ENH_REFRESH = 70, /* RFC 7313 */
	BGP_CAP_LLGR = 71, /* RFC 9494 */
	BGP_CAP_HOSTNAME = 73 /* draft-walton-bgp-hostname-capability */
};

/* Roles: RFC 9234, 4.1 */
enum bgp_role {
	BGP_ROLE_PROVIDER,
	BGP_ROLE_RS_SERVER,
	BGP_ROLE_RS_CLIENT,
	BGP_ROLE_CUSTOMER,
	BGP_ROLE_PEER,
	BGP_ROLE_NONE = 255
};

#define BGP_HOSTNAME_MAX 128 /* octets; what is beyond is left out */

/* Graceful restart: RFC 4724, RFC 8538. Owner: the caller. Life: by value. */
struct bgp_cap_gr {
	bool on, restarting, notify;
	uint16_t time; /* seconds, under 4096 */
	uint8_t fam; /* FAM_BIT of each known family in it */
	uint8_t forward; /* of these: forwarding state kept */
};

/* Long-lived graceful restart: RFC 9494. Owner: the caller. Life: by value. */
struct bgp_cap_llgr {
	bool on;
	uint8_t fam, forward; /* as in struct bgp_cap_gr */
	uint32_t time[FAM_CNT]; /* seconds, under 2^24; of fam */
};

/* The capabilities that one side announces; call bgp_caps_init first. Owner: the caller.
 * Life: by value. */
struct bgp_caps {
	bool present; /* the OPEN had a Capabilities parameter (decoder only) */
	bool mp; /* any MP capability, also of families unknown to us */
	uint8_t fam; /* FAM_BIT of each known family in MP */
	bool refresh, enh_refresh, ext_msg, ext_next_hop;
	bool as4;
	uint32_t as; /* with as4 */
	/* enum bgp_role or an unknown number; BGP_ROLE_NONE: not announced */
	uint8_t role;
	bool role_clash; /* several roles that differ (decoder only): RFC 9234, 4.2 */
	struct bgp_cap_gr gr;
	struct bgp_cap_llgr llgr;
	/* FAM_BIT of each known family that may come, or go out, with path
	 * identifiers */
	uint8_t ids_rx, ids_tx;
	/* an ADD-PATH capability was received (decoder), or is to be sent */
	bool add_path;
	bool has_hostname;
	/* the received name: any octets but NUL; a received domain follows after a dot */
	char hostname[BGP_HOSTNAME_MAX + 1];
	uint8_t unknown_cnt; /* unknown capabilities (decoder only) */
};

static inline void
bgp_caps_init(struct bgp_caps *c)
{
	memset(c, 0, sizeof(*c));
	c->role = BGP_ROLE_NONE;
}

/* bgp_caps_decode - add one Capabilities parameter's value to @out; an OPEN may have
 * several parameters. Unknown capabilities are counted and skipped. Returns: BGP_OK or a
 * RESET. */
struct bgp_err bgp_caps_decode(struct rbuf *r, struct bgp_caps *out);
/* bgp_caps_encode - the capabilities without the parameter's header. */
void bgp_caps_encode(struct wbuf *w, const struct bgp_caps *c);

#endif
