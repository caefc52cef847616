/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of show route all: names, values, and where long ones break or end. */
#include "lib/attr/attr_print.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

struct lines {
	struct strbuf text;
	unsigned cnt;
	size_t longest;
};

static void
test_attr_print_take_line(void *arg, const char *line)
{
	struct lines *l = arg;

	l->cnt++;
	l->longest = strlen(line) > l->longest ? strlen(line) : l->longest;
	strbuf_addf(&l->text, "%s\n", line);
}

static void
test_attr_print_set(struct lines *l, const struct wbuf *b)
{
	struct wire_set *w = wire_new(b->start, wbuf_len(b));

	assert_false(b->bad);
	strbuf_init(&l->text);
	l->cnt = 0;
	l->longest = 0;
	attr_print_wire(w, test_attr_print_take_line, l);
	free(w);
}

static void
test_all(void **state)
{
	static const uint8_t aggr[] = { 0xfa, 0x56, 0xea, 0, 1, 2, 3, 4 };
	static const uint8_t aigp[] = { 1, 0, 11, 0, 0, 0, 0, 0, 0, 4, 210 };
	static const uint8_t path[] = { 2, 1, 0, 0, 0, 5 }, nh[] = { 192, 0, 2, 1 };
	static const uint8_t ids[] = { 1, 1, 1, 1, 2, 2, 2, 2 }, num[] = { 0, 0, 0, 77 };
	static const uint8_t comm[] = { 0, 1, 0, 2, 0, 3, 0, 4 };
	uint8_t buf[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct lines l;

	(void)state;
	wire_item(&w, 0x40, ATTR_ORIGIN, "\0", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 4);
	wire_item(&w, 0x80, ATTR_MED, num, 4);
	wire_item(&w, 0x40, ATTR_LOCAL_PREF, num, 4);
	wire_item(&w, 0x40, ATTR_ATOMIC_AGGR, NULL, 0);
	wire_item(&w, 0xc0, ATTR_AGGREGATOR, aggr, sizeof(aggr));
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, sizeof(comm));
	wire_item(&w, 0x80, ATTR_ORIGINATOR_ID, ids, 4);
	wire_item(&w, 0x80, ATTR_CLUSTER_LIST, ids, 8);
	wire_item(&w, 0x80, ATTR_AIGP, aigp, sizeof(aigp));
	wire_item(&w, 0xc0, ATTR_OTC, num, 4);
	wire_item(&w, 0xe0, 99, "\1\2\xab", 3);
	wire_item(&w, 0xe0, 100, NULL, 0);
	test_attr_print_set(&l, &w);
	assert_string_equal(l.text.s,
	    "\tBGP.origin: IGP\n\tBGP.as_path: 5\n\tBGP.next_hop: 192.0.2.1\n"
	    "\tBGP.med: 77\n\tBGP.local_pref: 77\n\tBGP.atomic_aggr: \n"
	    "\tBGP.aggregator: 1.2.3.4 AS4200000000\n\tBGP.community: (1,2) (3,4)\n"
	    "\tBGP.originator_id: 1.1.1.1\n\tBGP.cluster_list: 1.1.1.1 2.2.2.2\n"
	    "\tBGP.aigp: 1234\n\tBGP.otc: 77\n\tBGP.63 [t]: 01 02 ab\n\tBGP.64 [t]: \n");
	strbuf_fini(&l.text);
}

static void
test_next_hop6(void **state)
{
	uint8_t buf[64], nh[32] = { 0x20, 1, 0xd, 0xb8 };
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct lines l;

	(void)state;
	nh[15] = nh[31] = 1;
	nh[16] = 0xfe;
	nh[17] = 0x80;
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 32);
	test_attr_print_set(&l, &w);
	assert_string_equal(l.text.s, "\tBGP.next_hop: 2001:db8::1 fe80::1\n");
	strbuf_fini(&l.text);
}

/* 120 communities of 13 characters: 34 in the first line, 35 in each of the next (as
 * bird2). */
static void
test_long_list(void **state)
{
	uint8_t comm[480], buf[1024];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct lines l;

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		put_be16(comm + 4 * i, 60000);
		put_be16(comm + 4 * i + 2, (uint16_t)(10000 + i));
	}
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, sizeof(comm));
	test_attr_print_set(&l, &w);
	assert_int_equal(l.cnt, 4);
	assert_int_equal(l.longest, 491);
	assert_non_null(strstr(l.text.s, "(60000,10033)\n\t\t(60000,10034) "));
	strbuf_fini(&l.text);
}

/* A path that doesn't fit ends in dots, after a whole number. */
static void
test_long_path(void **state)
{
	uint8_t path[2 + 4 * 200] = { 2, 200 }, buf[1024];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct lines l;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		put_be32(path + 2 + 4 * i, 100000 + i);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	test_attr_print_set(&l, &w);
	assert_int_equal(l.longest, 492);
	assert_non_null(strstr(l.text.s, " 100066 100067...\n"));
	strbuf_fini(&l.text);
}

static void
test_long_hex(void **state)
{
	uint8_t val[400] = { 0 }, buf[1024];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct lines l;

	(void)state;
	wire_item(&w, 0xc0, 101, val, sizeof(val));
	test_attr_print_set(&l, &w);
	assert_int_equal(l.longest, 496);
	strbuf_fini(&l.text);
}

/* Octets that no decoder lets through are printed as nothing, not read beyond. */
static void
test_odd_lengths(void **state)
{
	uint8_t buf[256];
	struct lines l;

	(void)state;
	for (unsigned code = 1; code < 40; code++)
		for (size_t len = 0; len < 20; len++) {
			struct wbuf w = wbuf_of(buf, sizeof(buf));

			wire_item(&w, 0xc0, (uint8_t)code,
			    "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", len);
			test_attr_print_set(&l, &w);
			strbuf_fini(&l.text);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_next_hop6),
	cmocka_unit_test(test_long_list),
	cmocka_unit_test(test_long_path),
	cmocka_unit_test(test_long_hex),
	cmocka_unit_test(test_odd_lengths),
};

UNIT_MAIN(tests)
