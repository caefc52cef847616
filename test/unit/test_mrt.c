/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MRT: what was written is read back; octets as RFC 6396 draws them; cut records. */
#include "lib/wire/mrt.c"

#include "lib/mem/mem.h"
#include "test/lib/unit.h"

static struct wire_set *
test_mrt_set_of(const void *data, size_t len)
{
	struct wire_set *w = mem_zalloc(MEM_OTHER, sizeof(*w) + len + 64);

	w->len = (uint16_t)len;
	memcpy(w->data, data, len);
	return w;
}

static const uint8_t attrs4[] = "\x40\x01\0\x01\0" /* ORIGIN */
				"\x40\x02\0\x06\x02\x01\0\0\xfd\xe8" /* AS_PATH */
				"\x40\x03\0\x04\xc0\0\x02\x01" /* NEXT_HOP */
				"\xc0\x08\0\x04\0\x01\0\x02"; /* COMMUNITY */

static void
test_index(void **state)
{
	static const uint8_t want[] = "\0\0\0\x07\0\x0d\0\x01\0\0\0\x2f" /* header */
				      "\x0a\0\0\x01\0\x01v\0\x02" /* us */
				      "\x03\0\0\0\0" /* peer 0 */
				      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				      "\x02\x01\x02\x03\x04\xc0\0\x02\x09\0\x01\x86\xa0";
	struct mrt_peer p[2] = { { 0, IP_NONE, 0 },
		{ 0x01020304, ip4(0xc0000209), 100000 } };
	struct mrt_record rec;
	struct mrt_index x;
	struct mrt_peer got;
	uint8_t b[512];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct rbuf r;

	(void)state;
	mrt_index_put(&w, 7, 0x0a000001, "v", p, 2);
	assert_int_equal(wbuf_len(&w), sizeof(want) - 1);
	assert_memory_equal(b, want, sizeof(want) - 1);
	assert_true(wbuf_len(&w) <= mrt_index_bound(2));
	r = rbuf_of(b, wbuf_len(&w));
	assert_int_equal(mrt_next(&r, &rec), 1);
	assert_int_equal(mrt_index_get(&rec, &x), 0);
	assert_int_equal(x.collector_id, 0x0a000001);
	assert_int_equal(x.view_len, 1);
	assert_int_equal(x.peer_cnt, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(mrt_index_next(&x, &got), 0);
		assert_int_equal(got.router_id, p[i].router_id);
		assert_true(ip_equal(got.addr, p[i].addr));
		assert_int_equal(got.as, p[i].as);
	}
	assert_int_equal(mrt_index_next(&x, &got), -EPROTO);
	assert_int_equal(mrt_next(&r, &rec), 0);
}

static void
test_rib(void **state)
{
	static const uint8_t want[] =
	    "\0\0\0\x08\0\x0d\0\x02\0\0\0\x2d" /* header */
	    "\0\0\0\x05\x18\xc0\0\x02\0\x01" /* 192.0.2.0/24 */
	    "\0\x03\0\0\0\x06\0\x1b"
	    "\x40\x01\x01\0\x40\x02\x06\x02\x01\0\0\xfd\xe8"
	    "\x40\x03\x04\xc0\0\x02\x01\xc0\x08\x04\0\x01\0\x02";
	struct prefix net = prefix_make(ip4(0xc0000200), 24, FAM_IP4);
	struct wire_set *s = test_mrt_set_of(attrs4, sizeof(attrs4) - 1);
	struct mrt_rib_head h = { 8, 5, false };
	uint8_t b[512];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct mrt_record rec;
	struct mrt_entry e;
	struct mrt_net n;
	struct mrt_rib rib;
	struct rbuf r;

	(void)state;
	mrt_rib_begin(&rib, &w, &h, &net);
	assert_int_equal(mrt_rib_entry(&rib, 3, 6, 0, s), 0);
	assert_int_equal(mrt_rib_end(&rib), 1);
	assert_int_equal(wbuf_len(&w), sizeof(want) - 1);
	assert_memory_equal(b, want, sizeof(want) - 1);
	r = rbuf_of(b, wbuf_len(&w));
	assert_int_equal(mrt_next(&r, &rec), 1);
	assert_int_equal(mrt_net_get(&rec, &n), 0);
	assert_true(prefix_equal(&n.net, &net));
	assert_int_equal(n.seq, 5);
	assert_int_equal(mrt_net_next(&n, &e), 0);
	assert_int_equal(e.peer, 3);
	assert_int_equal(rbuf_left(&e.attrs), 27);
	mem_free(MEM_OTHER, s);
}

/* Next hops of IPv6 go as MP_REACH_NLRI without AFI, SAFI and NLRI, behind what has a
 * smaller code. */
static void
test_rib6(void **state)
{
	uint8_t data[64] = "\x40\x01\0\x01\0\x40\x03\0\x10", want[64];
	struct prefix net = prefix_make(
	    (struct ip_addr){ 0x20010db8ull << 32, 0 }, 32, FAM_IP6);
	struct mrt_rib_head h = { 8, 5, true };
	uint8_t b[512];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct mrt_record rec;
	struct mrt_entry e;
	struct wire_set *s;
	struct mrt_net n;
	struct mrt_rib rib;
	struct rbuf r;

	(void)state;
	memset(data + 9, 0x22, 16);
	memcpy(data + 25, "\xc0\x08\0\x04\0\x01\0\x02\xc0\x20\0\x01\x07", 13);
	s = test_mrt_set_of(data, 38);
	memcpy(want, "\x40\x01\x01\0\xc0\x08\x04\0\x01\0\x02\x80\x0e\x11\x10", 15);
	memset(want + 15, 0x22, 16);
	memcpy(want + 31, "\xc0\x20\x01\x07", 4);
	mrt_rib_begin(&rib, &w, &h, &net);
	assert_int_equal(mrt_rib_entry(&rib, 3, 6, 77, s), 0);
	assert_int_equal(mrt_rib_entry(&rib, 4, 7, 78, s), 0);
	assert_int_equal(mrt_rib_end(&rib), 2);
	r = rbuf_of(b, wbuf_len(&w));
	assert_int_equal(mrt_next(&r, &rec), 1);
	assert_int_equal(rec.subtype, MRT_RIB_IPV6_UNICAST_ADDPATH);
	assert_int_equal(mrt_net_get(&rec, &n), 0);
	assert_int_equal(n.entry_cnt, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(mrt_net_next(&n, &e), 0);
		assert_int_equal(e.path_id, 77 + i);
		assert_int_equal(rbuf_left(&e.attrs), 35);
		assert_memory_equal(e.attrs.pos, want, 35);
	}
	mem_free(MEM_OTHER, s);
}

static void
test_long(void **state)
{
	struct prefix net = prefix_make(ip4(0), 0, FAM_IP4);
	struct mrt_rib_head h = { 1, 0, false };
	static uint8_t data[65535], b[140000];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct wire_set *s;
	struct mrt_rib rib;

	(void)state;
	memcpy(data, "\xc0\x20\xff\xfb", 4);
	s = test_mrt_set_of(data, 65535);
	mrt_rib_begin(&rib, &w, &h, &net);
	assert_int_equal(mrt_rib_entry(&rib, 0, 0, 0, s), 0);
	assert_int_equal(mrt_rib_end(&rib), 1);
	mem_free(MEM_OTHER, s);
	/* with a next hop of IPv6 */
	memcpy(data, "\x40\x03\0\x10", 4);
	memcpy(data + 20, "\xc0\x20\xff\xe7", 4);
	s = test_mrt_set_of(data, 65535);
	w = wbuf_of(b, sizeof(b));
	mrt_rib_begin(&rib, &w, &h, &net);
	assert_int_equal(mrt_rib_entry(&rib, 0, 0, 0, s), 0);
	assert_int_equal(mrt_rib_end(&rib), 1);
	/* nothing is left of a net without entries, or of one without room */
	w = wbuf_of(b, sizeof(b));
	mrt_rib_begin(&rib, &w, &h, &net);
	assert_int_equal(mrt_rib_end(&rib), 0);
	assert_int_equal(wbuf_len(&w), 0);
	assert_false(w.bad);
	w = wbuf_of(b, 100);
	mrt_rib_begin(&rib, &w, &h, &net);
	assert_int_equal(mrt_rib_entry(&rib, 0, 0, 0, s), 0);
	assert_int_equal(mrt_rib_end(&rib), 0);
	assert_true(w.bad);
	mem_free(MEM_OTHER, s);
}

static void
test_messages(void **state)
{
	static const uint8_t keepalive[19] = { 0xff, [16] = 0, 19, 4 };
	struct mrt_session s = { 100000, 65000, ip4(1), ip4(2), 9, true };
	struct mrt_session two = { 100, 65000, { 1, 2 }, { 3, 4 }, 0, false };
	uint8_t b[1024];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct mrt_record rec;
	struct mrt_bgp m;
	struct rbuf r;

	(void)state;
	mrt_message_put(&w, 5000007, &s, false, false, keepalive, 19);
	mrt_message_put(&w, 5000007, &two, true, true, keepalive, 19);
	mrt_state_put(&w, 6999999, &s, 3, 4);
	s.as4 = false; /* before anything is negotiated */
	mrt_state_put(&w, 6999999, &s, 1, 2);
	mrt_state_put(&w, 6999999, &two, 5, 6);
	assert_false(w.bad);
	assert_true(wbuf_len(&w) <= 5 * MRT_BGP_HEAD_MAX + 2 * 19);
	r = rbuf_of(b, wbuf_len(&w));
	assert_int_equal(mrt_next(&r, &rec), 1);
	assert_int_equal(rec.time_s, 5);
	assert_int_equal(rec.micros, 7);
	assert_int_equal(rec.subtype, MRT_MESSAGE_AS4);
	assert_int_equal(mrt_bgp_get(&rec, &m), 0);
	assert_int_equal(m.len, 19);
	assert_memory_equal(m.msg, keepalive, 19);
	assert_int_equal(m.s.peer_as, 100000);
	assert_int_equal(m.s.ifindex, 9);
	assert_true(ip_equal(m.s.peer, ip4(1)) && ip_equal(m.s.local, ip4(2)));
	assert_int_equal(mrt_next(&r, &rec), 1);
	assert_int_equal(rec.subtype, MRT_MESSAGE_LOCAL_ADDPATH);
	assert_int_equal(mrt_bgp_get(&rec, &m), 0);
	assert_true(m.local && m.add_path && !m.s.as4 && !m.is_state);
	assert_true(ip_equal(m.s.local, two.local));
	for (unsigned i = 0; i < 3; i++) {
		static const uint16_t states[3][2] = { { 3, 4 }, { 1, 2 }, { 5, 6 } };

		assert_int_equal(mrt_next(&r, &rec), 1);
		assert_int_equal(mrt_bgp_get(&rec, &m), 0);
		assert_true(m.is_state);
		assert_int_equal(m.s.peer_as, i < 2 ? 100000 : 100);
		assert_int_equal(m.old_state, states[i][0]);
		assert_int_equal(m.new_state, states[i][1]);
	}
	assert_int_equal(mrt_next(&r, &rec), 0);
}

/* All of a file that is cut anywhere: a record more, or an error; nothing else. */
static void
test_cut(void **state)
{
	struct mrt_session s = { 100000, 65000, ip4(1), ip4(2), 9, true };
	struct mrt_peer p = { 1, ip4(3), 4 };
	struct mrt_record rec;
	struct mrt_index x;
	struct mrt_bgp m;
	uint8_t b[512];
	struct wbuf w = wbuf_of(b, sizeof(b));

	(void)state;
	mrt_state_put(&w, 1, &s, 3, 4);
	for (size_t len = 1; len < wbuf_len(&w); len++) {
		struct rbuf r = rbuf_of(b, len);

		assert_int_equal(mrt_next(&r, &rec), -EPROTO);
	}
	for (unsigned len = 4; len < wbuf_len(&w) - MRT_HEADER_LEN; len++) {
		struct rbuf r = rbuf_of(b, wbuf_len(&w));

		put_be32(b + 8, len);
		assert_int_equal(mrt_next(&r, &rec), 1);
		assert_int_equal(mrt_bgp_get(&rec, &m), -EPROTO);
	}
	w = wbuf_of(b, sizeof(b));
	mrt_index_put(&w, 7, 1, "view", &p, 1);
	for (unsigned len = 0; len < wbuf_len(&w) - MRT_HEADER_LEN; len++) {
		struct rbuf r = rbuf_of(b, wbuf_len(&w));
		struct mrt_peer got;

		put_be32(b + 8, len);
		assert_int_equal(mrt_next(&r, &rec), 1);
		assert_true(mrt_index_get(&rec, &x) == -EPROTO ||
			    mrt_index_next(&x, &got) == -EPROTO);
	}
	rec.type = MRT_BGP4MP;
	rec.subtype = 2;
	assert_int_equal(mrt_bgp_get(&rec, &m), -ENOTSUP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_index),
	cmocka_unit_test(test_rib),
	cmocka_unit_test(test_rib6),
	cmocka_unit_test(test_long),
	cmocka_unit_test(test_messages),
	cmocka_unit_test(test_cut),
};

UNIT_MAIN(tests)
