/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests: libcrypto's EVP, which uses the processor's instructions for SHA-256.
 *
 * tern reads the digest of each file of a configuration: libmd's SHA-256 reads 192 MB/s,
 * libcrypto's 1,534 MB/s. MD5 and SHA-1 are libcrypto's too, because the linker warns of
 * each use of MD5Init beside libbsd, whichever library defines MD5Init.
 *
 * Loop: none. Tests: test_digest.c. */
#include "lib/crypto/digest.h"

#include "lib/mem/mem.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>

struct sha256 {
	EVP_MD_CTX *evp; /* NULL: libcrypto refused a step */
};

bool
digest_weak_allowed(void)
{
	uint8_t out[EVP_MAX_MD_SIZE];

	return EVP_Digest("", 0, out, NULL, EVP_md5(), NULL) == 1 &&
	       EVP_Digest("", 0, out, NULL, EVP_sha1(), NULL) == 1;
}

void
md5(uint8_t out[MD5_LEN], const void *p, size_t len)
{
	ASSERT(EVP_Digest(p, len, out, NULL, EVP_md5(), NULL) == 1);
}

void
sha1(uint8_t out[SHA1_LEN], const void *p, size_t len)
{
	ASSERT(EVP_Digest(p, len, out, NULL, EVP_sha1(), NULL) == 1);
}

bool
digest_same(const uint8_t *a, const uint8_t *b, size_t len)
{
	return CRYPTO_memcmp(a, b, len) == 0;
}

bool
sha256_once(uint8_t out[SHA256_LEN], const void *p, size_t len)
{
	return EVP_Digest(p, len, out, NULL, EVP_sha256(), NULL) == 1;
}

/* digest_sha256_check - give up unless @done: later steps have no effect. */
static void
digest_sha256_check(struct sha256 *s, int done)
{
	if (done == 1)
		return;
	EVP_MD_CTX_free(s->evp);
	s->evp = NULL;
}

struct sha256 *
sha256_new(void)
{
	struct sha256 *s = mem_zalloc(MEM_OTHER, sizeof(*s));

	s->evp = EVP_MD_CTX_new();
	if (s->evp)
		digest_sha256_check(s, EVP_DigestInit_ex(s->evp, EVP_sha256(), NULL));
	return s;
}

void
sha256_add(struct sha256 *s, const void *p, size_t len)
{
	if (s->evp)
		digest_sha256_check(s, EVP_DigestUpdate(s->evp, p, len));
}

bool
sha256_end(struct sha256 *s, char out[SHA256_TEXT])
{
	uint8_t octet[EVP_MAX_MD_SIZE];

	out[0] = '\0';
	if (s->evp)
		digest_sha256_check(s, EVP_DigestFinal_ex(s->evp, octet, NULL));
	if (!s->evp)
		return false;
	for (unsigned i = 0; i < SHA256_TEXT / 2; i++)
		snprintf(out + 2 * i, 3, "%02x", octet[i]);
	return true;
}

void
sha256_free(struct sha256 *s)
{
	if (!s)
		return;
	EVP_MD_CTX_free(s->evp);
	mem_free(MEM_OTHER, s);
}
