/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MRT (RFC 6396): tables (TABLE_DUMP_V2) and messages of sessions (BGP4MP), with path
 * identifiers if present (RFC 8050).
 *
 * Pure: octets in, octets out; any thread. Writers append to a bounded wbuf with a sticky
 * error; readers get the octets of a file, or the first octets. Owner: the caller of the
 * functions. Life: every struct is by value or on the stack, and its pointers are valid
 * as long as the octets. */
#ifndef TERN_LIB_WIRE_MRT_H
#define TERN_LIB_WIRE_MRT_H

#include "lib/attr/attr.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

enum mrt_type { MRT_TABLE_DUMP_V2 = 13, MRT_BGP4MP = 16, MRT_BGP4MP_ET = 17 };

/* TABLE_DUMP_V2 */
enum mrt_table_subtype {
	MRT_PEER_INDEX_TABLE = 1,
	MRT_RIB_IPV4_UNICAST = 2,
	MRT_RIB_IPV6_UNICAST = 4,
	MRT_RIB_IPV4_UNICAST_ADDPATH = 8,
	MRT_RIB_IPV6_UNICAST_ADDPATH = 10
};

/* BGP4MP */
enum mrt_bgp_subtype {
	MRT_STATE_CHANGE = 0,
	MRT_MESSAGE = 1,
	MRT_MESSAGE_AS4 = 4,
	MRT_STATE_CHANGE_AS4 = 5,
	MRT_MESSAGE_LOCAL = 6,
	MRT_MESSAGE_AS4_LOCAL = 7,
	MRT_MESSAGE_ADDPATH = 8,
	MRT_MESSAGE_AS4_ADDPATH = 9,
	MRT_MESSAGE_LOCAL_ADDPATH = 10,
	MRT_MESSAGE_AS4_LOCAL_ADDPATH = 11
};

#define MRT_HEADER_LEN  12
#define MRT_ENTRIES_MAX 65535 /* peers of an index, entries of a net */
#define MRT_VIEW_MAX    255 /* octets of a view's name, as we write them */

/* bits of a peer's type in the index: length of the address, length of the AS number */
#define MRT_PEER_IP6 0x01
#define MRT_PEER_AS4 0x02

/* A peer of a peer index table. Owner: the caller; by value: nothing to free. */
struct mrt_peer {
	uint32_t router_id; /* host order */
	struct ip_addr addr; /* IP_NONE: none; as IPv6 */
	uint32_t as;
};

/* ---- writing ---- */

/* mrt_index_bound - octets that mrt_index_put writes at most. */
size_t mrt_index_bound(uint32_t peer_cnt);
/* mrt_index_put - write the record that precedes the records of a table. @view:
 * truncated to MRT_VIEW_MAX. @cnt: at most MRT_ENTRIES_MAX. */
void mrt_index_put(struct wbuf *out, uint32_t time_s, uint32_t collector_id,
    const char *view, const struct mrt_peer *peer, uint32_t cnt);

/* A record about one net under construction. Life: from begin to end. */
struct mrt_rib {
	/* private */
	struct wbuf *out;
	uint8_t *start, *cnt_at;
	uint32_t cnt;
	bool add_path;
};

/* The position of a record in its table. */
struct mrt_rib_head {
	uint32_t time_s;
	uint32_t seq; /* counts the records of the table, from 0 */
	bool add_path; /* entries have path identifiers */
};

/* octets of a record without its entries, at most; of an entry with @w, at most */
#define MRT_RIB_HEAD_MAX (MRT_HEADER_LEN + 4 + 1 + 16 + 2)
size_t mrt_entry_bound(const struct wire_set *w);

void mrt_rib_begin(struct mrt_rib *r, struct wbuf *out, const struct mrt_rib_head *h,
    const struct prefix *net);
/* mrt_rib_entry - append one route. RFC 6396, 4.3.4 gives the attributes' form: 4-octet
 * AS numbers, only the next hop of MP_REACH_NLRI.
 * Returns: 0; -E2BIG: the record is full. */
MUST_CHECK int mrt_rib_entry(struct mrt_rib *r, uint16_t peer, uint32_t time_s,
    uint32_t path_id, const struct wire_set *w);
/* mrt_rib_end - Returns: number of entries; a record without entries is removed. */
uint32_t mrt_rib_end(struct mrt_rib *r);

/* Both ends of a session. */
struct mrt_session {
	uint32_t peer_as, local_as;
	struct ip_addr peer, local; /* of one family; IP_NONE: not known */
	uint16_t ifindex;
	bool as4; /* the session has 4-octet AS numbers */
};

/* octets of a record of BGP4MP_ET before the message, or with both states, at most */
#define MRT_BGP_HEAD_MAX (MRT_HEADER_LEN + 4 + 2 * 4 + 2 + 2 + 2 * 16 + 2 * 2)

/* mrt_message_put - write a message of time @time_us after 1970 as received (@local: as
 * sent). @add_path: prefixes have path identifiers. */
void mrt_message_put(struct wbuf *out, uint64_t time_us, const struct mrt_session *s,
    bool local, bool add_path, const uint8_t *msg, size_t len);
/* mrt_state_put - write a change of state; RFC 6396, 4.4.1 numbers the states: 1 Idle ...
 * 6 Established. */
void mrt_state_put(struct wbuf *out, uint64_t time_us, const struct mrt_session *s,
    unsigned old_state, unsigned new_state);

/* ---- reading ---- */

/* A record of a file. Owner: the caller; by value, with pointers into the octets: nothing
 * to free. */
struct mrt_record {
	uint32_t time_s, micros; /* micros: of the _ET types, else 0 */
	uint16_t type, subtype;
	struct rbuf body; /* without the microseconds */
};

/* mrt_next - step over one record. Returns: 1; 0: at the end; -EPROTO: the record is
 * truncated. */
MUST_CHECK int mrt_next(struct rbuf *r, struct mrt_record *rec);

/* The contents of a record of BGP4MP or BGP4MP_ET. */
struct mrt_bgp {
	struct mrt_session s;
	bool is_state, local, add_path;
	uint16_t old_state, new_state; /* of a change of state */
	const uint8_t *msg; /* of a message: including the header, not checked */
	size_t len;
};

/* mrt_bgp_get - Returns: 0; -ENOTSUP: an unknown subtype; -EPROTO: the record is
 * truncated, has an unknown address family, or has octets left over. */
MUST_CHECK int mrt_bgp_get(const struct mrt_record *rec, struct mrt_bgp *out);

/* Reader's state of a peer index table. */
struct mrt_index {
	uint32_t collector_id;
	const char *view; /* not NUL-terminated */
	uint16_t view_len;
	uint16_t peer_cnt; /* peers not yet read */
	/* private */
	struct rbuf r;
};

/* mrt_index_get - read the part before the peers. mrt_index_next - read the next of
 * peer_cnt peers. Returns: 0; -EPROTO: the record is truncated, or a type of address or
 * AS number is unknown. */
MUST_CHECK int mrt_index_get(const struct mrt_record *rec, struct mrt_index *out);
MUST_CHECK int mrt_index_next(struct mrt_index *x, struct mrt_peer *p);

/* Reader's state of a net with its entries. */
struct mrt_net {
	uint32_t seq;
	struct prefix net;
	uint16_t entry_cnt; /* entries not yet read */
	bool add_path;
	/* private */
	struct rbuf r;
};

/* An entry of a net, a route of one peer. Owner: the caller; by value: nothing to
 * free. */
struct mrt_entry {
	uint16_t peer; /* not compared with the index */
	uint32_t time_s, path_id;
	struct rbuf attrs; /* not checked */
};

/* mrt_net_get - Returns: 0; -ENOTSUP: a subtype other than unicast of IPv4 or IPv6;
 * -EPROTO.
 * mrt_net_next - read the next of entry_cnt entries; octets after the last entry are an
 * error. */
MUST_CHECK int mrt_net_get(const struct mrt_record *rec, struct mrt_net *out);
MUST_CHECK int mrt_net_next(struct mrt_net *n, struct mrt_entry *e);
/* mrt_entry_body - write the body of an UPDATE with 4-octet AS numbers that announces the
 * route @e of @n, with the path identifier if present. The values of attributes are not
 * checked. Returns: 0; -EPROTO: the attributes cannot be split, the next hop is missing,
 * or @out has no room. */
MUST_CHECK int mrt_entry_body(
    struct wbuf *out, const struct mrt_net *n, const struct mrt_entry *e);

#endif
