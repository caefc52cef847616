/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Veiled secrets: each length comes back, equal secrets are equal, others differ, and the
 * veiled form has no part of the secret. */
#include "lib/crypto/veil.h"
#include "test/lib/unit.h"
#include <string.h>

#define PART 8 /* octets that occur in a veiled form by chance in 1 of 2^64 places */

static bool
has_part(const uint8_t *p, size_t len, const uint8_t *secret, size_t secret_len)
{
	for (size_t i = 0; i + PART <= len; i++)
		for (size_t k = 0; k + PART <= secret_len; k++)
			if (!memcmp(p + i, secret + k, PART))
				return true;
	return false;
}

static void
test_lengths(void **state)
{
	uint8_t secret[VEIL_MAX], other[VEIL_MAX], a[VEIL_NONCE + VEIL_MAX],
	    b[VEIL_NONCE + VEIL_MAX], back[VEIL_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(i * 37 + 5);
	for (size_t len = 0; len <= VEIL_MAX; len++) {
		veil_octets(a, secret, len);
		veil_octets(b, secret, len);
		assert_memory_equal(a, b, VEIL_NONCE + len);
		assert_false(has_part(a, VEIL_NONCE + len, secret, len));
		memset(back, 0, sizeof(back));
		unveil_octets(back, a, len);
		assert_memory_equal(back, secret, len);
		if (!len)
			continue;
		memcpy(other, secret, len);
		other[len - 1] ^= 1;
		veil_octets(b, other, len);
		assert_memory_not_equal(a, b, VEIL_NONCE);
		/* equal octets of two secrets do not show */
		if (len > 2 * PART)
			assert_memory_not_equal(a + VEIL_NONCE, b + VEIL_NONCE, PART);
	}
}

static void
test_texts(void **state)
{
	static const char *const secrets[] = { "", "a", "secret",
		"\xff\x01 umlaut \xc3\xa4",
		"012345678901234567890123456789012345678901234567890123456789012345678901"
		"23456789" };
	char text[VEIL_TEXT(VEIL_MAX)], back[VEIL_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(secrets); i++) {
		size_t len = strlen(secrets[i]);

		veil_text(text, secrets[i], len);
		assert_int_equal(strlen(text), VEIL_TEXT(len) - 1);
		assert_int_equal(strspn(text, "0123456789abcdef"), strlen(text));
		assert_int_equal(veil_text_len(text), len);
		assert_int_equal(unveil_text(back, text), len);
		assert_string_equal(back, secrets[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
