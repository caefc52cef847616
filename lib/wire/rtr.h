/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PDUs of the RPKI-to-Router protocol: version 0 (RFC 6810), version 1 (RFC 8210) and
 * version 2 (draft-ietf-sidrops-8210bis-14; the ASPA PDU has flags in the header and no
 * address family).
 *
 * A PDU begins with the version, the type, 16 bits whose meaning depends on the type, and
 * the length of the whole PDU. Reserved bits are ignored on receipt and sent as 0.
 *
 * Owner: the caller. Life: every struct is by value; pointers are valid as long as the
 * decoded octets. No state; any thread. */
#ifndef TERN_LIB_WIRE_RTR_H
#define TERN_LIB_WIRE_RTR_H

#include "lib/base/check.h"
#include "lib/net/roa.h"
#include "lib/wire/wbuf.h"

#define RTR_VERSION_MAX 2
#define RTR_HDR_LEN     8
#define RTR_PDU_MAX     65536 /* longest that is taken; RFC 8210 names no bound */

/* RTR_TYPE_TABLE(X): name, number, text. */
#define RTR_TYPE_TABLE(X)                                                                \
	X(SERIAL_NOTIFY, 0, "Serial Notify")                                             \
	X(SERIAL_QUERY, 1, "Serial Query")                                               \
	X(RESET_QUERY, 2, "Reset Query")                                                 \
	X(CACHE_RESPONSE, 3, "Cache Response")                                           \
	X(IPV4_PREFIX, 4, "IPv4 Prefix")                                                 \
	X(IPV6_PREFIX, 6, "IPv6 Prefix")                                                 \
	X(END_OF_DATA, 7, "End of Data")                                                 \
	X(CACHE_RESET, 8, "Cache Reset")                                                 \
	X(ROUTER_KEY, 9, "Router Key")                                                   \
	X(ERROR_REPORT, 10, "Error Report")                                              \
	X(ASPA, 11, "ASPA")

enum rtr_type {
#define X(name, num, text) RTR_##name = (num),
	RTR_TYPE_TABLE(X)
#undef X
	    RTR_TYPE_CNT
};

/* RTR_ERROR_TABLE(X): name, number, text (RFC 8210, 12; the last three: the draft). */
#define RTR_ERROR_TABLE(X)                                                               \
	X(CORRUPT, 0, "Corrupt Data")                                                    \
	X(INTERNAL, 1, "Internal Error")                                                 \
	X(NO_DATA, 2, "No Data Available")                                               \
	X(REQUEST, 3, "Invalid Request")                                                 \
	X(VERSION, 4, "Unsupported Protocol Version")                                    \
	X(TYPE, 5, "Unsupported PDU Type")                                               \
	X(UNKNOWN_RECORD, 6, "Withdrawal of Unknown Record")                             \
	X(DUPLICATE, 7, "Duplicate Announcement Received")                               \
	X(OTHER_VERSION, 8, "Unexpected Protocol Version")                               \
	X(PROVIDERS, 9, "ASPA Provider List Error")                                      \
	X(TRANSPORT, 10, "Transport Failed")                                             \
	X(ORDER, 11, "Ordering Error")

enum rtr_error {
#define X(name, num, text) RTR_E_##name = (num),
	RTR_ERROR_TABLE(X)
#undef X
	    RTR_E_CNT
};

/* Times of End of Data, in seconds. */
struct rtr_times {
	uint32_t refresh, retry, expire;
};

/* A PDU as a value. Only the fields of the PDU's type are set. Pointers point into the
 * decoded octets. */
struct rtr_pdu {
	uint8_t version;
	uint8_t type; /* enum rtr_type */
	bool announce; /* prefixes, Router Key, ASPA: true: announce, false: withdraw */
	uint16_t session; /* Serial *, Cache Response, End of Data */
	uint32_t serial; /* Serial *, End of Data */
	/* End of Data; all zero in version 0, which has no times */
	struct rtr_times times;
	struct vrp vrp; /* prefixes; an ASPA sets only asn, the customer */
	/* ASPA: ascending, each once, 4 octets each; none in a withdrawal */
	const uint8_t *provider;
	uint32_t provider_cnt;
	uint16_t error; /* Error Report: enum rtr_error, or an unknown one */
	const uint8_t *about; /* Error Report: the erroneous PDU, or a part */
	uint32_t about_len;
	const uint8_t *text; /* Error Report: the sender's text, UTF-8 */
	uint32_t text_len;
};

/* The fault of a PDU. */
struct rtr_fault {
	uint16_t error; /* enum rtr_error, for the Error Report */
	const char *text; /* constant */
};

/* rtr_frame - Returns: length of the whole PDU at @p; 0: more octets are needed;
 * negative: a wrong version, or a length that no PDU has, with *@fault set. The version
 * is checked first. */
MUST_CHECK int rtr_frame(const uint8_t *p, size_t len, struct rtr_fault *fault);
/* rtr_decode - decode @p, a framed PDU. Of a Router Key, only the length is checked.
 * Returns: false: the PDU is invalid, and *@fault has the reason; version and type are
 * set. */
MUST_CHECK bool rtr_decode(
    const uint8_t *p, uint32_t len, struct rtr_pdu *out, struct rtr_fault *fault);
/* rtr_encode - the reverse; not for Router Keys, which no router sends. */
void rtr_encode(struct wbuf *w, const struct rtr_pdu *p);

/* rtr_provider - number @i of an ASPA. */
static inline uint32_t
rtr_provider(const struct rtr_pdu *p, uint32_t i)
{
	return get_be32(p->provider + 4 * i);
}

const char *rtr_type_text(unsigned type);
const char *rtr_error_text(unsigned error);

#define RTR_TEXT_MAX 160
/* rtr_report_text - the error and the sender's text of an Error Report, as one clean
 * line. */
char *rtr_report_text(char buf[RTR_TEXT_MAX], const struct rtr_pdu *p);

#endif
