/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests, computed by libcrypto. MD5 (RFC 1321) and SHA-1 (RFC 3174) serve protocols
 * that demand MD5 and SHA-1; both are too weak for a new purpose. SHA-256 (FIPS 180-4)
 * names the text of a configuration. Any thread. */
#ifndef TERN_LIB_CRYPTO_DIGEST_H
#define TERN_LIB_CRYPTO_DIGEST_H

#include "lib/base/check.h"

#define MD5_LEN     16
#define SHA1_LEN    20
#define SHA256_LEN  32
#define SHA256_TEXT 65 /* 64 hexadecimal digits and the NUL */

/* digest_weak_allowed - does libcrypto compute MD5 and SHA-1? The settings of a system
 * (openssl.cnf, FIPS) can forbid both. md5, sha1 - the digest of a whole message; only
 * where digest_weak_allowed returned true. */
bool digest_weak_allowed(void);
void md5(uint8_t out[MD5_LEN], const void *p, size_t len);
void sha1(uint8_t out[SHA1_LEN], const void *p, size_t len);
/* digest_same - compare in a time that does not depend on the position of a
 * difference. */
bool digest_same(const uint8_t *a, const uint8_t *b, size_t len);

/* sha256_once - the digest of a whole message. Returns: false: libcrypto does not compute
 * SHA-256. */
MUST_CHECK bool sha256_once(uint8_t out[SHA256_LEN], const void *p, size_t len);

struct sha256;

OWNED struct sha256 *sha256_new(void);
/* sha256_add - append @len octets to the message. */
void sha256_add(struct sha256 *s, const void *p, size_t len);
/* sha256_end - write the digest as lower-case hexadecimal digits. No sha256_add follows.
 * Returns: false: libcrypto does not compute SHA-256; @out is "". */
MUST_CHECK bool sha256_end(struct sha256 *s, char out[SHA256_TEXT]);
void sha256_free(TAKE struct sha256 *s);

#endif
