/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PDUs of the RPKI-to-Router protocol (RFC 6810, RFC 8210, draft-ietf-sidrops-8210bis).
 */
#include "lib/wire/rtr.c"
#include "test/lib/unit.h"

/* One whole PDU as octets. */
struct octets {
	uint8_t buf[256];
	uint32_t len;
};

static struct octets
test_rtr_encode(const struct rtr_pdu *p)
{
	struct octets o;
	struct wbuf w = wbuf_of(o.buf, sizeof(o.buf));

	rtr_encode(&w, p);
	assert_false(w.bad);
	o.len = (uint32_t)wbuf_len(&w);
	return o;
}

/* decode - of @o. Returns: the error, or -1. */
static int
test_rtr_decode(const struct octets *o, struct rtr_pdu *p)
{
	struct rtr_fault f;

	assert_int_equal(rtr_frame(o->buf, o->len, &f), o->len);
	return rtr_decode(o->buf, o->len, p, &f) ? -1 : f.error;
}

static void
test_queries(void **state)
{
	static const uint8_t reset[] = { 1, 2, 0, 0, 0, 0, 0, 8 },
			     serial[] = { 0, 1, 0x12, 0x34, 0, 0, 0, 12, 0, 0, 0, 7 };
	struct octets o = test_rtr_encode(
	    &(struct rtr_pdu){ .version = 1, .type = RTR_RESET_QUERY });

	(void)state;
	assert_int_equal(o.len, sizeof(reset));
	assert_memory_equal(o.buf, reset, sizeof(reset));
	o = test_rtr_encode(&(struct rtr_pdu){
	    .type = RTR_SERIAL_QUERY, .session = 0x1234, .serial = 7 });
	assert_int_equal(o.len, sizeof(serial));
	assert_memory_equal(o.buf, serial, sizeof(serial));
}

static void
test_prefixes(void **state)
{
	static const uint8_t p4[] = { 0, 4, 0, 0, 0, 0, 0, 20, 1, 24, 25, 0, 192, 0, 2,
		99, 0, 0, 0xfd, 0xe9 };
	static const uint8_t p6[] = { 1, 6, 0, 0, 0, 0, 0, 32, 0, 32, 48, 0, 0x20, 1, 0xd,
		0xb8, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0 };
	struct rtr_fault f;
	struct rtr_pdu p;
	uint8_t bad[20];
	char text[PREFIX_STR_MAX];

	(void)state;
	assert_true(rtr_decode(p4, sizeof(p4), &p, &f));
	assert_true(p.announce);
	assert_string_equal(prefix_str(text, &p.vrp.net), "192.0.2.0/24"); /* I2 */
	assert_int_equal(p.vrp.max_len, 25);
	assert_int_equal(p.vrp.asn, 65001);
	assert_true(rtr_decode(p6, sizeof(p6), &p, &f));
	assert_false(p.announce);
	assert_string_equal(prefix_str(text, &p.vrp.net), "2001:db8::/32");
	assert_int_equal(p.vrp.max_len, 48);
	assert_int_equal(p.vrp.asn, 65536);
	memcpy(bad, p4, sizeof(bad));
	bad[10] = 23;
	assert_false(rtr_decode(bad, sizeof(bad), &p, &f));
	assert_int_equal(f.error, RTR_E_CORRUPT);
	bad[10] = 33;
	assert_false(rtr_decode(bad, sizeof(bad), &p, &f));
	assert_int_equal(f.error, RTR_E_CORRUPT);
}

/* Of each type: what was encoded is decoded. */
static void
test_round(void **state)
{
	static const uint8_t two[] = { 0, 0, 0, 1, 0, 0, 0, 9 };
	struct rtr_pdu p, q;
	struct octets o;

	(void)state;
	p = (struct rtr_pdu){ .version = 2,
		.type = RTR_END_OF_DATA,
		.session = 5,
		.serial = 6,
		.times = { 1, 2, 3 } };
	o = test_rtr_encode(&p);
	assert_int_equal(o.len, 24);
	assert_int_equal(test_rtr_decode(&o, &q), -1);
	assert_int_equal(q.session, 5);
	assert_int_equal(q.serial, 6);
	assert_int_equal(q.times.refresh, 1);
	assert_int_equal(q.times.retry, 2);
	assert_int_equal(q.times.expire, 3);
	p.version = 0;
	o = test_rtr_encode(&p);
	assert_int_equal(o.len, 12);
	assert_int_equal(test_rtr_decode(&o, &q), -1);
	assert_int_equal(q.times.expire, 0);
	o.buf[0] = 1; /* the long form since version 1 */
	assert_int_equal(test_rtr_decode(&o, &q), RTR_E_CORRUPT);
	p = (struct rtr_pdu){ .version = 2,
		.type = RTR_ASPA,
		.announce = true,
		.vrp.asn = 65001,
		.provider = two,
		.provider_cnt = 2 };
	o = test_rtr_encode(&p);
	assert_int_equal(o.len, 20);
	assert_int_equal(test_rtr_decode(&o, &q), -1);
	assert_true(q.announce);
	assert_int_equal(q.vrp.asn, 65001);
	assert_int_equal(q.provider_cnt, 2);
	assert_int_equal(rtr_provider(&q, 1), 9);
	p = (struct rtr_pdu){ .version = 1,
		.type = RTR_ERROR_REPORT,
		.error = RTR_E_NO_DATA,
		.about = two,
		.about_len = 8,
		.text = two + 3,
		.text_len = 2 };
	o = test_rtr_encode(&p);
	assert_int_equal(test_rtr_decode(&o, &q), -1);
	assert_int_equal(q.error, RTR_E_NO_DATA);
	assert_int_equal(q.about_len, 8);
	assert_int_equal(q.text_len, 2);
}

static void
test_aspa_faults(void **state)
{
	/* of a draft before 8210bis-13: flags, families, count, customer, provider */
	struct octets early = {
		{ 2, 11, 0, 0, 0, 0, 0, 20, 1, 3, 0, 1, 0, 0, 0, 5, 0, 0, 0, 6 }, 20
	};
	struct octets order = {
		{ 2, 11, 1, 0, 0, 0, 0, 20, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0, 7 }, 20
	};
	struct octets none = { { 2, 11, 1, 0, 0, 0, 0, 12, 0, 0, 0, 5 }, 12 };
	struct octets odd = { { 2, 11, 1, 0, 0, 0, 0, 14, 0, 0, 0, 5, 0, 0 }, 14 };
	struct octets gone = { { 2, 11, 0, 0, 0, 0, 0, 12, 0, 0, 0, 5 }, 12 };
	/* with what it had, in any order */
	struct octets whole = {
		{ 2, 11, 0, 0, 0, 0, 0, 20, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0, 6 }, 20
	};
	struct rtr_pdu p;

	(void)state;
	assert_int_equal(test_rtr_decode(&early, &p), RTR_E_PROVIDERS);
	assert_int_equal(test_rtr_decode(&order, &p), RTR_E_PROVIDERS);
	assert_int_equal(test_rtr_decode(&none, &p), RTR_E_PROVIDERS);
	assert_int_equal(test_rtr_decode(&odd, &p), RTR_E_CORRUPT);
	assert_int_equal(test_rtr_decode(&gone, &p), -1);
	assert_int_equal(test_rtr_decode(&whole, &p), -1);
	assert_false(p.announce);
	assert_int_equal(p.vrp.asn, 5);
	assert_int_equal(p.provider_cnt, 0);
	gone.buf[0] = 1; /* not before version 2 */
	assert_int_equal(test_rtr_decode(&gone, &p), RTR_E_TYPE);
}

/* A withdrawal that names @cnt providers, from 1 on, of customer @asn. */
static int
decode_gone(uint32_t asn, uint32_t cnt, struct rtr_pdu *p)
{
	struct octets o = { { 2, 11, 0, 0 }, 12 + 4 * cnt };

	put_be32(o.buf + 4, o.len);
	put_be32(o.buf + 8, asn);
	for (uint32_t i = 0; i < cnt; i++)
		put_be32(o.buf + 12 + 4 * i, i + 1);
	return test_rtr_decode(&o, p);
}

/* Only customers that no AS has read as the flags and the count of an earlier draft. */
static void
test_aspa_early(void **state)
{
	/* count + 1 and the lower half agree, as in the PDU of an earlier draft */
	static const struct {
		uint32_t asn, cnt;
	} ours[] = { { 1, 2 }, { 3, 4 }, { 65536, 1 }, { 131072, 1 }, { 196609, 2 },
		{ 4200000000u & ~UINT32_C(0xffff), 1 } };
	struct rtr_pdu p;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(ours); i++) {
		assert_int_equal(decode_gone(ours[i].asn, ours[i].cnt, &p), -1);
		assert_false(p.announce);
		assert_int_equal(p.vrp.asn, ours[i].asn);
		assert_int_equal(p.provider_cnt, 0);
	}
	for (uint32_t flags = 1; flags <= 3; flags++)
		for (uint32_t families = 0; families <= 3; families++)
			for (uint32_t cnt = 0; cnt < 3; cnt++)
				assert_int_equal(
				    decode_gone(
					flags << 24 | families << 16 | cnt, cnt + 1, &p),
				    RTR_E_PROVIDERS);
}

static void
test_frame(void **state)
{
	uint8_t p[12] = { 1, 0, 0, 5, 0, 0, 0, 12 };
	struct rtr_fault f;
	struct rtr_pdu q;

	(void)state;
	for (unsigned len = 0; len < 12; len++)
		assert_int_equal(rtr_frame(p, len, &f), 0);
	assert_int_equal(rtr_frame(p, 12, &f), 12);
	p[7] = 7;
	assert_true(rtr_frame(p, 8, &f) < 0);
	assert_int_equal(f.error, RTR_E_CORRUPT);
	p[5] = 1, p[7] = 1;
	assert_true(rtr_frame(p, 8, &f) < 0);
	p[0] = 3;
	assert_true(rtr_frame(p, 1, &f) < 0);
	assert_int_equal(f.error, RTR_E_VERSION);
	assert_false(rtr_decode(p, 12, &q, &f));
	assert_int_equal(f.error, RTR_E_VERSION);
	p[0] = 1, p[1] = 5;
	assert_false(rtr_decode(p, 12, &q, &f));
	assert_int_equal(f.error, RTR_E_TYPE);
	p[1] = RTR_RESET_QUERY;
	assert_false(rtr_decode(p, 12, &q, &f));
	assert_int_equal(f.error, RTR_E_CORRUPT);
	p[0] = 0, p[1] = RTR_ROUTER_KEY;
	assert_false(rtr_decode(p, 12, &q, &f));
	assert_int_equal(f.error, RTR_E_TYPE);
}

static void
test_text(void **state)
{
	static const uint8_t nasty[] = "no\ndata\xff";
	struct rtr_pdu p = { .type = RTR_ERROR_REPORT,
		.error = RTR_E_NO_DATA,
		.text = nasty,
		.text_len = sizeof(nasty) - 1 };
	char buf[RTR_TEXT_MAX];
	uint8_t many[300];

	(void)state;
	assert_string_equal(rtr_report_text(buf, &p), "No Data Available: no?data?");
	memset(many, 'x', sizeof(many));
	p.text = many;
	p.text_len = sizeof(many);
	assert_int_equal(strlen(rtr_report_text(buf, &p)), RTR_TEXT_MAX - 1);
	p.text_len = 0;
	p.error = 99;
	assert_string_equal(rtr_report_text(buf, &p), "unknown error");
	assert_string_equal(rtr_type_text(RTR_ASPA), "ASPA");
	assert_string_equal(rtr_type_text(5), "unknown");
	assert_string_equal(rtr_type_text(200), "unknown");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_aspa_faults),
		cmocka_unit_test(test_aspa_early),
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
