/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As much of BGP-4 on the wire as a client of a route server needs (RFC 4271, 4760, 5492,
 * 6793, 7911). Deliberately not the daemon's codec: the two must agree without sharing
 * code. */
#ifndef TERN_TEST_LOAD_MSG_H
#define TERN_TEST_LOAD_MSG_H

#include "lib/net/prefix.h"

#define MSG_HEADER 19
#define MSG_MAX    4096
/* Octets that must be readable behind a message, for prefixes that are loaded as words.
 */
#define MSG_SLACK 32

enum { MSG_OPEN = 1, MSG_UPDATE, MSG_NOTIFICATION, MSG_KEEPALIVE, MSG_REFRESH };

enum {
	A_ORIGIN = 1,
	A_AS_PATH = 2,
	A_NEXT_HOP = 3,
	A_MED = 4,
	A_LOCAL_PREF = 5,
	A_ATOMIC = 6,
	A_AGGREGATOR = 7,
	A_COMMUNITY = 8,
	A_ORIGINATOR = 9,
	A_CLUSTER = 10,
	A_MP_REACH = 14,
	A_MP_UNREACH = 15,
	A_EXT_COMMUNITY = 16,
	A_AS4_PATH = 17,
	A_AS4_AGGREGATOR = 18,
	A_AIGP = 26,
	A_LARGE_COMMUNITY = 32
};

enum { AF_OPTIONAL = 0x80, AF_TRANSITIVE = 0x40, AF_PARTIAL = 0x20, AF_EXTENDED = 0x10 };

#define AS_TRANS 23456

struct span {
	const uint8_t *p;
	uint32_t len;
};

struct msg_open {
	uint32_t as;
	uint32_t router_id;
	uint16_t hold;
	bool as4;
	bool refresh;
	uint8_t families; /* 1 << enum family */
	/* capability 69 by family: ADD_PATH_*, of who sends the OPEN; 0: not there */
	uint8_t add_path[FAM_CNT];
};

/* RFC 7911, 4. */
enum { ADD_PATH_RX = 1, ADD_PATH_TX = 2 };

/* An UPDATE taken apart; spans point into the message. */
struct msg_update {
	struct span withdrawn; /* IPv4 */
	struct span attrs;
	struct span nlri; /* IPv4 */
	/* MP_REACH_NLRI: its whole attribute, header included, and what is in it. */
	struct span mp_attr, mp_next_hop, mp_nlri;
	enum family mp_family;
	bool has_mp_reach;
	struct span mp_withdrawn;
	enum family mp_withdrawn_family;
	bool has_mp_unreach;
};

/* msg_header - length and type of the message at @p (MSG_HEADER octets).
 * Returns: 0, or -EPROTO: not a BGP header. */
int msg_header(const uint8_t *p, unsigned *len, unsigned *type);
unsigned msg_put_header(uint8_t *to, unsigned len, unsigned type);
/* msg_put_open, msg_put_keepalive, msg_put_refresh, msg_put_notification,
 * msg_put_end_of_rib - whole messages into @to (MSG_MAX octets). Returns: octets. */
unsigned msg_put_open(uint8_t *to, const struct msg_open *o);
unsigned msg_put_keepalive(uint8_t *to);
unsigned msg_put_refresh(uint8_t *to, enum family fam);
unsigned msg_put_notification(uint8_t *to, unsigned code, unsigned subcode);
unsigned msg_put_end_of_rib(uint8_t *to, enum family fam);
/* msg_get_open - @body: behind the header. Returns: 0 or -EPROTO. */
int msg_get_open(struct msg_open *o, const uint8_t *body, unsigned len);
/* msg_get_update - all lengths are checked but not the prefixes. Returns: 0 or -EPROTO.
 */
int msg_get_update(struct msg_update *u, const uint8_t *body, unsigned len);
/* msg_is_end_of_rib - RFC 4724, 2. */
bool msg_is_end_of_rib(const struct msg_update *u);

/* msg_next_prefix - take one prefix from @s, which has MSG_SLACK octets behind it.
 * Returns: false when the length is wrong (@s is then empty). */
static inline bool
msg_next_prefix(
    struct span *s, enum family fam, uint64_t *hi, uint64_t *lo, uint32_t *key)
{
	unsigned len = s->p[0], octets = (len + 7) / 8;

	if (len > (fam == FAM_IP4 ? 32u : 128u) || octets + 1 > s->len) {
		s->len = 0;
		return false;
	}
	*hi = get_be64(s->p + 1) & mask64(len);
	*lo = len > 64 ? get_be64(s->p + 9) & mask64(len - 64) : 0;
	*key = (uint32_t)fam << 8 | len;
	s->p += octets + 1;
	s->len -= octets + 1;
	return true;
}

/* msg_next_id - take the path identifier that precedes a prefix (RFC 7911, 3).
 * Returns: false when it is cut off, or nothing follows it (@s is then empty). */
static inline bool
msg_next_id(struct span *s, uint32_t *id)
{
	if (s->len < 5) {
		s->len = 0;
		return false;
	}
	*id = get_be32(s->p);
	s->p += 4;
	s->len -= 4;
	return true;
}

/* msg_put_prefix - @hi, @lo left aligned. Returns: octets (at most 17). */
unsigned msg_put_prefix(uint8_t *to, uint64_t hi, uint64_t lo, unsigned len);

#endif
