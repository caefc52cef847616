/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NOTIFICATION and its text. */
#include "lib/wire/bgp/bgp_notify.c"
#include "test/lib/unit.h"

static void
test_bgp_notify_text_is(
    unsigned code, unsigned subcode, const void *data, size_t len, const char *want)
{
	struct bgp_notify n = { (uint8_t)code, (uint8_t)subcode, (uint16_t)len, data };
	char buf[BGP_NOTIFY_TEXT_MAX];

	assert_string_equal(bgp_notify_text(buf, &n), want);
}

static void
test_text(void **state)
{
	static const uint8_t as2[] = { 0xfd, 0xe9 }, hex[20] = { 1, 2 };
	uint8_t comm[BGP_SHUTDOWN_MAX + 1], limit[BGP_LIMIT_DATA];
	uint16_t len = bgp_shutdown_put(comm, "see you");

	(void)state;
	test_bgp_notify_text_is(2, 2, as2, 2, "Bad peer AS: 65001");
	test_bgp_notify_text_is(4, 0, NULL, 0, "Hold timer expired");
	test_bgp_notify_text_is(6, 2, NULL, 0, "Administrative shutdown");
	test_bgp_notify_text_is(6, 2, comm, len, "Administrative shutdown: \"see you\"");
	test_bgp_notify_text_is(6, 4, comm, len, "Administrative reset: \"see you\"");
	assert_int_equal(bgp_limit_put(limit, FAM_IP6, 100000), 7);
	assert_memory_equal(limit, "\0\2\1\0\1\x86\xa0", 7);
	test_bgp_notify_text_is(
	    6, 1, limit, 7, "Maximum number of prefixes reached: 100000 (ipv6)");
	test_bgp_notify_text_is(
	    6, 1, limit, 6, "Maximum number of prefixes reached: 000201000186");
	test_bgp_notify_text_is(6, 1, "\0\2\2\0\0\0\1", 7,
	    "Maximum number of prefixes reached: 00020200000001");
	test_bgp_notify_text_is(6, 2, "\0", 1, "Administrative shutdown");
	test_bgp_notify_text_is(6, 2, "\5ab", 3, "Administrative shutdown: 056162");
	test_bgp_notify_text_is(6, 2, "\6a\n\x1b\xff\xc3\xa9", 7,
	    "Administrative shutdown: \"a???\xc3\xa9\"");
	test_bgp_notify_text_is(6, 2, "\2\xc2\x85", 3, "Administrative shutdown: \"?\"");
	test_bgp_notify_text_is(3, 1, hex, 20,
	    "Malformed attribute list: 01020000000000000000000000000000...");
	test_bgp_notify_text_is(99, 7, NULL, 0, "Unknown error 99.7");
}

/* RFC 8538, 3: the reason stands in the data. */
static void
test_hard(void **state)
{
	struct bgp_notify n = { 6, 2, 4, (const uint8_t *)"\3bye" }, w;
	uint8_t data[16];

	(void)state;
	w = bgp_notify_wrap(data, &n);
	assert_int_equal(w.code, 6);
	assert_int_equal(w.subcode, 9);
	assert_int_equal(w.data_len, 6);
	assert_memory_equal(w.data, "\6\2\3bye", 6);
	test_bgp_notify_text_is(
	    6, 9, w.data, w.data_len, "Hard reset: Administrative shutdown: \"bye\"");
	assert_true(bgp_notify_unwrap(&w));
	assert_int_equal(w.code, 6);
	assert_int_equal(w.subcode, 2);
	assert_int_equal(w.data_len, 4);
	assert_memory_equal(w.data, "\3bye", 4);
	assert_false(bgp_notify_unwrap(&w));
	n = (struct bgp_notify){ 4, 0, 0, NULL };
	w = bgp_notify_wrap(data, &n);
	test_bgp_notify_text_is(
	    6, 9, w.data, w.data_len, "Hard reset: Hold timer expired");
	w = (struct bgp_notify){ 6, 9, 1, (const uint8_t *)"\6" };
	assert_true(bgp_notify_unwrap(&w));
	assert_int_equal(w.subcode, 9);
	test_bgp_notify_text_is(6, 9, "\6", 1, "Hard reset: 06");
	test_bgp_notify_text_is(6, 9, NULL, 0, "Hard reset");
	test_bgp_notify_text_is(6, 9, "\6\11\6\2", 4, "Hard reset: Hard reset: 0602");
}

static void
test_longest(void **state)
{
	char text[400], buf[BGP_NOTIFY_TEXT_MAX];
	uint8_t comm[BGP_SHUTDOWN_MAX + 1];
	struct bgp_notify n = { 6, 2, 0, comm };

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	n.data_len = bgp_shutdown_put(comm, text);
	assert_int_equal(n.data_len, 256);
	assert_int_equal(strlen(bgp_notify_text(buf, &n)), 23 + 2 + 2 + 255);
	memset(text, 'x', 254);
	memcpy(text + 254, "\xc3\xa9", 3);
	assert_int_equal(bgp_shutdown_put(comm, text), 255); /* no half character */
	assert_int_equal(bgp_shutdown_put(comm, ""), 0);
	assert_int_equal(bgp_shutdown_put(comm, "caf\xe9 \xc3\xa9"), 8); /* Latin 1 */
	assert_memory_equal(comm, "\7caf? \xc3\xa9", 8);
}

static void
test_utf8(void **state)
{
	(void)state;
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xe2\x82\xac", 3), 3);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xe2\x82\xac", 2), 0);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xf0\x9f\x99\x82", 4), 4);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xc0\x80", 2), 0);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xe0\x80\x80", 3), 0);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xed\xa0\x80", 3), 0);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xf4\x90\x80\x80", 4), 0);
	assert_int_equal(bgp_notify_utf8_len((const uint8_t *)"\xf5\x80\x80\x80", 4), 0);
}

/* Characters that end a line or turn its direction. */
static void
test_controls(void **state)
{
	static const char *const bad[] = { "\n", "\x7f", "\xc2\x85", "\xd8\x9c",
		"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xae",
		"\xe2\x81\xa6", "\xe2\x81\xa9" };
	static const char *const good[] = { "\xc3\xa9", "\xd8\x9b", "\xe2\x80\x90",
		"\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xaa", "\xf0\x9f\x99\x82" };
	char buf[BGP_NOTIFY_TEXT_MAX];
	uint8_t comm[BGP_SHUTDOWN_MAX + 1];
	struct bgp_notify n = { 6, 2, 0, comm };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
		n.data_len = bgp_shutdown_put(comm, bad[i]);
		assert_string_equal(
		    bgp_notify_text(buf, &n), "Administrative shutdown: \"?\"");
	}
	for (unsigned i = 0; i < ARRAY_LEN(good); i++) {
		n.data_len = bgp_shutdown_put(comm, good[i]);
		assert_non_null(strstr(bgp_notify_text(buf, &n), good[i]));
	}
}

static void
test_codec(void **state)
{
	static uint8_t big[5000], buf[BGP_MSG_MAX];
	struct bgp_notify n = { 6, 4, 3, (const uint8_t *)"\2ab" }, back;
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct bgp_err err;
	struct bgp_msg m;

	(void)state;
	bgp_notify_encode(&w, &n);
	assert_int_equal(
	    bgp_msg_frame(buf, wbuf_len(&w), BGP_MSG_MAX, &m, &err), BGP_FRAME_DONE);
	assert_true(bgp_notify_decode(m.body, m.body_len, &back));
	assert_int_equal(back.code, 6);
	assert_int_equal(back.subcode, 4);
	assert_int_equal(back.data_len, 3);
	assert_memory_equal(back.data, "\2ab", 3);
	assert_false(bgp_notify_decode(m.body, 1, &back));
	n.data = big;
	n.data_len = sizeof(big);
	w = wbuf_of(buf, sizeof(buf));
	bgp_notify_encode(&w, &n);
	assert_false(w.bad);
	assert_int_equal(wbuf_len(&w), BGP_MSG_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_hard),
	cmocka_unit_test(test_longest),
	cmocka_unit_test(test_utf8),
	cmocka_unit_test(test_controls),
	cmocka_unit_test(test_codec),
};

UNIT_MAIN(tests)
