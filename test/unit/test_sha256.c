/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 against libmd's, in pieces of any length, and the example of FIPS 180-4. */
#include "lib/base/sha256.c"

#include "test/lib/seed.h"
#include "test/lib/unit.h"

static void
test_example(void **state)
{
	char text[SHA256_DIGEST_STRING_LENGTH];
	uint8_t a[1000];
	SHA2_CTX c;

	(void)state;
	memset(a, 'a', sizeof(a));
	SHA256Init(&c);
	for (unsigned i = 0; i < 1000; i++)
		sha256_update(&c, a, sizeof(a));
	assert_string_equal(SHA256End(&c, text),
	    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void
test_pieces(void **state)
{
	struct seed s = seed_start("sha256");
	uint8_t text[1000], x[SHA256_DIGEST_LENGTH], y[SHA256_DIGEST_LENGTH];

	(void)state;
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)seed_below(&s, 256);
	for (uint32_t round = 0; round < seed_rounds(2000); round++) {
		size_t len = seed_below(&s, sizeof(text) + 1), at = 0, cnt;
		SHA2_CTX a, b;

		SHA256Init(&a);
		SHA256Init(&b);
		SHA256Update(&a, text, len);
		for (; at < len; at += cnt) {
			cnt = 1 + seed_below(&s, (uint32_t)(len - at));
			if (seed_chance(&s, 4))
				SHA256Update(&b, text + at, cnt);
			else
				sha256_update(&b, text + at, cnt);
		}
		SHA256Final(x, &a);
		SHA256Final(y, &b);
		assert_memory_equal(x, y, sizeof(x));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_example),
	cmocka_unit_test(test_pieces),
};

UNIT_MAIN(tests)
