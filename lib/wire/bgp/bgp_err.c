/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of NOTIFICATION's codes and subcodes from IANA's registries, in the short form
 * that operators know from logs.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_err.h"

struct subtexts {
	const char *text; /* of the code */
	unsigned cnt;
	const char *const *sub; /* by subcode; NULL: none */
};

static const char *const header_text[] = {
	[BGP_EH_SYNC] = "Connection not synchronized",
	[BGP_EH_LEN] = "Bad message length",
	[BGP_EH_TYPE] = "Bad message type",
};

static const char *const open_text[] = {
	[BGP_EO_VERSION] = "Unsupported version number",
	[BGP_EO_PEER_AS] = "Bad peer AS",
	[BGP_EO_ID] = "Bad BGP identifier",
	[BGP_EO_PARAM] = "Unsupported optional parameter",
	[5] = "Authentication failure",
	[BGP_EO_HOLD_TIME] = "Unacceptable hold time",
	[BGP_EO_CAPABILITY] = "Required capability missing",
	[8] = "No supported AFI/SAFI",
	[BGP_EO_ROLE] = "Role mismatch",
};

static const char *const update_text[] = {
	[BGP_EU_ATTR_LIST] = "Malformed attribute list",
	[BGP_EU_UNKNOWN_WELLKNOWN] = "Unrecognized well-known attribute",
	[BGP_EU_MISSING] = "Missing mandatory attribute",
	[BGP_EU_FLAGS] = "Invalid attribute flags",
	[BGP_EU_LEN] = "Invalid attribute length",
	[BGP_EU_ORIGIN] = "Invalid ORIGIN attribute",
	[7] = "AS routing loop",
	[BGP_EU_NEXT_HOP] = "Invalid NEXT_HOP attribute",
	[BGP_EU_OPTIONAL] = "Optional attribute error",
	[BGP_EU_NETWORK] = "Invalid network field",
	[BGP_EU_AS_PATH] = "Malformed AS_PATH",
};

static const char *const fsm_text[] = {
	[BGP_EF_OPENSENT] = "Unexpected message in OpenSent state",
	[BGP_EF_OPENCONFIRM] = "Unexpected message in OpenConfirm state",
	[BGP_EF_ESTABLISHED] = "Unexpected message in Established state",
};

static const char *const cease_text[] = {
	[BGP_EC_PREFIX_LIMIT] = "Maximum number of prefixes reached",
	[BGP_EC_ADMIN_SHUTDOWN] = "Administrative shutdown",
	[BGP_EC_DECONFIGURED] = "Peer de-configured",
	[BGP_EC_ADMIN_RESET] = "Administrative reset",
	[BGP_EC_REJECTED] = "Connection rejected",
	[BGP_EC_CONFIG_CHANGE] = "Other configuration change",
	[BGP_EC_COLLISION] = "Connection collision resolution",
	[BGP_EC_RESOURCES] = "Out of Resources",
	[BGP_EC_HARD_RESET] = "Hard reset",
	[BGP_EC_BFD_DOWN] = "BFD down",
};

static const char *const refresh_text[] = {
	[BGP_ER_LEN] = "Invalid ROUTE-REFRESH length",
};

#define SUBTEXTS(t) ARRAY_LEN(t), t

static const struct subtexts code_text[] = {
	[BGP_E_HEADER] = { "Invalid message header", SUBTEXTS(header_text) },
	[BGP_E_OPEN] = { "Invalid OPEN message", SUBTEXTS(open_text) },
	[BGP_E_UPDATE] = { "Invalid UPDATE message", SUBTEXTS(update_text) },
	[BGP_E_HOLD_TIMER] = { "Hold timer expired", 0, NULL },
	[BGP_E_FSM] = { "Finite state machine error", SUBTEXTS(fsm_text) },
	[BGP_E_CEASE] = { "Cease", SUBTEXTS(cease_text) },
	[BGP_E_REFRESH] = { "Invalid ROUTE-REFRESH message", SUBTEXTS(refresh_text) },
	[BGP_E_SEND_HOLD] = { "Send hold timer expired", 0, NULL },
};

const char *
bgp_err_text(unsigned code, unsigned subcode)
{
	const struct subtexts *s;

	if (code >= ARRAY_LEN(code_text) || !code_text[code].text)
		return "Unknown error";
	s = &code_text[code];
	return subcode < s->cnt && s->sub[subcode] ? s->sub[subcode] : s->text;
}
