/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A decoder's finding and the reaction to the finding (RFC 7606, 2): a value, never a
 * side effect. IANA's "BGP Error (Notification) Codes" has the numbers and texts of
 * NOTIFICATION. Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_ERR_H
#define TERN_LIB_WIRE_BGP_BGP_ERR_H

#include "lib/base/check.h"

/* In ascending order of strength (RFC 7606, 3 h). */
enum bgp_severity {
	BGP_SEV_NONE,
	BGP_SEV_ATTR_DISCARD, /* the attribute was left out; the rest stands */
	BGP_SEV_WITHDRAW, /* treat as withdraw */
	BGP_SEV_AFI_DISABLE,
	BGP_SEV_RESET /* send NOTIFICATION, close */
};

enum bgp_err_code {
	BGP_E_HEADER = 1,
	BGP_E_OPEN,
	BGP_E_UPDATE,
	BGP_E_HOLD_TIMER,
	BGP_E_FSM,
	BGP_E_CEASE,
	BGP_E_REFRESH,
	BGP_E_SEND_HOLD
};

enum { /* of BGP_E_HEADER: RFC 4271, 6.1 */
	BGP_EH_SYNC = 1,
	BGP_EH_LEN,
	BGP_EH_TYPE
};
enum { /* of BGP_E_OPEN: RFC 4271, 6.2; RFC 5492; RFC 9234 */
	BGP_EO_UNSPECIFIC = 0,
	BGP_EO_VERSION = 1,
	BGP_EO_PEER_AS = 2,
	BGP_EO_ID = 3,
	BGP_EO_PARAM = 4,
	BGP_EO_HOLD_TIME = 6,
	BGP_EO_CAPABILITY = 7,
	BGP_EO_ROLE = 11
};
enum { /* of BGP_E_UPDATE: RFC 4271, 6.3 */
	BGP_EU_ATTR_LIST = 1,
	BGP_EU_UNKNOWN_WELLKNOWN = 2,
	BGP_EU_MISSING = 3,
	BGP_EU_FLAGS = 4,
	BGP_EU_LEN = 5,
	BGP_EU_ORIGIN = 6,
	BGP_EU_NEXT_HOP = 8,
	BGP_EU_OPTIONAL = 9,
	BGP_EU_NETWORK = 10,
	BGP_EU_AS_PATH = 11
};
enum { /* of BGP_E_FSM: RFC 6608 */
	BGP_EF_OPENSENT = 1,
	BGP_EF_OPENCONFIRM,
	BGP_EF_ESTABLISHED
};
enum { /* of BGP_E_CEASE: RFC 4486, RFC 8538, RFC 9384 */
	BGP_EC_PREFIX_LIMIT = 1,
	BGP_EC_ADMIN_SHUTDOWN,
	BGP_EC_DECONFIGURED,
	BGP_EC_ADMIN_RESET,
	BGP_EC_REJECTED,
	BGP_EC_CONFIG_CHANGE,
	BGP_EC_COLLISION,
	BGP_EC_RESOURCES,
	BGP_EC_HARD_RESET,
	BGP_EC_BFD_DOWN
};
enum { /* of BGP_E_REFRESH: RFC 7313, 5 */
	BGP_ER_LEN = 1
};

/* A finding. `data` points into the decoded message or to a constant. Owner: the caller.
 * Life: by value, while the message is valid. */
struct bgp_err {
	uint8_t severity; /* enum bgp_severity */
	uint8_t code; /* enum bgp_err_code, for NOTIFICATION; 0 with NONE */
	uint8_t subcode;
	uint8_t attr; /* code of the path attribute at fault; 0: none */
	uint16_t data_len;
	const uint8_t *data; /* for NOTIFICATION */
	const char *text; /* describes the fault in the log; NULL with NONE */
};

#define BGP_OK ((struct bgp_err){ .severity = BGP_SEV_NONE })

/* bgp_err_make - a finding without data. */
static inline struct bgp_err
bgp_err_make(
    enum bgp_severity sev, enum bgp_err_code code, unsigned subcode, const char *text)
{
	return (struct bgp_err){ .severity = (uint8_t)sev,
		.code = (uint8_t)code,
		.subcode = (uint8_t)subcode,
		.text = text };
}

/* bgp_err_text - name of a NOTIFICATION's code and subcode: "Bad peer AS", "Hold timer
 * expired", "Administrative shutdown". Never NULL; an unknown subcode gives the text of
 * the code, an unknown code "Unknown error". */
const char *bgp_err_text(unsigned code, unsigned subcode);

#endif
