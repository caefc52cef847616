/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components of flows: their octets (RFC 8955, 4.2) and the text that is made of them. */
#include "filter/run/flow.c"
#include "test/lib/unit.h"

static struct prefix
test_flow_net(const char *s)
{
	struct prefix p;

	assert_int_equal(prefix_parse(&p, s), 0);
	return p;
}

static void
test_flow_check(
    struct strbuf *b, const char *octets, size_t len, bool v6, const char *want)
{
	struct strbuf t;

	strbuf_init(&t);
	assert_int_equal(b->len, len);
	assert_memory_equal(b->s, octets, len);
	flow_print(&t, (const uint8_t *)b->s, (uint32_t)b->len, v6);
	assert_string_equal(t.s, want);
	strbuf_fini(&t);
	strbuf_reset(b);
}

/* The examples of RFC 8955, 4.2.2 and 4.3, and of RFC 8956, 3.8.2. */
static void
test_octets(void **state)
{
	struct prefix p = test_flow_net("192.0.2.0/24"),
		      q = test_flow_net("203.0.113.0/24");
	struct prefix six = test_flow_net("::1234:5678:9a00:0/104");
	struct strbuf b;
	size_t last = 0;

	(void)state;
	strbuf_init(&b);
	flow_put_prefix(&b, FLOW_DST, &p, 0);
	strbuf_addc(&b, FLOW_PROTO);
	flow_put_op(&b, &last, FLOW_OP_EQ, 6);
	last = 0;
	strbuf_addc(&b, FLOW_PORT);
	flow_put_op(&b, &last, FLOW_OP_EQ, 25);
	test_flow_check(&b, "\x01\x18\xc0\x00\x02\x03\x81\x06\x04\x81\x19", 11, false,
	    "dst 192.0.2.0/24; proto 6; port 25; ");
	flow_put_prefix(&b, FLOW_DST, &p, 0);
	flow_put_prefix(&b, FLOW_SRC, &q, 0);
	last = 0;
	strbuf_addc(&b, FLOW_PORT);
	flow_put_op(&b, &last, FLOW_OP_GT | FLOW_OP_EQ, 137);
	flow_put_op(&b, &last, FLOW_OP_AND | FLOW_OP_LT | FLOW_OP_EQ, 139);
	flow_put_op(&b, &last, FLOW_OP_EQ, 8080);
	test_flow_check(&b,
	    "\x01\x18\xc0\x00\x02\x02\x18\xcb\x00\x71\x04\x03\x89\x45\x8b\x91\x1f\x90",
	    18, false, "dst 192.0.2.0/24; src 203.0.113.0/24; port 137..139,8080; ");
	flow_put_prefix(&b, FLOW_DST, &six, 64);
	test_flow_check(&b, "\x01\x68\x40\x12\x34\x56\x78\x9a", 8, true,
	    "dst ::1234:5678:9a00:0/104 offset 64; ");
	strbuf_fini(&b);
}

static void
test_signs(void **state)
{
	static const char *const want[8] = { "port false 1; ", "port 1; ", "port > 1; ",
		"port >= 1; ", "port < 1; ", "port <= 1; ", "port != 1; ",
		"port true 1; " };
	char octets[] = "\x04\x80\x01";
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	for (uint8_t op = 0; op < 8; op++) {
		size_t last = 0;

		strbuf_addc(&b, FLOW_PORT);
		flow_put_op(&b, &last, op, 1);
		octets[1] = (char)(0x80 | op);
		test_flow_check(&b, octets, 3, false, want[op]);
	}
	strbuf_fini(&b);
}

static void
test_masks(void **state)
{
	size_t last = 0;
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	strbuf_addc(&b, FLOW_TCP_FLAGS);
	flow_put_op(&b, &last, FLOW_OP_MATCH, 2);
	flow_put_op(&b, &last, FLOW_OP_AND | FLOW_OP_NOT, 0x10);
	flow_put_op(&b, &last, FLOW_OP_NOT | FLOW_OP_MATCH, 0x100);
	flow_put_op(&b, &last, 0, 1);
	test_flow_check(&b, "\x09\x01\x02\x42\x10\x13\x01\x00\x80\x01", 10, false,
	    "tcp flags 0x2/0x2 && 0x0/0x10 || !0x100/0x100 || !0x0/0x1; ");
	last = 0;
	strbuf_addc(&b, FLOW_FRAGMENT);
	flow_put_op(&b, &last, 0, flow_fragment_bit("is_fragment"));
	flow_put_op(
	    &b, &last, FLOW_OP_AND | FLOW_OP_NOT, flow_fragment_bit("last_fragment"));
	test_flow_check(&b, "\x0c\x00\x02\xc2\x08", 5, true,
	    "fragment is_fragment && !last_fragment; ");
	assert_int_equal(flow_fragment_bit("fragment"), 0);
	strbuf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_octets),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
