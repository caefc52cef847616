/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MD5 (RFC 1321) and SHA-1 (RFC 3174), for protocols that ask for them: neither is good
 * for anything new. Whole messages at once; no state; any thread. */
#ifndef TERN_LIB_BASE_DIGEST_H
#define TERN_LIB_BASE_DIGEST_H

#include "lib/base/check.h"

#define MD5_LEN  16
#define SHA1_LEN 20

void md5(uint8_t out[MD5_LEN], const void *p, size_t len);
void sha1(uint8_t out[SHA1_LEN], const void *p, size_t len);
/* digest_same - in a time that doesn't tell where the two differ. */
bool digest_same(const uint8_t *a, const uint8_t *b, size_t len);

#endif
