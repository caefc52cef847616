/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256: what sha256sum says of the same octets; however they are cut. */
#include "lib/base/sha256.c"
#include "test/lib/unit.h"

static void
expect(const char *want, const char *text, size_t times)
{
	char hex[SHA256_HEX_MAX];
	struct sha256 s;

	sha256_init(&s);
	while (times--)
		sha256_add(&s, text, strlen(text));
	sha256_hex(&s, hex);
	assert_string_equal(hex, want);
}

static void
test_known(void **state)
{
	(void)state;
	expect("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "", 1);
	expect(
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc", 1);
	expect("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "a",
	    1000000);
}

/* Around the ends of blocks, where the padding needs one more. */
static void
test_lengths(void **state)
{
	(void)state;
	expect(
	    "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072", "x", 55);
	expect(
	    "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e", "x", 56);
	expect(
	    "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2", "x", 63);
	expect(
	    "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c", "x", 64);
	expect(
	    "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9", "x", 65);
	expect(
	    "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c", "x", 119);
	expect(
	    "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98", "x", 120);
	expect(
	    "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464", "x", 128);
}

static void
test_cuts(void **state)
{
	char whole[SHA256_HEX_MAX], cut[SHA256_HEX_MAX];
	uint8_t text[200];
	struct sha256 s;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7);
	sha256_init(&s);
	sha256_add(&s, text, sizeof(text));
	sha256_hex(&s, whole);
	for (size_t at = 0; at <= sizeof(text); at++) {
		sha256_init(&s);
		sha256_add(&s, text, at);
		sha256_add(&s, text + at, sizeof(text) - at);
		sha256_hex(&s, cut);
		assert_string_equal(cut, whole);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_known),
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_cuts),
};

UNIT_MAIN(tests)
