/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PDUs of the RPKI-to-Router protocol: version 0 (RFC 6810), version 1 (RFC 8210) and
 * version 2 (draft-ietf-sidrops-8210bis-14, whose ASPA PDU has flags in the header and no
 * address family).
 *
 * A PDU begins with its version, its type, 16 bits that mean what the type says, and the
 * length of the whole. Reserved bits are ignored when they come and 0 when they go.
 *
 * No state; any thread. */
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

/* A PDU as a value. Fields of other types than its own aren't set. Pointers lie in the
 * octets that it was decoded from. */
struct rtr_pdu {
	uint8_t version;
	uint8_t type; /* enum rtr_type */
	bool announce; /* prefixes, Router Key, ASPA; else they withdraw */
	uint16_t session; /* Serial *, Cache Response, End of Data */
	uint32_t serial; /* Serial *, End of Data */
	struct rtr_times times; /* End of Data; in version 0 all zero: none are given */
	struct vrp vrp; /* prefixes; of an ASPA only asn, the customer */
	/* ASPA: ascending, each once, 4 octets each; none in a withdrawal */
	const uint8_t *provider;
	uint32_t provider_cnt;
	uint16_t error; /* Error Report: enum rtr_error, or an unknown one */
	const uint8_t
	    *about; /* Error Report: the PDU that it is about, or a part of it */
	uint32_t about_len;
	const uint8_t *text; /* Error Report: UTF-8 of whatever the sender likes */
	uint32_t text_len;
};

/* What is wrong with a PDU. */
struct rtr_fault {
	uint16_t error; /* enum rtr_error: what the other side is told */
	const char *text; /* constant */
};

/* rtr_frame - is a whole PDU at @p? Returns: its length; 0: more octets are needed;
 * negative: no PDU has that length, and *@fault says so (also of a wrong version, which
 * is the first that is looked at). */
MUST_CHECK int rtr_frame(const uint8_t *p, size_t len, struct rtr_fault *fault);
/* rtr_decode - @p: a framed PDU. Router Keys are checked for their length only. Returns:
 * false: it is wrong, *@fault says how; version and type are set. */
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
/* rtr_report_text - of an Error Report: the error and what the sender says of it, one
 * clean line. */
char *rtr_report_text(char buf[RTR_TEXT_MAX], const struct rtr_pdu *p);

#endif
