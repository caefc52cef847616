/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BMP: octets as RFC 7854, 8671 and 9069 draw them; what was written is read back; cut
 * messages. */
#include "lib/wire/bmp.h"

#include "test/lib/unit.h"
#include <errno.h>
#include <string.h>

static const uint8_t keepalive[19] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 19, 4 };
static const struct bmp_peer four = { .type = BMP_PEER_GLOBAL,
	.flags = BMP_FLAG_POST,
	.addr = { 0, 0xffff0a000001ull },
	.as = 65001,
	.router_id = 0x0a0b0c0d,
	.time_us = 1700000000000007ull };

/* has - @w holds @want and nothing else. */
static void
test_bmp_has(const struct wbuf *w, const void *want, size_t len)
{
	assert_false(w->bad);
	assert_int_equal(wbuf_len(w), len);
	assert_memory_equal(w->start, want, len);
}

static struct bmp_read
test_bmp_read_back(const struct wbuf *w)
{
	struct bmp_read r;

	assert_false(w->bad);
	assert_int_equal(bmp_frame(w->start, 6), (int)wbuf_len(w));
	assert_int_equal(bmp_read(w->start, wbuf_len(w), &r), 0);
	return r;
}

static void
test_begin_and_end(void **state)
{
	uint8_t b[1000];
	struct wbuf w = wbuf_of(b, sizeof(b));
	char longer[400];
	struct bmp_read r;

	(void)state;
	bmp_initiation_put(&w, "d", "name");
	test_bmp_has(&w,
	    "\x03\0\0\0\x13\x04\0\x01\0\x01"
	    "d\0\x02\0\x04name",
	    19);
	r = test_bmp_read_back(&w);
	assert_int_equal(r.type, BMP_INITIATION);
	assert_false(r.has_peer);
	w = wbuf_of(b, sizeof(b));
	bmp_termination_put(&w, BMP_TERM_FOR_GOOD, "bye");
	test_bmp_has(&w,
	    "\x03\0\0\0\x13\x05\0\0\0\x03"
	    "bye\0\x01\0\x02\0\x04",
	    19);
	r = test_bmp_read_back(&w);
	assert_int_equal(r.term, BMP_TERM_FOR_GOOD);
	w = wbuf_of(b, sizeof(b));
	bmp_termination_put(&w, BMP_TERM_ADMIN, NULL);
	test_bmp_has(&w, "\x03\0\0\0\x0c\x05\0\x01\0\x02\0\0", 12);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	w = wbuf_of(b, sizeof(b));
	bmp_initiation_put(&w, NULL, longer);
	assert_int_equal(wbuf_len(&w), 6 + 4 + 4 + BMP_TEXT_MAX);
}

static void
test_peer_header(void **state)
{
	static const uint8_t head4[] = "\x03\0\0\0\x43\0" /* common header */
				       "\0\x40\0\0\0\0\0\0\0\0" /* type, flags, dist. */
				       "\0\0\0\0\0\0\0\0\0\0\0\0\x0a\0\0\x01"
				       "\0\0\xfd\xe9\x0a\x0b\x0c\x0d"
				       "\x65\x53\xf1\0\0\0\0\x07";
	struct bmp_peer six = four, loc = { .type = BMP_PEER_LOC_RIB,
		.flags = BMP_FLAG_FILTERED,
		.as = 1,
		.distinguisher = 0x0102030405060708ull };
	uint8_t b[200];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct bmp_read r;

	(void)state;
	bmp_route_put(&w, &four, keepalive, sizeof(keepalive));
	assert_int_equal(wbuf_len(&w), sizeof(head4) - 1 + sizeof(keepalive));
	assert_memory_equal(b, head4, sizeof(head4) - 1);
	r = test_bmp_read_back(&w);
	assert_true(r.has_peer);
	assert_memory_equal(&r.peer.addr, &four.addr, sizeof(four.addr));
	assert_int_equal(r.peer.as, four.as);
	assert_int_equal(r.peer.router_id, four.router_id);
	assert_int_equal(r.peer.time_us, four.time_us);
	assert_int_equal(r.peer.flags, BMP_FLAG_POST);
	assert_int_equal(rbuf_left(&r.rest), sizeof(keepalive));
	six.addr = (struct ip_addr){ 0x20010db8ull << 32, 9 };
	six.flags = BMP_FLAG_OUT | BMP_FLAG_AS2;
	w = wbuf_of(b, sizeof(b));
	bmp_route_put(&w, &six, keepalive, sizeof(keepalive));
	assert_int_equal(b[7], 0x80 | 0x20 | 0x10);
	r = test_bmp_read_back(&w);
	assert_true(ip_equal(r.peer.addr, six.addr));
	assert_int_equal(r.peer.flags, six.flags);
	w = wbuf_of(b, sizeof(b));
	bmp_route_put(&w, &loc, keepalive, sizeof(keepalive));
	assert_int_equal(b[6], 3);
	assert_int_equal(b[7], 0x80); /* F, not V */
	r = test_bmp_read_back(&w);
	assert_int_equal(r.peer.flags, BMP_FLAG_FILTERED);
	assert_true(ip_is_none(r.peer.addr));
	assert_int_equal(r.peer.distinguisher, loc.distinguisher);
}

static void
test_up_and_down(void **state)
{
	struct bmp_up up = { .local = { 0, 0xffff0a000002ull },
		.local_port = 179,
		.remote_port = 40000,
		.sent = keepalive,
		.sent_len = 19,
		.received = keepalive,
		.received_len = 19,
		.table = "master4" };
	uint8_t b[300], event[2] = { 0, 24 };
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct bmp_read r;

	(void)state;
	bmp_peer_up_put(&w, &four, &up);
	assert_int_equal(wbuf_len(&w), 48 + 16 + 4 + 2 * 19 + 4 + 7);
	assert_memory_equal(
	    b + 48, "\0\0\0\0\0\0\0\0\0\0\0\0\x0a\0\0\x02\0\xb3\x9c\x40", 20);
	r = test_bmp_read_back(&w);
	assert_true(ip_equal(r.up.local, up.local));
	assert_int_equal(r.up.local_port, 179);
	assert_int_equal(r.up.remote_port, 40000);
	assert_int_equal(r.up.sent_len, 19);
	assert_memory_equal(r.up.received, keepalive, 19);
	assert_int_equal(r.table_len, 7);
	assert_memory_equal(r.up.table, "master4", 7);
	w = wbuf_of(b, sizeof(b));
	bmp_peer_down_put(&w, &four, BMP_DOWN_LOCAL_EVENT, event, 2);
	assert_int_equal(wbuf_len(&w), 48 + 1 + 2);
	r = test_bmp_read_back(&w);
	assert_int_equal(r.why, BMP_DOWN_LOCAL_EVENT);
	assert_int_equal(rbuf_left(&r.rest), 2);
	w = wbuf_of(b, sizeof(b));
	bmp_peer_down_put(&w, &four, BMP_DOWN_REMOTE, NULL, 0);
	assert_int_equal(wbuf_len(&w), 49);
}

static void
test_statistics(void **state)
{
	static const uint8_t want[] = "\0\0\0\x04" /* so many */
				      "\0\0\0\x04\0\0\0\x05" /* rejected: 32 bits */
				      "\0\x07\0\x08\0\0\0\x01\0\0\0\x02" /* gauge */
				      "\0\x09\0\x0b\0\x02\x01\0\0\0\0\0\0\0\x03"
				      "\0\x0f\0\x08\0\0\0\0\0\0\0\x04";
	uint8_t b[300];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct bmp_read r;
	struct bmp_msg m;

	(void)state;
	bmp_stats_begin(&m, &w, &four);
	bmp_stats_add(&m, BMP_STAT_REJECTED, 5);
	bmp_stats_add(&m, BMP_STAT_ADJ_IN, 1ull << 32 | 2);
	bmp_stats_add_family(&m, BMP_STAT_ADJ_IN_FAMILY, 2, 1, 3);
	bmp_stats_add(&m, BMP_STAT_OUT_POST, 4);
	bmp_stats_end(&m);
	assert_int_equal(wbuf_len(&w), 48 + sizeof(want) - 1);
	assert_memory_equal(b + 48, want, sizeof(want) - 1);
	r = test_bmp_read_back(&w);
	assert_int_equal(r.stat_cnt, 4);
	b[51] = 5; /* one that isn't there */
	assert_int_equal(bmp_read(b, wbuf_len(&w), &r), -EPROTO);
}

static void
test_mirror(void **state)
{
	uint8_t b[300];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct bmp_read r;
	struct rbuf value;
	uint16_t type;

	(void)state;
	bmp_mirror_put(&w, &four, BMP_MIRROR_ERRORED, keepalive, sizeof(keepalive));
	r = test_bmp_read_back(&w);
	assert_int_equal(bmp_tlv_next(&r.rest, &type, &value), 1);
	assert_int_equal(type, 1);
	assert_int_equal(bmp_tlv_next(&r.rest, &type, &value), 1);
	assert_int_equal(type, 0);
	assert_int_equal(rbuf_left(&value), sizeof(keepalive));
	assert_int_equal(bmp_tlv_next(&r.rest, &type, &value), 0);
	w = wbuf_of(b, sizeof(b));
	bmp_mirror_put(&w, &four, BMP_MIRROR_LOST, NULL, 0);
	assert_int_equal(wbuf_len(&w), 48 + 6);
}

/* Whatever is missing at the end makes it no message; a buffer without room, none. */
static void
test_cut(void **state)
{
	struct bmp_up up = { .sent = keepalive,
		.sent_len = 19,
		.received = keepalive,
		.received_len = 19,
		.table = "t" };
	uint8_t b[300];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct bmp_read r;
	size_t whole;

	(void)state;
	bmp_peer_up_put(&w, &four, &up);
	whole = wbuf_len(&w);
	for (size_t len = 6; len < whole; len++) {
		bool right = len == whole - 5; /* without the table's name */

		put_be32(b + 1, (uint32_t)len);
		assert_int_equal(bmp_read(b, len, &r), right ? 0 : -EPROTO);
	}
	put_be32(b + 1, (uint32_t)whole);
	for (size_t len = 0; len < 6; len++)
		assert_int_equal(bmp_frame(b, len), 0);
	b[0] = 2;
	assert_int_equal(bmp_frame(b, 6), -EPROTO);
	b[0] = 3;
	put_be32(b + 1, 5);
	assert_int_equal(bmp_frame(b, 6), -EPROTO);
	put_be32(b + 1, UINT32_MAX);
	assert_int_equal(bmp_frame(b, 6), -EPROTO);
	for (size_t room = 0; room < whole; room++) {
		w = wbuf_of(b, room);
		bmp_peer_up_put(&w, &four, &up);
		assert_true(w.bad);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_begin_and_end),
	cmocka_unit_test(test_peer_header),
	cmocka_unit_test(test_up_and_down),
	cmocka_unit_test(test_statistics),
	cmocka_unit_test(test_mirror),
	cmocka_unit_test(test_cut),
};

UNIT_MAIN(tests)
