/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BFD control packets: octets as RFC 5880 draws them, what is refused, and signatures of
 * each kind. */
#include "lib/wire/bfd.h"

#include "lib/crypto/digest.h"
#include "test/lib/unit.h"
#include <string.h>

static const struct bfd_packet plain = { .diag = BFD_DIAG_SIGNALED,
	.state = BFD_UP,
	.flags = BFD_POLL,
	.mult = 3,
	.mine = 0x01020304,
	.yours = 0x05060708,
	.min_tx_us = 100000,
	.min_rx_us = 50000 };
static const struct bfd_key key = { 6, "secret" };

static size_t
test_bfd_put(uint8_t *buf, const struct bfd_packet *p, const struct bfd_key *k)
{
	struct wbuf w = wbuf_of(buf, BFD_LEN_MAX);

	bfd_encode(&w, p, k);
	assert_false(w.bad);
	return wbuf_len(&w);
}

static void
test_octets(void **state)
{
	static const uint8_t want[] = { 0x23, 0xe0, 3, 24, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1,
		0x86, 0xa0, 0, 0, 0xc3, 0x50, 0, 0, 0, 0 };
	uint8_t buf[BFD_LEN_MAX];
	struct bfd_packet p;

	(void)state;
	assert_int_equal(test_bfd_put(buf, &plain, NULL), sizeof(want));
	assert_memory_equal(buf, want, sizeof(want));
	assert_int_equal(bfd_decode(want, sizeof(want), &p), BFD_FAULT_NONE);
	assert_memory_equal(&p, &plain, sizeof(p));
	/* what is behind it is no part of it */
	memset(buf + 24, 0xff, 10);
	assert_int_equal(bfd_decode(buf, 34, &p), BFD_FAULT_NONE);
}

/* One octet of a good packet is made another: that fault. */
static void
is_fault(unsigned at, uint8_t octet, enum bfd_fault want)
{
	uint8_t buf[BFD_LEN_MAX];
	size_t len = test_bfd_put(buf, &plain, NULL);
	struct bfd_packet p;

	buf[at] = octet;
	assert_int_equal(bfd_decode(buf, len, &p), want);
	assert_true(want == BFD_FAULT_NONE || *bfd_fault_text(want));
}

static void
test_refused(void **state)
{
	uint8_t buf[BFD_LEN_MAX];
	size_t len = test_bfd_put(buf, &plain, NULL);
	struct bfd_packet p;

	(void)state;
	for (size_t i = 0; i < len; i++)
		assert_int_equal(bfd_decode(buf, i, &p), BFD_FAULT_SHORT);
	is_fault(0, 0x03, BFD_FAULT_VERSION);
	is_fault(0, 0x43, BFD_FAULT_VERSION);
	is_fault(2, 0, BFD_FAULT_MULT);
	is_fault(3, 23, BFD_FAULT_LENGTH);
	is_fault(3, 25, BFD_FAULT_LENGTH);
	is_fault(1, 0xe1, BFD_FAULT_MULTIPOINT);
	is_fault(1, 0xe4, BFD_FAULT_LENGTH); /* there is no section */
	memset(buf + 4, 0, 4);
	assert_int_equal(bfd_decode(buf, len, &p), BFD_FAULT_MINE);
	test_bfd_put(buf, &plain, NULL);
	memset(buf + 8, 0, 4);
	assert_int_equal(bfd_decode(buf, len, &p), BFD_FAULT_YOURS);
	buf[1] = 0x40; /* Down needs none */
	assert_int_equal(bfd_decode(buf, len, &p), BFD_FAULT_NONE);
}

static void
test_signed(void **state)
{
	static const uint8_t lens[] = { 24, 33, 48, 48, 52, 52 };

	(void)state;
	for (unsigned type = BFD_AUTH_SIMPLE; type < BFD_AUTH_CNT; type++) {
		struct bfd_packet p = plain, q;
		struct bfd_key other = key;
		uint8_t buf[BFD_LEN_MAX];
		size_t len;

		p.auth_type = (uint8_t)type;
		p.key_id = 7;
		p.seq = type == BFD_AUTH_SIMPLE ? 0 : 0x11223344;
		len = test_bfd_put(buf, &p, &key);
		assert_int_equal(len, lens[type]);
		assert_int_equal(bfd_decode(buf, len, &q), BFD_FAULT_NONE);
		assert_int_equal(q.auth_type, type);
		assert_int_equal(q.key_id, 7);
		assert_int_equal(q.seq, p.seq);
		assert_true(bfd_auth_good(&q, buf, &key));
		other.octet[5] ^= 1;
		assert_false(bfd_auth_good(&q, buf, &other));
		other.len = 5;
		assert_false(bfd_auth_good(&q, buf, &other));
		if (type != BFD_AUTH_SIMPLE) { /* all of it is signed */
			buf[12] ^= 0x80;
			assert_int_equal(bfd_decode(buf, len, &q), BFD_FAULT_NONE);
			assert_false(bfd_auth_good(&q, buf, &key));
		}
		buf[25]--;
		assert_int_equal(bfd_decode(buf, len, &q),
		    type == BFD_AUTH_SIMPLE ? BFD_FAULT_NONE : BFD_FAULT_AUTH);
		buf[25] = 200;
		assert_int_equal(bfd_decode(buf, len, &q), BFD_FAULT_AUTH);
	}
}

/* As 6.7.3 says it: the digest of the packet with the key in the digest's place. */
static void
test_digest_place(void **state)
{
	struct bfd_packet p = plain;
	uint8_t buf[BFD_LEN_MAX], digest[SHA1_LEN];

	(void)state;
	p.auth_type = BFD_AUTH_MD5;
	test_bfd_put(buf, &p, &key);
	memcpy(digest, buf + 32, MD5_LEN);
	memset(buf + 32, 0, MD5_LEN);
	memcpy(buf + 32, "secret", 6);
	md5(buf + 32, buf, 48);
	assert_memory_equal(buf + 32, digest, MD5_LEN);
	p.auth_type = BFD_AUTH_MET_SHA1;
	test_bfd_put(buf, &p, &key);
	memcpy(digest, buf + 32, SHA1_LEN);
	memset(buf + 32, 0, SHA1_LEN);
	memcpy(buf + 32, "secret", 6);
	sha1(buf + 32, buf, 52);
	assert_memory_equal(buf + 32, digest, SHA1_LEN);
}

static void
test_sections(void **state)
{
	static const struct {
		uint8_t len, octet[12];
		uint8_t want;
	} t[] = {
		{ 3, { 1, 3, 0 }, BFD_FAULT_AUTH }, /* no password */
		{ 4, { 1, 4, 0, 'x' }, BFD_FAULT_NONE },
		{ 2, { 0, 2 }, BFD_FAULT_AUTH }, /* type 0 is reserved */
		{ 2, { 9, 2 }, BFD_FAULT_NONE }, /* one that we don't know */
		{ 2, { 9, 1 }, BFD_FAULT_AUTH },
		{ 8, { 2, 8, 0, 0, 0, 0, 0, 1 }, BFD_FAULT_AUTH }, /* no digest */
	};
	uint8_t buf[BFD_LEN_MAX];
	struct bfd_packet p;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(t); i++) {
		test_bfd_put(buf, &plain, NULL);
		buf[1] |= BFD_HAS_AUTH;
		buf[3] = (uint8_t)(24 + t[i].len);
		memcpy(buf + 24, t[i].octet, t[i].len);
		assert_int_equal(bfd_decode(buf, 24u + t[i].len, &p), t[i].want);
	}
}

static void
test_texts(void **state)
{
	(void)state;
	assert_string_equal(bfd_state_text(BFD_UP), "Up");
	assert_string_equal(bfd_state_text(9), "Unknown");
	assert_string_equal(bfd_diag_text(1), "Control Detection Time Expired");
	assert_string_equal(bfd_diag_text(31), "Unknown");
	assert_string_equal(bfd_auth_text(BFD_AUTH_MET_SHA1), "meticulous keyed sha1");
	assert_string_equal(bfd_auth_text(77), "unknown");
	assert_true(bfd_auth_is_meticulous(BFD_AUTH_MET_MD5));
	assert_false(bfd_auth_is_meticulous(BFD_AUTH_SHA1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_octets),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_signed),
		cmocka_unit_test(test_digest_place),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
