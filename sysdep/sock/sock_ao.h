/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP-AO (RFC 5925): the keys that a socket shares with a peer.
 *
 * Both sides have keys with numbers. Each segment says which key it is signed with, and
 * which one the sender would like to get (RNextKeyID). So keys are exchanged under way: a
 * new one is added on both sides, asked for, and the old one goes.
 *
 * No state; any thread may call for a socket that it owns. */
#ifndef TERN_SYSDEP_SOCK_AO_H
#define TERN_SYSDEP_SOCK_AO_H

#include "lib/net/prefix.h"
#include "lib/base/check.h"

#define SOCK_AO_KEYS   8
#define SOCK_AO_SECRET 80

enum sock_ao_alg {
	SOCK_AO_HMAC_SHA1, /* RFC 5926: this one and the last are in all that have any */
	SOCK_AO_HMAC_MD5,
	SOCK_AO_HMAC_SHA256,
	SOCK_AO_HMAC_SHA384,
	SOCK_AO_HMAC_SHA512,
	SOCK_AO_CMAC_AES128
};

/* Compared as octets: what isn't used is 0. */
struct sock_ao_key {
	uint8_t send_id, recv_id;
	uint8_t alg; /* enum sock_ao_alg */
	uint8_t len; /* of the secret */
	bool preferred; /* ask for it */
	bool deprecated; /* take it, but don't ask for it */
	uint8_t secret[SOCK_AO_SECRET];
};

struct sock_ao {
	uint8_t cnt;
	struct sock_ao_key key[SOCK_AO_KEYS];
};

/* sock_ao_built - does this build know of it? Where the system's headers don't, all below
 * return -ENOSYS; where the kernel doesn't, -ENOPROTOOPT. */
bool sock_ao_built(void);
/* sock_ao_error - what negative errno @rc of those below means. */
const char *sock_ao_error(int rc);
/* sock_ao_best - the key to ask for: the first that is preferred, else the first that
 * isn't deprecated; NULL: there is none. */
const struct sock_ao_key *sock_ao_best(const struct sock_ao *a);
/* sock_ao_set - @fd, which has none yet, shares @a with peers in @peer. @connects: it is
 * about to connect, and begins with the best key. Returns: 0 or negative errno: then it
 * has none of them, unless they are another's too; -EEXIST: it has one of such an id
 * already for that peer, with another secret or algorithm. */
MUST_CHECK int sock_ao_set(
    int fd, const struct prefix *peer, const struct sock_ao *a, bool connects);
/* sock_ao_change - it has @old; @a is what it is to have. The connection goes on: what it
 * uses and is to go makes place for the best one. @listens: it is no connection. Returns:
 * 0, or negative errno: of what didn't work first, the rest was done. */
MUST_CHECK int sock_ao_change(int fd, const struct prefix *peer,
    const struct sock_ao *old, const struct sock_ao *a, bool listens);
/* sock_ao_ask - the connection asks its peer for the best of @a. */
MUST_CHECK int sock_ao_ask(int fd, const struct sock_ao *a);

#endif
