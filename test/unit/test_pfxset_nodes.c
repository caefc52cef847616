/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of format() for sets of prefixes. BIRD 3.3.2 gives the same texts, for these and
 * for 568 random sets. */
#include "filter/set/pfxset_nodes.h"
#include "test/lib/unit.h"
#include <stdio.h>
#include <string.h>

#define PATTERNS_MAX 8

static const struct {
	const char *patterns, *text;
} rows[] = {
	{ "", "[]" },
	{ "0.0.0.0/0{0,0}", "[0.0.0.0/0]" },
	{ "0.0.0.0/0{0,32}", "[0.0.0.0/0, 0.0.0.0/0{255.255.255.255}]" },
	{ "10.0.0.0/8{8,8} 10.0.0.0/8{8,32}", "[10.0.0.0/8{1.255.255.255}]" },
	/* an end between two nodes: the nodes below have the longer lengths */
	{ "10.0.0.0/7{7,32}", "[10.0.0.0/7{2.0.0.0}, 10.0.0.0/8{1.255.255.255}, "
			      "11.0.0.0/8{1.255.255.255}]" },
	{ "10.10.0.0/17{19,19}",
	    "[10.10.0.0/19{0.0.32.0}, 10.10.32.0/19{0.0.32.0}, 10.10.64.0/19{0.0.32.0}, "
	    "10.10.96.0/19{0.0.32.0}]" },
	/* shorter lengths: the way to the end */
	{ "10.10.0.0/16{9,15}",
	    "[10.0.0.0/12{0.240.0.0}, 10.8.0.0/13{0.8.0.0}, 10.8.0.0/14{0.4.0.0}, "
	    "10.10.0.0/15{0.2.0.0}]" },
	{ "10.0.0.0/8{3,8} 26.0.0.0/8{8,8}",
	    "[0.0.0.0/3{32.0.0.0}, 10.0.0.0/8{63.0.0.0}, 26.0.0.0/8{1.0.0.0}]" },
	/* a node above shows the lengths of a pattern below */
	{ "10.0.0.0/12{12,12} 10.10.0.0/16{8,16}",
	    "[10.0.0.0/12{1.240.0.0}, 10.8.0.0/13{0.8.0.0}, 10.8.0.0/14{0.4.0.0}, "
	    "10.10.0.0/15{0.2.0.0}, 10.10.0.0/16{1.255.0.0}]" },
	/* shorts that a shorter one includes, or the mask hides */
	{ "10.10.0.0/17{17,17} 10.10.0.0/18{18,19} 10.10.64.0/18{18,18}",
	    "[10.10.0.0/17{0.0.192.0}, 10.10.0.0/19{0.0.32.0}, "
	    "10.10.32.0/19{0.0.32.0}]" },
	{ "10.10.0.0/16{18,18} 10.10.0.0/17{17,18}",
	    "[10.10.0.0/16{0.0.64.0}, 10.10.0.0/17{0.0.128.0}]" },
	/* both families: each has a root */
	{ "0.0.0.0/1{0,1} 2000::/3{19,48}",
	    "[0.0.0.0/0, 0.0.0.0/1{128.0.0.0}, 2000::/4{0:3fff:ffff::}, "
	    "3000::/4{0:3fff:ffff::}]" },
	{ "2001:db8::/110{102,109}",
	    "[2001:db8::/108{::7.240.0.0}, 2001:db8::/109{::0.8.0.0}]" },
	{ "10.1.1.1/32{32,32} 11:22::1/128{128,128}",
	    "[10.1.1.1/32{0.0.0.1}, 11:22::1/128{::1}]" },
};

static uint32_t
nodes_parse(struct pfx_pattern *pat, const char *s)
{
	uint32_t cnt = 0;
	unsigned len, lo, hi;
	char addr[IP_STR_MAX];

	while (*s) {
		struct pfx_pattern *t = &pat[cnt++];

		assert_int_equal(sscanf(s, "%47[^/]/%u{%u,%u}", addr, &len, &lo, &hi), 4);
		assert_int_equal(ip_parse(&t->addr, addr), 0);
		t->fam = strchr(addr, ':') != NULL;
		t->len = (uint8_t)len;
		t->lo = (uint8_t)lo;
		t->hi = (uint8_t)hi;
		s += strcspn(s, " ");
		s += *s == ' ';
	}
	return cnt;
}

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_pattern pat[PATTERNS_MAX];
		uint32_t cnt = nodes_parse(pat, rows[i].patterns);
		struct strbuf b;

		strbuf_init(&b);
		pfxset_nodes_print(&b, pat, cnt);
		assert_string_equal(b.s, rows[i].text);
		strbuf_fini(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
