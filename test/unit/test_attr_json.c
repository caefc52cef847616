/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes as JSON: names and forms of doc/json.md. */
#include "lib/attr/attr_json.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

static void
json_is(const struct wbuf *b, const char *want)
{
	struct wire_set *w = wire_new(b->start, wbuf_len(b));
	struct strbuf out;
	struct json j;

	assert_false(b->bad);
	strbuf_init(&out);
	json_init(&j, &out);
	json_open(&j, NULL);
	attr_json_wire(&j, w);
	json_close(&j);
	assert_string_equal(out.s, want);
	strbuf_fini(&out);
	free(w);
}

static void
test_all(void **state)
{
	static const uint8_t aggr[] = { 0xfa, 0x56, 0xea, 0, 1, 2, 3, 4 };
	static const uint8_t aigp[] = { 1, 0, 11, 0, 0, 0, 0, 0, 0, 4, 210 };
	static const uint8_t nh[] = { 192, 0, 2, 1 }, num[] = { 0, 0, 0, 77 };
	static const uint8_t ids[] = { 1, 1, 1, 1, 2, 2, 2, 2 };
	static const uint8_t comm[] = { 0, 1, 0, 2, 255, 255, 0, 4 };
	static const uint8_t ext[] = { 0, 2, 0, 1, 0, 0, 0, 2 };
	static const uint8_t large[] = { 0, 0, 0, 1, 0, 0, 0, 2, 255, 255, 255, 255 };
	static const uint8_t path[] = { 2, 2, 0, 0, 0, 5, 0, 1, 0, 0, 1, 2, 0, 0, 0, 6, 0,
		0, 0, 7, 3, 1, 0, 0, 0, 8, 4, 1, 0, 0, 0, 9 };
	uint8_t buf[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	(void)state;
	wire_item(&w, 0x40, ATTR_ORIGIN, "\2", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 4);
	wire_item(&w, 0x80, ATTR_MED, num, 4);
	wire_item(&w, 0x40, ATTR_LOCAL_PREF, num, 4);
	wire_item(&w, 0x40, ATTR_ATOMIC_AGGR, NULL, 0);
	wire_item(&w, 0xc0, ATTR_AGGREGATOR, aggr, sizeof(aggr));
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, sizeof(comm));
	wire_item(&w, 0x80, ATTR_ORIGINATOR_ID, ids, 4);
	wire_item(&w, 0x80, ATTR_CLUSTER_LIST, ids, 8);
	wire_item(&w, 0xc0, ATTR_EXT_COMMUNITY, ext, 8);
	wire_item(&w, 0x80, ATTR_AIGP, aigp, sizeof(aigp));
	wire_item(&w, 0xc0, ATTR_LARGE_COMMUNITY, large, 12);
	wire_item(&w, 0xc0, ATTR_OTC, num, 4);
	wire_item(&w, 0xe0, 99, "\1\2\xab", 3);
	wire_item(&w, 0x80, 100, NULL, 0);
	json_is(&w,
	    "{\"bgp_origin\":\"incomplete\","
	    "\"bgp_path\":[5,65536,{\"set\":[6,7]},{\"confed_sequence\":[8]},"
	    "{\"confed_set\":[9]}],\"bgp_next_hop\":[\"192.0.2.1\"],\"bgp_med\":77,"
	    "\"bgp_local_pref\":77,\"bgp_atomic_aggr\":true,"
	    "\"bgp_aggregator\":{\"as\":4200000000,\"address\":\"1.2.3.4\"},"
	    "\"bgp_community\":[[1,2],[65535,4]],\"bgp_originator_id\":\"1.1.1.1\","
	    "\"bgp_cluster_list\":[\"1.1.1.1\",\"2.2.2.2\"],"
	    "\"bgp_ext_community\":[\"(rt, 1, 2)\"],\"bgp_aigp\":1234,"
	    "\"bgp_large_community\":[[1,2,4294967295]],\"bgp_otc\":77,"
	    "\"other\":[{\"code\":99,\"transitive\":true,\"partial\":true,"
	    "\"value_hex\":\"0102ab\"},{\"code\":100,\"transitive\":false,"
	    "\"partial\":false,\"value_hex\":\"\"}]}");
}

static void
test_next_hop6(void **state)
{
	uint8_t buf[64], nh[32] = { 0x20, 1, 0xd, 0xb8 };
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	(void)state;
	nh[15] = 1;
	nh[16] = 0xfe;
	nh[17] = 0x80;
	nh[31] = 2;
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 32);
	json_is(&w, "{\"bgp_next_hop\":[\"2001:db8::1\",\"fe80::2\"]}");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_next_hop6),
};

UNIT_MAIN(tests)
