/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MD5, SHA-1 and SHA-256: the examples of RFC 1321, RFC 3174 and FIPS 180-4; of MD5 and
 * SHA-1 every length around the ends of blocks, compared with a digest of all digests
 * that another implementation computed; of SHA-256 messages in pieces. */
#include "lib/crypto/digest.h"

#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <stdio.h>
#include <string.h>

static void
to_hex(char *out, const uint8_t *p, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", p[i]);
}

static void
is_md5(const char *text, const char *want)
{
	uint8_t d[MD5_LEN];
	char hex[2 * MD5_LEN + 1];

	md5(d, text, strlen(text));
	to_hex(hex, d, MD5_LEN);
	assert_string_equal(hex, want);
}

static void
is_sha1(const char *text, const char *want)
{
	uint8_t d[SHA1_LEN];
	char hex[2 * SHA1_LEN + 1];

	sha1(d, text, strlen(text));
	to_hex(hex, d, SHA1_LEN);
	assert_string_equal(hex, want);
}

static void
test_examples(void **state)
{
	(void)state;
	is_md5("", "d41d8cd98f00b204e9800998ecf8427e");
	is_md5("abc", "900150983cd24fb0d6963f7d28e17f72");
	is_md5("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
	is_md5("123456789012345678901234567890123456789012345678901234567890123456789012"
	       "34567890",
	    "57edf4a22be3c955ac49da2e2107b67a");
	is_sha1("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	is_sha1("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
	is_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	    "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* The digests of 0, 1, ... 299 octets that count up, one behind the other, digested. */
static void
test_lengths(void **state)
{
	static uint8_t text[300], md[300][MD5_LEN], sha[300][SHA1_LEN];
	char hex[2 * SHA1_LEN + 1];
	uint8_t d[SHA1_LEN];

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		text[i] = (uint8_t)i;
		md5(md[i], text, i);
		sha1(sha[i], text, i);
	}
	md5(d, md, sizeof(md));
	to_hex(hex, d, MD5_LEN);
	assert_string_equal(hex, "25fecb951fbcca8a0793500af76dfab4");
	sha1(d, sha, sizeof(sha));
	to_hex(hex, d, SHA1_LEN);
	assert_string_equal(hex, "7261d91c9ffd63ee8e68156d4d57e733d4ad7243");
}

static void
test_sha256_example(void **state)
{
	struct sha256 *s = sha256_new();
	char text[SHA256_TEXT];
	uint8_t a[1000];

	(void)state;
	memset(a, 'a', sizeof(a));
	for (unsigned i = 0; i < 1000; i++)
		sha256_add(s, a, sizeof(a));
	assert_true(sha256_end(s, text));
	sha256_free(s);
	assert_string_equal(
	    text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	s = sha256_new();
	assert_true(sha256_end(s, text));
	assert_string_equal(
	    text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_free(s);
	sha256_free(NULL);
}

/* Pieces of any length make the digest of the whole. */
static void
test_sha256_pieces(void **state)
{
	struct seed s = seed_start("sha256");
	char whole[SHA256_TEXT], parts[SHA256_TEXT];
	uint8_t text[1000];

	(void)state;
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)seed_below(&s, 256);
	for (uint32_t round = 0; round < seed_rounds(2000); round++) {
		size_t len = seed_below(&s, sizeof(text) + 1), at = 0, cnt;
		struct sha256 *a = sha256_new(), *b = sha256_new();

		sha256_add(a, text, len);
		for (; at < len; at += cnt) {
			cnt = 1 + seed_below(&s, (uint32_t)(len - at));
			sha256_add(b, text + at, cnt);
		}
		assert_true(sha256_end(a, whole));
		assert_true(sha256_end(b, parts));
		assert_string_equal(whole, parts);
		sha256_free(a);
		sha256_free(b);
	}
}

static void
test_weak(void **state)
{
	(void)state;
	assert_true(digest_weak_allowed());
}

static void
test_same(void **state)
{
	(void)state;
	assert_true(digest_same((const uint8_t *)"abc", (const uint8_t *)"abd", 2));
	assert_false(digest_same((const uint8_t *)"abc", (const uint8_t *)"abd", 3));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_sha256_example),
		cmocka_unit_test(test_sha256_pieces),
		cmocka_unit_test(test_weak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
