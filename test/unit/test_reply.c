/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_reply writes each kind of value as text and as JSON. */
#include "nest/core/reply.h"

#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "sysdep/os/clock.h"
#include "test/lib/unit.h"

#include <stdio.h>

/* test_reply_values - the same calls for both forms. */
static void
test_reply_values(struct reply *r)
{
	const struct prefix net = prefix_make(ip4(0x0a000000), 8, FAM_IP4);
	struct counter64 off = { 0 }, past = { 0 };

	counter64_set(&past, 1);
	reply_str(r, "text", NULL, "json");
	reply_span(r, "span", NULL, "json", 2);
	reply_bool(r, "flag", NULL, true);
	reply_seconds(r, "s", NULL, 0);
	reply_left(r, "l", "of", NULL, &past, 1);
	reply_ip(r, "ip", NULL, ip4(1));
	reply_prefix(r, "net", NULL, &net);
	reply_str(r, "name", "Name: %-6s|", "ab");
	reply_str(r, "absent", "Absent: %s", NULL);
	reply_fill(r, "empty", "Empty: %s", "");
	reply_span(r, "part", " part %s", "abcdef", 3);
	reply_u64(r, "count", " %5s\n", 42);
	reply_u64(r, "only_json", NULL, UINT64_MAX);
	reply_some(r, "zero", "Zero: %s", 0);
	reply_text(r, "only text %d\n", 7);
	reply_bool(r, "yes", "Yes\n", true);
	reply_bool(r, "no", "No\n", false);
	reply_seconds(r, "age_s", "Age: %s s\n", 1250999999);
	reply_left(r, "off_left_s", "off_s", "Off: %s\n", &off, 5);
	reply_left(r, "left_s", "whole_s", "Timer: %s\n", &past, 5);
	reply_left(r, "more_left_s", "more_s", "More: %s\n", &past, 0);
	reply_list(r, "nets");
	reply_prefix(r, NULL, "Net: %s\n", &net);
	reply_ip(r, NULL, "Address: %s\n", ip4(0x7f000001));
	reply_close(r);
	reply_open(r, "inner");
	reply_ip(r, "none", NULL, IP_NONE);
	reply_close(r);
}

static void
test_text(void **state)
{
	struct reply r = { 0 };
	struct strbuf out;

	(void)state;
	strbuf_init(&out);
	r.text = &out;
	test_reply_values(&r);
	assert_string_equal(out.s, "Name: ab    | part abc    42\n"
				   "only text 7\n"
				   "Yes\n"
				   "Age: 1.250 s\n"
				   "Timer: 0.000/5\n"
				   "More: 0.000/-\n"
				   "Net: 10.0.0.0/8\n"
				   "Address: 127.0.0.1\n");
	strbuf_fini(&out);
}

static void
test_json(void **state)
{
	struct reply r = { 0 };
	struct strbuf out;
	struct json j;

	(void)state;
	strbuf_init(&out);
	json_init(&j, &out);
	r.json = &j;
	json_open(&j, NULL);
	test_reply_values(&r);
	json_close(&j);
	assert_string_equal(out.s,
	    "{\"text\":\"json\",\"span\":\"js\",\"flag\":true,\"s\":0.000,\"l\":0.000,"
	    "\"of\":1,\"ip\":\"0.0.0.1\",\"net\":\"10.0.0.0/"
	    "8\",\"name\":\"ab\",\"part\":\"abc\",\"count\":42,"
	    "\"only_json\":18446744073709551615,\"yes\":true,\"no\":false,\"age_s\":1."
	    "250,"
	    "\"left_s\":0.000,\"whole_s\":5,\"more_left_s\":0.000,"
	    "\"nets\":[\"10.0.0.0/8\",\"127.0.0.1\"],\"inner\":{}}");
	strbuf_fini(&out);
}

/* A value cannot add a line: the form alone ends lines. */
static void
test_line_ends(void **state)
{
	struct reply r = { 0 };
	struct strbuf out;

	(void)state;
	strbuf_init(&out);
	r.text = &out;
	reply_str(&r, "a", "first %s\n", "x");
	reply_str(&r, "b", "%s\n", "y\nz\r\n");
	reply_str(&r, "c", "%s", "\n");
	assert_string_equal(out.s, "first x\ny?z??\n?");
	strbuf_fini(&out);
}

/* A point in time: Unix time in JSON, the session's format in text. */
static void
test_time(void **state)
{
	struct reply r = { .time = &time_iso_long_ms };
	char want[64];
	struct strbuf out;
	uint64_t now = clock_now_ns();

	(void)state;
	strbuf_init(&out);
	r.text = &out;
	reply_time(&r, "at_unix_s", "%s", now);
	clock_print(want, sizeof(want), &time_iso_long_ms, now);
	assert_string_equal(out.s, want);
	strbuf_fini(&out);
}

/* Widths and precisions, as printf has them. */
static void
test_forms(void **state)
{
	static const char *const form[] = { "%s", "<%6s>", "<%-6s>", "<%.2s>",
		"<%-40.3s>", "<%40s>", "<%-1s>" };
	struct reply r = { 0 };
	struct strbuf out;
	char want[64];

	(void)state;
	strbuf_init(&out);
	r.text = &out;
	for (unsigned i = 0; i < ARRAY_LEN(form); i++) {
		strbuf_reset(&out);
		reply_str(&r, "a", form[i], "abcd");
		snprintf(want, sizeof(want), form[i], "abcd");
		assert_string_equal(out.s, want);
		strbuf_reset(&out);
		reply_u64(&r, "a", form[i], UINT64_MAX);
		snprintf(want, sizeof(want), form[i], "18446744073709551615");
		assert_string_equal(out.s, want);
	}
	strbuf_fini(&out);
}

/* The order of the text is the order of the parts, not of the calls. */
static void
test_parts(void **state)
{
	struct strbuf part[REPLY_PARTS];
	struct reply r = { .text = part, .parts = part };

	(void)state;
	for (unsigned i = 0; i < REPLY_PARTS; i++)
		strbuf_init(&part[i]);
	reply_part(&r, REPLY_PARTS - 1);
	reply_str(&r, "late", "%s", "late");
	reply_part(&r, 0);
	reply_str(&r, "early", "%s", "early");
	reply_part(&r, REPLY_PARTS - 1);
	reply_text(&r, "\n");
	assert_string_equal(part[0].s, "early");
	assert_string_equal(part[REPLY_PARTS - 1].s, "late\n");
	for (unsigned i = 0; i < REPLY_PARTS; i++)
		strbuf_fini(&part[i]);
}

/* A kept text belongs to its point in time. */
static void
test_time_kept(void **state)
{
	struct reply r = { .time = &time_iso_long_ms };
	struct reply_time_text kept = { 0 };
	uint64_t now = clock_now_ns();
	struct strbuf out, want;

	(void)state;
	strbuf_init(&out);
	strbuf_init(&want);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t at = now - i / 2 * NS_PER_S;

		r.text = &out;
		reply_time_kept(&r, "at_unix_s", "%s|", at, &kept);
		r.text = &want;
		reply_time(&r, "at_unix_s", "%s|", at);
	}
	assert_string_equal(out.s, want.s);
	strbuf_fini(&want);
	strbuf_fini(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_line_ends),
	cmocka_unit_test(test_time),
	cmocka_unit_test(test_forms),
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_time_kept),
};

UNIT_MAIN(tests)
