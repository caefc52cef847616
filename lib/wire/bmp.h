/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BGP Monitoring Protocol (RFC 7854), with Adj-RIB-Out (RFC 8671) and Loc-RIB (RFC
 * 9069): messages from a monitored router to a station.
 *
 * Pure: octets in, octets out; any thread. Writers append to a bounded wbuf with a sticky
 * error: a message is whole, or the writer is bad. */
#ifndef TERN_LIB_WIRE_BMP_H
#define TERN_LIB_WIRE_BMP_H

#include "lib/net/ip.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#define BMP_VERSION    3
#define BMP_HEADER_LEN 6 /* version, length, type */
#define BMP_PEER_LEN   42 /* the per-peer header */
#define BMP_TEXT_MAX   255 /* octets of a text, as we write them */

enum bmp_type {
	BMP_ROUTE_MONITORING = 0,
	BMP_STATISTICS = 1,
	BMP_PEER_DOWN = 2,
	BMP_PEER_UP = 3,
	BMP_INITIATION = 4,
	BMP_TERMINATION = 5,
	BMP_ROUTE_MIRRORING = 6,
	BMP_TYPE_CNT
};

enum bmp_peer_type {
	BMP_PEER_GLOBAL = 0,
	BMP_PEER_RD = 1,
	BMP_PEER_LOCAL = 2,
	BMP_PEER_LOC_RIB = 3
};

/* Flags of a peer other than Loc-RIB. The peer's address decides V (IPv6). */
#define BMP_FLAG_V    0x80
#define BMP_FLAG_POST 0x40 /* L: after policy */
#define BMP_FLAG_AS2  0x20 /* A: AS_PATH has 2-octet AS numbers */
#define BMP_FLAG_OUT  0x10 /* O: Adj-RIB-Out (RFC 8671, 4) */
/* Of a Loc-RIB (RFC 9069, 4.2): only some routes are sent. */
#define BMP_FLAG_FILTERED 0x80

/* The peer that a message is about. Owner: the caller. Life: by value. */
struct bmp_peer {
	uint8_t type; /* enum bmp_peer_type */
	uint8_t flags; /* BMP_FLAG_*, without V */
	uint64_t distinguisher;
	struct ip_addr addr; /* IP_NONE: a Loc-RIB */
	uint32_t as, router_id; /* host order */
	uint64_t time_us; /* after 1970; 0: not known */
};

/* ---- writing ---- */

/* bmp_initiation_put, bmp_termination_put - @sys_descr, @sys_name, @text: truncated to
 * BMP_TEXT_MAX; NULL: none. */
void bmp_initiation_put(struct wbuf *out, const char *sys_descr, const char *sys_name);

enum bmp_term_reason {
	BMP_TERM_ADMIN = 0, /* closed by an operator; may be back */
	BMP_TERM_OTHER = 1,
	BMP_TERM_RESOURCES = 2,
	BMP_TERM_REDUNDANT = 3,
	BMP_TERM_FOR_GOOD = 4 /* closed, and won't be back */
};

void bmp_termination_put(struct wbuf *out, enum bmp_term_reason why, const char *text);

/* Both ends of a session that came up, and the two exchanged OPEN messages. A Loc-RIB has
 * two synthetic OPENs, with addresses and ports 0 (RFC 9069, 4.4). Owner: the caller.
 * Life: on the stack; the pointers are borrowed. */
struct bmp_up {
	struct ip_addr local; /* IP_NONE: none */
	uint16_t local_port, remote_port;
	const uint8_t *sent, *received;
	size_t sent_len, received_len;
	const char *table; /* of a Loc-RIB: VRF or table (RFC 9069, 4.3); NULL: none */
};

void bmp_peer_up_put(struct wbuf *out, const struct bmp_peer *p, const struct bmp_up *up);

enum bmp_down_reason {
	BMP_DOWN_LOCAL_NOTIFICATION = 1, /* data: the NOTIFICATION that we have sent */
	BMP_DOWN_LOCAL_EVENT = 2, /* data: two octets, the event of RFC 4271, 8.1 */
	BMP_DOWN_REMOTE_NOTIFICATION = 3, /* data: the NOTIFICATION that came */
	BMP_DOWN_REMOTE = 4,
	BMP_DOWN_DECONFIGURED = 5, /* the peer is no longer monitored */
	BMP_DOWN_LOCAL_SYSTEM = 6 /* of a Loc-RIB (RFC 9069, 5.3) */
};

void bmp_peer_down_put(struct wbuf *out, const struct bmp_peer *p,
    enum bmp_down_reason why, const uint8_t *data, size_t len);

/* bmp_route_put - an UPDATE, whole, with its header. */
void bmp_route_put(
    struct wbuf *out, const struct bmp_peer *p, const uint8_t *update, size_t len);

/* A message under construction. Owner: the caller. Life: on the stack, from begin to
 * end. */
struct bmp_msg {
	/* private */
	struct wbuf *out;
	uint8_t *start, *cnt_at;
	uint32_t cnt;
};

/* bmp_route_begin, bmp_route_end - the caller writes an UPDATE to @out between the
 * calls. */
void bmp_route_begin(struct bmp_msg *m, struct wbuf *out, const struct bmp_peer *p);
void bmp_route_end(struct bmp_msg *m);

/* Statistics (RFC 7854, 4.8; RFC 8671, 6.2): 64 bits unless marked 32. */
enum bmp_stat {
	BMP_STAT_REJECTED = 0, /* 32: by policy */
	BMP_STAT_DUPLICATES = 1, /* 32 */
	BMP_STAT_DUPLICATE_WITHDRAWS = 2, /* 32 */
	BMP_STAT_CLUSTER_LOOPS = 3, /* 32 */
	BMP_STAT_PATH_LOOPS = 4, /* 32 */
	BMP_STAT_ORIGINATOR_LOOPS = 5, /* 32 */
	BMP_STAT_CONFED_LOOPS = 6, /* 32 */
	BMP_STAT_ADJ_IN = 7,
	BMP_STAT_LOC_RIB = 8,
	BMP_STAT_ADJ_IN_FAMILY = 9, /* by family */
	BMP_STAT_LOC_RIB_FAMILY = 10, /* by family */
	BMP_STAT_TREAT_AS_WITHDRAW = 11, /* 32: UPDATEs */
	BMP_STAT_WITHDRAWN_PREFIXES = 12, /* 32: by these */
	BMP_STAT_DUPLICATE_UPDATES = 13, /* 32 */
	BMP_STAT_OUT_PRE = 14,
	BMP_STAT_OUT_POST = 15,
	BMP_STAT_OUT_PRE_FAMILY = 16, /* by family */
	BMP_STAT_OUT_POST_FAMILY = 17, /* by family */
	BMP_STAT_CNT
};

void bmp_stats_begin(struct bmp_msg *m, struct wbuf *out, const struct bmp_peer *p);
/* bmp_stats_add - add @v with the width of @s. bmp_stats_add_family - add a statistic by
 * family. */
void bmp_stats_add(struct bmp_msg *m, enum bmp_stat s, uint64_t v);
void bmp_stats_add_family(
    struct bmp_msg *m, enum bmp_stat s, uint16_t afi, uint8_t safi, uint64_t v);
void bmp_stats_end(struct bmp_msg *m);

enum bmp_mirror_code { BMP_MIRROR_ERRORED = 0, BMP_MIRROR_LOST = 1 };

/* bmp_mirror_put - mirror @msg as received, with the information @c; @msg NULL: the
 * information alone (RFC 7854, 4.7). */
void bmp_mirror_put(struct wbuf *out, const struct bmp_peer *p, enum bmp_mirror_code c,
    const uint8_t *msg, size_t len);

/* ---- reading ---- */

/* bmp_frame - Returns: octets of the message that begins at @p; 0: too few octets to know
 * the length; -EPROTO: another version, or an impossible length. The message may be
 * incomplete. */
MUST_CHECK int bmp_frame(const uint8_t *p, size_t len);

/* A decoded message. Owner: the caller. Life: on the stack; the pointers point into the
 * message. */
struct bmp_read {
	uint8_t type; /* enum bmp_type; BMP_TYPE_CNT and above: one we don't know */
	bool has_peer;
	struct bmp_peer peer;
	struct bmp_up up; /* of PEER_UP; table isn't ended by 0: table_len */
	uint16_t table_len;
	uint8_t why; /* of PEER_DOWN */
	uint16_t term; /* of TERMINATION: the reason, 0xffff: none is given */
	/* the rest: UPDATE of ROUTE_MONITORING, data of PEER_DOWN, TLVs of others */
	struct rbuf rest;
	uint32_t stat_cnt; /* of STATISTICS: TLVs in rest */
};

/* bmp_read - decode a whole message. Returns: 0 or -EPROTO: the message is truncated, or
 * lengths in the message disagree. */
MUST_CHECK int bmp_read(const uint8_t *msg, size_t len, struct bmp_read *out);
/* bmp_tlv_next - step over one TLV of @r. Returns: 1; 0: at the end; -EPROTO: @r is
 * truncated. */
MUST_CHECK int bmp_tlv_next(struct rbuf *r, uint16_t *type, struct rbuf *value);

#endif
