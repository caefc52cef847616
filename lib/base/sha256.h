/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4): a digest by which texts are compared across machines, also by
 * other programs. */
#ifndef TERN_LIB_BASE_SHA256_H
#define TERN_LIB_BASE_SHA256_H

#include "lib/base/base.h"

#define SHA256_LEN     32
#define SHA256_HEX_MAX (2 * SHA256_LEN + 1) /* as text, with its NUL */

/* owner: the caller. */
struct sha256 {
	/* private */
	uint32_t h[8];
	uint64_t len; /* octets so far */
	uint8_t block[64]; /* the last len % 64 of them */
};

/* sha256_init - of nothing yet. sha256_add - @len octets more. */
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t len);
/* sha256_hex - the digest of all that was added, in lower case; @s is to be initialized
 * before it is used again. */
void sha256_hex(struct sha256 *s, char out[SHA256_HEX_MAX]);

#endif
