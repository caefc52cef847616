/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The digests are libmd's.
 *
 * Loop: none. Tests: test_digest.c. */
#include "lib/base/digest.h"

#include <md5.h>
#include <sha1.h>

_Static_assert(
    MD5_LEN == MD5_DIGEST_LENGTH && SHA1_LEN == SHA1_DIGEST_LENGTH, "as libmd");

void
md5(uint8_t out[MD5_LEN], const void *p, size_t len)
{
	MD5_CTX c;

	MD5Init(&c);
	MD5Update(&c, p, len);
	MD5Final(out, &c);
}

void
sha1(uint8_t out[SHA1_LEN], const void *p, size_t len)
{
	SHA1_CTX c;

	SHA1Init(&c);
	SHA1Update(&c, p, len);
	SHA1Final(out, &c);
}

bool
digest_same(const uint8_t *a, const uint8_t *b, size_t len)
{
	unsigned differ = 0;

	for (size_t i = 0; i < len; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}
