/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP-AO (RFC 5925): the keys that a socket shares with a peer.
 *
 * Both sides have numbered keys. Each segment names its key and the key that the sender
 * would like to receive (RNextKeyID). Keys are therefore exchanged during a connection:
 * both sides add the new key, request the new key, and remove the old key.
 *
 * No state; any thread may call for a socket that it owns. Owner: the holder, mostly the
 * configuration. Life: by value. */
#ifndef TERN_SYSDEP_SOCK_SOCK_AO_H
#define TERN_SYSDEP_SOCK_SOCK_AO_H

#include "lib/base/check.h"
#include "lib/crypto/veil.h"
#include "lib/net/prefix.h"
#include "sysdep/os/os_fd.h"

#define SOCK_AO_KEYS   8
#define SOCK_AO_SECRET VEIL_MAX

enum sock_ao_alg {
	SOCK_AO_HMAC_SHA1, /* RFC 5926: mandatory, as is CMAC_AES128 */
	SOCK_AO_HMAC_MD5,
	SOCK_AO_HMAC_SHA256,
	SOCK_AO_HMAC_SHA384,
	SOCK_AO_HMAC_SHA512,
	SOCK_AO_CMAC_AES128
};

/* Compared as octets: unused octets are 0. */
struct sock_ao_key {
	uint8_t send_id, recv_id;
	uint8_t alg; /* enum sock_ao_alg */
	uint8_t len; /* of the secret */
	bool preferred; /* request this key */
	bool deprecated; /* accept this key, but do not request this key */
	uint8_t secret[VEIL_NONCE + SOCK_AO_SECRET]; /* veiled (lib/crypto/veil.h) */
};

/* The keys of a socket. Owner: the holder; by value: nothing to free. */
struct sock_ao {
	uint8_t cnt;
	struct sock_ao_key key[SOCK_AO_KEYS];
};

/* sock_ao_built - true if the build supports TCP-AO. Without support in the system's
 * headers the functions below return -ENOSYS, without support in the kernel
 * -ENOPROTOOPT. */
bool sock_ao_built(void);
/* sock_ao_error - the text of the negative errno @rc of the functions below. */
const char *sock_ao_error(int rc);
/* sock_ao_best - the key to request: the first preferred key, else the first key that is
 * not deprecated; NULL: none. */
const struct sock_ao_key *sock_ao_best(const struct sock_ao *a);
/* sock_ao_set - give @fd, which has no keys yet, the keys @a for peers in @peer.
 * @connects: @fd is about to connect and begins with the best key. Returns: 0, or
 * negative errno: @fd has none of the keys, except keys that another instance added;
 * -EEXIST: @fd has a key with the same id for the peer, with another secret or
 * algorithm. */
MUST_CHECK int sock_ao_set(
    int fd, const struct prefix *peer, const struct sock_ao *a, bool connects);
/* sock_ao_change - replace the keys @old of @fd by @a. The connection continues: if its
 * current key is removed, the best key becomes current. @listens: @fd listens. Returns:
 * 0, or negative errno of the first failure; the other changes are made. */
MUST_CHECK int sock_ao_change(struct os_fd fd, const struct prefix *peer,
    const struct sock_ao *old, const struct sock_ao *a, bool listens);

#endif
