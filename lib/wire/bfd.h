/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BFD control packets (RFC 5880, 4) and their authentication (4.2 to 4.4, 6.7).
 *
 * A packet has 24 octets, followed by an authentication section if bit A is set. The
 * digest covers the whole packet, with the key, padded by zeros, in place of the digest.
 *
 * No state; any thread. */
#ifndef TERN_LIB_WIRE_BFD_H
#define TERN_LIB_WIRE_BFD_H

#include "lib/base/check.h"
#include "lib/wire/wbuf.h"

#define BFD_VERSION  1
#define BFD_LEN_MIN  24
#define BFD_LEN_MAX  52 /* with the longest known authentication section */
#define BFD_KEY_MAX  20 /* of SHA1; other types use the first 16 octets */
#define BFD_MD5_KEY  16
#define BFD_PORT     3784 /* RFC 5881 */
#define BFD_PORT_FAR 4784 /* RFC 5883 */

/* BFD_WIRE_STATE_TABLE(X): name, number, text. */
#define BFD_WIRE_STATE_TABLE(X)                                                          \
	X(ADMIN_DOWN, 0, "AdminDown")                                                    \
	X(DOWN, 1, "Down")                                                               \
	X(INIT, 2, "Init")                                                               \
	X(UP, 3, "Up")

enum bfd_state {
#define X(name, num, text) BFD_##name = (num),
	BFD_WIRE_STATE_TABLE(X)
#undef X
	    BFD_STATE_CNT
};

/* BFD_DIAG_TABLE(X): name, number, text (4.1), and how BIRD's dialect says it. */
#define BFD_DIAG_TABLE(X)                                                                \
	X(NONE, 0, "No Diagnostic", "None")                                              \
	X(EXPIRED, 1, "Control Detection Time Expired", "Time expired")                  \
	X(ECHO, 2, "Echo Function Failed", "Echo failed")                                \
	X(SIGNALED, 3, "Neighbor Signaled Session Down", "Neighbor down")                \
	X(RESET, 4, "Forwarding Plane Reset", "Fwd plane reset")                         \
	X(PATH, 5, "Path Down", "Path down")                                             \
	X(CONCATENATED, 6, "Concatenated Path Down", "Concat path down")                 \
	X(ADMIN, 7, "Administratively Down", "Admin down")                               \
	X(REVERSE, 8, "Reverse Concatenated Path Down", "Rev concat path down")

enum bfd_diag {
#define X(name, num, text, title) BFD_DIAG_##name = (num),
	BFD_DIAG_TABLE(X)
#undef X
	    BFD_DIAG_CNT
};

/* BFD_AUTH_TABLE(X): name, number, text, and how BIRD's dialect says it. */
#define BFD_AUTH_TABLE(X)                                                                \
	X(NONE, 0, "none", "None")                                                       \
	X(SIMPLE, 1, "simple", "Simple")                                                 \
	X(MD5, 2, "keyed md5", "Keyed MD5")                                              \
	X(MET_MD5, 3, "meticulous keyed md5", "Meticulous keyed MD5")                    \
	X(SHA1, 4, "keyed sha1", "Keyed SHA1")                                           \
	X(MET_SHA1, 5, "meticulous keyed sha1", "Meticulous keyed SHA1")

enum bfd_auth_type {
#define X(name, num, text, title) BFD_AUTH_##name = (num),
	BFD_AUTH_TABLE(X)
#undef X
	    BFD_AUTH_CNT
};

#define BFD_POLL  0x20
#define BFD_FINAL 0x10
/* Control plane independent; authentication; demand; multipoint. */
#define BFD_INDEPENDENT 0x08
#define BFD_HAS_AUTH    0x04
#define BFD_DEMAND      0x02
#define BFD_MULTIPOINT  0x01

/* A packet as a value; intervals in microseconds as on the wire. Owner: the caller. Life:
 * on the stack; `secret` points into the received octets. */
struct bfd_packet {
	uint8_t diag; /* 0 to 31 */
	uint8_t state; /* enum bfd_state */
	uint8_t flags; /* BFD_POLL ...; HAS_AUTH follows from auth_type */
	uint8_t mult; /* not 0 */
	uint32_t mine, yours; /* discriminators; mine is not 0 */
	uint32_t min_tx_us, min_rx_us, min_echo_us;
	uint8_t auth_type; /* enum bfd_auth_type, or an unknown type */
	uint8_t key_id;
	uint8_t key_len; /* SIMPLE: octets of the password, 1 to 16 */
	uint32_t seq; /* all but SIMPLE */
	/* decoding: where the password or digest lies in the packet's octets */
	const uint8_t *secret;
};

/* A key. Owner: the configuration or session that embeds the key. Life: by value. */
struct bfd_key {
	uint8_t len; /* 1 to BFD_KEY_MAX */
	uint8_t octet[BFD_KEY_MAX];
};

/* Why a packet is refused before its session is known (6.8.6). */
#define BFD_FAULT_TABLE(X)                                                               \
	X(NONE, "")                                                                      \
	X(SHORT, "too short")                                                            \
	X(VERSION, "unknown version")                                                    \
	X(LENGTH, "bad length")                                                          \
	X(MULT, "detection multiplier 0")                                                \
	X(MULTIPOINT, "multipoint bit")                                                  \
	X(MINE, "discriminator 0")                                                       \
	X(YOURS, "state without a discriminator of ours")                                \
	X(AUTH, "bad authentication section")

enum bfd_fault {
#define X(name, text) BFD_FAULT_##name,
	BFD_FAULT_TABLE(X)
#undef X
	    BFD_FAULT_CNT
};

/* bfd_decode - decode one UDP payload; octets behind the packet's length are ignored. For
 * an unknown type of authentication only the section's length is checked. */
MUST_CHECK enum bfd_fault bfd_decode(
    const uint8_t *octets, size_t len, struct bfd_packet *p);
/* bfd_auth_good - true if @k signed @p, which was decoded from @octets. The type of @p is
 * known and not NONE. */
bool bfd_auth_good(
    const struct bfd_packet *p, const uint8_t *octets, const struct bfd_key *k);
/* bfd_encode - encode @p, with authentication unless auth_type is NONE. @k: NULL with
 * NONE. */
void bfd_encode(struct wbuf *w, const struct bfd_packet *p, const struct bfd_key *k);

/* bfd_auth_is_meticulous - true if each packet needs a new sequence number. */
static inline bool
bfd_auth_is_meticulous(unsigned type)
{
	return type == BFD_AUTH_MET_MD5 || type == BFD_AUTH_MET_SHA1;
}

/* bfd_auth_key_max - how many octets of a key count. */
static inline unsigned
bfd_auth_key_max(unsigned type)
{
	return type == BFD_AUTH_SHA1 || type == BFD_AUTH_MET_SHA1 ? BFD_KEY_MAX
								  : BFD_MD5_KEY;
}

const char *bfd_state_text(unsigned state);
const char *bfd_diag_text(unsigned diag);
/* bfd_diag_title, bfd_auth_title - in the words of `show bfd sessions all`. */
const char *bfd_diag_title(unsigned diag);
const char *bfd_auth_title(unsigned type);
const char *bfd_auth_text(unsigned type);
const char *bfd_fault_text(enum bfd_fault f);

#endif
