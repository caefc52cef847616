/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash: depends on seed, length and each bit; spreads; doesn't depend on alignment. */
#include "lib/base/hash.c"
#include "test/lib/unit.h"

/* Each bit of the key turns about half of the bits of the hash, for each length. */
static void
test_every_bit(void **state)
{
	uint8_t key[80];

	(void)state;
	for (size_t len = 1; len <= sizeof(key); len++) {
		memset(key, 0x5a, sizeof(key));
		for (size_t bit = 0; bit < len * 8; bit++) {
			uint64_t before = hash_bytes(1, key, len), turned = 0;

			key[bit / 8] ^= (uint8_t)(1 << bit % 8);
			turned = before ^ hash_bytes(1, key, len);
			key[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_in_range(__builtin_popcountll(turned), 8, 56);
		}
	}
}

static void
test_length_and_seed(void **state)
{
	uint8_t zero[100] = { 0 };

	(void)state;
	for (size_t len = 0; len < 100; len++) {
		assert_true(hash_bytes(7, zero, len) != hash_bytes(7, zero, len + 1));
		assert_true(hash_bytes(7, zero, len) != hash_bytes(8, zero, len));
		assert_true(hash_bytes(7, zero, len) == hash_bytes(7, zero, len));
	}
	assert_true(hash_seed_random() != hash_seed_random());
}

static void
test_alignment(void **state)
{
	uint8_t room[64];
	uint64_t h = 0;

	(void)state;
	for (int at = 0; at < 8; at++) {
		memcpy(room + at, "the same text at eight places, forty-odd", 40);
		if (at > 0)
			assert_true(h == hash_bytes(3, room + at, 40));
		h = hash_bytes(3, room + at, 40);
	}
}

/* A factor of zero would swallow what follows: no fixed word may make one, whatever the
 * seed. */
static void
test_no_zero_factor(void **state)
{
	static const uint64_t fixed[] = { 0, K0, K1, K2, ~0ull };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		uint64_t key[4] = { fixed[i], 1, fixed[i], 2 };
		uint64_t seed = 0x1234567890abcdefull, h = hash_bytes(seed, key, 32);

		key[1] = 9;
		assert_true(h != hash_bytes(seed, key, 32));
		key[3] = 9;
		assert_true(hash_bytes(seed, key, 16) != hash_bytes(seed, key, 32));
	}
}

/* Counting keys fall evenly into 256 buckets, by the low and by the high bits. */
static void
test_spread(void **state)
{
	uint32_t low[256] = { 0 }, high[256] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 25600; i++) {
		uint64_t h = hash_bytes(5, &i, sizeof(i));

		low[h & 255]++;
		high[hash_u64(5, i) >> 56]++;
	}
	for (int i = 0; i < 256; i++) {
		assert_in_range(low[i], 50, 150);
		assert_in_range(high[i], 50, 150);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_bit),
	cmocka_unit_test(test_length_and_seed),
	cmocka_unit_test(test_alignment),
	cmocka_unit_test(test_no_zero_factor),
	cmocka_unit_test(test_spread),
};

UNIT_MAIN(tests)
