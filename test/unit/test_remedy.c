/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The remedy of a refused route follows from the reason, the texts of the rule and the
 * ROAs, and has the values of the route. */
#include "lib/wire/remedy.c"
#include "test/lib/unit.h"

#define NET "\"network\":\"20.0.1.0/25\",\"origin_as\":65001"

/* test_remedy_is - is @want the remedy of the object with the members @line? */
static void
test_remedy_is(const char *line, const char *want)
{
	struct strbuf o, doc;

	strbuf_init(&o);
	strbuf_init(&doc);
	strbuf_addf(&doc, "{%s}", line);
	remedy_add(&o, jview_of(doc.s, doc.len));
	assert_string_equal(o.s, want);
	strbuf_fini(&o);
	strbuf_fini(&doc);
}

static void
test_reasons(void **state)
{
	(void)state;
	test_remedy_is("\"reason\":\"as_set\"",
	    "Stop the aggregation that makes AS_SETs (RFC 9774).");
	test_remedy_is("\"reason\":\"older\"", "");
	test_remedy_is("\"network\":\"20.0.1.0/24\"", "");
	test_remedy_is("\"reason\":\"far_next_hop\",\"attributes\":{\"bgp_next_hop\":"
		       "[\"10.9.9.9\"]}",
	    "Set the next hop to the address of your router on the peering network; the "
	    "route has 10.9.9.9.");
	test_remedy_is("\"reason\":\"no_export\"",
	    "The announcing member removes the community NO_EXPORT (65535:65281), if the "
	    "receiver shall get the route.");
}

#define FILTER NET ",\"reason\":\"import_filter\","

static void
test_roas(void **state)
{
	static const char other[] = FILTER
	    "\"said\":\"RPKI invalid\",\"roa_state\":\"invalid\",\"roas\":["
	    "{\"network\":\"20.0.0.0/16\",\"max_length\":24,\"as\":65010},"
	    "{\"network\":\"20.0.0.0/20\",\"max_length\":24,\"as\":65010},"
	    "{\"network\":\"20.0.1.0/24\",\"max_length\":24,\"as\":65011}]";
	static const char length[] = FILTER
	    "\"said\":\"RPKI invalid\",\"roa_state\":\"invalid\",\"roas\":["
	    "{\"network\":\"20.0.1.0/24\",\"max_length\":24,\"as\":65010},"
	    "{\"network\":\"20.0.0.0/16\",\"max_length\":24,\"as\":65001}]";
	static const char nobody[] = FILTER
	    "\"community_text\":\"ROA: invalid\",\"roa_state\":\"invalid\","
	    "\"roas\":[{\"network\":\"20.0.0.0/8\",\"max_length\":32,\"as\":0}]";

	(void)state;
	test_remedy_is(other,
	    "Announce 20.0.1.0/25 with the origin AS65010 or AS65011, or ask AS65010 or "
	    "AS65011 for a ROA that permits AS65001.");
	test_remedy_is(length,
	    "The ROA of AS65001 for 20.0.0.0/16 permits prefixes up to /24: announce "
	    "such "
	    "a prefix in place of 20.0.1.0/25, or raise the maximum length in the ROA.");
	test_remedy_is(nobody,
	    "A ROA with AS0 forbids each origin: stop announcing 20.0.1.0/25, or let the "
	    "holder of the network create a ROA for AS65001.");
	test_remedy_is(FILTER "\"said\":\"rpki unknown\",\"roa_state\":\"unknown\"",
	    "Create a ROA for 20.0.1.0/25 with the origin AS65001.");
	test_remedy_is(FILTER "\"said\":\"RPKI\",\"roa_state\":\"valid\"",
	    "The ROAs permit AS65001 now. If the route stays refused, ask the exchange.");
	/* a word that begins otherwise is no ROA */
	test_remedy_is(FILTER "\"said\":\"broad\"",
	    "Change the route as the rule says: broad. If the text is not clear, ask the "
	    "exchange.");
}

static void
test_rules(void **state)
{
	static const struct {
		const char *said, *want;
	} rows[] = {
		{ "Prefix not in IRRDB AS-SETs",
		    "Register a route object for 20.0.1.0/25" },
		{ "Transit-free ASN in AS_PATH", "of a provider or a peer" },
		{ "bogon ASN", "Remove private and reserved AS numbers" },
		{ "Bogon prefix", "is not for the public Internet" },
		{ "AS path too long", "Prepend less: the AS path has 2 AS numbers" },
		{ "prefix too long",
		    "Announce a shorter prefix that contains 20.0.1.0/25" },
		{ "Invalid prefix length", "Announce a shorter prefix" },
		{ "Invalid NEXT_HOP", "Set the next hop" },
		{ "Invalid left-most ASN", "the AS path begins with AS65009" },
		{ "Too many communities", "fewer or other communities" },
		{ "Prefix is in client blacklist", "a list of the exchange blocks" },
		{ "Prefix too short",
		    "Announce longer prefixes in place of 20.0.1.0/25." },
		{ "too many routes", "ask the exchange for a higher limit" },
	};
	struct strbuf doc, o;

	(void)state;
	strbuf_init(&doc);
	strbuf_init(&o);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		strbuf_reset(&doc);
		strbuf_reset(&o);
		strbuf_addf(&doc,
		    "{" FILTER
		    "\"said\":\"%s\",\"attributes\":{\"bgp_path\":[65009,65001]}}",
		    rows[i].said);
		remedy_add(&o, jview_of(doc.s, doc.len));
		if (!strstr(o.s, rows[i].want))
			fail_msg("%s: %s", rows[i].said, o.s);
	}
	strbuf_fini(&doc);
	strbuf_fini(&o);
	/* names of functions count after texts; the base name of the file is enough */
	test_remedy_is(FILTER "\"filter\":\"f_in\",\"decided_by\":{\"function\":"
			      "\"is_bogon_net\"}",
	    "Stop announcing 20.0.1.0/25: the network is not for the public Internet.");
	test_remedy_is(FILTER "\"filter\":\"f_in\",\"file\":\"/etc/x/rs.conf\","
			      "\"line\":9",
	    "Ask the exchange about the conditions of the rule (filter f_in, line 9 of "
	    "rs.conf).");
	test_remedy_is(NET ",\"filtered_by\":\"tagged\",\"community_text\":\"odd\"",
	    "Change the route as the rule says: odd. If the text is not clear, ask the "
	    "exchange.");
}

/* test_lacks - values that the line lacks have words of their own. */
static void
test_lacks(void **state)
{
	(void)state;
	test_remedy_is("\"reason\":\"import_filter\",\"said\":\"blacklist\"",
	    "Ask the exchange: a list of the exchange blocks the network.");
	test_remedy_is("\"network\":\"20.0.1.0/25\",\"reason\":\"import_filter\","
		       "\"said\":\"RPKI\",\"roa_state\":\"unknown\"",
	    "Create a ROA for 20.0.1.0/25 with the origin the AS number of the origin.");
	/* a rule about nothing that is known, and a route that is invalid */
	test_remedy_is(FILTER "\"said\":\"odd\",\"roa_state\":\"invalid\",\"roas\":["
			      "{\"network\":\"20.0.0.0/8\",\"max_length\":32,\"as\":0}]",
	    "A ROA with AS0 forbids each origin: stop announcing 20.0.1.0/25, or let the "
	    "holder of the network create a ROA for AS65001. Change the route as the "
	    "rule says: odd. If the text is not clear, ask the exchange.");
}

/* test_errors - the filter is at fault: the remedy is an act of the exchange, whatever
 * the texts and the ROAs are. */
static void
test_errors(void **state)
{
	(void)state;
	test_remedy_is(FILTER "\"filter\":\"f_in\",\"file\":\"/etc/x/rs.conf\","
			      "\"line\":9,\"run_time_error\":true,\"roa_state\":"
			      "\"invalid\",\"said\":\"AS path too long; division by "
			      "zero\"",
	    "Report the error to the exchange; the exchange corrects filter f_in, line 9 "
	    "of "
	    "rs.conf: AS path too long; division by zero.");
	test_remedy_is(NET ",\"reason\":\"export_filter\",\"run_time_error\":true,"
			   "\"attributes\":{\"bgp_community\":[[65000,0]]}",
	    "Report the error to the exchange; the exchange corrects the filter.");
	test_remedy_is(NET ",\"filtered_by\":\"pipe\",\"pipe_filter\":\"f\","
			   "\"run_time_error\":true,\"said\":\"stack overflow\"",
	    "Report the error to the exchange; the exchange corrects filter f: stack "
	    "overflow.");
}

static void
test_exports(void **state)
{
	(void)state;
	test_remedy_is(NET
	    ",\"reason\":\"export_filter\",\"filter\":\"f_out\",\"attributes\":{"
	    "\"bgp_path\":[65002,65001],\"bgp_community\":[]}",
	    "Ask the exchange about filter f_out: the route has no communities.");
	test_remedy_is(NET
	    ",\"reason\":\"export_filter\",\"filter\":\"(unnamed)\",\"file\":"
	    "\"/x/rs.conf\",\"line\":11,\"attributes\":{\"bgp_path\":[65002,65001],"
	    "\"bgp_community\":[[65000,0]],\"bgp_large_community\":[[65000,0,3]]}",
	    "Ask AS65002, the announcing member, to remove the communities that keep the "
	    "route from the receiver (the route has 65000:0 65000:0:3). If no community "
	    "does so, ask the exchange about the filter, line 11 of rs.conf.");
	test_remedy_is("\"reason\":\"pipe\"",
	    "Ask the announcing member to remove the communities that keep the route "
	    "from "
	    "the receiver. If no community does so, ask the exchange.");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_roas), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_lacks), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_exports) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
