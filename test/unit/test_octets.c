/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of a few octets: every length, nothing else touched. */
#include "lib/wire/octets.h"
#include "test/lib/unit.h"

#define MAX 100

static uint8_t from[MAX + OCTETS_PAD], to[MAX + 2 * OCTETS_PAD];

static void
setup_octets(void)
{
	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	memset(to, 0xee, sizeof(to));
}

static void
test_exact(void **state)
{
	(void)state;
	for (unsigned len = 0; len <= MAX; len++) {
		uint8_t *src = malloc(len ? len : 1); /* AddressSanitizer looks on */

		setup_octets();
		memcpy(src, from, len);
		octets_copy(to + 1, src, len);
		assert_int_equal(to[0], 0xee);
		assert_int_equal(to[1 + len], 0xee);
		assert_memory_equal(to + 1, from, len);
		free(src);
	}
}

static void
test_padded(void **state)
{
	(void)state;
	for (unsigned len = 0; len <= MAX; len++) {
		uint8_t *src = malloc(len + OCTETS_PAD);

		setup_octets();
		memcpy(src, from, len + OCTETS_PAD);
		octets_copy_padded(to + 1, src, len);
		assert_int_equal(to[0], 0xee);
		assert_memory_equal(to + 1, from, len);
		assert_int_equal(to[1 + len + OCTETS_PAD], 0xee);
		free(src);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_exact),
	cmocka_unit_test(test_padded),
};

UNIT_MAIN(tests)
